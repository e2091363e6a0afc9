//! Commands: what a person types after a slash, handled before any model.

use crate::config::{is_slip, meant};

/// What a person can say to the daemon itself, in a message of one line that begins with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `/approve PLAN`
    Approve(String),
    /// `/deny PLAN [reason]`
    Deny(String, Option<String>),
    /// `/stop`
    Stop,
    /// `/continue`
    Continue,
    /// `/plans`
    Plans,
    /// `/help`
    Help,
}

/// What `/help` answers.
pub const HELP: &str = "\
/approve PLAN         carry out what waits under this id
/deny PLAN [reason]   refuse it; the model is told, with your reason
/plans                what waits for you
/stop                 stop what is running in this session; what was said after it has its turn still
/continue             go on where a turn was stopped for its depth or for repeating itself
/help                 this";

impl Command {
    /// The command that `text` is: none where it is no single line that begins with a slash.
    ///
    /// # Errors
    /// For an unknown or incomplete command: it is never taken for something to say to a model.
    pub fn parse(text: &str) -> Option<Result<Command, String>> {
        let line = text.trim();
        if !line.starts_with('/') || line.contains('\n') {
            return None;
        }
        let mut words = line.splitn(3, char::is_whitespace);
        let (name, first, rest) = (words.next().unwrap_or(""), words.next(), words.next());
        let rest = rest.map(str::trim).filter(|rest| !rest.is_empty());
        let plan = || match first {
            Some(id) if !id.is_empty() => Ok(id.to_owned()),
            _ => Err(needs_plan(name)),
        };
        Some(match name {
            "/approve" => approve(first.into_iter().chain(rest)),
            "/deny" => plan().map(|id| Command::Deny(id, rest.map(str::to_owned))),
            "/stop" => Ok(Command::Stop),
            "/continue" => Ok(Command::Continue),
            "/plans" => Ok(Command::Plans),
            "/help" => Ok(Command::Help),
            "/quit" | "/exit" | "/bye" => Err("Ctrl-D ends the chat; /stop stops what is running".to_owned()),
            other => Err(in_a_shell(other, line).unwrap_or_else(|| no_command(other))),
        })
    }
}

/// The commands of a chat.
const NAMES: &[&str] = &["/approve", "/deny", "/plans", "/stop", "/continue", "/help"];

/// What people look for in a chat, and a shell has under another name.
const ELSEWHERE: &[(&str, &str)] = &[
    ("sessions", "status --sessions"),
    ("session", "chat --session ID"),
    ("revoke", "approvals revoke ID"),
    ("remember", "approve PLAN --remember"),
    ("why", "explain last"),
    ("skills", "skill list"),
    ("models", "doctor"),
    ("providers", "doctor"),
    ("budget", "status"),
];

/// The commands of a shell.
const OF_A_SHELL: &[&str] = &[
    "approvals",
    "chat",
    "completions",
    "config",
    "doctor",
    "explain",
    "gate",
    "repl",
    "run",
    "send",
    "skill",
    "status",
    "vault",
];

/// Where a shell has what was looked for in a chat, as `line`.
fn in_a_shell(name: &str, line: &str) -> Option<String> {
    let bare = name.trim_start_matches('/').to_lowercase();
    let renamed = ELSEWHERE.iter().find(|(own, _)| *own == bare);
    let command = match renamed {
        Some((_, command)) => (*command).to_owned(),
        None if OF_A_SHELL.contains(&bare.as_str()) => line.trim_start_matches('/').replacen(&name[1..], &bare, 1),
        None => return None,
    };
    Some(format!(
        "{name} is no command of a chat; in a shell on the daemon's machine it is `passepartout-host {command}`"
    ))
}

/// What is said of a command that there is nowhere.
fn no_command(name: &str) -> String {
    let near = match is_slip(name, NAMES.iter().copied()) {
        true => format!(" {}", meant(name, NAMES.iter().copied())),
        false => String::new(),
    };
    format!("there is no command {name};{near} /help lists them")
}

/// Whether a text is nothing but an answer to a question, as people give them.
pub fn is_plain_answer(text: &str) -> bool {
    const ANSWERS: &[&str] = &[
        "allow",
        "approve",
        "approved",
        "deny",
        "do it",
        "go ahead",
        "n",
        "no",
        "ok",
        "okay",
        "sure",
        "y",
        "yes",
        "yes please",
    ];
    let said = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    ANSWERS.contains(&said.replace(',', "").as_str())
}

/// The answer to `/approve` and what stands behind it.
fn approve<'t>(rest: impl Iterator<Item = &'t str>) -> Result<Command, String> {
    let words: Vec<&str> = rest.flat_map(str::split_whitespace).collect();
    let id = words.iter().find(|word| !word.starts_with('-'));
    match (words.as_slice(), id) {
        ([_], Some(id)) => Ok(Command::Approve((*id).to_owned())),
        (words, Some(id)) if words.contains(&"--remember") => Err(format!(
            "nothing was approved: a chat approves one plan once, with `/approve {id}`. What approves it once and for all is \
             the command `passepartout-host approve {id} --remember`, in a shell on the daemon's machine"
        )),
        (_, Some(id)) => Err(format!(
            "nothing was approved: /approve takes the id of one plan and nothing else, as in `/approve {id}`"
        )),
        (_, None) => Err(needs_plan("/approve")),
    }
}

fn needs_plan(name: &str) -> String {
    format!(
        "{name} needs the id of a plan, as in `{name} 1a2b3c4d`; `/plans` lists those that wait in this session, \
         `passepartout-host status` those of all"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_everything_else_is_text() {
        assert_eq!(
            Command::parse(" /approve 1a2b "),
            Some(Ok(Command::Approve("1a2b".into())))
        );
        let denied = Command::Deny("1a2b".into(), Some("not now, please".into()));
        assert_eq!(Command::parse("/deny 1a2b not now, please"), Some(Ok(denied)));
        assert_eq!(Command::parse("/stop"), Some(Ok(Command::Stop)));
        assert_eq!(Command::parse("yes"), None);
        assert_eq!(Command::parse("what does /approve do?"), None);
        assert_eq!(Command::parse("/approve 1a2b\nand more"), None);
    }

    #[test]
    fn a_plain_answer_is_one_whatever_stands_behind_it_and_what_says_more_is_none() {
        for text in ["yes", " Yes! ", "OK.", "yes, please", "no", "Go ahead"] {
            assert!(is_plain_answer(text), "{text}");
        }
        for text in ["", "yes, but use the other folder", "no way", "/approve", "yes\nno"] {
            assert!(!is_plain_answer(text), "{text}");
        }
    }

    #[test]
    fn what_begins_with_a_slash_and_is_no_command_is_an_error() {
        for text in ["/approve", "/deny", "/rm -rf", "/", "/approve a b"] {
            assert!(matches!(Command::parse(text), Some(Err(_))), "{text}");
        }
        for (text, instead) in [
            ("/explain last", "`passepartout-host explain last`"),
            ("/Explain last", "`passepartout-host explain last`"),
            ("/sessions", "`passepartout-host status --sessions`"),
            ("/skills", "`passepartout-host skill list`"),
            ("/skill list", "`passepartout-host skill list`"),
            ("/revoke 1a2b3c4d", "`passepartout-host approvals revoke ID`"),
            ("/aprove 1a2b3c4d", "did you mean /approve?"),
            ("/weather", "there is no command /weather; /help"),
            ("/quit", "Ctrl-D"),
        ] {
            let Some(Err(said)) = Command::parse(text) else {
                panic!("{text} is a command")
            };
            assert!(said.contains(instead), "{said}");
        }
        for text in ["/approve", "/deny"] {
            let Some(Err(said)) = Command::parse(text) else {
                panic!("{text} answers a plan")
            };
            assert!(
                said.contains("`/plans`") && said.contains("`passepartout-host status`"),
                "{said}"
            );
        }
        for text in [
            "/approve 1a2b --remember",
            "/approve 1a2b --remember --for 2h",
            "/approve --remember 1a2b",
        ] {
            let Some(Err(said)) = Command::parse(text) else {
                panic!("{text} approves")
            };
            assert!(
                said.contains("`passepartout-host approve 1a2b --remember`") && said.contains("`/approve 1a2b`"),
                "{said}"
            );
        }
    }
}
