//! A session: definitions that stay from one evaluation to the next, and the text that an evaluation gives back.

use crate::bounds::{Bounds, PROGRAM_BYTES};
use crate::fault::{Cause, Fault, Outcome};
use crate::machine::Machine;
use crate::prelude;
use crate::printer::{self, Style};
use crate::reader::Reader;
use crate::value::Value;

/// An evaluator with its definitions.
#[derive(Debug)]
pub struct Session {
    machine: Machine,
    bounds: Bounds,
}

impl Session {
    /// A session in which nothing has been defined.
    ///
    /// # Errors
    /// The prelude could not be read, which a test makes sure it can.
    pub fn new() -> Result<Session, String> {
        Session::with_bounds(Bounds::DEFAULT)
    }

    /// A session with other bounds.
    pub(crate) fn with_bounds(bounds: Bounds) -> Result<Session, String> {
        let prepared = || -> Outcome<Machine> {
            let mut machine = Machine::new(bounds)?;
            let text = prelude::text();
            let mut reader = Reader::new(&text);
            while let Some(form) = reader.next(&mut machine.world)? {
                machine.evaluate(form)?;
            }
            machine.world.symbols.seal();
            Ok(machine)
        };
        match prepared() {
            Ok(machine) => Ok(Session { machine, bounds }),
            Err(fault) => Err(format!("the evaluator could not be prepared: {}", text_of(&fault))),
        }
    }

    /// Evaluates all forms of `code`, in order. Gives what was printed, and behind it the values of each form, one a
    /// line.
    ///
    /// # Errors
    /// What was printed until then, and what went wrong: the type of the condition, the form, and the message. Earlier
    /// forms keep their effect. Code that can't be read is not evaluated at all.
    pub fn evaluate(&mut self, code: &str) -> Result<String, String> {
        if code.len() > PROGRAM_BYTES {
            return Err(format!(
                "The code has {} bytes; at most {PROGRAM_BYTES} are evaluated at a time.",
                code.len()
            ));
        }
        self.machine.world.begin();
        let notice = self.make_room()?;
        let forms = match self.read(code) {
            Ok(forms) => forms,
            Err(fault) => return Err(format!("{notice}{}\nNothing was evaluated.", self.explained(&fault))),
        };
        self.machine.world.write_console(&notice);
        self.machine.kept = forms.clone();
        let outcome = forms.iter().try_for_each(|&form| match self.machine.evaluate(form) {
            Ok(values) => {
                self.write_values(&values);
                Ok(())
            }
            Err(fault) => Err((form, fault)),
        });
        self.machine.kept.clear();
        let mut text = std::mem::take(&mut self.machine.world.output);
        match outcome {
            Ok(()) => {
                text.truncate(text.trim_end_matches('\n').len());
                Ok(text)
            }
            Err((form, fault)) => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                let form = self.machine.world.shown(form);
                text.push_str(&format!("{}\nin: {form}", self.explained(&fault)));
                Err(text)
            }
        }
    }

    fn read(&mut self, code: &str) -> Outcome<Vec<Value>> {
        let text: Vec<char> = code.chars().collect();
        let mut reader = Reader::new(&text);
        let mut forms = Vec::new();
        while let Some(form) = reader.next(&mut self.machine.world)? {
            forms.push(form);
        }
        Ok(forms)
    }

    /// Frees what earlier evaluations left. A session that holds more than its bounds even then begins anew, since
    /// nothing could be evaluated in it any more; the notice says so.
    fn make_room(&mut self) -> Result<String, String> {
        if self.machine.tidy().is_ok() {
            return Ok(String::new());
        }
        self.machine = Session::with_bounds(self.bounds)?.machine;
        self.machine.world.begin();
        Ok("[the session held more than its bounds allow; its definitions were dropped]\n".to_owned())
    }

    fn write_values(&mut self, values: &[Value]) {
        let world = &mut self.machine.world;
        if !(world.output.is_empty() || world.output.ends_with('\n')) {
            world.write_console("\n");
        }
        for &value in values {
            let text = printer::print_within(world, value, Style::Readable, self.bounds.output / 2);
            world.write_console(&text);
            world.write_console("\n");
        }
    }

    /// The type of a fault, and what it says.
    fn explained(&self, fault: &Fault) -> String {
        let world = &self.machine.world;
        match fault.cause() {
            Cause::Signalled(value) => match world.condition(*value) {
                Some((kind, text)) => format!("{}: {text}", world.symbols.get(kind).name),
                None => format!("ERROR: {}", world.shown(*value)),
            },
            _ => text_of(fault),
        }
    }
}

/// What a fault says that is not the program's own.
fn text_of(fault: &Fault) -> String {
    match fault.cause() {
        Cause::Condition { kind, text } => format!("{kind}: {text}"),
        Cause::Bound(bound) => bound.to_string(),
        Cause::Signalled(_) => "ERROR".to_owned(),
    }
}
