//! The part of a conversation that goes to the model: within a budget, with what it must not lose.
//!
//! Tokens are counted as four bytes each, which is near enough for a bound and the same for every model. What the user
//! said last always goes along, whole, with the word that it is over where it is. Long results of tools are cut in the middle
//! before anything is left out. So are other messages longer than a quarter of the window, where not all of it fits: else one
//! answer could take the place of all that was said before it. The newest of these has three quarters of what room is left,
//! as it is what is gone on with most often, and each older one a quarter of the window at most. Then the oldest lines are left
//! out, with a note of their number where they stood.

use super::conversation::{Line, Speaker};
use crate::sexp::Text;

/// What stands in one place of the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// A line, as it was said or cut in the middle.
    Line(Line),
    /// So many lines that are left out.
    LeftOut(usize),
}

/// What of a conversation goes to the model, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Its parts.
    pub shown: Vec<Shown>,
    /// Where among them the user's newest line stands.
    pub user: Option<usize>,
}

impl Window {
    /// The window of `tokens` on `lines`.
    pub(super) fn on(lines: &[Line], tokens: usize) -> Window {
        let user = lines.iter().rposition(|line| line.speaker == Speaker::User);
        let over = lines.iter().rposition(|line| line.speaker == Speaker::Host);
        // What is over must not look open.
        let over = over.filter(|over| user.is_some_and(|user| user < *over));
        let stays = |at: usize| Some(at) == user || Some(at) == over;
        // However long it is, half of the window is for what came of it.
        let said: usize = user.iter().chain(&over).map(|at| cost(&lines[*at].text)).sum();
        let room = tokens - said.min(tokens / 2);
        let taken = |cut_messages| Taken::newest(lines, stays, tokens, room, cut_messages);
        // What all fits is shown as it was said.
        let Taken { from, kept, .. } = Some(taken(false)).filter(Taken::is_all).unwrap_or_else(|| taken(true));
        let mut window = Window::default();
        match user {
            // The user's line stands alone before what fits of its turn, or with the word that it is over.
            Some(at) if at < from => {
                window.leave_out(at);
                window.user = Some(window.shown.len());
                window.shown.push(Shown::Line(lines[at].clone()));
                let mut next = at + 1;
                if let Some(over) = over.filter(|over| *over < from) {
                    window.leave_out(over - next);
                    window.shown.push(Shown::Line(lines[over].clone()));
                    next = over + 1;
                }
                window.leave_out(from - next);
            }
            at => {
                window.leave_out(from);
                window.user = at.map(|at| window.shown.len() + at - from);
            }
        }
        window.shown.extend(kept.into_iter().rev().map(Shown::Line));
        window
    }

    fn leave_out(&mut self, lines: usize) {
        if lines > 0 {
            self.shown.push(Shown::LeftOut(lines));
        }
    }

    /// Whether anything in it came from outside the workspace.
    pub fn is_tainted(&self) -> bool {
        self.shown
            .iter()
            .any(|shown| matches!(shown, Shown::Line(line) if line.tainted))
    }
}

/// The newest lines that fit.
struct Taken {
    /// The first of them.
    from: usize,
    /// They themselves, newest first, as they are shown.
    kept: Vec<Line>,
    /// Whether they are longer than there is room.
    is_over: bool,
}

impl Taken {
    /// Those of `lines` that fit in `room`, of a window of `tokens`, beside those that stay whatever they take. Results of tools
    /// are cut. So are messages where `cut_messages` says so.
    fn newest(
        lines: &[Line],
        stays: impl Fn(usize) -> bool,
        tokens: usize,
        mut room: usize,
        cut_messages: bool,
    ) -> Taken {
        let (quarter, newest_result) = (tokens / 4, room / 4 * 3);
        let (mut kept, mut is_over, mut has_long) = (Vec::new(), false, false);
        let mut from = lines.len();
        while from > 0 {
            let line = &lines[from - 1];
            if stays(from - 1) {
                kept.push(line.clone());
                from -= 1;
                continue;
            }
            let newest = from == lines.len();
            let line = match line.speaker {
                Speaker::Tool => line.cut(if newest { newest_result } else { quarter }),
                Speaker::User | Speaker::Assistant if cut_messages && cost(&line.text) > quarter => {
                    // Always something is left for what was said before it.
                    let most = room / 4 * 3;
                    let most = if has_long { most.min(quarter) } else { most };
                    has_long = true;
                    line.cut(most)
                }
                Speaker::User | Speaker::Assistant | Speaker::Host => line.clone(),
            };
            let needed = cost(&line.text);
            if needed > room && !newest {
                break;
            }
            is_over |= needed > room;
            room = room.saturating_sub(needed);
            kept.push(line);
            from -= 1;
        }
        Taken { from, kept, is_over }
    }

    fn is_all(&self) -> bool {
        self.from == 0 && !self.is_over
    }
}

impl Line {
    /// The same within `tokens`, cut in the middle with a note: the beginning of a result or a message says what it is, and
    /// its end how it ended.
    fn cut(&self, tokens: usize) -> Line {
        let (text, bytes) = (&self.text, tokens * 4);
        if text.len() <= bytes {
            return self.clone();
        }
        let head = text.floor_char_boundary(bytes / 2);
        let tail = text.ceil_char_boundary(text.len() - bytes / 2);
        // Whole lines, where they are not so long that much would be lost.
        let (head, tail) = (
            text[..head].rfind('\n').filter(|at| *at > head / 2).unwrap_or(head),
            text[tail..]
                .find('\n')
                .filter(|at| *at < (text.len() - tail) / 2)
                .map_or(tail, |at| tail + at + 1),
        );
        let whole = match self.speaker {
            Speaker::Tool => "result (its headings included)",
            Speaker::User | Speaker::Assistant | Speaker::Host => "message",
        };
        let missing = missing(text, head, tail);
        let note = format!("[{missing} of this {whole}, {} bytes, are left out]", tail - head);
        let shown = format!("{}\n{note}\n{}", &text[..head], &text[tail..]);
        if shown.len() >= text.len() {
            return self.clone();
        }
        Line {
            text: Text::from(shown),
            ..self.clone()
        }
    }
}

/// Which lines of a text those from `head` to `tail` are, counted as who reads it counts; of a line that is shown in part,
/// which part is missing.
fn missing(text: &str, head: usize, tail: usize) -> String {
    let (before, up_to) = (&text[..head], &text[..tail]);
    let (first, last) = (before.matches('\n').count() + 1, up_to.matches('\n').count() + 1);
    let is_begun = !before.is_empty() && !before.ends_with('\n');
    let is_cut = is_begun && !text[head..].starts_with('\n');
    let is_resumed = !up_to.ends_with('\n') && !text[tail..].is_empty() && !text[tail..].starts_with('\n');
    let (whole, end) = (
        first + usize::from(is_begun),
        last - usize::from(is_resumed || up_to.ends_with('\n')),
    );
    let lines = match end.checked_sub(whole) {
        Some(0) => Some(format!("line {whole}")),
        Some(_) => Some(format!("lines {whole} to {end}")),
        None => None,
    };
    let what = match (is_cut, lines, is_resumed) {
        (true, None, true) if first == last => format!("the middle of line {first}"),
        (true, None, true) => format!("the end of line {first} and the beginning of line {last}"),
        (true, Some(lines), true) => format!("the end of line {first}, {lines} and the beginning of line {last}"),
        (true, Some(lines), false) => format!("the end of line {first} and {lines}"),
        (false, Some(lines), true) => format!("{lines} and the beginning of line {last}"),
        (false, Some(lines), false) => lines,
        (false, None, true) => format!("the beginning of line {last}"),
        (_, None, false) => format!("the end of line {first}"),
    };
    // A file's own lines have other numbers where something stands above them.
    let all = text.lines().count();
    format!("{what} of the {all} lines")
}

/// What a text costs, in tokens.
fn cost(text: &str) -> usize {
    text.len().div_ceil(4).max(1)
}

#[cfg(test)]
mod tests;
