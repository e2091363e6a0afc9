//! `chat`: a conversation on a terminal, or line by line through a pipe.

use std::io::{BufRead, IsTerminal, Write};

use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, ExternalPrinter};
use tokio::sync::mpsc;

use super::completions::session;
use super::link::{Link, ended, request_id};
use super::{Exit, client_runtime, home, show};
use crate::config::Home;
use crate::plist;
use crate::protocol::frame::LIMIT;
use crate::sexp::{Form, kw, visible};
use crate::signal::SessionId;
use crate::signal::frames::Outcome;

/// What `chat` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host chat
  passepartout-host chat --session 0123456789abcdef0123456789abcdef

In the chat: /help lists the commands, Ctrl-C stops what is running, Ctrl-D ends the chat.")]
pub(super) struct Args {
    /// Go on with this session
    #[arg(long, value_name = "ID", add = session())]
    session: Option<SessionId>,
}

pub(super) fn chat(args: &Args) -> anyhow::Result<Exit> {
    let home = home(None)?;
    let runtime = client_runtime()?;
    let done = runtime.block_on(talk(home, args.session, Ending::Chat));
    runtime.shutdown_timeout(std::time::Duration::from_millis(100));
    done
}

/// The longest line, in bytes as they are sent: what is around it in a frame is short.
const LONGEST: usize = LIMIT - 4_096;

/// What the keyboard says.
enum Typed {
    Line(String),
    Interrupt,
    /// What can't be taken for a line, and why: nothing more comes.
    Broken(String),
    End,
}

/// What Ctrl-D ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The chat.
    Chat,
    /// The daemon too, which this process is.
    Daemon,
}

impl Ending {
    fn told(self) -> &'static str {
        match self {
            Ending::Chat => "Ctrl-D ends the chat",
            Ending::Daemon => "Ctrl-D ends the chat and the daemon with it",
        }
    }
}

/// Reads lines and shows frames until the person ends it or the daemon goes, and says then how to go on.
pub(super) async fn talk(home: Home, session: Option<SessionId>, by_end: Ending) -> anyhow::Result<Exit> {
    let mut link = Link::open(&home, session).await?;
    let interactive = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let done = converse(&mut link, &home, session, by_end, interactive).await;
    if let (true, Some(id)) = (interactive, link.session()) {
        errln!("This conversation is kept; `passepartout-host chat --session {id}` goes on with it.");
    }
    done
}

async fn converse(
    link: &mut Link,
    home: &Home,
    session: Option<SessionId>,
    by_end: Ending,
    interactive: bool,
) -> anyhow::Result<Exit> {
    let (typed, mut lines) = mpsc::channel(16);
    let (shown, to_show) = std::sync::mpsc::channel::<String>();
    let history = home.state.join("chat-history");
    // Reading a terminal blocks, so it has a thread of its own.
    std::thread::spawn(move || {
        if interactive {
            read_terminal(&history, &typed, to_show);
        } else {
            read_pipe(&typed);
        }
    });
    let show = |text: String| {
        if interactive {
            drop(shown.send(text));
        } else {
            // At once, by nobody else: whoever reads the pipe gets the last answer too.
            print_plainly(&text);
        }
    };
    if interactive {
        show(format!(
            "Type a message, or /help. Ctrl-C stops what is running, {}.",
            by_end.told()
        ));
        if let Some(note) = waiting(home, session).await? {
            show(note);
        }
    }
    // Before anything is typed, and so before the session is bound.
    let mut open = vec![link.request(plist!("ACTION" => kw("UNHEARD"))).await?];
    let (mut ending, mut stopping, mut broken) = (false, Vec::new(), None);
    loop {
        // A pipe's last answers are waited for.
        if ending && (interactive || open.is_empty()) {
            return broken.map_or(Ok(Exit::Ok), |why: String| Err(anyhow::anyhow!(why)));
        }
        tokio::select! {
            frame = link.next() => {
                let frame = frame?;
                // Where there is no such session, no line that is typed could be heard.
                if let (true, Some(why)) = (session.is_some(), no_such_session(&frame)) {
                    anyhow::bail!(why);
                }
                if let Some(text) = show::frame(&frame, show::Place::Chat) {
                    show(text);
                } else if let (true, Some(text)) = (interactive, show::progress(&frame)) {
                    show(format!("  … {text}"));
                }
                if stopped(&mut stopping, &frame) {
                    show("Stopped.".to_owned());
                }
                if let (true, Some(id)) = (is_over(&frame), request_id(&frame)) {
                    open.retain(|own| own != id);
                }
            }
            line = lines.recv(), if !ending => match line {
                Some(Typed::Line(text)) if text.trim().is_empty() => {}
                Some(Typed::Line(text)) => {
                    open.push(link.event(plist!("SENSOR" => kw("USER-INPUT"), "TEXT" => text)).await?);
                }
                Some(Typed::Interrupt) if open.is_empty() => show(format!("Nothing is running; {}.", by_end.told())),
                Some(Typed::Interrupt) => {
                    show("Stopping what is running.".to_owned());
                    stopping.clone_from(&open);
                    link.event(plist!("SENSOR" => kw("INTERRUPT"))).await?;
                }
                Some(Typed::Broken(why)) => (ending, broken) = (true, Some(why)),
                Some(Typed::End) | None => ending = true,
            },
        }
    }
}

/// What the daemon says where there is no session of that id, if it says so.
fn no_such_session(frame: &Form) -> Option<String> {
    let payload = frame.get("PAYLOAD")?;
    let code = payload.get("CODE").and_then(Form::designator)?;
    code.eq_ignore_ascii_case("no-such-session")
        .then(|| visible(payload.text_at("text").unwrap_or_default()))
}

/// What waits in the session that is gone on with, if anything does: it was asked where nobody here saw it.
async fn waiting(home: &Home, session: Option<SessionId>) -> anyhow::Result<Option<String>> {
    let Some(session) = session.map(|id| id.to_string()) else {
        return Ok(None);
    };
    let answer = Link::open(home, None)
        .await?
        .ask(plist!("ACTION" => kw("PLANS")))
        .await?;
    let plans = answer.get("PLANS").and_then(Form::items).unwrap_or_default();
    let own = plans.iter().filter(|plan| plan.text_at("session-id") == Some(&session));
    Ok(match own.count() {
        0 => None,
        1 => Some("A plan waits for you in this session: /plans shows it.".to_owned()),
        count => Some(format!(
            "{count} plans wait for you in this session: /plans shows them."
        )),
    })
}

/// Whether `frame` tells that what Ctrl-C was typed for is stopped. `stopping` is what was open then. Once a turn of it has
/// ended, however it did, a turn that is cancelled later is so for another reason.
fn stopped(stopping: &mut Vec<String>, frame: &Form) -> bool {
    let (end, id) = (ended(frame), request_id(frame));
    let is_stopped = end == Some(Outcome::Cancelled) && !stopping.is_empty();
    let is_own = stopping.iter().any(|own| Some(own.as_str()) == id);
    if is_stopped || (is_own && end.is_some()) {
        stopping.clear();
    } else if is_own && is_over(frame) {
        stopping.retain(|own| Some(own.as_str()) != id);
    }
    is_stopped
}

/// Whether nothing more comes for the request that `frame` answers.
fn is_over(frame: &Form) -> bool {
    ended(frame).is_some() || is_error_without_turn(frame) || is_response(frame)
}

fn is_error_without_turn(frame: &Form) -> bool {
    let Some(payload) = frame.get("PAYLOAD") else {
        return false;
    };
    payload.get("ACTION").is_some_and(|action| action.is_kw("ERROR"))
        && !payload.get("TURN").is_some_and(Form::is_true)
}

fn is_response(frame: &Form) -> bool {
    frame.get("TYPE").is_some_and(|kind| kind.is_kw("RESPONSE"))
}

fn read_terminal(history: &std::path::Path, typed: &mpsc::Sender<Typed>, to_show: std::sync::mpsc::Receiver<String>) {
    let editor = DefaultEditor::new();
    let Ok(mut editor) = editor else {
        print_all_plainly(to_show);
        return read_pipe(typed);
    };
    let _ = editor.load_history(history);
    match editor.create_external_printer() {
        Ok(mut printer) => {
            std::thread::spawn(move || {
                while let Ok(text) = to_show.recv() {
                    let _ = printer.print(format!("{text}\n"));
                }
            });
        }
        Err(_) => print_all_plainly(to_show),
    }
    loop {
        let said = match editor.readline("you> ") {
            Ok(line) => {
                let _ = editor.add_history_entry(&line);
                let _ = editor.append_history(history);
                Typed::Line(line)
            }
            Err(ReadlineError::Interrupted) => Typed::Interrupt,
            Err(_) => Typed::End,
        };
        let end = matches!(said, Typed::End);
        // Whoever hears of the end ends the process.
        if end {
            let _ = editor.save_history(history);
        }
        if typed.blocking_send(said).is_err() || end {
            return;
        }
    }
}

/// Says what stands on each line. At one that is no text it stops: what is not said must not be passed over in silence.
fn read_pipe(typed: &mpsc::Sender<Typed>) {
    let mut input = std::io::stdin().lock();
    let mut number = 0_u64;
    loop {
        number += 1;
        let mut line = Vec::new();
        let said = match input.read_until(b'\n', &mut line) {
            Ok(0) => Typed::End,
            Ok(_) => match String::from_utf8(line) {
                Ok(line) => said(line.trim_end_matches(['\r', '\n']), number),
                Err(error) => Typed::Broken(format!(
                    "line {number} of standard input is not UTF-8 from its byte {} on: it was not said, nor what follows it",
                    error.utf8_error().valid_up_to() + 1
                )),
            },
            Err(error) => Typed::Broken(format!(
                "standard input can't be read from line {number} on, so that nothing more was said: {error}"
            )),
        };
        let is_last = !matches!(said, Typed::Line(_));
        if typed.blocking_send(said).is_err() || is_last {
            return;
        }
    }
}

/// The line with this number, if a frame has room for it.
fn said(line: &str, number: u64) -> Typed {
    let bytes = Form::from(line).to_string().len();
    if bytes <= LONGEST {
        return Typed::Line(line.to_owned());
    }
    Typed::Broken(format!(
        "line {number} of standard input takes {bytes} bytes to say and {LONGEST} is the most: it was not said, nor what follows \
         it; put the text into a file of the workspace and name that"
    ))
}

fn print_all_plainly(to_show: std::sync::mpsc::Receiver<String>) {
    std::thread::spawn(move || {
        while let Ok(text) = to_show.recv() {
            print_plainly(&text);
        }
    });
}

fn print_plainly(text: &str) {
    outln!("{text}");
    let _ = std::io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::stopped;
    use crate::plist;
    use crate::sexp::{Form, kw};

    fn end(id: &str, outcome: &str) -> Form {
        let payload = plist!("ACTION" => kw("CYCLE-END"), "OUTCOME" => kw(outcome));
        plist!("TYPE" => kw("EVENT"), "META" => plist!("REQUEST-ID" => id), "PAYLOAD" => payload)
    }

    fn response(id: &str) -> Form {
        plist!("TYPE" => kw("RESPONSE"), "META" => plist!("REQUEST-ID" => id), "PAYLOAD" => plist!("ACTION" => kw("UNHEARD")))
    }

    fn typed() -> Vec<String> {
        vec!["unheard".to_owned(), "asked".to_owned()]
    }

    #[test]
    fn ctrl_c_is_answered_by_the_end_of_what_it_cancelled_and_by_no_other() {
        let mut stopping = typed();
        assert!(!stopped(&mut stopping, &response("unheard")));
        // The interrupt's own end, which comes before that of what it stops.
        assert!(!stopped(&mut stopping, &end("interrupt", "ANSWERED")));
        assert!(stopped(&mut stopping, &end("asked", "CANCELLED")));
        assert!(!stopped(&mut stopping, &end("later", "CANCELLED")));
    }

    #[test]
    fn what_ended_otherwise_than_by_ctrl_c_leaves_nothing_for_a_later_stop_to_be_taken_for() {
        for outcome in ["ANSWERED", "FAILED", "WAITING", "EXHAUSTED", "REFUSED", "TIMEOUT"] {
            let mut stopping = typed();
            assert!(!stopped(&mut stopping, &end("interrupt", "ANSWERED")));
            assert!(!stopped(&mut stopping, &end("asked", outcome)), "{outcome}");
            assert!(!stopped(&mut stopping, &end("later", "CANCELLED")), "{outcome}");
        }
    }
}
