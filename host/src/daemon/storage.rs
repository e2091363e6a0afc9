//! What the daemon keeps, and whether it can be written: what each store is called and what a person loses while it can't
//! be, and how much room is left. It reports; whoever writes has said no to whoever asked already.

use std::path::Path;

use rustix::fs::statvfs;

use super::health::{Check, Level};
use crate::audit::{WriteFault, WriteFaults, Writes};

/// With less room than this, in bytes, the file system of the data folder has next to none left. The longest file that is
/// written whole beside the one that it replaces is the schedule, of up to 32 MiB and a little; the logs that are only added
/// to need as much in a long while.
const LITTLE_ROOM: u64 = 64 << 20;

/// What the daemon keeps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Store {
    /// The decision record.
    Record,
    /// The flight plans.
    Plans,
    /// What was approved once and for all.
    Standing,
    /// What was said.
    Turns,
    /// What nobody has heard.
    Unheard,
    /// What models cost.
    Budget,
    /// What happens later.
    Schedule,
    /// Which gates have been ready.
    Gates,
    /// Which skill has which targets and tools.
    Owners,
}

impl Store {
    /// Where this store notes how its writes go.
    pub(super) fn noting_in(self, faults: &WriteFaults) -> Writes {
        let (name, means) = match self {
            Store::Record => (
                "the decision record",
                "Nothing is answered or done meanwhile, because nothing is that is not recorded",
            ),
            Store::Plans => ("the flight plans", "No plan can be shown or answered meanwhile"),
            Store::Standing => (
                "the list of what was approved once and for all",
                "Nothing is added to it meanwhile, and what was taken back counts no more, but would after a crash; writing it \
                 is tried again with each heartbeat",
            ),
            Store::Turns => (
                "a conversation",
                "What can't be kept is not said: turns fail in that conversation",
            ),
            Store::Unheard => (
                "the note of what nobody has heard yet",
                "It holds as long as the daemon runs; writing it is tried again with each heartbeat",
            ),
            Store::Budget => (
                "the books on what models cost",
                "No model is asked meanwhile that a budget bounds, and the others are not counted",
            ),
            Store::Schedule => ("the schedule", "Nothing is scheduled, removed or fired meanwhile"),
            Store::Gates => (
                "the list of gates that were ready once",
                "After a restart a gate that is new in it, and whose file broke, is not missed; writing it is tried again \
                 every few seconds",
            ),
            Store::Owners => (
                "the list of what skills claim",
                "After a restart it is decided anew which of two skills has what both claim; writing it is tried again \
                 every few seconds",
            ),
        };
        faults.of(name, means)
    }
}

/// The stores that can't be written: since when, why, what that means, and what to do. None of it is left once each was
/// written again.
pub(super) fn unwritten(faults: &WriteFaults) -> Vec<Check> {
    let faults = faults.now();
    let check = |fault: &WriteFault| {
        let since = humantime::format_rfc3339_seconds(fault.since);
        let others = match fault.others {
            0 => String::new(),
            1 => " (and 1 more file of the same kind)".to_owned(),
            others => format!(" (and {others} more files of the same kind)"),
        };
        let text = format!(
            "{} can't be written since {since}: {}{others}. {}. Remedy: {}; this goes by itself once it can be written, which is looked for with each heartbeat",
            fault.store, fault.error, fault.means, fault.remedy
        );
        Check::new("storage", Level::Degraded, text)
    };
    faults.iter().map(check).collect()
}

/// What is wrong with the decision record where the file at `path` is not the one that is added to.
pub(super) fn displaced(path: &Path) -> Check {
    let text = format!(
        "the file of the decision record, {}, was moved, removed or replaced while the daemon runs, which goes on adding to the \
         one that it has open: what is decided is not found by `passepartout-host explain`, nor what came of it after a crash. \
         Remedy: put that file back where it was; or stop the daemon and start it again, which begins a new record where none is",
        path.display()
    );
    Check::new("storage", Level::Degraded, text)
}

/// What became of plans, and of actions that nobody was asked about, and could not be told yet, and `why`: to the record, the
/// conversation, or the file that says so.
pub(super) fn untold(plans: usize, actions: usize, why: Option<String>) -> Option<Check> {
    let counted = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("of 1 {one}")),
        count => Some(format!("of {count} {one}s")),
    };
    let of: Vec<String> = [counted(plans, "plan"), counted(actions, "action")]
        .into_iter()
        .flatten()
        .collect();
    if of.is_empty() {
        return None;
    }
    let why = why.map_or_else(|| "it could not be written".to_owned(), |why| format!("of this: {why}"));
    let text = format!(
        "what became {} has still to be told, because {why}; that is tried again with each heartbeat, and when the daemon stops",
        of.join(" and ")
    );
    Some(Check::new("storage", Level::Degraded, text))
}

/// Whether next to no room is left where `data` is. Nothing where that can't be told, as where there is no such folder yet,
/// or its file system counts none.
pub(super) fn room(data: &Path) -> Option<Check> {
    let status = statvfs(data).ok()?;
    let room = status.f_bavail.saturating_mul(status.f_frsize);
    let has_no_files = status.f_files > 0 && status.f_favail == 0;
    if status.f_blocks == 0 || (room >= LITTLE_ROOM && !has_no_files) {
        return None;
    }
    let left = if has_no_files {
        "can hold no further file".to_owned()
    } else {
        format!(
            "has {} MiB left, which is less than {} MiB",
            room >> 20,
            LITTLE_ROOM >> 20
        )
    };
    let text = format!(
        "the file system of {} {left}: soon nothing can be recorded, and then nothing is answered or done; make room there",
        data.display()
    );
    Some(Check::new("storage", Level::Degraded, text))
}
