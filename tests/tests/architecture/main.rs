//! The rules that ARCHITECTURE.md states, held against the tree: who may import whom, what the map shows, which test
//! guards which invariant, and what no file may do. It reads text alone, with the standard library alone, so that it
//! says something even where nothing else compiles.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod scan;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use scan::{
    ORDER, REASON, REASON_WITHIN, has_reason, imports, place, quoted, rank, reaches, section, tests_in, unexplained,
    without_comments, words,
};
use tree::{document, entries, read, root, rust_files};

/// A file longer than this has a reason in its first lines.
const LONGEST: usize = 400;

#[test]
fn imports_run_only_to_the_right() {
    let mut wrong = Vec::new();
    let mut beside: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in rust_files("host/src") {
        let Some((room, depth)) = place(&file) else { continue };
        let Some(own) = rank(&room) else {
            wrong.push(format!(
                "{file}: the room `{room}` has no place in the order; give it one in ARCHITECTURE.md and here"
            ));
            continue;
        };
        for (line, other) in imports(&read(&file), depth) {
            match rank(&other) {
                Some(_) if other == room => {}
                Some(rank) if rank > own => {}
                Some(rank) if rank == own => {
                    beside.entry(room.clone()).or_default().insert(other);
                }
                Some(_) => wrong.push(format!(
                    "{file}:{line}: `{room}` imports `{other}`, which stands to its left"
                )),
                None => {}
            }
        }
    }
    for (room, others) in &beside {
        for other in others {
            if reaches(&beside, other, room) {
                wrong.push(format!(
                    "`{room}` and `{other}` stand beside each other and import each other"
                ));
            }
        }
    }
    none(
        &wrong,
        "imports run only to the right (ARCHITECTURE.md, \"Who may import whom\")",
    );
}

#[test]
fn the_document_states_the_order_that_is_tested() {
    let stated = ORDER
        .iter()
        .map(|group| {
            group
                .iter()
                .map(|room| format!("`{room}`"))
                .collect::<Vec<_>>()
                .join(", ")
        })
        .collect::<Vec<_>>()
        .join(" > ");
    let document = document().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        document.contains(&stated),
        "ARCHITECTURE.md does not state the order: {stated}"
    );
}

#[test]
fn every_path_that_the_document_names_exists() {
    let missing: Vec<String> = quoted(&document())
        .into_iter()
        .filter(|name| name.contains('/'))
        .filter(|name| !root().join(name).exists())
        .map(|name| format!("`{name}` is in ARCHITECTURE.md and not in the tree"))
        .collect();
    none(&missing, "the map shows what is there");
}

#[test]
fn every_room_of_the_host_is_in_the_map() {
    let document = document();
    let map = section(&document, "## Code map");
    let missing: Vec<String> = entries("host/src")
        .into_iter()
        .filter(|name| {
            ![format!("`host/src/{name}`"), format!("`host/src/{name}/`")]
                .iter()
                .any(|name| map.contains(name))
        })
        .map(|name| {
            format!(
                "host/src/{name} is not under \"Code map\" in ARCHITECTURE.md; say what it promises and must not know"
            )
        })
        .collect();
    none(&missing, "the map shows all there is");
}

#[test]
fn every_invariant_names_tests_that_exist() {
    let document = document();
    let mut wrong = Vec::new();
    let mut count = 0;
    let tests: BTreeSet<String> = ["host", "sdk", "skills", "tests", "xtask"]
        .into_iter()
        .flat_map(rust_files)
        .flat_map(|file| tests_in(&read(&file)))
        .collect();
    for invariant in section(&document, "## Invariants").split("\n### ").skip(1) {
        count += 1;
        let title = invariant.lines().next().unwrap_or_default();
        let guards = invariant
            .split("\n\n")
            .find_map(|paragraph| paragraph.trim().strip_prefix("Guarded by"));
        let names = quoted(guards.unwrap_or_default());
        if names.is_empty() {
            wrong.push(format!(
                "\"{title}\" has no paragraph that begins with \"Guarded by\" and names a test"
            ));
        }
        for name in names {
            if !tests.contains(&name) {
                wrong.push(format!("\"{title}\" is guarded by `{name}`, and there is no such test"));
            }
        }
    }
    assert!(
        count >= 6,
        "ARCHITECTURE.md states {count} invariants under \"## Invariants\"; where are the others?"
    );
    none(&wrong, "each invariant has a test");
}

#[test]
fn no_file_is_long_without_a_reason() {
    let long: Vec<String> = ["host", "sdk"]
        .into_iter()
        .flat_map(rust_files)
        .filter_map(|file| {
            let text = read(&file);
            let lines = text.lines().count();
            (lines > LONGEST && !has_reason(&text)).then(|| {
                format!("{file} has {lines} lines, and its first {REASON_WITHIN} have no comment with \"{REASON}\"")
            })
        })
        .collect();
    none(&long, "a file has one job, and at most 400 lines");
}

#[test]
fn only_the_room_sexp_knows_lexpr() {
    let wrong: Vec<String> = ["host", "sdk", "tests"]
        .into_iter()
        .flat_map(rust_files)
        .filter(|file| !file.starts_with("host/src/sexp/") && !file.starts_with("tests/tests/architecture/"))
        .flat_map(|file| {
            let text = without_comments(&read(&file));
            let found: Vec<String> = words(&text, "lexpr").map(|line| format!("{file}:{line}")).collect();
            found
        })
        .collect();
    none(&wrong, "lexpr is used in host/src/sexp alone");
}

#[test]
fn unsafe_code_says_why_it_is_safe() {
    let wrong: Vec<String> = rust_files("host/src")
        .into_iter()
        .flat_map(|file| {
            let text = read(&file);
            let found: Vec<String> = unexplained(&text)
                .into_iter()
                .map(|line| format!("{file}:{line}"))
                .collect();
            found
        })
        .collect();
    none(&wrong, "`unsafe` stands under a comment with SAFETY");
}

fn none(wrong: &[String], rule: &str) {
    assert!(wrong.is_empty(), "the rule: {rule}\n  {}", wrong.join("\n  "));
}
