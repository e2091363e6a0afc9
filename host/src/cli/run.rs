//! `run`: the daemon in the foreground; on a terminal, with a chat on it.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::Context;
use tokio_util::sync::CancellationToken;

use super::completions::provider;
use super::{Exit, Usage, chat, config, logging};
use crate::audit::create_private_dir;
use crate::daemon;
use crate::model::Cascade;

/// What `run` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host run
      talk to it here; the log is in state/daemon.log
  passepartout-host run --no-chat
      only serve, with the log on standard error
  passepartout-host run --provider script:answers.txt
      replay answers instead of asking a model
  PROVIDER_CASCADE=openai passepartout-host run
      with OPENAI_API_KEY in the environment

Ctrl-D in its chat ends the daemon too. One without a chat ends on Ctrl-C, or by `kill` with the \
process id that `passepartout-host status` shows; `passepartout-host chat` talks to it meanwhile.")]
pub(super) struct Args {
    /// Ask this provider instead of the configured ones: a name, or script:FILE. Can be given again
    #[arg(long, value_name = "NAME", add = provider())]
    provider: Vec<String>,
    /// Where the agent works; never one of our own folders
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// Don't open a chat
    #[arg(long)]
    no_chat: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    if args.provider.iter().any(|name| name.trim().is_empty()) {
        let text = "--provider names nothing: its name is empty; `passepartout-host doctor` lists the providers";
        return Err(Usage(text.to_owned()).into());
    }
    let (mut config, variables) = config(args.workspace.as_ref())?;
    if !args.provider.is_empty() {
        config.model.only(args.provider);
        // What was asked for on this very line, and can't be had, is no daemon without a model.
        let faults = Cascade::from_config(&config.model).1;
        if let Some(fault) = faults.first() {
            let option = "--provider";
            let named = if fault.place == option { "" } else { "--provider: " };
            let all: Vec<String> = faults.iter().map(ToString::to_string).collect();
            anyhow::bail!("{named}{}", all.join("; "));
        }
    }
    let workspace = &config.home.workspace;
    // One that was misspelt would otherwise be found out only by what the agent does not find in it.
    if args.workspace.is_some() && !workspace.exists() {
        create_private_dir(workspace)
            .map_err(|error| anyhow::anyhow!("{error}; choose another folder with --workspace"))?;
        errln!(
            "note: the workspace {} was not there; it is made now, and is empty",
            workspace.display()
        );
    }
    let chatting = !args.no_chat && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if chatting {
        logging::to_file(&config.home.state)?;
    } else {
        logging::to_stderr();
    }
    for fault in &config.faults {
        errln!("configuration: {fault}");
    }
    let home = config.home.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let served = runtime.block_on(async {
        let stop = CancellationToken::new();
        let (ready, listening) = tokio::sync::oneshot::channel();
        let serving = daemon::serve(config, variables, stop.clone(), move |doors| {
            let _ = ready.send(doors);
        });
        tokio::pin!(serving);
        let doors = tokio::select! {
            ended = &mut serving => return ended.and_then(|()| anyhow::bail!("it stopped before it was listening")),
            doors = listening => doors,
        };
        if !chatting {
            return serving.await;
        }
        if let Ok(doors) = doors {
            outln!(
                "Passepartout is listening on {} and on 127.0.0.1:{}.",
                home.state.join("socket").display(),
                doors.port
            );
            for notice in &doors.notices {
                outln!("! {}", crate::sexp::visible(notice));
            }
        }
        let talk = chat::talk(home, None, chat::Ending::Daemon);
        tokio::pin!(talk);
        tokio::select! {
            ended = &mut serving => ended,
            talked = &mut talk => {
                stop.cancel();
                serving.await.and(talked.map(drop))
            }
        }
    });
    // Threads that still wait for a terminal or a guest must not keep the process.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    served.map(|()| Exit::Ok)
}
