//! The printer: values to text, as SBCL prints them, without recursion and within a bound; so a circular list ends in
//! "..." and not in a full memory.

use std::fmt::Write;

use crate::arithmetic;
use crate::character;
use crate::number::{self, Number};
use crate::reader;
use crate::symbols::{Home, known};
use crate::table::TableTest;
use crate::value::{NIL, Object, ObjectId, SymbolId, Value};
use crate::world::World;

/// How values are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// As `prin1` does: `read` reads it back.
    Readable,
    /// As `princ` does: for people.
    Plain,
}

/// What remains to be printed, innermost last.
enum Job {
    Value(Value),
    /// The rest of a list, of which something was printed.
    Rest(Value),
    /// A vector's items from this place on.
    Items(ObjectId, usize),
    /// A record's slots from this place on.
    Slots(ObjectId, usize),
    Text(&'static str),
}

/// What was printed.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    pub(crate) text: String,
    /// Whether there would have been more.
    pub(crate) is_cut: bool,
    /// What it cost, in units of work.
    pub(crate) work: usize,
}

/// The text of `value`, cut at `characters` with "..." at its end.
pub(crate) fn print_within(world: &World, value: Value, style: Style, characters: usize) -> String {
    let mut printed = print(world, value, style, characters);
    if printed.is_cut {
        printed.text.push_str("...");
    }
    printed.text
}

/// Prints `value`, up to so many characters.
pub(crate) fn print(world: &World, value: Value, style: Style, characters: usize) -> Printed {
    let mut out = Printed::default();
    let mut jobs = vec![Job::Value(value)];
    while let Some(job) = jobs.pop() {
        out.work += 1;
        match job {
            Job::Text(text) => out.text.push_str(text),
            Job::Value(value) => {
                out.work += work_of(world, value);
                print_value(world, value, style, &mut out.text, &mut jobs);
            }
            Job::Rest(rest) => match world.heap.parts(rest) {
                Some((car, cdr)) => {
                    out.text.push(' ');
                    jobs.push(Job::Rest(cdr));
                    jobs.push(Job::Value(car));
                }
                None if rest == NIL => out.text.push(')'),
                None => {
                    out.text.push_str(" . ");
                    jobs.push(Job::Text(")"));
                    jobs.push(Job::Value(rest));
                }
            },
            Job::Items(id, place) => print_item(world, id, place, &mut out.text, &mut jobs),
            Job::Slots(id, place) => print_slot(world, id, place, &mut out.text, &mut jobs),
        }
        // Bytes are never fewer than characters, and cheap to count.
        if out.text.len() > characters
            && let Some((at, _)) = out.text.char_indices().nth(characters)
        {
            out.text.truncate(at);
            out.is_cut = true;
            break;
        }
    }
    out.work += out.text.len() / 8;
    out
}

/// What it costs to print a number, beyond its text. Floats take longer the farther they are from one.
fn work_of(world: &World, value: Value) -> usize {
    match Number::of(&world.heap, value) {
        Some(number) if number.is_float() => 50 + number.to_double().abs().log2().abs().min(1_100.0) as usize,
        Some(number) => arithmetic::square_cost(number.bits()),
        None => 0,
    }
}

fn print_value(world: &World, value: Value, style: Style, out: &mut String, jobs: &mut Vec<Job>) {
    match value {
        Value::Symbol(id) => print_symbol(world, id, style, out),
        Value::Integer(integer) => append(out, format_args!("{integer}")),
        Value::Single(float) => out.push_str(&number::print_float(&Number::Single(float))),
        Value::Double(float) => out.push_str(&number::print_float(&Number::Double(float))),
        Value::Character(character) if style == Style::Plain => out.push(character),
        Value::Character(character) => append(out, format_args!("#\\{}", character::name(character))),
        Value::Native(place) => append(out, format_args!("#<FUNCTION {}>", crate::builtins::name(place))),
        Value::Cons(_) => print_cons(world, value, out, jobs),
        Value::Object(id) => print_object(world, id, style, out, jobs),
    }
}

fn print_cons(world: &World, value: Value, out: &mut String, jobs: &mut Vec<Job>) {
    if let Some((name, thing)) = reader::quoted(world, value) {
        let prefix = match name {
            known::QUOTE => "'",
            known::FUNCTION => "#'",
            known::QUASIQUOTE => "`",
            known::UNQUOTE => ",",
            known::UNQUOTE_SPLICING => ",@",
            _ => "",
        };
        if !prefix.is_empty() {
            out.push_str(prefix);
            jobs.push(Job::Value(thing));
            return;
        }
    }
    if let Some((car, cdr)) = world.heap.parts(value) {
        out.push('(');
        jobs.push(Job::Rest(cdr));
        jobs.push(Job::Value(car));
    }
}

fn print_object(world: &World, id: ObjectId, style: Style, out: &mut String, jobs: &mut Vec<Job>) {
    match world.heap.get(id) {
        Object::Text(characters) if style == Style::Plain => out.extend(characters),
        Object::Text(characters) => {
            out.push('"');
            for &character in characters {
                if matches!(character, '"' | '\\') {
                    out.push('\\');
                }
                out.push(character);
            }
            out.push('"');
        }
        Object::Vector(_) => {
            out.push_str("#(");
            jobs.push(Job::Items(id, 0));
        }
        Object::Exact(exact) => out.push_str(&number::print_rational(exact, 10)),
        Object::Table(table) => {
            let test = match table.test {
                TableTest::Eql => "EQL",
                TableTest::Equal => "EQUAL",
            };
            append(out, format_args!("#<HASH-TABLE :TEST {test} :COUNT {}>", table.count()));
        }
        Object::Closure(closure) if closure.name == NIL => out.push_str("#<FUNCTION (LAMBDA)>"),
        Object::Closure(closure) => {
            out.push_str("#<FUNCTION ");
            jobs.push(Job::Text(">"));
            jobs.push(Job::Value(closure.name));
        }
        Object::Condition(_, text) if style == Style::Plain => out.push_str(text),
        Object::Condition(kind, text) => {
            out.push_str("#<");
            print_symbol(world, *kind, style, out);
            append(out, format_args!(" \"{text}\">"));
        }
        Object::Stream(_) => out.push_str("#<STRING-OUTPUT-STREAM>"),
        Object::Record(name, _) => {
            out.push_str("#S(");
            print_symbol(world, *name, style, out);
            jobs.push(Job::Slots(id, 0));
        }
        Object::Binding(_) | Object::Cons(..) | Object::Free(_) => out.push_str("#<UNREADABLE>"),
    }
}

fn print_item(world: &World, id: ObjectId, place: usize, out: &mut String, jobs: &mut Vec<Job>) {
    let Object::Vector(items) = world.heap.get(id) else {
        return;
    };
    match items.get(place) {
        Some(&item) => {
            if place > 0 {
                out.push(' ');
            }
            jobs.push(Job::Items(id, place + 1));
            jobs.push(Job::Value(item));
        }
        None => out.push(')'),
    }
}

fn print_slot(world: &World, id: ObjectId, place: usize, out: &mut String, jobs: &mut Vec<Job>) {
    let Object::Record(name, slots) = world.heap.get(id) else {
        return;
    };
    match slots.get(place) {
        Some(&slot) => {
            out.push_str(" :");
            if let Some(slot_name) = crate::builtins::record::slot_name(world, *name, place) {
                // Slots are named by symbols; the colon is printed, the name follows without one.
                out.push_str(&world.symbols.get(slot_name).name);
            }
            out.push(' ');
            jobs.push(Job::Slots(id, place + 1));
            jobs.push(Job::Value(slot));
        }
        None => out.push(')'),
    }
}

fn print_symbol(world: &World, id: SymbolId, style: Style, out: &mut String) {
    let symbol = world.symbols.get(id);
    if style == Style::Plain {
        out.push_str(&symbol.name);
        return;
    }
    match symbol.home {
        Home::Keyword => out.push(':'),
        Home::Uninterned => out.push_str("#:"),
        Home::Lisp | Home::User => {}
    }
    if reader::reads_back(&symbol.name) {
        out.push_str(&symbol.name);
        return;
    }
    out.push('|');
    for character in symbol.name.chars() {
        if matches!(character, '|' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('|');
}

fn append(out: &mut String, text: std::fmt::Arguments) {
    // Writing to a string can't fail.
    let _ = out.write_fmt(text);
}
