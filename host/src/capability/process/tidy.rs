//! Before and after: what a workspace was like when commands began, and what is put away when they have ended.

use super::guarded::{Guarded, Look, Survey, survey};
use super::ledger::{self, Alone, Ledger, Others};
use super::names::existing_folder;
use super::outside::{changed_meanwhile, failed};
use super::planted::{self, Done, shown};
use super::said::on_one_line;
use super::{ProcessError, Writes, gone};
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
    let mut done = Done::default();
    if ledger::owes(state, workspace) {
        let (mut ledger, others) = Ledger::enter(state, workspace)?;
        done = pay(&mut ledger, workspace, &others);
        refuse_owing(&ledger, &done)?;
    }
    // None that could change the workspace begins while this is held.
    let alone = Alone::now(state, workspace);
    let still = || alone.as_ref().is_some_and(Alone::still);
    let found = unasked(workspace, protected, Writes::Refused, &still).map_err(|error| told(error, &done))?;
    let mut notes = done.notes;
    notes.extend(hidden_whole(&found));
    Ok(Begun {
        watch: None,
        notes,
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
                "nothing was run: the workspace holds more files, or more that git would run or that may hold secrets, than \
                 can be looked through and hidden from a command that no person was asked about",
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
    let done = pay(&mut ledger, workspace, &others);
    let now = match look {
        Look::Unasked(writes) => {
            refuse_owing(&ledger, &done)?;
            let alone = matches!(others, Others::None(_));
            unasked(workspace, protected, writes, &|| alone).map_err(|error| told(error, &done))?
        }
        _ => survey(workspace, protected, look),
    };
    let (guarded, hidden) = (now.guarded.clone(), hidden_whole(&now));
    let before = match others {
        Others::Running(before) => before,
        Others::None(left) => {
            // What is still there would be taken for the operator's.
            let before = left.filter(|_| !done.owed.is_empty()).unwrap_or(now);
            ledger.note(&before).map_err(|error| told(error, &done))?;
            before
        }
    };
    let mut notes = done.notes;
    notes.extend(hidden);
    Ok(Begun {
        watch: Some(Watch { ledger, before }),
        guarded,
        notes,
    })
}

/// Looks after what commands left that are no more, where nobody looked after them or not all could be put away.
fn pay(ledger: &mut Ledger, workspace: &Path, others: &Others) -> Done {
    let done = match others {
        Others::Running(_) => return Done::default(),
        Others::None(None) => Done::default(),
        Others::None(Some(left)) => {
            ledger.owe();
            look_after(workspace, left)
        }
    };
    ledger.settle(&done.owed);
    done
}

/// # Errors
/// When something was not put away: a command that no person was asked about could make git obey it.
fn refuse_owing(ledger: &Ledger, done: &Done) -> Result<(), ProcessError> {
    if done.owed.is_empty() && !ledger.owes() {
        return Ok(());
    }
    let names: Vec<String> = done.owed.iter().map(|path| shown(path)).collect();
    let problem = match names.is_empty() {
        true => "something is left of commands before this one that git would run or obey".to_owned(),
        false => format!(
            "commands before this one left what git would run or obey, or may have, and it could not be looked through or \
             could not be renamed: {}",
            names.join(", ")
        ),
    };
    let error = failed(
        format!("nothing was run: {problem}"),
        "rename or delete it, or let a person approve the command",
    );
    Err(told(error, done))
}

/// `error`, with what was put away before it came about: nobody else hears of that.
fn told(error: ProcessError, done: &Done) -> ProcessError {
    match error {
        ProcessError::Failed { problem, remedy } if !done.notes.is_empty() => {
            let notes = done.notes.join("; ");
            failed(format!("{problem} (of commands before: {notes})"), &remedy)
        }
        other => other,
    }
}

/// Puts out of git's reach what was planted since `before`, and says so.
pub(super) fn look_after(workspace: &Path, before: &Survey) -> Done {
    let after = survey(workspace, &[], Look::After(before));
    let mut done = planted::disarm(workspace, before, &after);
    done.notes.extend(gone::gone(before, &after));
    // The operator may have made it, and hears of it here.
    done.notes
        .iter()
        .for_each(|note| tracing::warn!("after a command: {}", on_one_line(note)));
    if before.cut || after.cut {
        done.notes.push(
            "the workspace holds more files than are looked through: what git runs, and keys, may be unprotected deep in it"
                .to_owned(),
        );
    }
    done
}

/// What [`super::look_after_killed`] does.
pub(super) fn look_after_killed(workspace: &Path, state: &Path) -> Result<Vec<String>, ProcessError> {
    let workspace = existing_folder(workspace)?;
    // What held its commands ends by itself when it is gone.
    let patience = Instant::now() + PATIENCE;
    loop {
        let (mut ledger, others) = Ledger::enter(state, &workspace)?;
        match others {
            Others::None(_) => return Ok(pay(&mut ledger, &workspace, &others).notes),
            // The next command looks after it.
            Others::Running(_) if Instant::now() >= patience => return Ok(Vec::new()),
            Others::Running(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}
