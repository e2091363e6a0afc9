//! How help reads on a terminal: each paragraph fills its lines.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use passepartout_tests::Home;

/// The width of a usual terminal.
const COLUMNS: usize = 80;

/// What `--help` prints of `command`.
fn help(home: &Home, command: &[String]) -> String {
    let ran = home
        .command()
        .env("COLUMNS", COLUMNS.to_string())
        .args(command)
        .arg("--help")
        .output()
        .expect("the host starts");
    assert!(ran.status.success(), "{command:?}: {ran:?}");
    String::from_utf8(ran.stdout).expect("help is UTF-8")
}

/// The subcommands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    list.take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The help of `command` and of everything below it.
fn all_helps(home: &Home, command: Vec<String>) -> Vec<(Vec<String>, String)> {
    let text = help(home, &command);
    let mut all = Vec::new();
    for name in listed(&text) {
        all.extend(all_helps(home, [&command[..], &[name]].concat()));
    }
    all.push((command, text));
    all
}

/// The lines of prose that end although the first word of the next one has room in them. What is set in is an example, an
/// option or a table.
fn ragged(help: &str) -> Vec<String> {
    let lines: Vec<&str> = help.lines().collect();
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let has_room = |pair: &&[&str]| {
        let word = pair[1].split(' ').next().unwrap_or_default();
        pair[0].chars().count() + 1 + word.chars().count() <= COLUMNS
    };
    let pairs = lines.windows(2).filter(|pair| pair.iter().all(|line| is_prose(line)));
    pairs.filter(has_room).map(|pair| pair.join("\n")).collect()
}

#[test]
fn no_line_of_a_help_text_ends_where_the_next_word_has_room() {
    let home = Home::new();
    let helps = all_helps(&home, Vec::new());
    let below = |name: &str| {
        let is_below = |command: &&Vec<String>| command.first().is_some_and(|own| own == name);
        helps.iter().map(|(command, _)| command).filter(is_below).count()
    };
    assert!(
        below("skill") > 8 && below("send") == 1,
        "not all of them are found: {:?}",
        helps.iter().map(|(command, _)| command).collect::<Vec<_>>()
    );
    let mut all = Vec::new();
    for (command, text) in &helps {
        let lines = ragged(text);
        all.extend(lines.iter().map(|lines| format!("{}:\n{lines}", command.join(" "))));
    }
    assert!(all.is_empty(), "{}", all.join("\n\n"));
}

#[test]
fn send_says_that_a_message_said_otherwise_is_an_answer_and_config_how_faults_are_seen() {
    let home = Home::new();
    let said = |command: &str| {
        let text = help(&home, &[command.to_owned()]);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let send = said("send");
    assert!(
        send.contains("A message that is refused and then said otherwise is an answer like any other: 0."),
        "{send}"
    );
    let config = said("config");
    assert!(
        config.contains("`fault:`") && config.contains("or no key is found"),
        "{config}"
    );
}
