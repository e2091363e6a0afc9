//! `gate check`: what the gates would say of a shell command, typed as a model's proposal with an explanation. Needs no
//! daemon, and nothing can come of it.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::{Exit, config, output, show};
use crate::config::Config;
use crate::daemon;
use crate::gate::chain::{self, Judgement, Outcome, Rules};
use crate::gate::{Settings, Subject};
use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::{Action, Origin};
use crate::skill::SkillSet;
use crate::vault::SecretSet;

/// Gates: what they would say.
#[derive(clap::Subcommand, Debug)]
pub(super) enum Gate {
    /// What the gates say of a shell command
    Check(Args),
}

/// What `gate check` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host gate check -- rm -rf build
  passepartout-host gate check --json -- 'ls | wc -l'
  passepartout-host gate check --jsonl commands.jsonl > verdicts.jsonl

With --jsonl each line of FILE is an object with a \"command\"; each line of the output has command,
verdict (pass, ask or reject), gate, rule and reason, in the same order, and the exit code is 0.
Without it the exit code is 0 for pass, 3 for reject, 4 for ask.")]
pub(super) struct Args {
    /// The command line; several words are joined by spaces
    #[arg(last = true, required_unless_present = "jsonl", value_name = "COMMAND LINE")]
    command: Vec<String>,
    /// Judge one {"command": …} a line of this file (`-` for standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    jsonl: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Why the command is proposed, as the gates see it: a check is not refused for want of an explanation.
const EXPLANATION: &str = "A check of what the gates would say of this command.";

pub(super) fn check(args: &Args) -> anyhow::Result<Exit> {
    let (mut config, variables) = config(None)?;
    let faults = daemon::complete_providers(&mut config, &variables);
    config.faults.extend(faults);
    let secrets = daemon::secrets(&config);
    let bench = Bench {
        set: daemon::skills_now(&config, secrets.clone())?,
        secrets: secrets.now(),
        settings: Arc::new(config.settings.clone()),
        closed: config.faults.first().map(ToString::to_string),
        config,
    };
    match &args.jsonl {
        Some(path) => bench.check_lines(path),
        None => {
            let command = args.command.join(" ");
            let verdict = Verdict::of(&bench.judge(&command));
            if args.json {
                output::json(&verdict.json(&command));
            } else {
                verdict.print();
            }
            Ok(verdict.exit)
        }
    }
}

/// All that judging needs.
struct Bench {
    config: Config,
    set: Arc<SkillSet>,
    settings: Settings,
    secrets: SecretSet,
    closed: Option<String>,
}

impl Bench {
    fn judge(&self, command: &str) -> Judgement {
        let payload = plist!("CMD" => command, "EXPLANATION" => EXPLANATION);
        let action = Action::close("SHELL", Origin::Model, payload);
        let rules = Rules {
            required: &self.config.gates.required,
            revisions: self.config.cycle.revisions,
            closed: self.closed.as_deref(),
            approval: None,
            standing: None,
        };
        let signal = plist!(
            "TYPE" => kw("EVENT"), "META" => plist!("SOURCE" => kw("CLI"), "TAINTED" => false), "DEPTH" => 0,
            "PAYLOAD" => plist!("SENSOR" => kw("USER-INPUT"), "TEXT" => ""),
        );
        let subject = Subject {
            action,
            signal: Arc::new(signal),
            settings: self.settings.clone(),
            secrets: self.secrets.clone(),
        };
        chain::verify(self.set.gates(), &subject, &rules)
    }

    fn check_lines(&self, path: &std::path::Path) -> anyhow::Result<Exit> {
        let input: Box<dyn BufRead> = if path.as_os_str() == "-" {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            let file = std::fs::File::open(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
            Box::new(BufReader::new(file))
        };
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut bad = 0_usize;
        // As bytes: a line that is no text is a bad line, and no reason to leave the others out.
        for (at, line) in input.split(b'\n').enumerate() {
            let line = line?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let command = serde_json::from_slice::<serde_json::Value>(&line)
                .ok()
                .and_then(|value| value.get("command")?.as_str().map(str::to_owned));
            let Some(command) = command else {
                errln!("line {} has no \"command\" with a string; it was skipped", at + 1);
                bad += 1;
                continue;
            };
            let verdict = Verdict::of(&self.judge(&command)).json(&command);
            writeln!(out, "{}", output::escaped(&verdict.to_string()))?;
        }
        out.flush()?;
        Ok(if bad == 0 { Exit::Ok } else { Exit::Error })
    }
}

/// A judgement, in the words of this command.
struct Verdict {
    exit: Exit,
    name: &'static str,
    gate: Option<String>,
    rule: Option<String>,
    reason: Option<String>,
    detail: Form,
}

impl Verdict {
    fn of(judgement: &Judgement) -> Verdict {
        match &judgement.outcome {
            Outcome::Cleared(_) => Verdict {
                exit: Exit::Ok,
                name: "pass",
                gate: None,
                rule: None,
                reason: None,
                detail: Form::Nil,
            },
            Outcome::Waiting { asks, .. } => {
                let first = asks.first();
                Verdict {
                    exit: Exit::Waiting,
                    name: "ask",
                    gate: first.map(|ask| ask.gate.clone()),
                    rule: first.map(|ask| ask.rule.clone()),
                    reason: first.map(|ask| ask.summary.clone()),
                    detail: Form::Nil,
                }
            }
            Outcome::Rejected { rejection, .. } => Verdict {
                exit: Exit::Refused,
                name: "reject",
                gate: Some(rejection.gate.clone()),
                rule: Some(rejection.rule.clone()),
                reason: Some(rejection.reason.clone()),
                detail: rejection.to_form(),
            },
        }
    }

    fn json(&self, command: &str) -> serde_json::Value {
        json!({
            "command": command, "verdict": self.name, "gate": self.gate, "rule": self.rule, "reason": self.reason,
        })
    }

    fn print(&self) {
        outln!("{}", self.name);
        if self.detail.is_true() {
            outln!("{}", show::rejection(&self.detail));
        } else if let (Some(gate), Some(rule), Some(reason)) = (&self.gate, &self.rule, &self.reason) {
            outln!("  {gate} ({rule}): {}", crate::sexp::visible(reason));
        }
    }
}
