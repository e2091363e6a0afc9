//! Commands inside commands: what wrappers run, and the scripts that stand in arguments.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::harmless::Act;
use super::narrowed;
use super::outputs;
use super::programs::{self, Does, Program};
use super::roles::{self, Roles};
use super::word::Field;
use super::wrapped;
use crate::text;

/// The most commands in one another that are followed.
pub(crate) const MOST_WRAPPERS: usize = 16;

/// A program with its arguments, found in a command.
#[derive(Clone, Debug)]
pub(crate) struct Invocation<'a> {
    /// The program and its arguments.
    pub(crate) fields: &'a [Field],
    /// The same, with the command in them that a wrapper runs.
    pub(crate) whole: &'a [Field],
    /// Of a wrapper: the command that it surely runs.
    pub(crate) inner: &'a [Field],
    /// The program's name without its folder, and without what is unknown in it.
    pub(crate) name: Cow<'a, str>,
    /// What the program does, if that is known.
    pub(crate) does: Option<Does>,
    /// Its row in the table of programs.
    pub(crate) row: Option<&'static Program>,
    roles: OnceCell<Roles>,
}

impl<'a> Invocation<'a> {
    /// The invocation that these make.
    pub(crate) fn of(fields: &'a [Field]) -> Invocation<'a> {
        let last = |path: &str| text::last(path, b'/').map_or(0, |at| at + 1);
        let name = match fields.first() {
            None => Cow::Borrowed(""),
            Some(field) if field.is_known() => Cow::Borrowed(&field.text[last(&field.text)..]),
            Some(field) => {
                let known = field.known_part();
                Cow::Owned(known[last(&known)..].to_owned())
            }
        };
        let row = programs::row(&name);
        let does = match row {
            Some(row) => Some(row.does),
            None => programs::lookup(&name),
        };
        let does = does.map(|does| narrowed::does(&name, fields.get(1..).unwrap_or_default(), does));
        Invocation {
            fields,
            whole: fields,
            inner: &[],
            name,
            does,
            row,
            roles: OnceCell::new(),
        }
    }

    /// What its arguments are.
    pub(super) fn roles(&self) -> &Roles {
        self.roles.get_or_init(|| roles::of(self))
    }

    /// The arguments.
    pub(crate) fn arguments(&self) -> &'a [Field] {
        self.fields.get(1..).unwrap_or_default()
    }

    /// The arguments that are no options. Behind `--` all are none.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'a Field> {
        let mut options = true;
        self.arguments().iter().filter(move |field| {
            if options && field.text == "--" {
                options = false;
                return false;
            }
            !(options && field.text.len() > 1 && field.text.starts_with('-'))
        })
    }

    /// Whether one of the options is `short` (alone or in a cluster) or an abbreviation of `long`.
    pub(crate) fn has_option(&self, short: char, long: &str) -> bool {
        self.arguments()
            .iter()
            .take_while(|field| field.text != "--")
            .any(|field| match field.text.strip_prefix("--") {
                Some(name) => !name.is_empty() && long.starts_with(name.split('=').next().unwrap_or_default()),
                None => field
                    .text
                    .strip_prefix('-')
                    .is_some_and(|cluster| cluster.contains(short)),
            })
    }
}

/// The command itself, and every command that wrappers in it may run. What options of a wrapper take is not known for
/// all of them, so each argument that could begin a command is taken to, up to the first that surely does.
pub(crate) fn invocations(fields: &[Field]) -> Vec<Invocation<'_>> {
    let mut found = Vec::new();
    let mut starts = vec![(0, fields.len())];
    while let Some((from, to)) = starts.pop().filter(|_| found.len() <= MOST_WRAPPERS) {
        let Some(fields) = fields.get(from..to).filter(|fields| !fields.is_empty()) else {
            continue;
        };
        let mut invocation = Invocation::of(fields);
        let options = command_options(&invocation.name);
        if !options.is_empty() {
            // Pushed last to first, so that they are taken in order.
            let behind = fields
                .iter()
                .enumerate()
                .rev()
                .filter(|(_, field)| options.contains(&field.text.as_str()));
            let end = |at: usize| {
                let length = fields[at..]
                    .iter()
                    .position(|field| field.text == ";" || field.text == "+");
                from + length.map_or(fields.len(), |length| at + length)
            };
            starts.extend(behind.map(|(at, _)| (from + at + 1, end(at))).take(MOST_WRAPPERS));
        } else if let Some((inner, sure)) = inner(&invocation) {
            starts.extend(inner.iter().rev().map(|at| (from + at, to)));
            // What the inner command surely takes is not the wrapper's own.
            if let Some(end) = sure {
                (invocation.fields, invocation.inner) = fields.split_at(end);
            }
        }
        found.push(invocation);
    }
    found
}

/// Whether it is asked about a command, and runs none: `command -v`.
fn only_tells(invocation: &Invocation<'_>) -> bool {
    let mut options = invocation.arguments().iter().map(|field| field.text.as_str());
    let letters =
        |text: &str| text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|one| "pvV".contains(one));
    let first = options.find(|text| *text != "-p").filter(|text| letters(text));
    invocation.name == "command" && first.is_some_and(|text| text.contains(['v', 'V']))
}

/// Whether it gives the command in its arguments what another command prints.
pub(super) fn is_fed(invocation: &Invocation<'_>) -> bool {
    matches!(invocation.name.as_ref(), "xargs" | "parallel")
}

/// Where the command may begin that it runs in its arguments, if it does, and whether that is sure.
fn inner(invocation: &Invocation<'_>) -> Option<(Vec<usize>, Option<usize>)> {
    if only_tells(invocation) {
        return None;
    }
    wrapped::in_container(invocation).or_else(|| {
        let wraps =
            matches!(invocation.does, Some(Does::Wraps | Does::Escalates)) || wrapped::is_known(&invocation.name);
        wraps.then(|| wrapped::starts(invocation.fields))
    })
}

/// Options behind which a program that is no wrapper takes a command: find(1), fd(1).
fn command_options(name: &str) -> &'static [&'static str] {
    match name {
        "find" => &["-exec", "-execdir", "-ok", "-okdir"],
        "fd" | "fdfind" => &["-x", "-X", "--exec", "--exec-batch"],
        _ => &[],
    }
}

/// The scripts in the arguments of a program, to be read as shell.
pub(crate) fn scripts(invocation: &Invocation<'_>) -> Vec<String> {
    let name = invocation.name.as_ref();
    let arguments = invocation.arguments();
    match invocation.does {
        // `sh -c`, `sh -lc`: the first operand behind the option; all are taken, for `$0` and `$1` are often code too.
        Some(Does::Shell) => {
            let has_c = |field: &Field| {
                field.text.starts_with('-') && !field.text.starts_with("--") && field.text.contains('c')
            };
            if arguments.iter().any(has_c) {
                invocation.operands().map(|field| field.text.clone()).collect()
            } else {
                Vec::new()
            }
        }
        _ if name == "sed" => {
            let acts = outputs::acts_of_sed(invocation).into_iter();
            let runs = acts.filter_map(|act| match act {
                Act::Runs(script) => script,
                Act::Writes(_) | Act::Reads(_) => None,
            });
            runs.collect()
        }
        Some(Does::Evaluates) if name == "eval" => vec![text(arguments.iter())],
        Some(Does::Evaluates) if name == "trap" => {
            invocation.operands().take(1).map(|field| field.text.clone()).collect()
        }
        Some(Does::Evaluates) if name == "alias" => arguments
            .iter()
            .filter_map(|field| field.text.split_once('=').map(|(_, value)| value.to_owned()))
            .collect(),
        // `env -S 'sh -c id'`, `su -c '…'`, `flock f -c '…'`, `ssh host '…'`, `watch '…'`: an argument with blanks.
        Some(Does::Wraps) if only_tells(invocation) => Vec::new(),
        Some(Does::Wraps | Does::Escalates) => {
            let mut scripts: Vec<String> = arguments
                .iter()
                .map(|field| {
                    field
                        .text
                        .trim_start_matches("--split-string=")
                        .trim_start_matches("-S")
                        .to_owned()
                })
                .filter(|text| text.contains(char::is_whitespace))
                .collect();
            scripts.extend(joined(invocation));
            scripts
        }
        _ => Vec::new(),
    }
}

/// Arguments as one line.
fn text<'a>(fields: impl Iterator<Item = &'a Field>) -> String {
    fields.map(|field| field.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// What a wrapper gives to a shell: the command that it surely runs, or its operands, put together.
fn joined(invocation: &Invocation<'_>) -> Option<String> {
    let has = |options: &[&str]| {
        let mut own = invocation.arguments().iter();
        own.any(|field| options.contains(&field.text.as_str()))
    };
    let skipped = match invocation.name.as_ref() {
        "ssh" => 1,
        "watch" if !has(&["-x", "--exec"]) => 0,
        "parallel" if !has(&["-q", "--quote"]) => 0,
        _ => return None,
    };
    if invocation.inner.is_empty() {
        return Some(text(invocation.operands().skip(skipped)));
    }
    // Behind `:::` stand arguments, which are quoted.
    let command = invocation.inner.iter();
    Some(text(command.take_while(|field| !field.text.starts_with(":::"))))
}

/// The commands that xargs and its like make of what is printed into them.
pub(crate) fn given(invocations: &[Invocation<'_>], printed: &str) -> Vec<String> {
    let gives = |invocation: &&Invocation<'_>| matches!(invocation.name.as_ref(), "xargs" | "parallel");
    let (Some(giver), Some(last)) = (invocations.iter().find(gives), invocations.last()) else {
        return Vec::new();
    };
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let words = |extra: &mut dyn Iterator<Item = String>| {
        let own = last.fields.iter().map(|field| quoted(&field.text));
        own.chain(extra).collect::<Vec<_>>().join(" ")
    };
    // Quotes and backslashes go, as they do in xargs.
    let plain = |piece: &str| quoted(&piece.replace(['"', '\'', '\\'], ""));
    let mut found = vec![words(&mut printed.split_whitespace().map(plain))];
    let has_own = |options: &[&str]| {
        let mut own = giver.arguments().iter();
        own.any(|field| options.iter().any(|option| field.text.starts_with(option)))
    };
    if giver.name == "parallel" || has_own(&["-0", "-d", "-i", "-I", "-r0", "--null", "--delim", "--repl"]) {
        found.push(words(&mut [quoted(printed.trim())].into_iter()));
        let filled = last
            .fields
            .iter()
            .map(|field| quoted(&field.text.replace("{}", printed.trim())));
        found.push(filled.collect::<Vec<_>>().join(" "));
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn fields(text: &str) -> Vec<Field> {
        text.split(' ').map(Field::from).collect()
    }

    fn names(text: &str) -> Vec<String> {
        invocations(&fields(text))
            .iter()
            .map(|one| one.name.to_string())
            .collect()
    }

    #[test]
    fn wrappers_are_seen_through() {
        assert_eq!(names("sudo -u git rm -rf /"), ["sudo", "rm"]);
        assert_eq!(names("find . -exec cat {} ; -exec rm {} ;"), ["find", "cat", "rm"]);
        assert_eq!(
            names("env -i A=1 nice -n 5 timeout 3 /bin/rm x"),
            ["env", "nice", "timeout", "rm"]
        );
        assert_eq!(names("find . -name x -exec rm {} ;"), ["find", "rm"]);
        assert_eq!(names("busybox rm -rf /"), ["busybox", "rm"]);
        assert_eq!(names("echo sudo rm"), ["echo"]);
        assert_eq!(names("sudo echo rm -rf /"), ["sudo", "echo"]);
    }

    #[test]
    fn scripts_in_arguments_are_found() {
        let of = |texts: &[&str]| {
            let fields: Vec<Field> = texts.iter().copied().map(Field::from).collect();
            scripts(&Invocation::of(&fields))
        };
        assert_eq!(of(&["bash", "-lc", "rm x"]), ["rm x"]);
        assert_eq!(of(&["bash", "x.sh"]), [""; 0]);
        assert_eq!(of(&["env", "-Ssh -c id"]), ["sh -c id"]);
        assert_eq!(of(&["eval", "rm", "x"]), ["rm x"]);
        assert_eq!(of(&["grep", "-P", "(?:safe|rm -rf /)"]), [""; 0]);
    }

    #[test]
    fn options_are_found_in_clusters_and_by_their_beginnings() {
        let fields = fields("rm -vf --rec x -- -r");
        let rm = Invocation::of(&fields);
        assert!(rm.has_option('f', "force") && rm.has_option('r', "recursive"));
        assert!(!rm.has_option('i', "interactive"));
        let operands: Vec<_> = rm.operands().map(|field| field.text.as_str()).collect();
        assert_eq!(operands, ["x", "-r"]);
    }
}
