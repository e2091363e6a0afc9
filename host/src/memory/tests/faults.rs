//! The original's faults of memory, which are none of ours.

use std::sync::Arc;

use super::{buffer, children, object, perceive, refused};
use crate::memory::{Memory, ObjectId};
use crate::sexp::read;

/// `count` nodes, `n0` and on, in sections of a hundred.
fn sections(count: usize) -> String {
    let section = |section: usize| {
        let nodes: Vec<String> = (section * 100..count.min(section * 100 + 100))
            .map(|node| format!("(:ID \"n{node}\" :CONTENT \"text {node}\")"))
            .collect();
        format!("(:ID \"s{section}\" :CHILDREN ({}))", nodes.join(" "))
    };
    (0..count.div_ceil(100)).map(section).collect::<Vec<_>>().join(" ")
}

/// How many objects of `a` are the very ones of `b`, in one place of the process's memory.
fn shared(a: &Memory, b: &crate::memory::store::Store) -> usize {
    a.state
        .store
        .iter()
        .filter(|object| b.get(&object.id).is_some_and(|other| Arc::ptr_eq(object, other)))
        .count()
}

#[test]
fn text_above_u_00ff_is_stored_and_rolled_back_unharmed() {
    let mut memory = Memory::default();
    let text = "\u{3b5}\u{3cd}\u{3c1}\u{3b7}\u{3ba}\u{3b1} \u{1f980} \u{2713}";
    buffer(
        &mut memory,
        "\u{65e5}\u{8a18}.org",
        &format!("(:ID \"\u{5fc5}\" :CONTENT \"{text}\")"),
    );
    let hash = object(&memory, "\u{5fc5}").hash;
    memory.snapshot("\u{65e9}").unwrap();
    buffer(
        &mut memory,
        "\u{65e5}\u{8a18}.org",
        "(:ID \"\u{5fc5}\" :CONTENT \"gone\")",
    );
    memory.rollback("\u{65e9}").unwrap();
    assert_eq!(&*object(&memory, "\u{5fc5}").content, text);
    assert_eq!(object(&memory, "\u{5fc5}").hash, hash);
}

#[test]
fn after_a_rollback_a_later_change_leaves_the_snapshot_as_it_was() {
    let mut memory = Memory::default();
    buffer(&mut memory, "a.org", "(:ID \"x\" :CONTENT \"first\")");
    memory.snapshot("first").unwrap();
    for change in ["second", "third"] {
        memory.rollback("first").unwrap();
        assert_eq!(&*object(&memory, "x").content, "first");
        buffer(
            &mut memory,
            "a.org",
            &format!("(:ID \"x\" :CONTENT \"{change}\") (:ID \"y\")"),
        );
        assert_eq!(&*object(&memory, "x").content, change);
    }
    memory.rollback("first").unwrap();
    assert_eq!(&*object(&memory, "x").content, "first");
    assert!(memory.get("y").is_none());
}

#[test]
fn a_change_after_a_rollback_has_a_version_of_its_own() {
    let mut memory = Memory::default();
    buffer(&mut memory, "a.org", "(:ID \"x\" :CONTENT \"first\")");
    memory.snapshot("first").unwrap();
    buffer(&mut memory, "a.org", "(:ID \"x\" :CONTENT \"second\")");
    let second = object(&memory, "x").version;
    memory.rollback("first").unwrap();
    buffer(&mut memory, "a.org", "(:ID \"x\" :CONTENT \"another second\")");
    assert!(object(&memory, "x").version > second);
}

#[test]
fn three_headlines_without_an_id_in_one_second_stay_three() {
    let mut memory = Memory::default();
    let three = "(:ATTRIBUTES (:TITLE \"TODO\")) (:ATTRIBUTES (:TITLE \"TODO\")) (:ATTRIBUTES (:TITLE \"TODO\"))";
    buffer(&mut memory, "a.org", three);
    assert_eq!(memory.len(), 4);
    let ids = children(&memory, "buffer:a.org");
    buffer(&mut memory, "a.org", three);
    assert_eq!(
        children(&memory, "buffer:a.org"),
        ids,
        "and have the same ids the next time"
    );
    buffer(&mut memory, "b.org", three);
    assert_eq!(memory.len(), 8, "whatever other buffers hold");
}

#[test]
fn a_headline_without_an_id_keeps_its_own_when_its_text_or_its_surroundings_change() {
    let mut memory = Memory::default();
    buffer(&mut memory, "a.org", "(:ATTRIBUTES (:TITLE \"Plan\") :CONTENT \"old\")");
    let ids = children(&memory, "buffer:a.org");
    buffer(
        &mut memory,
        "a.org",
        "(:ATTRIBUTES (:TITLE \"New\")) (:ATTRIBUTES (:TITLE \"Plan\") :CONTENT \"new\")",
    );
    assert_eq!(children(&memory, "buffer:a.org")[1..], ids[..]);
    assert_eq!(&*object(&memory, &ids[0]).content, "new");
}

#[test]
fn an_id_that_memory_made_and_a_client_wrote_back_never_makes_two_nodes_one() {
    let mut memory = Memory::default();
    buffer(
        &mut memory,
        "a.org",
        "(:ATTRIBUTES (:TITLE \"TODO\")) (:ATTRIBUTES (:TITLE \"TODO\"))",
    );
    let first = children(&memory, "buffer:a.org").remove(0);
    let nodes = format!("(:ATTRIBUTES (:TITLE \"TODO\")) (:ID \"{first}\" :ATTRIBUTES (:TITLE \"TODO\"))");
    buffer(&mut memory, "a.org", &nodes);
    assert_eq!(memory.len(), 3);
    assert_eq!(children(&memory, "buffer:a.org")[1], first);
}

#[test]
fn a_buffer_update_touches_only_what_changed() {
    let mut memory = Memory::default();
    let nodes = |text: &str| {
        format!(
            "(:ID \"p\" :CHILDREN ((:ID \"c1\" :CONTENT \"{text}\") (:ID \"c2\"))) (:ID \"q\" :CHILDREN ((:ID \"c3\")))"
        )
    };
    buffer(&mut memory, "a.org", &nodes("old"));
    buffer(&mut memory, "b.org", "(:ID \"z\")");
    let before = memory.overlay().state.store;
    buffer(&mut memory, "a.org", &nodes("new"));
    let old = |id: &str| before.get(&ObjectId::known(id)).unwrap();
    for id in ["c2", "q", "c3", "z", "buffer:b.org"] {
        assert!(
            std::ptr::eq(object(&memory, id), &**old(id)),
            "{id} is the very object that it was"
        );
    }
    assert!(object(&memory, "c1").version > old("c1").version);
    for id in ["p", "buffer:a.org"] {
        assert_ne!(object(&memory, id).hash, old(id).hash, "{id} is on the way to the root");
        assert_eq!(
            object(&memory, id).version,
            old(id).version,
            "{id} itself says what it said"
        );
    }
}

#[test]
fn an_unchanged_buffer_makes_no_versions() {
    let mut memory = Memory::default();
    buffer(&mut memory, "big.org", &sections(300));
    let before = memory.overlay().state;
    buffer(&mut memory, "big.org", &sections(300));
    assert_eq!(memory.overlay().state.version, before.version);
    assert_eq!(shared(&memory, &before.store), memory.len());
}

#[test]
fn snapshot_and_rollback_at_10_000_objects_share_structure() {
    let mut memory = Memory::default();
    buffer(&mut memory, "big.org", &sections(10_000));
    assert_eq!(memory.len(), 10_101);
    memory.snapshot("before").unwrap();
    let snapshot = memory.snapshots.find("before").unwrap().store.clone();
    assert!(snapshot.is_copy_of(&memory.state.store), "the snapshot copied no map");
    buffer(&mut memory, "other.org", &sections(100));
    // Moved: the first section and the hundred nodes in it; changed: the section after it, and the buffer it left.
    assert_eq!(shared(&memory, &snapshot), 10_101 - 101 - 1 - 1);
    memory.rollback("before").unwrap();
    assert!(snapshot.is_copy_of(&memory.state.store), "the rollback copied no map");
}

#[test]
fn a_failing_signal_drops_its_overlay_whole() {
    let mut memory = Memory::default();
    buffer(&mut memory, "a.org", "(:ID \"x\" :CONTENT \"kept\")");
    let before = memory.overlay().state;
    let mut overlay = memory.overlay();
    overlay
        .perceive(&read("(:SENSOR :BUFFER-UPDATE :PATH \"a.org\" :TEXT \"lost\")").unwrap())
        .unwrap();
    overlay
        .perceive(&read("(:SENSOR :POINT-UPDATE :PATH \"a.org\")").unwrap())
        .unwrap();
    overlay
        .perceive(&read("(:SENSOR :POINT-UPDATE :ID \"nowhere\")").unwrap())
        .unwrap_err();
    drop(overlay);
    assert_eq!(&*object(&memory, "x").content, "kept");
    assert_eq!(memory.foveal_id(), None);
    assert_eq!(memory.overlay().state.version, before.version);
    assert_eq!(shared(&memory, &before.store), memory.len());
}

#[test]
fn a_refused_payload_writes_nothing_of_itself() {
    let memory = Memory::default();
    let mut overlay = memory.overlay();
    let half = "(:SENSOR :BUFFER-UPDATE :PATH \"a.org\" :NODES ((:ID \"good\") (:ID \"bad\" :LINE 0)))";
    overlay.perceive(&read(half).unwrap()).unwrap_err();
    assert_eq!(overlay.state.store.len(), 0);
    assert!(refused(&memory, half).contains(":PAYLOAD :NODES 1 :LINE is 0"));
}

#[test]
fn of_two_overlays_begun_at_once_neither_loses_what_it_wrote() {
    let mut memory = Memory::default();
    let (mut one, mut other) = (memory.overlay(), memory.overlay());
    one.perceive(&read("(:SENSOR :BUFFER-UPDATE :PATH \"a.org\" :TEXT \"a\")").unwrap())
        .unwrap();
    other
        .perceive(&read("(:SENSOR :BUFFER-UPDATE :PATH \"b.org\" :TEXT \"b\")").unwrap())
        .unwrap();
    memory.commit(one);
    memory.commit(other);
    assert_eq!(
        (
            &*object(&memory, "buffer:a.org").content,
            &*object(&memory, "buffer:b.org").content
        ),
        ("a", "b")
    );
}

#[test]
fn a_rollback_leaves_the_focus_and_finds_it_again_when_its_object_is_back() {
    let mut memory = Memory::default();
    memory.snapshot("empty").unwrap();
    buffer(&mut memory, "a.org", "(:ID \"x\")");
    memory.snapshot("full").unwrap();
    perceive(&mut memory, "(:SENSOR :POINT-UPDATE :ID \"x\")");
    memory.rollback("empty").unwrap();
    assert_eq!((memory.foveal_id(), memory.outline().text), (None, String::new()));
    memory.rollback("full").unwrap();
    assert_eq!(memory.foveal_id().as_deref(), Some("x"));
}

#[test]
fn twenty_snapshots_are_kept_and_the_oldest_makes_room() {
    let mut memory = Memory::default();
    for name in 0..21 {
        memory.snapshot(&format!("s{name}")).unwrap();
    }
    memory.snapshot("s5").unwrap();
    let names: Vec<&str> = memory.snapshots().map(crate::memory::Snapshot::name).collect();
    assert_eq!((names.len(), names[0], names[19]), (20, "s1", "s5"));
    let error = memory.rollback("s0").unwrap_err().to_string();
    assert!(error.contains("no snapshot \"s0\"; there are: s1, s2"), "{error}");
    assert!(memory.snapshot(" ").is_err());
}
