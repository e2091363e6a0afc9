#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::grammar::{NAMING, PATCHES, PLAIN};
use super::line::Line;
use super::withheld::Plan;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n\
                   MARK\nMARKb3BlbnNzaC1rZXktdjEAAAAABG5v\n-----END OPENSSH PRIVATE KEY-----\n";

/// A repository of which the last commit has nothing private, and a tag, a branch and what was stashed have.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["conf", "secrets", ".aws", "sub"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let git = |script: &str| {
        let done = Command::new("sh")
            .args(["-ec", script])
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(done.status.success(), "{script}: {done:?}");
    };
    put("a.txt", "one\n");
    put("sub/e.txt", "one\n");
    put("b c.txt", "one\r\ntwo  \n");
    git(
        "git init -q -b main && git config user.name a && git config user.email a@b && git add . && git commit -qm one",
    );
    put("conf/deploy", KEY);
    put(".env", "A=MARK  \r\nB=--MARK\n");
    put("secrets/prod.yml", "password: MARK\n");
    put(".aws/config", "key = MARK");
    put("a.txt", "two\n");
    git("git add -f . && git commit -qm 'two: diff' -m 'diff --git a/x b/x\n@@ -1,99 +1,99 @@' && git tag mine");
    put("conf/deploy", &KEY.replace("MARKb3", "MARKx3"));
    put(".env", "A=MARK2\nB=MARK\nC=MARK\n");
    git(
        "git mv a.txt d.txt && git commit -qam three && git branch side && git tag file mine:.env && git tag folder mine:secrets",
    );
    git(
        "git reset -q --hard HEAD~2 && echo three > a.txt && git commit -qam four && git merge -q -s ours side -m five",
    );
    put("a.txt", "STASHED\n");
    put(".env", "A=MARK\n");
    git("git add -f . && git stash -q && git tag -a -m 'diff --git a/x b/x' told file");
    // What was merged had a private name on one side alone.
    let lines = |tenth: &str| format!("{}{tenth}\n{}", "line\n".repeat(9), "line\n".repeat(10));
    git("git checkout -qb moved main && mkdir -p secrets");
    put("secrets/long.yml", &lines("line"));
    git("git add -f . && git commit -qm six && git checkout -qb kept && git checkout -q moved");
    put("secrets/long.yml", &lines("x"));
    git("git add -f . && git mv secrets/long.yml long.txt && git commit -qm seven && git checkout -q kept");
    put("secrets/long.yml", &lines("--MARK"));
    git("git commit -qam eight && ! git merge -q moved");
    put("long.txt", &lines("y"));
    git("git add -f . && git commit -qm nine && git tag merged && git checkout -q main && git branch -qD kept moved");
    // What was taken back is in the log of a branch that another one follows; what stands for parents is in no copy.
    put("g.txt", "STASHED\n");
    git(
        "git add g.txt && git commit -qm ten && git reset -q --hard HEAD~1 && git checkout -qb topic --track main \
         && echo $(git rev-parse HEAD stash) > .git/info/grafts",
    );
    // What stands for a module is a commit that no branch has.
    git("git update-index --add --cacheinfo 160000,$(git rev-parse stash),module && git commit -qm eleven");
    // The index alone has it.
    put("f.txt", KEY);
    git("git add f.txt");
    put("f.txt", "clean\n");
    folder
}

/// What comes of it.
fn printed(folder: &Path, words: &[String]) -> String {
    let folder = folder.as_os_str().to_owned();
    let all = [OsString::from("-C"), folder]
        .into_iter()
        .chain(words.iter().map(OsString::from));
    let line = Line::of(Path::new("git"), all.collect());
    let out = match line.plan() {
        Plan::Withheld(_) => Vec::new(),
        Plan::AsItIs => line.as_it_is().stdin(Stdio::null()).output().unwrap().stdout,
        Plan::Through(how) => {
            let mut out = Vec::new();
            line.through(how, &mut out, Stdio::null()).unwrap();
            out
        }
    };
    String::from_utf8_lossy(&out).into_owned()
}

/// Hashes of what is in a tag, of what was stashed, of files and of folders.
fn hashes(folder: &Path) -> Vec<String> {
    let hash = |name: &str| {
        let told = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["rev-parse", name])
            .output()
            .unwrap();
        String::from_utf8(told.stdout).unwrap().trim_end().to_owned()
    };
    let stash = hash("refs/stash");
    let short = stash[..7].to_owned();
    let behind = ["^", "^2", "^!", ":a.txt", "..HEAD", "^{tree}"].map(|behind| format!("{short}{behind}"));
    let others = ["mine", "merged", "mine:.env", "mine:secrets", "stash:a.txt", "stash^2"].map(hash);
    let short_ones = others.clone().map(|other| other[..9].to_owned());
    let ranges = [
        format!("HEAD...{short}"),
        format!("x-1-g{short}"),
        format!("^{short}"),
        format!("{short}:../a.txt"),
        format!("HEAD:y-g{short}"),
        format!("a~b-g{short}^!"),
        format!("main..x:y-g{stash}"),
        format!("main:x.rs-g{}", hash("mine:.env")),
    ];
    [
        vec![stash.clone(), stash, short],
        behind.into(),
        others.into(),
        short_ones.into(),
        ranges.into(),
    ]
    .concat()
}

fn word(hashes: Vec<String>) -> impl Strategy<Value = String> {
    let options = [PLAIN, PATCHES, NAMING].concat();
    let values = [
        "",
        "=",
        "=1",
        "=none",
        "=x",
        "=side",
        "=*",
        "5",
        "=%b%n",
        "=oneline",
        "=format:%x00%b",
        "=plain",
        "=0",
    ];
    let words = [
        "mine",
        "merged",
        "merged",
        "merged^!",
        "merged^@",
        "merged^1",
        "merged^2",
        "@{u}@{1}",
        "topic@{u}@{1}^!",
        "HEAD@{u}@{1}:g.txt",
        "side",
        "main",
        "HEAD",
        "HEAD~1",
        "main..side",
        "mine...side",
        "..mine",
        "mine^!",
        "side^-",
        "^main",
        "mine:.env",
        "side:conf/deploy",
        "mine:secrets",
        "mine:",
        "mine:a.txt",
        "main:a.txt",
        "side:./.aws/config",
        "mine:.env..main:a.txt",
        "mine:../.env",
        "side:../conf/deploy",
        "main:./e.txt",
        "../conf",
        "HEAD:module",
        "topic:module",
        "HEAD:module^{tree}",
        "HEAD:module:g.txt",
        "HEAD:module..main",
        "file",
        "folder",
        "folder:prod.yml",
        "told",
        "told^{}",
        "refs/stash",
        "stash@{0}",
        "mine^{tree}",
        ":/two",
        "mine^{/t.o}",
        ":.env",
        ":0:.env",
        ":f.txt",
        "f.txt",
        "conf/deploy",
        ".env",
        ".",
        ":(top)conf",
        "--",
        "--",
        "-A9",
        "--literal-pathspecs",
        "-1",
        "5",
        "-L1,3:conf/deploy",
        "--check",
        "--binary",
        "--no-prefix",
        "--line-prefix=x",
        "-e",
    ];
    prop_oneof![
        4 => prop::sample::select(options.clone()).prop_map(str::to_owned),
        1 => (prop::sample::select(options), prop::sample::select(values.to_vec()))
            .prop_map(|(option, value)| format!("{option}{value}")),
        3 => prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => prop::sample::select(hashes),
    ]
}

#[test]
fn whatever_git_is_told_it_shows_nothing_private_of_another_version() {
    let folder = repository();
    let commands = [
        "log",
        "log",
        "log",
        "show",
        "show",
        "show",
        "diff",
        "diff",
        "diff",
        "whatchanged",
        "reflog",
        "blame",
        "grep",
        "cat-file",
        "cat-file -p",
        "cat-file blob",
        "stash show",
        "tag -l",
        "for-each-ref",
        "ls-tree",
        "rev-list",
    ];
    let settings = [
        "color.ui=always",
        "core.abbrev=4",
        "core.quotePath=false",
        "diff.colorMoved=zebra",
        "diff.context=0",
        "diff.external=cat",
        "diff.interHunkContext=5",
        "diff.mnemonicPrefix=true",
        "diff.noprefix=true",
        "diff.relative=true",
        "diff.renames=copies",
        "diff.srcPrefix=x",
        "diff.suppressBlankEmpty=true",
        "diff.wordRegex=.",
        "diff.wsErrorHighlight=all",
        "format.pretty=format:%x00%B%x00",
        "log.diffMerges=first-parent",
        "stash.showPatch=true",
    ];
    let told = (
        prop::collection::vec(prop::sample::select(settings.to_vec()), 0..3),
        prop::sample::select(vec!["", "sub"]),
        prop::sample::select(commands.to_vec()),
        prop::collection::vec(word(hashes(folder.path())), 0..5),
    );
    let done = TestRunner::default().run(&told, |(settings, place, command, words)| {
        let set = settings.iter().flat_map(|setting| ["-c", *setting]);
        let words: Vec<String> = set.chain(command.split(' ')).map(str::to_owned).chain(words).collect();
        let found = printed(&folder.path().join(place), &words);
        prop_assert!(!found.contains("MARK"), "{words:?}: {found}");
        // About what is called so a person is asked before.
        let is_asked = words.iter().any(|word| word.contains("stash") || word == "reflog");
        prop_assert!(is_asked || !found.contains("STASHED"), "{words:?}: {found}");
        Ok(())
    });
    done.unwrap();
    // It has something that would be shown.
    let all = Command::new("git")
        .arg("-C")
        .arg(folder.path())
        .args(["show", "mine"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&all.stdout).contains("MARK"));
}
