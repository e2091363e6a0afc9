//! `gate check`: what the gates would say of a command, a file, a message or an action, proposed as by a model and with an
//! explanation. Where a daemon runs it is asked, since it may go on with other versions than the files now hold; else the
//! skills are loaded here, once. Nothing can come of it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use self::request::request;
use super::completions::skill;
use super::link::Link;
use super::{Exit, Usage, client_runtime, config, home, output, show};
use crate::daemon::{self, check::Bench};
use crate::protocol::ClientError;
use crate::sexp::{Form, kw, visible, visible_line};
use crate::skill::{NAME_RULE, is_name};

mod request;

/// Gates: what they would say.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host gate check -- rm -rf build
      a command line
  passepartout-host gate check --write notes.org --text '* A heading'
      a file
  passepartout-host gate check --message 'hello' --to telegram
      a message

`passepartout-host gate check --help` shows the others. Nothing can come of it.")]
pub(super) enum Gate {
    /// What the gates say of a command, a file that is written, a message, or an action
    Check(Args),
}

/// What `gate check` takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  passepartout-host gate check -- rm -rf build
  passepartout-host gate check --json -- 'ls | wc -l'
  passepartout-host gate check --write notes.org --text '* A heading'
  passepartout-host gate check --write src/a.lisp < a.lisp
  passepartout-host gate check --message 'the key is in a drawer' --to telegram
  passepartout-host gate check --tainted --action '(:TARGET :EMACS :PAYLOAD (:ACTION :EVAL :CODE \"1\" :EXPLANATION \"to see that it works\"))'
  passepartout-host gate check --as-skill running-total --write notes/total --text 3
      what a skill writes, as an action for :FILES
  passepartout-host gate check --as-skill running-total --action '(:TARGET :HTTP :PAYLOAD (:URL \"https://example.org/\" :EXPLANATION \"to look there\"))'
  passepartout-host gate check --jsonl actions.jsonl > verdicts.jsonl
  passepartout-host gate check --workspace ~/project -- cat ~/project/README.md

With --jsonl each line of FILE is an object with one of \"command\": \"…\"; \"write\": {\"path\": \"…\", \"content\": \"…\"}; \
\"message\": \"…\", perhaps with \"to\"; \"action\": \"(…)\". Beside it may stand \"tainted\", \"source\", \"privacy_tags\" \
and \"as_skill\", which otherwise are those of the command line. Each line of the output is the same object with verdict \
(pass, ask or reject), gate, rule, field, part, reason, repair and risk, in the same order, and with nowhere where nobody would carry the \
action out. A line that can't be judged gives an object with line and error.

Exit codes: 0 pass, 3 reject, 4 ask. With --jsonl 0, or 1 if a line could not be judged.")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["command", "write", "message", "action", "jsonl"]))]
pub(super) struct Args {
    /// The command line, behind all options or behind `--`; several words are joined by spaces
    #[arg(trailing_var_arg = true, value_name = "COMMAND LINE")]
    command: Vec<String>,
    /// A file that would be written, as a model does with the tool write-file
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    write: Option<String>,
    /// What it would hold; without this it is read from standard input
    #[arg(long, requires = "write", allow_hyphen_values = true)]
    text: Option<String>,
    /// A message to a person
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
    /// The target the message goes to, where that is not who asked
    #[arg(long, value_name = "TARGET", requires = "message")]
    to: Option<String>,
    /// An action, as a model writes it
    #[arg(long, value_name = "PLIST")]
    action: Option<String>,
    /// As proposed by this skill of its own, which need not be there yet, and not by a model: a command, a file (for :FILES),
    /// a message, or an action for a target of the host's, such as :HTTP
    #[arg(long, value_name = "NAME", add = skill())]
    as_skill: Option<String>,
    /// Judge one object a line of this file (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    jsonl: Option<PathBuf>,
    /// As if the agent worked in this folder, and by the files as they are now; otherwise in that of the daemon that runs, or
    /// where `run` without --workspace would
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
    /// As in a turn that has read text from outside
    #[arg(long)]
    tainted: bool,
    /// As in a turn of this reply target
    #[arg(long, value_name = "TARGET", default_value = "cli")]
    source: String,
    /// A privacy tag in place of those that are set; can be given again
    #[arg(long, value_name = "TAG")]
    privacy_tag: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn gate(command: &Gate) -> anyhow::Result<Exit> {
    let Gate::Check(args) = command;
    // As clap has it, what an option requires may be left out beside what the group has in its place.
    for (option, is_given, needed, is_there) in [
        ("--text", args.text.is_some(), "--write", args.write.is_some()),
        ("--to", args.to.is_some(), "--message", args.message.is_some()),
    ] {
        if is_given && !is_there {
            return Err(Usage(format!(
                "{option} says more of {needed}, which is not given; leave it out here"
            ))
            .into());
        }
    }
    if let Some(name) = args.as_skill.as_deref().filter(|name| !is_name(name)) {
        return Err(Usage(format!("`{}` can't name a skill: {NAME_RULE}", visible_line(name))).into());
    }
    check(args)
}

fn check(args: &Args) -> anyhow::Result<Exit> {
    if let Some(path) = &args.jsonl {
        return check_lines(&mut Judge::find(args)?, path, args);
    }
    let text = |key: &str, text: &str| Map::from_iter([(key.to_owned(), Value::from(text))]);
    let mut what = if let Some(path) = &args.write {
        let content = match &args.text {
            Some(content) => content.clone(),
            None => {
                if std::io::stdin().is_terminal() {
                    errln!(
                        "what would {} hold? End with Ctrl-D; `--text` says it on the command line",
                        visible_line(path)
                    );
                }
                let mut content = String::new();
                std::io::stdin().read_to_string(&mut content).map_err(|error| {
                    anyhow::anyhow!("what would be written can't be read from standard input: {error}")
                })?;
                content
            }
        };
        Map::from_iter([("write".to_owned(), json!({ "path": path, "content": content }))])
    } else if let Some(message) = &args.message {
        text("message", message)
    } else if let Some(action) = &args.action {
        text("action", action)
    } else {
        text("command", &args.command.join(" "))
    };
    if let Some(to) = &args.to {
        what.insert("to".to_owned(), to.as_str().into());
    }
    let request = request(&what, args).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let verdict = Verdict(Judge::find(args)?.judge(request)?);
    if let Some(note) = verdict.no_skill() {
        errln!("{note}");
    }
    if args.json {
        output::json(&verdict.json(what));
    } else {
        verdict.print();
    }
    Ok(verdict.exit())
}

/// Who judges.
enum Judge {
    /// The daemon that runs, and whether it was told that it judges by an older configuration.
    Daemon(Box<(tokio::runtime::Runtime, Link, bool)>),
    /// The skills as the files hold them now.
    Here(Box<Bench>),
}

impl Judge {
    fn find(args: &Args) -> anyhow::Result<Judge> {
        if let Some(folder) = args.workspace.as_ref().filter(|folder| !folder.is_dir()) {
            let what = if folder.exists() {
                "that is no folder"
            } else {
                "there is no such folder"
            };
            return Err(Usage(format!(
                "--workspace is `{}`, and {what}; name one that is there",
                folder.display()
            ))
            .into());
        }
        if args.workspace.is_none() {
            let runtime = client_runtime()?;
            match runtime.block_on(Link::open(&home(None)?, None)) {
                Ok(link) => return Ok(Judge::Daemon(Box::new((runtime, link, false)))),
                Err(ClientError::NoDaemon { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (mut config, variables) = config(args.workspace.as_ref())?;
        let faults = daemon::complete_providers(&mut config, &variables);
        config.add_faults(faults);
        let secrets = daemon::secrets(&config);
        let set = daemon::skills_now(&config, secrets.clone())?;
        Ok(Judge::Here(Box::new(Bench::new(Arc::new(config), set, secrets.now()))))
    }

    fn judge(&mut self, request: Form) -> anyhow::Result<Form> {
        match self {
            Judge::Daemon(daemon) => {
                let (runtime, link, told) = &mut **daemon;
                let answer = runtime.block_on(link.ask(request.with("ACTION", kw("CHECK"))))?;
                if let Some(note) = answer.text_at("note").filter(|_| !std::mem::replace(told, true)) {
                    errln!("note: {}", visible_line(note));
                }
                Ok(answer)
            }
            Judge::Here(bench) => bench.judge(&request).map_err(|problem| anyhow::anyhow!("{problem}")),
        }
    }
}

fn check_lines(judge: &mut Judge, path: &Path, args: &Args) -> anyhow::Result<Exit> {
    let from_terminal = path.as_os_str() == "-";
    let input: Box<dyn BufRead> = if from_terminal {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let file = std::fs::File::open(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        Box::new(BufReader::new(file))
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let (mut bad, mut noted) = (0_usize, BTreeSet::new());
    // As bytes: a line that is no text is a bad line, and no reason to leave the others out.
    for (at, line) in input.split(b'\n').enumerate() {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let object = match serde_json::from_slice::<Value>(&line) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err("it is no object".to_owned()),
            Err(error) => Err(format!("it is no JSON: {error}")),
        };
        let asked = object.and_then(|object| request(&object, args).map(|request| (object, request)));
        let judged = asked.and_then(|(object, request)| {
            let verdict = Verdict(judge.judge(request).map_err(|error| error.to_string())?);
            if let Some(note) = verdict.no_skill().filter(|note| noted.insert(note.clone())) {
                errln!("{note}");
            }
            Ok(verdict.json(object))
        });
        match judged {
            Ok(judged) => writeln!(out, "{}", output::escaped(&judged.to_string()))?,
            Err(problem) => {
                bad += 1;
                errln!("line {} was not judged: {problem}", at + 1);
                let fault = json!({ "line": at + 1, "error": problem });
                writeln!(out, "{}", output::escaped(&fault.to_string()))?;
            }
        }
        // Who writes line by line waits for the answers.
        if from_terminal {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(if bad == 0 { Exit::Ok } else { Exit::Error })
}

/// An answer, in the words of this command.
struct Verdict(Form);

impl Verdict {
    fn name(&self) -> &'static str {
        match self.0.get("VERDICT").and_then(Form::keyword) {
            Some("PASS") => "pass",
            Some("ASK") => "ask",
            _ => "reject",
        }
    }

    fn exit(&self) -> Exit {
        match self.name() {
            "pass" => Exit::Ok,
            "ask" => Exit::Waiting,
            _ => Exit::Refused,
        }
    }

    fn asks(&self) -> &[Form] {
        self.0.get("ASKS").and_then(Form::items).unwrap_or_default()
    }

    /// What is to be said where the skill that would propose it is none of those here.
    fn no_skill(&self) -> Option<String> {
        let why = visible_line(self.0.text_at("no-skill")?);
        Some(format!(
            "note: judged as of a skill with that name, and nothing would come of it now: {why}"
        ))
    }

    /// The rejection, or the first of the asks.
    fn decisive(&self) -> Option<&Form> {
        self.0.get("REJECTION").or_else(|| self.asks().first())
    }

    /// `what` was asked, and what the verdict is.
    fn json(&self, mut what: Map<String, Value>) -> Value {
        what.insert("verdict".to_owned(), self.name().into());
        let part = |key: &str| self.decisive()?.text_at(key).filter(|text| !text.is_empty());
        for key in ["gate", "rule", "field", "part", "repair", "risk"] {
            what.insert(key.to_owned(), part(key).into());
        }
        what.insert("reason".to_owned(), part("reason").or(part("summary")).into());
        if let Some(why) = self.0.text_at("no-skill").or(self.0.text_at("nowhere")) {
            what.insert("nowhere".to_owned(), why.into());
        }
        Value::Object(what)
    }

    fn print(&self) {
        outln!("{}", self.name());
        if let Some(rejection) = self.0.get("REJECTION") {
            outln!("{}", show::rejection(rejection));
        }
        for ask in self.asks() {
            outln!("{}", show::ask(ask));
        }
        // That there is no skill is said beside it.
        if let Some(why) = self.0.text_at("nowhere").filter(|_| self.no_skill().is_none()) {
            outln!("  and nothing would come of it: {}", visible(why));
        }
    }
}
