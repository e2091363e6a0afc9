//! Secrets in requests: `{vault:NAME}` in the value of a header is replaced by the host, and hidden in what comes back.

use crate::capability::Failure;
use crate::capability::bound::Bound;
use crate::capability::own::OnBehalf;
use crate::config::Secret;

/// How the place of a secret begins, in either case; it ends with `}`.
const OPEN: &str = "{vault:";

/// What stands for a secret in a response.
const HIDDEN: &[u8] = b"[secret]";

/// Whether `value` asks for a secret.
pub(super) fn asks(value: &str) -> bool {
    split(value).is_some()
}

/// What stands before and after the first [`OPEN`].
fn split(value: &str) -> Option<(&str, &str)> {
    let is_open = |at: &usize| {
        let here = value.as_bytes().get(*at..*at + OPEN.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(OPEN.as_bytes()))
    };
    let at = (0..value.len()).find(is_open)?;
    Some((&value[..at], &value[at + OPEN.len()..]))
}

/// `value` with every secret in its place, for a request to `host`; the secrets go into `used`.
///
/// # Errors
/// [`Failure::Rejected`] when the skill was not granted one, or it may not go to that host.
pub(super) fn fill(value: &str, host: &str, on: &OnBehalf<'_>, used: &mut Vec<Secret>) -> Result<String, Failure> {
    let (mut filled, mut rest) = (String::new(), value);
    while let Some((before, after)) = split(rest) {
        let Some((name, after)) = after.split_once('}') else {
            return Err(Failure::Failed(format!(
                "a header has `{OPEN}` without the `}}` that ends it"
            )));
        };
        let bound: Bound = format!("vault:{name}")
            .parse()
            .map_err(|error| Failure::Failed(format!("a header asks for a secret: {error}")))?;
        if !on.rights.has(&bound) {
            return Err(Failure::Rejected(format!(
                "the skill `{}` may not use the secret `{name}`; to grant it: passepartout-host skill grant {} {bound}",
                on.skill, on.skill
            )));
        }
        let secret = on
            .turn
            .services()
            .secrets
            .for_host(name, host)
            .map_err(Failure::Rejected)?;
        filled.push_str(before);
        filled.push_str(&secret.0);
        used.push(secret);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// `bytes` without the secrets. Where `cut` is set, neither do they end in the beginning of one.
pub(super) fn hide(mut bytes: Vec<u8>, secrets: &[Secret], cut: bool) -> Vec<u8> {
    let mut secrets: Vec<&[u8]> = secrets.iter().map(|secret| secret.0.as_bytes()).collect();
    // The longest go first, so that one inside another leaves nothing behind.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    for secret in secrets.into_iter().filter(|secret| !secret.is_empty()) {
        if bytes.windows(secret.len()).any(|part| part == secret) {
            bytes = replaced(&bytes, secret);
        }
        let begun = (1..secret.len())
            .rev()
            .find(|length| bytes.ends_with(&secret[..*length]));
        if let (true, Some(length)) = (cut, begun) {
            bytes.truncate(bytes.len() - length);
        }
    }
    bytes
}

fn replaced(bytes: &[u8], secret: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        if bytes[at..].starts_with(secret) {
            out.extend_from_slice(HIDDEN);
            at += secret.len();
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str, secrets: &[&str], cut: bool) -> String {
        let secrets: Vec<Secret> = secrets.iter().map(|text| Secret((*text).to_owned())).collect();
        String::from_utf8_lossy(&hide(text.as_bytes().to_vec(), &secrets, cut)).into_owned()
    }

    #[test]
    fn the_place_of_a_secret_is_found_in_either_case_and_nothing_else_is() {
        assert_eq!(split("Bearer {Vault:token}!"), Some(("Bearer ", "token}!")));
        assert_eq!(split("ä{VAULT:{vault:a}"), Some(("ä", "{vault:a}")));
        assert!(!asks("{vaul:x} vault:x {vault;x {vault"));
    }

    #[test]
    fn a_secret_that_is_repeated_is_hidden_wherever_it_stands_and_where_it_was_cut() {
        assert_eq!(
            hidden("a hunter2 b hunter2", &["hunter2"], false),
            "a [secret] b [secret]"
        );
        assert_eq!(hidden("hunter2-long", &["hunter2", "hunter2-long"], false), "[secret]");
        assert_eq!(hidden("it is hunt", &["hunter2"], true), "it is ");
        assert_eq!(hidden("it is hunt", &["hunter2"], false), "it is hunt");
        assert_eq!(hidden("", &["", "x"], true), "");
    }
}
