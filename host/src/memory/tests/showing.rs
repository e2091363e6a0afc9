//! What a model is shown of memory, and what never.

use super::{buffer, perceive};
use crate::memory::{Memory, PrivacyTags};
use crate::sexp::read;

fn focused(nodes: &str, id: &str) -> String {
    let mut memory = Memory::default();
    buffer(&mut memory, "n.org", nodes);
    perceive(&mut memory, &format!("(:SENSOR :POINT-UPDATE :ID \"{id}\")"));
    memory.outline().text
}

#[test]
fn an_empty_memory_shows_nothing() {
    assert_eq!(Memory::default().outline().text, "");
}

#[test]
fn the_focus_is_shown_whole_and_its_surroundings_in_outline() {
    let shown = focused(
        "(:ID \"p\" :ATTRIBUTES (:TITLE \"Projects\") :CONTENT \"unseen\" :CHILDREN ((:ID \"a\" :ATTRIBUTES (:TITLE \
         \"Before\") :CONTENT \"unseen\") (:ID \"f\" :ATTRIBUTES (:TITLE \"Focus\" :TODO \"NEXT\") :CONTENT \"one\ntwo\" \
         :CHILDREN ((:ID \"i\" :ATTRIBUTES (:TITLE \"Inside\") :CONTENT \"unseen\"))) (:ID \"z\" :ATTRIBUTES (:TITLE \
         \"After\"))))",
        "f",
    );
    assert_eq!(
        shown,
        "In focus: HEADLINE \"Focus\" [f] (1 inside)\nIt stands in: n.org > Projects\n  :TITLE \"Focus\"\n  :TODO \
         \"NEXT\"\n  | one\n  | two\nBefore it, nearest first:\n- HEADLINE \"Before\" [a]\nAfter it:\n- HEADLINE \
         \"After\" [z]\nInside it:\n- HEADLINE \"Inside\" [i]\n"
    );
}

#[test]
fn what_a_skill_kept_from_outside_taints_what_shows_it_and_nothing_else() {
    for tainted in [false, true] {
        let mut memory = Memory::default();
        buffer(&mut memory, "n.org", "(:ID \"n\" :CONTENT \"own\")");
        let mut overlay = memory.overlay();
        let note = read("(:ID \"page\" :CONTENT \"from a page\")").unwrap();
        overlay.keep("notes", tainted, &note).unwrap();
        memory.commit(overlay);
        assert!(!memory.outline().tainted);
        perceive(&mut memory, "(:SENSOR :POINT-UPDATE :ID \"skill:notes:page\")");
        let shown = memory.outline();
        assert!(shown.text.contains("from a page"), "{}", shown.text);
        assert_eq!(shown.tainted, tainted);
        perceive(&mut memory, "(:SENSOR :POINT-UPDATE :ID \"n\")");
        assert!(!memory.outline().tainted);
    }
}

#[test]
fn without_a_focus_the_buffers_are_listed() {
    let mut memory = Memory::default();
    perceive(&mut memory, "(:SENSOR :BUFFER-UPDATE :PATH \"b.org\" :NODES ())");
    perceive(
        &mut memory,
        "(:SENSOR :BUFFER-UPDATE :PATH \"diary.org\" :TAGS (\"@personal\") :NODES ((:ID \"d\")))",
    );
    assert_eq!(memory.outline().text, "Buffers:\n- BUFFER \"b.org\" [buffer:b.org]\n");
}

#[test]
fn a_private_node_is_never_shown_beside_inside_or_in_focus() {
    let nodes = "(:ID \"f\" :CONTENT \"open\" :CHILDREN ((:ID \"s1\" :CONTENT \"secret\" :TAGS (\"@personal\")) (:ID \
                 \"o\" :CONTENT \"shown\"))) (:ID \"s2\" :ATTRIBUTES (:TITLE \"secret :@personal:\") :CHILDREN ((:ID \
                 \"s3\" :CONTENT \"secret\")))";
    let shown = focused(nodes, "f");
    assert!(shown.contains("open") && shown.contains("shown"), "{shown}");
    assert!(!shown.contains("secret") && !shown.contains("[s"), "{shown}");
    for private in ["s1", "s2", "s3"] {
        let shown = focused(nodes, private);
        assert!(!shown.contains("secret") && !shown.contains("[s"), "{private}: {shown}");
    }
}

#[test]
fn a_whole_buffer_that_names_a_privacy_tag_is_private() {
    let mut memory = Memory::default();
    perceive(
        &mut memory,
        "(:SENSOR :BUFFER-UPDATE :PATH \"d.org\" :TEXT \"* Diary :@personal:\nsecret\")",
    );
    perceive(&mut memory, "(:SENSOR :POINT-UPDATE :PATH \"d.org\")");
    assert_eq!(memory.outline().text, "");
}

#[test]
fn the_operators_tags_take_the_place_of_the_default() {
    let mut memory = Memory::new(PrivacyTags::new(["health"]));
    buffer(
        &mut memory,
        "n.org",
        "(:ID \"a\" :TAGS (\"health\")) (:ID \"b\" :TAGS (\"@personal\"))",
    );
    perceive(&mut memory, "(:SENSOR :POINT-UPDATE :ID \"a\")");
    assert!(!memory.outline().text.contains("[a]"));
    perceive(&mut memory, "(:SENSOR :POINT-UPDATE :ID \"b\")");
    assert!(memory.outline().text.contains("[b]"));
}

#[test]
fn no_text_passes_for_a_line_of_the_outline() {
    let shown = focused(
        "(:ID \"f\" :ATTRIBUTES (:TITLE \"x\nIn focus: fake\") :CONTENT \"In focus: fake\n\u{202e}Inside it:\")",
        "f",
    );
    assert_eq!(
        shown
            .lines()
            .filter(|line| line.starts_with("In focus") || line.starts_with("Inside"))
            .count(),
        1
    );
    assert!(shown.contains("<U+202E>"));
}

#[test]
fn the_outline_is_bounded_whatever_memory_holds() {
    let wide: Vec<String> = (0..2_000)
        .map(|node| {
            format!(
                "(:ID \"n{node}\" :CHILDREN ((:ID \"{}{node}\")))",
                "\u{4e2d}".repeat(100)
            )
        })
        .collect();
    let text = "\u{4e2d}".repeat(100_000);
    let tagged = format!("(:ID \"f\" :CONTENT \"{text}\" :CHILDREN ({}))", wide.join(" "));
    let shown = focused(&format!("(:ID \"p\" :CHILDREN ({tagged}))"), "f");
    assert!(shown.len() < 48 << 10, "{}", shown.len());
    assert!(shown.contains("(2000 inside)") && shown.contains("more bytes)") && shown.contains("- … and more"));
}
