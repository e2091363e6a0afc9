//! The part of a conversation that goes to the model: within a budget, with what it must not lose.
//!
//! Tokens are counted as four bytes each, which is near enough for a bound and the same for every model. What the user
//! said last always goes along, with the word that it is over where it is. Long results of tools are cut in the middle before anything is left out; then the oldest
//! lines are left out, with a note of their number where they stood.

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
        let mut room = tokens - said.min(tokens / 2);
        let newest_result = room / 4 * 3;
        let mut kept: Vec<Line> = Vec::new();
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
                Speaker::Tool => line.cut(if newest { newest_result } else { tokens / 4 }),
                Speaker::User | Speaker::Assistant | Speaker::Host => line.clone(),
            };
            let needed = cost(&line.text);
            if needed > room && !newest {
                break;
            }
            room = room.saturating_sub(needed);
            kept.push(line);
            from -= 1;
        }
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

impl Line {
    /// The same within `tokens`, cut in the middle with a note: the beginning of a result says what it is, and its end
    /// how it ended.
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
        let note = format!("[{}, {} bytes, are left out]", missing(text, head, tail), tail - head);
        Line {
            text: Text::from(format!("{}\n{note}\n{}", &text[..head], &text[tail..])),
            ..self.clone()
        }
    }
}

/// Which lines of a result those from `head` to `tail` are, counted as who reads it counts; of a line that is shown in part,
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
    format!("{what} of the {all} lines of this result (its headings included)")
}

/// What a text costs, in tokens.
fn cost(text: &str) -> usize {
    text.len().div_ceil(4).max(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn line(speaker: Speaker, text: &str) -> Line {
        Line {
            speaker,
            text: text.into(),
            tainted: text.contains("web"),
        }
    }

    fn user(text: &str) -> Line {
        line(Speaker::User, text)
    }

    fn model(text: &str) -> Line {
        line(Speaker::Assistant, text)
    }

    fn tool(text: &str) -> Line {
        line(Speaker::Tool, text)
    }

    /// The window in words; the user's newest line is marked.
    fn shown(lines: &[Line], tokens: usize) -> Vec<String> {
        let window = Window::on(lines, tokens);
        let word = |(at, shown): (usize, &Shown)| match shown {
            Shown::LeftOut(count) => format!("-{count}"),
            Shown::Line(line) if window.user == Some(at) => format!("*{}", line.text),
            Shown::Line(line) => line.text.to_string(),
        };
        window.shown.iter().enumerate().map(word).collect()
    }

    #[test]
    fn the_oldest_lines_are_left_out_with_a_note_of_their_number() {
        let lines = [user("aaaa"), model("bbbb"), user("cccc"), model("dddd"), user("eeee")];
        assert_eq!(shown(&lines, 100), ["aaaa", "bbbb", "cccc", "dddd", "*eeee"]);
        assert_eq!(shown(&lines, 3), ["-2", "cccc", "dddd", "*eeee"]);
        assert_eq!(shown(&lines, 2), ["-3", "dddd", "*eeee"]);
        assert!(shown(&[], 100).is_empty());
    }

    #[test]
    fn what_the_user_said_last_goes_along_whatever_came_after_it() {
        let long = "x".repeat(400);
        let lines = [
            user("old"),
            user("do it"),
            model(&long),
            tool("one"),
            model("act"),
            tool("two"),
        ];
        let window = shown(&lines, 50);
        assert_eq!(window, ["-1", "*do it", "-1", "one", "act", "two"]);
        // Also where it alone is longer than the budget.
        let lines = [user(&long), model("act"), tool("two")];
        assert_eq!(shown(&lines, 20), [&format!("*{long}"), "act", "two"]);
    }

    #[test]
    fn that_it_is_over_goes_along_with_what_the_user_said_last() {
        let over = line(Speaker::Host, "over");
        let long = "x".repeat(400);
        let lines = [
            user("old"),
            user("do it"),
            model(&long),
            over.clone(),
            model(&long),
            tool("told"),
        ];
        assert_eq!(shown(&lines, 50), ["-1", "*do it", "-1", "over", "-1", "told"]);
        // That of an older one gives way with it.
        let lines = [user("old"), over, user("do it"), model(&long), tool("told")];
        assert_eq!(shown(&lines, 50), ["-2", "*do it", "-1", "told"]);
    }

    #[test]
    fn a_long_result_is_cut_in_the_middle_and_the_question_stays() {
        let long = format!("begin{}end", "é".repeat(100_000));
        let lines = [
            user("first"),
            model("reply"),
            user("question"),
            model("act"),
            tool(&long),
        ];
        let window = shown(&lines, 1000);
        assert_eq!(window[..4], ["first", "reply", "*question", "act"]);
        assert!(
            window[4].starts_with("beginé") && window[4].ends_with("éend"),
            "{}",
            window[4]
        );
        assert!(
            window[4].contains("[the middle of line 1 of the 1 lines of this result (its headings included), ")
                && window[4].len() < 4000
        );
        // An older one gives way before a turn is left out for it.
        let lines = [user("first"), tool(&long), user("question"), model("act"), tool("new")];
        let window = shown(&lines, 1000);
        assert_eq!(window.len(), 5);
        assert!(window[1].len() < 1200);
    }

    #[test]
    fn what_is_cut_out_of_a_result_is_told_by_its_lines() {
        let text: String = (1..=1_000).map(|number| format!("this is line {number}\n")).collect();
        let window = shown(&[user("question"), tool(&text)], 1000);
        let lines: Vec<&str> = window[1].lines().collect();
        let at = lines.iter().position(|line| line.starts_with('[')).unwrap();
        let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap();
        let (before, behind) = (number(lines[at - 1]), number(lines[at + 1]));
        assert_eq!(
            (before, behind),
            (at, 1_000 - (lines.len() - at - 2)),
            "whole lines, none of them twice"
        );
        let note = format!(
            "[lines {} to {} of the 1000 lines of this result (its headings included), ",
            before + 1,
            behind - 1
        );
        assert!(
            lines[at].starts_with(&note) && lines[at].ends_with(" bytes, are left out]"),
            "{}",
            lines[at]
        );
        // One long line among short ones.
        let text = format!("a\n{}\nb\n", "x".repeat(10_000));
        let window = shown(&[user("question"), tool(&text)], 1000);
        assert!(
            window[1].contains("\n[the middle of line 2 of the 3 lines of this result (its headings included), "),
            "{}",
            window[1]
        );
    }

    #[test]
    fn a_line_that_is_shown_in_part_is_not_among_those_that_are_left_out() {
        let long = "x".repeat(3_000);
        let missing = |text: &str| {
            let window = shown(&[user("question"), tool(text)], 1000);
            let note = window[1].lines().find(|line| line.starts_with('[')).unwrap();
            note.split_once(" of the ").unwrap().0.to_owned()
        };
        for (text, told) in [
            (
                format!("a\nb\n{long}\nd\n{long}\n"),
                "[the end of line 3, line 4 and the beginning of line 5",
            ),
            (
                format!("{long}\nb\nc\n{long}"),
                "[the end of line 1, lines 2 to 3 and the beginning of line 4",
            ),
            (
                format!("{long}\n{long}"),
                "[the end of line 1 and the beginning of line 2",
            ),
            (
                format!("{long}\n{}{long}", "short\n".repeat(500)),
                "[the end of line 1, lines 2 to 501 and the beginning of line 502",
            ),
            (
                format!("{long}\n{}", "short\n".repeat(500)),
                "[the end of line 1 and lines 2 to ",
            ),
            (format!("{}{long}", "short\n".repeat(500)), "[lines "),
        ] {
            let said = missing(&text);
            assert!(said.starts_with(told), "{said} for {told}");
        }
        let said = missing(&format!("{}{long}", "short\n".repeat(500)));
        assert!(said.ends_with(" to 500 and the beginning of line 501"), "{said}");
    }

    #[test]
    fn the_budget_holds_but_for_what_the_user_said() {
        for tokens in [10, 100, 1_000] {
            let lines: Vec<Line> = (0..50)
                .flat_map(|turn| [user("ask"), model(&"m".repeat(turn)), tool(&"t".repeat(turn * 50))])
                .collect();
            let spent: usize = shown(&lines, tokens).iter().map(|text| text.len()).sum();
            assert!(spent <= tokens * 4 + 200, "{spent} bytes of {tokens} tokens");
        }
    }

    #[test]
    fn only_what_is_shown_taints() {
        let lines = [user("from the web"), user("b"), model("cccc")];
        assert!(Window::on(&lines, 100).is_tainted());
        assert!(!Window::on(&lines, 2).is_tainted());
    }

    #[test]
    fn a_conversation_that_nobody_began_has_no_line_of_a_user() {
        assert_eq!(Window::on(&[model("a"), tool("b")], 100).user, None);
    }
}
