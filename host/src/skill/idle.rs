//! What a skill asks for or imports, and can make no use of: its author believes that it can, and its operator would grant it.

use std::collections::BTreeMap;

use super::describe::Description;
use super::right::Right;
use crate::capability::{Class, Interface};

/// One sentence about what it can never call, and one for each interface without which what it asks for changes nothing.
pub(super) fn idle(imports: &[Interface], description: &Description) -> Vec<String> {
    let mut asked: BTreeMap<Interface, Vec<String>> = BTreeMap::new();
    for right in &description.rights {
        if let Some(own) = interface(right) {
            asked.entry(own).or_default().push(right.to_string());
        }
    }
    let mut told = Vec::new();
    if !description.acts() {
        let imported = imports.iter().copied();
        let mut beyond: Vec<Interface> = imported.chain(asked.keys().copied()).collect();
        beyond.retain(|own| !own.is_pure());
        beyond.sort();
        beyond.dedup();
        if !beyond.is_empty() {
            let names: Vec<&str> = beyond.into_iter().map(Interface::name).collect();
            told.push(format!(
                "it uses {}, and has neither `act` nor a tool: a gate, a trigger, a prompt or a mandate that calls it fails, \
                 whatever is granted, so that it waits for no grant of it",
                names.join(", ")
            ));
        }
        asked.retain(|own, _| own.is_pure());
    }
    let has = |wanted: Interface| imports.contains(&wanted);
    let unused = asked.into_iter().filter(|(own, _)| match own {
        // A secret may also stand in the header of a request, of which no import tells.
        Interface::Vault => !has(Interface::Vault) && !has(Interface::Http),
        // What an earlier build has scheduled goes on with the right.
        Interface::Schedule => false,
        own => !has(*own),
    });
    told.extend(unused.map(|(own, rights)| {
        format!(
            "it asks for {} and imports no `{own}`, so that granting it changes nothing: {}",
            rights.join(", "),
            instead(own)
        )
    }));
    told
}

/// The interface by which a right is used; nothing for a right of influence.
fn interface(right: &Right) -> Option<Interface> {
    match right {
        Right::Process => Some(Interface::Process),
        Right::ContainsSecret => Some(Interface::Secrets),
        Right::Capability(bound) => Some(match bound.class() {
            Class::Files => Interface::Files,
            Class::Http => Interface::Http,
            Class::Memory => Interface::Memory,
            Class::Model => Interface::Model,
            Class::Vault => Interface::Vault,
            Class::Schedule => Interface::Schedule,
        }),
        Right::Revise | Right::Recover | Right::Heartbeat | Right::Target { .. } | Right::Tool(_) => None,
    }
}

/// What to call, where a language has something of its own that reaches nothing here.
fn instead(own: Interface) -> String {
    let own_way = match own {
        Interface::Files => "std::fs reaches nothing here, ",
        Interface::Http => "std::net reaches nothing here, ",
        Interface::Process => "std::process starts nothing here, ",
        _ => "",
    };
    format!("{own_way}use passepartout_sdk::{own}")
}
