//! Ways round the proof that somebody found, each once let by. None of a kind may come back.

use super::{proof, reads};

/// Every one of these runs, writes or reads more than it seems to.
const FOUND: &[&str] = &[
    // A loop sets any variable.
    "for PATH in .; do ls; done",
    "for PS4 in '$(touch x)'; do set -x; ls; done",
    "for HOME in /etc; do cat ~/hosts; done",
    "for TMPDIR in .; do mktemp; done",
    // What splits may be options.
    "nice -n $(printf '\\065 touch x') ls",
    "timeout -k $(cat f) 5 ls",
    "env LC_ALL=$(cat f) ls",
    "ls | xargs -n $(cat f) echo",
    "watch -n $(cat f) ls",
    "dd if=a bs=$(cat f)",
    "uniq -f $(cat f)",
    "shuf -n $(cat f) a",
    "tar tf a.tar $(cat f)",
    "date +$(cat f)",
    "compgen $(cat f)",
    "set $(cat f); tar tf a.tar",
    // Lists that spread.
    "a=(x -delete); find . -name \"${a[@]:0}\"",
    "a=(x -delete); find . -name \"${a[@]:-z}\"",
    "a=(x -delete); find . -name \"${a[@]%.c}\"",
    "f() { find . -name \"${@:-x}\"; }; f a -delete",
    // The end of a command that find runs.
    "find . -name a -exec echo \"$(cat f)\" -delete -exec echo hi \\;",
    // Lists in quotes.
    "declare -a 'x=($(touch y))'",
    "declare -A 'x=([a]=$(touch y))'",
    "declare -a x; declare 'x=($(touch y))'",
    // Descriptors.
    "xargs env 3<f <&3",
    "cat f | xargs env 3<<<ls",
    "{ read x <&3; env $x; } 3<f",
    "ls | { read -u 3 x; cat \"$x\"; } 3< <(echo /etc/hosts)",
    "env $(echo touch x >/dev/stdout)",
    "echo x <a >/dev/stdin",
    "echo x <a >/dev/fd/0",
    "{ echo x >/dev/fd/3; } 3<a",
    "cat $(ls 'nofile /etc/hosts x' 2>&1)",
    // What is printed is not what it seems.
    "cat $(seq -s ' /etc/passwd ' 2)",
    "n=$(seq -s '+a[$(touch x)]+' 2); echo $((n))",
    "n=$(wc -l 'a[$(touch x)]'); echo $((n))",
    "cat $(dirname /etc/x)/hosts",
    "cat $(basename .env)",
    "cat $(basename ..)/../../etc/hosts",
    "cat $(cd /etc && pwd)/hosts",
    "find . -maxdepth 0 -exec cat {}/../../../etc/hosts \\;",
    "x=$(find . -maxdepth 0); cat $x/../../../etc/hosts",
    "ls -d /tmp | xargs -I% cat %/../etc/hosts",
    "cd sub && x=$(ls -d ..) && cd .. && cat $x/hosts",
    "(cd /etc; ls) | xargs cat",
    "x=$(cd /etc; ls); cat $x",
    "x=$(ls); cd /etc; cat $x",
    "ls | { cd /etc; xargs cat; }",
    "ls -a | grep env | xargs cat",
    "find . -name .env -exec cat {} \\;",
    "find . -name 'id_r*' | xargs cat",
    "pwd | { read -n1 x; cat ${x}etc/hosts; }",
    "x=$(pwd); y=${x%%[!/]*}; cat ${y}etc/hosts",
    "f() { touch x; }; env $(set | grep touch)",
    "env $(declare | grep touch)",
    "cat \"$(printf /etc/hosts /../../tmp/x)\"",
    "cat \"$(echo /etc/hosts; exit; echo /../../tmp/x)\"",
    // Programs.
    "less +x a",
    "xz -lz a",
    "bzip2 -tz a",
    "gzip a",
    "xxd -al a b",
    "zgrep -e . /etc/passwd",
    "od -c -w /etc/passwd",
    "pr -n /etc/passwd",
    "size -t /usr/bin/ls",
    "file -m /etc/passwd a",
    "jq -n 'import \"x\" as $s {search:\"/usr/share\"}; $s'",
    "watch -x env touch x",
    "rg --files /etc",
    "echo touch x | xargs -I% -n2 env",
    "echo touch x | xargs -i -l env",
    "sed ':a e touch x' a",
    "sed 't x w y' a",
    "sed 'a foo\\\\\ne touch x' a",
    "awk 'BEGIN{print 1,\n2 > \"x\"}'",
    "awk 'BEGIN{ARGV[1]=\"/etc/passwd\";ARGC=2} {print}'",
    "cd sub && git -C .. status",
    "cd sub/.git && git status",
    "git -C sub show HEAD:.env",
    "git -C sub show HEAD:./.env",
    "cd sub && git diff ../.env",
    "git log --show-signature",
    "git log --format=%G?",
    // Another shell.
    "sh -c '((1>x))'",
    "sh -c '[[ a > x ]]'",
    // Options of the shell.
    "shopt -s lastpipe; x=1; echo 'a[$(touch y)]' | read -r x; echo $((x))",
    "shopt -s dotglob; cat *",
    "shopt -s nocaseglob; cat ID_RS?",
    "shopt -s nullglob; set -- zz* /etc/passwd; cat $1",
    "set -o history; set -H; ls",
    // Tests.
    "[ \"$(cat f)\" 'a[$(touch x)]' ]",
    // What is not reached, or does not hold.
    "f() { declare x=1; }; x='a[$(touch y)]'; f; echo $((x))",
    "x='a[$(touch y)]'; local x=1; echo $((x))",
    "readonly b=/etc/passwd; declare b=ok; cat $b",
    "b=/etc/passwd; for i in 1; do for j in 1; do break 2; done; b=ok; done; cat $b",
    "b=/etc/hosts; ((0 && (c=1))); cat ${c-$b}",
    "b=/etc/hosts; ((c[1]=5)); cat ${c-$b}",
    "b=/etc/hosts; [[ x == y && -n $((c=1)) ]]; cat ${c-$b}",
    "! cd n/o/p && cat ../../../etc/hosts",
    "pushd -n sub/a && cat ../../x",
    "set -- s* 'touch x'; env $3",
    "f() { env $3; }; f s* 'touch x'",
    // Files that are called like options.
    "sort *",
    "sort a *ob",
    "tar tf a.tar *",
    "sed -n p *",
    "find *e -name x",
    "find . *",
    "ls | xargs sort",
];

/// What a second attempt found.
const FOUND_LATER: &[&str] = &[
    // What is there on one way only, or does not happen where a file can't be opened.
    "if [ -f zz ]; then touch() { :; }; fi; touch y",
    "f() { [ -f a ] && return; cat() { :; }; }; f; cat /etc/hosts",
    "x=sh; { x=ls; } <nofile; $x s",
    "set -- touch y; { set -- ls; } <nofile; env $1 y",
    "{ cat() { :; }; } <nofile; cat /etc/hosts",
    "cat \"/etc/hosts$(printf /../../tmp/x <nofile)\"",
    // Where things are printed.
    "env $( { echo touch y >&2; } 2>&1 >/dev/null )",
    "env $(: >(echo touch y))",
    "cat \"$(echo ok > >(echo /etc/hosts))\"",
    // Quotes.
    "echo \"${x:-'$(touch y)'}\"",
    "cat <<EOF\n${x:-'$(touch y)'}\nEOF",
    "cat <<EOF\nE\\\nOF\ntouch y\nEOF",
    // What is lent.
    "f() { env $TZ; }; TZ='touch y' f",
    "TZ='touch y' sh -c 'env $TZ'",
    "COLUMNS='a[$(touch y)]' bash -c 'echo $((COLUMNS))'",
    "env TZ=/etc/hosts bash -c 'cat $TZ'",
    // Lists.
    "a=(1 'touch y'); a=ls; env ${a[1]}",
    "a=(x 'touch y'); a=; env ${a[@]}",
    "a=ok; a[0]=/etc/hosts; cat $a",
    "a=([1]=ok [0]=/etc/hosts); cat $a",
    "a=($(cat f)); env \"LC_ALL=${a[@]}\" ls",
    "a=(s?); set -- \"${a[@]}\" 'touch y'; env $3",
    "f() { shift; find . -name \"vic$@\"; }; f a tim -delete",
    "find . -name \"$@\" -name -delete",
    // Special variables, and local ones.
    "_=ls; : touch; env $_ y",
    "f() { [ -f zz ] && local x; x='touch y'; }; x=ls; f; env $x",
    "f() { bash -c 'x=\"touch y\"; local x=ls; env $x'; }; f",
    "g() { unset b; }; f() { local b=ok; g; cat $b; }; b=/etc/hosts; f",
    "b=/etc/hosts; declare() { :; }; declare b=ok; cat $b",
    // Errors that end the line.
    "x=touch\n: $((1/0)); x=ls\nenv $x y",
    "x=touch\nshopt -s failglob\n: zz*; x=ls\nenv $x y",
    ": {PATH}</dev/null; ls",
    "for x in *; do [ \"$x\" 'a[$(touch y)]' ]; done",
    // What is nothing.
    "cat $COLUMNS/etc/hosts",
    "cat $!/etc/hosts",
    "cat $BASH_SOURCE/etc/hosts",
    "cat $(ls zz)/etc/hosts",
    "cat $(seq 2 1)/etc/hosts",
    "ls zz | { read x; cat $x/etc/hosts; }",
    "env -i bash -c 'cat $HOME/etc/hosts'",
    "cat \"$(bash -ec 'echo /etc/hosts; false; echo /../../tmp/x')\"",
    "cat \"/etc/hosts$(true | xargs -r printf /../../tmp/x)\"",
    "cat \"/etc/hosts$(nice -n 999x printf /../../tmp/x)\"",
    // Patterns and tildes.
    "x='\\.\\./\\.\\./etc/host[s]'; cat $x",
    "x='\\.env*'; cat $x",
    "shopt -s extglob\ncat @(.env)",
    "dd if=~root/.bashrc status=none",
    "sh -c 'x=/etc/hosts; x+=/../../tmp/q; cat $x'",
    // Programs.
    "find /tmp -maxdepth 0 -execdir cat etc/hosts \\;",
    "nm @g",
    "strings @f",
    "tput init",
    "mktemp -t ../x",
    "mktemp -t a/x.XXX",
    "shopt -su dotglob; cat *",
    "shopt -s dotglob; shopt -u dotglob",
    // Blanks in names.
    "find . | xargs sort",
    "find . | xargs gzip -l",
    "sort $(find .)",
    "find . | xargs find",
    "find . -type f | xargs -n 1 sed p",
    "awk 'BEGIN{x=1./1;system(\"touch x\");y=1/1}'",
    "awk '/[]/]\"/{system(\"touch x\");x=\"\"}' b",
    "sed -e 'a foo\\' -e 's/\nw out\n/b/p' a",
    "diff -S -F /etc/passwd a",
    "awk '/x/ {print > \"out\"}' a",
    "awk '{print; a = /x/ | \"sh\"}' a",
    "awk '{printf \"%s\", /x/ > \"out\"}' a",
    "PS4='$(touch x)'; set -x; ls",
    "set -eo xtrace; ls",
    "set -ef; ls",
    "set -e -- -rf; cat $1",
    "set -a; ls",
    "cat \"$(set -e; false; pwd)/a\"",
    // Where a set ends.
    "sed 's/[]/A/;#]/C/;e id' a",
    "sed '/[^]/p;#]/e id' a",
    "sed 's/[[:alpha:]/A/;#]/C/;e touch x' a",
    "sed '\\,[^],p;#],e touch x' a",
    "sed 's,[^],x,;a],y,;e touch x' a",
    "sed -E 's/[a[.].]/A/;#]/C/;w out' a",
    "sed 's/[x[=a=]/A/;#]/C/;w out' a",
    "sed 's/[]/A/;#]/C/w out' a",
    "sed -n '/[^]/p;#]/r b' a",
    "sed 's/[a\\]/x/;#]/y/;w out' a",
    "sed 's/[[:a/x/;#:]]/y/;w out' a",
    "sed 's/[]' a",
    "find . -name a -exec sed 's/[^]/A/;#]/C/;e touch x' {} +",
    // To these it is a file.
    "rm -",
    "rmdir -",
    "mkdir -p -",
    "truncate -s 0 -",
    "chmod 644 -",
    "ls | tee -",
    "tee -a -- -",
    // To some a brace ends no label.
    "sed ':a}s; w out2;x;' a",
    "sed 'ba}s; w out2;x;' a",
    "sed '/x/{t a}s; w out2;x;' a",
    "column -t -N -s,b -R -s /etc/passwd",
    "bzgrep -A '1 . /etc/passwd' x a",
    "git for-each-ref --format='%(signature)'",
    "git log --format=%+G?",
    "git describe --dirty",
    "compgen -f /etc/",
    "md5sum -c l",
    "iconv -f /etc/passwd -t utf8 a",
    "nohup ls",
    "tree -Px -I /etc",
    "rpm -qa",
];

/// Found at last: what passed here did so with or without leave to write.
const FOUND_LAST: &[&str] = &[
    "sh -c 'x=rm; time x=ls; $x a'",
    "sh -c 'time ls'",
    "git log -S --quiet -S --output=OUT",
    "git log -S -O",
    "column -t -N --separator a",
    "xxd a -p",
    "uniq a -c",
    "echo hi 1<a >/dev/stdout",
    "echo hi <a 1<&0 >/dev/stdout",
    "echo hi <a >&0 >/dev/stdout",
    "ls 2<a",
    "ls >&3",
    "echo hi | tee /dev/stdout 1<a",
    "tee /dev/stderr",
    "cp a /dev/stdout",
    "touch /dev/stderr",
    "rm /dev/null",
    "mv /dev/full /dev/null",
    "chmod 000 /dev/full",
    "chmod 4755 a",
    "chmod u+s a",
    "chmod 02755 a",
    "chmod --reference=b a",
    "NO_COLOR=python3 sh -c '$NO_COLOR ls'",
    "env CLICOLOR=rm sh -c '$CLICOLOR cat'",
    "NO_COLOR=-o bash -c 'sort $NO_COLOR a b'",
    "LC_ALL=zh_CN.gbk bash -c ls",
    "LANG=ja_JP.SJIS ls",
    "ps -e --forest e",
    "ps -ot e",
    "file -p a",
    "bind -s",
    "jq \" $(cat f)\" a.json",
    "ps a\"$(cat f)\"",
    "finger \"x$(cat f)\"",
    "cat here/../canary",
    "cat ./here/.././canary",
    "ls here/..",
    "cat here/../*.txt",
    "cd here/../outside; cat c",
    "cd -P el/.. && git status",
    "cd here && cat ../canary",
    "cd here; cd ..; cat canary",
    "find here/.. -name x",
    "find . -type f -exec truncate -s 0 {} +",
    "truncate -s 0 *",
];

#[test]
fn what_was_found_last_is_asked_about_whatever_may_be_written() {
    let passing: Vec<_> = FOUND_LAST.iter().filter(|command| proof(command).is_ok()).collect();
    assert!(passing.is_empty(), "{passing:#?}");
}

#[test]
fn what_is_like_what_was_found_last_and_does_no_more_than_read_passes() {
    for command in [
        "ls 2>/dev/null",
        "ls >/dev/stderr",
        "ls >&2 2>&1",
        "cat <a 2>&-",
        "time ls",
        "LC_ALL=C sort a",
        "LANG=en_US.UTF-8 ls",
        "ps -eo pid,etime",
        "head -n -5 a",
        "git log -S foo",
        "xxd -p a",
        "uniq -c a",
        "sort -t - -k 2 a",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}

#[test]
fn each_variable_that_is_lent_is_unknown_to_a_script() {
    for name in crate::shell::harmless::follow::SHOWN {
        assert!(super::super::state::is_reserved(name), "{name}");
    }
}

#[test]
fn what_was_found_once_is_not_let_by_again() {
    let passing: Vec<_> = FOUND
        .iter()
        .chain(FOUND_LATER)
        .filter(|command| reads(command))
        .collect();
    assert!(passing.is_empty(), "{passing:#?}");
}
