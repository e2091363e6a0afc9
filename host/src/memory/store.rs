//! The tree of memory objects, in persistent maps: a copy of the whole is a copy of two pointers, and a change copies
//! only the path to what it changes.
//!
//! A buffer is written whole, children before parents. What did not change is not touched: it keeps its version, its
//! hash and its place in memory. Hashes are renewed only where something changed and on the way up from there.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rpds::{HashTrieMapSync, RedBlackTreeMapSync};

use super::ingest::{Buffer, Node};
use super::merkle;
use super::object::{Object, ObjectId, Origin, Place};
use crate::sexp::{Digest, Text};

/// Where the nodes of a buffer begin, sorted by line.
type Lines = Arc<[(u32, ObjectId)]>;

/// All objects. Cheap to clone; a clone is never changed by what happens to the other.
#[derive(Clone, Debug)]
pub(super) struct Store {
    objects: HashTrieMapSync<ObjectId, Arc<Object>>,
    buffers: RedBlackTreeMapSync<Text, Lines>,
    /// How many objects each skill keeps.
    kept: RedBlackTreeMapSync<Text, usize>,
}

/// What became of one node.
struct Written {
    hash: Digest,
    /// Whether it has another hash than before.
    renewed: bool,
}

impl Default for Store {
    fn default() -> Store {
        Store {
            objects: HashTrieMapSync::new_sync(),
            buffers: RedBlackTreeMapSync::new_sync(),
            kept: RedBlackTreeMapSync::new_sync(),
        }
    }
}

impl Store {
    /// The object with this id.
    pub(super) fn get(&self, id: &ObjectId) -> Option<&Arc<Object>> {
        self.objects.get(id)
    }

    /// How many objects there are.
    pub(super) fn len(&self) -> usize {
        self.objects.size()
    }

    /// All objects, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.objects.values()
    }

    /// How many objects the skill `skill` keeps.
    pub(super) fn kept_by(&self, skill: &str) -> usize {
        self.kept.get(skill).copied().unwrap_or(0)
    }

    /// Keeps one object of a skill's, in place of an earlier one of its id. Returns whether anything changed.
    pub(super) fn keep(&mut self, node: &Node, origin: &Origin, version: u64) -> bool {
        if self.get(&node.id).is_none() {
            let skill = origin.name();
            self.kept.insert_mut(skill.clone(), self.kept_by(skill) + 1);
        }
        self.put(node, origin, Place::default(), version).renewed
    }

    /// The objects that stand for whole buffers, by path.
    pub(super) fn buffers(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.buffers
            .keys()
            .filter_map(|path| self.get(&ObjectId::of_buffer(path)))
    }

    /// The node at a line, counted from 1, of a buffer: the last that begins there or before. The buffer itself where
    /// no node is known to, or no line is given.
    pub(super) fn at_line(&self, path: &str, line: Option<u32>) -> Option<&Arc<Object>> {
        let lines = self.buffers.get(path)?;
        let before = line.map_or(0, |line| lines.partition_point(|(begins, _)| *begins <= line));
        let node = before.checked_sub(1).and_then(|at| self.get(&lines[at].1));
        // A node may have moved to another buffer since.
        node.filter(|object| object.origin == Origin::Buffer(path.into()))
            .or_else(|| self.get(&ObjectId::of_buffer(path)))
    }

    /// Makes the buffer what the editor says it is. A node that another buffer had, with the same id, moves here.
    /// Returns whether any object changed; `version` is for those that did.
    pub(super) fn write(&mut self, buffer: &Buffer, version: u64) -> bool {
        let own = self.tree(&buffer.root.id);
        let moved: Vec<ObjectId> = buffer
            .ids
            .iter()
            .filter(|id| !own.contains(*id) && self.get(id).is_some())
            .cloned()
            .collect();
        let mut gone = own;
        for id in &moved {
            if !gone.contains(id) {
                gone.extend(self.tree(id));
            }
        }
        let donors = self.take_from_parents(&moved, |id| gone.contains(id) || buffer.ids.contains(id), version);
        let written = self.put(
            &buffer.root,
            &Origin::Buffer(buffer.path.clone()),
            Place::default(),
            version,
        );
        for id in gone.iter().filter(|id| !buffer.ids.contains(*id)) {
            self.objects.remove_mut(id);
        }
        let given = !donors.is_empty();
        self.renew(donors);
        if self.buffers.get(&buffer.path) != Some(&buffer.lines) {
            self.buffers.insert_mut(buffer.path.clone(), buffer.lines.clone());
        }
        written.renewed || given
    }

    /// The ids of an object and of all below it.
    fn tree(&self, root: &ObjectId) -> HashSet<ObjectId> {
        let mut ids = HashSet::new();
        let mut open = vec![root.clone()];
        while let Some(id) = open.pop() {
            if let Some(object) = self.get(&id) {
                open.extend(object.children.iter().cloned());
                ids.insert(id);
            }
        }
        ids
    }

    /// Takes the objects `moved` out of the lists of those parents that stay, and returns these parents.
    fn take_from_parents(
        &mut self,
        moved: &[ObjectId],
        leaves: impl Fn(&ObjectId) -> bool,
        version: u64,
    ) -> HashSet<ObjectId> {
        let moved: HashSet<&ObjectId> = moved.iter().collect();
        let parents = moved.iter().filter_map(|id| self.get(id)?.place.parent.clone());
        let donors: HashSet<ObjectId> = parents.filter(|parent| !leaves(parent)).collect();
        for donor in &donors {
            let Some(object) = self.get(donor) else { continue };
            let children: Arc<[ObjectId]> = object
                .children
                .iter()
                .filter(|child| !moved.contains(child))
                .cloned()
                .collect();
            let changed = Object {
                children: children.clone(),
                version,
                ..Object::clone(object)
            };
            self.objects.insert_mut(donor.clone(), Arc::new(changed));
            for (at, child) in children.iter().enumerate() {
                let place = place(Some(donor), at, |at| children.get(at));
                if let Some(object) = self.get(child).filter(|object| object.place != place) {
                    let object = Object {
                        place,
                        ..Object::clone(object)
                    };
                    self.objects.insert_mut(child.clone(), Arc::new(object));
                }
            }
        }
        donors
    }

    /// Writes a node after its children.
    fn put(&mut self, node: &Node, origin: &Origin, place_here: Place, version: u64) -> Written {
        let mut hashes = Vec::with_capacity(node.children.len());
        let mut renewed = false;
        for (at, child) in node.children.iter().enumerate() {
            let place = place(Some(&node.id), at, |at| node.children.get(at).map(|node| &node.id));
            let child = self.put(child, origin, place, version);
            renewed |= child.renewed;
            hashes.push(child.hash);
        }
        let existing = self.get(&node.id).filter(|object| says_the_same(object, node)).cloned();
        let object = match existing {
            Some(object) if !renewed && object.place == place_here && object.origin == *origin => {
                return Written {
                    hash: object.hash,
                    renewed: false,
                };
            }
            Some(object) => {
                let hash = if renewed { hash(&object, &hashes) } else { object.hash };
                Object {
                    hash,
                    place: place_here,
                    origin: origin.clone(),
                    ..Object::clone(&object)
                }
            }
            None => {
                renewed = true;
                Object {
                    id: node.id.clone(),
                    kind: node.kind.clone(),
                    attributes: node.attributes.clone(),
                    content: node.content.clone(),
                    place: place_here,
                    children: node.children.iter().map(|child| child.id.clone()).collect(),
                    version,
                    hash: merkle::hash(&node.id, &node.kind, &node.attributes, &node.content, &hashes),
                    origin: origin.clone(),
                    privacy: node.privacy.clone(),
                }
            }
        };
        let hash = object.hash;
        self.objects.insert_mut(node.id.clone(), Arc::new(object));
        Written { hash, renewed }
    }

    /// Renews the hashes of these objects and of all above them, each once, the deepest first.
    fn renew(&mut self, changed: HashSet<ObjectId>) {
        let mut depths: HashMap<ObjectId, usize> = HashMap::new();
        for id in changed {
            let mut path = Vec::new();
            let mut above = Some(id);
            while let Some(id) = above.take_if(|id| !depths.contains_key(id)) {
                above = self.get(&id).and_then(|object| object.place.parent.clone());
                path.push(id);
            }
            let top = above
                .and_then(|id| depths.get(&id).copied())
                .map_or(0, |depth| depth + 1);
            depths.extend(path.into_iter().rev().zip(top..));
        }
        let mut stale: Vec<(usize, ObjectId)> = depths.into_iter().map(|(id, depth)| (depth, id)).collect();
        stale.sort_by(|a, b| b.cmp(a));
        for (_, id) in stale {
            let Some(object) = self.get(&id) else { continue };
            let hashes: Vec<Digest> = object
                .children
                .iter()
                .filter_map(|child| self.get(child))
                .map(|child| child.hash)
                .collect();
            let object = Object {
                hash: hash(object, &hashes),
                ..Object::clone(object)
            };
            self.objects.insert_mut(id, Arc::new(object));
        }
    }
}

/// The place of the child at `at` among those that `sibling` gives.
fn place<'a>(parent: Option<&ObjectId>, at: usize, sibling: impl Fn(usize) -> Option<&'a ObjectId>) -> Place {
    Place {
        parent: parent.cloned(),
        previous: at.checked_sub(1).and_then(&sibling).cloned(),
        next: sibling(at + 1).cloned(),
    }
}

/// Whether an object says what the node says, apart from what stands below it.
fn says_the_same(object: &Object, node: &Node) -> bool {
    object.kind == node.kind
        && object.attributes == node.attributes
        && object.content == node.content
        && object.children.iter().eq(node.children.iter().map(|child| &child.id))
}

fn hash(object: &Object, children: &[Digest]) -> Digest {
    merkle::hash(&object.id, &object.kind, &object.attributes, &object.content, children)
}

#[cfg(test)]
impl Store {
    /// Whether both share one map, without a copy of anything in it.
    pub(super) fn is_copy_of(&self, other: &Store) -> bool {
        self.objects.ptr_eq(&other.objects) && self.buffers.ptr_eq(&other.buffers)
    }
}
