//! What editors send, and what is refused.

use super::{buffer, children, object, perceive, refused};
use crate::memory::{Memory, Origin};

#[test]
fn a_buffer_becomes_a_tree_in_its_order() {
    let mut memory = Memory::default();
    let nodes = "(:ID \"a\" :TYPE :HEADLINE :ATTRIBUTES (:todo \"NEXT\" :TITLE \"A\") :CONTENT \"text\" \
                 :CHILDREN ((:ID \"b\" :TYPE paragraph) (:ID \"c\"))) (:ID \"d\")";
    buffer(&mut memory, "notes.org", nodes);
    assert_eq!(children(&memory, "buffer:notes.org"), ["a", "d"]);
    assert_eq!(children(&memory, "a"), ["b", "c"]);
    let a = object(&memory, "a");
    assert_eq!((&*a.kind, &*a.content, a.title()), ("HEADLINE", "text", "A"));
    assert_eq!(
        a.attributes.iter().map(|(key, _)| key).collect::<Vec<_>>(),
        ["TITLE", "TODO"]
    );
    assert_eq!(a.origin, Origin::Buffer("notes.org".into()));
    assert_eq!(&*object(&memory, "b").kind, "PARAGRAPH");
    let place = &object(&memory, "b").place;
    assert_eq!(place.parent.as_ref().unwrap().as_str(), "a");
    assert_eq!(place.next.as_ref().unwrap().as_str(), "c");
    assert!(place.previous.is_none());
}

#[test]
fn what_a_later_update_leaves_out_is_gone() {
    let mut memory = Memory::default();
    buffer(
        &mut memory,
        "a.org",
        "(:ID \"a\" :CHILDREN ((:ID \"b\" :CHILDREN ((:ID \"c\"))))) (:ID \"d\")",
    );
    buffer(&mut memory, "a.org", "(:ID \"d\") (:ID \"c\")");
    assert_eq!(children(&memory, "buffer:a.org"), ["d", "c"]);
    assert_eq!(memory.len(), 3);
    perceive(&mut memory, "(:SENSOR :BUFFER-UPDATE :PATH \"a.org\" :NODES ())");
    assert_eq!(memory.len(), 1);
}

#[test]
fn a_node_refiled_into_another_buffer_moves_and_is_not_there_twice() {
    let mut memory = Memory::default();
    buffer(
        &mut memory,
        "a.org",
        "(:ID \"p\" :CHILDREN ((:ID \"x\") (:ID \"y\") (:ID \"z\")))",
    );
    let before = (object(&memory, "p").hash, object(&memory, "y").version);
    buffer(&mut memory, "b.org", "(:ID \"y\")");
    assert_eq!(children(&memory, "p"), ["x", "z"]);
    assert_eq!(object(&memory, "x").place.next.as_ref().unwrap().as_str(), "z");
    assert_ne!(object(&memory, "p").hash, before.0);
    assert_eq!(object(&memory, "y").version, before.1, "it says what it said");
    assert_eq!(object(&memory, "y").origin, Origin::Buffer("b.org".into()));
}

#[test]
fn what_the_originals_emacs_client_sends_is_understood() {
    let mut memory = Memory::default();
    perceive(
        &mut memory,
        "(:sensor :buffer-update :file \"/home/me/n.org\" :state :saved :ast (:type org-data :properties nil :contents \
         ((:type headline :properties (:ID \"h\" :TITLE \"Node 1\") :contents (\"some \" \"text\" (:type section \
         :properties nil :contents nil))))))",
    );
    assert_eq!(children(&memory, "buffer:/home/me/n.org"), ["h"]);
    assert_eq!(&*object(&memory, "h").content, "some text");
    assert_eq!(object(&memory, "h").children.len(), 1);
    perceive(
        &mut memory,
        "(:sensor :point-update :file \"/home/me/n.org\" :element (:type headline :properties (:ID \"h\") :contents nil))",
    );
    assert_eq!(memory.foveal_id().as_deref(), Some("h"));
    perceive(
        &mut memory,
        "(:sensor :buffer-update :file \"b\" :ast (:type :HEADLINE :properties (:ID \"i\")))",
    );
    assert_eq!(children(&memory, "buffer:b"), ["i"]);
}

#[test]
fn the_point_is_in_the_last_node_that_begins_at_its_line_or_before() {
    let mut memory = Memory::default();
    buffer(
        &mut memory,
        "a.org",
        "(:ID \"a\" :LINE 3 :CHILDREN ((:ID \"b\" :LINE 5))) (:ID \"c\" :LINE 9)",
    );
    for (line, id) in [(1, "buffer:a.org"), (3, "a"), (4, "a"), (8, "b"), (9, "c"), (400, "c")] {
        perceive(
            &mut memory,
            &format!("(:SENSOR :POINT-UPDATE :PATH \"a.org\" :LINE {line})"),
        );
        assert_eq!(memory.foveal_id().as_deref(), Some(id), "line {line}");
    }
    // Lines that move are no change of any object.
    let version = object(&memory, "a").version;
    buffer(
        &mut memory,
        "a.org",
        "(:ID \"a\" :LINE 6 :CHILDREN ((:ID \"b\" :LINE 8))) (:ID \"c\" :LINE 12)",
    );
    perceive(&mut memory, "(:SENSOR :POINT-UPDATE :PATH \"a.org\" :LINE 7)");
    assert_eq!(
        (memory.foveal_id().as_deref(), object(&memory, "a").version),
        (Some("a"), version)
    );
}

#[test]
fn other_sensors_mean_nothing_to_memory() {
    let mut memory = Memory::default();
    perceive(&mut memory, "(:SENSOR :USER-INPUT :TEXT \"hello\")");
    perceive(&mut memory, "(:SENSOR :HEARTBEAT)");
    assert!(memory.is_empty());
}

#[test]
fn what_is_refused_says_what_and_where() {
    let mut memory = Memory::default();
    buffer(&mut memory, "known.org", "(:ID \"x\")");
    let update = |rest: &str| format!("(:SENSOR :BUFFER-UPDATE :PATH \"a.org\" {rest})");
    for (payload, expected) in [
        (
            "(:SENSOR :BUFFER-UPDATE :TEXT \"t\")".to_owned(),
            ":PAYLOAD needs :PATH",
        ),
        (update(""), ":PAYLOAD needs one of :NODES, :TEXT, :AST"),
        (
            update(":NODES () :TEXT \"\""),
            ":PAYLOAD needs one of :NODES, :TEXT, :AST",
        ),
        (update(":TEXT 7"), ":PAYLOAD :TEXT is 7; a string belongs there"),
        (update(":AST \"NOT A LIST\""), ":PAYLOAD :AST is no plist"),
        (
            update(":NODES \"x\""),
            ":PAYLOAD :NODES is \"x\"; a list of nodes belongs there",
        ),
        (
            update(":NODES ((:ID \"a\" :TAG (\"@personal\")))"),
            ":PAYLOAD :NODES 0 has the key :TAG, which",
        ),
        (
            update(":NODES ((:ID \"a\") (:CHILDREN ((:ID \"a\"))))"),
            ":PAYLOAD :NODES 1 :CHILDREN 0 :ID is \"a\", which an",
        ),
        (
            update(":NODES ((:ID \"buffer:b\"))"),
            ":PAYLOAD :NODES 0 :ID begins with `buffer:`",
        ),
        (update(":NODES ((:ID \" \"))"), ":PAYLOAD :NODES 0 :ID is blank"),
        (
            update(":NODES ((:ID 7))"),
            ":PAYLOAD :NODES 0 :ID is 7; a string belongs there",
        ),
        (
            update(":NODES ((:ATTRIBUTES (:A 1 :a 2)))"),
            ":PAYLOAD :NODES 0 :ATTRIBUTES has the key :A twice",
        ),
        (
            update(":NODES ((:ATTRIBUTES \"x\" :TAGS (\"t\")))"),
            ":PAYLOAD :NODES 0 :ATTRIBUTES is no plist",
        ),
        (
            "(:SENSOR :POINT-UPDATE)".to_owned(),
            ":PAYLOAD needs :ID, or :PATH and :LINE",
        ),
        (
            "(:SENSOR :POINT-UPDATE :ID \"nowhere\")".to_owned(),
            "no memory object has the id \"nowhere\"",
        ),
        (
            "(:SENSOR :POINT-UPDATE :PATH \"no.org\")".to_owned(),
            "memory has no buffer \"no.org\"",
        ),
        (
            "(:SENSOR :POINT-UPDATE :PATH \"known.org\" :LINE -1)".to_owned(),
            ":PAYLOAD :LINE is -1; a line",
        ),
    ] {
        let error = refused(&memory, &payload);
        assert!(error.starts_with(expected), "{payload}: {error}");
    }
}
