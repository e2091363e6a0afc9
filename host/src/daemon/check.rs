//! Checks: what the gates would say of an action, of which nothing can come. `gate check` does the same here or asks the
//! daemon, so that both say the same.

use std::sync::Arc;

use crate::actuator;
use crate::capability::own::{own_target, own_targets};
use crate::config::{Config, meant};
use crate::cycle::{Core, close_proposal};
use crate::gate::chain::{self, Outcome, Rules};
use crate::gate::{Ask, Settings, Subject};
use crate::plist;
use crate::sexp::{Form, kw, read, visible_line};
use crate::signal::{Action, Origin};
use crate::skill::{NAME_RULE, Readiness, SkillSet, is_name};
use crate::vault::SecretSet;

/// Why the action is proposed, as the gates see it: a check is not refused for want of an explanation.
const EXPLANATION: &str = "A check of what the gates would say of this.";

/// The tool by which a model would write a file.
const WRITE_TOOL: &str = "write-file";

/// The target for which a skill proposes commands.
const SHELL: &str = "SHELL";

/// All that judging needs.
pub struct Bench {
    config: Arc<Config>,
    set: Arc<SkillSet>,
    settings: Settings,
    secrets: SecretSet,
    closed: Option<String>,
}

impl Bench {
    /// Judges by these skills under this configuration.
    pub fn new(config: Arc<Config>, set: Arc<SkillSet>, secrets: SecretSet) -> Bench {
        Bench {
            set,
            secrets,
            settings: Arc::new(config.settings.clone()),
            closed: config.why_closed(),
            config,
        }
    }

    /// Judges as `core` does at this moment.
    pub(super) fn of(core: &Core) -> Bench {
        let bench = Bench::new(core.config.clone(), core.registry.current(), core.secrets.now());
        Bench {
            closed: core.why_closed(),
            ..bench
        }
    }

    /// Judges what `request` names: `:COMMAND` a command line; `:WRITE` a path and `:TEXT` what it would hold; `:MESSAGE` a
    /// text and perhaps `:TO` a target; or `:PROPOSAL` what a model would write. Beside it may stand `:SOURCE`, whom the
    /// turn answers, `:TAINTED`, `:PRIVACY-TAGS` in place of those that are set, and `:AS-SKILL`, which skill would propose it
    /// in the model's place. Blocks.
    ///
    /// Returns `(:VERDICT :PASS)`, `(:VERDICT :ASK :ASKS (…))` or `(:VERDICT :REJECT :REJECTION (…))`; with `:NOWHERE`
    /// and why, where nobody would carry it out whatever the gates say; with `:NO-SKILL`, where the skill that would propose
    /// it is none of those here. It may be one that is still being written, so that it is judged all the same.
    ///
    /// # Errors
    /// In words, when the request names nothing that can be judged.
    pub fn judge(&self, request: &Form) -> Result<Form, String> {
        let text = |key: &str| request.get(key).and_then(Form::as_str);
        let source = text("SOURCE").unwrap_or("CLI").to_uppercase();
        let skill = text("AS-SKILL");
        if let Some(name) = skill.filter(|name| !is_name(name)) {
            return Err(format!("`{}` can't name a skill: {NAME_RULE}", visible_line(name)));
        }
        let origin = skill.map_or(Origin::Model, |name| Origin::Skill(name.to_owned()));
        let close = |target: &str, payload: Form| {
            Ok(Action::close(
                target,
                origin.clone(),
                payload.with("EXPLANATION", EXPLANATION),
            ))
        };
        let action = if let Some(command) = text("COMMAND") {
            close("SHELL", plist!("CMD" => command))
        } else if let Some(path) = text("WRITE") {
            let content = text("TEXT").ok_or("there is no text that would be written")?;
            let args = plist!("PATH" => path, "TEXT" => content);
            match skill {
                None => close("TOOL", plist!("TOOL" => WRITE_TOOL, "ARGS" => args)),
                Some(_) => close("FILES", plist!("ACTION" => kw("WRITE")).joined(args)),
            }
        } else if let Some(message) = text("MESSAGE") {
            let target = text("TO").unwrap_or(&source);
            close(target, plist!("ACTION" => kw("MESSAGE"), "TEXT" => message))
        } else if let Some(proposal) = text("PROPOSAL") {
            let form = read(proposal).map_err(|error| format!("the action can't be read: {error}"))?;
            match skill {
                None => close_proposal(&self.set, form, &source),
                Some(_) => of_skill(form, origin.clone()).map(Ok)?,
            }
        } else {
            return Err("it names no command, file, message or action to judge".to_owned());
        };
        let action = match action {
            Ok(action) => action,
            Err(mut rejection) => {
                if rejection.rule == "host-target" {
                    rejection
                        .repair
                        .push_str("; to see what the gates say of it as a skill's: --as-skill NAME");
                }
                return Ok(plist!("VERDICT" => kw("REJECT"), "REJECTION" => rejection.to_form()));
            }
        };
        let rules = Rules {
            required: &self.config.gates.required,
            revisions: self.config.cycle.revisions,
            closed: self.closed.as_deref(),
            approval: None,
            standing: None,
        };
        let tainted = request.get("TAINTED").is_some_and(Form::is_true);
        let signal = plist!(
            "TYPE" => kw("EVENT"), "META" => plist!("SOURCE" => kw(&source), "TAINTED" => tainted), "DEPTH" => 0,
            "PAYLOAD" => plist!("SENSOR" => kw("USER-INPUT"), "TEXT" => ""),
        );
        let nowhere = actuator::nowhere(&action, &self.set);
        let subject = Subject {
            settings: actuator::settings_for(&self.settings_for(request), &action, &self.set),
            action,
            signal: Arc::new(signal),
            secrets: self.secrets.clone(),
            trial: true,
        };
        let verdict = match chain::verify(self.set.gates(), &subject, &rules).outcome {
            Outcome::Cleared(_) => plist!("VERDICT" => kw("PASS")),
            Outcome::Waiting { asks, .. } => {
                plist!("VERDICT" => kw("ASK"), "ASKS" => asks.iter().map(Ask::to_form).collect::<Vec<Form>>())
            }
            Outcome::Rejected { rejection, .. } => {
                plist!("VERDICT" => kw("REJECT"), "REJECTION" => rejection.to_form())
            }
        };
        let verdict = match nowhere {
            Some(why) => verdict.with("NOWHERE", why),
            None => verdict,
        };
        Ok(match skill.and_then(|name| self.why_no_skill(name)) {
            Some(why) => verdict.with("NO-SKILL", why),
            None => verdict,
        })
    }

    /// That there is no skill of this name, and which may be meant, or that it is not in use; nothing where it is.
    fn why_no_skill(&self, name: &str) -> Option<String> {
        match self.set.readiness(name) {
            Readiness::Ready(_) => None,
            Readiness::NotNow(state) => Some(format!("the skill `{name}` {}", state.told())),
            Readiness::Absent => {
                let known = self.set.statuses();
                let near = meant(name, known.iter().map(|own| own.name.as_str()));
                Some(format!("there is no skill `{name}` here; {near}"))
            }
        }
    }

    fn settings_for(&self, request: &Form) -> Settings {
        let Some(tags) = request.get("PRIVACY-TAGS").and_then(Form::items) else {
            return self.settings.clone();
        };
        let tags: Vec<&str> = tags.iter().filter_map(Form::as_str).collect();
        let mut settings = (*self.settings).clone();
        settings.insert("dispatcher.privacy-tags".to_owned(), tags.join("\n"));
        Arc::new(settings)
    }
}

/// The action that a skill proposes with what `form` says: for one target of those that capabilities have, and as it stands.
fn of_skill(form: Form, origin: Origin) -> Result<Action, String> {
    let form = form.with_envelope_keys();
    form.check_plist("the action").map_err(|error| error.to_string())?;
    let target = form.get("TARGET").and_then(Form::designator).unwrap_or_default();
    let payload = form.get("PAYLOAD").cloned().unwrap_or(Form::Nil).with_envelope_keys();
    payload.check_plist(":PAYLOAD").map_err(|error| error.to_string())?;
    if own_target(target).is_none() && !target.eq_ignore_ascii_case(SHELL) {
        let own: Vec<String> = own_targets().chain([SHELL]).map(|own| format!(":{own}")).collect();
        return Err(format!(
            "what skills propose has one of the targets {}, and the rest in :PAYLOAD, as in (:TARGET :FILES :PAYLOAD (:PATH \
             \"a.txt\" :TEXT \"…\" :EXPLANATION \"…\"))",
            own.join(" ")
        ));
    }
    Ok(Action::close(&target.to_uppercase(), origin, payload))
}
