//! Whatever carries a command that must never run, and however deep, it stays refused; and what only carries it as a text does
//! not make it one.

use super::data::{CARRIERS, WRAPPERS};
use super::*;

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// As a literal in double quotes.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How a command is run by another one, beside the options and wrappers.
const RUNNERS: usize = 19;

/// A command that really runs `command`.
fn running(command: &str, how: usize) -> String {
    let (script, literal) = (quoted(command), literal(command));
    match how {
        0 => format!("echo {script} | sh"),
        1 => format!("printf {script} | bash -s -- x"),
        2 => format!("bash -eu <<< {script}"),
        3 => format!("bash <<'END-{}'\n{command}\nEND-{}", command.len(), command.len()),
        4 => format!("sh -c {script}"),
        5 => format!("eval {script}"),
        6 => format!("git -c alias.x={} x", quoted(&format!("!{command}"))),
        7 => format!("git config alias.x {}", quoted(&format!("!{command}"))),
        8 => format!("vim -c {}", quoted(&format!("!{command}"))),
        9 => format!("gdb -ex {}", quoted(&format!("shell {command}"))),
        10 => format!("python3 -c {}", quoted(&format!("import os; os.system({literal})"))),
        11 => format!(
            "python3 -c {}",
            quoted(&format!("import os; c = {literal}; os.system(c)"))
        ),
        12 => {
            let list = format!("import subprocess; subprocess.run([\"sh\", \"-c\", {literal}], check=True)");
            format!("python3 -c {}", quoted(&list))
        }
        13 => format!(
            "node -e {}",
            quoted(&format!("require(\"child_process\").execSync({literal})"))
        ),
        14 => format!("awk {}", quoted(&format!("BEGIN {{system({literal})}}"))),
        15 => format!("perl -e {}", quoted(&format!("system {literal};"))),
        16 => format!("watch -n 5 {script}"),
        17 => format!("find . -name x -exec sh -c {script} \\;"),
        _ => format!("flock -n lock -c {script}"),
    }
}

/// A command in which `text` is only a text.
fn saying(text: &str, how: usize) -> String {
    let (text, literal) = (quoted(text), literal(text));
    match how {
        0 => format!("echo {text}"),
        1 => format!("printf %s {text}"),
        2 => format!("grep -e {text} x"),
        3 => format!("grep --regexp={text} x"),
        4 => format!("git commit -m {text}"),
        5 => format!("git log --grep={text}"),
        6 => format!("rg {text}"),
        7 => format!("find . -print0 | xargs -0 -n 1 grep -n {text}"),
        8 => format!("sudo -n grep {text} x"),
        9 => format!("timeout -k 5 10 nice -n 5 grep {text} x"),
        10 => format!("bash x.sh <<< {text}"),
        11 => format!("bash -n <<< {text}"),
        12 => format!("unheard-of --text={text}"),
        13 => format!(
            "python3 -c {}",
            quoted(&format!("import os; os.system(\"ls\"); print({literal})"))
        ),
        _ => format!("awk -v note={text} '/system/ {{print note}}' x"),
    }
}

/// Ruin without a line end or a file of its own, so that it can stand anywhere.
fn plain_ruin() -> Vec<&'static str> {
    let plain = |command: &&str| {
        !command.contains(['\n', '#', '\\', '%']) && !command.ends_with('&') && command.contains("rm ")
    };
    RUIN.iter().copied().filter(plain).collect()
}

proptest! {
    #[test]
    fn what_is_run_stays_refused_however_it_is_carried(
        layers in prop::collection::vec((0usize..3, 0usize..1_000), 1..4),
        ruin in prop::sample::select(vec!["rm -rf /", "sudo rm -fr /*", "cd / && rm -rf *", "true; rm -r ~"]),
    ) {
        let mut command = ruin.to_owned();
        for (kind, at) in layers {
            command = match kind {
                0 => CARRIERS[at % CARRIERS.len()].replace("RUN", &command.replace('\'', "'\\''")),
                1 => format!("{} sh -c {}", WRAPPERS[at % WRAPPERS.len()], quoted(&command)),
                _ => running(&command, at % RUNNERS),
            };
        }
        prop_assert!(is_rejected(&command), "{}: {:?}", command, verdict(&command));
    }

    #[test]
    fn what_is_only_said_is_not_refused(ruin in prop::sample::select(plain_ruin()), how in 0usize..15) {
        let command = saying(ruin, how);
        prop_assert!(!is_rejected(&command), "{}: {:?}", command, verdict(&command));
    }

    #[test]
    fn no_program_text_makes_it_fail_or_takes_long(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "system(", "exec ", "rmtree(", "['", "'", "\"", "`", ")", "]", "}", "{", ";", "\n", " | getline", "import ",
                "x=", ".", "print ", "rm -rf /", ",", "\\",
            ]),
            0..2_000,
        ),
        name in prop::sample::select(vec!["python3 -c", "node -e", "perl -e", "awk", "emacs --eval", "vim -c"]),
    ) {
        let started = std::time::Instant::now();
        let _ = verdict(&format!("{name} {}", quoted(&pieces.concat())));
        prop_assert!(started.elapsed().as_secs() < 20);
    }
}
