//! Which arguments of an interpreter are program texts. What stands behind a script, or behind the name of its file, is given
//! to it. Sources: the manuals of Python, Node, Perl, Ruby, PHP, Lua and GNU awk.

use super::super::hidden::Invocation;

/// What is known of the options of one interpreter.
struct Row {
    names: &'static [&'static str],
    /// Short options whose value is a program text.
    codes: &'static str,
    /// The same, long.
    long_codes: &'static [&'static str],
    /// Other short options with a value in the same argument or the next.
    values: &'static str,
    /// Short options with a value in the same argument, or none.
    joined: &'static str,
    /// Long ones with a value that may be the next argument.
    long_values: &'static [&'static str],
    /// Short options behind which anything may be one.
    all: &'static str,
    /// Whether the first operand is a program text, without an option that gives one.
    operand: bool,
    /// Short options by which it goes on with its input.
    goes_on: &'static str,
    /// Of these: options that give one, or a file of one.
    given: &'static str,
}

const NONE: Row = Row {
    names: &[],
    codes: "",
    long_codes: &[],
    values: "",
    joined: "",
    long_values: &[],
    all: "",
    operand: false,
    goes_on: "",
    given: "",
};

const ROWS: &[Row] = &[
    Row {
        names: &["python"],
        codes: "c",
        values: "QWX",
        all: "m",
        goes_on: "i",
        ..NONE
    },
    Row {
        names: &["node"],
        codes: "ep",
        long_codes: &["--eval", "--print"],
        values: "Cr",
        goes_on: "i",
        long_values: &["--conditions", "--import", "--require"],
        ..NONE
    },
    Row {
        names: &["perl"],
        codes: "eE",
        values: "I",
        joined: "CdDFiMmx",
        ..NONE
    },
    Row {
        names: &["ruby"],
        codes: "e",
        values: "CEIr",
        joined: "FiKTWx",
        ..NONE
    },
    Row {
        names: &["php"],
        codes: "BERr",
        values: "cdtz",
        goes_on: "a",
        all: "S",
        ..NONE
    },
    Row {
        names: &["lua"],
        codes: "e",
        values: "l",
        goes_on: "i",
        ..NONE
    },
    Row {
        names: &["awk", "gawk", "mawk", "nawk"],
        codes: "e",
        long_codes: &["--source"],
        values: "EfFilv",
        joined: "dDopW",
        long_values: &[
            "--assign",
            "--exec",
            "--field-separator",
            "--file",
            "--include",
            "--load",
        ],
        operand: true,
        goes_on: "Ef",
        given: "eEf",
        ..NONE
    },
];

/// The name without a version.
pub(super) fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    if stem.is_empty() { name } else { stem }
}

/// The program texts among the arguments. Of an interpreter that is not known they are all.
pub(crate) fn codes<'a>(invocation: &Invocation<'a>) -> Vec<&'a str> {
    read(invocation).0
}

/// Whether an interpreter reads its program text from its input: nothing else gives one.
pub(crate) fn reads_input(invocation: &Invocation<'_>) -> bool {
    read(invocation).1
}

fn read<'a>(invocation: &Invocation<'a>) -> (Vec<&'a str>, bool) {
    let arguments = invocation.arguments();
    let all = |from: usize| arguments.iter().skip(from).map(|field| field.text.as_str());
    let name = stem(&invocation.name);
    let Some(row) = ROWS.iter().find(|row| row.names.contains(&name)) else {
        return (all(0).collect(), true);
    };
    let (mut codes, mut at) = (Vec::new(), 0);
    let (mut given, mut unsure, mut options, mut goes_on) = (false, false, true, false);
    while let Some(field) = arguments.get(at) {
        let text = field.text.as_str();
        at += 1;
        if options && text == "--" {
            options = false;
        } else if options && text.len() > 1 && text.starts_with("--") {
            let name = text.split('=').next().unwrap_or_default();
            // It may stand for one, or take what follows.
            codes.push(text);
            if row.long_codes.contains(&name) {
                given = true;
                codes.extend(all(at).next().filter(|_| name == text));
                at += usize::from(name == text);
            } else if row.long_values.contains(&name) {
                given |= matches!(name, "--exec" | "--file");
                goes_on |= matches!(name, "--exec" | "--file");
                at += usize::from(name == text);
            } else {
                unsure = name == text;
            }
        } else if options && text.len() > 1 && text.starts_with('-') {
            for (offset, letter) in text.char_indices().skip(1) {
                let rest = &text[offset + letter.len_utf8()..];
                given |= row.given.contains(letter);
                goes_on |= row.goes_on.contains(letter);
                if row.all.contains(letter) {
                    codes.extend(all(at));
                    return (codes, true);
                }
                // `-pe`
                let more = !rest.is_empty() && rest.chars().all(|letter| row.codes.contains(letter));
                if row.codes.contains(letter) && !more {
                    given = true;
                    codes.extend(if rest.is_empty() { all(at).next() } else { Some(rest) });
                    at += usize::from(rest.is_empty());
                    break;
                }
                if row.values.contains(letter) {
                    at += usize::from(rest.is_empty());
                    break;
                }
                if row.joined.contains(letter) {
                    break;
                }
            }
        } else if unsure || !field.is_known() || field.glob {
            // What only running tells may be nothing, or an option.
            unsure = false;
            codes.push(text);
        } else {
            if row.operand && !given {
                codes.push(text);
            }
            let input = matches!(text, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
            return (codes, goes_on || input && !given);
        }
    }
    (codes, goes_on || !given)
}
