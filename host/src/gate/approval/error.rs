//! Why a plan can't be answered or kept.

use crate::audit::LogError;

/// Why a plan could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// There is no such plan.
    #[error(
        "there is no plan {id}; `/plans` in a chat lists those that wait in its session, `passepartout-host status` those of all"
    )]
    NoSuchPlan {
        /// What was asked for.
        id: String,
    },
    /// It was answered before, or has expired.
    #[error("plan {id} is no longer waiting: it is {state}")]
    NotWaiting {
        /// The plan.
        id: String,
        /// Its state, for people.
        state: String,
    },
    /// A chat may answer its own session's plans only.
    #[error("plan {id} belongs to another session; approve it there, or with `passepartout-host approve {id}`")]
    OtherSession {
        /// The plan.
        id: String,
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
