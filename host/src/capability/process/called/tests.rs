//! What hooks call, and what they only name.

#![allow(clippy::unwrap_used)]
use super::*;

#[test]
fn what_hooks_call_is_found_by_name_by_link_and_by_what_stands_beside_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().canonicalize().unwrap();
    let put = |path: &str, text: &str| {
        let place = workspace.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    };
    put(".husky/_/pre-commit", ". \"$(dirname \"$0\")/h\"");
    put(
        ".husky/_/h",
        "s=$(dirname \"$(dirname \"$0\")\")/$n\nsh -e \"$s\" \"$@\"\n",
    );
    put(
        ".husky/pre-commit",
        "# tools/said.sh\n. \"$(dirname \"$0\")/common.sh\"\nnpx lint src/main.rs Cargo.toml\n",
    );
    put(".husky/common.sh", "node tools/check.js\nbash tools/more\n");
    for path in [
        "tools/check.js",
        "tools/more",
        "tools/said.sh",
        "src/main.rs",
        "Cargo.toml",
        ".husky/README.md",
    ] {
        put(path, "");
    }
    let places = |hooks: &str, own: bool| -> BTreeSet<String> {
        let trees = BTreeSet::from([workspace.as_path()]);
        let found = called(&workspace, &workspace.join(hooks), own, &trees, &Lookups::default());
        found.iter().map(|leads| leads.path.display().to_string()).collect()
    };
    let found = places(".husky/_", false);
    for there in [".husky/pre-commit", ".husky/common.sh", "tools/check.js", "tools/more"] {
        assert!(found.contains(there), "{there}: {found:?}");
    }
    for none in ["tools/said.sh", "src/main.rs", "Cargo.toml", ".husky/README.md"] {
        assert!(!found.contains(none), "{none}: {found:?}");
    }
    put("scripts/commit", "exit 0");
    put(".git/pre-commit", "exit 0");
    std::fs::create_dir_all(workspace.join(".git/hooks")).unwrap();
    std::os::unix::fs::symlink("../../scripts/commit", workspace.join(".git/hooks/pre-commit")).unwrap();
    assert_eq!(
        places(".git/hooks", true),
        BTreeSet::from(["scripts/commit".to_owned()])
    );
}

#[test]
fn a_heap_of_files_keeps_no_hook_of_gits_from_being_read_and_what_is_not_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(workspace.join("checks")).unwrap();
    for tool in ["one", "two", "interpreter"] {
        std::fs::write(workspace.join(tool), "").unwrap();
    }
    let run = format!("#!{}/interpreter -x\nsh one\n# sh two\n", workspace.display());
    std::fs::write(workspace.join("checks/pre-push"), run).unwrap();
    let paths = |lookups: &Lookups| -> BTreeSet<PathBuf> {
        let trees = BTreeSet::from([workspace.as_path()]);
        let found = called(&workspace, &workspace.join("checks"), false, &trees, lookups);
        found.into_iter().map(|leads| leads.path).collect()
    };
    let both = BTreeSet::from(["interpreter", "one"].map(PathBuf::from));
    let add = |ending: &str| {
        for number in 0..MOST {
            std::fs::write(workspace.join(format!("checks/a{number}{ending}")), "").unwrap();
        }
    };
    add(".sample");
    let lookups = Lookups::default();
    assert_eq!((paths(&lookups), lookups.fell_short()), (both.clone(), false));
    add("");
    assert_eq!((paths(&lookups), lookups.fell_short()), (both, true));
    let few = Lookups::of(3);
    assert_eq!((paths(&few), few.fell_short()), (BTreeSet::new(), true));
}

/// A workspace with such files, and what the hooks in one of its folders call.
struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn of(files: &[(&str, &str)]) -> Tree {
        let tree = Tree {
            folder: tempfile::tempdir().unwrap(),
        };
        files.iter().for_each(|(path, text)| tree.put(path, text));
        tree
    }

    fn put(&self, path: &str, text: &str) {
        let place = self.folder.path().join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    fn called(&self, lookups: &Lookups) -> BTreeSet<String> {
        let workspace = self.folder.path().canonicalize().unwrap();
        let trees = BTreeSet::from([workspace.as_path()]);
        let found = called(&workspace, &workspace.join("hooks"), true, &trees, lookups);
        found.iter().map(|leads| leads.path.display().to_string()).collect()
    }
}

#[test]
fn what_a_hook_calls_is_found_in_each_way_of_calling() {
    let files = [
        "s/d/one",
        "s/d/two.sh",
        "s/x.fish",
        "s/x.mts",
        "s/check.mk",
        "s/x.tcl",
        "s/w w.sh",
        "s/r/r.sh",
        "s/r/d/three.sh",
        "s/run",
        "s/deep/x.weird",
        "s/one.js",
        "s/other.rb",
        "s/app/index.js",
        "s/x.el",
        "s/x.vim",
        "s/x.sql",
        "s/x.go",
        "s/x.yml",
        "s/go/main.go",
        "s/go/more.go",
        "s/go/more_test.go",
        "s/play.yml",
        "tools/check.py",
        "tools/check/__main__.py",
        "tools/__init__.py",
        "Makefile",
        "GNUmakefile",
        "s/Makefile",
        "src/main.js",
        "src/main.py",
        "data.json",
        "README.md",
    ];
    let both = ["s/d/one", "s/d/two.sh"];
    let check = ["tools/check.py", "tools/check/__main__.py", "tools/__init__.py"];
    let make = ["Makefile", "GNUmakefile"];
    for (hook, found) in [
        ("run-parts s/d", both.as_slice()),
        ("run-parts --regex='.*' \"$(git rev-parse --show-toplevel)/s/d\"", &both),
        ("for i in s/d/*; do sh $i; done", &both),
        (
            "for i in \\\n  s/d/*.sh\ndo\n  [ -f \"$i\" ] &&\\\n . \"$i\"\ndone",
            &["s/d/two.sh"],
        ),
        ("R=s/r\nfor i in \"$R\"/d/*; do\nsh \"$i\"\ndone", &["s/r/d/three.sh"]),
        (". s/d/*.sh", &["s/d/two.sh"]),
        ("fish s/x.fish", &["s/x.fish"]),
        ("node --no-warnings s/x.mts data.json", &["s/x.mts"]),
        ("make -f s/check.mk", &["s/check.mk"]),
        ("make --makefile=s/check.mk", &["s/check.mk"]),
        ("tclsh s/x.tcl; cat data.json", &["s/x.tcl"]),
        ("python3 -m tools.check data.json", &check),
        ("\"s/w w.sh\"", &["s/w w.sh"]),
        ("sh s/w\\ w.sh", &["s/w w.sh"]),
        ("sh \"$(dirname \"$0\")/../s/w w.sh\"", &["s/w w.sh"]),
        ("R=s/r\n\"$R/r.sh\"", &["s/r/r.sh"]),
        ("Z=s\nR=$Z/r\n\"${R}/r.sh\"", &["s/r/r.sh"]),
        ("cd s/deep\nsh x.weird", &["s/deep/x.weird"]),
        ("#!s/run\n", &["s/run"]),
        ("#!s/deep/x.weird -x\n", &["s/deep/x.weird"]),
        ("node s/one", &["s/one.js"]),
        ("node \"$(dirname \"$0\")/../s/one\"", &["s/one.js"]),
        ("const one = require('./s/one');", &["s/one.js"]),
        ("require_relative '../s/other'", &["s/other.rb"]),
        ("node s/app", &["s/app/index.js"]),
        ("python3 tools/check", &["tools/check.py", "tools/check/__main__.py"]),
        ("find s/d -type f -exec sh {} \\;", &both),
        ("find s/d -name '*.sh' | xargs -n 1 sh", &["s/d/two.sh"]),
        ("find s/d -type f | xargs sh", &both),
        ("for i in $(ls s/d); do sh s/d/$i; done", &both),
        ("for i in $(ls s/d); do sh \"s/d/$i\"; done", &both),
        ("for i in $(ls s/d); do wc \"s/d/$i\"; done", &[]),
        ("find s/d -type f -exec wc {} +", &[]),
        ("emacs --batch -l s/x.el data.json", &["s/x.el"]),
        ("emacs --script s/x.el", &["s/x.el"]),
        ("nvim --headless -S s/x.vim data.json", &["s/x.vim"]),
        ("psql -q -f s/x.sql", &["s/x.sql"]),
        ("go run s/x.go data.json", &["s/x.go"]),
        ("go run ./s/go", &["s/go/main.go", "s/go/more.go"]),
        ("go run -tags x ./s/go data.json", &["s/go/main.go", "s/go/more.go"]),
        ("go run -ldflags='-s -w' \"./s/go\"", &["s/go/main.go", "s/go/more.go"]),
        ("cd s/go && go run .", &["s/go/main.go", "s/go/more.go"]),
        ("go run s/go/main.go s/go/more.go", &["s/go/main.go", "s/go/more.go"]),
        ("const app = require('./s/app');", &["s/app/index.js"]),
        ("const app = require(\"../s/app/\")", &["s/app/index.js"]),
        ("import './s/app'", &["s/app/index.js"]),
        ("import { app } from \"./s/app\";", &["s/app/index.js"]),
        ("await import(`./s/app`)", &["s/app/index.js"]),
        ("const data = require('./data.json');", &[]),
        ("cp -r ./s/app out", &[]),
        ("go vet data.json", &[]),
        ("ansible-playbook -v s/x.yml", &["s/x.yml"]),
        ("ansible-playbook -e a=b s/x.yml", &["s/x.yml"]),
        ("ansible-playbook -e 'a=b c=d' --limit all s/x.yml", &["s/x.yml"]),
        (
            "ansible-playbook --extra-vars=\"a=$A\" s/x.yml s/play.yml",
            &["s/x.yml"],
        ),
        ("node --stack-size=9 s/one.js", &["s/one.js"]),
        ("node --title=$(sh s/run) s/one.js", &["s/one.js", "s/run"]),
        ("make check", &make),
        ("make -C s", &["GNUmakefile", "Makefile", "s/Makefile"]),
        ("npx prettier src/*.js README.md", &[]),
        ("for i in src/*.py; do black $i; done", &[]),
        ("for i in *; do sh $i; done", &["hooks/pre-commit"]),
        ("python3 -m json.tool data.json", &[]),
        ("sh -c 'cat data.json'", &[]),
        ("echo \"please make sure that README.md is there\"", &[]),
    ] {
        let tree = Tree::of(&files.map(|path| (path, "")));
        std::fs::create_dir(tree.folder.path().join(".git")).unwrap();
        tree.put("hooks/pre-commit", hook);
        let lookups = Lookups::default();
        let found: BTreeSet<String> = found.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!((tree.called(&lookups), lookups.fell_short()), (found, false), "{hook}");
    }
}

#[test]
fn however_deep_scripts_call_one_another_all_are_found_and_what_of_one_is_too_long_is_told() {
    let tree = Tree::of(&[("hooks/pre-commit", "sh s/0.sh")]);
    let most = 20;
    for number in 0..most {
        tree.put(&format!("s/{number}.sh"), &format!("sh s/{}.sh", number + 1));
    }
    let lookups = Lookups::default();
    assert_eq!((tree.called(&lookups).len(), lookups.fell_short()), (most, false));
    let line = format!("{}\n", "x".repeat(99));
    let long = |length: usize| {
        let text = line.repeat(length / line.len());
        format!("{text}{}sh s/0.sh", " ".repeat(length - text.len() - 9))
    };
    for (length, found, short) in [(LONGEST, most, false), (LONGEST + 9, 0, true)] {
        tree.put("hooks/pre-commit", &long(length));
        let lookups = Lookups::default();
        assert_eq!(
            (tree.called(&lookups).len(), lookups.fell_short()),
            (found, short),
            "{length}"
        );
    }
    // What is no text names nothing, however long it is.
    tree.put("hooks/pre-commit", &format!("\0{}", long(LONGEST + 9)));
    assert_eq!((tree.called(&lookups).len(), lookups.fell_short()), (0, false));
}

#[test]
fn work_is_bounded_by_the_lookups_and_an_ordinary_hook_takes_few() {
    let hook =
        "#!/bin/sh\n. \"$(dirname \"$0\")/_/husky.sh\"\nnpx --no-install lint-staged\nnpm run check -- --fix\n";
    let tree = Tree::of(&[("hooks/pre-commit", hook)]);
    let few = Lookups::of(300);
    assert_eq!((tree.called(&few).len(), few.fell_short()), (0, false));
    // The same words again cost nothing.
    tree.put("hooks/pre-commit", &hook.repeat(100));
    let few = Lookups::of(300);
    assert_eq!((tree.called(&few).len(), few.fell_short()), (0, false));
    let words: String = (0..9_999).map(|number| format!("a{number}/b ")).collect();
    tree.put("hooks/pre-commit", &format!("{words}; sh s/0.sh"));
    tree.put("s/0.sh", "");
    let few = Lookups::of(10_000);
    assert_eq!((tree.called(&few).len(), few.fell_short()), (0, true));
}
