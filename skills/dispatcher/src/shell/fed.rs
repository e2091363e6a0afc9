//! What a shell or interpreter is given to run: its code, here-documents, what is printed into it. And whether it runs what it
//! is given: one with a script of its own does not.

use super::Walk;
use super::hidden::{self, Invocation};
use super::parse::{self, Command};
use super::programs::Does;
use super::word::{Field, Variables};
use super::{bangs, literals, printed, ruin};

/// Shells whose options are known: POSIX.1-2024 and the manuals of bash, dash, ksh and zsh.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];
/// Their long options, which bash takes behind one dash as well.
const FLAGS: &[&str] = &[
    "debugger",
    "help",
    "login",
    "noediting",
    "noprofile",
    "norc",
    "posix",
    "restricted",
    "verbose",
    "version",
];
/// Those with a value.
const VALUES: &[&str] = &["init-file", "rcfile"];
/// Programs that never run what they read.
const QUIET: &[&str] = &[
    ":",
    "[",
    "base64",
    "cat",
    "cksum",
    "cut",
    "date",
    "echo",
    "egrep",
    "false",
    "fgrep",
    "grep",
    "head",
    "hexdump",
    "jq",
    "ls",
    "md5sum",
    "nl",
    "od",
    "printf",
    "pwd",
    "rev",
    "sha256sum",
    "sleep",
    "tac",
    "tail",
    "tee",
    "test",
    "tr",
    "true",
    "uniq",
    "wc",
    "xxd",
];

/// What is fed to the commands of one script.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// What was given to those that do not run it. Others may read it: they may share an input.
    left: Vec<String>,
    /// Those that run what they read.
    eaters: Vec<(String, Option<Does>)>,
}

impl Feed {
    /// What is run of what was left, as scripts.
    pub(super) fn rest(self) -> Vec<(String, bool)> {
        let Feed { left, eaters } = self;
        let pairs = left
            .iter()
            .flat_map(|text| eaters.iter().map(move |eater| (text, eater)));
        pairs.flat_map(|(text, (name, does))| run(name, *does, text)).collect()
    }
}

/// What a program runs of a text that it reads.
fn run(name: &str, does: Option<Does>, text: &str) -> Vec<(String, bool)> {
    if does != Some(Does::Interprets) {
        return vec![(text.to_owned(), true)];
    }
    let found = literals::literals(name, text).into_iter();
    found.map(|script| (script, false)).collect()
}

impl Walk<'_> {
    /// Hands on what an invocation is given to run.
    pub(super) fn fed(
        &mut self,
        invocation: &Invocation<'_>,
        command: &Command,
        piped: Option<&[Field]>,
        variables: &Variables,
        feed: &mut Feed,
    ) -> Vec<(String, bool)> {
        let (name, does) = (invocation.name.as_ref(), invocation.does);
        let mut inner = Vec::new();
        if does == Some(Does::Interprets) {
            for code in literals::codes(invocation) {
                inner.extend(run(name, does, code));
            }
        }
        let reads = ruin::reads_script(invocation);
        let eats = match does {
            Some(Does::Shell) => is_fed(invocation, command),
            Some(Does::Interprets) => literals::reads_input(invocation),
            Some(Does::Evaluates) => true,
            _ => !invocation.fields.first().is_some_and(Field::is_known),
        };
        if eats {
            feed.eaters.push((name.to_owned(), does));
        }
        let mut texts: Vec<String> = command.input.iter().map(|word| word.joined(variables).text).collect();
        if command.reads_pipe {
            if reads {
                self.effects.doubt("runs what another command prints");
            }
            texts.extend(piped.and_then(printed));
        }
        for text in texts {
            let behind = bangs::lines(name, &text);
            inner.extend(behind.into_iter().map(|script| (script, false)));
            if reads && eats {
                inner.extend(run(name, does, &text));
            } else if reads {
                feed.left.push(text);
            }
        }
        inner
    }
}

/// Whether a shell may run what it reads. Not with a script in its arguments that hands nothing on, with the file of one, or
/// where it only looks whether it could.
fn is_fed(invocation: &Invocation<'_>, command: &Command) -> bool {
    // A variable may name a file that is run first.
    let known = |field: &Field| {
        let text = field.text.as_str();
        field.is_known() && !field.glob && !["/dev", "/proc", "stdin"].iter().any(|part| text.contains(part))
    };
    if !SHELLS.contains(&invocation.name.as_ref())
        || !command.assignments.is_empty()
        || !invocation.arguments().iter().all(known)
    {
        return true;
    }
    match own_script(invocation) {
        Some(Own::Code(script)) => !is_quiet(script),
        Some(Own::File(file)) => {
            let name = file.rsplit('/').next().unwrap_or_default();
            name.bytes().all(|byte| byte.is_ascii_digit())
        }
        Some(Own::Nothing) => false,
        None => true,
    }
}

/// What a shell runs in place of its input.
enum Own<'a> {
    Code(&'a str),
    File(&'a str),
    Nothing,
}

/// Tells it. `None` if it runs its input, or an option is not known.
fn own_script<'a>(invocation: &Invocation<'a>) -> Option<Own<'a>> {
    let mut rest = invocation.arguments().iter().map(|field| field.text.as_str());
    let (mut code, mut input, mut checks, mut asks) = (false, false, false, false);
    let mut operand = None;
    while let Some(text) = rest.next() {
        if matches!(text, "-" | "--") {
            operand = rest.next();
            break;
        }
        let Some(letters) = text.strip_prefix(['-', '+']) else {
            operand = Some(text);
            break;
        };
        let long = letters.strip_prefix('-').unwrap_or(letters);
        if VALUES.contains(&long) {
            rest.next()?;
            continue;
        }
        if FLAGS.contains(&long) {
            continue;
        }
        for letter in letters.chars() {
            match letter {
                'c' => code = true,
                's' => input = true,
                'i' => asks = true,
                'n' => checks = text.starts_with('-'),
                'o' | 'O' => checks |= rest.next()? == "noexec" && text.starts_with('-'),
                'a' | 'b' | 'e' | 'f' | 'h' | 'k' | 'l' | 'm' | 'p' | 'r' | 't' | 'u' | 'v' | 'x' | 'B' | 'C'
                | 'E' | 'H' | 'P' | 'T' => {}
                _ => return None,
            }
        }
    }
    match operand {
        // One that asks for commands runs them all the same.
        _ if checks && !asks => Some(Own::Nothing),
        Some(script) if code => Some(Own::Code(script)),
        Some(file) if !input => Some(Own::File(file)),
        _ => None,
    }
}

/// Whether nothing in a script runs what it reads.
fn is_quiet(script: &str) -> bool {
    let read = parse::parse(script);
    let quiet = |command: &Command| {
        let mut fields = Vec::new();
        for word in &command.words {
            fields.extend(word.fields(&Variables::new()).unwrap_or_default());
        }
        let invocations = hidden::invocations(&fields);
        let sure = invocations
            .iter()
            .all(|one| !one.inner.is_empty() || QUIET.contains(&one.name.as_ref()));
        let handing = |one: &Invocation<'_>| matches!(one.name.as_ref(), "parallel" | "watch" | "xargs");
        command.assignments.is_empty()
            && !invocations.is_empty()
            && sure
            && !invocations.iter().any(handing)
            && fields.first().is_some_and(|name| name.is_known() && !name.glob)
    };
    read.nested.is_empty() && read.doubts.is_empty() && read.commands.iter().all(quiet)
}
