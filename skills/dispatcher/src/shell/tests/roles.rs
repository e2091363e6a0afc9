//! Which arguments are data, and which a file or a host.

use super::*;

pub(super) fn is_let_by(commands: &[&str]) {
    for command in commands {
        assert!(!is_rejected(command), "{command}: {:?}", verdict(command));
    }
}

pub(super) fn is_refused(commands: &[&str]) {
    for command in commands {
        assert!(is_rejected(command), "{command}: {:?}", verdict(command));
    }
}

#[test]
fn a_pattern_is_no_path_whatever_options_stand_before_it() {
    is_let_by(&[
        "grep -A 3 id_rsa x",
        "grep -m 1 /etc/shadow x",
        "grep -C 2 -rn id_rsa .",
        "grep -rnA3 id_rsa .",
        "grep -5 id_rsa x",
        "grep --include '*.py' -rn id_rsa .",
        "grep --include=*.py -A 3 -rn id_rsa .",
        "x=$(cat x); grep --include=$x -rn id_rsa .",
        "grep --exclude-dir .git -rn id_rsa .",
        "grep --color=auto --max-count 3 id_rsa x",
        "grep --regexp=id_rsa x",
        "grep --regexp id_rsa x",
        "grep -e id_rsa x",
        "grep -eid_rsa x",
        "grep -e a -e id_rsa x",
        "grep -rn -- id_rsa .",
        "egrep -m 1 id_rsa x",
        "zgrep -m 1 id_rsa x.gz",
        "rg -g '*.py' /etc/shadow",
        "rg -t py id_rsa",
        "rg -A 3 id_rsa",
        "rg -j 4 id_rsa",
        "rg --sort path id_rsa",
        "rg --no-ignore-vcs --threads 2 id_rsa src",
        "rg -g '!id_rsa' x",
        "ag id_rsa",
        "ag -A 3 id_rsa",
        "ag --ignore node_modules id_rsa src",
        "ack id_rsa",
        "ack -C 2 --type=python id_rsa",
        "look -t x id_rsa words",
    ]);
}

#[test]
fn what_a_search_reads_is_a_file_however_its_pattern_is_given() {
    is_refused(&[
        "grep x ~/.ssh/id_rsa",
        "grep -rn x ~/.ssh",
        "grep -A 3 x /etc/shadow",
        "grep -e x /etc/shadow",
        "grep -ex /etc/shadow",
        "grep --regexp=x /etc/shadow",
        "grep -f ~/.ssh/id_rsa x",
        "grep -f/etc/shadow x",
        "grep --file=/etc/shadow x",
        "grep --file /etc/shadow x",
        "grep --exclude-from=/etc/shadow -r x .",
        "grep -A 3 id_rsa /etc/shadow",
        "grep -e x -- /etc/shadow",
        "grep -A -e /etc/shadow /etc/shadow",
        "grep --unheard-of x /etc/shadow",
        "rg x /etc/shadow",
        "rg -g '*.py' x /etc/shadow",
        "rg -e x /etc/shadow",
        "rg --ignore-file /etc/shadow x",
        "ag x ~/.ssh",
        "ag -A x ~/.ssh",
        "ag -g x ~/.ssh",
        "ag -p ~/.ssh/id_rsa x",
        "ack -f ~/.ssh",
        "ack --match x ~/.ssh/id_rsa",
        "ack --files-from=/etc/shadow x",
        "ack x ~/.ssh/id_rsa",
        "x=$(cat p); grep -A 3 $x id_rsa",
        "grep * -A id_rsa",
        "rg -g *.py id_rsa",
        "n=$(cat n); grep -A $n id_rsa x",
    ]);
}

#[test]
fn values_of_options_are_no_paths_and_files_among_them_are() {
    is_let_by(&[
        "cut -d /etc/shadow -f1 x",
        "diff --label id_rsa a b",
        "diff -u --label=/etc/shadow a b",
        "sort -t /etc/shadow x",
        "head -n 5 x",
        "jq --arg k id_rsa '.[$k]' x.json",
        "jq --argjson k 1 --arg v /etc/shadow . x.json",
        "stat -c id_rsa x",
        "rg --files ~/.ssh",
    ]);
    is_refused(&[
        "cut -f1 /etc/shadow",
        "cut -d : -f1 /etc/shadow",
        "cut -d: /etc/shadow",
        "diff --label x /etc/shadow b",
        "diff -X /etc/shadow a b",
        "sort -k 2 /etc/shadow",
        "jq . /etc/shadow",
        "jq --arg a b . /etc/shadow",
        "jq --rawfile a /etc/shadow . x",
        "jq --slurpfile a /etc/shadow . x",
        "jq -f /etc/shadow x",
        "touch -r x ~/.bashrc",
        "touch -d yesterday ~/.bashrc",
    ]);
}
