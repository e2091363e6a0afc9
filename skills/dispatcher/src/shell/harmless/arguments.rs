//! Telling the options of a program from its operands, by its row in the table; and, before that, the one rule about what
//! only running tells: where it may stand.

use super::expand::{Argument, Kind};
use super::paths::shown;
use super::picked::Case;
use super::state::State;
use super::{Doubt, Proof, Prover, UNKNOWN};
use crate::path::{Access, KeptOut, Selection};
use crate::shell::grammar::{Grammar, Operands, Takes};

/// Programs that take any operand or option and only print, whatever it is. Of `printf` that holds for what is behind
/// its format.
const PRINTERS: &[&str] = &[
    ":", "basename", "cal", "cd", "dirname", "echo", "expr", "factor", "false", "groups", "id", "ncal", "printenv",
    "printf", "pstree", "readlink", "realpath", "seq", "sleep", "tr", "true", "type", "which", "yes",
];
/// Programs that take any option and any file, and only read.
pub(super) const READERS: &[&str] = &[
    "b2sum",
    "cat",
    "cksum",
    "cmp",
    "comm",
    "cut",
    "diff",
    "dir",
    "du",
    "egrep",
    "expand",
    "fgrep",
    "fmt",
    "fold",
    "grep",
    "head",
    "join",
    "ls",
    "md5sum",
    "nl",
    "od",
    "paste",
    "pr",
    "readlink",
    "realpath",
    "rev",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "stat",
    "sum",
    "tac",
    "tail",
    "unexpand",
    "vdir",
    "wc",
    "zcat",
];
/// Options of theirs that choose files by name.
const CHOOSING: &[&str] = &["--exclude=", "--exclude-dir=", "--include="];

/// The arguments of a program, told apart.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    /// The letters of the short options.
    pub(super) short: String,
    /// The names of the long ones.
    pub(super) long: Vec<&'static str>,
    /// The patterns of names that are left out.
    left_out: Vec<(String, Case)>,
    /// What they leave.
    pub(super) selection: Selection,
    /// What is no option.
    pub(super) operands: Vec<&'a Argument>,
}

impl Arguments<'_> {
    /// Whether one of these short options was given.
    pub(super) fn has(&self, letters: &str) -> bool {
        self.short.contains(|letter| letters.contains(letter))
    }

    fn leave_out(&mut self, pattern: &str, case: Case) {
        self.left_out.push((pattern.to_owned(), case));
    }
}

impl Prover<'_> {
    /// Shows that what only running tells stands where it does no harm, whatever it turns out to be.
    pub(super) fn admit(
        &mut self,
        program: &str,
        grammar: &Grammar,
        arguments: &[Argument],
        state: &State,
    ) -> Proof<()> {
        let prints = PRINTERS.contains(&program);
        let reads = READERS.contains(&program);
        let end = end_of_options(grammar, arguments);
        let loose = arguments.iter().any(|one| one.kind != Kind::One && one.may_be_option());
        let mut shifts = false;
        for (at, argument) in arguments.iter().enumerate() {
            // The folder of each pattern is looked into.
            if argument.kind == Kind::Pattern {
                self.file(argument, Access::Look, state)?;
            }
            if prints || argument.is_known() || argument.kind == Kind::Found {
                continue;
            }
            // Whatever matches is a part of this option.
            if reads
                && argument.kind == Kind::Pattern
                && CHOOSING.iter().any(|option| argument.text.starts_with(option))
            {
                continue;
            }
            // Where options are told apart, it may be the value of one.
            if argument.kind == Kind::One && !has_own_options(grammar) && !loose {
                continue;
            }
            // These have rules of their own about patterns: find of its expression, awk of what is behind its program.
            let own = match grammar.operands {
                Operands::Find => argument.kind == Kind::Pattern,
                Operands::Test => argument.kind == Kind::One,
                Operands::Awk => matches!(argument.kind, Kind::Pattern | Kind::Names),
                _ => false,
            };
            if own {
                continue;
            }
            let operand = end.is_some_and(|end| end < at);
            let admitted = match argument.kind {
                Kind::One | Kind::Pattern if operand || !argument.may_be_option() => true,
                Kind::Pattern | Kind::Names => reads && !argument.text.starts_with('-'),
                _ => false,
            };
            if !admitted {
                return Err(may_be_option(program, argument));
            }
            shifts |= argument.may_be_option() && !operand || argument.kind == Kind::Names;
        }
        // One of them may be an option with a value, which moves all that come behind it: each may be a file then.
        if shifts {
            for argument in arguments
                .iter()
                .filter(|one| one.is_known() && !one.text.starts_with('-'))
            {
                self.file(argument, Access::Read, state)?;
            }
        }
        Ok(())
    }

    /// Tells the arguments of `program` apart. With `leading`, options end at the first operand.
    pub(super) fn tell_apart<'a>(
        &mut self,
        program: &str,
        grammar: &'static Grammar,
        arguments: &'a [Argument],
        leading: bool,
        state: &State,
    ) -> Proof<Arguments<'a>> {
        let mut told = Arguments::default();
        if grammar.bare {
            told.operands = arguments.iter().collect();
            return Ok(told);
        }
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.text.as_str();
            let chooses = argument.kind == Kind::Pattern && CHOOSING.iter().any(|option| text.starts_with(option));
            if text.starts_with(UNKNOWN) && argument.kind == Kind::One && !PRINTERS.contains(&program) {
                return Err(may_be_option(program, argument));
            }
            if (argument.kind != Kind::One && !chooses) || text.starts_with(UNKNOWN) {
                told.operands.push(argument);
                continue;
            }
            if text == "--" && grammar.negates {
                return Err(unknown(program, text));
            }
            if text == "--" {
                told.operands.extend(rest.by_ref());
            } else if let Some(long) = text.strip_prefix("--") {
                self.long(program, grammar, long, &mut rest, &mut told, state)?;
            } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                if grammar.numbers && letters.bytes().all(|byte| byte.is_ascii_digit()) {
                    continue;
                }
                self.short(program, grammar, letters, &mut rest, &mut told, state)?;
            } else if text.starts_with('+') && text.len() > 1 && !grammar.plus && takes_files(grammar) {
                return Err(unknown(program, text));
            } else {
                told.operands.push(argument);
                if leading {
                    told.operands.extend(rest.by_ref());
                }
            }
        }
        told.selection = self.left_over(&told.left_out, KeptOut::glob)?;
        Ok(told)
    }

    /// A pattern of names that picks them, or with a `!` before it leaves them out.
    fn chosen(&self, pattern: &str, case: Case, told: &mut Arguments<'_>) -> Proof<()> {
        match pattern.strip_prefix('!') {
            Some(others) => told.leave_out(others, case),
            None => self.picked(pattern, case)?,
        }
        Ok(())
    }

    fn long<'a>(
        &mut self,
        program: &str,
        grammar: &'static Grammar,
        option: &str,
        rest: &mut std::slice::Iter<'a, Argument>,
        told: &mut Arguments<'a>,
        state: &State,
    ) -> Proof<()> {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let found = grammar.long.binary_search_by_key(&name, |(own, _)| own).ok();
        let Some((name, takes)) = found.and_then(|at| grammar.long.get(at)) else {
            return Err(unknown(program, &format!("--{name}")));
        };
        told.long.push(name);
        match (takes, value) {
            (Takes::Nothing, Some(_)) => Err(unknown(program, &format!("--{option}"))),
            (Takes::Nothing | Takes::Maybe, _) | (Takes::Value, Some(_)) => Ok(()),
            (Takes::Value, None) => value_of(program, name, rest).map(drop),
            (Takes::File, Some(value)) => self.file(&Argument::plain(value), Access::Read, state),
            (Takes::File, None) => match value_of(program, name, rest)? {
                Some(value) => self.file(value, Access::Read, state),
                None => Ok(()),
            },
            (Takes::Names | Takes::Others, value) => {
                let next = match value {
                    Some(_) => None,
                    None => value_of(program, name, rest)?.map(|next| next.text.as_str()),
                };
                let case = Case::any_if(*name == "iglob");
                match value.or(next) {
                    Some(value) if *takes == Takes::Others => told.leave_out(value, case),
                    Some(value) => self.chosen(value, case, told)?,
                    None => {}
                }
                Ok(())
            }
        }
    }

    fn short<'a>(
        &mut self,
        program: &str,
        grammar: &'static Grammar,
        letters: &str,
        rest: &mut std::slice::Iter<'a, Argument>,
        told: &mut Arguments<'a>,
        state: &State,
    ) -> Proof<()> {
        for (at, letter) in letters.char_indices() {
            // What makes it harmless, given again, may take that back.
            if grammar.negates && grammar.needs.contains(letter) && told.short.contains(letter) {
                return Err(unknown(program, &format!("-{letter}")));
            }
            told.short.push(letter);
            let value = &letters[at + letter.len_utf8()..];
            if grammar.optional.contains(letter) {
                return Ok(());
            }
            let reads = grammar.reads.contains(letter);
            let picks = grammar.picks.contains(letter);
            let leaves = grammar.leaves.contains(letter);
            if reads || picks || leaves || grammar.values.contains(letter) {
                if grammar.apart && !value.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(unknown(program, &format!("-{letters}")));
                }
                let given = if value.is_empty() {
                    value_of(program, letters, rest)?.cloned()
                } else {
                    Some(Argument::plain(value))
                };
                return match given {
                    Some(given) if reads => self.file(&given, Access::Read, state),
                    Some(given) if picks => self.chosen(&given.text, Case::Same, told),
                    Some(given) if leaves => {
                        told.leave_out(&given.text, Case::Same);
                        Ok(())
                    }
                    // Without its value the program only complains.
                    _ => Ok(()),
                };
            }
            if !grammar.flags.contains(letter) {
                return Err(unknown(program, &format!("-{letter}")));
            }
        }
        Ok(())
    }
}

fn may_be_option(program: &str, argument: &Argument) -> Doubt {
    let why = format!("`{program}` may be given an option that only running tells");
    Doubt::new(why, shown(&argument.text))
}

/// Where the options end: behind them nothing is one.
fn end_of_options(grammar: &Grammar, arguments: &[Argument]) -> Option<usize> {
    let end = arguments.iter().position(|one| one.is_known() && one.text == "--")?;
    // It may be the value of the option before it.
    let flags = |one: &Argument| one.text.chars().skip(1).all(|letter| grammar.flags.contains(letter));
    let plain = |one: &Argument| one.kind != Kind::One || !one.text.starts_with(['-', UNKNOWN]) || flags(one);
    arguments[..end].last().is_none_or(plain).then_some(end)
}

/// Whether the options of a program are not told apart by its row.
fn has_own_options(grammar: &Grammar) -> bool {
    let own = matches!(
        grammar.operands,
        Operands::Shell
            | Operands::Env
            | Operands::Xargs
            | Operands::Find
            | Operands::Sed
            | Operands::Awk
            | Operands::Git
            | Operands::Tar
    );
    own || grammar.bare
}

/// The value of an option in the next argument, which must be one argument, and none that looks like an option: versions of
/// a program differ in which options have values.
fn value_of<'a>(
    program: &str,
    option: &str,
    rest: &mut std::slice::Iter<'a, Argument>,
) -> Proof<Option<&'a Argument>> {
    match rest.next() {
        Some(value) if value.kind != Kind::One => Err(Doubt::new(
            format!("the value of `{option}` of `{program}` may be several arguments"),
            shown(&value.text),
        )),
        Some(value) if looks_like_option(&value.text) => Err(Doubt::new(
            format!("the value of `{option}` of `{program}` looks like an option"),
            shown(&value.text),
        )),
        value => Ok(value),
    }
}

/// `-` alone is none, and neither is a number.
pub(super) fn looks_like_option(text: &str) -> bool {
    let digits = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix('-').is_some_and(|rest| !digits(rest))
}

/// Some programs that read files take `+…` for an option.
fn takes_files(grammar: &Grammar) -> bool {
    matches!(grammar.operands, Operands::Files | Operands::First)
}

pub(super) fn unknown(program: &str, option: &str) -> Doubt {
    let option = shown(option);
    Doubt::new(format!("what {option} does to `{program}` is not known"), option)
}
