//! What a line says of its words.

use super::*;

fn with(line: &str, wanted: impl Fn(&Word<'_>) -> bool) -> Vec<String> {
    let found = words(line).into_iter().filter(wanted);
    found.map(|word| word.text.into_owned()).collect()
}

#[test]
fn what_stands_behind_a_program_or_its_option_is_run() {
    for (line, script) in [
        ("fish scripts/x.fish data.json", "scripts/x.fish"),
        ("sudo /bin/bash -euo pipefail x.weird y", "x.weird"),
        ("@node --no-warnings x.mts data.json", "x.mts"),
        ("deno run -A x.mts", "x.mts"),
        ("spawn(\"tclsh8.6\", [\"x.tcl\", \"data.json\"])", "x.tcl"),
        ("make check -j4 -f x.mk CC=cc", "x.mk"),
        ("gawk -v a=b -fx.txt data.csv", "x.txt"),
        ("sh \"$R\"/x.weird data.json", "/x.weird"),
        ("sh \"$R/x.weird\" data.json", "R/x.weird"),
        ("sh \"${R}/x.weird\" data.json", "/x.weird"),
        (
            "sh \"$(cd \"$(dirname \"$0\")\" && pwd)/x.weird\" data.json",
            "/x.weird",
        ),
        (". \"w w.txt\"", "w w.txt"),
    ] {
        let found = with(line, |word| {
            word.role == Role::Script && !["dirname", "0", "pwd", "cd"].contains(&&*word.text)
        });
        assert_eq!(found, [script], "{line}");
    }
    for line in [
        "sh -c 'exit 1' data.json",
        "perl -pe 's/a/b/' data.json",
        "awk '{ print }' data.json",
        "sh \"$SCRIPT\" data.json",
        "sh \"$(which tool)\" data.json; cat data.json",
        "find . -name data.json",
        "echo hello && cat data.json",
        "npx prettier src/*.js",
    ] {
        let found = with(line, |word| {
            word.role != Role::Any && (word.text.contains("data") || word.text.contains("src"))
        });
        assert_eq!(found, Vec::<String>::new(), "{line}");
    }
}

#[test]
fn modules_folders_lists_and_what_make_looks_for_are_told_apart() {
    let found = with("python3 -u -m tools.check data.json", |word| word.role == Role::Module);
    assert_eq!(found, ["tools.check"]);
    let found = with("run-parts --regex='x' \"$R/d\" && cat e", |word| {
        word.role == Role::Folder
    });
    assert_eq!(found, ["R/d"]);
    let found = with(". d/*.sh; node e/*.mts; cat f/*", |word| word.role == Role::Scripts);
    assert_eq!(found, ["d/*.sh", "e/*.mts"]);
    let line = "for i in d/* e/*.sh; do cat f/*; [ -x \"$i\" ] && \"$i\"; done";
    let listed = Role::Listed("i".into());
    assert_eq!(with(line, |word| word.role == listed), ["d/*", "e/*.sh"]);
    assert_eq!(with(line, |word| word.runs), ["i"]);
    for line in [
        "sh $i",
        "exec \"$i\" x",
        "./$i",
        ". \"${i}\"",
        "if ./$i; then",
        "A=b \"$i\"",
    ] {
        assert_eq!(with(line, |word| word.runs && word.text == "i"), ["i"], "{line}");
    }
    for line in [
        "black \"$i\"",
        "if [ \"$i\" = x ]; then",
        "A=b cat $i",
        "echo \"run $i\"",
    ] {
        assert_eq!(
            with(line, |word| word.runs && word.text == "i"),
            Vec::<String>::new(),
            "{line}"
        );
    }
    for (line, makes) in [
        ("make", true),
        ("set -e && make -C sub", true),
        ("exec(\"make check\")", true),
        ("make -f x.mk", false),
        ("echo \"please make sure\"", false),
    ] {
        assert_eq!(!with(line, |word| word.role == Role::Make).is_empty(), makes, "{line}");
    }
}

#[test]
fn folders_that_are_gone_into_or_kept_in_a_variable_are_known() {
    for (line, folder) in [
        ("R=scripts", "scripts"),
        ("export R=\"scripts\"", "scripts"),
        ("const r = \"scripts\";", "scripts"),
        ("R=$(dirname \"$0\")/lib", "/lib"),
        ("R := a/b", "a/b"),
        ("git -C a diff", "a"),
        ("cd \"$(dirname \"$0\")/../lib\" || exit", "/../lib"),
    ] {
        let found = with(line, |word| word.base);
        assert!(found.iter().any(|own| own == folder), "{line}: {found:?}");
    }
    for line in ["echo a/b", "export PATH=\"node_modules/.bin:$PATH\""] {
        assert_eq!(with(line, |word| word.base), Vec::<String>::new(), "{line}");
    }
}
