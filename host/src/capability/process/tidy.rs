//! Before and after: what a workspace was like when commands began, and what is put away when they have ended.

use super::guarded::{Guarded, Look, Survey, survey};
use super::ledger::{Alone, Ledger, Others};
use super::names::existing_folder;
use super::outside::{changed_meanwhile, failed};
use super::{ProcessError, Writes, gone, planted};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long what holds the commands of a daemon that is gone may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a workspace is looked through that other commands are changing, and how long to wait in between: longer than
/// the steps in which file systems note times.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(30);

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
pub(super) fn begin_reading(state: &Path, workspace: &Path, protected: &[String]) -> Result<Begun, ProcessError> {
    // None that could change the workspace begins while this is held.
    let alone = Alone::now(state, workspace);
    let still = || alone.as_ref().is_some_and(Alone::still);
    let found = unasked(workspace, protected, Writes::Refused, &still)?;
    Ok(Begun {
        watch: None,
        notes: hidden_whole(&found),
        guarded: found.guarded,
    })
}

/// Looks through the workspace for a command that no person was asked about: all that is to be hidden must be found, also
/// when other commands move it meanwhile.
fn unasked(
    workspace: &Path,
    protected: &[String],
    writes: Writes,
    alone: &dyn Fn() -> bool,
) -> Result<Survey, ProcessError> {
    for _ in 0..LOOKS {
        let found = survey(workspace, protected, Look::Unasked(writes));
        if found.cut {
            return Err(failed(
                "nothing was run: the workspace holds more files, or more that may hold secrets, than can be looked \
                 through and hidden from a command that no person was asked about",
                "let a person approve the command, or choose a workspace with fewer files",
            ));
        }
        if found.steady || alone() {
            return Ok(found);
        }
        std::thread::sleep(PAUSE);
    }
    Err(changed_meanwhile())
}

fn hidden_whole(found: &Survey) -> Vec<String> {
    let note = |folder: &PathBuf| {
        format!(
            "{} is not there for this command, which no person was asked about: it holds more files that may hold secrets \
             than can be hidden one by one",
            folder.display()
        )
    };
    found.whole.iter().map(note).collect()
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
    let now = match look {
        Look::Unasked(writes) => {
            let alone = matches!(others, Others::None(_));
            unasked(workspace, protected, writes, &|| alone)?
        }
        _ => survey(workspace, protected, look),
    };
    notes.extend(hidden_whole(&now));
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
    notes.extend(gone::gone(before, &after));
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
