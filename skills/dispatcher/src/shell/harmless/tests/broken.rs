//! Ways round the proof that somebody found, each once let by. None of a kind may come back.

use super::reads;

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
    "cd sub && git status",
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

#[test]
fn what_was_found_once_is_not_let_by_again() {
    let passing: Vec<_> = FOUND.iter().filter(|command| reads(command)).collect();
    assert!(passing.is_empty(), "{passing:#?}");
}
