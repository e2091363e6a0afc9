//! A question to the person at the terminal. Anything but a written-out yes is a no.

use std::io::{BufRead, IsTerminal, Write};

/// Asks, and says whether the answer was yes.
///
/// # Errors
/// When there is no terminal to ask on.
pub(super) fn confirmed(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        anyhow::bail!("there is no terminal to ask on; look at what is shown above and add --yes");
    }
    eprint!("{question} Type yes: ");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim() == "yes")
}
