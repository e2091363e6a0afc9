//! `skill install`: shows what a file asks for; after a person's yes it grants that to this very file, and puts it into the
//! skills folder, whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::check;
use super::entries::{entries, granted, is_open, leave_bounded, left_behind};
use crate::cli::completions::component;
use crate::cli::confirm::{Answer, confirmed};
use crate::cli::link::Link;
use crate::cli::{Exit, client_runtime, config};
use crate::config::{Config, shell_word};
use crate::daemon;
use crate::plist;
use crate::sexp::{Digest, Form, kw, visible, visible_line};
use crate::skill::{
    Anatomy, Description, Grants, Mark, Report, Right, SkillState, grants, remove_unfinished, takes_your_word,
    unfinished,
};

/// What `skill install` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host skill install target/wasm32-unknown-unknown/release/no_shouting.wasm
  passepartout-host skill install running-total.wasm --yes
      does not ask; for scripts

What it asks for is granted to this file alone, by its digest: the next build asks again.

Exit code 0: it is in its place, and ready if a daemon runs. 1: it can't be, or is not ready. 4: it waits: for a yes \
that nobody gave, where nothing has changed, or, in its place, for something that is shown.")]
pub(in crate::cli) struct Args {
    /// The component file
    #[arg(add = component())]
    file: PathBuf,
    /// Don't ask
    #[arg(long)]
    yes: bool,
}

/// What rights mean, by the beginning of their names.
const MEANINGS: &[(&str, &str)] = &[
    ("process", "run commands in the jail: the gates read each one first"),
    (
        "contains-secret",
        "ask whether a text contains one of your secrets, without seeing it",
    ),
    ("revise", "change the payload of actions, as a gate"),
    ("recover", "choose how the loop goes on after a failure"),
    ("heartbeat", "be called on the heartbeat"),
    ("target:", "carry out what goes to a target of the host's own"),
    ("tool:", "offer a tool of the host's own"),
    ("files:read", "read files"),
    ("files:write", "write files"),
    (
        "http-private",
        "speak to hosts of this machine or a private network, also without encryption",
    ),
    ("http", "speak to hosts on the network"),
    ("memory:read", "read memory objects"),
    ("memory:write", "write memory objects"),
    ("model", "ask the model"),
    ("vault", "use a secret without seeing it"),
    ("schedule", "be called later"),
];

pub(super) fn install(args: &Args) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let path = daemon::grants_path(&config);
    let grants = Grants::load(&path)?;
    let (mut report, bytes) = check::look(&config, &args.file, &grants)?;
    if args.yes {
        leave_bounded(&mut report, &grants);
    }
    let (Some(anatomy), Some(description), false) = (
        &report.anatomy,
        &report.description,
        report.state() == SkillState::Failed,
    ) else {
        errln!("{}", visible(&report.to_string()));
        return Ok(Exit::Error);
    };
    let mut entries = entries(&report, &anatomy.digest, &grants);
    // Whoever bounded it closer is asked before it gets more.
    if !args.yes {
        let beyond = report.beyond.iter();
        entries.extend(beyond.map(|right| granted(&report.name, &anatomy.digest, right)));
    }
    for line in shown(&report, anatomy, description, args.yes) {
        // The file's own words stay in the line they are in: none may look like one of ours.
        outln!("{}", visible_line(&line));
    }
    for right in left_behind(&report, &anatomy.digest, &grants) {
        let why = if is_open(&report, &right) {
            "this one does not say how far it would reach, so that you grant that anew"
        } else {
            "this one does not ask for it"
        };
        outln!("not kept   {right}, which an earlier build was granted: {why}");
    }
    let target = config.home.skills.join(format!("{}.wasm", report.name));
    outln!("goes to    {}", visible_line(&target.display().to_string()));
    if args.yes
        && let Some(what) = report.replaces
        && !grants.trusts(&report.name, &anatomy.digest)
    {
        anyhow::bail!(
            "{}, and --yes is none: run `passepartout-host skill trust {}` first, or leave --yes out and answer; nothing \
             has changed",
            takes_your_word(what),
            shell_word(&report.file)
        );
    }
    let question = if entries.is_empty() {
        "Install it?"
    } else {
        "Install it, and let it have what it asks for?"
    };
    if !args.yes
        && let Answer::No(why) = confirmed(question)?
    {
        errln!("not installed, and nothing has changed{why}");
        return Ok(Exit::Waiting);
    }
    crate::audit::create_private_dir(&config.home.config)?;
    // Granted first, so that the file does not have to wait once it is there.
    let added = grants::add_all(&path, &entries)?;
    if let Err(error) = put(&target, &bytes) {
        grants::remove(&path, |entry| added.contains(&entry))?;
        return Err(error).with_context(|| format!("{} can't be written", target.display()));
    }
    outln!("{} is installed", report.name);
    if args.yes && !report.beyond.is_empty() {
        let rights: Vec<String> = report.beyond.iter().map(Right::to_string).collect();
        let words: Vec<String> = rights.iter().map(|right| shell_word(right)).collect();
        errln!(
            "without {}; to grant it: passepartout-host skill grant {} {}",
            rights.join(", "),
            report.name,
            words.join(" ")
        );
    }
    let mut waits = false;
    for finding in report
        .findings
        .iter()
        .filter(|finding| finding.about == "order" && finding.mark == Mark::Waits)
    {
        errln!("it waits: {}", finding.text);
        waits = true;
    }
    // What waits for a grant that was just written does so no longer once the daemon has read it.
    let settling = if entries.is_empty() || waits {
        Duration::ZERO
    } else {
        SETTLING
    };
    match live(&config, &report.name, &target, &anatomy.digest, settling) {
        None => {
            outln!("no daemon runs; the next one loads it");
            if waits {
                return Ok(Exit::Waiting);
            }
        }
        Some(row) if row.state == "ready" => outln!("the daemon that runs has it: {} is ready", report.name),
        Some(row) => {
            errln!(
                "the daemon that runs has not: it {}; {}",
                in_words(&row.state),
                visible_line(&row.reason)
            );
            let waits = row.state == SkillState::Waiting.to_string();
            return Ok(if waits { Exit::Waiting } else { Exit::Error });
        }
    }
    Ok(Exit::Ok)
}

/// How long the daemon may take to load what was put into its folder, before it is asked no more.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a daemon may take to see grants that were written, at the most: it looks for them every two seconds.
const SETTLING: Duration = Duration::from_secs(10);

/// After this long a person who waits is told for what.
const TOLD: Duration = Duration::from_secs(1);

/// A state as it is said of a skill.
fn in_words(state: &str) -> String {
    if state == SkillState::Failed.to_string() {
        return SkillState::Failed.told().to_owned();
    }
    format!("is {state}")
}

/// What a daemon says of a file.
struct Row {
    state: String,
    reason: String,
}

impl Row {
    fn of(row: &Form) -> Row {
        let text = |key: &str| row.text_at(key).unwrap_or_default().to_owned();
        Row {
            state: text("state"),
            reason: text("reason"),
        }
    }
}

/// What the daemon that runs makes of the file with this digest at `target`, once it has made up its mind, which that it waits
/// is not before `settling` is over. Nothing without a daemon.
fn live(config: &Config, name: &str, target: &Path, digest: &Digest, settling: Duration) -> Option<Row> {
    let look = async {
        let mut link = Link::open(&config.home, None).await.ok()?;
        let (begun, mut told, mut noted) = (Instant::now(), false, false);
        let mut looked = begun;
        loop {
            let answer = link.ask(plist!("ACTION" => kw("SKILLS"))).await.ok()?;
            if let Some(note) = answer.text_at("note").filter(|_| !std::mem::replace(&mut noted, true)) {
                errln!("note: {}", visible_line(note));
            }
            let rows = answer.get("SKILLS").and_then(Form::items).unwrap_or_default();
            let digest = digest.to_string();
            let of_name = || rows.iter().filter(|row| row.text_at("name") == Some(name));
            let own = of_name()
                .find(|row| row.text_at("digest") == Some(&digest))
                .map(Row::of);
            let waiting = SkillState::Waiting.to_string();
            if let Some(own) = own.filter(|own| own.state != waiting || begun.elapsed() >= settling) {
                return Some(own);
            }
            if looked.elapsed() > TOLD {
                looked = Instant::now();
                if let Some(why) = overtaken(target, &digest) {
                    return Some(Row {
                        state: "not in place any more".to_owned(),
                        reason: why.to_owned(),
                    });
                }
            }
            let coming = SkillState::Discovered.to_string();
            let coming = of_name().find(|row| row.text_at("state") == Some(&coming)).map(Row::of);
            if begun.elapsed() > PATIENCE {
                return Some(coming.unwrap_or_else(|| Row {
                    state: "not there yet".to_owned(),
                    reason: "see `passepartout-host skill list`".to_owned(),
                }));
            }
            if let (Some(row), false) = (coming, told || begun.elapsed() < TOLD) {
                errln!(
                    "the daemon that runs sees it, and it {}: {}",
                    in_words(&row.state),
                    visible_line(&row.reason)
                );
                told = true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    client_runtime().ok()?.block_on(look)
}

/// What has become of the file that was put to `target`, where it is not there any more.
fn overtaken(target: &Path, digest: &str) -> Option<&'static str> {
    match fs::read(target) {
        Ok(bytes) if Digest::of_file(&bytes).to_string() == digest => None,
        Ok(_) => Some("another build of this name was put there meanwhile, as `passepartout-host skill list` shows"),
        Err(_) => Some("the file was deleted meanwhile"),
    }
}

/// What the person decides on.
fn shown(report: &Report, anatomy: &Anatomy, description: &Description, unasked: bool) -> Vec<String> {
    let mut lines = vec![format!(
        "{} {}, priority {}",
        report.name, description.version, description.priority
    )];
    let own = description.lines().into_iter();
    lines.extend(own.map(|(about, text)| format!("{about:<10} {text}")));
    lines.push(format!("digest     {} ({} bytes)", anatomy.digest, anatomy.size));
    if report.rights.is_empty() && report.open.is_empty() {
        lines.push("asks for   nothing".to_owned());
    }
    for (right, granted) in &report.rights {
        let already = if *granted { " (granted already)" } else { "" };
        lines.push(format!("asks for   {}{already}", with_meaning(right)));
    }
    for right in &report.beyond {
        let left = if unasked {
            " (not granted: --yes gives no more of what you have granted a part of)"
        } else {
            ""
        };
        lines.push(format!("asks for   {}{left}", with_meaning(right)));
    }
    for class in &report.open {
        lines.push(format!(
            "asks for   {}, and does not say how far it would reach: that is for you to grant",
            class.choices()
        ));
    }
    if let Some(what) = report.replaces {
        lines.push(match what {
            "required" => {
                "is         a gate that `gates.required` in config.toml names: your yes is your word for this build"
                    .to_owned()
            }
            what => format!("replaces   the {what} skill {}", report.name),
        });
    }
    for finding in report
        .findings
        .iter()
        .filter(|finding| finding.mark == Mark::Note && !matches!(finding.about, "name" | "rights"))
    {
        lines.push(format!("{:<10} {}", finding.about, finding.text));
    }
    lines
}

/// A right, and what it means.
fn with_meaning(right: &Right) -> String {
    let right = right.to_string();
    let meaning = MEANINGS.iter().find(|(name, _)| right.starts_with(name));
    match meaning {
        Some((_, meaning)) => format!("{right}: to {meaning}"),
        None => right,
    }
}

/// Puts `bytes` to `target` in one step: whoever looks there sees the earlier file or all of this one.
fn put(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    remove_unfinished(folder);
    let part = unfinished(target);
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let placed = written.and_then(|()| fs::rename(&part, target));
    if placed.is_err() {
        let _ = fs::remove_file(&part);
    }
    placed.and_then(|()| crate::audit::sync_folder_of(target))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_that_another_took_the_place_of_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.wasm");
        let digest = Digest::of_file(b"one").to_string();
        put(&target, b"one").unwrap();
        assert_eq!(overtaken(&target, &digest), None);
        put(&target, b"other").unwrap();
        assert!(overtaken(&target, &digest).unwrap().contains("another build"));
        fs::remove_file(&target).unwrap();
        assert!(overtaken(&target, &digest).unwrap().contains("deleted"));
    }
}
