//! Control flow in its plainest form, braces and numbers: what passes is what would pass written out.

use super::{proof, reads};
use crate::shell::harmless::{Dialect, Level, canonical, read, syntax};

/// Everyday reading.
const READING: &[&str] = &[
    "for f in a b; do cat $f; done",
    "for f in a b\ndo\n  echo \"== $f\"\n  head -5 \"$f\"\ndone",
    "for f in src/*.rs; do wc -l \"$f\"; done",
    "for f in src/*.rs; do wc -l $f; done",
    "for f in *.md; do echo \"$f\"; grep -c x \"$f\" || echo none; done | sort",
    "for f in src/*.{rs,toml}; do [ -f \"$f\" ] || continue; cat \"$f\"; done",
    "for f in *.rs; do if grep -q unsafe \"$f\"; then echo \"$f\"; fi; done",
    "for f in *.rs; do wc -l < \"$f\"; done",
    "for d in src tests; do (cd $d && ls); done",
    "for i in {1..3}; do echo $i; done",
    "for i in $(seq 3); do echo $i; done",
    "for f in $(ls *.rs); do echo \"== $f\"; done",
    "for i in 1 2; do for j in a b; do echo $i$j; done; done",
    "for f in a b; do [[ -f $f ]] && break; done",
    "while read -r line; do echo \"$line\"; done < list",
    "while IFS= read -r line; do echo \"- $line\"; done < list | head -3",
    "grep -n x a | while IFS=: read -r n rest; do echo $n; done",
    "if [ -f a ]; then cat a; else echo none; fi",
    "if grep -q x a; then echo yes; elif test -d b; then ls b; else pwd; fi",
    "if [[ -f a && ! -d b ]]; then cat a; fi",
    "[[ -n $x || $y == a* ]] && ls",
    "[[ 3 -gt 2 ]] && echo more",
    "[[ README.md =~ ^READ ]] && cat README.md",
    "case a in a) ls;; esac",
    "case $x in\n  -h|--help) echo help ;;\n  *.rs) ls src ;;\n  *) ;;\nesac",
    "x=src; if [ -d \"$x\" ]; then ls \"$x\"; fi",
    "cat src/{main,lib}.rs",
    "cat {a,b}{1,2}.txt",
    "ls src/{a,b}/*.rs",
    "grep -rn x --include=*.{rs,toml} .",
    "cat log.{1..3}",
    "echo $((1+2))",
    "head -n $((2 * (3 + 4) - 1)) a",
    "sh -c 'for f in a b; do cat $f; done'",
    "strings a",
    "cat /etc/os-release",
    "git -C . status",
    "git log --oneline @{u}..HEAD; git diff @{upstream} -- src",
    "git show HEAD^{commit}; cat x{y}z {a,b}{c}",
    "git -C sub status",
    "git -C sub -C inner log --oneline",
    "cd sub && git status -sb && git diff HEAD -- main.rs && git show HEAD:./main.rs",
    "cd /home/me/work/project/sub && git -C . log -p -- main.rs",
    "(cd sub; git grep -n one); git ls-files | head",
    "for d in a b; do cd $d; git status; done",
    "git -C /home/me/work/project log -3",
    "git -C ./ diff HEAD~1",
];

/// What is not, and what is not known to be.
const OTHERS: &[&str] = &[
    // What stands in it, for each word and on each way.
    "for f in a /etc/hosts; do cat $f; done",
    "for f in a b; do rm $f; done",
    "for f in a .env; do cat \"$f\"; done",
    "for f in .e*; do cat \"$f\"; done",
    "for f in .e*; do cat $f; done",
    "for f in id_r*; do head \"$f\"; done",
    "for f in *.secret; do cat < \"$f\"; done",
    "for f in nv; do cat .e$f; done",
    "for f in /etc/*; do cat \"$f\"; done",
    "for f in *; do cd /etc; cat $f; done",
    "for f in hosts; do cd /etc; cat $f; done",
    "for f in *; do sort \"$f\"; done",
    "for f in *.rs; do \"$f\"; done",
    "for f in *.rs; do sh -c \"$f\"; done",
    "for f in *.rs; do cat > \"$f\"; done",
    "for f in *.rs; do [ \"$f\" 'a[$(touch x)]' ]; done",
    "for c in ls rm; do $c a; done",
    "for d in *; do cat \"$d/../../x\"; done",
    "for d in */; do cd \"$d\"; cat x; done",
    "for f in a; do cat $f; done; cat $f",
    "false && for f in a; do ls; done; cat $f",
    "f=/etc/hosts; for f in a; do break; done; cat $f",
    "x=/etc/hosts; for f in a b; do [ a ] && break; x=a; done; cat $x",
    "x=a; for i in 1 2; do cat $x; x=/etc/hosts; done",
    "x=/etc/hosts; if x=a; then ls; fi <nofile; cat $x",
    "if false; then x=a; fi; ls",
    "case a in b) x=a;; esac; cat $x",
    "if ls; then rm a; fi",
    "if rm a; then ls; fi",
    "if ls; then ls; elif rm a; then ls; fi",
    "if ls; then ls; else rm a; fi",
    "if cd /etc; then cat hosts; fi",
    "if cd ..; then ls; fi; cat x",
    "case a in a) rm x;; esac",
    "case a in b) ls;; *) rm x;; esac",
    "case $(rm x) in a) ls;; esac",
    "case a in $(rm x)) ls;; esac",
    "case a in a) ls;& b) ls;; esac",
    "for f in $(rm x); do ls; done",
    "for f in $(cat list); do cat $f; done",
    "for f in $(ls); do cat $f; done",
    "for i in $(seq 3); do cat a$i; done",
    "for c in $(cat list); do $c; done",
    "for c in $(cat list); do echo a; done; $c",
    "for x in $(cat list); do [ $x ]; done",
    "for f in \"$@\"; do cat $f; done",
    "for f; do ls; done",
    "for f in; do ls; done",
    "for f in a; do ls; done > out",
    "for f in a; do ls; done &",
    // Variables that mean something.
    "for PATH in .; do ls; done",
    "for IFS in a; do ls; done",
    "for _ in a; do ls; done",
    "for TZ in a; do ls; done",
    "while read PATH; do ls; done < a",
    "while read -r X; do ls; done < a",
    "while read 'a[$(rm x)]'; do ls; done < a",
    "while read -a x; do ls; done < a",
    "while read -u 3 x; do ls; done < a",
    "while PATH=. read x; do ls; done < a",
    // What only running tells.
    "while read f; do cat $f; done < list",
    "while read f; do cat \"$f\"; done < list",
    "while read f; do rm \"$f\"; done < list",
    "while read f; do $f; done < list",
    "while read d; do cd sub; ls; done < list",
    "x=a; while read x; do ls; done < list; cat $x",
    "while read f; do ls; done < /etc/hosts",
    "while true; do ls; done",
    "while ! read f; do ls; done",
    "until read f; do ls; done",
    // Tests that compute.
    "[[ $x -eq 1 ]]",
    "[[ a[$(rm x)] -eq 1 ]]",
    "[[ -v a[$(rm x)] ]]",
    "[[ -t $(rm x) ]]",
    "[[ $(rm x) == a ]]",
    "[[ a && -n $(rm x) ]]",
    "[[ 08 -eq 1 ]]",
    "[[ ( -f a ) ]]",
    "[[ a < b ]]",
    "[[ -f a ]] > x",
    "[[ -f a",
    "[[ -f a\n]]",
    "[[ ]]",
    "[[ -f ]]",
    "sh -c '[[ -f a ]]'",
    // Arithmetic with more than numbers.
    "echo $((x))",
    "echo $((1/0))",
    "echo $((1 % (2 - 2)))",
    "echo $((a[$(rm x)]))",
    "echo $(($(rm x)))",
    "echo $((x=1))",
    "echo $((1) )",
    "echo $((08))",
    "echo $((1 ? 2 : 3))",
    "echo $((99999999999999999999))",
    // Braces.
    "cat {/etc/hosts,a}",
    "cat /etc/host{s,name}",
    "cat .{env,git}",
    "cat .e{nv,}",
    "cat ../{a,b}",
    "find . {-delete,-print}",
    "{rm,a}",
    "cat {a,~root/x}",
    "cat {a,\"/etc/hosts\"}",
    "sh -c 'cat src/{main,lib}.rs'",
    "sort {-o,x} a",
    "cat {{a,b},c}",
    "cat {01..03}",
    "cat {1..99999}",
    "cat {x},.env}",
    "cat {x}{.env,y}",
    "cat .e{n}v{,}x{.env,z}/../.env",
    "cat < {a,b}",
    // Other folders of git's.
    "git -C .. status",
    "git -C sub/.. status",
    "git -C $(cat x) status",
    "git -C /etc status",
    "git -C .git status",
    "git -C",
    "cd /usr/src && git -C . status",
    "git -C . -c core.pager=x log",
    "git -C . push",
    // Others.
    "cat /etc/os-release.d/x",
    "cat /etc/os*",
    "strings @a",
    "man ls",
    "file *",
    "git show --stat ORIG_HEAD",
    "git diff FETCH_HEAD",
];

#[test]
fn loops_and_branches_over_what_is_only_read_are_harmless() {
    let wrong: Vec<_> = READING
        .iter()
        .filter(|command| !reads(command))
        .map(|command| (command, proof(command)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_would_ask_alone_asks_in_a_loop_and_in_a_branch() {
    let wrong: Vec<_> = OTHERS.iter().filter(|command| reads(command)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_written_in_a_loop_is_written() {
    for command in [
        "for f in a b; do touch $f; done",
        "if ls; then touch a; fi",
        "touch {a,b}",
    ] {
        assert_eq!(proof(command), Ok(Level::Writes), "{command}");
    }
}

#[test]
fn control_flow_is_printed_as_what_is_read_as_the_same() {
    for command in READING {
        let print = |text: &str| read::read(text, Dialect::Bash).map(|whole| syntax::print(&whole.script));
        let printed = print(command).unwrap();
        assert_eq!(print(&printed).as_ref(), Ok(&printed), "{command}");
    }
}

#[test]
fn no_form_that_is_remembered_has_control_flow() {
    for command in [
        "for f in a b; do touch $f; done",
        "if ls; then touch a; fi",
        "echo $(if ls; then touch a; fi)",
        "echo `for f in a; do touch a; done`",
        "[[ -f a ]] && touch a",
    ] {
        assert_eq!(canonical(command), None, "{command}");
    }
    assert!(canonical("touch {a,b}; echo for if [[").is_some());
}

#[test]
fn what_nests_in_loops_is_followed_up_to_a_bound() {
    let nested = |depth: usize| {
        let digits = "for i in {0..9}; do ".repeat(depth);
        format!("{digits}ls; {}", "done; ".repeat(depth))
    };
    assert!(reads(&nested(2)));
    assert!(!reads(&nested(5)));
}
