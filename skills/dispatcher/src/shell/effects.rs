//! What the parts of a command line do to the world, gathered for the one line that a person reads, and what their
//! paths and addresses have against them.

use super::filled::Content;
use super::hidden::Invocation;
use super::outputs::Outputs;
use super::parse::Command;
use super::programs::Does;
use super::{Walk, acts, beyond, by_option, filled, harmless, lasting, losses, naming, outputs, packed, ruin, told};
use crate::finding::{Finding, Risk};
use crate::path::{Access, Effect, Place};
use crate::secret;

/// What is said of a program whose name holds an expansion or a glob.
pub(super) const UNKNOWN_PROGRAM: &str = "runs a program whose name only running tells";

/// What is said where the jail has no network and the command needs one.
const OFFLINE: &str = "the jail has no network, so that will fail";

/// How many effects are told; of those that are grave twice as many.
const MOST_WORDS: usize = 12;

/// How much of a command is shown before what it does, and how much where there is a note behind that.
const SHOWN: usize = 90;
const SHOWN_WITH_NOTE: usize = 50;

/// Subcommands of git(1) that are given files of other versions, as `REVISION:PATH`.
const SHOWING: &[&str] = &[
    "archive", "blame", "cat-file", "checkout", "diff", "difftool", "grep", "restore", "show",
];

/// What a command line does.
#[derive(Debug)]
pub(super) struct Effects {
    /// Each with how bad it could be, and whether it says what is done and not only how.
    words: Vec<(Risk, bool, String)>,
    risk: Risk,
    doubtful: bool,
    /// Why it was not shown to be harmless, and the part that decided.
    reason: String,
    part: String,
    /// Whether the same text may do something else another time, or runs what can change.
    varies: bool,
    /// Whether what is written somewhere is obeyed later, or lies outside the workspace.
    obeyed: bool,
    /// Whether something in it takes its content from elsewhere than the text.
    takes: bool,
    /// Whether something outside the workspace may be read.
    pub(super) beyond: bool,
    /// Whether it can do nothing without a network.
    pub(super) online: bool,
    /// The command that is looked at, as it is written.
    pub(super) current: String,
    /// The one of which the risk is the highest.
    decided: String,
}

impl Default for Effects {
    fn default() -> Effects {
        Effects {
            words: Vec::new(),
            risk: Risk::Low,
            doubtful: false,
            reason: String::new(),
            part: String::new(),
            varies: false,
            obeyed: false,
            takes: false,
            beyond: false,
            online: false,
            current: String::new(),
            decided: String::new(),
        }
    }
}

impl Effects {
    /// Notes one effect, once.
    pub(super) fn add(&mut self, words: impl AsRef<str>, risk: Risk) {
        self.note(words.as_ref(), risk, false);
    }

    /// Notes what is done, before what only says how.
    pub(super) fn lead(&mut self, words: &str, risk: Risk) {
        self.note(words, risk, true);
    }

    fn note(&mut self, words: &str, risk: Risk, leads: bool) {
        if risk > self.risk || self.decided.is_empty() {
            self.decided.clone_from(&self.current);
        }
        self.risk = self.risk.max(risk);
        // What is grave is always told.
        let room = self.words.len() < if risk == Risk::High { 2 * MOST_WORDS } else { MOST_WORDS };
        match self.words.iter_mut().find(|(.., own)| own == words) {
            Some((own, does, _)) => (*own, *does) = (risk.max(*own), leads || *does),
            None if room => self.words.push((risk, leads, words.to_owned())),
            None => {}
        }
    }

    /// Notes something that can't be told.
    pub(super) fn doubt(&mut self, words: &str) {
        self.doubtful = true;
        self.varies = true;
        self.beyond = true;
        self.add(words, Risk::High);
    }

    /// Notes why it could not be shown to be harmless, for where nothing else says it.
    pub(super) fn because(&mut self, reason: String, part: String) {
        self.reason = reason;
        self.part = part;
    }

    /// Notes that nobody can approve it once and for all.
    pub(super) fn vary(&mut self) {
        self.varies = true;
    }

    /// Notes that what is written is obeyed later, if it is.
    pub(super) fn obey(&mut self, obeyed: bool) {
        self.obeyed |= obeyed;
    }

    /// Notes that content comes from elsewhere than the text.
    pub(super) fn take(&mut self) {
        self.takes = true;
    }

    /// `piece`, if it stands in the command that is looked at, or all of that. Nothing that looks like a secret.
    pub(super) fn part_of(&self, piece: &str) -> String {
        let stands = !piece.is_empty() && self.current.contains(piece);
        shown(if stands { piece } else { &self.current }).to_owned()
    }

    /// The part of `command` that decided, as it is written and not what it comes to.
    fn decisive(&self, command: &str) -> &str {
        let written = !self.part.is_empty() && command.contains(&self.part);
        // A letter says nothing by itself, and of what is grave it may be another part that is.
        let elsewhere = self.risk == Risk::High && !self.decided.contains(&self.part);
        if !written || (self.part.len() <= 2 || elsewhere) && command.contains(&self.decided) {
            return &self.decided;
        }
        &self.part
    }

    /// The ask that says it all.
    pub(super) fn ask(&self, command: &str, field: &str, offline: bool) -> Finding {
        let rule = match (self.doubtful, self.risk) {
            (true, _) => "shell-unclear",
            (false, Risk::High) => "shell-high-impact",
            (false, _) => "shell-command",
        };
        // What is worst comes first: there is room for one line.
        let words = told::in_order(&self.words);
        let does = match words.as_slice() {
            [] => "sets variables".to_owned(),
            _ => told::folded(&words).join(", "),
        };
        let does = match self.risk {
            Risk::Low if !self.reason.is_empty() && !words.contains(&packed::UNPACKS) => {
                [&does, "; ", &self.reason].concat()
            }
            _ => does,
        };
        let note = (offline && self.online).then_some(OFFLINE);
        let length = if note.is_some() { SHOWN_WITH_NOTE } else { SHOWN };
        let summary = ["`", &crate::finding::line(command.trim(), length), "`: ", &does].concat();
        let ask = Finding::ask(rule, field, summary, self.risk)
            .about(shown(self.decisive(command)))
            .reaching_beyond(self.beyond)
            .ending(note);
        // Who approves the text has not seen what would come to be there another time.
        let lasts = !(self.varies || self.obeyed && self.takes);
        match lasts.then(|| harmless::canonical(command)).flatten() {
            Some(scope) => ask.rememberable(scope),
            None => ask,
        }
    }
}

/// A part of a command, if it may be shown: without what is or may be a secret, up to its first word.
pub(super) fn shown(part: &str) -> &str {
    let fine = |part: &str| secret::find(part).is_none() && !secret::suspicion(part);
    let first = || part.split_whitespace().next().filter(|first| fine(first));
    if fine(part) { part } else { first().unwrap_or_default() }
}

impl Walk<'_> {
    /// Gathers what one invocation does.
    pub(super) fn invocation(&mut self, invocation: &Invocation<'_>, command: &Command, here: Option<&Place>) {
        let name = invocation.name.as_ref();
        self.effects.beyond |= here.is_none() || beyond::may_read(invocation, self.context.roots, here);
        if !self.effects.varies {
            self.effects.varies = !lasting::lasts(invocation, self.context.roots, here);
        }
        let acts = acts::told(invocation, command);
        for (words, risk) in &acts {
            self.effects.lead(words, *risk);
        }
        for (words, risk) in packed::told(invocation) {
            self.effects.lead(words, risk);
            if words == packed::ALONG {
                self.effects.vary();
            }
        }
        let outputs = outputs::of(invocation);
        match filled::content(invocation, command.reads_pipe) {
            Content::None => {}
            _ if self.effects.varies => {}
            content => {
                if content == Content::Taken {
                    self.effects.take();
                }
                let obeyed = filled::fills_obeyed(invocation, &outputs, self.context.roots, here);
                self.effects.obey(obeyed);
            }
        }
        self.outputs(&outputs, here);
        for (variable, ..) in &command.assignments {
            if let Some(runs) = naming::runs(variable) {
                self.effects.beyond = true;
                self.effects.add(runs, Risk::High);
            }
        }
        let Some(does) = invocation.does else {
            if name.is_empty() || !invocation.fields[0].is_known() || invocation.fields[0].glob {
                self.effects.doubt(UNKNOWN_PROGRAM);
            } else if command.inside.is_empty() {
                self.effects
                    .add(["runs ", &crate::finding::line(name, 40)].concat(), Risk::Medium);
            }
            self.paths(invocation, &outputs, here);
            return self.reaches(invocation, &outputs, here);
        };
        let mut risk = does.risk();
        if does == Does::Deletes && ruin::is_recursive(invocation) {
            risk = Risk::High;
        }
        // Once is enough.
        let is_told = acts
            .iter()
            .any(|(words, told)| words.starts_with(does.words()) && *told >= risk);
        if !is_told {
            let words = [does.words(), " (", &crate::finding::line(name, 30), ")"].concat();
            self.effects.add(words, risk);
        }
        for told in naming::told(invocation) {
            self.effects.beyond = true;
            self.effects.add(told, Risk::High);
        }
        if let Some(words) = by_option::told(name, invocation) {
            // That it does something says only how.
            self.effects.note(words, Risk::High, words != by_option::SOMETHING);
        }
        if ruin::reads_script(invocation)
            && invocation.arguments().is_empty()
            && !command.reads_pipe
            && command.input.is_empty()
        {
            self.effects.add("waits for input", Risk::High);
        }
        self.paths(invocation, &outputs, here);
        self.reaches(invocation, &outputs, here);
    }

    /// Judges what an invocation writes that its kind does not say.
    fn outputs(&mut self, outputs: &Outputs, here: Option<&Place>) {
        for file in &outputs.files {
            let what = match file.is_known() {
                true => crate::finding::line(&file.text, 60),
                false => "a file that only running tells".to_owned(),
            };
            self.effects.add(format!("writes {what}"), Risk::Medium);
            self.path(&file.text, Access::Write, here);
        }
    }

    /// Judges what the other arguments of an invocation name in the file system.
    fn paths(&mut self, invocation: &Invocation<'_>, outputs: &Outputs, here: Option<&Place>) {
        let accesses = filled::accesses(invocation, outputs);
        let last = accesses.len().saturating_sub(1);
        let into = invocation.has_option('t', "target-directory");
        let shows =
            invocation.name == "git" && invocation.operands().any(|verb| SHOWING.contains(&verb.text.as_str()));
        for (at, (file, access)) in accesses.into_iter().enumerate() {
            let told = self.path(&file.text, access, here);
            // A file of another version.
            if !told
                && shows
                && let Some((_, of)) = file.text.split_once(':')
            {
                self.path(of, access, here);
            }
            // What is moved can be read where it came to be.
            if invocation.name == "mv" && (into || at != last) {
                self.effects.beyond |= self.leaves(&file.text, here);
            }
        }
        self.guesses(invocation, outputs);
        for told in losses::told(invocation, here, self.context.roots) {
            self.effects.add(told, Risk::High);
            self.effects.vary();
        }
    }

    /// Judges one path. Whether what it is was told.
    pub(super) fn path(&mut self, text: &str, access: Access, here: Option<&Place>) -> bool {
        let verb = match access {
            Access::Look => "looks at",
            Access::Read => "reads",
            Access::Write => "writes",
        };
        self.path_as(verb, text, access, here)
    }

    /// Judges one path to which this is done. Whether what it is was told.
    pub(super) fn path_as(&mut self, verb: &str, text: &str, access: Access, here: Option<&Place>) -> bool {
        // What has blanks in it is more often a text than a path; what is long surely is.
        if text.is_empty() || text.len() > 4096 || text.contains('\n') || text.starts_with("/dev/") {
            return false;
        }
        let roots = self.context.roots;
        let place = self.place(text, here);
        let protection = roots.protection(&place, access);
        match protection {
            Some((Effect::Reject, what)) => {
                let verb = if access == Access::Write { "writes" } else { "reads" };
                self.refused = true;
                let rejection = Finding::reject(
                    "path-protected",
                    self.field,
                    format!("the command {verb} {place}, {what}"),
                    "Leave that file out. If it is really needed, ask the person to do it themselves.",
                );
                self.findings.push(rejection.about(self.effects.part_of(text)));
            }
            Some((Effect::Ask, what)) => {
                let told = format!("{verb} {}, {what}", crate::finding::line(text, 60));
                // Of a name nobody learns what is in the file. Nobody approves the rest for good.
                if access == Access::Look {
                    self.effects.add(told, Risk::Medium);
                } else {
                    self.effects.add(told, Risk::High);
                    self.effects.vary();
                }
            }
            _ => {}
        }
        if self.leaves(text, here) {
            self.effects.beyond |= access != Access::Write;
            let risk = if access == Access::Write {
                Risk::High
            } else {
                Risk::Medium
            };
            let temporary = Place::absolute("/tmp");
            let temporary = place.is_in(&temporary) && !roots.start().is_in(&temporary);
            let what = match access {
                Access::Write if temporary => "in its own temporary folder, which is thrown away",
                _ => "outside the workspace",
            };
            self.effects
                .add([what, ": ", &crate::finding::line(text, 60)].concat(), risk);
        }
        matches!(protection, Some((Effect::Ask, _)))
    }

    /// What a path names.
    pub(super) fn place(&self, text: &str, here: Option<&Place>) -> Place {
        let roots = self.context.roots;
        match here.or(roots.workspace.as_ref()) {
            Some(from) => Place::of(text, from),
            None => Place::of(text, &roots.start()),
        }
    }

    /// Whether a path leads out of the workspace.
    pub(super) fn leaves(&self, text: &str, here: Option<&Place>) -> bool {
        let roots = self.context.roots;
        let leads = text.starts_with(['/', '~'])
            || text.split('/').any(|part| part == "..")
            || here.is_some_and(|here| !roots.is_inside(here));
        leads && !roots.is_inside(&self.place(text, here))
    }
}
