//! Before and after: what a workspace was like when commands began, and what is put away when they have ended.

use super::guarded::{Guarded, Look, Survey};
use super::ledger::{self, Alone, Ledger, Others};
use super::names::existing_folder;
use super::outside::{changed_meanwhile, failed};
use super::planted::{self, Done, shown};
use super::said::on_one_line;
use super::time::{Time, Timing};
use super::walk::survey;
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
    /// What whoever uses git is to know.
    pub(super) of_git: Vec<String>,
    /// When the look through the workspace began: what it takes is taken from the command's time.
    pub(super) since: Instant,
}

/// What is needed to tell what a command planted.
pub(super) struct Watch {
    pub(super) ledger: Ledger,
    /// How the workspace was before this command, and before those that run at the same time.
    pub(super) before: Survey,
}

/// How one begins that can change nothing: nothing need be looked after.
pub(super) fn begin_reading(
    state: &Path,
    workspace: &Path,
    protected: &[String],
    timing: Timing<'_>,
) -> Result<Begun, ProcessError> {
    let mut done = Done::default();
    if ledger::owes(state, workspace) {
        let (mut ledger, others) = Ledger::enter(state, workspace)?;
        done = pay(&mut ledger, workspace, &others, timing.after());
        refuse_owing(&ledger, &done)?;
    }
    // None that could change the workspace begins while this is held.
    let alone = Alone::now(state, workspace);
    let still = || alone.as_ref().is_some_and(Alone::still);
    let since = Instant::now();
    let found = unasked(workspace, protected, Writes::Refused, timing.before(), &still);
    let found = found.map_err(|error| told(error, &done.notes))?;
    let mut notes = done.notes;
    notes.extend(hidden(&found));
    Ok(Begun {
        watch: None,
        notes,
        of_git: added(&found),
        since,
        guarded: found.guarded,
    })
}

/// Looks through the workspace for a command that no person was asked about: all that is to be hidden must be found, also
/// when other commands move it meanwhile.
fn unasked(
    workspace: &Path,
    protected: &[String],
    writes: Writes,
    time: Time<'_>,
    alone: &dyn Fn() -> bool,
) -> Result<Survey, ProcessError> {
    for _ in 0..LOOKS {
        let found = survey(workspace, protected, Look::Unasked(writes), time);
        if time.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        if found.late {
            return Err(failed(
                "nothing was run: the workspace could not be looked through in half the time that a command may take \
                 (shell.timeout_seconds), or in a minute, for what must be hidden from a command that no person was asked \
                 about",
                "let a person approve the command, or choose a workspace with fewer files",
            ));
        }
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

/// Why git has no index.
fn added(found: &Survey) -> Vec<String> {
    let note = |file: &PathBuf| {
        let file = on_one_line(&file.to_string_lossy());
        format!(
            "git has no index for this command, which no person was asked about, so that `status`, `diff` and the like fail: \
             {file} may be private, and was added and not committed, and git would show it (`git restore --staged {file}` \
             takes it back, which asks)"
        )
    };
    found.added.iter().map(note).collect()
}

fn hidden(found: &Survey) -> Vec<String> {
    let note = |folder: &PathBuf| {
        format!(
            "{} is not there for this command, which no person was asked about: it holds more files that may hold secrets \
             than can be hidden one by one",
            folder.display()
        )
    };
    let mut notes: Vec<String> = found.whole.iter().map(note).collect();
    if !found.deep.is_empty() {
        notes.push(
            "folders that lie too deep in the workspace to be looked into are not there for commands, and no command can \
             delete them: a person may, where they are not needed"
                .to_owned(),
        );
    }
    notes
}

/// Enters the ledger and looks through the workspace.
pub(super) fn begin(
    state: &Path,
    workspace: &Path,
    protected: &[String],
    look: Look<'_>,
    timing: Timing<'_>,
) -> Result<Begun, ProcessError> {
    let (mut ledger, others) = Ledger::enter(state, workspace)?;
    let done = pay(&mut ledger, workspace, &others, timing.after());
    let (since, time) = (Instant::now(), timing.before());
    let now = match look {
        Look::Unasked(writes) => {
            refuse_owing(&ledger, &done)?;
            let alone = matches!(others, Others::None(_));
            unasked(workspace, protected, writes, time, &|| alone)
        }
        _ => Ok(survey(workspace, protected, look, time)),
    };
    let now = match now {
        Ok(now) if !time.is_cancelled() => now,
        // What there was before is not noted, so that nothing is taken for the operator's.
        other => return Err(told(other.err().unwrap_or(ProcessError::Cancelled), &done.notes)),
    };
    let (guarded, hidden, of_git) = (now.guarded.clone(), hidden(&now), added(&now));
    let before = match others {
        Others::Running(before) => before,
        Others::None(left) => {
            // What is still there would be taken for the operator's.
            let before = left.filter(|_| !done.owed.is_empty()).unwrap_or(now);
            ledger.note(&before).map_err(|error| told(error, &done.notes))?;
            before
        }
    };
    let mut notes = done.notes;
    notes.extend(hidden);
    Ok(Begun {
        watch: Some(Watch { ledger, before }),
        guarded,
        notes,
        of_git,
        since,
    })
}

/// Looks after what commands left that are no more, where nobody looked after them or not all could be put away.
fn pay(ledger: &mut Ledger, workspace: &Path, others: &Others, time: Time<'_>) -> Done {
    let done = match others {
        Others::Running(_) => return Done::default(),
        Others::None(None) => Done::default(),
        Others::None(Some(left)) => {
            ledger.owe();
            look_after(workspace, left, time)
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
    Err(told(error, &done.notes))
}

/// `error`, with what was put away, or could not be, before it came about: nobody else hears of that.
pub(super) fn told(error: ProcessError, notes: &[String]) -> ProcessError {
    if notes.is_empty() {
        return error;
    }
    let with = |problem: &str| format!("{problem} (of what commands left: {})", notes.join("; "));
    match error {
        ProcessError::Failed { problem, remedy } => failed(with(&problem), &remedy),
        ProcessError::Unavailable { step, problem, remedy } => ProcessError::Unavailable {
            step,
            problem: with(&problem),
            remedy,
        },
        ProcessError::Cancelled => failed(with(&error.to_string()), "see whether that is as it should be"),
    }
}

/// Puts out of git's reach what was planted since `before`, and says so. What can't be looked at in `time` is owed.
pub(super) fn look_after(workspace: &Path, before: &Survey, time: Time<'_>) -> Done {
    let after = survey(workspace, &[], Look::After(before), time);
    // What was found is put away, however long that took.
    let mut done = planted::disarm(workspace, before, &after, time.again());
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
            Others::None(_) => return Ok(pay(&mut ledger, &workspace, &others, Time::at_start()).notes),
            // The next command looks after it.
            Others::Running(_) if Instant::now() >= patience => return Ok(Vec::new()),
            Others::Running(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}
