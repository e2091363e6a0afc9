//! What can be approved once and for all.

use super::*;

pub(super) fn remembered(command: &str) -> Option<String> {
    match verdict(command) {
        Some(Finding::Ask { remember, .. }) => remember,
        other => panic!("{command} asks: {other:?}"),
    }
}

#[test]
fn only_a_command_that_always_does_the_same_can_be_remembered() {
    assert_eq!(
        remembered("  rm   build/x ;touch y"),
        Some("rm build/x; touch y".to_owned())
    );
    assert_eq!(
        remembered("mkdir a&&touch a/b"),
        Some("mkdir a && touch a/b".to_owned())
    );
    for command in [
        "make",
        "npm test",
        "cargo build",
        "pytest",
        "python3 x.py",
        "bash x.sh",
        "env rm x",
        "sudo rm x",
        "ls | xargs rm",
        "nice rm x",
        "unknown-program",
        "rm $x$(cat y)",
        "x=a; rm $x",
        "touch $(date +%s)",
        "PATH=. touch x",
        "cat <<E > x\na\nE",
        "crontab x",
        "git push",
        "find . -exec rm {} \\;",
        "sed -i s/a/b/ x | sh",
        "ls '",
        "sed -i s/a/b/ *",
        "rm *",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn what_runs_or_obeys_a_file_of_the_workspace_by_an_option_is_never_remembered() {
    for command in [
        "sed -f prog.sed f",
        "sed -nf prog.sed f",
        "sed --file=prog.sed f",
        "sed --fi=prog.sed f",
        "sed '1e ./x.sh' f",
        "sed s/a/b/e f",
        "sed -i -e p -e '1e ./x.sh' f",
        "sed -ne '1e ./x.sh' f",
        "sed -ie '1e ./x.sh' f",
        "sed --expression='1e ./x.sh' f",
        "sed -i 's/a/b/w .x' f",
        "tar -cI ./x.sh -f a.tar f",
        "tar cIf ./x.sh a.tar f",
        "tar cfI a.tar ./x.sh f",
        "tar cf a.tar f -I ./x.sh",
        "tar cf a.tar --use-comp=./x.sh f",
        "tar cf a.tar --checkpoint=1 --checkpoint-action=exec=./x f",
        "tar -xf a.tar --to-command=./x",
        "tar cf host:a.tar --rsh-command=./x f",
        "sort --compress-prog=./x f -o g",
        "split --filter=./x.sh f",
        "split --fil=./x.sh f",
        "rsync -a a b",
        "rsync -av --delete a/ b/",
        "rsync a host:b",
        "scp a host:b",
        "file x; rm y",
        "jq . x; rm y",
        "less x; rm y",
        "strings @x; rm y",
        "rsync -e ./x.sh a b:c",
        "rsync -ave ./x.sh a b:c",
        "rsync --rsh=./x.sh a b:c",
        "scp -S ./x.sh a b:c",
        "scp -o ProxyCommand=./x a b:c",
        "scp -F conf a b:c",
        "zip -T -TT ./x.sh a.zip f",
        "zip -rTT ./x.sh a.zip f",
        "install -s --strip-program=./x.sh a b",
        "sdiff --diff-program=./x.sh a b",
        "curl -K f https://allowed.example/",
        "curl -q -K f https://allowed.example/",
        "curl -qsK f https://allowed.example/",
        "curl --disable --conf f https://allowed.example/",
        "curl -q -d @f https://allowed.example/",
        "curl https://allowed.example/",
        "openssl dgst -engine ./x.so f",
        "man -l x",
        "man ls",
        "wget https://allowed.example/",
        "socat - EXEC:./x",
        "nc -e ./x a.example 80",
        "rg --pre ./x foo",
        "rg --pre=./x foo",
        "fd -x ./x",
        "file -m ./magic x",
        "less --lesskey-src=x f",
        "less +!./x f",
        "find -- / -delete",
        "rustc -C linker=./x a.rs",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn what_writes_names_that_the_command_does_not_say_is_never_remembered() {
    for command in [
        "tar xf a.tar",
        "tar xf a.tar -C d",
        "tar -xzf a.tgz -C out",
        "tar -x -f a.tar",
        "tar -f a.tar --extract",
        "tar --get -f a.tar",
        "tar -f a.tar --ext",
        "bsdtar xf a.tar",
        "unzip a.zip",
        "unzip -o a.zip -d out",
        "unzip -jqo a.zip",
        "7z x a.7z",
        "cpio -i < a.cpio",
        "cpio -pdm d < names",
        "pax -r -f a.tar",
        "ar x a.a",
        "jar xf a.jar",
        "gunzip -N a.gz",
        "gzip -dN a.gz",
        "patch -p1 < x.patch",
        "git apply x.patch",
        "cp -r a b",
        "cp -R a b",
        "cp -a src backup",
        "cp -pr a b",
        "cp --recursive a b",
        "cp --archive a b",
        "cp a b -r",
        "cp d/* .",
        "cp d/.* .",
        "cp ./*.o d",
        "mv d/* .",
        "mv d .vscode",
        "mv .vscode d",
        "mv d .config",
        "mv d .config/fish/..",
        "ln -s d .vscode",
        "ln -s ~/d/* .",
        "install d/* .",
        "rsync -a d/ .",
        "scp -r d e",
        "for f in d/*; do cp \"$f\" .; done",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn what_sets_a_variable_or_computes_a_subscript_is_never_remembered() {
    // Those of the table whose options are not told apart; these take no name, whatever they are given.
    const DATA: &[&str] = &[":", "dd", "echo", "expr", "false", "ps", "true"];
    for name in programs::bare().filter(|name| !DATA.contains(name)) {
        let (before, end) = match name {
            "[" => (vec!["", "! ", "a -a "], " ]"),
            "test" => (vec!["", "! ", "a -a "], ""),
            _ => (vec![""], ""),
        };
        // bash(1): options of its builtins behind which a name stands.
        let options = if name == "printf" { &["-v"][..] } else { &["-v", "-R"] };
        for option in options {
            for given in ["PATH .", "x y", "'a[$(./x)]' y", "'a[`./x`]' y"] {
                for before in &before {
                    let command = format!("{name} {before}{option} {given}{end}; rm y");
                    assert_eq!(remembered(&command), None, "{command}");
                }
            }
        }
    }
    for command in [
        "printf -vPATH .; rm y",
        "printf -v PATH .; rm y",
        "printf '%n' PATH; rm y",
        "printf '%5n' 'a[$(./x)]'; rm y",
        "test -v 'a[$(./x)]'",
        "test -R 'a[$(./x)]'",
        "[ a -a -v 'a[$(./x)]' ]",
        "[[ -v 'a[$(./x)]' ]]; rm y",
        "[[ 'a[$(./x)]' -eq 1 ]]; rm y",
        "read PATH < x; rm y",
        "read 'a[$(./x)]' < x; rm y",
        "unset 'a[$(./x)]'; rm y",
        "let 'a[$(./x)]=1'; rm y",
        "declare 'a[$(./x)]=1'; rm y",
        "export PATH=.; rm y",
        "mapfile PATH < x; rm y",
        "wait -p 'a[$(./x)]'; rm y",
        "getopts a PATH; rm y",
        "for PATH in .; do rm y; done",
        "rm y {PATH}> x",
        ": $((PATH=1)); rm y",
        ": ${PATH:=.}; rm y",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn what_changes_how_programs_are_found_is_not_remembered_with_what_is_behind_it() {
    for command in [
        "PATH=.; rm y",
        "PATH+=:.; rm y",
        "BASH_CMDS[rm]=./rm; rm y",
        "alias rm=./rm; rm y",
        "rm() { ./x; }; rm y",
        "function rm { ./x; }; rm y",
        "hash -p ./rm rm; rm y",
        "enable -f ./x.so rm; rm y",
        "enable -n echo; rm y; echo z",
        "cd sub; rm y",
        "cd sub && rm y",
        "pushd sub; rm y",
        "set -o posix; rm y",
        "shopt -s expand_aliases; rm y",
        "coproc PATH { rm y; }",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn names_that_are_set_or_computed_are_said_and_grave() {
    for (command, said) in [
        ("printf -v x y; rm y", "sets a variable (printf -v)"),
        ("printf -vPATH .; rm y", "sets PATH, which can run a file"),
        ("printf '%d%n' 5 x; rm y", "sets a variable (printf %n)"),
        ("test -v 'a[$(./x)]'", "computes a subscript"),
        ("test -v x; rm y", "computes a subscript (test -v)"),
        ("[ a -a -R 'a[$(./x)]' ]", "computes a subscript"),
        ("[[ 'a[$(./x)]' -eq 1 ]]", "which can run a command"),
        ("read PATH < x", "sets PATH, which can run a file"),
        ("unset 'a[$(./x)]'", "which can run a command"),
        (
            "declare -x LD_PRELOAD=./x.so; rm y",
            "sets LD_PRELOAD, which can run a file",
        ),
    ] {
        let Some(Finding::Ask { summary, risk, .. }) = verdict(command) else {
            panic!("{command} asks")
        };
        assert!(summary.contains(said) && risk == Risk::High, "{command}: {summary}");
    }
    for command in [
        "test -v 'a[$(rm -rf /)]'",
        "printf -v 'a[$(rm -rf /)]' y",
        "unset 'a[`rm -rf ~`]'",
        "declare -i x='a[$(rm -rf /)]'",
    ] {
        assert!(is_rejected(command), "{command}");
    }
    // These only print it, or compare it.
    for command in [
        "printf '%s [$(rm -rf /)]' x",
        "[ \"$x\" = 'a[$(rm -rf /)]' ]",
        "export PS1='[$(rm -rf /)] $ '",
    ] {
        assert!(!is_rejected(command), "{command}");
    }
}

#[test]
fn a_file_that_is_named_like_a_program_is_none() {
    for command in [
        "./cat f",
        "./ls",
        "sub/rm f",
        "../bin/rm f",
        "~/bin/touch f",
        "/home/me/work/project/rm f",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
    assert!(remembered("/usr/bin/touch f").is_some());
}

#[test]
fn what_changes_files_by_options_that_are_known_can_be_remembered() {
    for command in [
        "rm -rf build",
        "cp src/a backup/",
        "mv a b",
        "mkdir -p a/b",
        "chmod -R u+w a",
        "sed -n 5p /etc/hosts",
        "sed -e s/a/b/g -Ee 5d /etc/hosts",
        "tar czf a.tgz src",
        "tar -tzf a.tgz; rm y",
        "ln -sf a b",
        "touch -d 2020-01-01 f",
        "zip -r a.zip src",
        "curl -q -fsSL https://allowed.example/ -o f",
        "tee -a f",
        "gzip f",
        "ls -la /etc",
        "cat /etc/hosts",
        "find / -name x",
        "grep -rn x /usr/share",
        "head -n 5 /etc/hosts",
        "rm ./*.o",
        "test -f x && rm x",
        "[ -d build ] && rm -r build",
        "printf '%s\\n' a b > f",
        "echo a > f",
        "dd if=a of=b bs=1k",
    ] {
        assert!(remembered(command).is_some(), "{command}");
    }
}
