//! What a check finds, and how findings become one verdict: the strictest decides. Texts are made fit to be shown to a
//! person here, in one place.

use std::fmt::Write;

/// The longest summary, in characters.
const LONGEST_SUMMARY: usize = 200;

/// How bad it could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Easily undone, or only reads.
    Low,
    /// Changes something, or reaches outside.
    Medium,
    /// Deletes, escalates, sends, or can't be told.
    High,
}

/// What one check has against an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It must not happen.
    Reject {
        /// A short stable name.
        rule: &'static str,
        /// The part of the action it is about.
        field: String,
        /// Why.
        reason: String,
        /// What the model can try instead.
        repair: String,
        /// The piece of the field's text that decided; empty when it is the whole.
        part: String,
    },
    /// A person must approve it.
    Ask {
        /// A short stable name.
        rule: &'static str,
        /// The part of the action it is about.
        field: String,
        /// What would happen, in one line.
        summary: String,
        /// How bad it could be.
        risk: Risk,
        /// The piece of the field's text that decided; empty when it is the whole.
        part: String,
        /// What the field comes to, if the operator may approve it once and for all.
        remember: Option<String>,
        /// Whether what lies outside the workspace may be read.
        beyond: bool,
        /// A note behind all that it says, as far as there is room.
        ending: Option<&'static str>,
    },
}

impl Finding {
    /// A rejection. Control characters in the texts are made visible.
    pub(crate) fn reject(
        rule: &'static str,
        field: &str,
        reason: impl AsRef<str>,
        repair: impl AsRef<str>,
    ) -> Finding {
        Finding::Reject {
            rule,
            field: field.to_owned(),
            reason: line(reason.as_ref(), 2 * LONGEST_SUMMARY),
            repair: line(repair.as_ref(), 2 * LONGEST_SUMMARY),
            part: String::new(),
        }
    }

    /// An ask. The summary becomes one line of at most 200 characters.
    pub(crate) fn ask(rule: &'static str, field: &str, summary: impl AsRef<str>, risk: Risk) -> Finding {
        Finding::Ask {
            rule,
            field: field.to_owned(),
            summary: line(summary.as_ref(), LONGEST_SUMMARY),
            risk,
            part: String::new(),
            remember: None,
            beyond: false,
            ending: None,
        }
    }

    /// The same, about this piece of the field's text, of which at most 200 characters are kept. It is shown and
    /// recorded, so it must hold no secret.
    pub(crate) fn about(mut self, piece: impl AsRef<str>) -> Finding {
        let (Finding::Reject { part, .. } | Finding::Ask { part, .. }) = &mut self;
        *part = line(piece.as_ref(), LONGEST_SUMMARY);
        self
    }

    /// The same, with a note behind what an ask says, where there is room. A rejection needs none.
    pub(crate) fn noting(mut self, note: &str) -> Finding {
        if let Finding::Ask { summary, .. } = &mut self {
            *summary = line(&format!("{summary} ({note})"), LONGEST_SUMMARY);
        }
        self
    }

    /// Lets the operator approve it once and for all. `scope` is the field in one canonical text, which says everything
    /// in it that makes a difference. What runs text or files that can change, or writes names that it
    /// does not say, never gets one.
    #[must_use]
    pub(crate) fn rememberable(mut self, scope: impl Into<String>) -> Finding {
        if let Finding::Ask { remember, .. } = &mut self {
            *remember = Some(scope.into());
        }
        self
    }

    /// The same, of what may read something outside the workspace, or of which that can't be told.
    #[must_use]
    pub(crate) fn reaching_beyond(mut self, reaches: bool) -> Finding {
        if let Finding::Ask { beyond, .. } = &mut self {
            *beyond |= reaches;
        }
        self
    }

    /// The same, with a note that stands behind all that is asked.
    #[must_use]
    pub(crate) fn ending(mut self, note: Option<&'static str>) -> Finding {
        if let Finding::Ask { ending, .. } = &mut self {
            *ending = ending.or(note);
        }
        self
    }

    /// The same, with that note, where nothing comes behind it any more: as much of it as there is room for.
    pub(crate) fn ended(self) -> Finding {
        let Finding::Ask {
            ending: Some(note),
            summary,
            ..
        } = &self
        else {
            return self;
        };
        // Before a comma stands what is the case, and behind it what comes of that.
        let brackets = " ()".len();
        let fits = |note: &str| summary.chars().count() + brackets + note.chars().count() < LONGEST_SUMMARY;
        let note = *note;
        let shorter = note.split(',').next().unwrap_or(note);
        let note = if fits(note) { note } else { shorter };
        self.noting(note)
    }

    /// The rule that decided.
    pub fn rule(&self) -> &'static str {
        match self {
            Finding::Reject { rule, .. } | Finding::Ask { rule, .. } => rule,
        }
    }

    /// Whether it refuses the action.
    pub fn is_rejection(&self) -> bool {
        matches!(self, Finding::Reject { .. })
    }
}

/// The one finding that decides: the first rejection, else the first of the riskiest asks, with what the other asks
/// say behind its own summary as far as there is room. It can be remembered only if each of them can, and is bound to what
/// each of them is bound to. `None` is a pass.
pub(crate) fn strictest(findings: Vec<Finding>) -> Option<Finding> {
    if let Some(rejection) = findings.iter().find(|finding| finding.is_rejection()) {
        return Some(rejection.clone());
    }
    if findings.len() < 2 {
        return findings.into_iter().next();
    }
    let mut asks: Vec<(Risk, Finding)> = findings
        .into_iter()
        .filter_map(|finding| match &finding {
            Finding::Ask { risk, .. } => Some((*risk, finding)),
            Finding::Reject { .. } => None,
        })
        .collect();
    // Stable: among equals the order of the checks stands.
    asks.sort_by_key(|(risk, _)| std::cmp::Reverse(*risk));
    let remember = together(&asks);
    let beyond = |(_, finding): &(Risk, Finding)| matches!(finding, Finding::Ask { beyond: true, .. });
    let beyond = asks.iter().any(beyond);
    let ending = asks.iter().find_map(|(_, finding)| match finding {
        Finding::Ask { ending, .. } => *ending,
        Finding::Reject { .. } => None,
    });
    let mut asks = asks.into_iter().map(|(_, finding)| finding);
    let first = asks.next()?;
    let Finding::Ask {
        rule,
        field,
        summary,
        risk,
        part,
        ..
    } = first
    else {
        return Some(first);
    };
    let mut all = summary;
    for finding in asks {
        if let Finding::Ask { summary, .. } = finding
            && !all.contains(&summary)
        {
            let _ = write!(all, "; {summary}");
        }
    }
    let ask = Finding::ask(rule, &field, all, risk)
        .about(part)
        .reaching_beyond(beyond)
        .ending(ending);
    Some(match remember {
        Some(scope) => ask.rememberable(scope),
        None => ask,
    })
}

/// What all the asks are bound to, each under its rule; nothing if one of them can't be remembered.
fn together(asks: &[(Risk, Finding)]) -> Option<String> {
    let mut scopes: Vec<(&str, &str, &str)> = Vec::with_capacity(asks.len());
    for (_, finding) in asks {
        match finding {
            Finding::Ask {
                rule,
                field,
                remember: Some(scope),
                ..
            } => scopes.push((rule, field, scope)),
            _ => return None,
        }
    }
    match scopes.as_slice() {
        [(.., scope)] => Some((*scope).to_owned()),
        // Quoted, so that no scope can look like two.
        several => Some(
            several
                .iter()
                .map(|(rule, field, scope)| format!("{rule} {field} {scope:?}"))
                .collect::<Vec<String>>()
                .join("; "),
        ),
    }
}

/// So many bytes, in words.
pub(crate) fn bytes(count: usize) -> String {
    match count {
        1 => "1 byte".to_owned(),
        _ => format!("{count} bytes"),
    }
}

/// `text` as one line of at most `limit` characters, with hidden characters as `<U+202E>`.
pub(crate) fn line(text: &str, limit: usize) -> String {
    // Nearly all there is to show is short and plain.
    if text.len() < limit && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len().min(4 * limit));
    let mut length = 0;
    for char in text.chars() {
        let shown = match char {
            '\n' => '⏎',
            '\t' => ' ',
            crate::shell::UNKNOWN => '…',
            _ => char,
        };
        let hidden = shown == char && is_hidden(char);
        // `<U+202E>`: four signs and four to six digits.
        length += match char as u32 {
            _ if !hidden => 1,
            0x10_0000.. => 10,
            0x1_0000.. => 9,
            _ => 8,
        };
        if length >= limit {
            out.push('…');
            break;
        }
        if hidden {
            let _ = write!(out, "<U+{:04X}>", char as u32);
        } else {
            out.push(shown);
        }
    }
    out
}

/// Whether a text holds characters that a person who reads it would not see as what they are, other than newline and
/// tab.
pub(crate) fn has_hidden(text: &str) -> bool {
    text.chars().any(|char| !matches!(char, '\n' | '\t') && is_hidden(char))
}

/// Control characters, and those that Unicode calls bidirectional controls, zero-width, separators of lines, tags,
/// fillers or variation selectors (Unicode 16, properties Bidi_Control and Default_Ignorable_Code_Point).
fn is_hidden(char: char) -> bool {
    if matches!(char, ' '..='~') {
        return false;
    }
    char.is_control()
        || matches!(char,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn a_rejection_outweighs_every_ask() {
        let ask = Finding::ask("a", "f", "s", Risk::High);
        let reject = Finding::reject("r", "f", "why", "how");
        assert_eq!(strictest(vec![ask.clone(), reject.clone(), ask]), Some(reject));
        assert_eq!(strictest(Vec::new()), None);
    }

    #[test]
    fn the_riskiest_ask_leads_and_the_others_are_told() {
        let low = Finding::ask("low", "f", "reads", Risk::Low).about("ls");
        let high = Finding::ask("high", "g", "sends", Risk::High).about("curl x");
        assert_eq!(
            strictest(vec![low, high]),
            Some(Finding::ask("high", "g", "sends; reads", Risk::High).about("curl x"))
        );
    }

    #[test]
    fn asks_can_be_remembered_together_only_if_each_of_them_can() {
        let remember = |findings| match strictest(findings) {
            Some(Finding::Ask { remember, .. }) => remember,
            _ => None,
        };
        let one = Finding::ask("sends", "f", "sends", Risk::Medium).rememberable("to a");
        let two = Finding::ask("writes", "g", "writes", Risk::Low).rememberable("b\"; c");
        let never = Finding::ask("tainted-turn", "f", "sends after reading", Risk::Low);
        assert_eq!(remember(vec![one.clone()]).as_deref(), Some("to a"));
        assert_eq!(remember(vec![one.clone(), never]), None);
        assert_eq!(
            remember(vec![two, one]).as_deref(),
            Some(r#"sends f "to a"; writes g "b\"; c""#)
        );
    }

    #[test]
    fn several_asks_reach_beyond_the_workspace_if_one_of_them_does() {
        let ask = || Finding::ask("a", "f", "runs", Risk::Low);
        let beyond = |findings| matches!(strictest(findings), Some(Finding::Ask { beyond: true, .. }));
        assert!(!beyond(vec![ask(), ask()]));
        assert!(beyond(vec![
            ask(),
            Finding::ask("b", "f", "sends", Risk::High).reaching_beyond(true)
        ]));
        assert!(beyond(vec![
            ask().reaching_beyond(true),
            Finding::ask("b", "f", "sends", Risk::High)
        ]));
    }

    #[test]
    fn summaries_are_one_line_without_anything_hidden() {
        assert_eq!(line("a\nb\tc\u{202E}d", 100), "a⏎b c<U+202E>d");
        let long = Finding::ask("a", "f", "x\u{1b}".repeat(500), Risk::Low);
        let Finding::Ask { summary, .. } = long else {
            panic!("an ask")
        };
        assert!(summary.chars().count() <= LONGEST_SUMMARY);
        assert!(!has_hidden(&summary));
    }
}
