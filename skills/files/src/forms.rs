//! Private keys in forms that have no armour: PuTTY's, minisign's and signify's, and JSON Web Keys.

use memchr::memmem::{find, find_iter as all};

/// How a key of PuTTY begins, and what stands before its private part (its manual, appendix C).
const PUTTY: &[u8] = b"PuTTY-User-Key-File-";
const PUTTY_LINES: &[u8] = b"Private-Lines:";
/// The fewest characters of that part: those of Ed25519.
const PUTTY_SHORTEST: usize = 40;

/// How secret keys of minisign(1) begin, with a password and without one, and those of signify(1) with the first bytes of
/// how often theirs is hashed. Public keys and signatures, which may begin so by chance, are shorter than one is.
const SIGNING: [&[u8]; 3] = [b"RWRTY0Iy", b"RWQAAEIy", b"RWRCSwAA"];
const SIGNING_SHORTEST: usize = 130;

/// Members of a JSON Web Key that are private, and the fewest characters of one (RFC 7518, sections 6.2 to 6.4; RFC 8037).
const MEMBERS: [(&[u8], usize); 2] = [(b"d", 40), (b"k", 22)];

/// What two texts stand in keys of these: BIND (its manual, on dnssec-keygen), openssl(1) with `-text`, NATS, .NET (XML Signature,
/// section 4.4.2.2) and gpg-agent(1).
const BOTH: [(&[u8], &[u8]); 6] = [
    (b"Private-key-format: v1.", b"Algorithm:"),
    (b"privateExponent:\n", b"modulus:\n"),
    (b"-----BEGIN USER NKEY SEED-----", b"\nS"),
    (b"<RSAKeyValue>", b"<D>"),
    (b"(private-key", b"(d #"),
    (b"(protected-private-key", b"(protected "),
];

/// Whether text holds a key in one of these forms.
pub(crate) fn holds_one(bytes: &[u8]) -> bool {
    let has_both = |(one, other): &(&[u8], &[u8])| find(bytes, one).is_some() && find(bytes, other).is_some();
    BOTH.iter().any(has_both) || is_of_putty(bytes) || signs(bytes) || is_web_key(bytes)
}

/// How many characters of base64, of either alphabet, stand at the start.
fn digits(bytes: &[u8]) -> usize {
    let is_digit = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte);
    bytes.iter().take_while(is_digit).count()
}

fn is_of_putty(bytes: &[u8]) -> bool {
    let Some(begun) = find(bytes, PUTTY).and_then(|at| bytes.get(at..)) else {
        return false;
    };
    all(begun, PUTTY_LINES).any(|at| {
        let behind = begun
            .get(at + PUTTY_LINES.len()..)
            .unwrap_or_default()
            .trim_ascii_start();
        let number = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = behind.get(number..).unwrap_or_default();
        // A sign of quotation or `\n` may stand between.
        let is_key = |skip: usize| digits(rest.get(skip..).unwrap_or_default()) >= PUTTY_SHORTEST;
        number > 0 && (0..=8).any(is_key)
    })
}

fn signs(bytes: &[u8]) -> bool {
    SIGNING
        .iter()
        .any(|begin| all(bytes, begin).any(|at| digits(bytes.get(at..).unwrap_or_default()) >= SIGNING_SHORTEST))
}

/// Whether there is an object with a key's type in it, and with a private part.
fn is_web_key(bytes: &[u8]) -> bool {
    if find(bytes, b"kty").is_none() {
        return false;
    }
    MEMBERS.iter().any(|(name, shortest)| {
        all(bytes, name).any(|at| {
            let before = bytes.get(..at).unwrap_or_default();
            let behind = bytes.get(at + name.len()..).unwrap_or_default();
            let long = before.last() == Some(&b'"') && value(behind).is_some_and(|value| digits(value) >= *shortest);
            long && {
                let open = before.iter().rposition(|byte| *byte == b'{').unwrap_or(0);
                let end = behind.iter().position(|byte| *byte == b'}').unwrap_or(behind.len());
                let object = bytes.get(open..at + name.len() + end).unwrap_or_default();
                find(object, b"kty").is_some()
            }
        })
    })
}

/// The text that a member of an object has, behind its name: quotes may be escaped, where the object stands in a text.
fn value(behind: &[u8]) -> Option<&[u8]> {
    let quote = |text: &[u8]| -> Option<usize> {
        let slashes = text.iter().take_while(|byte| **byte == b'\\').count();
        (text.get(slashes) == Some(&b'"')).then_some(slashes + 1)
    };
    let rest = behind.get(quote(behind)?..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b":")?.trim_ascii_start();
    rest.get(quote(rest)?..)
}
