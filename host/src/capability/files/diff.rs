//! How a file would change, shown to the person who is asked.
//!
//! Made when it is shown, and only from the file that was there when the action was closed: what is approved then is what
//! was seen, or nothing is written. It is for people alone. What it holds of the file stands in no action, so that it goes
//! into no record, no conversation and no log.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use super::edit::{Edit, missing};
use super::place::{self, Place};
use super::read::{check_size, content_of};
use super::write::{Order, exists, open};
use super::{TARGET, Way};
use crate::capability::Failure;
use crate::capability::own::OnBehalf;
use crate::sexp::{Form, visible};
use crate::signal::Action;

/// What is said of a file in which nothing would change.
const SAME: &str = "would stay as it is";

/// Most lines of one diff: some pages, which a person can read.
const LINES: usize = 400;

/// Most bytes of one diff.
const BYTES: usize = 64 << 10;

/// Most bytes of one line.
const LINE_BYTES: usize = 1 << 10;

/// Bytes shown before the place where a long line differs.
const BEFORE: usize = 80;

/// Largest text that is compared, in bytes: what an action can hold.
const COMPARED: u64 = 4 << 20;

/// Lines shown around a change, as everybody does.
const CONTEXT: usize = 3;

/// How long the smallest difference is looked for. After that, any difference that is true will do.
const PATIENCE: Duration = Duration::from_millis(300);

/// How a file would change, were `action` carried out, or why that can't be shown. Nothing where it writes no file.
/// Control characters are visible.
pub fn changes(action: &Action, on: &OnBehalf<'_>) -> Option<String> {
    let change = Change::of(action)?;
    let shown = visible(change.path()).replace(['\n', '\t'], " ");
    Some(match change.sides(on, COMPARED) {
        Ok((old, new)) if old.as_deref() == Some(new.as_str()) => format!("{shown} {SAME}"),
        Ok((old, new)) => {
            let from = match old {
                Some(_) => format!("--- {shown} (as it is)"),
                None => "--- (no file)".to_owned(),
            };
            let hunks = unified(old.as_deref().unwrap_or_default(), &new);
            format!("{from}\n+++ {shown} (as it would be)\n{hunks}")
        }
        Err(Unseen::Futile(why) | Unseen::Alone(why)) => {
            format!("how {shown} would change can't be shown: {}", visible(&why))
        }
    })
}

/// Why `action` would fail, were it carried out now, as far as that can be told from the file's being there, from its
/// kind, its size and who may read it; nothing where it may well succeed, or writes no file. What the file holds is not
/// looked at: see [`futile_by_content`].
pub fn futile(action: &Action, on: &OnBehalf<'_>) -> Option<String> {
    match Change::of(action)?.check(on) {
        Ok(()) => None,
        Err(Failure::Failed(why)) => Some(why),
        Err(failure) => Some(failure.to_string()),
    }
}

/// The file that `action` would write, as the action names it; nothing where it writes none.
pub fn path_of(action: &Action) -> Option<String> {
    Change::of(action).map(|change| change.path().to_owned())
}

/// Why `action` would fail or change nothing, were it carried out now, by what the file holds. The answer goes to the model:
/// it says nothing of a file that the skill may not read, and whoever asks sees to it that the model may, unasked.
pub fn futile_by_content(action: &Action, on: &OnBehalf<'_>) -> Option<String> {
    let change = Change::of(action)?;
    Place::find(change.path(), Way::Read, on).ok()?.parent(on).ok()?;
    let shown = visible(change.path()).replace(['\n', '\t'], " ");
    match change.sides(on, u64::MAX) {
        Ok((old, new)) if old.as_deref() == Some(new.as_str()) => Some(format!("{shown} {SAME}")),
        Err(Unseen::Futile(why)) => Some(format!("{shown} can't be changed so: {why}")),
        Ok(_) | Err(Unseen::Alone(_)) => None,
    }
}

/// Why it can't be seen how a file would change, in words about it.
enum Unseen {
    /// It would not change either.
    Futile(String),
    /// That is all that is known.
    Alone(String),
}

/// What an action would do to a file.
enum Change {
    Whole(Order),
    Piece(Edit),
}

impl Change {
    fn of(action: &Action) -> Option<Change> {
        let args = match action.target() {
            TARGET => action.payload(),
            "TOOL" => action.payload().get("ARGS")?,
            _ => return None,
        };
        let has = |key: &str| args.get(key).and_then(Form::as_str).is_some();
        if !has("PATH") {
            None
        } else if has("TEXT") {
            Order::of(action).ok().map(Change::Whole)
        } else if has("OLD") && has("NEW") {
            Edit::of(action).ok().map(Change::Piece)
        } else {
            None
        }
    }

    fn path(&self) -> &str {
        match self {
            Change::Whole(order) => &order.path,
            Change::Piece(edit) => &edit.path,
        }
    }

    fn base(&self) -> Option<&str> {
        match self {
            Change::Whole(order) => order.base.as_deref(),
            Change::Piece(edit) => edit.base.as_deref(),
        }
    }

    fn check(&self, on: &OnBehalf<'_>) -> Result<(), Failure> {
        let place = Place::find(self.path(), Way::Write, on)?;
        let (folder, name) = place.parent(on)?;
        let there = place::look(&folder, &name, &place.path)?;
        if let Some(status) = &there {
            place::check_plain(status, &place.path)?;
        }
        match (self, there) {
            (Change::Whole(order), Some(_)) if !order.replace => Err(exists(&place.path)),
            (Change::Piece(_), None) => Err(missing(&place.path)),
            (_, Some(_)) => {
                let (_, status) = open(&folder, &name, &place.path)?;
                check_size(u64::try_from(status.st_size).unwrap_or(u64::MAX), &place.path)
            }
            (Change::Whole(_), None) => Ok(()),
        }
    }

    /// What is in the file, if it is there, and what would be, both of at most `most` bytes.
    fn sides(&self, on: &OnBehalf<'_>, most: u64) -> Result<(Option<String>, String), Unseen> {
        let old = self.current(on, most)?;
        let new = match self {
            Change::Whole(order) if old.is_some() && !order.replace => {
                let why = "the file exists, and without :REPLACE T nothing is written over it";
                return Err(Unseen::Futile(why.to_owned()));
            }
            Change::Whole(order) => order.text.clone(),
            Change::Piece(edit) => edit
                .apply(old.as_deref().unwrap_or_default())
                .map_err(|why| Unseen::Futile(format!("it {why}")))?,
        };
        if new.len() as u64 > most {
            return Err(Unseen::Alone(format!("it would have {} bytes", new.len())));
        }
        Ok((old, new))
    }

    /// What is in the file, as it was when the action was closed.
    fn current(&self, on: &OnBehalf<'_>, most: u64) -> Result<Option<String>, Unseen> {
        let words = |failure: Failure| Unseen::Alone(failure.to_string());
        let futile = |why: &str| Err(Unseen::Futile(why.to_owned()));
        let place = Place::find(self.path(), Way::Write, on).map_err(words)?;
        let (folder, name) = place.parent(on).map_err(words)?;
        let there = place::look(&folder, &name, &place.path).map_err(words)?;
        let (status, base) = match (there, self.base()) {
            (None, None) if matches!(self, Change::Piece(_)) => return futile("it does not exist"),
            (None, None) => return Ok(None),
            (None, Some(_)) => return futile("it was deleted after this was proposed"),
            (Some(status), base) => (status, base),
        };
        place::check_plain(&status, &place.path).map_err(words)?;
        let size = u64::try_from(status.st_size).unwrap_or(u64::MAX);
        if size > most {
            return Err(Unseen::Alone(format!("it has {size} bytes")));
        }
        let (file, _) = open(&folder, &name, &place.path).map_err(words)?;
        let (content, digest) = content_of(&file, &place.path).map_err(words)?;
        if base != Some(digest.as_str()) {
            return futile("it has changed after this was proposed, so that nothing would be written");
        }
        let why = "it is no text in UTF-8".to_owned();
        String::from_utf8(content).map(Some).map_err(|_| match self {
            Change::Whole(_) => Unseen::Alone(why),
            Change::Piece(_) => Unseen::Futile(why),
        })
    }
}

/// The differences, in the form that `diff -u` has.
fn unified(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let deadline = Instant::now().checked_add(PATIENCE);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let mut shown = Shown::default();
    for group in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let (from, to) = (
            span(first.old_range().start, last.old_range().end),
            span(first.new_range().start, last.new_range().end),
        );
        shown.push(&format!("@@ -{from} +{to} @@"));
        for op in &group {
            let (tag, before, after) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                old[before].iter().for_each(|line| shown.line(' ', line, line));
            } else {
                let (goes, comes) = (&old[before], &new[after]);
                for (mark, side, other) in [('-', goes, comes), ('+', comes, goes)] {
                    for (at, line) in side.iter().enumerate() {
                        shown.line(mark, line, other.get(at).copied().unwrap_or_default());
                    }
                }
            }
        }
    }
    shown.finish()
}

/// First line, from 1, and how many; of no lines, the line before them.
fn span(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

/// How many bytes two lines have in common at their beginnings, and at the ends of what is left.
fn ends_in_common(one: &str, other: &str) -> (usize, usize) {
    let same = |pair: &(u8, u8)| pair.0 == pair.1;
    let before = one.bytes().zip(other.bytes()).take_while(same).count();
    let (one, other) = (&one.as_bytes()[before..], &other.as_bytes()[before..]);
    let pairs = one.iter().rev().copied().zip(other.iter().rev().copied());
    (before, pairs.take_while(same).count())
}

/// Lines as long as there is room.
#[derive(Default)]
struct Shown {
    text: String,
    lines: usize,
    left_out: usize,
}

impl Shown {
    /// A line of a file, and the one in whose place it comes or which comes in its place. Of a long one that part is shown
    /// where the two begin to differ.
    fn line(&mut self, mark: char, line: &str, other: &str) {
        let (content, whole) = match line.strip_suffix('\n') {
            Some(content) => (content, true),
            None => (line, false),
        };
        let (same_before, same_behind) = ends_in_common(content, other.strip_suffix('\n').unwrap_or(other));
        let start = match same_before + BEFORE < LINE_BYTES || same_before == content.len() {
            true => 0,
            false => content.floor_char_boundary(same_before - BEFORE),
        };
        let end = content.floor_char_boundary(start + LINE_BYTES);
        let mut text = String::from(mark);
        if start > 0 {
            let _ = write!(text, "{start} bytes before … ");
        }
        text.push_str(&visible(&content[start..end]));
        if end < content.len() {
            let _ = write!(text, " … {} bytes more", content.len() - end);
            if end < content.len() - same_behind {
                text.push_str(", where it differs too");
            }
        }
        self.push(&text);
        if !whole {
            self.push("\\ no newline at the end");
        }
    }

    fn push(&mut self, line: &str) {
        if self.left_out > 0 || self.lines == LINES || self.text.len() + line.len() >= BYTES {
            self.left_out += 1;
            return;
        }
        self.lines += 1;
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn finish(mut self) -> String {
        match self.left_out {
            0 => drop(self.text.pop()),
            more => {
                let _ = write!(
                    self.text,
                    "… and {more} lines more; the action holds all that would be written"
                );
            }
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_what_comes_and_what_stands_around_it_is_shown() {
        assert_eq!(
            unified("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nD\ne\nf\n"),
            "@@ -1,6 +1,6 @@\n a\n b\n c\n-d\n+D\n e\n f"
        );
        assert_eq!(unified("", "x\ny\n"), "@@ -0,0 +1,2 @@\n+x\n+y");
        assert_eq!(unified("x\n", ""), "@@ -1 +0,0 @@\n-x");
        assert_eq!(unified("x", "x\n"), "@@ -1 +1 @@\n-x\n\\ no newline at the end\n+x");
    }

    #[test]
    fn no_line_of_a_file_looks_like_another_line_of_the_diff() {
        let shown = unified("a\n", "b\r-c\u{1b}[2K\u{202e}\n--- d\n");
        assert_eq!(shown, "@@ -1 +1,2 @@\n-a\n+b<U+000D>-c<U+001B>[2K<U+202E>\n+--- d");
    }

    #[test]
    fn a_long_difference_is_cut_and_says_how_much_is_left_out() {
        let long: String = (0..1_000).map(|number| format!("{number}\n")).collect();
        let shown = unified("", &long);
        assert_eq!(shown.lines().count(), LINES + 1);
        assert!(shown.ends_with("… and 601 lines more; the action holds all that would be written"));
        let wide = format!("{}\n", "é".repeat(100_000)).repeat(3);
        let shown = unified("", &wide);
        assert!(
            shown.len() < 4 * LINE_BYTES && shown.contains("bytes more"),
            "{}",
            shown.len()
        );
        let many = format!("{}\n", "x".repeat(LINE_BYTES)).repeat(300);
        assert!(unified("", &many).len() < BYTES + LINE_BYTES);
    }

    #[test]
    fn of_a_long_line_the_part_that_changes_is_shown() {
        let line = |middle: &str, end: &str| format!("{}{middle}{}{end}\n", "é".repeat(3_000), "b".repeat(3_000));
        let shown = unified(&line("safe", ""), &line("evil", ""));
        let (goes, comes) = shown.split_once("\n+").unwrap_or_default();
        assert!(
            goes.contains("-5920 bytes before … é") && goes.contains("ésafeb"),
            "{goes}"
        );
        assert!(comes.contains("éevilb") && comes.ends_with(" bytes more"), "{comes}");
        let shown = unified(&line("safe", "1"), &line("evil", "2"));
        assert_eq!(shown.matches("bytes more, where it differs too").count(), 2, "{shown}");
        let shown = unified(&line("", ""), &line("", "2"));
        assert!(shown.contains("b2"), "{shown}");
        let shown = unified("a\n", &line("", ""));
        assert!(
            shown.contains("+éé") && shown.ends_with("where it differs too"),
            "{shown}"
        );
    }

    #[test]
    fn texts_that_have_nothing_in_common_are_compared_within_a_bound() {
        let text = |from: u32| -> String { (from..from + 30_000).map(|number| format!("{number}\n")).collect() };
        let shown = unified(&text(0), &text(1_000_000));
        assert!(shown.starts_with("@@ -1,30000 +1,30000 @@\n"), "{shown:.100}");
        assert_eq!(shown.lines().count(), LINES + 1);
    }
}
