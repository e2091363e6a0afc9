//! `files`, over the files that a harness was given.

use crate::capability::Failure;
use crate::files::{Entry, Kind};
use crate::test::world::{self, World};

pub(crate) fn read(path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Failure> {
    acting("files.read", |world| {
        let content = world.content(path)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
        let end = start.saturating_add(length as usize).min(content.len());
        Ok(content[start..end].to_vec())
    })
}

pub(crate) fn about(path: &str) -> Result<Entry, Failure> {
    acting("files.about", |world| {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        if world.files.contains_key(path) {
            return Ok(file(name, world.content(path)?.len()));
        }
        if names_below(world, path).is_empty() {
            return Err(missing(path));
        }
        Ok(folder(name))
    })
}

pub(crate) fn sha256(path: &str) -> Result<String, Failure> {
    acting("files.sha256", |world| {
        world.content(path)?;
        // The harness has no digests of its own.
        world
            .digests
            .get(path)
            .cloned()
            .ok_or_else(|| Failure::Unavailable(format!("the harness was told no digest of {path}")))
    })
}

pub(crate) fn list_folder(path: &str) -> Result<Vec<Entry>, Failure> {
    acting("files.list-folder", |world| {
        let below = names_below(world, path);
        if below.is_empty() {
            return Err(missing(path));
        }
        let entry = |(name, size): (String, Option<usize>)| match size {
            Some(size) => file(name, size),
            None => folder(name),
        };
        Ok(below.into_iter().map(entry).collect())
    })
}

pub(crate) fn write(action: u32, path: &str, text: &str) -> Result<u64, Failure> {
    let own = &[
        ("FILES", ["payload.path", "payload.text"]),
        ("TOOL", ["payload.args.path", "payload.args.text"]),
    ];
    let target = world::form_at(action, "target", |form| form?.text().map(str::to_owned)).unwrap_or_default();
    let place = own.iter().find(|(own, [own_path, own_text])| {
        own.eq_ignore_ascii_case(&target)
            && own_path.eq_ignore_ascii_case(path)
            && own_text.eq_ignore_ascii_case(text)
    });
    if action != world::ACTION || place.is_none() {
        return Err(Failure::NotCleared(format!(
            "`{path}` and `{text}` of an action for :{target} is nothing that the gates judged for files.write; only \
             payload.path and payload.text of :FILES, or payload.args.path and payload.args.text of :TOOL is. Use \
             files::propose_write for what is the skill's own"
        )));
    }
    let string = |at: &str| world::form_at(action, at, |form| form?.string().map(str::to_owned));
    let (Some(name), Some(content)) = (string(path), string(text)) else {
        return Err(Failure::NotCleared(format!("no strings stand at {path} and {text}")));
    };
    let beside = path.rsplit_once('.').map_or("", |(start, _)| start);
    let replace = world::form_at(action, &format!("{beside}.replace"), |form| {
        form.and_then(|form| form.text())
            .is_some_and(|text| text.eq_ignore_ascii_case("t"))
    });
    acting("files.write", |world| {
        world.once("files.write")?;
        world.put(&name, &content, replace)
    })
}

pub(crate) fn edit(action: u32, path: &str, old: &str, new: &str) -> Result<u64, Failure> {
    let own = ["payload.args.path", "payload.args.old", "payload.args.new"];
    let target = world::form_at(action, "target", |form| form?.text().map(str::to_owned)).unwrap_or_default();
    let named = [path, old, new];
    let fits = own
        .iter()
        .zip(named)
        .all(|(own, named)| own.eq_ignore_ascii_case(named));
    if action != world::ACTION || !target.eq_ignore_ascii_case("tool") || !fits {
        return Err(Failure::NotCleared(format!(
            "`{path}`, `{old}` and `{new}` of an action for :{target} is nothing that the gates judged for files.edit; only \
             payload.args.path and payload.args.old and payload.args.new of :TOOL is. Use files::propose_write for what is \
             the skill's own"
        )));
    }
    let string = |at: &str| world::form_at(action, at, |form| form?.string().map(str::to_owned));
    let (Some(path), Some(old), Some(new)) = (string(path), string(old), string(new)) else {
        return Err(Failure::NotCleared(format!(
            "no strings stand at {path}, {old} and {new}"
        )));
    };
    acting("files.edit", |world| {
        world.once("files.edit")?;
        let content = String::from_utf8_lossy(world.content(&path)?).into_owned();
        match content.matches(&old).count() {
            1 if !old.is_empty() => world.put(&path, &content.replacen(&old, &new, 1), true),
            count => Err(Failure::Failed(format!(
                "{path} has the text to be replaced {count} times"
            ))),
        }
    })
}

pub(crate) fn propose_write(path: &str, text: &str, replace: bool, explanation: &str) -> Result<u64, Failure> {
    acting("files.propose-write", |world| {
        if explanation.trim().is_empty() {
            return Err(Failure::Rejected("a proposed file needs an explanation".to_owned()));
        }
        world.put(path, text, replace)
    })
}

fn acting<R>(name: &'static str, work: impl FnOnce(&mut World) -> Result<R, Failure>) -> Result<R, Failure> {
    world::with(|world| {
        world.acts.push(name);
        work(world)
    })
}

impl World {
    fn content(&self, path: &str) -> Result<&[u8], Failure> {
        match self.files.get(path) {
            Some(Ok(bytes)) => Ok(bytes),
            Some(Err(failure)) => Err(failure.clone()),
            None => Err(missing(path)),
        }
    }

    fn put(&mut self, path: &str, text: &str, replace: bool) -> Result<u64, Failure> {
        match self.files.get(path) {
            Some(Err(failure)) => return Err(failure.clone()),
            Some(Ok(_)) if !replace => {
                return Err(Failure::Failed(format!(
                    "{path} exists already; :REPLACE T replaces it"
                )));
            }
            _ => {}
        }
        self.files.insert(path.to_owned(), Ok(text.as_bytes().to_vec()));
        Ok(text.len() as u64)
    }
}

fn missing(path: &str) -> Failure {
    Failure::Failed(format!("{path} does not exist: the harness was not given it"))
}

fn file(name: String, size: usize) -> Entry {
    Entry {
        name,
        kind: Kind::File,
        size: size as u64,
        modified: 0,
    }
}

fn folder(name: String) -> Entry {
    Entry {
        name,
        kind: Kind::Folder,
        size: 0,
        modified: 0,
    }
}

/// What lies directly below `path`, by name: files with their sizes, and folders.
fn names_below(world: &World, path: &str) -> std::collections::BTreeMap<String, Option<usize>> {
    let start = match path.trim_end_matches('/') {
        "" | "." => String::new(),
        folder => format!("{folder}/"),
    };
    let inside = |(own, content): (&String, &Result<Vec<u8>, Failure>)| {
        let rest = own.strip_prefix(&start)?;
        Some(match rest.split_once('/') {
            Some((folder, _)) => (folder.to_owned(), None),
            None => (rest.to_owned(), Some(content.as_ref().map_or(0, Vec::len))),
        })
    };
    world.files.iter().filter_map(inside).collect()
}
