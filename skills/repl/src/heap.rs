//! The heap: where objects live, and the collector that frees what nothing reaches. It counts what is in use, and
//! refuses to grow past its bounds. Collection happens only between two steps of the machine, when all that is alive
//! can be reached from its roots; so builtin functions hold values without ceremony.

use crate::bounds::{Bound, Bounds, SEQUENCE_ITEMS};
use crate::fault::{Fault, Outcome};
use crate::value::{Binding, Environment, NIL, Object, ObjectId, SymbolId, Value};

/// Objects are kept in pieces of this many, so that growing never copies them.
const PIECE: usize = 4096;

/// The objects, and what may still be used.
#[derive(Debug)]
pub(crate) struct Heap {
    pieces: Vec<Vec<Object>>,
    free: Option<ObjectId>,
    live: usize,
    payload: usize,
    collect_at: usize,
    collect_payload_at: usize,
    work: u64,
    bounds: Bounds,
}

impl Heap {
    /// An empty heap.
    pub(crate) fn new(bounds: Bounds) -> Heap {
        Heap {
            pieces: Vec::new(),
            free: None,
            live: 0,
            payload: 0,
            collect_at: bounds.objects / 4,
            collect_payload_at: bounds.payload / 4,
            work: bounds.work,
            bounds,
        }
    }

    /// The bounds it was made with.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Begins a new evaluation: all the work may be done again.
    pub(crate) fn refill(&mut self) {
        self.work = self.bounds.work;
    }

    /// Takes `units` of work from what is left.
    pub(crate) fn charge(&mut self, units: usize) -> Outcome<()> {
        match self.work.checked_sub(units as u64) {
            Some(left) => {
                self.work = left;
                Ok(())
            }
            None => {
                self.work = 0;
                Err(Bound::Work(self.bounds.work).into())
            }
        }
    }

    /// The object with this number.
    pub(crate) fn get(&self, id: ObjectId) -> &Object {
        &self.pieces[id.0 as usize / PIECE][id.0 as usize % PIECE]
    }

    /// The object with this number, to change. What a change adds must be told with [`Heap::grown`].
    pub(crate) fn get_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.pieces[id.0 as usize / PIECE][id.0 as usize % PIECE]
    }

    /// Counts `bytes` that an object has grown by.
    pub(crate) fn grown(&mut self, bytes: usize) -> Outcome<()> {
        self.payload += bytes;
        if self.payload > self.bounds.payload * 2 {
            return Err(Bound::Payload(self.bounds.payload).into());
        }
        Ok(())
    }

    /// Keeps an object. Twice the bounds are allowed until the next collection, since part of it may be garbage.
    pub(crate) fn keep(&mut self, object: Object) -> Outcome<ObjectId> {
        if self.live >= self.bounds.objects * 2 {
            return Err(Bound::Objects(self.bounds.objects).into());
        }
        self.grown(object.payload())?;
        self.live += 1;
        if let Some(id) = self.free {
            let place = self.get_mut(id);
            let next = if let Object::Free(next) = place { *next } else { None };
            *place = object;
            self.free = next;
            return Ok(id);
        }
        if self.pieces.last().is_none_or(|piece| piece.len() == PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        let before = (self.pieces.len() - 1) * PIECE;
        let piece = &mut self.pieces[before / PIECE];
        piece.push(object);
        Ok(ObjectId((before + piece.len() - 1) as u32))
    }

    /// A new cons.
    pub(crate) fn cons(&mut self, car: Value, cdr: Value) -> Outcome<Value> {
        self.keep(Object::Cons(car, cdr)).map(Value::Cons)
    }

    /// A new string.
    pub(crate) fn text(&mut self, characters: Vec<char>) -> Outcome<Value> {
        check_length(characters.len())?;
        self.charge(characters.len() / 4)?;
        self.keep(Object::Text(characters)).map(Value::Object)
    }

    /// A new vector.
    pub(crate) fn vector(&mut self, items: Vec<Value>) -> Outcome<Value> {
        check_length(items.len())?;
        self.keep(Object::Vector(items)).map(Value::Object)
    }

    /// A new list of these items.
    pub(crate) fn list(&mut self, items: &[Value]) -> Outcome<Value> {
        self.list_with_tail(items, NIL)
    }

    /// A new list of these items that ends in `tail`.
    pub(crate) fn list_with_tail(&mut self, items: &[Value], tail: Value) -> Outcome<Value> {
        self.charge(items.len())?;
        let mut list = tail;
        for &item in items.iter().rev() {
            list = self.cons(item, list)?;
        }
        Ok(list)
    }

    /// The two halves of a cons.
    pub(crate) fn parts(&self, value: Value) -> Option<(Value, Value)> {
        match value {
            Value::Cons(id) => match self.get(id) {
                Object::Cons(car, cdr) => Some((*car, *cdr)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The items of a proper list.
    ///
    /// # Errors
    /// A type error for a value that is no proper list; the bound on work for a circular one.
    pub(crate) fn items(&mut self, list: Value) -> Outcome<Vec<Value>> {
        let mut items = Vec::new();
        let mut at = list;
        while let Some((car, cdr)) = self.parts(at) {
            if items.len() > self.bounds.objects * 2 {
                return Err(Fault::new(
                    "TYPE-ERROR",
                    "The value is a circular list, which has no end.",
                ));
            }
            items.push(car);
            at = cdr;
        }
        self.charge(items.len())?;
        if at == NIL { Ok(items) } else { Err(self.improper(at)) }
    }

    fn improper(&self, tail: Value) -> Fault {
        let what = match tail {
            Value::Integer(integer) => integer.to_string(),
            _ => "at the end of the list".to_owned(),
        };
        Fault::new("TYPE-ERROR", format!("The value {what} is not of type LIST"))
    }

    /// Adds a binding to an environment.
    pub(crate) fn bind(&mut self, binding: Binding) -> Outcome<Environment> {
        self.keep(Object::Binding(binding)).map(Some)
    }

    /// Whether so much was kept since the last collection that another one is due.
    pub(crate) fn wants_collection(&self) -> bool {
        self.live > self.collect_at || self.payload > self.collect_payload_at
    }

    /// Frees what can't be reached from `roots`. Returns which symbols were reached, by number.
    ///
    /// # Errors
    /// What is alive is more than the bounds allow.
    pub(crate) fn collect(&mut self, roots: Roots, symbols: usize) -> Outcome<Vec<bool>> {
        let mut reached = Reached {
            objects: vec![false; self.pieces.len() * PIECE],
            symbols: vec![false; symbols],
            waiting: Vec::new(),
        };
        for root in roots.values {
            reached.value(root);
        }
        for environment in roots.environments {
            reached.object(environment);
        }
        while let Some(id) = reached.waiting.pop() {
            reached.children(self.get(id));
        }
        self.sweep(&reached.objects);
        // At least a quarter of the bounds is kept between two collections, so that they never dominate.
        self.collect_at = self.live + self.bounds.objects / 4;
        self.collect_payload_at = self.payload + self.bounds.payload / 4;
        if self.live > self.bounds.objects {
            return Err(Bound::Objects(self.bounds.objects).into());
        }
        if self.payload > self.bounds.payload {
            return Err(Bound::Payload(self.bounds.payload).into());
        }
        Ok(reached.symbols)
    }

    fn sweep(&mut self, reached: &[bool]) {
        (self.free, self.live, self.payload) = (None, 0, 0);
        for (number, piece) in self.pieces.iter_mut().enumerate().rev() {
            for (place, object) in piece.iter_mut().enumerate().rev() {
                let at = number * PIECE + place;
                if reached[at] {
                    self.live += 1;
                    self.payload += object.payload();
                } else {
                    *object = Object::Free(self.free);
                    self.free = Some(ObjectId(at as u32));
                }
            }
        }
    }
}

/// Refuses a string or vector that is too long.
pub(crate) fn check_length(items: usize) -> Outcome<()> {
    if items > SEQUENCE_ITEMS {
        return Err(Fault::simple(format!(
            "A string or vector longer than {SEQUENCE_ITEMS} items is not made here."
        )));
    }
    Ok(())
}

/// Where collection begins.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    pub(crate) values: Vec<Value>,
    pub(crate) environments: Vec<ObjectId>,
}

impl Roots {
    /// Adds an environment, if there is one.
    pub(crate) fn environment(&mut self, environment: Environment) {
        self.environments.extend(environment);
    }
}

/// What has been reached, and what was reached but not looked into.
struct Reached {
    objects: Vec<bool>,
    symbols: Vec<bool>,
    waiting: Vec<ObjectId>,
}

impl Reached {
    fn value(&mut self, value: Value) {
        match value {
            Value::Cons(id) | Value::Object(id) => self.object(id),
            Value::Symbol(id) => self.symbol(id),
            _ => {}
        }
    }

    fn symbol(&mut self, id: SymbolId) {
        if let Some(reached) = self.symbols.get_mut(id.0 as usize) {
            *reached = true;
        }
    }

    fn object(&mut self, id: ObjectId) {
        let reached = &mut self.objects[id.0 as usize];
        if !*reached {
            *reached = true;
            self.waiting.push(id);
        }
    }

    fn children(&mut self, object: &Object) {
        match object {
            Object::Cons(car, cdr) => {
                self.value(*car);
                self.value(*cdr);
            }
            Object::Binding(binding) => {
                self.symbol(binding.name);
                self.value(binding.value);
                binding.next.into_iter().for_each(|next| self.object(next));
            }
            Object::Vector(items) => items.iter().for_each(|item| self.value(*item)),
            Object::Record(name, items) => {
                self.symbol(*name);
                items.iter().for_each(|item| self.value(*item));
            }
            Object::Table(table) => table.pairs().for_each(|(key, value)| {
                self.value(key);
                self.value(value);
            }),
            Object::Closure(closure) => {
                self.value(closure.name);
                self.value(closure.parameters);
                self.value(closure.body);
                closure.environment.into_iter().for_each(|next| self.object(next));
            }
            Object::Condition(name, _) => self.symbol(*name),
            Object::Free(_) | Object::Text(_) | Object::Exact(_) | Object::Stream(_) => {}
        }
    }
}
