//! `send`: say one thing, print the answer.

use super::link::{Link, Step, request_id, within};
use super::{Exit, client_runtime, home, output, show};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::SessionId;

/// What `send` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host send 'list the files here'
  passepartout-host send --session 0123456789abcdef0123456789abcdef 'and now?'
  echo 'a long question' | passepartout-host send -")]
pub(super) struct Args {
    /// What to say; `-` reads it from standard input
    text: String,
    /// Go on with this session instead of opening a new one
    #[arg(long, value_name = "ID")]
    session: Option<SessionId>,
    /// Give up after so many seconds
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    timeout: u64,
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
    client_runtime()?.block_on(within(args.timeout, async {
        let mut link = Link::open(&home, args.session).await?;
        let request = link.event(plist!("SENSOR" => kw("USER-INPUT"), "TEXT" => text)).await?;
        let printer = if args.json {
            Printer::Json(Vec::new())
        } else {
            Printer::Text
        };
        follow(&mut link, &request, printer).await
    }))
}

/// How a turn's frames are printed.
pub(super) enum Printer {
    /// As they come, for people.
    Text,
    /// All in one JSON object at the end.
    Json(Vec<Form>),
}

/// Prints the turn that `request` started to its end, and says how it ended.
pub(super) async fn follow(link: &mut Link, request: &str, mut printer: Printer) -> anyhow::Result<Exit> {
    let mut on_the_way = Vec::new();
    let outcome = loop {
        match link.step(request).await? {
            Step::End(outcome) => break outcome,
            Step::Frame(frame) => {
                let refused = is_refusal_of(&frame, request);
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
                    return finish(link, printer, "failed", Exit::Error);
                }
            }
        }
    };
    for rejected in on_the_way {
        errln!("{rejected}");
    }
    finish(link, printer, &outcome.name().to_lowercase(), outcome.into())
}

fn finish(link: &Link, printer: Printer, outcome: &str, exit: Exit) -> anyhow::Result<Exit> {
    if let Printer::Json(frames) = printer {
        let payloads: Vec<serde_json::Value> = frames
            .iter()
            .filter_map(|frame| frame.get("PAYLOAD"))
            .map(show::json)
            .collect();
        let session = link.session().map(|id| id.to_string());
        output::json(&serde_json::json!({ "outcome": outcome, "session": session, "frames": payloads }));
    }
    Ok(exit)
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
