//! One action, judged: which checks are about it, and the strictest answer. Works on plain values, so that it is tested
//! without a host.

use crate::finding::{Finding, Risk, strictest};
use crate::payload::Payload;
use crate::permission::{self, Of, Permission};
use crate::settings::Settings;
use crate::shell;
use crate::tools::{self, Does};
use crate::{files, http, privacy, secret};

/// Targets that show a message to the person at this machine.
const LOCAL: &[&str] = &["CLI", "EMACS", "TUI"];

/// What a decision is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The action's target, upper case.
    pub target: String,
    /// The canonical printing of the payload.
    pub payload: String,
    /// Where the signal came from, upper case: the reply target.
    pub source: String,
    /// Whether the turn has read text from outside.
    pub tainted: bool,
    /// Whether a value of the vault is in the payload.
    pub holds_vault_value: bool,
    /// What the operator set.
    pub settings: Settings,
}

/// The finding that decides, or nothing: a pass.
pub fn judge(subject: &Subject) -> Option<Finding> {
    let payload = Payload::read(&subject.payload);
    let mut findings = Vec::new();
    findings.extend(secrets(subject, &payload));
    let permission = Of {
        kind: permission::Kind::Target,
        name: &subject.target,
        field: "target",
    }
    .permission(subject.settings.target.as_deref());
    let allowed = permission == Ok(Some(Permission::Allow));
    findings.extend(permission.err());
    let act = Act {
        subject,
        payload: &payload,
        action: payload.name("payload.action").unwrap_or_default(),
        asks: !allowed,
    };
    findings.extend(match subject.target.as_str() {
        "SHELL" => act.shell(),
        "TOOL" => act.tool(),
        "SYSTEM" => act.system(),
        "MEMORY" => act.memory(),
        "MODEL" => act.model(),
        "SCHEDULE" => act.schedule(),
        "FILES" => act.files(),
        "HTTP" => act.http(),
        _ if act.action == "MESSAGE" => act.message(),
        "EMACS" => act.emacs(),
        _ => act.other(),
    });
    // Where something else asks as well, permitting this would not answer that; and it does nothing where nobody acts on it.
    let answers = findings.len() == 1 && !subject.settings.of_nobody;
    let decided = strictest(findings)?;
    let setting =
        answers.then(|| permission::setting_for(decided.rule(), &subject.target, payload.text("payload.tool")));
    let decided = match setting.flatten() {
        Some(setting) => decided.noting(&setting),
        None => decided,
    };
    // What only looks random refuses nothing and asks nobody, but who is asked anyway should know.
    let suspected = !decided.is_rejection() && payload.leaves().iter().any(|leaf| secret::suspicion(&leaf.text));
    let decided = match suspected {
        true => decided.noting("it holds text that looks as random as a key"),
        false => decided,
    };
    Some(decided.ended())
}

/// Secrets anywhere in the payload: whatever it does, it is written down or goes somewhere.
fn secrets(subject: &Subject, payload: &Payload) -> Option<Finding> {
    const REPAIR: &str =
        "Propose it without the secret. Say where it is kept, and let the person or the program read it from there.";
    if subject.holds_vault_value {
        return Some(Finding::reject(
            "secret-of-vault",
            "payload",
            "it holds a value that the operator keeps in the vault",
            REPAIR,
        ));
    }
    payload.leaves().iter().find_map(|leaf| {
        let found = secret::find(&leaf.text)?;
        let reason = format!("it holds {}", found.what);
        Some(Finding::reject("secret-in-content", &leaf.path, reason, REPAIR).about(found.part))
    })
}

/// The action, taken apart.
struct Act<'a> {
    subject: &'a Subject,
    payload: &'a Payload,
    action: String,
    /// Whether being for this target asks, where nothing else does.
    asks: bool,
}

impl Act<'_> {
    fn shell(&self) -> Vec<Finding> {
        const FIELD: &str = "payload.cmd";
        let Some(command) = self.payload.text(FIELD) else {
            let reason = if self.payload.has(FIELD) {
                ":CMD is not a string"
            } else {
                "there is no :CMD"
            };
            return vec![Finding::reject(
                "shell-no-command",
                FIELD,
                reason,
                "Put the command line into :CMD as a string, such as :CMD \"ls\".",
            )];
        };
        let settings = &self.subject.settings;
        let context = shell::Context {
            roots: &settings.roots,
            allowed: &settings.allowed_hosts,
            unasked: settings.unasked,
            offline: settings.offline,
        };
        let mut findings = shell::judge(command, FIELD, &context);
        findings.extend(tools::permission("shell", FIELD, settings));
        // What only reads the workspace is not what a text from outside is after.
        if !findings.is_empty() || !shell::only_reads(command, &context) {
            findings.extend(self.tainted(FIELD, "runs a command"));
        }
        if let Some(tag) = privacy::tag_in(command, &settings.privacy_tags) {
            let summary = format!("names the privacy tag {tag}");
            findings.push(Finding::ask("privacy-tag", FIELD, summary, Risk::High).about(tag));
        }
        findings
    }

    fn tool(&self) -> Vec<Finding> {
        let Some(name) = self.payload.text("payload.tool").filter(|name| !name.trim().is_empty()) else {
            return vec![Finding::reject(
                "tool-missing",
                "payload.tool",
                "it names no tool",
                "Name the tool in :TOOL as a string.",
            )];
        };
        let settings = &self.subject.settings;
        let mut findings: Vec<Finding> = tools::permission(name, "payload.tool", settings).into_iter().collect();
        findings.extend(tools::arguments(name, self.payload, settings));
        let does = tools::does(name);
        if matches!(does, Does::Sends | Does::Unknown) {
            findings.extend(self.private(if does == Does::Sends {
                Strictness::Reject
            } else {
                Strictness::Ask
            }));
        }
        if matches!(does, Does::Writes | Does::Sends | Does::Unknown) {
            findings.extend(self.tainted("payload.tool", "writes or sends"));
        }
        findings
    }

    fn system(&self) -> Vec<Finding> {
        match self.action.as_str() {
            // It runs in the jail of the skill that evaluates, which reaches nothing.
            "EVAL" if self.payload.text("payload.code").is_some() => {
                tools::permission("eval", "payload.code", &self.subject.settings)
                    .into_iter()
                    .collect()
            }
            "EVAL" => vec![Finding::reject(
                "eval-no-code",
                "payload.code",
                "there is no :CODE, or it is not a string",
                "Put the Lisp form into :CODE as a string, such as :CODE \"(+ 1 2)\".",
            )],
            "MESSAGE" => self.message(),
            other => {
                let reason = match other {
                    "" => "it names no :ACTION for the system".to_owned(),
                    other => format!("the system has no action `{other}` that can be proposed"),
                };
                vec![Finding::reject(
                    "system-action",
                    "payload.action",
                    reason,
                    "Use a tool for it, or ask the person.",
                )]
            }
        }
    }

    /// What a skill keeps in memory, on this machine.
    fn memory(&self) -> Vec<Finding> {
        self.tainted("payload.object", "keeps something in memory")
            .into_iter()
            .collect()
    }

    /// What a skill asks the model, which may be on another machine.
    fn model(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        findings.extend(self.private(Strictness::Reject));
        findings.extend(self.tainted("payload.prompt", "asks the model"));
        findings
    }

    /// What a skill schedules. What it was reminded of is its own, and whatever it then does is an action again.
    fn schedule(&self) -> Vec<Finding> {
        if self.action == "FIRED" {
            return Vec::new();
        }
        self.tainted("payload.entry", "schedules what happens later")
            .into_iter()
            .collect()
    }

    /// A file that a skill writes of its own accord.
    fn files(&self) -> Vec<Finding> {
        let mut findings = files::target(self.payload, &self.subject.settings, self.asks);
        findings.extend(self.tainted("payload.path", "writes a file"));
        findings
    }

    /// A request that a skill sends of its own accord.
    fn http(&self) -> Vec<Finding> {
        let mut findings = http::target(self.payload, &self.subject.settings, self.asks);
        findings.extend(self.private(Strictness::Reject));
        findings.extend(self.tainted("payload.url", "sends a request"));
        findings
    }

    fn message(&self) -> Vec<Finding> {
        let target = &self.subject.target;
        let local = LOCAL.contains(&target.as_str());
        let reply = *target == self.subject.source;
        let mut findings = Vec::new();
        if !local {
            findings.extend(self.private(Strictness::Reject));
            findings.extend(self.tainted("payload.text", "sends a message"));
        }
        if !local && !reply && self.asks {
            let summary = format!(
                "sends a message to {target}, which is not who asked: {}",
                self.payload.text("payload.text").unwrap_or_default()
            );
            findings.push(Finding::ask("message-elsewhere", "payload.text", summary, Risk::Medium));
        }
        findings
    }

    fn emacs(&self) -> Vec<Finding> {
        let code = self.payload.text("payload.code").unwrap_or_default();
        let mut findings = Vec::new();
        match self.action.as_str() {
            // Whatever is permitted, this asks.
            "EVAL" => {
                let summary = format!("runs Lisp in Emacs, which can do all that its user can: {code}");
                findings.push(Finding::ask("emacs-eval", "payload.code", summary, Risk::High).about(code));
            }
            other if self.asks => {
                let summary = match other {
                    "" => "acts in Emacs, without naming an :ACTION".to_owned(),
                    other => format!("does `{other}` in Emacs"),
                };
                findings.push(Finding::ask("emacs-action", "payload.action", summary, Risk::Medium));
            }
            _ => {}
        }
        findings.extend(self.tainted("payload.action", "acts in Emacs"));
        findings
    }

    fn other(&self) -> Vec<Finding> {
        let target = &self.subject.target;
        let summary = match self.action.as_str() {
            "" => format!("acts on :{target}, of which nothing is known, without naming an :ACTION"),
            action => format!("does `{action}` with :{target}, of which nothing is known"),
        };
        let mut findings = Vec::new();
        if self.asks {
            findings.push(Finding::ask("target-unknown", "target", summary, Risk::Medium));
        }
        findings.extend(self.private(Strictness::Ask));
        findings.extend(self.tainted("target", "acts outside"));
        findings
    }

    /// In a turn that has read text from outside, that text may be what wants this.
    fn tainted(&self, field: &str, what: &str) -> Option<Finding> {
        self.subject.tainted.then(|| {
            let summary = format!(
                "{what} after what may have read text from outside the workspace, which may have asked for it"
            );
            Finding::ask("tainted-turn", field, summary, Risk::High)
        })
    }

    /// Text with a privacy tag that would leave the machine.
    fn private(&self, strictness: Strictness) -> Option<Finding> {
        let tags = &self.subject.settings.privacy_tags;
        let (leaf, tag) = self
            .payload
            .leaves()
            .iter()
            .find_map(|leaf| Some((leaf, privacy::tag_in(&leaf.text, tags)?)))?;
        let finding = match strictness {
            Strictness::Reject => Finding::reject(
                "privacy-tag",
                &leaf.path,
                format!("it holds text with the privacy tag {tag}, which does not leave this machine"),
                "Leave out everything that belongs to the tagged text.",
            ),
            Strictness::Ask => Finding::ask(
                "privacy-tag",
                &leaf.path,
                format!("may send text with the privacy tag {tag}"),
                Risk::High,
            ),
        };
        Some(finding.about(tag))
    }
}

/// What a privacy tag does.
enum Strictness {
    Reject,
    Ask,
}

#[cfg(test)]
mod targets;
#[cfg(test)]
mod tests;
