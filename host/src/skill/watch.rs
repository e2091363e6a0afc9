//! Watching the skills folder and the grants, and swapping the set in use whenever they change.
//!
//! One thread looks, and two others, of low priority, compile, so that nothing waits for it: no cycle, no health check, and
//! nothing that is taken away. One of the two has what is quickly done, and never waits for what is not.
//! What the system tells of a folder are hints when to look; the folder is looked at every few seconds all the same,
//! so that a hint that was lost, or a folder that was replaced, costs a moment and nothing else.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::attempt::{Done, Job};
use super::dropped::QUIET;
use super::folder::Stamp;
use super::grants::Grants;
use super::loader::Loader;
use super::registry::Registry;

/// How often the folder is looked at without a hint.
const LOOK: Duration = Duration::from_secs(2);

/// Between two looks at the least.
const SHORTEST: Duration = Duration::from_millis(10);

/// In a burst of files, how often the folder is looked at, and the set in use made anew.
const BURST: Duration = Duration::from_millis(100);

/// How much the thread steps back behind those that answer people: 0 is not at all, 19 the most.
const NICE: i32 = 10;

enum Message {
    Hint(notify::Result<notify::Event>),
    /// What came of the job that was given to the thread which compiles.
    Done(Box<Done>),
    Stop,
}

/// Ends the watching when it is dropped.
#[derive(Debug)]
pub struct Watch(Sender<Message>);

impl Drop for Watch {
    fn drop(&mut self) {
        // If nobody receives it, the thread has ended already.
        let _ = self.0.send(Message::Stop);
    }
}

/// Keeps `registry` up to date with what `loader` sees and what `grants` say, until the answer is dropped. What takes long,
/// compiling above all, is done by a thread of its own: a file that is deleted or a right that is taken back counts at
/// once, whatever is being compiled.
///
/// # Errors
/// When no thread can be started.
pub fn watch(loader: Loader, registry: Arc<Registry>, grants: GrantsFile) -> std::io::Result<Watch> {
    let (sender, receiver) = mpsc::channel();
    let eyes = Eyes::new(&sender, &[loader.folder.as_path(), grants.folder()]);
    let jobs = [compiler(sender.clone())?, compiler(sender.clone())?];
    std::thread::Builder::new()
        .name("skill-watch".to_owned())
        .spawn(move || run(loader, &registry, grants, eyes, &receiver, &jobs))?;
    Ok(Watch(sender))
}

fn run(
    mut loader: Loader,
    registry: &Registry,
    mut grants: GrantsFile,
    mut eyes: Eyes,
    hints: &Receiver<Message>,
    jobs: &[Sender<Job>; 2],
) {
    // Who compiles what is quickly done, and who what is not.
    let (mut idle, mut wait) = ([true; 2], Duration::ZERO);
    // Where thousands of files come at once, not each is worth a look at all of them.
    let (mut looked, mut placed, mut different) = (None, Instant::now(), false);
    let (mut pause, mut made) = (BURST, HashSet::new());
    loop {
        let Some(heard) = wait_for_hints(hints, wait) else {
            return;
        };
        let now = Instant::now();
        let is_due = |last: Option<Instant>| last.is_none_or(|last| now.saturating_duration_since(last) >= pause);
        made.extend(heard.made);
        if heard.done.is_empty() || !heard.closed.is_empty() || is_due(looked) {
            looked = Some(now);
            eyes.follow();
            loader.came_back(&std::mem::take(&mut made));
            let closed = heard.closed;
            different |= loader.notice(grants.renewed(&closed, now), &|path| closed.contains(path), now);
        }
        for done in heard.done {
            idle[usize::from(done.is_large)] = true;
            different |= loader.finish(done, now);
        }
        for ((idle, jobs), is_large) in idle.iter_mut().zip(jobs).zip([false, true]) {
            if *idle && let Some(job) = loader.next_job(now, is_large) {
                // Who does not take it has ended, and with it all loading: nothing is left to be done here.
                if jobs.send(job).is_err() {
                    return;
                }
                *idle = false;
            }
        }
        let is_quiet = idle == [true; 2];
        if different && (is_quiet || is_due(Some(placed))) {
            registry.swap(loader.place());
            (placed, different) = (now, false);
        }
        // Where there is much to look at, most of the time is left for what was seen.
        pause = BURST.max(now.elapsed() * 3);
        let latest = if different { BURST } else { LOOK };
        // While something is tried, its end is what comes next.
        let due = loader.look_again(now).filter(|_| idle[0]);
        wait = due.map_or(latest, |due| due.clamp(SHORTEST, latest));
    }
}

/// Starts the thread that compiles, and steps back behind all others.
fn compiler(results: Sender<Message>) -> std::io::Result<Sender<Job>> {
    let (sender, jobs) = mpsc::channel::<Job>();
    std::thread::Builder::new()
        .name("skill-compile".to_owned())
        .spawn(move || {
            // What it starts to compile with steps back with it. Without it compiling is only less considerate.
            let _ = rustix::process::setpriority_process(None, NICE);
            for job in jobs {
                if results.send(Message::Done(Box::new(job.run()))).is_err() {
                    return;
                }
            }
        })?;
    Ok(sender)
}

/// What was heard while waiting.
#[derive(Default)]
struct Heard {
    /// Files that were closed by who wrote them, or moved to where they are.
    closed: HashSet<PathBuf>,
    /// Files that were made there, or moved there.
    made: HashSet<PathBuf>,
    done: Vec<Done>,
}

/// Waits for hints, at most for `wait`. Nothing when the watching is to end.
fn wait_for_hints(hints: &Receiver<Message>, wait: Duration) -> Option<Heard> {
    let mut heard = Heard::default();
    let mut next = match hints.recv_timeout(wait) {
        Err(RecvTimeoutError::Timeout) => return Some(heard),
        Err(RecvTimeoutError::Disconnected) => return None,
        Ok(message) => Some(message),
    };
    while let Some(message) = next {
        match message {
            Message::Stop => return None,
            Message::Done(done) => heard.done.push(*done),
            Message::Hint(Ok(event)) => {
                if completes(event.kind) {
                    heard.closed.extend(event.paths.iter().cloned());
                }
                if completes(event.kind) || event.kind.is_create() {
                    heard.made.extend(event.paths);
                }
            }
            Message::Hint(Err(error)) => tracing::warn!("watching the skills folder: {error}"),
        }
        next = hints.try_recv().ok();
    }
    Some(heard)
}

/// Whether anything can be different after this. Looking at the folder is told of, too: who took that for a hint would look
/// for ever.
fn may_change(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Access(_)) || completes(kind)
}

/// Whether a file is complete after this, as far as whoever wrote it is concerned.
fn completes(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Modify(ModifyKind::Name(mode)) => !matches!(mode, RenameMode::From),
        _ => false,
    }
}

/// What is watched, and which folder it was when it was last looked at.
struct Eyes {
    watcher: Option<RecommendedWatcher>,
    watched: Vec<(PathBuf, Option<(u64, u64)>)>,
}

impl Eyes {
    fn new(sender: &Sender<Message>, folders: &[&Path]) -> Eyes {
        let sender = sender.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.as_ref().is_ok_and(|event| !may_change(event.kind)) {
                return;
            }
            // Once nobody receives hints any more, nobody wants them.
            let _ = sender.send(Message::Hint(event));
        });
        let watcher = watcher
            .inspect_err(|error| {
                tracing::warn!(
                    "the skills folder can't be watched ({error}); it is looked at every {} s, and a file is taken once \
                     it has not changed for as long",
                    LOOK.as_secs()
                );
            })
            .ok();
        let watched = folders.iter().map(|folder| ((*folder).to_owned(), None)).collect();
        let mut eyes = Eyes { watcher, watched };
        eyes.follow();
        eyes
    }

    /// Watches each folder that is another than before, as after it was deleted and made again.
    fn follow(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        for (folder, watched) in &mut self.watched {
            let now = fs::metadata(&*folder).ok().map(|about| (about.dev(), about.ino()));
            if now == *watched {
                continue;
            }
            if watched.take().is_some() {
                // The folder that was watched is gone, and most likely the watch with it.
                let _ = watcher.unwatch(folder);
            }
            if now.is_some() {
                match watcher.watch(folder, RecursiveMode::NonRecursive) {
                    Ok(()) => *watched = now,
                    Err(error) => tracing::warn!("{} can't be watched: {error}", folder.display()),
                }
            }
        }
    }
}

/// The operator's grants, read again when their file changes.
#[derive(Debug)]
pub struct GrantsFile {
    path: PathBuf,
    stamp: Stamp,
    grants: Grants,
    /// Since when the file has been as it is, where that does not count yet.
    since: Option<Instant>,
}

impl GrantsFile {
    /// Reads the file. With a fault in it nothing is granted.
    pub fn open(path: &Path) -> GrantsFile {
        let stamp = Stamp::at(path);
        let grants = Grants::load(path).unwrap_or_else(|error| {
            tracing::error!("nothing is granted: {error}");
            Grants::unreadable(&error)
        });
        GrantsFile {
            path: path.to_owned(),
            stamp,
            grants,
            since: None,
        }
    }

    /// What is granted.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// What is granted now. What somebody has written to its end, as `closed` knows, counts at once. A fault, a file that is
    /// gone, and one that is written still count once nothing has changed for a moment: an editor may be half-way.
    pub(super) fn renewed(&mut self, closed: &HashSet<PathBuf>, now: Instant) -> Grants {
        let stamp = Stamp::at(&self.path);
        let is_closed = closed.contains(&self.path);
        if stamp != self.stamp {
            (self.stamp, self.since) = (stamp, Some(now));
        } else if self.since.is_none() && !is_closed {
            return self.grants.clone();
        }
        let since = *self.since.get_or_insert(now);
        let is_quiet = now.saturating_duration_since(since) >= QUIET;
        let is_there = stamp != Stamp::default();
        match Grants::load(&self.path) {
            Ok(grants) if is_quiet || is_there && is_closed => {
                if !is_there && grants != self.grants {
                    tracing::warn!("nothing is granted any more: {} is gone", self.path.display());
                }
                (self.grants, self.since) = (grants, None);
            }
            Err(error) if is_quiet => {
                let faulty = Grants::unreadable(&error);
                if faulty != self.grants {
                    tracing::error!("nothing is granted any more: {error}");
                }
                self.grants = faulty;
            }
            Ok(_) | Err(_) => {}
        }
        self.grants.clone()
    }
}
