//! Turns `data/acts.toml` into a table: of each program its subcommands, of each subcommand what it does by which options.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

/// One row, as it is written. What the keys mean is said at the head of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    source: String,
    #[serde(default)]
    verb: String,
    #[serde(default)]
    before: String,
    #[serde(default)]
    values: String,
    #[serde(default)]
    single: bool,
    #[serde(default)]
    then: String,
    #[serde(default)]
    with: String,
    #[serde(default)]
    does: String,
    risk: Option<String>,
    #[serde(default)]
    told: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

pub(crate) fn write(out: &Path) {
    println!("cargo::rerun-if-changed=data/acts.toml");
    let text = std::fs::read_to_string("data/acts.toml").unwrap_or_else(|error| panic!("data/acts.toml: {error}"));
    let programs: BTreeMap<String, Vec<Row>> =
        toml::from_str(&text).unwrap_or_else(|error| panic!("data/acts.toml: {error}"));
    let (mut statics, mut names) = (String::new(), BTreeMap::new());
    let mut examples = String::from("#[cfg(test)]\nconst EXAMPLES: &[(&str, &str, &str, bool, bool)] = &[\n");
    for (at, (program, rows)) in programs.iter().enumerate() {
        statics += &actor(at, program, rows);
        for name in program.split_whitespace() {
            let other = names.insert(name, at);
            assert!(other.is_none(), "data/acts.toml: `{name}` stands there twice");
        }
        for row in rows {
            for (example, is_told) in row
                .told
                .iter()
                .map(|e| (e, true))
                .chain(row.not.iter().map(|e| (e, false)))
            {
                let (command, words) = example.split_once(" => ").unwrap_or((example, ""));
                let high = row.risk.as_deref() == Some("high");
                examples += &format!("({command:?}, {words:?}, {:?}, {high}, {is_told}),\n", row.does);
            }
        }
    }
    statics += "static ACTORS: &[(&str, &Actor)] = &[\n";
    for (name, at) in names {
        statics += &format!("({name:?}, &ACTOR_{at}),\n");
    }
    let file = out.join("acts.rs");
    std::fs::write(&file, statics + "];\n" + &examples + "];\n")
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// One program: the rows without a `verb` that do nothing say what is common to all.
fn actor(at: usize, program: &str, rows: &[Row]) -> String {
    let mut out = String::new();
    let single = rows.iter().any(|row| row.single);
    let common = |key: fn(&Row) -> &str| -> String {
        let of = |row: &&Row| row.verb.is_empty() && row.does.is_empty() && row.with.is_empty();
        rows.iter().filter(of).map(|row| options(key(row), single)).collect()
    };
    // Of each spelling all rows, in the order of the file: the first act that is meant is told.
    let mut spellings: Vec<(Vec<&str>, Vec<usize>)> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        check(program, row);
        for words in spelt(&row.verb) {
            match spellings.iter_mut().find(|(own, _)| *own == words) {
                Some((_, numbers)) => numbers.push(number),
                None => spellings.push((words, vec![number])),
            }
        }
    }
    let (mut subs, mut kinds) = (String::new(), Vec::new());
    for (words, numbers) in spellings {
        let kind = kinds.iter().position(|own| *own == numbers).unwrap_or_else(|| {
            let own = numbers.iter().map(|number| &rows[*number]);
            let acts = own.filter(|row| !row.does.is_empty() || !row.with.is_empty());
            let acts: String = acts.map(|row| act(program, row, single)).collect();
            let _ = writeln!(out, "static ACTS_{at}_{}: &[Act] = &[{acts}];", kinds.len());
            kinds.push(numbers.clone());
            kinds.len() - 1
        });
        let own = || numbers.iter().map(|number| &rows[*number]);
        // Those of the program itself are its own anyway.
        let values: String = own()
            .filter(|_| !words.is_empty())
            .map(|row| options(&row.values, single))
            .collect();
        let then: String = own().map(|row| options(&row.then, single)).collect();
        let _ = writeln!(
            subs,
            "Sub {{ verb: &{words:?}, values: &[{values}], then: &[{then}], acts: ACTS_{at}_{kind} }},"
        );
    }
    let _ = writeln!(
        out,
        "static ACTOR_{at}: Actor = Actor {{ single: {single}, before: &[{}], values: &[{}], subs: &[{subs}] }};",
        common(|row| &row.before),
        common(|row| &row.values),
    );
    out
}

fn check(program: &str, row: &Row) {
    let at = format!("data/acts.toml: `{program} {}` with `{}`", row.verb, row.with);
    assert!(!row.source.is_empty(), "{at} has no source");
    assert!(row.does.is_empty() || !row.told.is_empty(), "{at} has no example");
    assert!(
        row.does.is_empty() == row.risk.is_none(),
        "{at}: what does something has a risk"
    );
    for piece in row.does.split('{').skip(1) {
        let piece = piece.split_once('}').map(|(piece, _)| piece);
        assert!(
            piece.is_some_and(|piece| piece.contains(':')),
            "{at}: `{{…}}` says what to say without it"
        );
    }
}

/// The spellings of a verb: `remote remove|rm` is two.
fn spelt<'t>(verb: &'t str) -> Vec<Vec<&'t str>> {
    let mut found = vec![Vec::new()];
    for word in verb.split_whitespace() {
        let longer = |words: &Vec<&'t str>| word.split('|').map(|one| [words.as_slice(), &[one]].concat()).collect();
        found = found.iter().flat_map::<Vec<_>, _>(longer).collect();
    }
    found
}

/// Names of options, as elements of a list. Where one dash begins a long one, without it.
fn options(text: &str, single: bool) -> String {
    let name = |option: &str| match single {
        true => format!("{:?},", option.trim_start_matches('-')),
        false => format!("{option:?},"),
    };
    text.split_whitespace().map(name).collect()
}

fn act(program: &str, row: &Row, single: bool) -> String {
    let risk = match row.risk.as_deref() {
        Some("high") => "High",
        Some("medium") | None => "Medium",
        Some(other) => panic!("data/acts.toml: `{program} {}`: there is no risk `{other}`", row.verb),
    };
    let whens = |any: &str| -> String { any.split('&').map(|when| self::when(program, when, single)).collect() };
    let with: String = row
        .with
        .split_whitespace()
        .map(|any| format!("&[{}],", whens(any)))
        .collect();
    format!("Act {{ with: &[{with}], does: {:?}, risk: Risk::{risk} }},", row.does)
}

/// One condition.
fn when(program: &str, text: &str, single: bool) -> String {
    let (holds, text) = match text.strip_prefix('!') {
        Some(text) => (false, text),
        None => (true, text),
    };
    let when = match text {
        "--" => "When::Dashes".to_owned(),
        "$file" => "When::File".to_owned(),
        "$input" => "When::Input".to_owned(),
        "$changes" => "When::States(Change::Some)".to_owned(),
        "$loses" => "When::States(Change::Loss)".to_owned(),
        _ if text.starts_with('#') => format!("When::AtLeast({})", &text[1..]),
        _ if text.starts_with('@') => format!("When::Operand({:?})", &text[1..]),
        _ => {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            let long = name.strip_prefix("--").or(name.strip_prefix('-').filter(|_| single));
            let short = name.strip_prefix('-').filter(|name| name.chars().count() == 1);
            let name = match (long, short) {
                (Some(long), _) => format!("Name::Long({long:?})"),
                (None, Some(short)) => format!("Name::Short({:?})", short.chars().next().unwrap_or_default()),
                (None, None) => panic!("data/acts.toml: `{program}`: what is `{text}`?"),
            };
            match value {
                Some(value) => format!("When::Is({name}, {value:?})"),
                None => format!("When::Given({name})"),
            }
        }
    };
    format!("({holds}, {when}),")
}
