//! What a Lisp value is. Values are small and copied; everything larger than a number is an object in the heap, and
//! a value is then its number there.

use crate::rational::Rational;
use crate::table::Table;

/// The number of a symbol in the symbol table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SymbolId(pub(crate) u32);

/// The number of an object in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

/// A value. Equality of two values is `eq`, save that floats compare as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// A symbol, NIL and T among them.
    Symbol(SymbolId),
    /// An integer of 64 bits; larger ones are objects.
    Integer(i64),
    /// A single float.
    Single(f32),
    /// A double float.
    Double(f64),
    /// A character.
    Character(char),
    /// A function of the evaluator's own, by its place in the table of builtin functions.
    Native(u16),
    /// A cons: always an [`Object::Cons`].
    Cons(ObjectId),
    /// Any other object.
    Object(ObjectId),
}

/// The empty list, and false.
pub(crate) const NIL: Value = Value::Symbol(SymbolId(0));
/// True.
pub(crate) const T: Value = Value::Symbol(SymbolId(1));

impl Value {
    /// T or NIL.
    pub(crate) fn truth(condition: bool) -> Value {
        if condition { T } else { NIL }
    }

    /// Whether it is anything but NIL.
    pub(crate) fn is_true(self) -> bool {
        self != NIL
    }
}

/// What a binding in a lexical environment binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingKind {
    /// A variable, to its value.
    Variable,
    /// A local function.
    Function,
    /// A local macro, to the closure that expands it.
    Macro,
    /// The name of a block, to the mark of its frame.
    Block,
    /// A tag of a tagbody, to the mark of its frame.
    Tag,
}

/// A lexical environment: the innermost binding.
pub(crate) type Environment = Option<ObjectId>;

/// One binding, and those around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) kind: BindingKind,
    pub(crate) name: SymbolId,
    pub(crate) value: Value,
    pub(crate) next: Environment,
}

/// A function or macro of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closure {
    pub(crate) name: Value,
    pub(crate) parameters: Value,
    pub(crate) body: Value,
    pub(crate) environment: Environment,
}

/// An object in the heap.
#[derive(Debug)]
pub(crate) enum Object {
    /// Nothing; the number of the next free place.
    Free(Option<ObjectId>),
    Cons(Value, Value),
    Binding(Binding),
    Text(Vec<char>),
    Vector(Vec<Value>),
    /// A long integer or a ratio.
    Exact(Box<Rational>),
    Table(Box<Table>),
    Closure(Box<Closure>),
    /// A condition: the name of its type, and what it says.
    Condition(SymbolId, String),
    /// A stream that collects what is printed to it.
    Stream(Vec<char>),
    /// A structure: the name of its type, and its slots in order.
    Record(SymbolId, Vec<Value>),
}

impl Object {
    /// The bytes it holds beside its place in the heap.
    pub(crate) fn payload(&self) -> usize {
        match self {
            Object::Free(_) | Object::Cons(..) | Object::Binding(_) => 0,
            Object::Text(characters) | Object::Stream(characters) => characters.len() * 4,
            Object::Vector(items) => items.len() * 16,
            Object::Exact(exact) => exact.bits() as usize / 8 + 80,
            Object::Table(table) => table.payload(),
            Object::Closure(_) => 56,
            Object::Condition(_, text) => text.len() + 24,
            Object::Record(_, slots) => slots.len() * 16 + 24,
        }
    }
}
