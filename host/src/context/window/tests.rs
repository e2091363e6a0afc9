//! What a model is shown of a conversation that is longer than its window.
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
fn a_long_answer_takes_the_place_of_nothing_that_was_said_before_it() {
    let long = format!("begin {}end", "word ".repeat(7_000));
    let lines = [
        user("I am Ann"),
        model("hello Ann"),
        user("tell me all"),
        model(&long),
        user("who am I?"),
    ];
    let window = shown(&lines, 8_192);
    assert_eq!(window[..3], ["I am Ann", "hello Ann", "tell me all"]);
    assert_eq!(window[4..], ["*who am I?"]);
    let answer = &window[3];
    assert!(answer.starts_with("begin word") && answer.ends_with("word end"));
    assert!(
        answer.contains("\n[the middle of line 1 of the 1 lines of this message, "),
        "{answer}"
    );
    assert!((24_000..25_000).contains(&answer.len()), "{} bytes", answer.len());
}

#[test]
fn of_long_messages_the_newest_has_most_room_and_none_takes_all_that_is_left() {
    let long = |name: &str| name.repeat(20_000);
    let lines = [
        user("first"),
        user(&long("paste")),
        model("seen"),
        user("more"),
        model(&long("answer")),
        user("question"),
    ];
    let window = shown(&lines, 8_192);
    assert_eq!(window.len(), 6, "nothing is left out");
    let (older, newest) = (window[1].len(), window[4].len());
    assert!(newest > 24_000 && older < 8_192 + 100, "{older}, {newest}");
    assert!(older > 4_000, "{older}");
    // Whatever the person said last stays whole, however long it is.
    let lines = [user("first"), model("seen"), user(&long("paste"))];
    assert_eq!(shown(&lines, 8_192), ["first", "seen", &format!("*{}", long("paste"))]);
}

#[test]
fn what_all_fits_is_shown_as_it_was_said_and_what_cutting_makes_no_shorter_is_left_as_it_is() {
    let long = "x".repeat(20_000);
    let lines = [user("first"), model(&long), user("second")];
    assert_eq!(shown(&lines, 8_192), ["first", &long, "*second"]);
    let (short, many) = ("y".repeat(260), "z".repeat(240));
    let mut lines = vec![user(&many); 10];
    lines.extend([model(&short), model(&short), user("second")]);
    let window = shown(&lines, 250);
    assert_eq!(window[window.len() - 3..], [&short, &short, "*second"]);
    assert!(window[0].starts_with('-'), "{window:?}");
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
