//! The builtin functions, by family. A builtin function works on the world and can't call back into the program;
//! functions that take functions are written in Lisp, in the prelude.

mod characters;
mod control;
mod equality;
mod lists;
mod numbers;
mod output;
mod predicates;
pub(crate) mod record;
mod rounding;
mod sequences;
mod strings;
mod symbols;
mod tables;

use crate::fault::{Fault, Outcome};
use crate::number::Number;
use crate::symbols::Operator;
use crate::value::{NIL, Value};
use crate::world::World;

pub(crate) use equality::eql;
pub(crate) use strings::capitalized;

/// A builtin function.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    /// The least number of arguments.
    pub(crate) least: usize,
    /// The most, if there is one.
    pub(crate) most: Option<usize>,
    pub(crate) run: Run,
}

/// How it is run.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    Plain(fn(&mut World, &[Value]) -> Outcome<Value>),
    /// It may give several values.
    Multiple(fn(&mut World, &[Value]) -> Outcome<Vec<Value>>),
    /// A predicate of one argument.
    Test(fn(&World, Value) -> bool),
    /// The machine itself does it.
    Machine(MachineCall),
}

/// What only the machine can do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MachineCall {
    Funcall,
    Apply,
    Values,
    Eval,
    MacroExpandOnce,
    FunctionOf,
}

const FAMILIES: &[&[Builtin]] = &[
    control::FUNCTIONS,
    numbers::FUNCTIONS,
    rounding::FUNCTIONS,
    predicates::FUNCTIONS,
    lists::FUNCTIONS,
    sequences::FUNCTIONS,
    strings::FUNCTIONS,
    characters::FUNCTIONS,
    symbols::FUNCTIONS,
    tables::FUNCTIONS,
    record::FUNCTIONS,
    output::FUNCTIONS,
];

/// Room for functions in one family.
const FAMILY: u16 = 256;

const fn plain(
    name: &'static str,
    least: usize,
    most: Option<usize>,
    run: fn(&mut World, &[Value]) -> Outcome<Value>,
) -> Builtin {
    Builtin {
        name,
        least,
        most,
        run: Run::Plain(run),
    }
}

const fn multiple(
    name: &'static str,
    least: usize,
    most: Option<usize>,
    run: fn(&mut World, &[Value]) -> Outcome<Vec<Value>>,
) -> Builtin {
    Builtin {
        name,
        least,
        most,
        run: Run::Multiple(run),
    }
}

/// The builtin function at this place.
pub(crate) fn get(place: u16) -> &'static Builtin {
    &FAMILIES[(place / FAMILY) as usize][(place % FAMILY) as usize]
}

/// Its name.
pub(crate) fn name(place: u16) -> &'static str {
    get(place).name
}

/// Makes all of them known by name.
pub(crate) fn install(world: &mut World) -> Outcome<()> {
    for (family, functions) in FAMILIES.iter().enumerate() {
        for (place, builtin) in functions.iter().enumerate() {
            let id = world.symbols.intern(builtin.name)?;
            let place = family as u16 * FAMILY + place as u16;
            world.symbols.get_mut(id).operator = Some(Operator::Function(Value::Native(place)));
        }
    }
    for (name, value) in [
        ("*STANDARD-OUTPUT*", crate::value::T),
        ("PI", Value::Double(std::f64::consts::PI)),
        ("MOST-POSITIVE-FIXNUM", Value::Integer((1 << 62) - 1)),
        ("MOST-NEGATIVE-FIXNUM", Value::Integer(-(1 << 62))),
    ] {
        let id = world.symbols.intern(name)?;
        let symbol = world.symbols.get_mut(id);
        symbol.value = Some(value);
        (symbol.special, symbol.constant) = (name.starts_with('*'), !name.starts_with('*'));
    }
    Ok(())
}

/// The argument at a place, NIL when it was not given.
fn argument(arguments: &[Value], place: usize) -> Value {
    arguments.get(place).copied().unwrap_or(NIL)
}

impl World {
    /// The number that this value is.
    fn number(&self, value: Value) -> Outcome<Number> {
        Number::of(&self.heap, value).ok_or_else(|| self.wrong_type(value, "NUMBER"))
    }

    /// The small integer that this value is.
    fn integer(&self, value: Value) -> Outcome<i64> {
        match value {
            Value::Integer(integer) => Ok(integer),
            _ => Err(self.wrong_type(value, "FIXNUM")),
        }
    }

    /// The index or count that this value is.
    fn index(&self, value: Value) -> Outcome<usize> {
        match value {
            Value::Integer(integer) => usize::try_from(integer).map_err(|_| self.wrong_type(value, "UNSIGNED-BYTE")),
            _ => Err(self.wrong_type(value, "UNSIGNED-BYTE")),
        }
    }

    /// The value behind `key` in the keyword arguments.
    fn key(&mut self, arguments: &[Value], key: &str) -> Outcome<Option<Value>> {
        let key = self.keyword(key)?;
        let mut pairs = arguments.chunks_exact(2);
        Ok(pairs.find(|pair| pair[0] == key).map(|pair| pair[1]))
    }

    /// Start and end within `length`, from two values of which NIL means the end.
    fn range(&self, start: Value, end: Value, length: usize) -> Outcome<std::ops::Range<usize>> {
        let begin = if start == NIL { 0 } else { self.index(start)? };
        let stop = if end == NIL { length } else { self.index(end)? };
        if begin > stop || stop > length {
            return Err(Fault::new(
                "BOUNDING-INDICES-BAD-ERROR",
                format!("The bounding indices {begin} and {stop} are bad for a sequence of length {length}."),
            ));
        }
        Ok(begin..stop)
    }
}
