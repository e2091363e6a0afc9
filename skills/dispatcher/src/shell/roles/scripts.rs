//! Which arguments of an interpreter are its program. Such a text is no path, unless it may open one: then it is left open,
//! as what it names stands in it. Sources: the manuals of perl, ruby, python, node, and of GNU awk and sed.

use super::reading::is_open;
use super::{Role, Roles, computing};
use crate::shell::harmless;
use crate::shell::word::Field;

/// What the arguments of an interpreter are.
pub(super) fn roles(name: &str, arguments: &[Field]) -> Roles {
    let stem = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    match stem {
        "awk" | "gawk" | "mawk" | "nawk" => of_awk(arguments),
        "perl" => by_letter(arguments, 'e', "acnplw01234567", "Fi", computing::PERL),
        "ruby" => by_letter(arguments, 'e', "acnplw01234567", "Fi", computing::RUBY),
        "python" => by_letter(arguments, 'c', "bBdEIOqsSuv", "", computing::PYTHON),
        "node" => by_letter(arguments, 'e', "p", "", computing::NODE),
        _ => Roles::default(),
    }
}

fn of_awk(arguments: &[Field]) -> Roles {
    let mut roles = vec![Role::Open; arguments.len()];
    let mut rest = arguments.iter().enumerate();
    let program = loop {
        let Some((at, field)) = rest.next() else {
            return Roles::default();
        };
        match field.text.as_str() {
            _ if is_open(field) => return Roles::default(),
            option @ ("-F" | "-v") => match rest.next() {
                Some((_, value)) if is_open(value) => return Roles::default(),
                // A variable may hold the name of a file that the program opens.
                Some((value, _)) if option == "-F" => roles[value] = Role::Text,
                _ => {}
            },
            "--" => break rest.next(),
            joined if joined.starts_with("-F") || joined.starts_with("-v") => {}
            option if option.starts_with('-') && option.len() > 1 => return Roles::default(),
            _ => break Some((at, field)),
        }
    };
    if let Some((at, field)) = program.filter(|(_, field)| !is_open(field)) {
        // Without a string in it there is no name in it.
        if !field.text.contains('"') || harmless::awk_acts(&field.text).is_none() {
            roles[at] = Role::Text;
        }
    }
    Roles { roles, told: true }
}

/// Of one of which the program stands behind an option with this letter. `flags` have no value, `joined` one in the same
/// argument.
fn by_letter(arguments: &[Field], letter: char, flags: &str, joined: &str, language: computing::Language) -> Roles {
    let mut roles = Vec::new();
    while let Some(field) = arguments.get(roles.len()) {
        let Some(letters) = field.text.strip_prefix('-').filter(|_| !is_open(field)) else {
            break;
        };
        roles.push(Role::Open);
        let plain = letters.trim_end_matches(letter);
        let plain = &plain[..plain.find(|letter| joined.contains(letter)).unwrap_or(plain.len())];
        if plain.is_empty() && letters.is_empty() || !plain.chars().all(|letter| flags.contains(letter)) {
            break;
        }
        let gives = letters.len() == plain.len() + letter.len_utf8() && letters.ends_with(letter);
        if gives && let Some(program) = arguments.get(roles.len()) {
            let computes = !is_open(program) && computing::only(&program.text, language);
            roles.push(if computes { Role::Text } else { Role::Open });
            // Of some, what follows are arguments of the program.
            if matches!(letter, 'c') {
                break;
            }
        }
    }
    Roles { roles, told: true }
}

/// What the arguments of sed are.
pub(super) fn of_sed(arguments: &[Field]) -> Roles {
    told_of_sed(arguments).unwrap_or_default()
}

fn told_of_sed(arguments: &[Field]) -> Option<Roles> {
    const LONG: &[&str] = &[
        "debug",
        "follow-symlinks",
        "in-place",
        "null-data",
        "posix",
        "quiet",
        "regexp-extended",
        "sandbox",
        "separate",
        "silent",
        "unbuffered",
    ];
    let mut roles = Vec::new();
    let (mut scripts, mut operands): (Vec<&str>, Vec<usize>) = (Vec::new(), Vec::new());
    let (mut given, mut options, mut loose) = (false, true, false);
    while let Some(field) = arguments.get(roles.len()) {
        let text = field.text.as_str();
        let at = roles.len();
        roles.push(Role::Open);
        let next = |roles: &mut Vec<Role>, role: Role| {
            let value = arguments.get(roles.len()).filter(|value| !is_open(value))?;
            roles.push(role);
            Some(value.text.as_str())
        };
        if options && text == "--" {
            options = false;
        } else if options && loose && text.starts_with('-') {
            return None;
        } else if let Some(long) = text.strip_prefix("--").filter(|_| options) {
            match long.split_once('=') {
                Some(("expression", script)) => scripts.push(script),
                Some(("file", _)) => {
                    roles[at] = Role::File("--file=".len());
                    given = true;
                    continue;
                }
                Some(("in-place" | "line-length", _)) => {}
                None if long == "expression" => scripts.push(next(&mut roles, Role::Text)?),
                None if long == "file" => given |= next(&mut roles, Role::File(0)).is_some(),
                None if LONG.contains(&long) => {}
                _ => return None,
            }
            roles[at] = Role::Text;
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| options && !letters.is_empty()) {
            if is_open(field) {
                return None;
            }
            let plain = letters.trim_start_matches(|letter| "nrEzsu".contains(letter));
            let mut rest = plain.chars();
            match (rest.next(), rest.as_str()) {
                (None, _) | (Some('i'), _) => {}
                (Some('e'), "") => scripts.push(next(&mut roles, Role::Text)?),
                (Some('e'), script) => scripts.push(script),
                (Some('f'), "") => given |= next(&mut roles, Role::File(0)).is_some(),
                (Some('f'), file) => {
                    roles[at] = Role::File(text.len() - file.len());
                    given = true;
                    continue;
                }
                (Some('l'), "") => drop(next(&mut roles, Role::Text)?),
                _ => return None,
            }
            roles[at] = Role::Text;
        } else {
            // It may be an option, or several arguments.
            loose |= is_open(field);
            operands.push(at);
        }
    }
    if scripts.is_empty() && !given {
        let script = operands.first().filter(|at| !is_open(&arguments[**at]))?;
        scripts.push(&arguments[*script].text);
        roles[*script] = Role::Text;
    }
    // They are one script: what one of them begins may go on in the next.
    harmless::acts(&scripts.join("\n"))
        .is_none()
        .then_some(Roles { roles, told: true })
}
