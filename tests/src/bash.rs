//! The binary, started through bash: for limits and redirections that the standard library doesn't set.

use std::process::{Command, Stdio};

use crate::daemon::Home;

/// `script` in bash, with the environment of `home`.
pub fn in_bash(home: &Home, script: &str) -> Command {
    let mut bash = Command::new("bash");
    bash.env_clear().args(["-c", script]).stdin(Stdio::null());
    for (name, value) in home.command().get_envs() {
        if let Some(value) = value {
            bash.env(name, value);
        }
    }
    bash
}
