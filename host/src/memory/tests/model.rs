//! Random writes, snapshots and rollbacks agree with a simple model: a map of trees, copied whole.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::perceive;
use crate::memory::{Memory, ObjectId, merkle};
use crate::plist;
use crate::sexp::{Form, kw};

#[derive(Clone, Debug, PartialEq)]
struct Node {
    id: String,
    content: String,
    children: Vec<Node>,
}

#[derive(Clone, Debug)]
enum Step {
    Write(&'static str, Vec<Node>),
    /// The same, in an overlay that is dropped.
    Drop(&'static str, Vec<Node>),
    Focus(String),
    Snapshot(&'static str),
    Rollback(&'static str),
}

type Model = BTreeMap<String, Vec<Node>>;

fn node() -> impl Strategy<Value = Node> {
    let leaf = (0u8..12, 0u8..3).prop_map(|(id, content)| Node {
        id: format!("n{id}"),
        content: format!("t{content}"),
        children: vec![],
    });
    leaf.prop_recursive(3, 10, 3, |inner| {
        (0u8..12, 0u8..3, proptest::collection::vec(inner, 0..3)).prop_map(|(id, content, children)| Node {
            id: format!("n{id}"),
            content: format!("t{content}"),
            children,
        })
    })
}

/// Nodes of which no two have one id.
fn nodes() -> impl Strategy<Value = Vec<Node>> {
    proptest::collection::vec(node(), 0..4).prop_map(|mut nodes| {
        unique(&mut nodes, &mut BTreeSet::new());
        nodes
    })
}

fn unique(nodes: &mut Vec<Node>, seen: &mut BTreeSet<String>) {
    nodes.retain_mut(|node| {
        let new = seen.insert(node.id.clone());
        if new {
            unique(&mut node.children, seen);
        }
        new
    });
}

fn step() -> impl Strategy<Value = Step> {
    let path = || prop_oneof![Just("a.org"), Just("b.org"), Just("c.org")];
    let name = || prop_oneof![Just("one"), Just("two")];
    prop_oneof![
        5 => (path(), nodes()).prop_map(|(path, nodes)| Step::Write(path, nodes)),
        1 => (path(), nodes()).prop_map(|(path, nodes)| Step::Drop(path, nodes)),
        1 => (0u8..12).prop_map(|id| Step::Focus(format!("n{id}"))),
        1 => name().prop_map(Step::Snapshot),
        1 => name().prop_map(Step::Rollback),
    ]
}

fn form(node: &Node) -> Form {
    let children: Vec<Form> = node.children.iter().map(form).collect();
    plist!("ID" => &node.id, "CONTENT" => &node.content, "CHILDREN" => children)
}

fn payload(path: &str, nodes: &[Node]) -> String {
    let nodes: Vec<Form> = nodes.iter().map(form).collect();
    plist!("SENSOR" => kw("BUFFER-UPDATE"), "PATH" => path, "NODES" => nodes).to_string()
}

fn ids(nodes: &[Node], out: &mut BTreeSet<String>) {
    for node in nodes {
        out.insert(node.id.clone());
        ids(&node.children, out);
    }
}

fn without(nodes: &mut Vec<Node>, moved: &BTreeSet<String>) {
    nodes.retain(|node| !moved.contains(&node.id));
    nodes.iter_mut().for_each(|node| without(&mut node.children, moved));
}

fn write(model: &mut Model, path: &str, nodes: &[Node]) {
    let mut moved = BTreeSet::new();
    ids(nodes, &mut moved);
    model.values_mut().for_each(|own| without(own, &moved));
    model.insert(path.to_owned(), nodes.to_vec());
}

fn tree(memory: &Memory, id: &ObjectId) -> Node {
    let object = memory.get(id.as_str()).unwrap();
    let children = object.children.iter().map(|child| tree(memory, child)).collect();
    Node {
        id: id.to_string(),
        content: object.content.to_string(),
        children,
    }
}

/// What memory holds, after a look at what must always be so.
fn held(memory: &Memory) -> Model {
    for object in memory.state.store.iter() {
        let children: Vec<_> = object
            .children
            .iter()
            .map(|id| memory.get(id.as_str()).unwrap())
            .collect();
        let hashes: Vec<_> = children.iter().map(|child| child.hash).collect();
        let hash = merkle::hash(&object.id, &object.kind, &object.attributes, &object.content, &hashes);
        assert_eq!(object.hash, hash, "the hash of {} is that of its tree", object.id);
        assert!(object.version <= memory.state.version && object.version > 0);
        for (at, child) in children.iter().enumerate() {
            assert_eq!(child.place.parent.as_ref(), Some(&object.id));
            assert_eq!(
                child.place.previous.as_ref(),
                at.checked_sub(1).map(|at| &object.children[at])
            );
            assert_eq!(child.place.next.as_ref(), object.children.get(at + 1));
            assert_eq!(child.origin, object.origin);
        }
    }
    memory
        .state
        .store
        .buffers()
        .map(|root| (root.origin.name().to_string(), tree(memory, &root.id).children))
        .collect()
}

fn count(model: &Model) -> usize {
    let mut all = BTreeSet::new();
    model.values().for_each(|nodes| ids(nodes, &mut all));
    all.len() + model.len()
}

proptest! {
    #[test]
    fn memory_agrees_with_a_map_that_is_copied_whole(steps in proptest::collection::vec(step(), 1..24)) {
        let mut memory = Memory::default();
        let mut model = Model::new();
        let mut snapshots: BTreeMap<&str, Model> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Write(path, nodes) => {
                    perceive(&mut memory, &payload(path, &nodes));
                    write(&mut model, path, &nodes);
                }
                Step::Drop(path, nodes) => {
                    let mut overlay = memory.overlay();
                    overlay.perceive(&crate::sexp::read(&payload(path, &nodes)).unwrap()).unwrap();
                }
                Step::Focus(id) => {
                    let mut overlay = memory.overlay();
                    let known = overlay.perceive(&plist!("SENSOR" => kw("POINT-UPDATE"), "ID" => &id)).is_ok();
                    prop_assert_eq!(known, memory.get(&id).is_some());
                    memory.commit(overlay);
                    prop_assert!(!known || memory.foveal_id() == Some(id));
                }
                Step::Snapshot(name) => {
                    memory.snapshot(name).unwrap();
                    snapshots.insert(name, model.clone());
                }
                Step::Rollback(name) => match snapshots.get(name) {
                    Some(snapshot) => {
                        memory.rollback(name).unwrap();
                        model = snapshot.clone();
                    }
                    None => prop_assert!(memory.rollback(name).is_err()),
                },
            }
            prop_assert_eq!(&held(&memory), &model);
            prop_assert_eq!(memory.len(), count(&model));
        }
    }
}
