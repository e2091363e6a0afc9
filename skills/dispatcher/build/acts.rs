//! Turns `data/acts.toml` into a table: of each program its subcommands, of each subcommand what it does by which options.

use std::collections::BTreeMap;
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
    plain: String,
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
    rows.iter().for_each(|row| check(program, row));
    let single = rows.iter().any(|row| row.single);
    let is_common = |row: &&Row| row.verb.is_empty() && row.does.is_empty() && row.with.is_empty();
    let common = |key: fn(&Row) -> &str| -> String {
        rows.iter()
            .filter(is_common)
            .map(|row| options(key(row), single))
            .collect()
    };
    let own = rows.iter().filter(|row| !is_common(row) || !row.then.is_empty());
    let acts: String = own.map(|row| act(program, row, single)).collect();
    format!(
        "static ACTOR_{at}: Actor = Actor {{ single: {single}, before: &[{}], values: &[{}], acts: &[{acts}] }};\n",
        common(|row| &row.before),
        common(|row| &row.values),
    )
}

fn check(program: &str, row: &Row) {
    let at = format!("data/acts.toml: `{program} {}` with `{}`", row.verb, row.with);
    assert!(!row.source.is_empty(), "{at} has no source");
    assert!(row.does.is_empty() || !row.told.is_empty(), "{at} has no example");
    assert!(
        row.does.is_empty() == row.risk.is_none(),
        "{at}: what does something has a risk"
    );
    assert!(
        row.plain.is_empty() || row.risk.as_deref() == Some("low"),
        "{at}: only what is of low risk says which options change nothing about that"
    );
    for piece in row.does.split('{').skip(1) {
        let piece = piece.split_once('}').map(|(piece, _)| piece);
        assert!(
            piece.is_some_and(|piece| piece.contains(':')),
            "{at}: `{{…}}` says what to say without it"
        );
    }
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
        Some("low") => "Low",
        Some(other) => panic!("data/acts.toml: `{program} {}`: there is no risk `{other}`", row.verb),
    };
    let whens = |any: &str| -> String { any.split('&').map(|when| self::when(program, when, single)).collect() };
    let with: String = row
        .with
        .split_whitespace()
        .map(|any| format!("&[{}],", whens(any)))
        .collect();
    let verb: Vec<&str> = row.verb.split_whitespace().collect();
    // Those of the program itself are its own anyway.
    let values = if verb.is_empty() { "" } else { &row.values };
    format!(
        "Act {{ verb: &{verb:?}, values: &[{}], then: &[{}], tells: {}, with: &[{with}], does: {:?}, risk: Risk::{risk}, plain: &[{}] }},\n",
        options(values, single),
        options(&row.then, single),
        !row.does.is_empty() || !row.with.is_empty(),
        row.does,
        options(&row.plain, false),
    )
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
