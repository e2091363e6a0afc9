//! Words of a command line, as bash sees them: which characters were quoted, where an expansion stands, and what the
//! word comes to when what is known of the variables is filled in. Nothing here knows commands or rules.

use std::collections::BTreeMap;

/// Stands in a field's text for a value that only running the command would tell.
pub(crate) const UNKNOWN: char = '\u{FFFC}';

/// Whether something in a text is unknown. Most texts have nothing but ASCII, which is seen sooner.
pub(crate) fn holds_unknown(text: &str) -> bool {
    !text.is_ascii() && text.contains(UNKNOWN)
}

/// The most words that one word's braces may make before it is given up as unreadable.
const MOST_VARIANTS: usize = 128;

/// The longest word with braces that is written out, in characters.
const LONGEST_BRACES: usize = 2_048;

/// The most text that one word's variables may make of it, in bytes.
const MOST_TEXT: usize = 256 << 10;

/// The longest value that is remembered of a variable, in bytes.
pub(crate) const LONGEST_VALUE: usize = 1_024;

/// One character of a word, or an expansion in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Glyph {
    /// Unquoted: globs, braces and a leading tilde mean something.
    Bare(char),
    /// Quoted or escaped: stands for itself.
    Quoted(char),
    /// An expansion. Apart, so that all the others are small.
    Hole(Box<Hole>),
}

/// An expansion: what stood between the braces of `${…}`, or nothing for `$(…)` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    /// `HOME`, `x:-rm`, `IFS:0:1`; empty for a substitution.
    pub(crate) expression: String,
    /// Inside double quotes its value is not split.
    pub(crate) quoted: bool,
}

impl Glyph {
    pub(crate) fn hole(expression: impl Into<String>, quoted: bool) -> Glyph {
        let expression = expression.into();
        Glyph::Hole(Box::new(Hole { expression, quoted }))
    }
}

/// A word before expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its characters, quotes removed.
    pub(crate) glyphs: Vec<Glyph>,
    /// Whether any quote stood in it: then it is a word even when nothing is left of it.
    pub(crate) quoted: bool,
}

/// What a word, or a part of it, comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    /// The text, with [`UNKNOWN`] for what can't be known. The home directory is written `~`.
    pub(crate) text: String,
    /// Whether an unquoted `*`, `?` or `[` is in it.
    pub(crate) glob: bool,
}

impl Field {
    /// Whether the whole text is known.
    pub(crate) fn is_known(&self) -> bool {
        !holds_unknown(&self.text)
    }

    /// The text with what is unknown taken for nothing.
    pub(crate) fn known_part(&self) -> String {
        self.text.chars().filter(|char| *char != UNKNOWN).collect()
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Field {
        Field {
            text: text.to_owned(),
            glob: false,
        }
    }
}

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// It was assigned this text.
    Known(String),
    /// It was assigned something that only running tells.
    Dynamic,
}

/// What is known of the variables at one point of a script.
pub(crate) type Variables = BTreeMap<String, Value>;

/// Variables that the shell itself or its environment sets: never empty because nobody assigned them.
const ENVIRONMENT: &[&str] = &[
    "BASH", "BASHPID", "EUID", "HOSTNAME", "LANG", "LINENO", "LOGNAME", "OLDPWD", "OSTYPE", "PATH", "PPID", "PWD",
    "RANDOM", "REPLY", "SECONDS", "SHELL", "TERM", "TMPDIR", "UID", "USER",
];

impl Word {
    /// The text, if the word has no expansion, glob or brace in it and no quotes: a reserved word or a name.
    pub(crate) fn bare(&self) -> Option<String> {
        if self.quoted {
            return None;
        }
        self.glyphs
            .iter()
            .map(|glyph| {
                if let Glyph::Bare(char) = glyph {
                    Some(*char)
                } else {
                    None
                }
            })
            .collect()
    }

    /// The characters with expansions left out, whatever was quoted.
    pub(crate) fn literal(&self) -> String {
        self.glyphs
            .iter()
            .filter_map(|glyph| match glyph {
                Glyph::Bare(char) | Glyph::Quoted(char) => Some(*char),
                Glyph::Hole(_) => None,
            })
            .collect()
    }

    /// Splits `NAME=value`, `NAME+=value` or `NAME[i]=value` into the name, whether it appends, and the value.
    pub(crate) fn assignment(&self) -> Option<(String, bool, Word)> {
        let mut name = String::new();
        let mut subscript = false;
        for (at, glyph) in self.glyphs.iter().enumerate() {
            let Glyph::Bare(char) = glyph else {
                if subscript {
                    continue;
                }
                return None;
            };
            match char {
                '=' if !name.is_empty() => {
                    let value = Word {
                        glyphs: self.glyphs[at + 1..].to_vec(),
                        quoted: self.quoted,
                    };
                    let append = name.ends_with('+');
                    return Some((name.trim_end_matches('+').to_owned(), append, value));
                }
                '[' if !name.is_empty() && !subscript => subscript = true,
                ']' if subscript => subscript = false,
                _ if subscript => {}
                '_' | 'a'..='z' | 'A'..='Z' => name.push(*char),
                '0'..='9' if !name.is_empty() => name.push(*char),
                '+' if !name.is_empty() && !name.ends_with('+') => name.push('+'),
                _ => return None,
            }
            if name.contains('+') && !name.ends_with('+') {
                return None;
            }
        }
        None
    }

    /// What the word comes to: none, one or more fields. `None` if its braces or variables make too much of it.
    pub(crate) fn fields(&self, variables: &Variables) -> Option<Vec<Field>> {
        let mut fields = Vec::new();
        if first_brace(&self.glyphs).is_none() {
            return split(&self.glyphs, self.quoted, variables, &mut fields).then_some(fields);
        }
        for glyphs in expand_braces(&self.glyphs)? {
            if !split(&glyphs, self.quoted, variables, &mut fields) {
                return None;
            }
        }
        Some(fields)
    }

    /// The one text that an assignment or redirection makes of the word: no braces, no splitting.
    pub(crate) fn joined(&self, variables: &Variables) -> Field {
        let mut fields = Vec::new();
        if !split(&self.glyphs, true, variables, &mut fields) {
            return Field {
                text: UNKNOWN.to_string(),
                glob: false,
            };
        }
        let glob = fields.iter().any(|field| field.glob);
        let texts: Vec<_> = fields.into_iter().map(|field| field.text).collect();
        Field {
            text: texts.join(" "),
            glob,
        }
    }
}

/// Fills in what is known of the holes, and splits where bash would. `false` if that makes more than [`MOST_TEXT`].
fn split(glyphs: &[Glyph], quoted: bool, variables: &Variables, fields: &mut Vec<Field>) -> bool {
    let mut filled = 0;
    let mut field = Field {
        text: String::with_capacity(glyphs.len()),
        glob: false,
    };
    let mut present = quoted;
    for glyph in glyphs {
        match glyph {
            Glyph::Quoted(char) => {
                field.text.push(*char);
                present = true;
            }
            Glyph::Bare(char) => {
                field.glob |= matches!(char, '*' | '?' | '[');
                field.text.push(*char);
                present = true;
            }
            Glyph::Hole(hole) => {
                let Hole { expression, quoted } = hole.as_ref();
                let value = value_of(expression, variables);
                filled += value.len();
                if filled > MOST_TEXT {
                    return false;
                }
                // In quotes each of a list is a word of its own all the same.
                let spread = expression == "@" || expression.ends_with("[@]");
                let value = if spread { value.trim() } else { &value };
                let quoted = *quoted && !spread;
                present |= quoted;
                for (at, piece) in value.split([' ', '\t', '\n']).enumerate() {
                    if at > 0 && quoted {
                        field.text.push(' ');
                    } else if at > 0 && present {
                        fields.push(std::mem::take(&mut field));
                        present = false;
                    }
                    field.text.push_str(piece);
                    present |= !piece.is_empty();
                    field.glob |= !quoted && piece.contains(['*', '?', '[']);
                }
            }
        }
    }
    if present {
        fields.push(field);
    }
    true
}

/// What an expansion comes to, as far as that is known.
fn value_of(expression: &str, variables: &Variables) -> String {
    if expression.is_empty() {
        return UNKNOWN.to_string();
    }
    let length = expression
        .chars()
        .take_while(|char| char.is_ascii_alphanumeric() || *char == '_')
        .count();
    let (name, rest) = expression.split_at(length);
    let rest = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest,
        None => rest,
    };
    let name = if length == 0 && rest.starts_with(['@', '*']) {
        &expression[..1]
    } else {
        name
    };
    if name == "IFS" {
        return " ".to_owned();
    }
    let known = match (variables.get(name), name) {
        (Some(Value::Known(value)), _) => Some(value.clone()),
        (Some(Value::Dynamic), _) => return UNKNOWN.to_string(),
        (None, "HOME") => Some("~".to_owned()),
        (None, "PWD") if rest.is_empty() => return ".".to_owned(),
        (None, _) => None,
    };
    if name == "@" || name == "*" || rest.is_empty() {
        return match known {
            Some(value) => value,
            None if is_unset(name) => String::new(),
            None => UNKNOWN.to_string(),
        };
    }
    // `${x:-word}`, `${x-word}`, `${x:=word}`, `${x=word}`: the word, where the variable has nothing.
    let default = rest.strip_prefix(':').unwrap_or(rest).strip_prefix(['-', '=']);
    match (known, default) {
        (Some(value), Some(_)) => value,
        (None, Some(word)) if is_unset(name) => {
            word.chars().filter(|char| !matches!(char, '"' | '\'' | '\\')).collect()
        }
        _ => UNKNOWN.to_string(),
    }
}

/// Whether a variable that nothing assigned is certainly empty. Positional parameters may come from a caller.
fn is_unset(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') && !ENVIRONMENT.contains(&name)
}

/// `{a,b}` written out, as often as it stands in the word. `None` where that is more than [`MOST_VARIANTS`].
fn expand_braces(glyphs: &[Glyph]) -> Option<Vec<Vec<Glyph>>> {
    if glyphs.len() > LONGEST_BRACES {
        return None;
    }
    let mut done = Vec::new();
    let mut pending = vec![glyphs.to_vec()];
    while let Some(word) = pending.pop() {
        if done.len() + pending.len() > MOST_VARIANTS {
            return None;
        }
        match first_brace(&word) {
            None => done.push(word),
            Some((open, commas, close)) => {
                // Pushed last to first, so that they are taken in order.
                let mut edges = vec![open];
                edges.extend(commas);
                edges.push(close);
                for pair in edges.windows(2).rev() {
                    let mut variant = word[..open].to_vec();
                    variant.extend_from_slice(&word[pair[0] + 1..pair[1]]);
                    variant.extend_from_slice(&word[close + 1..]);
                    pending.push(variant);
                }
            }
        }
    }
    Some(done)
}

/// Where the first and outermost brace expression with a comma opens, its commas, and where it closes.
fn first_brace(word: &[Glyph]) -> Option<(usize, Vec<usize>, usize)> {
    // For each open brace: where it stands, and its commas.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut found: Option<(usize, Vec<usize>, usize)> = None;
    for (at, glyph) in word.iter().enumerate() {
        match glyph {
            Glyph::Bare('{') => open.push((at, Vec::new())),
            Glyph::Bare(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            Glyph::Bare('}') => match open.pop() {
                Some((start, commas))
                    if !commas.is_empty() && found.as_ref().is_none_or(|(first, ..)| start < *first) =>
                {
                    found = Some((start, commas, at));
                }
                _ => {}
            },
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
