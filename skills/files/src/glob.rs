//! Patterns for the names of files: `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, and `**` for any folders.
//!
//! A pattern without a slash is about the name of a file wherever it is, one with a slash about the whole path beneath the
//! folder. Matching takes time in proportion to pattern times path: each state of the pattern is looked at once for each
//! character.

use std::iter::Peekable;
use std::str::Chars;

/// Longest pattern, in bytes, after its braces are written out.
const LONGEST: usize = 1 << 10;

/// Most patterns that braces may stand for.
const ALTERNATIVES: usize = 64;

/// A pattern.
#[derive(Debug)]
pub(crate) struct Glob {
    alternatives: Vec<Vec<Token>>,
    whole_path: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    One(char),
    /// Any character but a slash.
    Any,
    /// Any number of characters but slashes.
    Some,
    /// Any number of characters.
    Everything,
    /// Any number of whole folders, each with its slash: where that begins. `Within` comes next.
    Folders,
    /// The same, once the name of a folder has begun.
    Within,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When it is empty, too long, or a bracket in it is never closed.
    pub(crate) fn new(pattern: &str) -> Result<Glob, String> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        if pattern.is_empty() {
            return Err("the pattern is empty; * stands for every file".to_owned());
        }
        if pattern.starts_with('/') {
            return Err(
                "the pattern begins with a slash; name the folder by :PATH, and what is beneath it here".to_owned(),
            );
        }
        let alternatives = braces(pattern)?;
        if alternatives.iter().any(|own| own.len() > LONGEST) {
            return Err(format!("the pattern has more than {LONGEST} bytes"));
        }
        Ok(Glob {
            whole_path: pattern.contains('/'),
            alternatives: alternatives.iter().map(|own| tokens(own)).collect::<Result<_, _>>()?,
        })
    }

    /// Whether it stands for this path beneath the folder.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let text = match self.whole_path {
            true => path,
            false => path.rsplit('/').next().unwrap_or(path),
        };
        self.alternatives.iter().any(|tokens| matches(tokens, text))
    }
}

/// The patterns that one with braces stands for.
fn braces(pattern: &str) -> Result<Vec<String>, String> {
    let mut whole = vec![String::new()];
    let mut rest = pattern;
    while let Some(at) = rest.find('{') {
        let Some(length) = rest[at..].find('}') else {
            return Err("a { in the pattern is never closed".to_owned());
        };
        let (before, inside) = (&rest[..at], &rest[at + 1..at + length]);
        if inside.contains('{') {
            return Err("a { stands inside another in the pattern, which is not understood".to_owned());
        }
        let choices: Vec<&str> = inside.split(',').collect();
        if whole.len() * choices.len() > ALTERNATIVES {
            return Err(format!(
                "the braces in the pattern stand for more than {ALTERNATIVES} patterns"
            ));
        }
        whole = whole
            .iter()
            .flat_map(|start| choices.iter().map(move |choice| format!("{start}{before}{choice}")))
            .collect();
        rest = &rest[at + length + 1..];
    }
    Ok(whole.into_iter().map(|start| start + rest).collect())
}

fn tokens(pattern: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = pattern.chars().peekable();
    while let Some(character) = rest.next() {
        tokens.push(match character {
            '*' if rest.peek() == Some(&'*') => {
                while rest.next_if_eq(&'*').is_some() {}
                // `**/x` is about x itself as well: there may be no folder at all.
                if rest.peek() == Some(&'/') && matches!(tokens.last(), None | Some(Token::One('/'))) {
                    rest.next();
                    tokens.push(Token::Folders);
                    tokens.push(Token::Within);
                    continue;
                }
                Token::Everything
            }
            '*' => Token::Some,
            '?' => Token::Any,
            '[' => set(&mut rest)?,
            '\\' => Token::One(rest.next().unwrap_or('\\')),
            other => Token::One(other),
        });
    }
    Ok(tokens)
}

fn set(rest: &mut Peekable<Chars<'_>>) -> Result<Token, String> {
    let negated = rest.next_if(|next| matches!(next, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    loop {
        let unclosed = || "a [ in the pattern is never closed".to_owned();
        let first = rest.next().ok_or_else(unclosed)?;
        // The first one stands for itself.
        if first == ']' && !ranges.is_empty() {
            return Ok(Token::Set { negated, ranges });
        }
        let mut ahead = rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' => {
                ranges.push((first, last));
                *rest = ahead;
            }
            _ => ranges.push((first, first)),
        }
    }
}

/// Goes through the text once, with all the places of the pattern at which it may be.
fn matches(tokens: &[Token], text: &str) -> bool {
    let mut at = vec![false; tokens.len() + 1];
    at[0] = true;
    skip_empty(tokens, &mut at);
    for character in text.chars() {
        let mut next = vec![false; tokens.len() + 1];
        for (place, token) in tokens.iter().enumerate().filter(|(place, _)| at[*place]) {
            match token {
                Token::Some if character != '/' => next[place] = true,
                Token::Everything => next[place] = true,
                Token::Some => {}
                Token::Folders => next[place + 1] = true,
                Token::Within => {
                    next[place] = true;
                    next[place + 1] |= character == '/';
                }
                Token::One(own) => next[place + 1] |= *own == character,
                Token::Any => next[place + 1] |= character != '/',
                Token::Set { negated, ranges } => {
                    let inside = ranges.iter().any(|(first, last)| (*first..=*last).contains(&character));
                    next[place + 1] |= character != '/' && inside != *negated;
                }
            }
        }
        skip_empty(tokens, &mut next);
        at = next;
    }
    at[tokens.len()]
}

/// What may stand for nothing may be passed over.
fn skip_empty(tokens: &[Token], at: &mut [bool]) {
    for (place, token) in tokens.iter().enumerate() {
        match token {
            Token::Some | Token::Everything if at[place] => at[place + 1] = true,
            Token::Folders if at[place] => at[place + 2] = true,
            _ => {}
        }
    }
}
