//! What could not be carried out, whoever approved it: nobody is asked about that, and the model hears why at once.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::capability::{Turn, files};
use crate::cycle::Core;
use crate::cycle::session::Session;
use crate::gate::chain;
use crate::gate::{Outcome, Subject};
use crate::plist;
use crate::sexp::Form;
use crate::signal::{Action, Origin};
use crate::skill::{Skill, SkillSet};

/// The tool by which a model would read the file.
const READ_TOOL: &str = "read-file";

/// Why it would read it, as the gates see it.
const EXPLANATION: &str = "to see whether what is proposed about it can be done";

impl Core {
    /// Why `action`, proposed in answer to `signal`, could not be carried out, whoever approves it. Blocks: the disk is
    /// asked, and gates where what the file holds matters.
    pub(super) fn futile(
        &self,
        session: &Session,
        set: &SkillSet,
        signal: &Arc<Form>,
        action: &Action,
    ) -> Option<String> {
        if let Some(reason) = crate::actuator::nowhere(action, set) {
            return Some(reason);
        }
        let turn = Turn::new(session.id(), CancellationToken::new(), self.services.clone());
        let writer = writer(set, action)?;
        writer.futile(action, &turn).or_else(|| {
            let reason = writer.futile_by_content(action, &turn)?;
            // It says something of what the file holds. Without this, a model could guess at it, piece by piece.
            self.may_be_read(set, signal, action).then_some(reason)
        })
    }

    /// Whether every gate would let a model read the file that `action` is about, without asking anybody.
    fn may_be_read(&self, set: &SkillSet, signal: &Arc<Form>, action: &Action) -> bool {
        let Some(path) = files::path_of(action) else {
            return false;
        };
        let args = plist!("PATH" => path);
        let payload = plist!("TOOL" => READ_TOOL, "ARGS" => args, "EXPLANATION" => EXPLANATION);
        let action = Action::close("TOOL", Origin::Model, payload);
        if crate::actuator::nowhere(&action, set).is_some() {
            return false;
        }
        let moment = self.secrets.moment();
        let closed = self.why_closed_at(&moment);
        let read = action.digest();
        let subject = Subject {
            settings: crate::actuator::settings_for(&self.settings, &action, set),
            action,
            signal: signal.clone(),
            secrets: moment.secrets,
            trial: true,
        };
        let judgement = chain::verify(set.gates(), &subject, &self.rules(closed.as_deref(), None, None));
        // A gate that would have it read something else lets nothing of this be read.
        matches!(judgement.outcome, Outcome::Cleared(cleared) if cleared.get().digest() == read)
    }
}

/// The skill that would write, if `action` is about a file.
pub(super) fn writer(set: &SkillSet, action: &Action) -> Option<Arc<Skill>> {
    match action.origin() {
        _ if action.target() == "TOOL" => {
            let name = action.payload().get("TOOL").and_then(Form::designator)?;
            set.tool(name).map(|(skill, _)| skill)
        }
        Origin::Skill(name) => set.named(name).cloned(),
        Origin::Model | Origin::Person => None,
    }
}
