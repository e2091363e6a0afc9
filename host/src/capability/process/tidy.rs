//! Before and after: what a workspace was like when commands began, and what is put away when they have ended.

use super::guarded::{Guarded, Look, Survey, survey};
use super::ledger::{Ledger, Others};
use super::names::existing_folder;
use super::{ProcessError, Writes, planted};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long what holds the commands of a daemon that is gone may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a command begins.
pub(super) struct Begun {
    /// For one that can change the workspace.
    pub(super) watch: Option<Watch>,
    /// What is covered.
    pub(super) guarded: Vec<Guarded>,
    /// What was put away that commands before this one left.
    pub(super) notes: Vec<String>,
}

/// What is needed to tell what a command planted.
pub(super) struct Watch {
    pub(super) ledger: Ledger,
    /// How the workspace was before this command, and before those that run at the same time.
    pub(super) before: Survey,
}

/// How one begins that can change nothing: nothing need be looked after.
pub(super) fn begin_reading(workspace: &Path, protected: &[String]) -> Begun {
    Begun {
        watch: None,
        guarded: survey(workspace, protected, Look::Unasked(Writes::Refused)).guarded,
        notes: Vec::new(),
    }
}

/// Enters the ledger and looks through the workspace.
pub(super) fn begin(
    state: &Path,
    workspace: &Path,
    protected: &[String],
    look: Look<'_>,
) -> Result<Begun, ProcessError> {
    let (mut ledger, others) = Ledger::enter(state, workspace)?;
    let mut notes = Vec::new();
    if let Others::None(Some(left)) = &others {
        ledger.owe();
        notes = look_after(workspace, left);
        ledger.settle();
    }
    let now = survey(workspace, protected, look);
    let guarded = now.guarded.clone();
    let before = match others {
        Others::Running(before) => before,
        Others::None(_) => {
            ledger.note(&now)?;
            now
        }
    };
    Ok(Begun {
        watch: Some(Watch { ledger, before }),
        guarded,
        notes,
    })
}

/// Puts out of git's reach what was planted since `before`, and says so.
pub(super) fn look_after(workspace: &Path, before: &Survey) -> Vec<String> {
    let after = survey(workspace, &[], Look::After(before));
    let mut notes = planted::disarm(workspace, before, &after);
    // The operator may have made it, and hears of it here.
    notes.iter().for_each(|note| tracing::warn!("after a command: {note}"));
    if before.cut || after.cut {
        notes.push(
            "the workspace holds more files than are looked through: what git runs, and keys, may be unprotected deep in it"
                .to_owned(),
        );
    }
    notes
}

/// What [`super::look_after_killed`] does.
pub(super) fn look_after_killed(workspace: &Path, state: &Path) -> Result<Vec<String>, ProcessError> {
    let workspace = existing_folder(workspace)?;
    // What held its commands ends by itself when it is gone.
    let patience = Instant::now() + PATIENCE;
    loop {
        let (mut ledger, others) = Ledger::enter(state, &workspace)?;
        match others {
            Others::None(None) => return Ok(Vec::new()),
            Others::None(Some(before)) => {
                ledger.owe();
                let notes = look_after(&workspace, &before);
                ledger.settle();
                return Ok(notes);
            }
            // The next command looks after it.
            Others::Running(_) if Instant::now() >= patience => return Ok(Vec::new()),
            Others::Running(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}
