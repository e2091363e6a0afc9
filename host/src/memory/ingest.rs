//! What an editor's `:buffer-update` and `:point-update` mean, read from their payloads and checked whole before
//! anything is written.
//!
//! A buffer comes as `:NODES`, a list of nodes; as `:TEXT`, one object; or as `:AST`, the tree that the original's
//! Emacs client sends. A node without an id gets one that is the same the next time and that no other node has.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::MemoryError;
use super::object::{Attributes, ObjectId, title};
use super::privacy::PrivacyTags;
use crate::sexp::{Digest, Form, Name, Text};

/// Deepest nesting of nodes. The wire bounds forms to 100 lists; what is built in the process is bounded here.
const DEPTH: usize = 100;

/// Longest path, in bytes: the longest that Linux opens.
const PATH_BYTES: usize = 4096;

const NODE_KEYS: &[&str] = &[
    "ID",
    "TYPE",
    "ATTRIBUTES",
    "PROPERTIES",
    "CONTENT",
    "RAW-CONTENT",
    "CHILDREN",
    "CONTENTS",
    "LINE",
    "TAGS",
];

/// What a payload asks of memory.
#[derive(Clone, Debug)]
pub(super) enum Update {
    /// The buffer is this now.
    Buffer(Buffer),
    /// The focus moves there.
    Focus(Target),
}

/// Where the focus moves.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// To an object.
    Id(ObjectId),
    /// To what stands at a line, counted from 1, of a buffer; without a line to the buffer itself.
    Line(Text, Option<u32>),
}

/// A whole buffer.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) path: Text,
    pub(super) root: Node,
    /// The ids of all nodes, the root's among them.
    pub(super) ids: HashSet<ObjectId>,
    /// Where nodes begin, as far as the editor says so, sorted.
    pub(super) lines: Arc<[(u32, ObjectId)]>,
}

/// One node of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) id: ObjectId,
    pub(super) kind: Name,
    pub(super) attributes: Attributes,
    pub(super) content: Text,
    pub(super) privacy: Arc<[Text]>,
    pub(super) children: Vec<Node>,
}

/// Reads a payload. None for sensors that mean nothing to memory.
pub(super) fn read(payload: &Form, privacy: &PrivacyTags) -> Result<Option<Update>, MemoryError> {
    match payload.get("SENSOR") {
        Some(sensor) if sensor.is_kw("BUFFER-UPDATE") => {
            payload.check_plist(":PAYLOAD")?;
            buffer(payload, privacy).map(|buffer| Some(Update::Buffer(buffer)))
        }
        Some(sensor) if sensor.is_kw("POINT-UPDATE") => {
            payload.check_plist(":PAYLOAD")?;
            target(payload).map(|target| Some(Update::Focus(target)))
        }
        _ => Ok(None),
    }
}

fn target(payload: &Form) -> Result<Target, MemoryError> {
    let element = payload.get("ELEMENT").unwrap_or(&Form::Nil);
    let id = given(payload, "ID")
        .or_else(|| given(element, "ID"))
        .or_else(|| element.at("properties.id").filter(|id| id.is_true()));
    if let Some(id) = id {
        return Ok(Target::Id(ObjectId::known(text(id, ":PAYLOAD :ID")?)));
    }
    match path(payload)? {
        Some(path) => Ok(Target::Line(path, line(payload, ":PAYLOAD")?)),
        None => Err(MemoryError::Missing {
            field: ":PAYLOAD".to_owned(),
            keys: ":ID, or :PATH and :LINE",
        }),
    }
}

fn buffer(payload: &Form, privacy: &PrivacyTags) -> Result<Buffer, MemoryError> {
    let Some(path) = path(payload)? else {
        return Err(MemoryError::Missing {
            field: ":PAYLOAD".to_owned(),
            keys: ":PATH",
        });
    };
    // `:NODES ()` is a buffer without nodes, so what counts is that the key is there.
    let (nodes, ast, whole) = (payload.get("NODES"), payload.get("AST"), payload.get("TEXT"));
    if [nodes, ast, whole].into_iter().flatten().count() != 1 {
        return Err(MemoryError::Missing {
            field: ":PAYLOAD".to_owned(),
            keys: "one of :NODES, :TEXT, :AST",
        });
    }
    let attributes = attributes(payload.get("ATTRIBUTES"), payload, ":PAYLOAD")?;
    let mut drafts = Drafts::default();
    let mut content = Text::from("");
    let mut children = Vec::new();
    if let Some(whole) = whole {
        content = text(whole, ":PAYLOAD :TEXT")?.clone();
    } else if let Some(nodes) = nodes {
        (children, content) = drafts.children(nodes, ":PAYLOAD :NODES", 0)?;
    } else if let Some(ast) = ast {
        let ast = drafts.node(ast, ":PAYLOAD :AST", 0)?;
        // Org's own root is the buffer; any other node is one of its nodes.
        if &*ast.kind == "ORG-DATA" && ast.id.is_none() {
            (content, children) = (ast.content, ast.children);
        } else {
            children.push(ast);
        }
    }
    let root = Draft {
        id: Some(ObjectId::of_buffer(&path)),
        kind: Name::new("BUFFER"),
        attributes,
        content,
        line: None,
        children,
    };
    let mut naming = Naming {
        path: &path,
        privacy,
        ids: drafts.claimed,
        lines: Vec::new(),
    };
    let root = naming.name(root, None, 0);
    let Naming { ids, mut lines, .. } = naming;
    lines.sort_by_key(|(line, _)| *line);
    Ok(Buffer {
        path,
        root,
        ids,
        lines: lines.into(),
    })
}

/// A node as it was sent: perhaps without an id.
struct Draft {
    id: Option<ObjectId>,
    kind: Name,
    attributes: Attributes,
    content: Text,
    line: Option<u32>,
    children: Vec<Draft>,
}

/// Reads nodes, and keeps the ids that they claim.
#[derive(Default)]
struct Drafts {
    claimed: HashSet<ObjectId>,
}

impl Drafts {
    /// The nodes in a list, and the texts that stand between them.
    fn children(&mut self, list: &Form, field: &str, depth: usize) -> Result<(Vec<Draft>, Text), MemoryError> {
        let items = list.items().ok_or_else(|| wrong(field, "a list of nodes", list))?;
        let mut nodes = Vec::with_capacity(items.len());
        let mut texts = String::new();
        for (at, item) in items.iter().enumerate() {
            match item {
                Form::String(text) => texts.push_str(text),
                node => nodes.push(self.node(node, &format!("{field} {at}"), depth + 1)?),
            }
        }
        Ok((nodes, texts.into()))
    }

    fn node(&mut self, form: &Form, field: &str, depth: usize) -> Result<Draft, MemoryError> {
        if depth > DEPTH {
            return Err(MemoryError::TooDeep {
                field: field.to_owned(),
                depth: DEPTH,
            });
        }
        form.check_plist(field)?;
        if let Some((key, _)) = form
            .pairs()
            .find(|(key, _)| !NODE_KEYS.iter().any(|own| own.eq_ignore_ascii_case(key)))
        {
            return Err(MemoryError::UnknownKey {
                field: field.to_owned(),
                key: key.to_owned(),
            });
        }
        let either = |key, older| given(form, key).or_else(|| given(form, older));
        let attributes = attributes(either("ATTRIBUTES", "PROPERTIES"), form, field)?;
        let id = match given(form, "ID").or_else(|| attributes.get("ID").filter(|id| id.is_true())) {
            Some(id) => Some(self.claim(id, &format!("{field} :ID"))?),
            None => None,
        };
        let kind = match given(form, "TYPE") {
            Some(kind) => kind
                .designator()
                .ok_or_else(|| wrong(&format!("{field} :TYPE"), "a keyword", kind))?,
            None => "HEADLINE",
        };
        let (children, between) = match either("CHILDREN", "CONTENTS") {
            Some(list) => self.children(list, &format!("{field} :CHILDREN"), depth)?,
            None => (Vec::new(), Text::from("")),
        };
        let content = match either("CONTENT", "RAW-CONTENT") {
            Some(content) if between.is_empty() => text(content, &format!("{field} :CONTENT"))?.clone(),
            Some(content) => format!("{}{between}", text(content, &format!("{field} :CONTENT"))?).into(),
            None => between,
        };
        let line = line(form, field)?;
        Ok(Draft {
            id,
            kind: Name::new(&kind.to_uppercase()),
            attributes,
            content,
            line,
            children,
        })
    }

    fn claim(&mut self, id: &Form, field: &str) -> Result<ObjectId, MemoryError> {
        let id = ObjectId::claimed(text(id, field)?, field)?;
        if !self.claimed.insert(id.clone()) {
            return Err(MemoryError::IdTwice {
                field: field.to_owned(),
                id,
            });
        }
        Ok(id)
    }
}

/// Gives ids to the nodes that have none.
struct Naming<'a> {
    path: &'a str,
    privacy: &'a PrivacyTags,
    ids: HashSet<ObjectId>,
    lines: Vec<(u32, ObjectId)>,
}

impl Naming<'_> {
    fn name(&mut self, draft: Draft, parent: Option<&ObjectId>, twin: usize) -> Node {
        let id = draft.id.clone().unwrap_or_else(|| self.derive(&draft, parent, twin));
        self.ids.insert(id.clone());
        self.lines.extend(draft.line.map(|line| (line, id.clone())));
        let mut twins: HashMap<(Text, Text), usize> = HashMap::new();
        let mut children = Vec::with_capacity(draft.children.len());
        for child in draft.children {
            let twin = if child.id.is_some() {
                0
            } else {
                let called = title(&child.attributes, &child.content).unwrap_or_default();
                let seen = twins.entry((child.kind.as_str().into(), called.into())).or_default();
                *seen += 1;
                *seen - 1
            };
            children.push(self.name(child, Some(&id), twin));
        }
        let privacy = self.privacy.borne(&draft.attributes, &draft.content);
        Node {
            id,
            kind: draft.kind,
            attributes: draft.attributes,
            content: draft.content,
            privacy,
            children,
        }
    }

    /// The id of a node without one: of its path, its parent, its kind, its title and how many like it stand before
    /// it. So it outlives a change of its text, and of what stands around it.
    fn derive(&self, draft: &Draft, parent: Option<&ObjectId>, twin: usize) -> ObjectId {
        let parent = parent.map(ObjectId::as_str).unwrap_or_default();
        let called = title(&draft.attributes, &draft.content).unwrap_or_default();
        let mut bytes = Vec::new();
        for part in [self.path, parent, &draft.kind, called] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        let ids = (twin as u64..).map(|twin| {
            ObjectId::derived(Digest::of(
                "passepartout-node-1",
                &[&bytes[..], &twin.to_be_bytes()].concat(),
            ))
        });
        // Another node may claim such an id for its own, having seen it once.
        let mut free = ids.skip_while(|id| self.ids.contains(id));
        free.next()
            .unwrap_or_else(|| ObjectId::derived(Digest::of("passepartout-node-1", &bytes)))
    }
}

/// The value of `key`, unless it is `NIL`.
fn given<'f>(form: &'f Form, key: &str) -> Option<&'f Form> {
    form.get(key).filter(|value| value.is_true())
}

/// The attributes in `plist`, with the `:TAGS` of the node itself among them.
pub(super) fn attributes(plist: Option<&Form>, node: &Form, field: &str) -> Result<Attributes, MemoryError> {
    let field = format!("{field} :ATTRIBUTES");
    let plist = plist.unwrap_or(&Form::Nil);
    let Some(tags) = given(node, "TAGS") else {
        return Attributes::from_plist(plist, &field);
    };
    plist.check_plist(&field)?;
    let tags = match given(plist, "TAGS") {
        Some(own) => Form::List(vec![own.clone(), tags.clone()]),
        None => tags.clone(),
    };
    Attributes::from_plist(&plist.clone().with("TAGS", tags), &field)
}

fn path(payload: &Form) -> Result<Option<Text>, MemoryError> {
    let Some(form) = given(payload, "PATH").or_else(|| given(payload, "FILE")) else {
        return Ok(None);
    };
    let path = match form {
        Form::Pathname(path) | Form::String(path) => path,
        other => return Err(wrong(":PAYLOAD :PATH", "a string", other)),
    };
    if path.trim().is_empty() || path.len() > PATH_BYTES {
        return Err(wrong(":PAYLOAD :PATH", "a path of 1 to 4096 bytes", form));
    }
    Ok(Some(path.clone()))
}

fn line(form: &Form, field: &str) -> Result<Option<u32>, MemoryError> {
    match given(form, "LINE") {
        None => Ok(None),
        Some(line) => match line
            .as_int()
            .and_then(|line| u32::try_from(line).ok())
            .filter(|line| *line > 0)
        {
            Some(line) => Ok(Some(line)),
            None => Err(wrong(&format!("{field} :LINE"), "a line, counted from 1", line)),
        },
    }
}

pub(super) fn text<'f>(form: &'f Form, field: &str) -> Result<&'f Text, MemoryError> {
    form.as_text().ok_or_else(|| wrong(field, "a string", form))
}

fn wrong(field: &str, expected: &'static str, found: &Form) -> MemoryError {
    MemoryError::Wrong {
        field: field.to_owned(),
        expected,
        found: found.shortened(40),
    }
}
