//! Printing, and reading back what was printed.

use super::{Builtin, argument, multiple, plain};
use crate::bounds::SEQUENCE_ITEMS;
use crate::fault::{Fault, Outcome};
use crate::format;
use crate::printer::{self, Style};
use crate::reader::Reader;
use crate::value::{NIL, Object, T, Value};
use crate::world::World;

pub(super) const FUNCTIONS: &[Builtin] = &[
    plain("PRIN1", 1, Some(2), |world, arguments| {
        shown(world, arguments, Style::Readable, "", "")
    }),
    plain("PRINC", 1, Some(2), |world, arguments| {
        shown(world, arguments, Style::Plain, "", "")
    }),
    plain("PRINT", 1, Some(2), |world, arguments| {
        shown(world, arguments, Style::Readable, "\n", " ")
    }),
    plain("PPRINT", 1, Some(2), |world, arguments| {
        shown(world, arguments, Style::Readable, "\n", "")?;
        Ok(NIL)
    }),
    plain("WRITE", 1, None, |world, arguments| {
        shown(world, &arguments[..1], Style::Readable, "", "")
    }),
    plain("WRITE-STRING", 1, None, |world, arguments| {
        written(world, arguments, "")
    }),
    plain("WRITE-LINE", 1, None, |world, arguments| {
        written(world, arguments, "\n")
    }),
    plain("WRITE-CHAR", 1, Some(2), |world, arguments| match arguments[0] {
        Value::Character(_) => shown(world, arguments, Style::Plain, "", ""),
        other => Err(world.wrong_type(other, "CHARACTER")),
    }),
    plain("TERPRI", 0, Some(1), |world, arguments| {
        world.write(argument(arguments, 0), "\n")?;
        Ok(NIL)
    }),
    plain("FRESH-LINE", 0, Some(1), |world, arguments| {
        let stream = argument(arguments, 0);
        if world.at_line_start(stream) {
            return Ok(NIL);
        }
        world.write(stream, "\n")?;
        Ok(T)
    }),
    plain("FINISH-OUTPUT", 0, Some(1), |_, _| Ok(NIL)),
    plain("FORCE-OUTPUT", 0, Some(1), |_, _| Ok(NIL)),
    plain("PRIN1-TO-STRING", 1, Some(1), |world, arguments| {
        to_string(world, arguments[0], Style::Readable)
    }),
    plain("PRINC-TO-STRING", 1, Some(1), |world, arguments| {
        to_string(world, arguments[0], Style::Plain)
    }),
    plain("WRITE-TO-STRING", 1, None, |world, arguments| {
        to_string(world, arguments[0], Style::Readable)
    }),
    plain("FORMAT", 2, None, |world, arguments| {
        let text = format::to_text(world, arguments[1], &arguments[2..])?;
        match arguments[0] {
            NIL => world.new_text(&text),
            stream => {
                world.write(stream, &text)?;
                Ok(NIL)
            }
        }
    }),
    plain("MAKE-STRING-OUTPUT-STREAM", 0, Some(0), |world, _| {
        world.heap.keep(Object::Stream(Vec::new())).map(Value::Object)
    }),
    plain("GET-OUTPUT-STREAM-STRING", 1, Some(1), |world, arguments| {
        if let Value::Object(id) = arguments[0]
            && let Object::Stream(characters) = world.heap.get_mut(id)
        {
            let characters = std::mem::take(characters);
            return world.heap.text(characters);
        }
        Err(world.wrong_type(arguments[0], "STRING-OUTPUT-STREAM"))
    }),
    multiple("READ-FROM-STRING", 1, None, read_from_string),
];

impl World {
    /// The whole text of a value.
    ///
    /// # Errors
    /// It is longer than a string may be: most likely a circular list.
    pub(crate) fn printed(&mut self, value: Value, style: Style) -> Outcome<String> {
        let printed = printer::print(self, value, style, SEQUENCE_ITEMS);
        self.heap.charge(printed.work)?;
        if printed.is_cut {
            return Err(Fault::simple(format!(
                "What is to be printed is longer than {SEQUENCE_ITEMS} characters; is it a circular list?"
            )));
        }
        Ok(printed.text)
    }
}

fn shown(world: &mut World, arguments: &[Value], style: Style, before: &str, after: &str) -> Outcome<Value> {
    let text = world.printed(arguments[0], style)?;
    world.write(argument(arguments, 1), &format!("{before}{text}{after}"))?;
    Ok(arguments[0])
}

fn written(world: &mut World, arguments: &[Value], after: &str) -> Outcome<Value> {
    let Some(text) = world.text(arguments[0]) else {
        return Err(world.wrong_type(arguments[0], "STRING"));
    };
    let text: String = text.iter().collect();
    world.write(argument(arguments, 1), &format!("{text}{after}"))?;
    Ok(arguments[0])
}

fn to_string(world: &mut World, value: Value, style: Style) -> Outcome<Value> {
    let text = world.printed(value, style)?;
    world.new_text(&text)
}

/// Gives the value, and where reading stopped. Nothing is evaluated.
fn read_from_string(world: &mut World, arguments: &[Value]) -> Outcome<Vec<Value>> {
    let Some(text) = world.text(arguments[0]).map(<[char]>::to_vec) else {
        return Err(world.wrong_type(arguments[0], "STRING"));
    };
    let mut reader = Reader::new(&text);
    match reader.next(world)? {
        Some(value) => {
            // The blank that ends a value belongs to it.
            let blank = text
                .get(reader.position())
                .is_some_and(|character| character.is_whitespace());
            Ok(vec![
                value,
                Value::Integer((reader.position() + usize::from(blank)) as i64),
            ])
        }
        None if arguments.len() > 1 && argument(arguments, 1) == NIL => {
            Ok(vec![argument(arguments, 2), Value::Integer(text.len() as i64)])
        }
        None => Err(Fault::new("END-OF-FILE", "end of file: there is nothing to read")),
    }
}
