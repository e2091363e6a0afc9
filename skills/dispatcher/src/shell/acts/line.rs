//! The arguments of a subcommand: its options, also where several stand in one argument, and what is no option.

use super::super::word::Field;

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    Short(char),
    Long(&'a str),
}

/// A part of a command line.
pub(super) enum Part<'a> {
    /// No option, and where it stands.
    Operand(usize, &'a str),
    /// An option, and its value with where that stands, if it takes one.
    Option(Name<'a>, Option<(usize, &'a str)>),
    /// `--`, for the first time.
    Dashes,
}

/// Goes through the parts, as long as `each` wants more. `valued` are the options that take a value.
pub(super) fn parts<'a>(
    fields: &'a [Field],
    valued: &[&[&str]],
    single: bool,
    mut each: impl FnMut(Part<'a>) -> bool,
) {
    let takes = |option: &str| valued.iter().any(|some| some.contains(&option));
    let mut options = true;
    let mut at = 0;
    while let Some(field) = fields.get(at) {
        let text = field.text.as_str();
        let place = at;
        at += 1;
        let next = |at: usize| fields.get(at).map(|field| (at, field.text.as_str()));
        let goes_on = if !options || text.len() < 2 || !text.starts_with('-') {
            each(Part::Operand(place, text))
        } else if text == "--" {
            options = false;
            each(Part::Dashes)
        } else if single || text.starts_with("--") {
            let (whole, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some((place, value))),
                None => (text, None),
            };
            let name = whole.trim_start_matches('-');
            let value = match value {
                None if takes(if single { name } else { whole }) => {
                    at += 1;
                    next(at - 1)
                }
                value => value,
            };
            each(Part::Option(Name::Long(name), value))
        } else {
            let mut goes_on = true;
            for (letter, char) in text.char_indices().skip(1) {
                let behind = &text[letter + char.len_utf8()..];
                let named = |option: &&str, sign: Option<char>| {
                    let own = option.strip_prefix('-');
                    own.is_some_and(|own| own.chars().eq(std::iter::once(char).chain(sign)))
                };
                let mut all = valued.iter().copied().flatten();
                if all.clone().any(|option| named(option, Some('?'))) {
                    let value = (!behind.is_empty()).then_some((place, behind));
                    goes_on = each(Part::Option(Name::Short(char), value));
                    break;
                }
                if all.any(|option| named(option, None)) {
                    let value = match behind {
                        "" => {
                            at += 1;
                            next(at - 1)
                        }
                        _ => Some((place, behind.strip_prefix('=').unwrap_or(behind))),
                    };
                    goes_on = each(Part::Option(Name::Short(char), value));
                    break;
                }
                // `-f=false`.
                if let Some(value) = behind.strip_prefix('=') {
                    goes_on = each(Part::Option(Name::Short(char), Some((place, value))));
                    break;
                }
                goes_on = each(Part::Option(Name::Short(char), None));
                if !goes_on {
                    break;
                }
            }
            goes_on
        };
        if !goes_on {
            return;
        }
    }
}

/// The most operands that are named.
const MOST_NAMED: usize = 16;

/// What a subcommand is given.
#[derive(Debug, Default)]
pub(super) struct Line<'a> {
    /// What is no option, each with its place.
    pub(super) operands: Vec<(usize, &'a str)>,
    options: Vec<(Name<'a>, Option<(usize, &'a str)>)>,
    /// How many operands stand before the first option behind one.
    words: usize,
    /// How many operands stand before `--`.
    dashes: Option<usize>,
}

impl<'a> Line<'a> {
    /// Reads it. The operands before the place `from` are the subcommand.
    pub(super) fn of(fields: &'a [Field], from: usize, valued: &[&[&str]], single: bool) -> Line<'a> {
        let mut line = Line::default();
        let mut before = 0;
        parts(fields, valued, single, |part| {
            match part {
                Part::Operand(at, _) if at < from => {}
                Part::Operand(at, text) => line.operands.push((at, text)),
                Part::Option(name, value) => line.options.push((name, value)),
                Part::Dashes => line.dashes = Some(line.operands.len()),
            }
            // Up to the first option behind a word.
            if line.options.len() == before {
                line.words = line.operands.len();
            } else if line.words == 0 {
                before = line.options.len();
            }
            true
        });
        line
    }

    /// An option, unless it is given and switched off.
    pub(super) fn option(&self, name: Name<'_>) -> Option<&Option<(usize, &'a str)>> {
        let is_meant = |own: &&(Name<'a>, _)| is_same(own.0, name) && !switches_off(&own.1);
        self.options.iter().find(is_meant).map(|(_, value)| value)
    }

    /// Whether an option is switched off somewhere, by another of its name or by a word that may stand for its value.
    pub(super) fn is_off(&self, name: Name<'_>) -> bool {
        let negates = |own: Name<'a>| match (own, name) {
            (Name::Long(own), Name::Long(name)) => own
                .strip_prefix("no-")
                .is_some_and(|own| !own.is_empty() && name.starts_with(own)),
            _ => false,
        };
        let by_name = |(own, value): &(Name<'a>, _)| negates(*own) || is_same(*own, name) && switches_off(value);
        let given = self.options.iter().any(|(own, _)| is_same(*own, name));
        self.options.iter().any(by_name) || given && self.operands.iter().any(|(_, text)| is_no(text))
    }

    /// What an option is given, each time.
    pub(super) fn values(&self, name: Name<'_>) -> impl Iterator<Item = &'a str> {
        let own = self.options.iter().filter(move |(own, _)| is_same(*own, name));
        own.filter_map(|(_, value)| value.map(|(_, text)| text))
    }

    /// All that it is given but the names of options.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        let values = self.options.iter().filter_map(|(_, value)| *value);
        self.operands.iter().copied().chain(values).map(|(_, text)| text)
    }

    /// The operands behind `--`, if there are some.
    pub(super) fn behind(&self) -> Option<&[(usize, &'a str)]> {
        self.operands.get(self.dashes?..).filter(|behind| !behind.is_empty())
    }

    /// Where the program begins that is run.
    pub(super) fn inner(&self, then: &[&str]) -> Option<usize> {
        let of = |key: &&str| match (*key, key.parse::<usize>()) {
            ("--", _) => self.behind()?.first().map(|(at, _)| *at),
            (_, Ok(number)) => self.operands.get(number.checked_sub(1)?).map(|(at, _)| *at),
            (option, _) => self
                .option(option_name(option)?)
                .and_then(|value| value.map(|(at, _)| at)),
        };
        // What stands behind the program is its own.
        then.iter().filter_map(of).min()
    }

    /// What a key of a text stands for.
    pub(super) fn named(&self, key: &str) -> Vec<&'a str> {
        let (one, operands) = match key {
            "all" => (None, self.operands.as_slice()),
            "rest" => (None, self.operands.get(1..).unwrap_or_default()),
            "paths" => (None, self.behind().unwrap_or(&self.operands)),
            "words" => (None, self.operands.get(..self.words.min(3)).unwrap_or_default()),
            "last" => (self.operands.last(), [].as_slice()),
            _ if key.starts_with('-') => {
                let value = option_name(key).and_then(|name| self.values(name).next());
                return value.into_iter().collect();
            }
            _ => {
                let number = key.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                (number.and_then(|number| self.operands.get(number)), [].as_slice())
            }
        };
        // What is shown of them is short.
        one.into_iter()
            .chain(operands.iter().take(MOST_NAMED))
            .map(|(_, text)| *text)
            .collect()
    }
}

/// Whether a value switches an option off.
fn switches_off(value: &Option<(usize, &str)>) -> bool {
    value.is_some_and(|(_, value)| is_no(value))
}

fn is_no(text: &str) -> bool {
    ["0", "f", "false", "n", "no", "none", "off"]
        .iter()
        .any(|no| no.eq_ignore_ascii_case(text))
}

/// The option that a text names.
fn option_name(text: &str) -> Option<Name<'_>> {
    let name = text.trim_start_matches('-');
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) => Some(Name::Short(letter)),
        (Some(_), Some(_)) => Some(Name::Long(name)),
        (None, _) => None,
    }
}

/// Whether an option that is given is the one of a row: by its whole name, or by the beginning of it.
fn is_same(given: Name<'_>, own: Name<'_>) -> bool {
    match (given, own) {
        (Name::Long(given), Name::Long(own)) => {
            given == own || given.len() > 2 && own.starts_with(given) && !WHOLE.contains(&given)
        }
        // Where one dash begins a long one, a letter is as well.
        (Name::Long(given), Name::Short(own)) | (Name::Short(own), Name::Long(given)) => {
            let mut chars = given.chars();
            chars.next() == Some(own) && chars.next().is_none()
        }
        (given, own) => given == own,
    }
}

/// Options with whose names those of others begin.
const WHOLE: &[&str] = &["all", "delete", "dry", "force", "message", "set", "tag"];
