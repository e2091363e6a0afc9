//! What is known of the command line of a program that can be shown to be harmless. An option that is not named in its
//! row is unknown, and then so is what the program does.

/// The keys of a row.
#[derive(Debug)]
pub(crate) struct Grammar {
    /// What its operands are.
    pub(crate) operands: Operands,
    /// Its options are not looked at one by one: none of them does anything, or its operands' rule reads them.
    pub(crate) bare: bool,
    /// Short options without a value.
    pub(crate) flags: &'static str,
    /// Short options with a harmless value, in the same argument or the next.
    pub(crate) values: &'static str,
    /// Short options whose value is a file that is read.
    pub(crate) reads: &'static str,
    /// Short options whose value is a pattern of the names of files that are read.
    pub(crate) picks: &'static str,
    /// Short options whose value is a pattern of the names of files that are left out.
    pub(crate) leaves: &'static str,
    /// Short options with a harmless value in the same argument, or none.
    pub(crate) optional: &'static str,
    /// Long options, sorted. An abbreviation is not known: it may stand for another.
    pub(crate) long: &'static [(&'static str, Takes)],
    /// Short options that give the pattern, so that the first operand is none.
    pub(crate) pattern_by: &'static str,
    /// The same, long.
    pub(crate) pattern_by_long: &'static [&'static str],
    /// For one that runs a command: how many operands stand before it.
    pub(crate) skip: usize,
    /// Short options of which one must be given: without any it does more. Empty if none must.
    pub(crate) needs: &'static str,
    /// Whether the value of a short option always is the next argument, so that behind its letter others may stand.
    pub(crate) apart: bool,
    /// Whether `--` does not end the options, but takes back the one behind it.
    pub(crate) negates: bool,
    /// Whether `-5` is an option.
    pub(crate) numbers: bool,
    /// Whether `+5` is one.
    pub(crate) plus: bool,
    /// Options, without their signs, with which it unpacks or decodes what it reads; `*` if it always does.
    pub(crate) unpacks: &'static [&'static str],
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// No value.
    Nothing,
    /// A harmless value, behind `=` or in the next argument.
    Value,
    /// A harmless value behind `=`, or none.
    Maybe,
    /// A file that is read.
    File,
    /// A pattern of the names of files that are read.
    Names,
    /// A pattern of the names of files that are left out.
    Others,
}

/// What the operands of a program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// There must be none.
    None,
    /// Texts that it prints or computes with.
    Data,
    /// Files that are read.
    Files,
    /// One file that is read; a second one would be written.
    First,
    /// Files of which only names and attributes are looked at.
    Look,
    /// A pattern, then files that are read.
    Pattern,
    /// Files that are written or changed.
    Writes,
    /// Files that are replaced, unless there are none or an option says that they are only read.
    Filter,
    /// Files that are read, and then one that is written.
    Copies,
    /// Files that are moved, and then where to.
    Moves,
    /// Files that are deleted.
    Deletes,
    /// A mode, then files of which it is changed.
    Mode,
    /// A name in the temporary folder, if an option says that it is there, or none.
    Temporary,
    /// dd(1).
    Dd,
    /// watch(1): a script.
    Watch,
    /// At most one, which is data.
    One,
    /// A command.
    Command,
    /// date(1): a format.
    Date,
    /// test(1).
    Test,
    /// cd.
    Cd,
    /// Anything that changes the shell, which must be the last that it does.
    Sets,
    /// Names of variables that are set.
    Read,
    /// Names of variables that are taken away.
    Unset,
    /// A shell: `-c` and a script.
    Shell,
    /// env(1).
    Env,
    /// xargs(1).
    Xargs,
    /// find(1).
    Find,
    /// sed(1).
    Sed,
    /// awk(1).
    Awk,
    /// git(1).
    Git,
    /// tar(1).
    Tar,
}
