//! What the file of a session says of requests that wait, and what is read of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use super::*;
use crate::audit::{Writes, read_entries};
use crate::cycle::kept::Kept;
use crate::cycle::sessions::{Opened, Sessions};
use crate::cycle::turn::Job;
use crate::cycle::{Owner, kept};
use crate::sexp::kw;
use crate::signal::{Sensor, SessionId, Signal};

/// The session `id`, as a daemon that begins now has it.
fn opened(folder: &Path, id: SessionId) -> Opened {
    let sessions = Sessions::new(folder, 10, Writes::default());
    sessions.create(id, Owner::Operator).unwrap()
}

fn meta(id: SessionId) -> Meta {
    Meta {
        source: "CLI".to_owned(),
        session: id,
        request_id: None,
    }
}

fn signal(id: SessionId, text: &str) -> Signal {
    Signal {
        sensor: Sensor::UserInput,
        meta: meta(id),
        payload: plist!("TEXT" => text),
        depth: 0,
        tainted: false,
        began: None,
    }
}

fn said(id: SessionId, text: &str) -> Job {
    Job::new(Entry::Signal(signal(id, text)), meta(id))
}

fn entries(folder: &Path, id: SessionId) -> Vec<Form> {
    read_entries(&folder.join(format!("{id}.turns"))).unwrap()
}

fn left(folder: &Path, id: SessionId) -> Vec<String> {
    let left = Unbegun::among(&entries(folder, id));
    left.iter().map(|own| own.text.to_string()).collect()
}

fn user(text: &str) -> Line {
    Line {
        speaker: Speaker::User,
        text: text.into(),
        tainted: false,
    }
}

#[test]
fn what_has_to_wait_is_kept_when_it_counts_as_taken_and_what_begins_at_once_or_asks_nothing_is_not() {
    let (folder, id) = (tempfile::tempdir().unwrap(), SessionId::random().unwrap());
    let Opened { session, queue } = opened(folder.path(), id);
    let _queue = queue.unwrap();
    session.enqueue(said(id, "first")).unwrap();
    assert!(left(folder.path(), id).is_empty());
    session.enqueue(said(id, "second")).unwrap();
    assert_eq!(left(folder.path(), id), ["second"]);
    session.enqueue(Job::new(Entry::Continue, meta(id))).unwrap();
    let typed = Entry::Proposal(plist!("TARGET" => kw("SHELL")), signal(id, ""));
    session.enqueue(Job::new(typed, meta(id))).unwrap();
    assert_eq!(left(folder.path(), id), ["second", "(:TARGET :SHELL)"]);
}

#[test]
fn what_has_begun_or_ended_waits_no_longer() {
    let (folder, id) = (tempfile::tempdir().unwrap(), SessionId::random().unwrap());
    let Opened { session, queue } = opened(folder.path(), id);
    let mut queue = queue.unwrap();
    for text in ["first", "second", "third"] {
        session.enqueue(said(id, text)).unwrap();
    }
    let typed = Entry::Proposal(plist!("TARGET" => kw("SHELL")), signal(id, ""));
    session.enqueue(Job::new(typed, meta(id))).unwrap();
    let mut begin = || {
        let job = queue.try_recv().unwrap();
        session.begin();
        session.takes(job.kept);
    };
    begin();
    session.hear(user("first")).unwrap();
    session.waits_no_longer();
    assert_eq!(left(folder.path(), id), ["second", "third", "(:TARGET :SHELL)"]);
    begin();
    session.hear(user("second")).unwrap();
    assert_eq!(
        left(folder.path(), id),
        ["third", "(:TARGET :SHELL)"],
        "the line says it"
    );
    session.waits_no_longer();
    // It was stopped before it said anything.
    begin();
    session.waits_no_longer();
    assert_eq!(left(folder.path(), id), ["(:TARGET :SHELL)"]);
    begin();
    session.has_begun().unwrap();
    assert!(left(folder.path(), id).is_empty());
    let marks = entries(folder.path(), id);
    let marks = marks.iter().filter(|entry| entry.get("TAKEN").is_some());
    assert_eq!(marks.count(), 3, "each is said once");
}

#[test]
fn what_was_left_is_in_its_conversation_once_each_with_the_word_that_it_is_over() {
    let (folder, id) = (tempfile::tempdir().unwrap(), SessionId::random().unwrap());
    let Opened { session, queue } = opened(folder.path(), id);
    for text in ["first", "second", "third"] {
        session.enqueue(said(id, text)).unwrap();
    }
    session.begin();
    session.hear(user("first")).unwrap();
    drop((session, queue));
    for _ in 0..2 {
        let Opened { session, .. } = opened(folder.path(), id);
        session.state().say_left().unwrap();
        assert!(!session.has_left());
        let lines: Vec<String> = session
            .window(1_000)
            .shown
            .iter()
            .map(|own| format!("{own:?}"))
            .collect();
        assert_eq!(lines.len(), 6, "{lines:#?}");
        for (at, said, over) in [
            (0, "first", "it was broken off"),
            (2, "second", "it was never begun"),
            (4, "third", "it was never begun"),
        ] {
            assert!(lines[at].contains(said) && lines[at + 1].contains(over), "{lines:#?}");
        }
    }
}

#[test]
fn what_waits_takes_nothing_from_what_can_be_continued() {
    let asked = user("go on").to_form();
    let stopped = kept::deferred(&plist!("PAYLOAD" => plist!("TEXT" => "here")));
    let waits = Unbegun {
        id: "1".to_owned(),
        text: "next".into(),
        is_said: true,
    };
    let entries = [asked, stopped, waits.to_form(), taken("1")];
    for count in 2..=4 {
        let read = Kept::read(&entries[..count]);
        assert!(read.deferred.is_some() && !read.is_broken_off, "{count} entries");
    }
    let said = user("next").to_form().with("TAKEN", "1");
    let read = Kept::read(&[&entries[..3], &[said]].concat());
    assert!(read.deferred.is_none() && read.is_broken_off && read.unbegun.is_empty());
}
