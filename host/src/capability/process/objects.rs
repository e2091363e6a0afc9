//! What a repository of git keeps, as far as it is needed to tell what was committed: gitformat-pack(5), gitformat-index(5),
//! gitrepository-layout(5).
//!
//! No git is run for it: it would obey what the repository configures. Whatever can't be read, or is too much, is not there.

use super::listing::Root;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// How git calls an object: by its digest.
pub(super) type Name = [u8; NAME];
pub(super) const NAME: usize = 20;

/// Longest object that is read, and most that is read and unpacked of all together, in bytes.
const LONGEST: usize = 16 << 20;
const LONGEST_IN_ALL: usize = 128 << 20;
/// Most packs of one repository, and most entries of the folder in which they are.
const MOST_PACKS: usize = 1_000;
const MOST_ENTRIES: usize = 10_000;
/// Most differences by which an object is told in a pack: git makes 50, and never more than this.
const DEEPEST: usize = 4_095;

/// How the index of a pack begins, in the version that all have been of since 2007; where in it is what.
const INDEX: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
const FIRSTS: u64 = 8;
const NAMES: u64 = FIRSTS + 4 * 256;
/// That a place is told by its number among those that are far behind.
const FAR: u32 = 1 << 31;
/// Most bytes before an object in a pack: its kind and length, and what it is told by.
const BEFORE: usize = 10 + NAME;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
}

impl Kind {
    fn word(self) -> &'static [u8] {
        match self {
            Kind::Commit => b"commit ",
            Kind::Tree => b"tree ",
        }
    }

    fn number(self) -> u8 {
        match self {
            Kind::Commit => 1,
            Kind::Tree => 2,
        }
    }
}

/// The objects of one repository.
#[derive(Debug)]
pub(super) struct Objects {
    folder: PathBuf,
    packs: Option<Vec<Pack>>,
    left: usize,
}

#[derive(Debug)]
struct Pack {
    index: File,
    /// How many objects are in it.
    count: u64,
    data: File,
}

impl Objects {
    /// Those in `folder`, beneath the workspace.
    pub(super) fn of(folder: PathBuf) -> Objects {
        Objects {
            folder,
            packs: None,
            left: LONGEST_IN_ALL,
        }
    }

    /// An object, if it is there and of that kind.
    pub(super) fn read(&mut self, root: &Root, name: &Name, kind: Kind) -> Option<Vec<u8>> {
        let digits = hex::encode(name);
        let (first, rest) = digits.split_at(2);
        match open(root, &self.folder.join(first).join(rest)) {
            Some(file) => self.loose(file, kind),
            None => self.packed(root, name, kind),
        }
    }

    fn take(&mut self, bytes: usize) -> Option<()> {
        self.left = self.left.checked_sub(bytes)?;
        Some(())
    }

    fn inflate(&mut self, packed: &[u8], longest: usize) -> Option<Vec<u8>> {
        let bytes = decompress_to_vec_zlib_with_limit(packed, longest).ok()?;
        self.take(bytes.len())?;
        Some(bytes)
    }

    fn loose(&mut self, file: File, kind: Kind) -> Option<Vec<u8>> {
        let mut packed = Vec::new();
        file.take(LONGEST as u64).read_to_end(&mut packed).ok()?;
        self.take(packed.len())?;
        let bytes = self.inflate(&packed, LONGEST)?;
        let (head, body) = bytes.split_at(bytes.iter().position(|byte| *byte == 0)? + 1);
        head.starts_with(kind.word()).then(|| body.to_owned())
    }

    fn packed(&mut self, root: &Root, name: &Name, kind: Kind) -> Option<Vec<u8>> {
        let packs = self
            .packs
            .take()
            .unwrap_or_else(|| packs(root, &self.folder.join("pack")));
        let found = packs.iter().find_map(|pack| Some((pack, pack.find(name)?)));
        let object = found.and_then(|(pack, at)| self.at(pack, at, kind));
        self.packs = Some(packs);
        object
    }

    /// The object at that place in a pack: one, and what is different in those that are told by it.
    fn at(&mut self, pack: &Pack, mut at: u64, kind: Kind) -> Option<Vec<u8>> {
        let mut differences = Vec::new();
        let mut bytes = loop {
            let before = pack.bytes(at, BEFORE)?;
            let mut head = Head { bytes: &before, at: 0 };
            let (own, length) = head.kind()?;
            let base = match own {
                6 => Some(at.checked_sub(head.distance()?)?),
                7 => Some(pack.find(head.name()?)?),
                _ => None,
            };
            if length > LONGEST || differences.len() > DEEPEST {
                return None;
            }
            // What can't be made shorter becomes a little longer.
            let packed = pack.bytes(at + head.at as u64, length + length / 8 + 1024)?;
            let bytes = self.inflate(&packed, length + 1)?;
            match base {
                Some(_) => differences.push(bytes),
                None if own == kind.number() => break bytes,
                None => return None,
            }
            at = base?;
        };
        while let Some(difference) = differences.pop() {
            bytes = apply(&bytes, &difference)?;
            self.take(bytes.len())?;
        }
        Some(bytes)
    }
}

fn packs(root: &Root, folder: &Path) -> Vec<Pack> {
    let entries = root.list(folder, MOST_ENTRIES).unwrap_or_default();
    let indexes = entries.into_iter().map(|entry| folder.join(entry.name));
    let indexes = indexes.filter(|path| path.extension().is_some_and(|end| end == "idx"));
    indexes.take(MOST_PACKS).filter_map(|path| pack(root, &path)).collect()
}

fn pack(root: &Root, index: &Path) -> Option<Pack> {
    let data = open(root, &index.with_extension("pack"))?;
    let index = open(root, index)?;
    let mut begin = [0; INDEX.len()];
    index.read_exact_at(&mut begin, 0).ok()?;
    let count = u64::from(number(&index, NAMES - 4)?);
    (begin == INDEX).then_some(Pack { index, count, data })
}

fn open(root: &Root, path: &Path) -> Option<File> {
    let file = File::from(root.reach(path, OFlags::RDONLY | OFlags::NOCTTY).ok()?);
    file.metadata().is_ok_and(|about| about.is_file()).then_some(file)
}

fn number(file: &File, at: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(u32::from_be_bytes(bytes))
}

impl Pack {
    /// Where an object is in it.
    fn find(&self, name: &Name) -> Option<u64> {
        let first = u64::from(name[0]);
        let up_to = |first: u64| Some(u64::from(number(&self.index, FIRSTS + 4 * first)?).min(self.count));
        let mut low = if first == 0 { 0 } else { up_to(first - 1)? };
        let mut high = up_to(first)?;
        while low < high {
            let middle = u64::midpoint(low, high);
            let mut found = [0; NAME];
            self.index
                .read_exact_at(&mut found, NAMES + NAME as u64 * middle)
                .ok()?;
            match found.cmp(name) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.place(middle),
            }
        }
        None
    }

    /// Where the object of that number is. Behind the names are sums of their bytes, then places, then those far behind.
    fn place(&self, object: u64) -> Option<u64> {
        let places = NAMES + (NAME as u64 + 4) * self.count;
        let place = number(&self.index, places + 4 * object)?;
        if place < FAR {
            return Some(u64::from(place));
        }
        let far = places + 4 * self.count + 8 * u64::from(place - FAR);
        let halves = (number(&self.index, far)?, number(&self.index, far + 4)?);
        Some(u64::from(halves.0) << 32 | u64::from(halves.1))
    }

    /// So many bytes from there on, or as many as there are.
    fn bytes(&self, at: u64, most: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; most];
        let mut got = 0;
        while got < most {
            match self.data.read_at(&mut bytes[got..], at.checked_add(got as u64)?) {
                Ok(0) => break,
                Ok(more) => got += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        bytes.truncate(got);
        Some(bytes)
    }
}

/// What stands before an object in a pack, and in a difference.
struct Head<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Head<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The kind of an object, and how long it is.
    fn kind(&mut self) -> Option<(u8, usize)> {
        let first = self.next()?;
        let rest = if first & 0x80 == 0 { 0 } else { self.length()? };
        Some((first >> 4 & 7, rest.checked_mul(16)? | usize::from(first & 15)))
    }

    /// A number in sevens of bits, the lowest first.
    fn length(&mut self) -> Option<usize> {
        let (mut length, mut shift) = (0, 0);
        loop {
            let byte = self.next()?;
            length |= usize::from(byte & 0x7f).checked_shl(shift).filter(|_| shift < 49)?;
            if byte & 0x80 == 0 {
                return Some(length);
            }
            shift += 7;
        }
    }

    /// How far before an object another one is: in sevens of bits, the highest first, each but the last counted on by one.
    fn distance(&mut self) -> Option<u64> {
        let mut byte = self.next()?;
        let mut distance = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.next()?;
            distance = (distance + 1).checked_mul(128)? | u64::from(byte & 0x7f);
        }
        Some(distance)
    }

    fn name(&mut self) -> Option<&Name> {
        let name = self.bytes.get(self.at..self.at + NAME)?.try_into().ok()?;
        self.at += NAME;
        Some(name)
    }

    /// As many bytes of a number as `present` says, the lowest first.
    fn some(&mut self, present: u8, most: usize) -> Option<usize> {
        let mut number = 0;
        for place in 0..most {
            if present >> place & 1 != 0 {
                number |= usize::from(self.next()?) << (8 * place);
            }
        }
        Some(number)
    }
}

/// What a difference makes of `base`.
fn apply(base: &[u8], difference: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Head {
        bytes: difference,
        at: 0,
    };
    let (before, after) = (reader.length()?, reader.length()?);
    if before != base.len() || after > LONGEST {
        return None;
    }
    let mut made = Vec::new();
    while let Some(what) = reader.next() {
        let more = match what {
            0 => return None,
            1..0x80 => {
                let from = reader.at;
                reader.at += usize::from(what);
                difference.get(from..reader.at)?
            }
            0x80.. => {
                let from = reader.some(what, 4)?;
                let length = match reader.some(what >> 4, 3)? {
                    0 => 0x10000,
                    length => length,
                };
                base.get(from..from.checked_add(length)?)?
            }
        };
        if made.len() + more.len() > after {
            return None;
        }
        made.extend_from_slice(more);
    }
    (made.len() == after).then_some(made)
}

#[cfg(test)]
mod tests;
