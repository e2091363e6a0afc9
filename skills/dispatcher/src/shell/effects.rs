//! What the parts of a command line do to the world, gathered for the one line that a person reads, and what their
//! paths and addresses have against them.

use super::filled::Content;
use super::harmless::Act;
use super::hidden::Invocation;
use super::parse::Command;
use super::programs::Does;
use super::told::{self, About, Told};
use super::{
    Walk, acts, beyond, by_option, filled, harmless, hidden, lasting, losses, naming, outputs, packed, ruin,
};
use crate::finding::{Finding, Risk};
use crate::path::Place;
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

/// What a command line does.
#[derive(Debug)]
pub(super) struct Effects {
    told: Vec<Told>,
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
    /// Whether it deletes what its input names, and that is told.
    pub(super) named: bool,
    /// The one of which the risk is the highest.
    decided: String,
}

impl Default for Effects {
    fn default() -> Effects {
        Effects {
            told: Vec::new(),
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
            named: false,
            decided: String::new(),
        }
    }
}

impl Effects {
    /// Notes one effect, once.
    pub(super) fn add(&mut self, words: impl AsRef<str>, risk: Risk) {
        self.note(words.as_ref(), risk, About::Way);
    }

    /// Notes what is done, before what only says how.
    pub(super) fn lead(&mut self, words: &str, risk: Risk) {
        self.note(words, risk, About::Deed);
    }

    /// Notes a file that is read.
    pub(super) fn read(&mut self, words: &str, risk: Risk) {
        self.note(words, risk, About::File);
    }

    /// Notes how bad it could be, where it is told what is done.
    pub(super) fn at_least(&mut self, risk: Risk) {
        if risk > self.risk || self.decided.is_empty() {
            self.decided.clone_from(&self.current);
        }
        self.risk = self.risk.max(risk);
    }

    fn note(&mut self, words: &str, risk: Risk, about: About) {
        self.at_least(risk);
        // What is grave is always told.
        let room = self.told.len() < if risk == Risk::High { 2 * MOST_WORDS } else { MOST_WORDS };
        match self.told.iter_mut().find(|own| own.words == words) {
            Some(own) => {
                own.risk = own.risk.max(risk);
                if about == About::Deed {
                    own.about = about;
                }
            }
            None if room => self.told.push(Told {
                words: words.to_owned(),
                about,
                risk,
            }),
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
        let told = told::in_order(&self.told);
        let does = match told.as_slice() {
            [] => "sets variables".to_owned(),
            _ => told::folded(&told).join(", "),
        };
        let says_all = told.iter().any(|told| told.about == About::Deed);
        // What wraps another command is itself not told.
        let is_harmless = told.iter().all(|told| told.risk == Risk::Low) && self.risk < Risk::High;
        let does = match is_harmless && !self.reason.is_empty() && !says_all {
            true => [&does, "; ", &self.reason].concat(),
            false => does,
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
        for act in &acts {
            self.effects.lead(&act.words, act.risk);
        }
        for (words, risk) in packed::told(invocation) {
            self.effects.lead(words, risk);
            if packed::ALL.contains(&words) {
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
            } else if acts.iter().any(|act| act.own) {
                let is_all = acts.iter().any(acts::Told::is_all);
                self.effects.at_least(if is_all { Risk::Low } else { Risk::Medium });
            } else if command.inside.is_empty() {
                self.effects
                    .add(["runs ", &crate::finding::line(name, 40)].concat(), Risk::Medium);
            }
            self.paths(invocation, &outputs, here);
            return self.reaches(invocation, &outputs, here);
        };
        let lost = losses::told(invocation, here, self.context.roots);
        let by_option = by_option::told(name, invocation);
        // Once is enough, and what is done rather than how.
        let is_told = acts.iter().any(|act| act.own)
            || match does {
                Does::Deletes => self.effects.named || !lost.is_empty(),
                Does::Writes | Does::Copies => !outputs.files.is_empty() || !lost.is_empty(),
                Does::Wraps => !invocation.inner.is_empty() && (self.effects.named || !hidden::is_fed(invocation)),
                _ => false,
            };
        let risk = match does {
            _ if acts.iter().any(acts::Told::is_all) => Risk::Low,
            Does::Deletes if ruin::is_recursive(invocation) => Risk::High,
            _ => does.risk(),
        };
        match is_told {
            true => self.effects.at_least(risk),
            false => {
                let words = [does.words_of(name), " (", &crate::finding::line(name, 30), ")"].concat();
                self.effects.add(words, risk);
            }
        }
        for told in naming::told(invocation) {
            self.effects.beyond = true;
            self.effects.add(told, Risk::High);
        }
        match by_option {
            // That it does something says only how.
            Some(by_option::SOMETHING) => self.effects.add(by_option::SOMETHING, Risk::High),
            Some(words) if lost.is_empty() => self.effects.lead(words, Risk::High),
            _ => {}
        }
        if name == "sed"
            && outputs::acts_of_sed(invocation)
                .iter()
                .any(|act| matches!(act, Act::Runs(_)))
        {
            self.effects
                .lead("runs a command that its script holds or puts together", Risk::High);
        }
        for told in lost {
            self.effects.lead(&told, Risk::High);
            self.effects.vary();
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
}
