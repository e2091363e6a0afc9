//! `send`: say one thing, print the answer.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

use super::completions::session;
use super::link::{ANSWER, Link, Step, request_id};
use super::time::{seconds, wait};
use super::{Exit, Usage, client_runtime, home, output, show};
use crate::plist;
use crate::protocol::ClientError;
use crate::sexp::{Form, is_blank, kw};
use crate::signal::SessionId;
use crate::signal::frames::{Outcome, Upshot};

/// What `send` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host send 'list the files here'
  passepartout-host send --session 0123456789abcdef0123456789abcdef 'and now?'
  echo 'a long question' | passepartout-host send -

Exit codes: 0 answered, 1 error, 3 refused by a gate, 4 waiting for approval, 5 no daemon, 6 providers exhausted, 7 time-out, 130 stopped by Ctrl-C.

Ctrl-C stops what is running for it in the daemon, and waits until that has stopped; a second one ends at once.

It is 3 also where the answer only says that an action was refused: what was proposed last was, and nothing was carried out \
instead. A message that is refused and then said otherwise is an answer like any other: 0. So is one after an action that \
failed, which is said on standard error.

With --json, outcome says how the turn ended, and upshot what became of what it set out to do: done, failed, \
refused, waiting, or null.")]
pub(super) struct Args {
    /// What to say; `-` reads it from standard input
    text: String,
    /// Go on with this session instead of opening a new one
    #[arg(long, value_name = "ID", add = session())]
    session: Option<SessionId>,
    /// Give up after this time, such as 90s or 10min; a number alone is seconds
    #[arg(long, default_value = "600", value_name = "TIME", value_parser = wait)]
    timeout: Duration,
    /// Print one JSON object with everything that was answered
    #[arg(long)]
    json: bool,
}

pub(super) fn send(args: &Args) -> anyhow::Result<Exit> {
    let home = home(None)?;
    let text = match args.text.as_str() {
        "-" => std::io::read_to_string(std::io::stdin())?,
        text => text.to_owned(),
    };
    if is_blank(&text) {
        let what = match args.text.as_str() {
            "-" => "standard input",
            _ => "the text",
        };
        return Err(Usage(format!(
            "there is nothing to say: {what} is empty, or nothing but white space"
        ))
        .into());
    }
    client_runtime()?.block_on(async {
        let mut link = Link::open(&home, args.session).await?;
        let request = link.event(plist!("SENSOR" => kw("USER-INPUT"), "TEXT" => text)).await?;
        let printer = if args.json {
            Printer::Json(Vec::new())
        } else {
            Printer::Text
        };
        let mut interrupts = signal(SignalKind::interrupt())?;
        let turn = follow_until(&mut link, &request, printer, args.timeout, Some(&mut interrupts)).await;
        turn.map(Turn::unless_refused)
    })
}

/// How a turn's frames are printed.
enum Printer {
    /// As they come, for people.
    Text,
    /// All in one JSON object at the end.
    Json(Vec<Form>),
}

/// How a turn ended.
pub(super) struct Turn {
    /// As such.
    pub(super) exit: Exit,
    /// What became of what it set out to do.
    upshot: Option<Upshot>,
    /// Whether a plan was made in it: what a skill was asked to do may have failed only because it asks a person first.
    planned: bool,
}

impl Turn {
    /// Says that it is not waited for any longer.
    fn given_up(after: Duration) -> Turn {
        errln!(
            "no end after {}; the turn goes on in the daemon, or waits there for those before it, and you are told what came \
             of it the next time (`passepartout-host status` shows it while it runs, `--timeout` waits longer)",
            seconds(after)
        );
        Turn {
            exit: Exit::Timeout,
            upshot: None,
            planned: false,
        }
    }

    /// For whoever said something: an answer that only tells that it was refused is a refusal.
    pub(super) fn unless_refused(self) -> Exit {
        match (self.exit, self.upshot) {
            (Exit::Ok, Some(Upshot::Refused)) => Exit::Refused,
            (Exit::Ok, Some(Upshot::Failed)) if self.planned => Exit::Waiting,
            (exit, _) => exit,
        }
    }

    /// For whoever wanted one thing carried out: what is said of it afterwards does not matter.
    pub(super) fn when_carried_out(self) -> Exit {
        match (self.exit, self.upshot) {
            // Another plan came of it, and that waits.
            (Exit::Waiting, _) => Exit::Waiting,
            (_, Some(Upshot::Failed)) if self.planned => Exit::Waiting,
            // It had not begun, as was said.
            (_, Some(Upshot::Waiting)) => Exit::Waiting,
            (Exit::Exhausted | Exit::Timeout, Some(Upshot::Failed)) => {
                errln!("what was approved was carried out, and failed; only no model said anything about it");
                Exit::Error
            }
            (_, Some(Upshot::Failed)) => Exit::Error,
            (_, Some(Upshot::Refused)) => Exit::Refused,
            (Exit::Ok, Some(Upshot::Done)) => Exit::Ok,
            (Exit::Exhausted | Exit::Timeout, Some(Upshot::Done)) => {
                errln!("what was approved was carried out; only no model said anything about it");
                Exit::Ok
            }
            (_, Some(Upshot::Done)) => {
                errln!("what was approved was carried out; it is what followed that was stopped, refused or failed");
                Exit::Ok
            }
            (exit, None) => exit,
        }
    }
}

/// Prints the turn that `request` started to its end, for at most `longest` from when the daemon has taken it up, and says how
/// it ended.
pub(super) async fn follow(link: &mut Link, request: &str, longest: Duration) -> anyhow::Result<Turn> {
    follow_until(link, request, Printer::Text, longest, None).await
}

/// The same; the first of `interrupts` stops the turn, and the second one ends at once.
async fn follow_until(
    link: &mut Link,
    request: &str,
    mut printer: Printer,
    longest: Duration,
    mut interrupts: Option<&mut Signal>,
) -> anyhow::Result<Turn> {
    let (mut on_the_way, mut planned, mut stopping) = (Vec::new(), false, false);
    let (mut may_go_on, mut told_why) = (false, false);
    let (mut patience, mut taken_up) = (Box::pin(sleep(ANSWER)), false);
    let (outcome, upshot) = loop {
        let interrupted = async {
            match interrupts.as_deref_mut() {
                Some(interrupts) => drop(interrupts.recv().await),
                None => std::future::pending().await,
            }
        };
        let step = tokio::select! {
            biased;
            () = interrupted => None,
            step = link.step(request) => Some(step?),
            () = &mut patience => {
                if !taken_up {
                    return Err(ClientError::Silent { after: ANSWER }.into());
                }
                return Ok(Turn::given_up(longest));
            }
        };
        let Some(step) = step else {
            if stopping {
                errln!("not waited for any longer; what is running stops in the daemon");
                finish(link, printer, "cancelled", None);
                return Ok(Turn {
                    exit: Exit::Interrupted,
                    upshot: None,
                    planned,
                });
            }
            stopping = true;
            errln!("stopping what is running; a second Ctrl-C ends at once");
            link.interrupt(&[request]).await?;
            continue;
        };
        // What is said of its going on is so from then on.
        if let (false, Step::Frame(frame)) = (taken_up, &step)
            && request_id(frame) == Some(request)
        {
            (taken_up, patience) = (true, Box::pin(sleep(longest)));
        }
        match step {
            Step::End(outcome, upshot) => break (outcome, upshot),
            // The session may have other clients: what answers them is not for this one.
            Step::Frame(frame) if request_id(&frame).is_some_and(|own| own != request) => {}
            Step::Frame(frame) => {
                let refused = is_refusal_of(&frame, request);
                planned |= frame.at("payload.action").is_some_and(|action| action.is_kw("PLAN"));
                may_go_on |= can_be_continued(&frame);
                told_why |= frame.at("payload.action").is_some_and(|action| action.is_kw("ERROR"));
                match &mut printer {
                    Printer::Json(frames) => frames.push(frame),
                    Printer::Text => {
                        on_the_way.extend(show::rejected_on_the_way(&frame));
                        // It tells all of them itself.
                        if frame.at("payload.action").is_some_and(|action| action.is_kw("REFUSAL")) {
                            on_the_way.clear();
                        }
                        print(&frame);
                    }
                }
                if refused {
                    finish(link, printer, "failed", None);
                    return Ok(Turn {
                        exit: Exit::Error,
                        upshot: None,
                        planned: false,
                    });
                }
            }
        }
    };
    for rejected in show::Refused::lines(on_the_way) {
        errln!("{rejected}");
    }
    // A shell's next command begins a session of its own.
    if let (true, Some(session)) = (may_go_on, link.session()) {
        errln!("here: `passepartout-host send --session {session} /continue`");
    }
    finish(link, printer, &outcome.name().to_lowercase(), upshot);
    let was_stopped = stopping && outcome == Outcome::Cancelled;
    if was_stopped {
        errln!("Stopped.");
    } else if outcome == Outcome::Cancelled && !told_why {
        errln!("Stopped, by another client of this session.");
    }
    Ok(Turn {
        exit: if was_stopped { Exit::Interrupted } else { outcome.into() },
        upshot,
        planned,
    })
}

fn finish(link: &Link, printer: Printer, outcome: &str, upshot: Option<Upshot>) {
    if let Printer::Json(frames) = printer {
        let payloads: Vec<serde_json::Value> = frames
            .iter()
            .filter_map(|frame| frame.get("PAYLOAD"))
            .map(show::json)
            .collect();
        let session = link.session().map(|id| id.to_string());
        let upshot = upshot.map(|upshot| upshot.name().to_lowercase());
        output::json(
            &serde_json::json!({ "outcome": outcome, "upshot": upshot, "session": session, "frames": payloads }),
        );
    }
}

/// Whether the frame tells of an end of a turn after which `/continue` goes on with it.
fn can_be_continued(frame: &Form) -> bool {
    let code = frame.at("payload.code").and_then(Form::designator);
    code.is_some_and(|code| ["repeats", "depth"].iter().any(|own| code.eq_ignore_ascii_case(own)))
}

/// Whether the daemon refused the request itself, so that no turn was begun and none will end.
fn is_refusal_of(frame: &Form, request: &str) -> bool {
    request_id(frame) == Some(request)
        && frame.at("payload.action").is_some_and(|action| action.is_kw("ERROR"))
        && !frame.at("payload.turn").is_some_and(Form::is_true)
}

/// Prints a frame: answers to standard output, everything else to standard error.
pub(super) fn print(frame: &Form) {
    if let Some(text) = show::frame(frame, show::Place::Shell) {
        if frame.at("payload.action").is_some_and(|action| action.is_kw("MESSAGE")) {
            outln!("{text}");
        } else {
            errln!("{text}");
        }
    }
}
