//! Turns `data/programs.toml` and `data/acts.toml` into tables that are searched without being read: a gate begins anew
//! for each decision.

#[path = "build/acts.rs"]
mod acts;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

/// One row, as it is written. What the keys mean is said in `src/shell/grammar.rs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    does: String,
    source: String,
    operands: Option<String>,
    #[serde(default)]
    options: String,
    #[serde(default)]
    flags: String,
    #[serde(default)]
    values: String,
    #[serde(default)]
    reads: String,
    #[serde(default)]
    picks: String,
    #[serde(default)]
    leaves: String,
    #[serde(default)]
    optional: String,
    #[serde(default)]
    long: String,
    #[serde(default)]
    pattern_by: String,
    #[serde(default)]
    pattern_by_long: String,
    #[serde(default)]
    skip: usize,
    #[serde(default)]
    needs: String,
    #[serde(default)]
    apart: bool,
    #[serde(default)]
    negates: bool,
    #[serde(default)]
    unpacks: String,
    #[serde(default)]
    tells: String,
    #[serde(default)]
    numbers: bool,
    #[serde(default)]
    plus: bool,
    #[serde(default)]
    pass: Vec<String>,
    #[serde(default)]
    ask: Vec<String>,
}

fn main() {
    println!("cargo::rerun-if-changed=data/programs.toml");
    let text =
        std::fs::read_to_string("data/programs.toml").unwrap_or_else(|error| panic!("data/programs.toml: {error}"));
    let rows: BTreeMap<String, Row> =
        toml::from_str(&text).unwrap_or_else(|error| panic!("data/programs.toml: {error}"));
    let mut table = String::from("static PROGRAMS: &[Program] = &[\n");
    let mut examples = String::from("#[cfg(test)]\npub(crate) const EXAMPLES: &[(&str, bool)] = &[\n");
    // A map is sorted by its keys, as the search wants it.
    for (name, row) in &rows {
        assert!(!row.source.is_empty(), "data/programs.toml: `{name}` has no source");
        let written = writeln!(
            table,
            "Program {{ name: {name:?}, does: Does::{}, tells: &[{}], grammar: {} }},",
            word(&row.does),
            words(&row.tells),
            grammar(name, row)
        );
        assert!(written.is_ok(), "a string takes all that is written to it");
        for (example, passes) in row
            .pass
            .iter()
            .map(|e| (e, true))
            .chain(row.ask.iter().map(|e| (e, false)))
        {
            examples.push_str(&format!("({example:?}, {passes}),\n"));
        }
    }
    table.push_str("];\n");
    examples.push_str("];\n");
    let out = std::env::var_os("OUT_DIR").unwrap_or_else(|| panic!("cargo sets OUT_DIR"));
    acts::write(Path::new(&out));
    let file = Path::new(&out).join("programs.rs");
    std::fs::write(&file, table + &examples).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

fn grammar(name: &str, row: &Row) -> String {
    let Some(operands) = &row.operands else {
        assert!(
            row.flags.is_empty() && row.long.is_empty() && (row.pass.is_empty() || !row.tells.is_empty()),
            "data/programs.toml: `{name}` has options but says nothing of its operands"
        );
        return "None".to_owned();
    };
    let mut long: Vec<&str> = row.long.split_whitespace().collect();
    // By the name alone: `exclude` stands before `exclude-dir`.
    long.sort_unstable_by_key(|option| option.split('=').next());
    let long: String = long
        .iter()
        .map(|option| {
            let takes = match option.find('=').map(|at| &option[at..]) {
                None => "Nothing",
                Some("=") => "Value",
                Some("=?") => "Maybe",
                Some("=<") => "File",
                Some("=*") => "Names",
                Some("=!") => "Others",
                Some(other) => panic!("data/programs.toml: `{name}`: what is `{other}` in --{option}?"),
            };
            format!("({:?}, Takes::{takes}),", option.split('=').next().unwrap_or_default())
        })
        .collect();
    let by = words(&row.pattern_by_long);
    let unpacks = words(&row.unpacks);
    format!(
        "Some(Grammar {{ operands: Operands::{}, bare: {}, flags: {:?}, values: {:?}, reads: {:?}, picks: {:?}, leaves: {:?}, optional: {:?}, \
         long: &[{long}], pattern_by: {:?}, pattern_by_long: &[{by}], \
         skip: {}, needs: {:?}, apart: {}, negates: {}, numbers: {}, plus: {}, unpacks: &[{unpacks}] }})",
        word(operands),
        match row.options.as_str() {
            "" => false,
            "data" | "printf" => true,
            other => panic!("data/programs.toml: `{name}`: there are no options `{other}`"),
        },
        row.flags,
        row.values,
        row.reads,
        row.picks,
        row.leaves,
        row.optional,
        row.pattern_by,
        row.skip,
        row.needs,
        row.apart,
        row.negates,
        row.numbers,
        row.plus,
    )
}

/// What stands between blanks, as elements of a list.
fn words(text: &str) -> String {
    text.split_whitespace().map(|word| format!("{word:?},")).collect()
}

/// `reads` as the name of a case: `Reads`.
fn word(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
