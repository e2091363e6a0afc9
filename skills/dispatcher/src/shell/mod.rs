//! Shell commands. A command line is read whole, with what stands in substitutions, wrappers and arguments, and the
//! strictest part decides. What must never run is refused; what is shown to be harmless passes; the rest asks, and what is
//! told to the person is in one line what would happen.
//!
//! This is a wall of words. What holds when a rule misses something is the operating system's jail.

mod acts;
mod bangs;
mod beyond;
mod by_option;
mod carriers;
mod effects;
mod fed;
mod files;
mod filled;
mod grammar;
mod guesses;
mod harmless;
mod hidden;
mod lasting;
mod literals;
mod losses;
mod naming;
mod narrowed;
mod online;
mod outputs;
mod packed;
mod parse;
mod programs;
mod reaching;
mod redirected;
mod remote;
mod roles;
mod ruin;
mod scan;
mod scope;
mod told;
mod web;
mod word;
mod wrapped;

use std::collections::BTreeSet;
use std::rc::Rc;

pub(crate) use word::UNKNOWN;

use crate::finding::{self, Finding, Risk};
use crate::path::Roots;
use crate::settings::Unasked;
use effects::{Effects, shown};
use fed::Feed;
use parse::{Command, Doubt};
use programs::Does;
use ruin::{Ruin, Standing};
use scope::Scope;
use word::{Field, Variables};

/// Longer commands are refused: Linux takes no argument of more than 128 KiB (MAX_ARG_STRLEN), and nobody could read
/// one before approving it.
const LONGEST: usize = 128 << 10;

/// The most characters of one command in which what decided is looked for.
const LONGEST_PART: usize = 4_096;

/// What is said of each command where the operator did not insist on the jail.
const UNHELD: &str = "runs where no jail may hold it (shell.jail is weak)";

/// How deep scripts in scripts are followed.
const DEEPEST: usize = 16;

/// How many scripts one command line may hold.
const MOST_SCRIPTS: usize = 256;

/// What the judgement depends on beside the command.
pub(crate) struct Context<'a> {
    /// The folders.
    pub(crate) roots: &'a Roots,
    /// Hosts that may be reached.
    pub(crate) allowed: &'a [String],
    /// What passes unasked.
    pub(crate) unasked: Unasked,
    /// Whether the jail has no network.
    pub(crate) offline: bool,
}

/// Judges a command line. Nothing is a pass.
pub(crate) fn judge(command: &str, field: &str, context: &Context<'_>) -> Vec<Finding> {
    if command.trim().is_empty() {
        return vec![Finding::reject(
            "shell-no-command",
            field,
            "the command is empty",
            "Put the command line into :CMD, such as :CMD \"ls\".",
        )];
    }
    if command.len() > LONGEST {
        return vec![Finding::reject(
            "shell-too-long",
            field,
            format!(
                "the command has {} bytes, and more than {LONGEST} can't be run or read by a person",
                command.len()
            ),
            "Write the data to a file in the workspace first, and name the file in a short command.",
        )];
    }
    if command.contains('\0') {
        return vec![
            Finding::reject("shell-nul", field, "the command holds a NUL character", "Leave it out.")
                .about(around_nul(command)),
        ];
    }
    let hidden = finding::has_hidden(command);
    let mut walk = walk(command, field, context);
    // The parser of the proof takes it for granted that what opens closes.
    let proof = (!hidden && !walk.unfinished && !walk.refused).then(|| harmless::prove(command, context.roots));
    match (&proof, context.unasked) {
        (Some(Ok(harmless::Level::Reads)), Unasked::Reads | Unasked::Writes)
        | (Some(Ok(harmless::Level::Writes)), Unasked::Writes) => return Vec::new(),
        (_, Unasked::Nothing) => walk.effects.add(UNHELD, Risk::Medium),
        _ => {}
    }
    if hidden {
        walk.effects.doubt("holds invisible characters");
    }
    if let Some(Err(doubt)) = proof {
        walk.effects.because(doubt.why, doubt.part);
    }
    walk.findings.push(walk.effects.ask(command, field, context.offline));
    walk.findings
}

/// The word in which the first NUL stands.
fn around_nul(command: &str) -> &str {
    let words = || command.split_whitespace();
    words().find(|word| word.contains('\0')).map(shown).unwrap_or_default()
}

/// Reads a command line whole, and gathers what it does and what there is against it.
fn walk<'a>(command: &str, field: &'a str, context: &'a Context<'a>) -> Walk<'a> {
    let mut walk = Walk {
        field,
        context,
        findings: Vec::new(),
        effects: Effects::default(),
        refused: false,
        unfinished: false,
        patterns: 0,
        named: 0,
    };
    walk.walk(command);
    walk
}

/// Whether a command that passes does so because it changes nothing.
pub(crate) fn only_reads(command: &str, context: &Context<'_>) -> bool {
    context.unasked != Unasked::Writes || harmless::prove(command, context.roots) == Ok(harmless::Level::Reads)
}

/// What `echo` or `printf` would print, as far as that is known.
fn printed(fields: &[Field]) -> Option<String> {
    let (name, arguments) = fields.split_first()?;
    let texts = arguments
        .iter()
        .map(|field| field.text.as_str())
        .filter(|text| !matches!(*text, "-e" | "-n" | "-en" | "-ne"));
    matches!(name.text.as_str(), "echo" | "printf").then(|| texts.collect::<Vec<_>>().join(" "))
}

/// A script that waits to be read.
struct Pending {
    script: String,
    depth: usize,
    scope: Rc<Scope>,
    /// Whether it is surely run. Of what only may be run, only what must never run counts.
    sure: bool,
}

struct Walk<'a> {
    field: &'a str,
    context: &'a Context<'a>,
    findings: Vec<Finding>,
    effects: Effects,
    /// Whether a file or a device is named that must not be, or what must never run. Addresses don't count: a word that
    /// looks like one reaches nothing by itself.
    refused: bool,
    /// Whether something in it opens and does not close.
    unfinished: bool,
    /// How many patterns of files were looked at.
    patterns: usize,
    /// How many files were named as written by redirection.
    named: usize,
}

impl Walk<'_> {
    fn walk(&mut self, command: &str) {
        let mut seen = BTreeSet::new();
        let mut pending = vec![Pending {
            script: command.to_owned(),
            depth: 0,
            scope: Rc::new(Scope {
                here: Some(self.context.roots.start()),
                ..Scope::default()
            }),
            sure: true,
        }];
        while let Some(next) = pending.pop() {
            if next.depth > DEEPEST || seen.len() >= MOST_SCRIPTS {
                self.effects.doubt("nests too deep to be read");
                return;
            }
            if seen.insert((next.script.clone(), next.sure)) {
                // A line may go on in the next one in the middle of a name.
                if next.script.contains("\\\n") {
                    pending.push(Pending {
                        script: next.script.replace("\\\n", ""),
                        scope: Rc::clone(&next.scope),
                        ..next
                    });
                }
                self.script(next, &mut pending);
            }
        }
    }

    /// Judges the commands of one script, and hands on those inside them.
    fn script(&mut self, current: Pending, pending: &mut Vec<Pending>) {
        let script = parse::parse(&current.script);
        let mut inner: Vec<(String, bool)> = script.nested.into_iter().map(|script| (script, true)).collect();
        self.unfinished |= script.doubts.contains(&Doubt::Unfinished);
        if current.sure {
            for doubt in &script.doubts {
                self.effects.doubt(match doubt {
                    Doubt::Unfinished => "can't be read to its end",
                    Doubt::Indirect => "expands a value twice",
                });
            }
        }
        let written = |(from, to): (usize, usize)| -> String {
            let text = script.text.get(from..to).unwrap_or_default();
            text.iter().take(LONGEST_PART).collect()
        };
        if let Some((at, ruin)) = ruin::fork_bomb(&script.commands) {
            let (from, _) = script.commands[at].span;
            let to = script.commands.get(at + 1).map_or(from, |next| next.span.1);
            self.effects.current = written((from, to));
            self.refuse(ruin, "");
        }
        if current.depth > 0 || !inner.is_empty() {
            self.effects.vary();
        }
        let mut scope = (*current.scope).clone();
        let mut piped: Option<Vec<Field>> = None;
        let mut feed = Feed::default();
        for command in &script.commands {
            self.effects.current = written(command.span);
            let fields = self.fields(command, &scope.variables);
            if !fields.iter().all(Field::is_known) || !command.assignments.is_empty() || !command.input.is_empty() {
                self.effects.vary();
            }
            self.redirects(command, &scope, current.sure);
            for (name, _, value) in command.assignments.iter().filter(|_| current.sure) {
                self.proxy(name, &value.joined(&scope.variables).text);
            }
            if command.words.is_empty() {
                scope.assign(command);
            } else if fields.is_empty() && current.sure {
                self.effects.doubt(effects::UNKNOWN_PROGRAM);
            }
            let invocations = hidden::invocations(&fields);
            if invocations.len() > 1 {
                self.effects.vary();
            }
            if invocations.len() > hidden::MOST_WRAPPERS {
                self.effects.doubt("nests too deep to be read");
            }
            let fed = invocations.iter().any(hidden::is_fed);
            if let Some(printed) = piped.as_deref().and_then(printed) {
                let given = hidden::given(&invocations, &printed);
                inner.extend(given.into_iter().map(|script| (script, true)));
            }
            let told = piped.as_deref().and_then(printed).is_some();
            let reads = current.sure && fed && !told && invocations.last().is_some_and(guesses::reads);
            let deletes = invocations.last().is_some_and(|last| last.does == Some(Does::Deletes));
            self.effects.named = current.sure && fed && !told && deletes;
            if self.effects.named {
                self.effects.lead("deletes what its input names", Risk::High);
            }
            let standing = Standing::of(&invocations, command.words.len(), fields.len(), current.depth);
            for invocation in invocations {
                if let Some(ruin) = ruin::judge(&invocation, standing, scope.here.as_ref(), self.context.roots) {
                    self.refuse(ruin, "");
                }
                if current.sure {
                    self.invocation(&invocation, command, scope.here.as_ref());
                }
                let scripts = hidden::scripts(&invocation)
                    .into_iter()
                    .chain(bangs::scripts(&invocation))
                    .chain(naming::scripts(&invocation));
                inner.extend(scripts.map(|script| (script, true)));
                inner.extend(carriers::scripts(&invocation));
                inner.extend(self.fed(&invocation, command, piped.as_deref(), &scope.variables, &mut feed));
            }
            if reads {
                self.guess_any();
            }
            scope.follow(&fields, &self.context.roots.start());
            piped = command.writes_pipe.then_some(fields);
        }
        inner.extend(feed.rest());
        if scope.full {
            self.effects.doubt("sets too many variables to be followed");
        }
        // Inner scripts see the variables as the outer one leaves them; all share the one copy.
        let scope = Rc::new(scope);
        for (script, sure) in inner {
            let sure = sure && current.sure;
            pending.push(Pending {
                script,
                depth: current.depth + 1,
                scope: Rc::clone(&scope),
                sure,
            });
        }
    }

    /// Refuses what is ruin, of which `piece` is the reason, or all of the command that is looked at.
    fn refuse(&mut self, ruin: Ruin, piece: &str) {
        self.refused = true;
        let rejection = Finding::reject(ruin.rule, self.field, ruin.reason, ruin.repair);
        self.findings.push(rejection.about(self.effects.part_of(piece)));
    }

    fn fields(&mut self, command: &Command, variables: &Variables) -> Vec<Field> {
        let mut fields = Vec::new();
        for word in &command.words {
            match word.fields(variables) {
                Some(more) => fields.extend(more),
                None => self.effects.doubt("has too many braces to be read"),
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests;
