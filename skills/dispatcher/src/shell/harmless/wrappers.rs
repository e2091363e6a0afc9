//! Programs that run what is in their arguments: shells, env, xargs, and the like.

use std::rc::Rc;

use super::arguments::{Arguments, unknown};
use super::expand::{Argument, Kind};
use super::follow::lent;
use super::paths::shown;
use super::quiet::shows_nothing;
use super::read::Dialect;
use super::state::{Output, State};
use super::{Doubt, Proof, Prover, UNKNOWN};

impl Prover<'_> {
    /// A command that another one runs, in a process of its own.
    pub(super) fn wrapped(&mut self, words: &[Argument], state: &State, input: &Output) -> Proof<Output> {
        let name = words.first().map(|name| name.text.as_str()).unwrap_or_default();
        if name.starts_with('-') || name.contains('=') {
            return Err(Doubt::new(
                "it runs a program whose name only running tells",
                shown(name),
            ));
        }
        self.deeper(name, |prover| prover.run(words, &mut state.beneath(), input))
    }

    /// `sh -c 'script' name arguments`
    pub(super) fn shell(&mut self, name: &str, arguments: &[Argument], state: &State) -> Proof<Output> {
        let [option, script, rest @ ..] = arguments else {
            return Err(Doubt::new(format!("`{name}` runs what it reads"), name));
        };
        if !option.is_known() || option.text != "-c" {
            return Err(unknown(name, &option.text));
        }
        if !script.is_known() || script.text.starts_with(['-', '+']) {
            return Err(Doubt::new(
                "it runs a script that only running tells",
                shown(&script.text),
            ));
        }
        let dialect = if name == "bash" { Dialect::Bash } else { Dialect::Posix };
        let mut inside = State::new(&state.home);
        inside.here.clone_from(&state.here);
        inside.last = true;
        let known = rest.iter().all(|one| matches!(one.kind, Kind::One | Kind::Found));
        let zero = [Argument::plain(UNKNOWN.to_string())];
        let given = if rest.is_empty() { zero.as_slice() } else { rest };
        inside.arguments = known.then(|| Rc::from(given));
        self.deeper(name, |prover| prover.whole(&script.text, dialect, &mut inside))
    }

    /// watch(1), which gives its arguments to a shell.
    pub(super) fn watch(&mut self, told: &Arguments<'_>, state: &State) -> Proof<Output> {
        if !told.operands.iter().all(|operand| operand.is_known()) {
            return Err(Doubt::new("it runs a script that only running tells", "watch"));
        }
        let texts: Vec<&str> = told.operands.iter().map(|operand| operand.text.as_str()).collect();
        self.shell("sh", &[Argument::plain("-c"), Argument::plain(texts.join(" "))], state)
    }

    pub(super) fn env(&mut self, arguments: &[Argument], state: &State, input: &Output) -> Proof<Output> {
        let mut rest = arguments;
        while let [first, more @ ..] = rest {
            let text = first.text.as_str();
            match text {
                "-0" | "--null" => {}
                _ if text.starts_with('-') || first.kind != Kind::One => return Err(unknown("env", text)),
                _ => match text.split_once('=') {
                    Some((name, value)) => lent(name, value)?,
                    None => return self.wrapped(rest, state, input),
                },
            }
            rest = more;
        }
        Ok(Output::Unknown)
    }

    pub(super) fn xargs(&mut self, arguments: &[Argument], state: &State, input: &Output) -> Proof<Output> {
        let mut rest = arguments;
        let mut placeholder: Option<String> = None;
        // Whether what it reads is told apart at each NUL, or at something else than blanks.
        let (mut nul, mut delimited, mut other) = (false, false, false);
        // Whether an option says how many go together, which takes a placeholder back.
        let mut bounded = false;
        while let [first, more @ ..] = rest {
            let text = first.text.as_str();
            if !text.starts_with('-') {
                break;
            }
            rest = more;
            if !first.is_known() {
                return Err(unknown("xargs", text));
            }
            match text {
                "--" => break,
                "--null" => nul = true,
                "--no-run-if-empty" | "--verbose" | "--exit" => {}
                "-i" | "--replace" => placeholder = Some("{}".to_owned()),
                "-e" => {}
                _ => {
                    let flags = text.bytes().skip(1).take_while(|byte| b"0rtx".contains(byte)).count();
                    nul |= text[..=flags].contains('0');
                    let Some(letter) = text[flags + 1..].chars().next() else {
                        continue;
                    };
                    let inline = Some(&text[flags + 1 + letter.len_utf8()..]).filter(|inline| !inline.is_empty());
                    let value = match (inline, rest) {
                        (Some(inline), _) => inline.to_owned(),
                        (None, [value, more @ ..]) if value.is_known() => {
                            rest = more;
                            value.text.clone()
                        }
                        _ => return Err(unknown("xargs", text)),
                    };
                    let number = value.bytes().all(|byte| byte.is_ascii_digit());
                    match letter {
                        'I' => placeholder = Some(value),
                        'd' => {
                            delimited = true;
                            other |= !matches!(value.as_str(), "\n" | "\\n");
                        }
                        'n' | 'L' if number => bounded = true,
                        'P' | 's' if number => {}
                        _ => return Err(unknown("xargs", text)),
                    }
                }
            }
        }
        let kind = match input {
            Output::Exact(_) if nul && !delimited => Kind::Found,
            Output::Names(_) if !nul && !other => Kind::Names,
            _ => Kind::Anything,
        };
        if rest.is_empty() {
            // It prints what it reads, as echo does.
            return Ok(Output::Unknown);
        }
        let reaches = match input {
            Output::Names(selection) => !selection.reaches.is_empty(),
            Output::Exact(reaches) => *reaches,
            _ => false,
        };
        let placeholder = match &placeholder {
            Some(placeholder) if placeholder.is_empty() || bounded => return Err(unknown("xargs", "-I")),
            placeholder => placeholder.as_deref(),
        };
        self.given_names(rest, placeholder, kind, reaches, state)
    }

    /// A command that gets names which were found, in the place of `placeholder` or at its end. Where they may be such as lie in
    /// git's own folder, it must show nothing of what is in them.
    pub(super) fn given_names(
        &mut self,
        command: &[Argument],
        placeholder: Option<&str>,
        kind: Kind,
        reaches: bool,
        state: &State,
    ) -> Proof<Output> {
        let filled = |argument: &Argument| {
            let mut words = command.to_vec();
            match placeholder {
                Some(placeholder) => fill(&mut words, placeholder, argument),
                None => words.push(argument.clone()),
            }
            words
        };
        let output = self.wrapped(&filled(&Argument::of(kind)), state, &Output::Unknown)?;
        if reaches && kind != Kind::Anything && !shows_nothing(command) {
            // Whatever reads all that is found reads one that lies there.
            let one = Argument::plain(format!("{}/.git/objects/00/0", state.home));
            let read = self.wrapped(&filled(&one), state, &Output::Unknown);
            read.map_err(|_| {
                let why =
                    "what is found may lie in git's own folder, in which may be what was never shown to anybody";
                Doubt::new(why, "find")
            })?;
        }
        Ok(output)
    }
}

/// Puts what is found in the place of `placeholder`. Beside other text it may become anything.
fn fill(words: &mut [Argument], placeholder: &str, argument: &Argument) {
    for word in words {
        if word.text == placeholder {
            *word = argument.clone();
        } else if word.text.contains(placeholder) {
            word.text = word.text.replace(placeholder, &UNKNOWN.to_string());
        }
    }
}
