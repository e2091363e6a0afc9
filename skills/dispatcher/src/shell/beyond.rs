//! Whether an invocation may read what lies outside the workspace, beside the files that its arguments are seen to name. What it
//! prints then may be anybody's, and the turn that reads it is tainted. What builds and tests runs what the workspace has.

use super::hidden::Invocation;
use super::programs::Does;

/// Wrappers that run the command in their arguments as it stands there.
const PLAIN_WRAPPERS: &[&str] = &[
    "builtin", "chrt", "command", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "taskset", "time",
    "timeout",
];

/// Whether it may, as far as can be told from the program and its arguments.
pub(super) fn may_read(invocation: &Invocation<'_>) -> bool {
    let name = invocation.name.as_ref();
    let names_files = match invocation.does {
        Some(Does::Prints | Does::Deletes | Does::Builds | Does::Steers) => false,
        Some(Does::Looks | Does::Reads | Does::Searches | Does::Writes | Does::Copies) => true,
        Some(Does::Wraps) if PLAIN_WRAPPERS.contains(&name) => false,
        _ => return true,
    };
    let arguments = || invocation.arguments().iter();
    let data = matches!(invocation.does, Some(Does::Prints));
    // One that the shell makes: which it is only running tells.
    let unknown = names_files && arguments().any(|field| !field.is_known());
    // The program text of awk names files as well.
    unknown
        || matches!(name, "awk" | "gawk" | "mawk" | "nawk")
        || !data && arguments().any(|field| climbs(&field.text))
}

/// Whether a piece of a text, behind anything that is no part of a path, leads up or to a home folder; or to the root where it is not
/// the whole: that is a file that is seen, or the beginning of a pattern.
fn climbs(text: &str) -> bool {
    let between = |char: char| char.is_whitespace() || "'\"=,:;()<>@".contains(char);
    text.split(between).any(|piece| {
        let is_up = |step: &str| step == ".." || step.starts_with('-') && step.ends_with("..");
        piece.split('/').any(is_up)
            || piece.starts_with("~/")
            || piece.starts_with('/') && piece.len() > 1 && piece.len() < text.len() && !text.contains("://")
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Context, judge};
    use crate::finding::{Finding, strictest};
    use crate::path::{Place, Roots};
    use crate::settings::Unasked;

    /// Whether it asks, and says that something outside the workspace may be read.
    fn beyond(command: &str) -> bool {
        let roots = Roots {
            workspace: Some(Place::absolute("/home/me/project")),
            private: Vec::new(),
            protected: Vec::new(),
        };
        let context = Context {
            roots: &roots,
            allowed: &[],
            unasked: Unasked::Reads,
        };
        match strictest(judge(command, "payload.cmd", &context)) {
            Some(Finding::Ask { beyond, .. }) => beyond,
            other => panic!("{command}: {other:?}"),
        }
    }

    #[test]
    fn what_reads_outside_or_can_not_be_followed_reaches_beyond_the_workspace() {
        for command in [
            "cat ../x",
            "cat /home/me/x",
            "cat ~/x",
            "cd .. && cat x",
            "cd \"$(head -1 where)\"; cat x",
            "cat < ../x",
            "cat \"$HOME/x\"",
            "cat $(ls -t | head -1)",
            "cp ../x here",
            "grep -f ../words a",
            "sed -n 'r ../x' a",
            "git -C .. log",
            "git --work-tree=../x status",
            "git diff --no-index a ../x",
            "tar -C .. -cf a.tar x",
            "python3 -c 'print(1)'",
            "bash x.sh",
            "./x.sh",
            "curl https://a.example/",
            "make -C ..",
            "env -C .. cat x",
            "cat a > b; cat ../x",
            "touch x; ls ..",
            "awk '{while ((getline l < \"../x\") > 0) print l}' a > b",
            "GIT_DIR=../x/.git git commit -m a",
            "vim x",
        ] {
            let command = format!("touch made; {command}");
            assert!(beyond(&command), "{command}");
        }
    }

    #[test]
    fn what_names_only_the_workspace_stays_within() {
        for command in [
            "touch x",
            "make test",
            "cargo test --workspace",
            "timeout 60 cargo test",
            "cd sub && make",
            "npm test",
            "git commit -m 'a/b: c'",
            "git commit -m \"$(cat <<'E'\nfix it\nE\n)\"",
            "git add -A && git commit -m x",
            "rm -rf build",
            "mv a b",
            "cat a > b",
            "cat a b | sort -o c",
            "cat .env",
            "cat /home/me/project/.env",
            "sed -i 's/a/b/' x",
            "sed -i '/foo/d' x",
            "echo hello > x",
            "cp a /tmp/b",
            "mkdir -p a/b",
            "CI=1 make",
        ] {
            let command = format!("touch made; {command}");
            assert!(!beyond(&command), "{command}");
        }
    }
}
