//! Whether an invocation may read what lies outside the workspace, beside the files that its arguments are seen to name. What it
//! prints then may be anybody's, and the turn that reads it is tainted. What builds and tests runs what the workspace has.

use super::harmless;
use super::hidden::Invocation;
use super::programs::Does;
use crate::path::{Place, Roots};

/// Wrappers that run the command in their arguments as it stands there.
const PLAIN_WRAPPERS: &[&str] = &[
    "builtin", "chrt", "command", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "taskset", "time",
    "timeout",
];

/// How options begin by which a program does its work in another folder.
const MOVES: &[&str] = &[
    "--ch",
    "--cwd",
    "--dir",
    "--git-dir",
    "--prefix",
    "--work-tree",
    "-execdir",
    "-okdir",
];
/// Commands of git that run others, from another folder.
const MOVING: &[&str] = &["bisect", "filter-branch", "rebase", "submodule", "worktree"];

/// Whether it may, as far as can be told from the program and its arguments, in the folder `here`.
pub(super) fn may_read(invocation: &Invocation<'_>, roots: &Roots, here: Option<&Place>) -> bool {
    let name = invocation.name.as_ref();
    let is_awk = matches!(name, "awk" | "gawk" | "mawk" | "nawk");
    let names_files = match invocation.does {
        Some(Does::Prints | Does::Deletes | Does::Builds | Does::Steers) => false,
        Some(Does::Looks | Does::Reads | Does::Searches | Does::Writes | Does::Copies) => true,
        Some(Does::Wraps) if PLAIN_WRAPPERS.contains(&name) => false,
        _ if is_awk => true,
        _ => return true,
    };
    let arguments = || invocation.arguments().iter();
    let data = matches!(invocation.does, Some(Does::Prints));
    // One that the shell makes: which it is only running tells.
    let unknown = names_files && arguments().any(|field| !field.is_known());
    let texts = texts(invocation);
    let here = here.filter(|_| !moves(invocation));
    unknown
        // The program text of awk names files as well.
        || is_awk && texts.is_empty()
        || !data
            && arguments()
                .enumerate()
                .any(|(at, field)| !texts.contains(&at) && climbs(&field.text, roots, here))
}

/// Whether a program may do its work elsewhere than where it is called.
fn moves(invocation: &Invocation<'_>) -> bool {
    let name = invocation.name.as_ref();
    if matches!(name, "tar" | "bsdtar") || invocation.does == Some(Does::Builds) && !matches!(name, "git" | "cmake") {
        return true;
    }
    invocation
        .arguments()
        .iter()
        .map(|field| field.text.as_str())
        .any(|text| {
            let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            letters.is_some_and(|letters| letters.contains('C'))
                || MOVES.iter().any(|option| text.starts_with(option))
                || name == "git" && MOVING.contains(&text)
        })
}

/// Which arguments are a text and name no file: what is looked for, a program of sed or awk that names none, the message of a
/// commit.
fn texts(invocation: &Invocation<'_>) -> Vec<usize> {
    let arguments = invocation.arguments();
    let text = |at: usize| arguments.get(at).map_or("", |field| field.text.as_str());
    let is_option = |text: &str| text.len() > 1 && text.starts_with('-');
    match invocation.name.as_ref() {
        "git" if matches!(text(0), "commit" | "tag") => (1..arguments.len())
            .filter(|at| matches!(text(at - 1), "-m" | "-am" | "--message") || text(*at).starts_with("--message="))
            .collect(),
        "grep" | "egrep" | "fgrep" | "rg" => {
            let given = invocation.has_option('e', "regexp")
                || invocation.has_option('f', "file")
                || arguments.iter().any(|field| field.text.starts_with("--files"));
            let first = (0..arguments.len()).find(|at| !is_option(text(*at)));
            // What comes behind a long option may be its value.
            let first = first.filter(|at| *at == 0 || !text(at - 1).starts_with("--"));
            first.filter(|_| !given).into_iter().collect()
        }
        "sed" => script(arguments.len(), text).unwrap_or_default(),
        "awk" | "gawk" | "mawk" | "nawk" => {
            let mut at = 0;
            while is_option(text(at)) {
                at += match text(at) {
                    "-F" | "-v" => 2,
                    joined if joined.starts_with("-F") || joined.starts_with("-v") => 1,
                    _ => return Vec::new(),
                };
            }
            let follows = at < arguments.len() && harmless::awk_acts(text(at)).is_none();
            follows.then_some(at).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Which arguments of sed are its script, where that names no file.
fn script<'a>(count: usize, text: impl Fn(usize) -> &'a str) -> Option<Vec<usize>> {
    let (mut scripts, mut operand, mut at) = (Vec::new(), None, 0);
    while at < count {
        let letters = text(at).strip_prefix('-').filter(|letters| !letters.is_empty());
        match letters {
            Some("e") => {
                at += 1;
                scripts.push(at);
            }
            Some(letters) if letters.chars().all(|letter| "nrEzsui".contains(letter)) => {}
            Some(_) => return None,
            None => operand = operand.or(Some(at)),
        }
        at += 1;
    }
    if scripts.is_empty() {
        scripts.extend(operand);
    }
    let whole: Vec<&str> = scripts.iter().map(|at| text(*at)).collect();
    harmless::acts(&whole.join("\n")).is_none().then_some(scripts)
}

/// Whether a piece of a text, behind anything that is no part of a path, leads up out of the workspace or to a home folder; or to
/// the root where it is not the whole: that is a file that is seen, or the beginning of a pattern.
fn climbs(text: &str, roots: &Roots, here: Option<&Place>) -> bool {
    let between = |char: char| char.is_whitespace() || "'\"=,:;()<>@".contains(char);
    text.split(between).any(|piece| {
        let is_up = |step: &str| step == ".." || step.starts_with('-') && step.ends_with("..");
        let stays = || here.is_some_and(|here| !piece.starts_with('-') && roots.is_inside(&Place::of(piece, here)));
        piece.split('/').any(is_up) && !stays()
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
            offline: false,
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
            "cd a && cat ../../x",
            "cd a/b && git -C .. show ../../x",
            "cd a/b && tar -cf a.tar -C .. ../x",
            "cd a/b && npm run show -- ../x",
            "cd a && find . -execdir cat ../x {} +",
            "cd a && git bisect run cat ../x",
            "awk -f ../x a > b",
            "awk '{print}' ../x > b",
            "awk 'BEGIN {ARGV[1] = \"../x\"; ARGC = 2} {print}' > b",
            "sed -n -e 'r ../x' a",
            "sed -f ../x a",
            "grep -e a ../x",
            "rg --files -n ../x",
            "grep a ../x",
            "git commit -F ../x",
            "git commit -m a -F ../x",
            "mv ../x y",
            "mv -t a ../x",
            "mv /home/me/x y",
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
            "awk '{print $1}' Makefile > out",
            "awk -F : '$3 > 10 {print $1}' a",
            "sed -n '/hi/,/more/p' a > out",
            "sed -i 's,/usr/lib,/opt,' a",
            "sed -i -e 's,/usr/lib,/opt,' -e 's,a/../b,c,' a",
            "cd a && cp ../Makefile b",
            "cd a && mv ../x ../y",
            "mkdir -p build && cd build && ls ..",
            "mkdir -p build && cd build && cmake ..",
            "cd a && git add ../b",
            "grep -n '=/usr' a > out",
            "grep -rn 'see ../docs' a > out",
            "git commit -m 'fix the link to ../docs'",
            "git commit -am 'fix =/usr/lib'",
            "mv a b ./c",
            "mv a /tmp/b",
        ] {
            let command = format!("touch made; {command}");
            assert!(!beyond(&command), "{command}");
        }
    }
}
