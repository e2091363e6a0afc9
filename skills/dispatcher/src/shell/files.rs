//! What the files that a command line names have against them.

use super::hidden::Invocation;
use super::outputs::Outputs;
use super::{Walk, filled};
use crate::finding::{Finding, Risk};
use crate::path::{Access, Effect, Place};

/// Subcommands of git(1) that are given files of other versions, as `REVISION:PATH`.
const SHOWING: &[&str] = &[
    "archive", "blame", "cat-file", "checkout", "diff", "difftool", "grep", "restore", "show",
];

/// Programs whose subcommands have words of secrets in them, and name no file by one alone; and those words.
const SPEAKING: &[&str] = &[
    "aws", "az", "docker", "doctl", "flyctl", "gcloud", "gh", "glab", "heroku", "kubectl", "npm", "oc", "op",
    "podman", "vault", "vercel", "wrangler",
];
const NOUNS: &[&str] = &[
    "credential",
    "credentials",
    "passwd",
    "password",
    "secret",
    "secrets",
    "token",
    "tokens",
];

impl Walk<'_> {
    /// Judges what an invocation writes that its kind does not say.
    pub(super) fn outputs(&mut self, outputs: &Outputs, here: Option<&Place>) {
        for file in &outputs.files {
            let what = match file.is_known() {
                true => crate::finding::line(&file.text, 60),
                false => "a file that only running tells".to_owned(),
            };
            // With what it is, if that is told.
            match self.path(&file.text, Access::Write, here) {
                true => {}
                false => self.effects.add(format!("writes {what}"), Risk::Medium),
            }
        }
        for file in &outputs.read {
            self.path(&file.text, Access::Read, here);
        }
    }

    /// Judges what the other arguments of an invocation name in the file system.
    pub(super) fn paths(&mut self, invocation: &Invocation<'_>, outputs: &Outputs, here: Option<&Place>) {
        let accesses = filled::accesses(invocation, outputs);
        let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let says = |text: &str| text.split('-').any(|word| NOUNS.contains(&word));
        let first = invocation.arguments().first().map_or("", |first| first.text.as_str());
        let speaks = |text: &str| {
            SPEAKING.contains(&invocation.name.as_ref())
                || matches!(invocation.name.as_ref(), "git" | "openssl") && text == first
        };
        let nouns = |text: &str| is_word(text) && says(text) && speaks(text);
        let last = accesses.len().saturating_sub(1);
        let into = invocation.has_option('t', "target-directory");
        let shows =
            invocation.name == "git" && invocation.operands().any(|verb| SHOWING.contains(&verb.text.as_str()));
        for (at, (file, access)) in accesses.into_iter().enumerate() {
            if nouns(&file.text) {
                continue;
            }
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
                match access {
                    Access::Look => self.effects.add(told, Risk::Medium),
                    Access::Read => self.effects.read(&told, Risk::High),
                    Access::Write => self.effects.add(told, Risk::High),
                }
                if access != Access::Look {
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
            match protection {
                Some((Effect::Ask, _)) => self.effects.at_least(risk),
                _ => self
                    .effects
                    .add([what, ": ", &crate::finding::line(text, 60)].concat(), risk),
            }
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
