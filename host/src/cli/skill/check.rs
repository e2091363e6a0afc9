//! `skill check`: everything that the loader would say about a file, before it is dropped in.

use std::path::{Path, PathBuf};

use super::{name_of, read, workshop};
use crate::cli::completions::component;
use crate::cli::link::Link;
use crate::cli::{Exit, client_runtime, config, output};
use crate::config::Config;
use crate::daemon;
use crate::plist;
use crate::sexp::{kw, visible, visible_line};
use crate::skill::{BUNDLED, Grants, Report, SkillState};

/// Longest file that is looked at, in bytes, also where fewer are allowed: so that more can be said of one that is too long.
const LONGEST: u64 = 256 << 20;

/// What `skill check` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill check target/wasm32-unknown-unknown/release/no_shouting.wasm
  passepartout-host skill check no-shouting.wasm --json

Exit code 0: dropped in, it would be ready. 1: it would not, for the reasons shown.")]
pub(in crate::cli) struct Args {
    /// The component file
    #[arg(add = component())]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn check(args: &Args) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let grants = Grants::load(&daemon::grants_path(&config)).unwrap_or_else(|error| {
        errln!("nothing is granted: {error}");
        Grants::default()
    });
    let (report, _) = look(&config, &args.file, &grants)?;
    if args.json {
        output::json(&report.json());
    } else {
        outln!("{}", visible(&report.to_string()));
    }
    if let Some(note) = older(&config) {
        errln!("note: {}", visible_line(&note));
    }
    Ok(match report.state() {
        SkillState::Ready => Exit::Ok,
        _ => Exit::Error,
    })
}

/// What a daemon that runs says where it goes on with an older configuration than this report goes by.
fn older(config: &Config) -> Option<String> {
    let ask = async {
        let mut link = Link::open(&config.home, None).await.ok()?;
        let answer = link.ask(plist!("ACTION" => kw("SKILLS"))).await.ok()?;
        answer.text_at("note").map(str::to_owned)
    };
    client_runtime().ok()?.block_on(ask)
}

/// The report on a file beside what is loaded now, and the bytes it is about.
pub(super) fn look(config: &Config, file: &Path, grants: &Grants) -> anyhow::Result<(Report, Vec<u8>)> {
    let workshop = workshop(config)?;
    // A path such as `..` names no skill, and is a folder first.
    let limits = name_of(file).map(|name| workshop.limits_of(&name));
    let longest = limits.as_ref().map_or(LONGEST, |limits| limits.file.max(LONGEST));
    let bytes = read(file, longest)?;
    limits?;
    let loaded = daemon::skills_now(config, daemon::secrets(config))?;
    let report = workshop.check(file, &bytes, BUNDLED, grants, &loaded);
    Ok((report, bytes))
}
