//! `skill list`: what is loaded, what is not, and why.

use crate::cli::link::Link;
use crate::cli::{Exit, client_runtime, config, output, show};
use crate::daemon;
use crate::plist;
use crate::protocol::ClientError;
use crate::sexp::{Form, kw, visible_line};

/// What `skill list` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  passepartout-host skill list --json")]
pub(in crate::cli) struct Args {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

pub(super) fn list(args: &Args) -> anyhow::Result<Exit> {
    let (config, _) = config(None)?;
    let asked = client_runtime()?.block_on(async {
        Link::open(&config.home, None)
            .await?
            .ask(plist!("ACTION" => kw("SKILLS")))
            .await
    });
    let skills: Vec<serde_json::Value> = match asked {
        Ok(answer) => answer
            .get("SKILLS")
            .and_then(Form::items)
            .unwrap_or_default()
            .iter()
            .map(show::json)
            .collect(),
        // Without a daemon: what one would load now.
        Err(error) if matches!(error.downcast_ref(), Some(ClientError::NoDaemon { .. })) => {
            errln!("no daemon runs; this is what it would load now");
            let set = daemon::skills_now(&config, daemon::secrets(&config))?;
            set.statuses().iter().map(crate::skill::SkillStatus::json).collect()
        }
        Err(error) => return Err(error),
    };
    if args.json {
        output::json(&serde_json::Value::Array(skills));
        return Ok(Exit::Ok);
    }
    table(&skills);
    Ok(Exit::Ok)
}

/// One line a skill, and what is to be said of it below.
fn table(skills: &[serde_json::Value]) {
    outln!(
        "{:<16} {:<11} {:>9} {:>8} {:<12} {:>8} {:>9} {:>9} {:>6} {:>9}",
        "NAME",
        "STATE",
        "VERSION",
        "PRIORITY",
        "DIGEST",
        "CALLS",
        "P50",
        "P99",
        "TRAPS",
        "MEMORY"
    );
    for skill in skills {
        let text = |key: &str| match skill.get(key) {
            // One line each: a file's name with a line break in it must not look like another skill.
            Some(serde_json::Value::String(text)) => visible_line(text),
            Some(serde_json::Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        let number = |key: &str| skill.get(key).and_then(serde_json::Value::as_u64);
        let digest: String = text("digest").chars().take(12).collect();
        outln!(
            "{:<16} {:<11} {:>9} {:>8} {:<12} {:>8} {:>9} {:>9} {:>6} {:>9}",
            text("name"),
            text("state"),
            text("version"),
            text("priority"),
            digest,
            text("calls"),
            number("p50_us").map(time).unwrap_or_default(),
            number("p99_us").map(time).unwrap_or_default(),
            text("traps"),
            number("memory")
                .filter(|bytes| *bytes > 0)
                .map(size)
                .unwrap_or_default()
        );
        for (title, key) in [("imports", "capabilities"), ("may", "rights")] {
            let all: Vec<&str> = skill
                .get(key)
                .and_then(serde_json::Value::as_array)
                .map(|all| all.iter().filter_map(serde_json::Value::as_str).collect())
                .unwrap_or_default();
            if !all.is_empty() {
                outln!("{}", below(&format!("{title} {}", all.join(", "))));
            }
        }
        let notes = skill.get("notes").and_then(serde_json::Value::as_array);
        for note in notes.into_iter().flatten().filter_map(serde_json::Value::as_str) {
            outln!("{}", below(&format!("note: {}", visible_line(note))));
        }
        // Of one that is left alone its reason says so.
        if !text("last_fault").is_empty() && text("reason").is_empty() {
            outln!(
                "{}",
                below(&format!("its last call that failed: it {}", text("last_fault")))
            );
        }
        if !text("reason").is_empty() {
            outln!("{}", below(&text("reason")));
        }
    }
}

/// What is said of a skill below its line, set in below what follows its name.
fn below(text: &str) -> String {
    show::set_in(&" ".repeat(17), &[text.to_owned()])
}

/// Microseconds as people read them.
fn time(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        _ => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
    }
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    format!("{} KiB", bytes.div_ceil(1_024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_said_in_their_unit() {
        assert_eq!([time(7), time(1_250), time(3_400_000)], ["7 µs", "1.2 ms", "3.4 s"]);
        assert_eq!([size(1), size(65_536)], ["1 KiB", "64 KiB"]);
    }
}
