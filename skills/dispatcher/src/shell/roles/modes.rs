//! chmod(1): a mode that takes from everybody else what they may do to a key protects it. GNU coreutils manual.

use super::{Role, Roles};
use crate::path::{Access, Effect, Place, Roots};
use crate::shell::hidden::Invocation;

/// What its arguments are.
pub(super) fn roles(invocation: &Invocation<'_>) -> Roles {
    let mut roles = Vec::new();
    let (mut options, mut mode) = (true, None);
    for field in invocation.arguments() {
        let text = field.text.as_str();
        if !field.is_known() || field.glob {
            break;
        }
        let role = if options && text == "--" {
            options = false;
            Role::Open
        } else if options && mode.is_none() && closes(text) {
            mode = Some(true);
            Role::Text
        } else if options && text.starts_with('-') && text.len() > 1 {
            let letters = text[1..].chars().all(|letter| "cfvR".contains(letter));
            let long = ["--changes", "--quiet", "--recursive", "--silent", "--verbose"].contains(&text);
            if !letters && !long {
                break;
            }
            Role::Text
        } else if mode.is_none() {
            mode = Some(closes(text));
            Role::Text
        } else if mode == Some(true) && is_key(text) {
            Role::Name
        } else {
            Role::Open
        };
        roles.push(role);
    }
    Roles { roles, told: true }
}

/// Whether a mode leaves the owner what it takes to read, and everybody else nothing, or takes something from them.
fn closes(mode: &str) -> bool {
    let digits = mode.strip_prefix('0').filter(|rest| rest.len() == 3).unwrap_or(mode);
    if let [owner, b'0', b'0'] = digits.as_bytes() {
        return (b'4'..=b'7').contains(owner);
    }
    !mode.is_empty() && mode.split(',').all(takes_away)
}

fn takes_away(clause: &str) -> bool {
    let Some(at) = clause.find(['-', '=', '+']) else {
        return false;
    };
    let (who, what) = (&clause[..at], &clause[at + 1..]);
    let rights = what.chars().all(|right| "rwx".contains(right));
    let others = !who.is_empty() && who.chars().all(|one| matches!(one, 'g' | 'o'));
    match &clause[at..=at] {
        "-" => others && rights,
        "=" if who == "u" => rights && what.contains('r'),
        "=" => others && what.is_empty(),
        _ => false,
    }
}

/// Whether a path is that of a key, or of a folder of keys, by its own name.
fn is_key(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let place = Place::absolute(&format!("/any/{}", path.rsplit('/').next().unwrap_or_default()));
    let secret = Roots::default().protection(&place, Access::Read);
    let in_folder = path.split('/').any(|part| matches!(part, ".gnupg" | ".ssh"));
    in_folder || matches!(secret, Some((Effect::Reject, _)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_rights_from_everybody_else_closes() {
        for mode in [
            "600",
            "0600",
            "700",
            "400",
            "500",
            "go-rwx",
            "o-r",
            "go=",
            "o=",
            "u=rw,go=",
            "u=rwx,g-w,o=",
        ] {
            assert!(closes(mode), "{mode}");
        }
        for mode in [
            "777", "644", "755", "4700", "000", "200", "u+s", "a+r", "+r", "go+r", "g=r", "-r", "a-r", "u-w", "u=",
            "",
        ] {
            assert!(!closes(mode), "{mode}");
        }
    }
}
