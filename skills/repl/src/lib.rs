//! The actuator for `:system` `:eval`: evaluates a subset of Common Lisp in the skill's jail, and keeps a session's
//! definitions. It reaches nothing outside: no files, no network, no clock; all it gives back is text.

mod arithmetic;
mod bounds;
mod builtins;
mod character;
mod fault;
mod format;
mod heap;
mod machine;
mod number;
mod printer;
mod reader;
mod session;
mod special;
mod symbols;
mod table;
mod token;
mod value;
mod world;

pub use session::Session;
