//! Private keys as programs keep them, which are no text, and files that hold others as they are: told by how they begin.

/// How key stores begin: sn.exe's, keytool(1)'s two, KeePass's, and the unarmoured key of ssh-keygen(1).
const STORES: [&[u8]; 5] = [
    b"\x07\x02\0\0\0\x24\0\0RSA2",
    b"\xFE\xED\xFE\xED",
    b"\xCE\xCE\xCE\xCE",
    b"\x03\xD9\xA2\x9A",
    b"openssh-key-v1\0",
];
/// Tags of DER (X.690): a whole number, a string of bytes, a name, a list.
const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const NAME: u8 = 0x06;
const LIST: u8 = 0x30;
/// How the names begin of the ways to encrypt a key with a password: PKCS #5 (RFC 8018) and PKCS #12 (RFC 7292).
const BY_PASSWORD: [&[u8]; 2] = [
    b"\x2A\x86\x48\x86\xF7\x0D\x01\x05",
    b"\x2A\x86\x48\x86\xF7\x0D\x01\x0C\x01",
];
/// How the names begin of fields in the parameters of elliptic curves (RFC 3279), and of what a store of PKCS #12 holds.
const PARAMETERS: &[u8] = b"\x2A\x86\x48\xCE\x3D\x01";
const CONTENT: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07";
/// The first bytes of a secret key's packet, in both formats, with how many bytes its length takes; the versions of one, and the
/// numbers of what it is for (RFC 9580, sections 4.2, 5.5 and 9.1).
const PACKETS: [(u8, usize); 4] = [(0x94, 1), (0x95, 2), (0x96, 4), (0xC5, 0)];
const VERSIONS: std::ops::RangeInclusive<u8> = 3..=6;
const ALGORITHMS: [u8; 12] = [1, 2, 3, 16, 17, 18, 19, 22, 25, 26, 27, 28];
/// How zip(1), ar(1) and cpio(1) begin what they make, and what stands in the first header of tar(1), where.
const ARCHIVES: [&[u8]; 5] = [b"PK\x03\x04", b"!<arch>\n", b"070701", b"070702", b"070707"];
const TAR: &[u8] = b"ustar";
const TAR_AT: usize = 257;
const BLOCK: usize = 512;

/// Whether bytes begin as a private key or a store of some does.
pub(crate) fn is_key(bytes: &[u8]) -> bool {
    is_key_alone(bytes) || is_packet(bytes)
}

/// The same where many places are tried: few bytes begin a packet, which others do by chance.
pub(crate) fn is_key_alone(bytes: &[u8]) -> bool {
    STORES.iter().any(|begin| bytes.starts_with(begin)) || is_der(bytes).unwrap_or(false)
}

/// Whether an archive of tar(1) holds a key that is no text: each file in it begins where a block does.
pub(crate) fn holds_key(bytes: &[u8]) -> bool {
    is_tar(bytes) && bytes.chunks(BLOCK).any(is_key_alone)
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(TAR_AT..).is_some_and(|rest| rest.starts_with(TAR))
}

/// Whether a file holds others as they are, as far as they were not packed.
pub(crate) fn holds_files(bytes: &[u8]) -> bool {
    is_tar(bytes) || ARCHIVES.iter().any(|begin| bytes.starts_with(begin))
}

/// The tag at the start, and what stands behind its length.
fn field(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first()?;
    let more = match length {
        0x81..=0x84 => usize::from(length & 0x0F),
        _ => 0,
    };
    Some((*tag, rest.get(more..)?))
}

/// Whether a list of DER begins as a private key: of PKCS #1 and SEC 1 (RFC 8017, RFC 5915), of PKCS #8 with a password or
/// without one (RFC 5958), or as a store of PKCS #12 (RFC 7292).
fn is_der(bytes: &[u8]) -> Option<bool> {
    let (LIST, inner) = field(bytes)? else { return None };
    match inner {
        [INTEGER, 1, 0, INTEGER, length, ..] => Some(*length >= 0x20),
        [INTEGER, 1, 0 | 1, LIST, ..] => {
            let (_, algorithm) = field(inner.get(3..)?)?;
            let name = algorithm.strip_prefix(&[NAME])?.get(1..)?;
            Some(!name.starts_with(PARAMETERS))
        }
        [INTEGER, 1, 1, OCTETS, length, ..] => Some(*length >= 0x14),
        [INTEGER, 1, 3, LIST, ..] => {
            let (_, content) = field(inner.get(3..)?)?;
            Some(content.strip_prefix(&[NAME])?.get(1..)?.starts_with(CONTENT))
        }
        [LIST, ..] => {
            let (_, algorithm) = field(inner)?;
            let name = algorithm.strip_prefix(&[NAME])?.get(1..)?;
            Some(BY_PASSWORD.iter().any(|begin| name.starts_with(begin)))
        }
        _ => None,
    }
}

/// Whether a secret key's packet stands at the start.
fn is_packet(bytes: &[u8]) -> bool {
    let Some((first, rest)) = bytes.split_first() else {
        return false;
    };
    let Some((_, length)) = PACKETS.iter().find(|(own, _)| own == first) else {
        return false;
    };
    // In the newer format the length says how long it is itself.
    let length = match (length, rest.first()) {
        (0, Some(0..=191)) => 1,
        (0, Some(192..=223)) => 2,
        (0, _) => 5,
        (length, _) => *length,
    };
    // Behind the version stands when it was made, in four bytes.
    let (version, algorithm) = (rest.get(length), rest.get(length + 5));
    version.is_some_and(|own| VERSIONS.contains(own)) && algorithm.is_some_and(|own| ALGORITHMS.contains(own))
}
