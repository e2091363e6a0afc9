//! The bounds on what is read.

/// Bounds on one reading. Every one that is passed is an error that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest text, in bytes.
    pub bytes: usize,
    /// Deepest nesting of lists.
    pub depth: usize,
    /// Most atoms (strings, symbols, numbers) in the whole form, and most lists.
    pub atoms: usize,
}

impl Limits {
    /// What peers and models may send: 4 MiB, 100 deep, 200,000 atoms (the bounds of the wire).
    pub const INPUT: Limits = Limits {
        bytes: 4 << 20,
        depth: 100,
        atoms: 200_000,
    };

    /// What the host wrote itself: input forms wrapped in records of our own, so a little more of everything.
    pub const STORED: Limits = Limits {
        bytes: 16 << 20,
        depth: 120,
        atoms: 1_000_000,
    };
}
