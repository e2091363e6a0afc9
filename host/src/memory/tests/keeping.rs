//! What skills keep, and what they can look up.

use super::*;
use crate::memory::{MemoryError, Origin};

fn keep(memory: &mut Memory, skill: &str, object: &str) -> Result<String, MemoryError> {
    let mut overlay = memory.overlay();
    let id = overlay.keep(skill, false, &read(object).unwrap())?;
    memory.commit(overlay);
    Ok(id.to_string())
}

fn found(memory: &Memory, text: &str, most: usize) -> Vec<String> {
    let view = memory.view();
    let found = view.search(text, most, || true);
    found.iter().map(|object| object.id.to_string()).collect()
}

#[test]
fn what_a_skill_keeps_is_its_own_and_can_be_written_over_by_its_id() {
    let mut memory = Memory::default();
    let id = keep(&mut memory, "notes", r#"(:ID "a" :TYPE :IDEA :CONTENT "tea at five")"#).unwrap();
    assert_eq!(id, "skill:notes:a");
    let kept = object(&memory, &id);
    assert_eq!((&*kept.kind, &*kept.content), ("IDEA", "tea at five"));
    assert_eq!(
        kept.origin,
        Origin::Skill {
            name: "notes".into(),
            tainted: false
        }
    );
    // Another skill's object of the same name is another one, and so is an editor's.
    assert_ne!(keep(&mut memory, "other", r#"(:ID "a" :CONTENT "x")"#).unwrap(), id);
    assert_ne!(
        keep(&mut memory, "other", r#"(:ID "notes:a" :CONTENT "x")"#).unwrap(),
        id
    );
    buffer(&mut memory, "a.org", r#"(:ID "a" :CONTENT "of the editor")"#);
    assert_eq!(&*object(&memory, &id).content, "tea at five");
    let version = object(&memory, &id).version;
    for own in ["a", "skill:notes:a"] {
        let again = keep(&mut memory, "notes", &format!("(:ID \"{own}\" :CONTENT \"at six\")")).unwrap();
        assert_eq!(again, id);
    }
    let kept = object(&memory, &id);
    assert!(&*kept.content == "at six" && kept.version > version);
    assert_eq!(memory.len(), 5);
}

#[test]
fn without_an_id_the_same_object_is_kept_once() {
    let mut memory = Memory::default();
    let one = keep(&mut memory, "notes", r#"(:CONTENT "tea")"#).unwrap();
    assert_eq!(keep(&mut memory, "notes", r#"(:CONTENT "tea")"#).unwrap(), one);
    assert_ne!(keep(&mut memory, "notes", r#"(:CONTENT "coffee")"#).unwrap(), one);
    assert_eq!(memory.len(), 2);
}

#[test]
fn an_editor_can_not_claim_the_id_of_what_a_skill_keeps() {
    let memory = Memory::default();
    let error = refused(
        &memory,
        r#"(:SENSOR :BUFFER-UPDATE :PATH "a" :NODES ((:ID "skill:notes:a" :CONTENT "x")))"#,
    );
    assert!(error.contains("`skill:`"), "{error}");
}

#[test]
fn malformed_objects_are_refused_and_nothing_is_written() {
    let mut memory = Memory::default();
    let large = format!("(:CONTENT \"{}\")", "x".repeat(70_000));
    for (bad, said) in [
        ("()", "neither"),
        ("(:CONTENT \"  \")", "neither"),
        ("\"text\"", "plist"),
        ("(:CONTENT 7)", "string"),
        ("(:CONTENT \"x\" :ORIGIN (:SKILL \"other\"))", ":ORIGIN"),
        ("(:CONTENT \"x\" :PARENT \"y\")", ":PARENT"),
        ("(:CONTENT \"x\" :ID \"buffer:a\")", "buffer:"),
        ("(:CONTENT \"x\" :TYPE (1))", "keyword"),
        (&large, "70013 bytes"),
    ] {
        let error = keep(&mut memory, "notes", bad).unwrap_err().to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
    assert!(memory.is_empty());
}

#[test]
fn a_skill_keeps_ten_thousand_objects_and_no_more() {
    let mut memory = Memory::default();
    let mut overlay = memory.overlay();
    for number in 0..10_000 {
        let object = crate::plist!("ID" => format!("n{number}"), "CONTENT" => "x");
        overlay.keep("notes", false, &object).unwrap();
    }
    memory.commit(overlay);
    let full = keep(&mut memory, "notes", r#"(:ID "one-more" :CONTENT "x")"#).unwrap_err();
    assert!(matches!(full, MemoryError::TooMany { .. }));
    keep(&mut memory, "notes", r#"(:ID "n7" :CONTENT "written over")"#).unwrap();
    keep(&mut memory, "other", r#"(:CONTENT "x")"#).unwrap();
}

#[test]
fn a_search_finds_texts_and_attributes_the_last_changed_first() {
    let mut memory = Memory::default();
    buffer(
        &mut memory,
        "a.org",
        r#"(:ID "one" :ATTRIBUTES (:TITLE "Tea ceremony")) (:ID "two" :CONTENT "green TEA and more")"#,
    );
    keep(&mut memory, "notes", r#"(:ID "three" :CONTENT "no coffee, tea")"#).unwrap();
    assert_eq!(found(&memory, "tea", 10), ["skill:notes:three", "one", "two"]);
    assert_eq!(found(&memory, "tea", 1), ["skill:notes:three"]);
    assert!(found(&memory, "cocoa", 10).is_empty());
    keep(&mut memory, "notes", r#"(:ID "three" :CONTENT "cocoa")"#).unwrap();
    assert_eq!(found(&memory, "tea", 10), ["one", "two"]);
}

#[test]
fn what_is_private_is_neither_found_nor_named() {
    let mut memory = Memory::default();
    buffer(
        &mut memory,
        "a.org",
        r#"(:ID "open" :CONTENT "tea" :CHILDREN ((:ID "diary" :CONTENT "tea" :TAGS ("@personal")
            :CHILDREN ((:ID "below" :CONTENT "tea")))))"#,
    );
    keep(
        &mut memory,
        "notes",
        r#"(:ID "own" :CONTENT "tea" :TAGS ("@personal"))"#,
    )
    .unwrap();
    assert_eq!(found(&memory, "tea", 10), ["open"]);
    let view = memory.view();
    for id in ["diary", "below", "skill:notes:own", "no-such-thing"] {
        assert!(view.get(id).is_none(), "{id}");
    }
    let shown = view.to_form(view.get("open").unwrap()).to_string();
    assert!(!shown.contains("diary"), "{shown}");
}

#[test]
fn a_view_stays_as_it_was_and_its_forms_can_be_read() {
    let mut memory = Memory::default();
    keep(&mut memory, "notes", r#"(:ID "a" :CONTENT "first")"#).unwrap();
    let view = memory.view();
    keep(&mut memory, "notes", r#"(:ID "a" :CONTENT "second")"#).unwrap();
    let shown = view.to_form(view.get("skill:notes:a").unwrap());
    assert_eq!(shown.text_at("content"), Some("first"));
    assert_eq!(read(&shown.to_string()).unwrap(), shown);
    assert_eq!(shown.text_at("origin.skill"), Some("notes"));
}
