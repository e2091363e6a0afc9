//! A question to the person at the terminal. Anything but a written-out yes is a no.

use std::io::{BufRead, IsTerminal, Write};
use std::sync::mpsc::{Sender, channel};

use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, client_runtime};

/// What came of a question.
pub(super) enum Answer {
    /// A written-out yes.
    Yes,
    /// Anything else, and why, where nobody said it.
    No(&'static str),
}

/// What the person did.
enum Heard {
    /// Nothing yet: from here on Ctrl-C is heard.
    Listening,
    /// Typed a line.
    Line(std::io::Result<String>),
    /// Typed Ctrl-C.
    Interrupt,
}

/// Asks. Without a terminal to ask on nobody says yes, and Ctrl-C is a no that can still be told what it means.
///
/// # Errors
/// When the terminal can't be written to or read.
pub(super) fn confirmed(question: &str) -> anyhow::Result<Answer> {
    if !std::io::stdin().is_terminal() {
        return Ok(Answer::No(
            ": there is no terminal to ask on; look at what is shown above and add --yes",
        ));
    }
    let (told, heard) = channel();
    let interrupted = told.clone();
    std::thread::spawn(move || hear_interrupts(&interrupted));
    // Where it can't be listened for, Ctrl-C ends the process as ever.
    heard.recv()?;
    eprint!("{question} Type yes: ");
    std::io::stderr().flush()?;
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let _ = told.send(Heard::Line(read.map(|_| line)));
    });
    Ok(match heard.recv()? {
        Heard::Line(line) => match line?.trim() {
            "yes" => Answer::Yes,
            _ => Answer::No(""),
        },
        Heard::Interrupt => {
            eprintln!();
            Answer::No("")
        }
        Heard::Listening => Answer::No(""),
    })
}

/// Tells of each Ctrl-C; once nobody listens any more, it ends the process as ever.
fn hear_interrupts(told: &Sender<Heard>) {
    let listening = || {
        let runtime = client_runtime()?;
        let interrupts = runtime.block_on(async { signal(SignalKind::interrupt()) })?;
        Ok::<_, std::io::Error>((runtime, interrupts))
    };
    let found = listening();
    let _ = told.send(Heard::Listening);
    let Ok((runtime, mut interrupts)) = found else { return };
    while runtime.block_on(interrupts.recv()).is_some() {
        if told.send(Heard::Interrupt).is_err() {
            std::process::exit(Exit::Interrupted as i32);
        }
    }
}
