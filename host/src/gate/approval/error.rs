//! Why a plan can't be answered or kept.

use super::PlanState;
use super::named::SHORTEST;
use crate::audit::LogError;

/// What a person says to a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// That it may be carried out.
    Approve,
    /// That it may not.
    Deny,
}

impl Answer {
    /// The command that says so, in a chat and in a shell.
    fn command(self) -> &'static str {
        match self {
            Answer::Approve => "approve",
            Answer::Deny => "deny",
        }
    }
}

/// Why a plan could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// There is no such plan.
    #[error(
        "there is no plan {id}, or it was over so long ago that it is forgotten, and `passepartout-host explain {id}` looks into \
         the record; `/plans` in a chat lists those that wait in its session, `passepartout-host status` those of all"
    )]
    NoSuchPlan {
        /// What was asked for.
        id: String,
    },
    /// It was answered before, or has expired.
    #[error("plan {id} is no longer waiting: it is {}", ended(.id, *.state))]
    NotWaiting {
        /// The plan.
        id: String,
        /// Its state.
        state: PlanState,
    },
    /// What was given is the id of nothing.
    #[error(
        "`{id}` is no plan's id, which has eight hexadecimal digits, such as 1a2b3c4d: `/plans` in a chat lists those that wait in \
         its session, `passepartout-host status` those of all"
    )]
    NoId {
        /// What was asked for.
        id: String,
    },
    /// What was given is so short that it may soon begin another id than was meant.
    #[error(
        "`{id}` is too short for the id of a plan; write at least {SHORTEST} of its eight digits: `/plans` in a chat lists those \
         that wait in its session, `passepartout-host status` those of all"
    )]
    TooShort {
        /// What was asked for.
        id: String,
    },
    /// What was given begins several ids.
    #[error("several plans have an id that begins with {id}: {}; write more of the one that you mean", .matching.join(", "))]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// The plans, with their states.
        matching: Vec<String>,
    },
    /// A chat may answer its own session's plans only.
    #[error(
        "plan {id} belongs to another session; {0} it there, or with `passepartout-host {0} {id}`",
        .answer.command()
    )]
    OtherSession {
        /// The plan.
        id: String,
        /// What was answered.
        answer: Answer,
    },
    /// What was shown is not what waits.
    #[error("plan {id} is not the text that was shown to you (its digest differs); look at it again")]
    OtherText {
        /// The plan.
        id: String,
    },
    /// What it names lies in another workspace than the daemon's of now.
    #[error(
        "plan {id} was shown for the workspace {shown}, and the daemon works in {own} now; nothing was carried out: start it \
         with the other workspace to approve the plan, or deny it"
    )]
    OtherWorkspace {
        /// The plan.
        id: String,
        /// That of the plan.
        shown: String,
        /// That of the daemon.
        own: String,
    },
    /// The system gave no random numbers for an id.
    #[error("the system gives no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// It could not be put on disk; nothing has happened.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// How a plan has ended, and what to do about it.
fn ended(id: &str, state: PlanState) -> String {
    let explain = format!("`passepartout-host explain {id}` says what came of it");
    match state {
        PlanState::Waiting => "waiting".to_owned(),
        PlanState::Approved => format!("approved already, which counts for one time; {explain}"),
        PlanState::Done => format!("done: it was approved, which counts for one time; {explain}"),
        PlanState::Denied => "denied; ask for it again if it is wanted after all".to_owned(),
        PlanState::Expired => {
            "expired: nobody answered it in time, and nothing of it was carried out; ask for it again, which makes a new plan"
                .to_owned()
        }
        PlanState::Unknown => format!(
            "approved already, and unknown how far it came, since the daemon ended meanwhile; look for yourself before you ask \
             for it again; {explain}"
        ),
    }
}
