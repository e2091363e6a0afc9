//! `explain`: why an action was allowed or refused, gate by gate.

use super::completions::decision;
use super::link::Link;
use super::{Exit, Usage, client_runtime, home, output, show};
use crate::audit::{LAST, about, ambiguous, decisions, meant, read_entries};
use crate::config::Home;
use crate::gate::approval::{SHORTEST, as_kept, is_of_digits};
use crate::plist;
use crate::protocol::ClientError;
use crate::sexp::{Form, kw, visible, visible_line};

/// What `explain` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host explain 17          the decision with this number
  passepartout-host explain 1a2b3c4d    everything about this plan
  passepartout-host explain last        the newest decision
  passepartout-host explain --list      the newest decisions, one a line

`last` and `--list` pass over answers and heartbeats that were let through, unless there are only such.

For each gate it shows the verdict, the rule, the field it is about, and the part of the text that decided.")]
pub(super) struct Args {
    /// A decision's number, a plan's id or its beginning, the beginning of an action's digest, or `last`
    #[arg(add = decision(), required_unless_present = "list", default_value = "", hide_default_value = true)]
    id: String,
    /// List the newest 20 decisions, newest last
    #[arg(long, conflicts_with = "id")]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How many decisions are listed, and how much of each action.
const LISTED: usize = 20;
const SHOWN: usize = 100;

pub(super) fn explain(args: &Args) -> anyhow::Result<Exit> {
    if args.list {
        return list(args.json);
    }
    if args.id.trim().is_empty() {
        let said = "nothing is named; `passepartout-host explain last` shows the newest decision";
        return Err(Usage(said.to_owned()).into());
    }
    let home = home(None)?;
    let named = as_kept(&args.id);
    if named != LAST && !is_of_digits(&named) {
        anyhow::bail!(
            "`{}` names no decision: that is a number, a plan's id of eight hexadecimal digits, the beginning of a digest, or \
             `last`; `passepartout-host explain --list` shows the newest",
            visible_line(&named)
        );
    }
    let request = plist!("ACTION" => kw("EXPLAIN"), "ID" => &named);
    let asked = client_runtime()?.block_on(async { Link::open(&home, None).await?.ask(request).await });
    let (entries, left_out) = match asked {
        Ok(answer) => {
            let entries = answer.get("ENTRIES").and_then(Form::items).unwrap_or_default();
            (entries.to_vec(), show::left_out(&answer, "ENTRIES"))
        }
        // Without a daemon the record can still be read.
        Err(error) if matches!(error.downcast_ref(), Some(ClientError::NoDaemon { .. })) => {
            let entries = recorded(&home)?;
            let id = meant(&entries, &named).map_err(|plans| anyhow::anyhow!(ambiguous(&named, &plans)))?;
            (about(entries, &id), 0)
        }
        Err(error) => return Err(error),
    };
    if entries.is_empty() {
        let more = match named.len() < SHORTEST {
            true => format!("; of a plan's id write at least {SHORTEST} of its eight digits"),
            false => String::new(),
        };
        anyhow::bail!("nothing is recorded about {named}{more}");
    }
    for entry in &entries {
        if args.json {
            output::json(&show::json(entry));
            continue;
        }
        print(entry);
        if left_out == 0 && lacks_outcome(entry, &entries) {
            outln!("        no outcome is known: it still runs, or the daemon ended before that could be recorded");
        }
    }
    if left_out > 0 {
        errln!("and {left_out} more, for which one answer has no room; data/record.log has all");
    }
    Ok(Exit::Ok)
}

/// All that was recorded.
fn recorded(home: &Home) -> anyhow::Result<Vec<Form>> {
    let record = home.data.join("record.log");
    if !record.exists() {
        anyhow::bail!("nothing was decided yet: there is no record at {}", record.display());
    }
    Ok(read_entries(&record)?)
}

fn list(as_json: bool) -> anyhow::Result<Exit> {
    let entries = recorded(&home(None)?)?;
    let mut newest: Vec<&Form> = decisions(&entries).rev().take(LISTED).collect();
    newest.reverse();
    if newest.is_empty() {
        anyhow::bail!(
            "nothing was decided yet but what to answer: `passepartout-host explain last` shows the newest"
        );
    }
    for entry in newest {
        if as_json {
            output::json(&show::json(entry));
            continue;
        }
        let text = |path: &str| {
            entry
                .at(path)
                .and_then(Form::designator)
                .map(visible)
                .unwrap_or_default()
        };
        let number = entry.at("sequence").and_then(Form::as_int).unwrap_or(0);
        let proposed = || entry.text_at("proposal").map(str::to_owned);
        let action = entry
            .get("ACTION")
            .map(Form::to_string)
            .or_else(proposed)
            .unwrap_or_default();
        let start: String = action.chars().take(SHOWN).collect();
        let more = if start.len() < action.len() { " …" } else { "" };
        outln!(
            "{number:>6}  {}  {:<9} {}{more}",
            text("at"),
            text("outcome").to_lowercase(),
            visible(&start).replace('\n', " ")
        );
    }
    Ok(Exit::Ok)
}

/// Whether `entry` let something be carried out of which `entries` do not say how it ended. An answer has no outcome.
fn lacks_outcome(entry: &Form, entries: &[Form]) -> bool {
    let is = |path: &str, name: &str| entry.at(path).is_some_and(|own| own.is_kw(name));
    let number = entry.at("sequence").and_then(Form::as_int);
    let has_outcome = entries.iter().any(|own| own.at("of").and_then(Form::as_int) == number);
    is("kind", "DECISION") && is("outcome", "CLEARED") && !is("action.payload.action", "MESSAGE") && !has_outcome
}

fn print(entry: &Form) {
    let text = |form: &Form, path: &str| {
        form.at(path)
            .and_then(Form::designator)
            .map(visible)
            .unwrap_or_default()
    };
    let number = |path: &str| entry.at(path).and_then(Form::as_int).unwrap_or(0);
    let head = format!("{:>6}  {}", number("sequence"), text(entry, "at"));
    match entry.get("KIND").and_then(Form::keyword).unwrap_or_default() {
        "DECISION" => {
            outln!("{head}  {}", text(entry, "outcome").to_lowercase());
            if let Some(action) = entry.get("ACTION") {
                outln!("        {}", visible(&action.to_string()));
            }
            // What met no gate is there as it was proposed.
            if let Some(proposal) = entry.text_at("proposal") {
                outln!("        {}", visible(proposal).replace('\n', "\n        "));
            }
            for step in entry.get("STEPS").and_then(Form::items).unwrap_or_default() {
                let detail = step.get("DETAIL");
                let part = |key: &str| detail.map(|detail| text(detail, key)).unwrap_or_default();
                let why = [
                    part("rule"),
                    detail.and_then(show::place).unwrap_or_else(|| part("field")),
                    part("reason"),
                    part("summary"),
                    part("repair"),
                ];
                let why: Vec<String> = why.into_iter().filter(|part| !part.is_empty()).collect();
                outln!(
                    "        {:<12} {:<7} {}",
                    text(step, "gate"),
                    text(step, "verdict").to_lowercase(),
                    why.join(" | ")
                );
            }
            if entry.get("STEPS").is_none_or(|steps| !steps.is_true()) {
                outln!(
                    "        {}",
                    entry
                        .get("REJECTION")
                        .map(show::rejection)
                        .unwrap_or_default()
                        .trim_start()
                );
            }
            if let Some(plan) = entry.text_at("plan") {
                outln!("        waits as plan {}", visible(plan));
            }
            if let Some(plan) = entry.text_at("approval") {
                outln!("        a person approved plan {}", visible(plan));
            }
            for id in entry.get("STANDING").and_then(Form::items).unwrap_or_default() {
                outln!(
                    "        the standing approval {} covers what was asked",
                    visible(id.as_str().unwrap_or_default())
                );
            }
            if let Some(reason) = entry.text_at("reason") {
                outln!("        {}", visible(reason));
            }
            for revision in entry.get("REVISIONS").and_then(Form::items).unwrap_or_default() {
                outln!(
                    "        changed by {}, from {}",
                    text(revision, "gate"),
                    visible(&revision.get("BEFORE").map(Form::to_string).unwrap_or_default())
                );
            }
        }
        "OUTCOME" => {
            let stopped = entry.get("STOPPED").is_some_and(Form::is_true);
            outln!(
                "{head}  outcome of {}: {}{}",
                number("of"),
                text(entry, "result").to_lowercase(),
                if stopped { " (it was stopped)" } else { "" }
            );
            outln!(
                "        {}",
                visible(entry.text_at("text").unwrap_or_default()).replace('\n', "\n        ")
            );
        }
        other => {
            let reason = text(entry, "reason");
            let reason = if reason.is_empty() {
                reason
            } else {
                format!(": {reason}")
            };
            let what = match text(entry, "plan") {
                plan if plan.is_empty() => String::new(),
                plan => format!(" of plan {plan}"),
            };
            outln!("{head}  {}{what}{reason}", other.to_lowercase());
            for own in entry.get("STANDING").and_then(Form::items).unwrap_or_default() {
                let id = own.as_str().or_else(|| own.text_at("id")).unwrap_or_default();
                let scope = own.text_at("remember").unwrap_or_default();
                outln!("        standing approval {} {}", visible(id), visible(scope));
            }
        }
    }
}
