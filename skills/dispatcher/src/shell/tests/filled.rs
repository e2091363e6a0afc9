//! What can be approved once and for all, where a command writes what is obeyed later.

use super::lasting::remembered;

#[test]
fn what_fills_a_file_that_is_obeyed_from_elsewhere_is_never_remembered() {
    for command in [
        "cp s .vscode/tasks.json",
        "cat s > .vscode/tasks.json",
        "cat s >> .vscode/tasks.json",
        "cat < s > .vscode/tasks.json",
        "tee .vscode/tasks.json < s",
        "tee .vscode/tasks.json",
        "cat s | tee .vscode/tasks.json",
        "{ cat s; } > .vscode/tasks.json",
        "cp s .pre-commit-config.yaml",
        "cat s > .pre-commit-config.yaml",
        "tee -a .pre-commit-config.yaml < s",
        "dd if=s of=.pre-commit-config.yaml",
        "sed -n p s > .husky/pre-commit",
        "sed -i s/a/b/ .husky/pre-commit",
        "gzip -dc s > .husky/pre-commit",
        "base64 -d s > .husky/pre-commit",
        "sort -o .husky/pre-commit s",
        "uniq s .husky/pre-commit",
        "tar cf .husky/pre-commit s",
        "install -m 755 s .husky/pre-commit",
        "mv s .husky/pre-commit",
        "ln s .husky/pre-commit",
        "ln -s s .husky/pre-commit",
        "ls > .husky/pre-commit",
        "date > .husky/pre-commit",
        "echo * > .husky/pre-commit",
        "split s .husky/pre-",
        "split -a 1 s lefthook.ym",
        "cat s > sitecustomize.py",
        "cp s .cargo/config.toml",
        "cp s .gitmodules",
        "cp s db-password.txt",
        "curl -q https://allowed.example/ -o .husky/pre-commit",
        "cat s > t; mv t .husky/pre-commit",
        "cp s t && cp t .husky/pre-commit",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn what_fills_a_file_outside_the_workspace_from_elsewhere_is_never_remembered() {
    for command in [
        "cp s /usr/local/bin/x",
        "install -m 755 s /usr/local/bin/x",
        "cat s > /usr/local/bin/x",
        "cat s > ~/x",
        "cp s ../x",
        "cp s link/../x",
        "gzip -c s > /opt/x",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn names_that_come_to_be_by_the_way_count_as_written() {
    for command in [
        "cp tasks.json .vscode",
        "cp a/tasks.json .vscode/",
        "cp d/.mcp.json .",
        "install -t .vscode tasks.json",
        "install -pt.vscode tasks.json",
        "ln --relative -st.vscode tasks.json",
        "ln -s d/.mcp.json",
        "gzip -d .mcp.json.gz",
        "gunzip lefthook.yml.gz",
        "gunzip ./*.gz",
        "cat s > .vsc?de/tasks.json",
        "curl -q -O https://allowed.example/.mcp.json",
        "curl -q -O https://allowed.example/.mcp.json?x",
        "curl -q 'https://allowed.example/{.mcp.json}' -o '#1'",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn what_is_run_or_built_later_is_not_filled_from_elsewhere_once_and_for_all() {
    for command in [
        "cp m Makefile",
        "cp a.txt Makefile.am",
        "cat a > package.json",
        "tee build.rs < a",
        "cp a/conftest.py .",
        "cp a src/main.rs",
        "mv a x.sh",
        "cat a > CMakeLists.txt; rm c",
        "cp requirements.txt d",
        "cp a bin/tool",
        "cp a .eslintrc",
        "gzip -d setup.py.gz",
        "curl -q https://allowed.example/ -o Dockerfile",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
    // What the command says was seen.
    for command in ["echo all: > Makefile", "printf '%s' x > build.rs", "rm Makefile"] {
        assert!(remembered(command).is_some(), "{command}");
    }
}

#[test]
fn what_the_command_says_can_be_written_once_and_for_all_but_not_to_what_is_protected() {
    for command in ["echo a > /usr/local/bin/x", "rm /opt/x; cat s > t", "echo a > out/x"] {
        assert!(remembered(command).is_some(), "{command}");
    }
    for command in [
        "echo '{}' > .vscode/tasks.json",
        "mkdir -p .vscode && echo '{}' > .vscode/tasks.json",
        "printf '%s\\n' a b >> .husky/pre-commit",
        "echo a | tee .husky/pre-commit",
        "echo a > .husky/pre-commit; chmod 755 .husky/pre-commit",
        "touch .husky/pre-commit",
        "rm .vscode/tasks.json",
        "rm -rf .husky; cp a b",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn what_stays_in_the_workspace_and_is_not_obeyed_can_be_filled_from_anywhere() {
    for command in [
        "cp a b",
        "cp a b d",
        "cp .vscode/tasks.txt backup",
        "cp /etc/hosts b",
        "mv a b",
        "ln -s ../a b",
        "sed -n 5p a > b; rm c",
        "install -m 755 a b",
        "tee b < a",
        "cat a > b; rm c",
        "gzip -dc /usr/share/doc/a.gz > b",
        "gzip -d a.gz",
        "cat /etc/hosts > /dev/null",
        "curl -q -O https://allowed.example/a",
        "curl -q https://allowed.example/ -o a",
    ] {
        assert!(remembered(command).is_some(), "{command}");
    }
}
