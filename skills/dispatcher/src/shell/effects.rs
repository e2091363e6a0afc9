//! What the parts of a command line do to the world, gathered for the one line that a person reads, and what their
//! paths and addresses have against them.

use super::filled::Content;
use super::hidden::Invocation;
use super::outputs::Outputs;
use super::parse::Command;
use super::programs::Does;
use super::{Walk, beyond, filled, harmless, lasting, naming, outputs, roles, ruin};
use crate::finding::{Finding, Risk};
use crate::network;
use crate::path::{Access, Effect, Place};

/// What is said of a program whose name holds an expansion or a glob.
pub(super) const UNKNOWN_PROGRAM: &str = "runs a program whose name only running tells";

/// What a command line does.
#[derive(Debug)]
pub(super) struct Effects {
    words: Vec<String>,
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
        }
    }
}

impl Effects {
    /// Notes one effect, once.
    pub(super) fn add(&mut self, words: impl AsRef<str>, risk: Risk) {
        self.risk = self.risk.max(risk);
        if !self.words.iter().any(|own| own == words.as_ref()) && self.words.len() < 12 {
            self.words.push(words.as_ref().to_owned());
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

    /// The ask that says it all.
    pub(super) fn ask(&self, command: &str, field: &str) -> Finding {
        let rule = match (self.doubtful, self.risk) {
            (true, _) => "shell-unclear",
            (false, Risk::High) => "shell-high-impact",
            (false, _) => "shell-command",
        };
        let does = if self.words.is_empty() {
            "sets variables".to_owned()
        } else {
            self.words.join(", ")
        };
        let does = match self.risk {
            Risk::Low if !self.reason.is_empty() => format!("{does}; {}", self.reason),
            _ => does,
        };
        let summary = format!("`{}`: {does}", crate::finding::line(command.trim(), 90));
        let ask = Finding::ask(rule, field, summary, self.risk)
            .about(&self.part)
            .reaching_beyond(self.beyond);
        // Who approves the text has not seen what would come to be there another time.
        let lasts = !(self.varies || self.obeyed && self.takes);
        match lasts.then(|| harmless::canonical(command)).flatten() {
            Some(scope) => ask.rememberable(scope),
            None => ask,
        }
    }
}

impl Walk<'_> {
    /// Gathers what one invocation does.
    pub(super) fn invocation(&mut self, invocation: &Invocation<'_>, command: &Command, here: Option<&Place>) {
        let name = invocation.name.as_ref();
        self.effects.beyond |= here.is_none() || beyond::may_read(invocation, self.context.roots, here);
        if !self.effects.varies {
            self.effects.varies = !lasting::lasts(invocation, self.context.roots, here);
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
                    .add(format!("runs {}", crate::finding::line(name, 40)), Risk::Medium);
            }
            self.paths(invocation, &outputs, here);
            return self.addresses(invocation, None, &outputs);
        };
        let mut risk = does.risk();
        if does == Does::Deletes
            && (invocation.has_option('r', "recursive") || invocation.has_option('R', "recursive"))
        {
            risk = Risk::High;
        }
        self.effects
            .add(format!("{} ({})", does.words(), crate::finding::line(name, 30)), risk);
        for told in naming::told(invocation) {
            self.effects.beyond = true;
            self.effects.add(told, Risk::High);
        }
        if acts_by_option(name, invocation) {
            self.effects.add("runs or changes something by an option", Risk::High);
        }
        if ruin::reads_script(invocation)
            && invocation.arguments().is_empty()
            && !command.reads_pipe
            && command.input.is_empty()
        {
            self.effects.add("waits for input", Risk::High);
        }
        self.paths(invocation, &outputs, here);
        self.addresses(invocation, Some(does), &outputs);
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
        for (at, (file, access)) in accesses.into_iter().enumerate() {
            self.path(&file.text, access, here);
            // What is moved can be read where it came to be.
            if invocation.name == "mv" && (into || at != last) {
                self.effects.beyond |= self.leaves(&file.text, here);
            }
        }
    }

    /// Judges one path.
    pub(super) fn path(&mut self, text: &str, access: Access, here: Option<&Place>) {
        // What has blanks in it is more often a text than a path; what is long surely is.
        if text.is_empty() || text.len() > 4096 || text.contains('\n') || text.starts_with("/dev/") {
            return;
        }
        let roots = self.context.roots;
        let place = self.place(text, here);
        let verb = if access == Access::Write { "writes" } else { "reads" };
        match roots.protection(&place, access) {
            Some((Effect::Reject, what)) => {
                self.refused = true;
                self.findings.push(Finding::reject(
                    "path-protected",
                    self.field,
                    format!("the command {verb} {place}, {what}"),
                    "Leave that file out. If it is really needed, ask the person to do it themselves.",
                ));
            }
            Some((Effect::Ask, what)) => self
                .effects
                .add(format!("{verb} {}, {what}", crate::finding::line(text, 60)), Risk::High),
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
                .add(format!("{what}: {}", crate::finding::line(text, 60)), risk);
        }
    }

    /// What a path names.
    fn place(&self, text: &str, here: Option<&Place>) -> Place {
        let roots = self.context.roots;
        match here.or(roots.workspace.as_ref()) {
            Some(from) => Place::of(text, from),
            None => Place::of(text, &roots.start()),
        }
    }

    /// Whether a path leads out of the workspace.
    fn leaves(&self, text: &str, here: Option<&Place>) -> bool {
        let roots = self.context.roots;
        let leads = text.starts_with(['/', '~'])
            || text.split('/').any(|part| part == "..")
            || here.is_some_and(|here| !roots.is_inside(here));
        leads && !roots.is_inside(&self.place(text, here))
    }

    /// Judges the addresses in the arguments of an invocation.
    fn addresses(&mut self, invocation: &Invocation<'_>, does: Option<Does>, outputs: &Outputs) {
        let roles = roles::of(invocation);
        for (at, field) in invocation.arguments().iter().enumerate() {
            if outputs.written.contains(&at) || roles.is_text(at) {
                continue;
            }
            let mut found = network::destinations(&field.text);
            let bare = matches!(
                invocation.name.as_ref(),
                "curl" | "wget" | "nc" | "ncat" | "netcat" | "telnet" | "ping" | "ftp"
            );
            let like_one = bare && !field.text.starts_with('-') && field.text.contains(['.', ':']);
            if found.is_empty() && (like_one || outputs.hosts.contains(&at)) {
                found.push(network::destination(&field.text));
            }
            // A pattern or a text that is printed reaches nothing.
            if matches!(does, Some(Does::Prints | Does::Searches)) {
                continue;
            }
            for destination in found {
                self.findings
                    .extend(network::judge(&destination, self.field, self.context.allowed));
            }
        }
    }
}

/// Options by which a program that otherwise reads runs or changes something: the manuals of GNU sort, find, fd, tar, sed,
/// git, man, ripgrep, less and of xargs' kind.
fn acts_by_option(name: &str, invocation: &Invocation<'_>) -> bool {
    let options: &[&str] = match name {
        "find" => &[
            "-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir",
        ],
        "fd" => &["-x", "-X", "--exec"],
        "sort" => &["--co", "-o", "--o"],
        "rg" => &["--pre", "--hostname-bin"],
        "sed" => &["-i", "--i", "-s"],
        "man" => &["-P", "--pager", "-H", "--html"],
        "tar" => &[
            "-I",
            "--use-compress",
            "--checkpoint-action",
            "--to-command",
            "-F",
            "--rsh-command",
        ],
        "git" => &["-c", "--upload-pa", "--receive-pa", "--exec", "-u", "--config-env"],
        "less" => &["-o", "-O", "+"],
        "tail" | "head" | "cat" | "grep" => &[],
        _ => return false,
    };
    invocation
        .arguments()
        .iter()
        .take_while(|field| field.text != "--")
        .any(|field| options.iter().any(|option| field.text.starts_with(option)))
}
