//! `repl`: Lisp in the REPL skill's jail, through every gate and past any model.

use std::io::IsTerminal;
use std::time::Duration;

use super::completions::session;
use super::link::Link;
use super::send::follow;
use super::time::wait;
use super::{Exit, client_runtime, home};
use crate::plist;
use crate::sexp::kw;
use crate::signal::SessionId;

/// What `repl` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host repl '(+ 1 2)'
  passepartout-host repl
      one form a line, until end of input")]
pub(super) struct Args {
    /// The form to evaluate; without it, forms are read from standard input
    form: Option<String>,
    /// Go on with this session and its definitions
    #[arg(long, value_name = "ID", add = session())]
    session: Option<SessionId>,
    /// Give up after this time, such as 90s or 10min; a number alone is seconds
    #[arg(long, default_value = "120", value_name = "TIME", value_parser = wait)]
    timeout: Duration,
}

pub(super) fn repl(args: &Args) -> anyhow::Result<Exit> {
    let home = home(None)?;
    client_runtime()?.block_on(async {
        let mut link = Link::open(&home, args.session).await?;
        if let Some(form) = &args.form {
            return evaluate(&mut link, form, args.timeout).await;
        }
        let prompt = std::io::stdin().is_terminal();
        let mut lines = std::io::stdin().lines();
        let mut last = Exit::Ok;
        loop {
            if prompt {
                eprint!("* ");
            }
            let Some(line) = lines.next() else { return Ok(last) };
            let line = line?;
            if !line.trim().is_empty() {
                last = evaluate(&mut link, &line, args.timeout).await?;
            }
        }
    })
}

async fn evaluate(link: &mut Link, form: &str, timeout: Duration) -> anyhow::Result<Exit> {
    let request = link.event(plist!("SENSOR" => kw("REPL-EVAL"), "CODE" => form)).await?;
    Ok(follow(link, &request, timeout).await?.exit)
}
