//! What a program writes that its kind does not say: a file behind an option, or one of its operands. And which of its
//! arguments are hosts. Sources: the manuals of GNU coreutils, findutils, diffutils, patch, sed, tar, time and Binutils, of
//! git, gcc, GnuPG, OpenSSL, less, strace, vim's xxd, and of netcat, ping, telnet and ftp. Of curl and wget `web` tells it.

use super::harmless::{self, Act};
use super::hidden::Invocation;
use super::word::Field;
use super::{lasting, web};

/// What is known of one program.
#[derive(Clone, Copy, Debug)]
struct Row {
    names: &'static [&'static str],
    /// Short options with a file that is written.
    writes: &'static str,
    /// Other short ones with a value.
    values: &'static str,
    /// Long ones with a file that is written, also behind one dash.
    long: &'static [&'static str],
    /// Whether a dash begins one option, and not several letters.
    single: bool,
    /// The operand that is written, from 0.
    operand: Option<usize>,
    /// How many operands are hosts.
    hosts: usize,
}

const NONE: Row = Row {
    names: &[],
    writes: "",
    values: "",
    long: &[],
    single: false,
    operand: None,
    hosts: 0,
};

const fn by_option(names: &'static [&'static str], writes: &'static str, values: &'static str) -> Row {
    Row {
        names,
        writes,
        values,
        long: &["output"],
        ..NONE
    }
}

/// The table.
const ROWS: &[Row] = &[
    by_option(&["sort"], "o", "kStT"),
    by_option(&["shuf"], "o", "in"),
    by_option(&["iconv"], "o", "ft"),
    by_option(&["sdiff"], "o", "Iw"),
    by_option(&["gpg", "gpg2"], "o", "ruN"),
    by_option(&["strace", "ltrace"], "o", "aeEIPpsSuUX"),
    by_option(&["time"], "o", "f"),
    by_option(&["tar"], "f", "bCFgHIKLNTVX"),
    by_option(&["git"], "", ""),
    Row {
        long: &["output", "reject-file"],
        ..by_option(&["patch"], "or", "BdDFgipVxYz")
    },
    Row {
        long: &["log-file", "LOG-FILE"],
        ..by_option(&["less", "more"], "oO", "bDhjkpPtTxyz")
    },
    Row {
        names: &["uniq"],
        values: "fsw",
        operand: Some(1),
        ..NONE
    },
    Row {
        names: &["xxd"],
        values: "cglnosR",
        single: true,
        operand: Some(1),
        ..NONE
    },
    Row {
        names: &["zip"],
        values: "bntPO",
        operand: Some(0),
        ..NONE
    },
    Row {
        single: true,
        ..by_option(
            &["as", "c++", "cc", "clang", "clang++", "g++", "gcc", "ld", "rustc"],
            "o",
            "",
        )
    },
    Row {
        names: &["openssl"],
        long: &["out", "keyout", "writerand"],
        single: true,
        ..NONE
    },
    Row {
        names: &["find"],
        long: &["fls", "fprint", "fprint0", "fprintf"],
        single: true,
        ..NONE
    },
    Row {
        names: &["ping"],
        values: "cFiIlmMpQsStTwW",
        hosts: usize::MAX,
        ..NONE
    },
    Row {
        names: &["nc", "ncat", "netcat"],
        values: "ceGgiIMmOopPqsTVwWxX",
        hosts: 1,
        ..NONE
    },
    Row {
        names: &["tftp"],
        values: "cm",
        hosts: 1,
        ..NONE
    },
    Row {
        names: &["telnet"],
        values: "abelnSX",
        hosts: 1,
        ..NONE
    },
    Row {
        names: &["ftp"],
        values: "kNoPrsTu",
        hosts: 1,
        ..NONE
    },
];

/// What the arguments of one invocation are, beside what its kind says.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    /// What is written.
    pub(super) files: Vec<Field>,
    /// What is read that is no argument.
    pub(super) read: Vec<Field>,
    /// Where among the arguments that stands.
    pub(super) written: Vec<usize>,
    /// Where hosts stand, however they are spelt.
    pub(super) hosts: Vec<usize>,
}

/// What the script of sed(1) does, as far as it can be followed.
pub(super) fn acts_of_sed(invocation: &Invocation<'_>) -> Vec<Act> {
    let texts: Vec<&str> = invocation.arguments().iter().map(|field| field.text.as_str()).collect();
    harmless::done_by(&lasting::script_of_sed(&texts).unwrap_or_default())
}

/// Tells them.
pub(super) fn of(invocation: &Invocation<'_>) -> Outputs {
    let name = invocation.name.as_ref();
    let mut found = Outputs::default();
    if name == "sed" {
        for act in acts_of_sed(invocation) {
            match act {
                Act::Writes(file) => found.files.push(Field::from(file.as_str())),
                Act::Reads(file) => found.read.push(Field::from(file.as_str())),
                Act::Runs(_) => {}
            }
        }
        return found;
    }
    if let Some(parts) = web::read(invocation) {
        for part in parts.into_iter().filter(|part| part.means == web::Means::Writes) {
            found.write(part.field, part.at);
        }
        return found;
    }
    let Some(row) = ROWS.iter().find(|row| row.names.contains(&name)) else {
        return found;
    };
    if name == "tar"
        && !["create", "append", "update"]
            .iter()
            .any(|mode| invocation.has_option(first(mode), mode))
    {
        return found;
    }
    let row = match name {
        // Of git's commands two write where this option says.
        "git"
            if invocation
                .arguments()
                .iter()
                .any(|field| matches!(field.text.as_str(), "archive" | "format-patch")) =>
        {
            &Row { writes: "o", ..*row }
        }
        // It listens, and an operand is a port, or a socket is a file.
        "nc" | "ncat" | "netcat"
            if invocation.has_option('l', "listen") || invocation.has_option('U', "unixsock") =>
        {
            &Row { hosts: 0, ..*row }
        }
        _ => row,
    };
    found.tell(row, invocation.arguments());
    found
}

fn first(word: &str) -> char {
    word.chars().next().unwrap_or_default()
}

/// What stands in the argument behind an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Anything.
    Any,
    /// A value of it.
    Value,
    /// A file that it writes.
    Written,
}

impl Outputs {
    fn tell(&mut self, row: &Row, arguments: &[Field]) {
        let (mut next, mut options, mut operands) = (Next::Any, true, 0);
        for (at, field) in arguments.iter().enumerate() {
            match std::mem::replace(&mut next, Next::Any) {
                Next::Value => continue,
                Next::Written => {
                    self.write(field.clone(), Some(at));
                    continue;
                }
                Next::Any => {}
            }
            if options && field.text == "--" {
                options = false;
            } else if options && field.text.starts_with('-') && field.text.len() > 1 {
                next = self.option(row, field);
            } else {
                if row.operand == Some(operands) {
                    self.write(field.clone(), Some(at));
                }
                if operands < row.hosts {
                    self.hosts.push(at);
                }
                operands += 1;
            }
        }
    }

    fn option(&mut self, row: &Row, option: &Field) -> Next {
        let text = option.text.trim_start_matches('-');
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let is_long = option.text.starts_with("--");
        // An abbreviation may stand for it. Behind one dash there is none.
        let writes = |own: &&str| {
            if is_long {
                own.starts_with(name)
            } else {
                row.single && *own == name
            }
        };
        if !name.is_empty() && row.long.iter().any(writes) {
            return match value {
                Some(value) => {
                    self.write(part(option, value), None);
                    Next::Any
                }
                None => Next::Written,
            };
        }
        if is_long {
            return if value.is_some() { Next::Any } else { Next::Value };
        }
        for (at, letter) in text.char_indices() {
            let rest = &text[at + letter.len_utf8()..];
            if row.writes.contains(letter) {
                if rest.is_empty() {
                    return Next::Written;
                }
                self.write(part(option, rest), None);
                return Next::Any;
            }
            if row.values.contains(letter) {
                // `-len 5` is `-l 5`.
                let whole = row.single && rest.bytes().all(|byte| byte.is_ascii_alphabetic());
                return if rest.is_empty() || whole {
                    Next::Value
                } else {
                    Next::Any
                };
            }
            if row.single {
                break;
            }
        }
        Next::Any
    }

    fn write(&mut self, file: Field, at: Option<usize>) {
        // `-` is the output.
        if !file.text.is_empty() && file.text != "-" {
            self.files.push(file);
            self.written.extend(at);
        }
    }
}

/// A part of a field.
pub(super) fn part(field: &Field, text: &str) -> Field {
    Field {
        text: text.to_owned(),
        glob: field.glob,
    }
}
