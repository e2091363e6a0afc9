//! Symbols, and what belongs to them.

use super::{Builtin, argument, plain};
use crate::fault::{Fault, Outcome};
use crate::symbols::Home;
use crate::value::{NIL, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("SYMBOL-NAME", 1, Some(1), |world, arguments| {
        let id = world.symbol(arguments[0])?;
        let name = world.symbols.get(id).name.clone();
        world.new_text(&name)
    }),
    plain("INTERN", 1, Some(2), |world, arguments| {
        let name = name(world, arguments[0])?;
        match argument(arguments, 1) {
            Value::Symbol(id) if world.symbols.get(id).name == "KEYWORD" => world.keyword(&name),
            _ => world.symbols.intern(&name).map(Value::Symbol),
        }
    }),
    plain("MAKE-SYMBOL", 1, Some(1), |world, arguments| {
        let name = name(world, arguments[0])?;
        world.symbols.uninterned(&name).map(Value::Symbol)
    }),
    plain("GENSYM", 0, Some(1), |world, arguments| {
        let prefix = match arguments.first() {
            Some(&prefix) if world.text(prefix).is_some() => name(world, prefix)?,
            _ => "G".to_owned(),
        };
        world.symbols.gensym(&prefix).map(Value::Symbol)
    }),
    plain("SYMBOL-VALUE", 1, Some(1), |world, arguments| {
        let id = world.symbol(arguments[0])?;
        world.symbols.get(id).value.ok_or_else(|| {
            Fault::new(
                "UNBOUND-VARIABLE",
                format!("The variable {} is unbound.", world.qualified(id)),
            )
        })
    }),
    plain("SET", 2, Some(2), |world, arguments| {
        let id = world.symbol(arguments[0])?;
        if world.symbols.get(id).constant {
            let shown = world.shown(arguments[0]);
            return Err(Fault::program(format!("{shown} is a constant and thus can't be set.")));
        }
        world.symbols.get_mut(id).value = Some(arguments[1]);
        Ok(arguments[1])
    }),
    plain("SYMBOL-PLIST", 1, Some(1), |world, arguments| {
        let id = world.symbol(arguments[0])?;
        Ok(world.symbols.get(id).properties)
    }),
    plain("%SET-SYMBOL-PLIST", 2, Some(2), |world, arguments| {
        let id = world.symbol(arguments[0])?;
        world.symbols.get_mut(id).properties = arguments[1];
        Ok(arguments[1])
    }),
    plain("MAKUNBOUND", 1, Some(1), |world, arguments| {
        let id = own(world, arguments[0])?;
        world.symbols.get_mut(id).value = None;
        Ok(arguments[0])
    }),
    plain("FMAKUNBOUND", 1, Some(1), |world, arguments| {
        let id = own(world, arguments[0])?;
        world.symbols.get_mut(id).operator = None;
        Ok(arguments[0])
    }),
];

fn name(world: &World, value: Value) -> Outcome<String> {
    match world.text(value) {
        Some(text) => Ok(text.iter().collect()),
        None => Err(world.wrong_type(value, "STRING")),
    }
}

/// A symbol that is not part of the language.
fn own(world: &World, value: Value) -> Outcome<crate::value::SymbolId> {
    let id = world.symbol(value)?;
    if value != NIL && world.symbols.get(id).home != Home::Lisp {
        return Ok(id);
    }
    Err(Fault::new(
        "PACKAGE-LOCK-VIOLATION",
        format!("{} belongs to the language.", world.shown(value)),
    ))
}
