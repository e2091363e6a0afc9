//! A question to the person at the terminal. Anything but a written-out yes is a no.

use std::io::{BufRead, IsTerminal, Write};

/// What came of a question.
pub(super) enum Answer {
    /// A written-out yes.
    Yes,
    /// Anything else, and why, where nobody said it.
    No(&'static str),
}

/// Asks. Without a terminal to ask on nobody says yes.
///
/// # Errors
/// When the terminal can't be written to or read.
pub(super) fn confirmed(question: &str) -> anyhow::Result<Answer> {
    if !std::io::stdin().is_terminal() {
        return Ok(Answer::No(
            ": there is no terminal to ask on; look at what is shown above and add --yes",
        ));
    }
    eprint!("{question} Type yes: ");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(if line.trim() == "yes" {
        Answer::Yes
    } else {
        Answer::No("")
    })
}
