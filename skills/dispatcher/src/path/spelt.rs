//! What an expression or a pattern with alternatives may match, as plain patterns.

use super::set::{plain_set, set_length, spans_folders};

/// More than so many are not written out.
const MOST: usize = 64;

/// A pattern with each of its alternatives, `{a,b}`, written out. `None` if there are too many.
pub(crate) fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut pending = vec![pattern.to_owned()];
    while let Some(next) = pending.pop() {
        if done.len() + pending.len() > MOST {
            return None;
        }
        let Some((open, commas, close)) = braces(&next) else {
            done.push(next);
            continue;
        };
        let edges: Vec<usize> = [open].into_iter().chain(commas).chain([close]).collect();
        let one = |pair: &[usize]| format!("{}{}{}", &next[..open], &next[pair[0] + 1..pair[1]], &next[close + 1..]);
        pending.extend(edges.windows(2).map(one));
    }
    Some(done)
}

/// Where the first braces open, the commas between them that are no others', and where they close.
fn braces(text: &str) -> Option<(usize, Vec<usize>, usize)> {
    let open = text.find('{')?;
    let (mut deep, mut commas) = (0_usize, Vec::new());
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'{' => deep += 1,
            b',' if deep == 1 => commas.push(at),
            b'}' if deep == 1 => return Some((open, commas, at)),
            b'}' => deep -= 1,
            _ => {}
        }
    }
    None
}

/// What a regular expression must match of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// All of it.
    Whole,
    /// Any part, unless `^` and `$` say where that begins and ends.
    Part,
}

/// What means something behind a backslash, or nothing else than without one. Any other is a class, or a place between
/// characters: regex(7), and the manuals of grep and findutils.
const ESCAPED: &str = ".*+?()|{}[]\\^$/-,\n";

/// Patterns that match at least what a regular expression does, in whichever way it is meant: what one kind takes for a sign
/// and another for a letter is a sign here, for none of them stands in a name that is protected. `None` if there are too
/// many, or if it can't be read.
pub(crate) fn spelt_by_regex(regex: &str, span: Span) -> Option<Vec<String>> {
    let mut spelt = spelt(regex, span, Sets::Wide)?;
    // What stands for any character may be the sign before the last name.
    let tails: Vec<String> = spelt.iter().flat_map(|one| tails(one)).collect();
    spelt.extend(tails);
    spelt.sort_unstable();
    spelt.dedup();
    Some(spelt)
}

/// Patterns that match what a regular expression does, and hardly more, unless it [`is_unclear`]: what is repeated is there
/// first, if it need be, and then anything is. Only what is a sign to its own kind may be one.
pub(crate) fn matched_by_regex(regex: &str, span: Span) -> Option<Vec<String>> {
    spelt(regex, span, Sets::Exact)
}

/// Whether a regular expression says within it where a text, or a word of it, begins or ends: patterns don't tell that.
pub(crate) fn is_unclear(regex: &str) -> bool {
    let grouped = |anchored: &str| regex.contains('(') && regex.contains(anchored);
    ["(^", ":^", "$)", "\\b", "\\B", "\\<", "\\>"]
        .iter()
        .any(|mark| regex.contains(mark))
        || grouped("|^")
        || grouped("$|")
}

/// How sets are written of which only a part is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sets {
    /// As what matches at least as much.
    Wide,
    /// As they are meant.
    Exact,
}

/// The classes that a letter behind a backslash stands for, as sets: the manuals of grep, findutils and PCRE.
const LETTERS: &[(char, &str)] = &[
    ('w', "[a-zA-Z0-9_]"),
    ('W', "[!a-zA-Z0-9_]"),
    ('d', "[0-9]"),
    ('D', "[!0-9]"),
    ('s', "[ ]"),
    ('S', "?"),
];

fn spelt(regex: &str, span: Span, sets: Sets) -> Option<Vec<String>> {
    let chars: Vec<char> = regex.chars().collect();
    let (mut made, mut open) = (String::from("{"), Vec::new());
    // What stands where an alternative begins, and where one ends.
    let edge = |anchored: bool| if anchored || span == Span::Whole { "" } else { "*" };
    made.push_str(edge(chars.first() == Some(&'^')));
    // Where the last piece begins: what is repeated may be any run of characters.
    let mut last = made.len();
    let mut at = 0;
    let mut ends = false;
    while let Some(first) = chars.get(at) {
        let escaped = *first == '\\';
        at += 1 + usize::from(escaped);
        let Some(char) = chars.get(at - 1) else { break };
        let ended = std::mem::replace(&mut ends, !escaped && *char == '$');
        match char {
            '(' => {
                open.push(made.len());
                made.push('{');
                last = made.len();
            }
            ')' => {
                last = open.pop()?;
                made.push('}');
            }
            '|' | '\n' => {
                if open.is_empty() {
                    made.push_str(edge(ended));
                }
                made.push(',');
                if open.is_empty() {
                    made.push_str(edge(chars.get(at) == Some(&'^')));
                }
                last = made.len();
            }
            '*' if escaped => made.push('?'),
            '?' => {
                let piece = made.split_off(last);
                made.push_str(&format!("{{{piece},}}"));
            }
            '*' | '+' | '{' => {
                let piece = made.split_off(last);
                let none = *char == '*' || *char == '{' && chars.get(at) == Some(&'0');
                match piece.as_str() {
                    "" | "?" | "*" => made.push('*'),
                    _ if sets == Sets::Wide => made.push('*'),
                    _ if none => made.push_str(&format!("{{{piece}*,}}")),
                    _ => made.push_str(&format!("{piece}*")),
                }
                if *char == '{' {
                    at += chars[at..].iter().position(|end| *end == '}')? + 1;
                }
            }
            '^' | '$' if !escaped => {}
            '[' if !escaped => {
                last = made.len();
                let length = set_length(&chars[at - 1..])?;
                let set = &chars[at - 1..at - 1 + length];
                at += length - 1;
                let negated = matches!(set.get(1), Some('^'));
                if sets != Sets::Wide {
                    let plainly = plain_set(set)?;
                    // The sign between folders stands in no set that is written plainly.
                    match spans_folders(set) && !negated {
                        true => made.push_str(&format!("{{{plainly},?}}")),
                        false => made.push_str(&plainly),
                    }
                    continue;
                }
                // What is left out may be the sign between folders; and some would be signs here.
                let is_sign = |char: &char| "{},/\\!".contains(*char);
                if set.iter().any(is_sign) || negated || spans_folders(set) {
                    made.push('?');
                } else {
                    made.extend(set);
                }
            }
            _ if escaped && sets != Sets::Wide && !ESCAPED.contains(*char) => {
                last = made.len();
                // Others stand between characters.
                let class = LETTERS.iter().find(|(own, _)| own == char);
                made.push_str(class.map_or("", |(_, set)| set));
            }
            _ => {
                last = made.len();
                made.push(match char {
                    _ if escaped && !ESCAPED.contains(*char) => '*',
                    '.' if !escaped => '?',
                    '{' | '}' | ',' | '[' | ']' | '?' => '?',
                    _ => *char,
                });
            }
        }
    }
    if !open.is_empty() {
        return None;
    }
    made.push_str(edge(ends));
    made.push('}');
    alternatives(&made)
}

/// What stands behind each sign that is any character, to the end. Behind what is any run, there may be another.
fn tails(pattern: &str) -> impl Iterator<Item = String> {
    let signs = pattern.char_indices().filter(|(_, char)| matches!(char, '*' | '?'));
    signs.take(MOST).flat_map(|(at, char)| {
        let run = (char == '*').then(|| pattern[at..].to_owned());
        [pattern[at + 1..].to_owned()].into_iter().chain(run)
    })
}
