//! Every bound of the evaluator, in one place, with its reason. A program that reaches one ends with an error that
//! names it; nothing here depends on the machine, so the same program ends at the same point everywhere.
//!
//! The figures fit a component with 64 MiB of memory and a shadow stack of 64 KiB. The evaluator keeps its own stack
//! on the heap and never recurses in Rust over what it was given, so the shadow stack bounds nothing.

/// What one evaluation may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Units of work: one for each step of the machine, and one for each item a builtin function visits.
    pub(crate) work: u64,
    /// Frames of the control stack, 64 bytes each. A call that is not in tail position takes two or three.
    pub(crate) frames: usize,
    /// Live objects (conses, bindings, strings …), 40 bytes each.
    pub(crate) objects: usize,
    /// Bytes that live strings, vectors, tables and large integers hold beside their object.
    pub(crate) payload: usize,
    /// Characters of printed output.
    pub(crate) output: usize,
}

impl Bounds {
    /// The bounds of the bundled skill. Ten million units take a few seconds in the jail.
    pub(crate) const DEFAULT: Bounds = Bounds {
        work: 10_000_000,
        frames: 100_000,
        objects: 400_000,
        payload: 8 << 20,
        output: 64 << 10,
    };
}

/// Longest program, in bytes: more than a model writes in one go, less than would fill the heap.
pub(crate) const PROGRAM_BYTES: usize = 256 << 10;

/// Deepest nesting of brackets and quotes that is read.
pub(crate) const READ_DEPTH: usize = 500;

/// Longest string or vector, in items.
pub(crate) const SEQUENCE_ITEMS: usize = 250_000;

/// Longest integer, in bits (30,000 digits): printing and dividing take time that grows with the square.
pub(crate) const INTEGER_BITS: u64 = 100_000;

/// Symbols that a session may intern. They are never collected.
pub(crate) const SYMBOLS: usize = 20_000;

/// Longest name of a symbol, in bytes.
pub(crate) const SYMBOL_BYTES: usize = 1_000;

/// Deepest nesting of `~{` and `~(` in a control string, and of `~?`.
pub(crate) const FORMAT_DEPTH: usize = 8;

/// Widest column and longest padding that `format` makes.
pub(crate) const FORMAT_WIDTH: usize = 1_000;

/// Which bound was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Too much work: most likely an endless loop.
    Work(u64),
    /// Too many frames: most likely endless recursion.
    Frames(usize),
    /// Too many live objects.
    Objects(usize),
    /// Too many bytes in strings, vectors and large integers.
    Payload(usize),
    /// Too many symbols.
    Symbols,
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Bound::Work(work) => {
                write!(
                    f,
                    "Evaluation stopped after {work} steps; look for an endless loop, or do less at a time."
                )
            }
            Bound::Frames(frames) => write!(
                f,
                "Control stack exhausted: recursion deeper than {frames} frames; look for a missing end of the \
                 recursion, or use a loop."
            ),
            Bound::Objects(objects) => write!(
                f,
                "Heap exhausted: more than {objects} conses and other objects are in use; keep fewer at a time."
            ),
            Bound::Payload(bytes) => write!(
                f,
                "Heap exhausted: strings, vectors and large integers hold more than {bytes} bytes; keep less at a \
                 time."
            ),
            Bound::Symbols => write!(
                f,
                "Too many symbols: a session holds {SYMBOLS}; use strings or a hash table."
            ),
        }
    }
}
