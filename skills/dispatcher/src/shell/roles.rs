//! Which arguments of an invocation are data, and name neither a file nor a host: patterns and other values of options,
//! messages and titles, names of branches, programs of an interpreter. What is told is told from left to right, as the
//! program reads it: behind an option that is not known nothing is.

mod computing;
mod git;
mod modes;
mod reading;
mod rows;
mod scripts;

use super::grammar::{Grammar, Operands};
use super::hidden::Invocation;
use super::packed;
use super::programs::Does;
use super::word::Field;
use reading::{Reading, Table};

/// What one argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// That is not told: what the program does to its operands decides.
    Open,
    /// A text, or an option.
    Text,
    /// The name of a file that is neither read nor given away.
    Name,
    /// A file that is read. Its name begins at this byte.
    File(usize),
}

/// What the arguments of an invocation are.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    /// One an argument. Those behind are open.
    roles: Vec<Role>,
    /// Whether it is told which operand is a pattern, if any is.
    pub(super) told: bool,
}

impl Roles {
    /// What the argument at this place is.
    pub(super) fn at(&self, at: usize) -> Role {
        self.roles.get(at).copied().unwrap_or(Role::Open)
    }

    /// Whether the argument at this place reaches nothing.
    pub(super) fn is_text(&self, at: usize) -> bool {
        self.at(at) == Role::Text
    }

    /// Of one of which all arguments are texts.
    fn texts(count: usize) -> Roles {
        Roles {
            roles: vec![Role::Text; count],
            told: true,
        }
    }
}

/// Set variables to what stands in their arguments.
const ASSIGNING: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

/// Tells what they are.
pub(super) fn of(invocation: &Invocation<'_>) -> Roles {
    let name = invocation.name.as_ref();
    let arguments = invocation.arguments();
    match name {
        "git" => return git::roles(arguments),
        "chmod" => return modes::roles(invocation),
        "sed" => return scripts::of_sed(arguments),
        "zip" => return of_zip(arguments),
        "tar" | "gtar" | "bsdtar" if packed::only_shows(invocation) => return of_tar_members(arguments),
        "unzip" if invocation.does == Some(Does::Reads) => return of_members(arguments),
        _ if ASSIGNING.contains(&name) => return Roles::texts(arguments.len()),
        _ if invocation.does == Some(Does::Interprets) => return scripts::roles(name, arguments),
        _ => {}
    }
    let mut words = arguments.iter().map(|field| field.text.as_str());
    let first = words.next().unwrap_or_default();
    let own = rows::of(name, first);
    let grammar = invocation
        .row
        .and_then(|row| row.grammar.as_ref())
        .filter(|grammar| is_told_apart(grammar, arguments));
    let table = Table {
        own,
        grammar,
        configured: false,
    };
    if own.is_none() && grammar.is_none() {
        return Roles::default();
    }
    let skipped = match name {
        // Values of options without a sign stand behind all of them.
        "tar" | "gtar" if !first.starts_with('-') => {
            let valued = own.map_or("", |own| own.others);
            1 + first.chars().filter(|letter| valued.contains(*letter)).count()
        }
        _ => usize::from(own.is_some_and(|own| !own.commands.is_empty())),
    };
    if arguments.iter().take(skipped).any(reading::is_open) {
        return Roles::default();
    }
    Reading::of(&table, arguments, skipped).roles(&table)
}

/// What the arguments of zip are: behind `-x` stand the names of files that are left out, up to the next option or `@`. Its
/// own manual.
fn of_zip(arguments: &[Field]) -> Roles {
    let (mut roles, mut left_out) = (Vec::new(), false);
    for field in arguments {
        let text = field.text.as_str();
        let letters = text.strip_prefix('-');
        let known =
            letters.is_some_and(|letters| letters.chars().all(|letter| "rqjuyvDXol0123456789".contains(letter)));
        if !field.is_known() || letters.is_some() && !known && !matches!(text, "-x" | "--exclude") {
            break;
        }
        left_out = matches!(text, "-x" | "--exclude") || left_out && letters.is_none() && text != "@";
        let names = left_out && letters.is_none();
        // Whatever matches is left out.
        roles.push(if names { Role::Text } else { Role::Open });
        if field.glob && !names {
            break;
        }
    }
    Roles { roles, told: true }
}

/// What the arguments are where only an archive is read, and what else is named is in it: options that take nothing are known to
/// stand before it.
fn of_members(arguments: &[Field]) -> Roles {
    let mut roles: Vec<Role> = Vec::new();
    let mut archive = false;
    for field in arguments {
        let is_option = field.text.starts_with('-') && field.text.len() > 1;
        roles.push(match archive {
            true if !is_option => Role::Text,
            _ => Role::Open,
        });
        archive |= !is_option;
    }
    Roles { roles, told: true }
}

/// The same of tar(1), where the archive stands behind an `f`.
fn of_tar_members(arguments: &[Field]) -> Roles {
    let mut roles = Vec::new();
    let mut archive = false;
    for (at, field) in arguments.iter().enumerate() {
        let text = field.text.as_str();
        let is_option = at == 0 || text.starts_with('-') && text.len() > 1;
        roles.push(if is_option || archive { Role::Open } else { Role::Text });
        archive = is_option && !text.starts_with("--") && text.ends_with('f') || text == "--file";
    }
    Roles { roles, told: true }
}

/// Whether the options of a program are told from its operands by its row.
fn is_told_apart(grammar: &Grammar, arguments: &[Field]) -> bool {
    let otherwise = matches!(
        grammar.operands,
        Operands::Test
            | Operands::Command
            | Operands::Watch
            | Operands::Shell
            | Operands::Env
            | Operands::Xargs
            | Operands::Find
            | Operands::Sed
            | Operands::Awk
            | Operands::Git
            | Operands::Tar
            | Operands::Dd
    );
    let negated = || grammar.negates && arguments.iter().any(|field| field.text == "--");
    !(otherwise || grammar.bare || negated())
}

/// Whether an option says what is left out: of that nothing is accessed. Where it names a file, that is read.
pub(super) fn leaves_out(option: &str) -> bool {
    let Some((name, _)) = option.strip_prefix("--").and_then(|option| option.split_once('=')) else {
        return false;
    };
    let left = name.starts_with("exclude") || name.starts_with("ignore");
    left && !name.ends_with("-from") && !name.contains("file")
}
