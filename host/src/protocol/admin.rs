//! Administrative requests: what a client may ask of the daemon itself, past the loop. A closed list that no proposal
//! of a model or skill reaches. What the daemon answers is not known here.

use crate::sexp::Form;

/// What can be asked of the daemon itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminAction {
    /// How it is.
    Status,
    /// What is wrong with it.
    Doctor,
    /// What waits for approval.
    Plans,
    /// What was said while nobody was attached, once.
    Unheard,
    /// Approve `:PLAN`.
    Approve,
    /// Deny `:PLAN`.
    Deny,
    /// What the operator approved once and for all.
    Approvals,
    /// Take back the standing approval `:ID`, or `:ALL`.
    Revoke,
    /// Stop the session's turn.
    Stop,
    /// Go on where a turn was stopped for its depth or for repeating itself.
    Continue,
    /// Which skills there are.
    Skills,
    /// Let what the skill `:SKILL` has scheduled go, all of it or the entry `:ID`.
    Unschedule,
    /// Which sessions there are.
    Sessions,
    /// The decisions.
    Trace,
    /// Why `:ID` was decided so.
    Explain,
    /// What the gates would say of an action.
    Check,
    /// Evaluate `:CODE` in the session.
    Repl,
}

impl AdminAction {
    /// Every action.
    pub const ALL: [AdminAction; 17] = [
        AdminAction::Status,
        AdminAction::Doctor,
        AdminAction::Plans,
        AdminAction::Unheard,
        AdminAction::Approve,
        AdminAction::Deny,
        AdminAction::Approvals,
        AdminAction::Revoke,
        AdminAction::Stop,
        AdminAction::Continue,
        AdminAction::Skills,
        AdminAction::Unschedule,
        AdminAction::Sessions,
        AdminAction::Trace,
        AdminAction::Explain,
        AdminAction::Check,
        AdminAction::Repl,
    ];

    /// The keyword's name, upper case, without colon.
    pub fn name(self) -> &'static str {
        match self {
            AdminAction::Status => "STATUS",
            AdminAction::Doctor => "DOCTOR",
            AdminAction::Plans => "PLANS",
            AdminAction::Unheard => "UNHEARD",
            AdminAction::Approve => "APPROVE",
            AdminAction::Deny => "DENY",
            AdminAction::Approvals => "APPROVALS",
            AdminAction::Revoke => "REVOKE",
            AdminAction::Stop => "STOP",
            AdminAction::Continue => "CONTINUE",
            AdminAction::Skills => "SKILLS",
            AdminAction::Unschedule => "UNSCHEDULE",
            AdminAction::Sessions => "SESSIONS",
            AdminAction::Trace => "TRACE",
            AdminAction::Explain => "EXPLAIN",
            AdminAction::Check => "CHECK",
            AdminAction::Repl => "REPL",
        }
    }

    /// Whether it is about one session, so that it binds the connection as an event does.
    pub fn is_about_a_session(self) -> bool {
        matches!(self, AdminAction::Stop | AdminAction::Continue | AdminAction::Repl)
    }

    /// Whether it approves, or shows what belongs to other sessions: for the operator alone.
    pub fn is_for_the_operator(self) -> bool {
        matches!(
            self,
            AdminAction::Status
                | AdminAction::Plans
                | AdminAction::Unheard
                | AdminAction::Approve
                | AdminAction::Deny
                | AdminAction::Approvals
                | AdminAction::Revoke
                | AdminAction::Unschedule
                | AdminAction::Sessions
                | AdminAction::Trace
                | AdminAction::Explain
                | AdminAction::Check
        )
    }

    /// The string its payload must have: key, place, what belongs there.
    pub(super) fn required(self) -> Option<(&'static str, &'static str, &'static str)> {
        match self {
            AdminAction::Approve | AdminAction::Deny => Some(("PLAN", ":PAYLOAD :PLAN", "a string, the plan's id")),
            AdminAction::Explain => Some(("ID", ":PAYLOAD :ID", "a string, the decision's id")),
            AdminAction::Unschedule => Some(("SKILL", ":PAYLOAD :SKILL", "a string, the skill's name")),
            AdminAction::Repl => Some(("CODE", ":PAYLOAD :CODE", "a string, the code")),
            _ => None,
        }
    }
}

/// A request to the daemon itself.
#[derive(Clone, Debug, PartialEq)]
pub struct AdminRequest {
    /// What is asked.
    pub action: AdminAction,
    /// The whole payload; the string that the action needs is there.
    pub payload: Form,
}
