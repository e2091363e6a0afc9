//! What git shows of other versions to a command that no person was asked about: nothing that is private.

use crate::House;
use crate::gits::{KEY, git, put};
use crate::unasked::unasked;
use passepartout_host::capability::process::Output;

/// What comes of it where nobody was asked. Where a person was it shows something private.
pub(crate) fn hides(house: &mut House, look: &str) -> Output {
    house.asked = true;
    assert!(house.run(look).stdout.contains("MARK"), "{look}");
    house.asked = false;
    let shown = house.run(look);
    assert!(!shown.stdout.contains("MARK"), "{look}: {shown:?}");
    shown
}

pub(crate) fn is_refused(look: &str, shown: &Output) {
    let found = (shown.stdout.as_str(), shown.exit_code);
    assert_eq!(found, ("", Some(128)), "{look}: {shown:?}");
}

/// Whoever was asked, the same comes of it.
pub(crate) fn is_as_ever(house: &mut House, look: &str) {
    house.asked = true;
    let all = house.run(look);
    house.asked = false;
    let shown = house.run(look);
    assert_eq!((shown.stdout, shown.stderr), (all.stdout, all.stderr), "{look}");
}

#[test]
fn of_versions_that_git_has_it_shows_nothing_private_to_whom_nobody_was_asked_about() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    put(&house, "conf/deploy", KEY);
    put(&house, ".env", "A=MARK\n");
    put(&house, "a.txt", "two\n");
    git(
        &house,
        "git add -f . && git commit -qm two && git tag mine && git reset -q --hard HEAD~1 && git checkout -qb other mine \
         && git rm -qrf conf .env && git commit -qm three && git checkout -q main",
    );
    let looks = [
        "git show mine",
        "gi''t show mine",
        "x=git; $x show mine",
        "/usr/bin/git show mine",
        "git log -p other",
        "git log -p --oneline --tags",
        "git diff main mine",
        "git diff --color=always main...mine -U10 | cat",
        "git show --color-words mine",
        "git show --word-diff mine -- conf",
        "git show mine:conf/deploy",
        "git cat-file -p mine:conf/deploy",
        "git log -p main..other | sed s/x/x/ >&2",
        "git show mine | tail -n 5",
        "git show mine | cut -c2- | rev | rev",
        "git log -p --tags | grep MARK",
        "echo $(git show mine)",
        "git show mine | while read -r a; do echo $a; done",
        "git show --oneline mine | base64 | base64 -d",
    ];
    for look in looks {
        house.asked = true;
        let all = house.run(look);
        let all = format!("{}{}", all.stdout, all.stderr);
        assert!(all.contains("MARK"), "{look}");
        house.asked = false;
        let shown = house.run(look);
        let printed = format!("{}{}", shown.stdout, shown.stderr);
        assert!(!printed.contains("MARK"), "{look}: {printed}");
        assert!(printed.contains("no person was asked"), "{look}: {printed}");
        // What is beside it in a comparison is shown.
        if !look.contains('|') {
            assert_eq!(printed.contains("two"), all.contains("two"), "{look}: {printed}");
        }
    }
    // A line of a key says by itself that it is one no more than any other.
    let longer = KEY.replace("\nMARK", "\nMARKb3BlbnNzaC1rZXktdjEAAAAABG5v\nc2FtZQ");
    git(&house, "git checkout -qb third mine");
    put(&house, "conf/deploy", &longer);
    git(&house, "git commit -qam middle");
    put(&house, "conf/deploy", &longer.replace("MARKb3", "MARKx3"));
    git(
        &house,
        "git add -f conf && git commit -qm four && git checkout -q -f main",
    );
    for look in [
        "git show -U0 third",
        "git show --color-words -U0 third | cat",
        "git diff -U0 third~1 third | grep MARK",
    ] {
        hides(&mut house, look);
    }
    // Where source code is about keys, a change of one shows no more than the file.
    let source = "fn main() {}\n".repeat(300);
    git(&house, "git checkout -qb sources main");
    put(&house, "keys.rs", &source);
    git(
        &house,
        "git tag $(git rev-parse --short third:conf/deploy) main && git tag $(git rev-parse --short third~1:conf/deploy) main",
    );
    assert!(!house.run("git show -U0 third").stdout.contains("MARK"));
    git(&house, "git add keys.rs && git commit -qm five");
    let begins = "// -----BEGIN OPENSSH PRIVATE KEY-----\n// is how one begins\n";
    put(&house, "keys.rs", &format!("{source}{KEY}{begins}{source}"));
    git(&house, "git commit -qam six && git checkout -q -f main");
    assert!(house.prints("git show -U0 sources").contains("MARK"));
    let shown = house.run("git log -p mine -- conf").stdout;
    assert!(shown.contains("two") && !shown.contains("MARK"), "{shown}");
    // Of these it is not told of what file each line is.
    for look in [
        "git grep -h MARK mine",
        "git grep -e MARK mine -- conf",
        "git grep MARK other~1",
        "git blame mine -- conf/deploy",
        "git log -L2,3:conf/deploy mine",
    ] {
        let shown = hides(&mut house, look);
        is_refused(look, &shown);
        assert!(shown.stderr.contains("asks a person"), "{look}: {shown:?}");
    }
    // What is meant is another version, however it is written.
    for look in [
        "git grep MARK mine:",
        "git grep -n MARK 'mine:' --",
        "git grep -h -v -e BEGIN mine:conf/deploy",
        "git grep -h -eMAR mine",
        "git grep -h -eSe -e MARK mine",
        "git grep -e MARK -L mine -c",
        "git grep -h -- MARK mine",
        "git show -s --format='diff --git a/x.rs b/x.rs%nindex %t..%t%n@@ -1,9999 +1,9999 @@' mine mine:conf/deploy",
        "git show main:a.txt --tags",
        "git show 'mine^!' main:a.txt",
        "git show main:a.txt 'mine^@'",
        "git diff --check -R -3",
        "git diff --check -R",
        "git diff --check --cached",
        "git grep --cached one",
        "git grep --ca one",
        "git diff main..mine:conf",
        "yes n | git reset -p mine",
        "yes n | git reset -qp mine",
        "yes n | git checkout -fp mine",
        "git grep --end-of-options MARK mine",
        "git show $'mine\\r'",
        "git lfs show mine",
        "git no-such mine",
        "git show --branches=oth* main:a.txt",
        "git blame -L2,3 -- conf/deploy mine",
        "git blame -L2,3 'mine^!' -- conf/deploy",
        "git blame --reverse mine..other -- a.txt",
        "git blame -L2,3 -- conf/deploy 'mine^-'",
        "git blame -L2,3 -f mine -- conf/deploy",
        "git blame -L2,3 -e mine -- conf/deploy",
        "git blame -L2,3 main..mine -- conf/deploy",
        "git log -p --graph mine",
        "git log --graph --format= -p mine",
        "git log --graph --left-right --format= -p main...mine -- conf/deploy",
        "git log -z -p --oneline mine",
        "git show -z mine",
        "git show --color-words='.|=none' mine",
        "git show --line-prefix='| ' mine",
        "git show --word-diff-regex=.=none mine",
        "git show --output-indicator-new=@ mine",
        "git log --decorate-refs -- --relative=conf -p mine",
        "git --shallow-file branch show mine",
        "git show --binary mine",
        "git show 'mine^{/two}'",
        "git show :/two",
        "git diff main: mine:conf",
        "git diff mine:conf main:",
        "git diff-tree -p mine",
        "git format-patch --stdout main..mine",
        "git archive mine",
        "git reflog --binary mine",
        "git reflog --check mine",
        "git fast-export mine",
        "git cat-file --batch-all-objects --batch",
        "git range-diff main mine other",
        "git -C --version -c a.b=c show --graph mine",
        "git diff --check 'mine^!'",
        "git diff --check -R --tags=mine",
        "git show --relative=conf mine",
        "git diff --relative=conf/ main mine",
        "git log --check mine",
        "git diff --check main mine",
    ] {
        is_refused(look, &house.run(look));
    }
    for look in [
        "git grep one",
        "git grep -e one -- a.txt",
        "git grep 'a::b' main; echo $?",
        "git blame -f a.txt",
        "git diff --check",
    ] {
        is_as_ever(&mut house, look);
    }
    // What a format or a message says is no head of a file, or counts beside the next one.
    put(
        &house,
        "x.patch",
        &format!("diff --git a/x.rs b/x.rs\n@@ -1,9999 +1,9999 @@\n{KEY}"),
    );
    git(
        &house,
        "git checkout -qb patches && git add x.patch && git commit -qm seven && git checkout -q -f main",
    );
    for look in [
        "git log -p --format='diff --git a/x b/x%n@@ -1,9999 +1,9999 @@' mine",
        "git log -p --format='%b%x00diff --git a/x b/x%n@@ -1,9999 +1,9999 @@%x1b[' mine",
        "git show --date format:%H:%M mine",
        "git show --grep 't[w:]o' --tags",
        "git show --until 23:59:00 mine",
        "git show patches:x.patch",
        "git cat-file -p patches:x.patch",
    ] {
        hides(&mut house, look);
    }
    // What it was called counts as well as what it is.
    git(
        &house,
        "git checkout -qb moved mine && git mv .env sample.txt && echo B=2 >> sample.txt && git commit -qam moved",
    );
    git(&house, "git checkout -q -f main");
    for look in [
        "git show moved",
        "git diff mine moved",
        "git log -p -1 --follow moved -- sample.txt",
        "git show --word-diff moved",
    ] {
        hides(&mut house, look);
    }
    // All else is as ever.
    for look in [
        "git show main:a.txt; git grep -n one; git grep one HEAD; git grep one main; git blame -s a.txt; git log --format=%s main",
        "git log --all --format=%s; git diff --stat main mine; git status --short; git show --stat mine",
        "git show no-such; echo $?; git show main:b; echo $?; git; git --version",
        "git diff --quiet main mine; echo $?; git diff --exit-code main other; echo $?; git cat-file -e mine:b; echo $?",
        "git log -p main | head -n 3; git rev-parse mine; git -C . -c a.b=c show main",
        "git log --graph --oneline --all; git log --graph -z --stat mine; git log --date=iso mine; git show -s --format=%H%x00 mine",
        "git log --cherry-pick --oneline main...other; git grep one ':!docs'; git grep one -- ':^docs'; git show --format='%h %s' main",
        "git show --oneline -U1 -M90% main; git blame -sw a.txt; git blame -L1,1 HEAD -- a.txt; git blame -- a.txt",
        "git diff main..other --stat; git log -p -1 -S one -- a.txt; git show --color=always main; git diff --cached; git stash list",
        "git log main --format=%s --since 2000-01-01 --grep one; git log -1 -p --format='%h %s' main; git show --name-only --format= mine",
    ] {
        is_as_ever(&mut house, look);
    }
    assert_eq!(
        house.prints("git branch --format='%(refname:short)'"),
        "main\nmoved\nother\npatches\nsources\nthird\n"
    );
    assert_eq!(house.prints("git show mine:a.txt"), "two\n");
}

#[test]
fn what_git_shows_under_a_name_that_does_not_say_what_file_it_is_is_withheld() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    put(&house, "logo.png", "\0\u{1}\0\n");
    put(&house, "lib.rs", &format!("{}{KEY}", "fn main() {}\n".repeat(300)));
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    put(&house, ".env", "A=MARK\n");
    put(&house, "secrets/prod.yml", "password: MARK\n");
    put(&house, "secrets/a..b.yml", "password: MARK\n");
    put(
        &house,
        "conf/age.txt",
        &format!("AGE-SECRET-KEY-1{}MARK\n", "Q".repeat(54)),
    );
    put(&house, "b.txt", "two\n");
    git(
        &house,
        "git add -f . && git commit -qm two && git tag mine && git tag file mine:.env && git tag folder mine:secrets \
         && git tag -a -m three told file && git reset -q --hard HEAD~1 && mkdir secrets",
    );
    for look in [
        "git show file",
        "git show told",
        "git show refs/tags/file^{}",
        "git show --tags",
        "git show --oneline --glob='*file'",
        "git cat-file -p file",
        "git cat-file blob file",
        "git diff file main:a.txt",
        "git diff main:a.txt file",
        "git diff main:a.txt..file",
        "git show folder:prod.yml",
        "git diff main folder",
        "git cat-file -p folder:prod.yml",
        "git show folder^{tree}:prod.yml",
        "git -C . -c a.b=$'\\xff' show file",
        "git config --blob mine:.env -l",
        "git config --blob=file -l",
        "git for-each-ref --format='%(raw)' refs/tags/file",
        "git tag -l --format='%(*raw)' told",
    ] {
        let shown = hides(&mut house, look);
        is_refused(look, &shown);
        assert!(shown.stderr.contains("asks a person"), "{look}: {shown:?}");
    }
    // Where the file is said, that counts.
    for look in [
        "git show mine:.env",
        "git cat-file -p mine:.env",
        "git cat-file blob mine:./.env",
        "git cat-file -p mine:secrets/a..b.yml",
        "git show mine:secrets/a..b.yml",
        "cd secrets && git cat-file -p mine:../.env",
        "git show main:a.txt mine:secrets/prod.yml",
        "git show main:logo.png mine:conf/age.txt",
        "git show main:lib.rs main:a.txt mine:conf/age.txt",
        "git -C secrets show mine:./prod.yml",
        "cd secrets && git show mine:../.env",
        "git show 'mine^{tree}:.env'",
    ] {
        let shown = hides(&mut house, look);
        assert!(shown.stderr.contains("no person was asked"), "{look}: {shown:?}");
    }
    // All else is as ever.
    for look in [
        "git show mine:b.txt; git show 'main^{tree}'; git cat-file -p 'mine^{tree}'; git show mine:secrets; git show main^{}",
        "git diff main mine --stat; git diff main..mine -- b.txt; git diff mine^{tree} main -- b.txt",
        "git log mine -- b.txt; git tag -l file; git show main a.txt; cd secrets && git show mine:../b.txt",
        "git grep BEGIN; git grep -n 'fn main'; git blame -s lib.rs; git show main:lib.rs; git grep one main:; git grep one HEAD:",
        "git blame no-such; git blame -wC a.txt; cd secrets; git blame a.txt; git blame ../a.txt; git show HEAD:../lib.rs HEAD:a.txt",
        "mkdir /tmp/x && cd /tmp/x && echo 1 > a && echo 2 > b && git diff a b; git show main; echo $?",
    ] {
        is_as_ever(&mut house, look);
    }
}

#[test]
fn git_is_of_the_workspace_wherever_in_it_it_is_called_and_of_no_other_repository_there() {
    let mut house = unasked();
    put(&house, "src/deep/a.txt", "one\n");
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    put(&house, "src/deep/a.txt", "two\n");
    for look in [
        "cd src && git status -s && git log --format=%s -- deep/a.txt && git show HEAD:./deep/a.txt; git blame -s deep/a.txt",
        "git -C src -C deep diff --stat; git -C src grep -n two; git -C src ls-files; cd src/deep; git diff a.txt",
        "cd src; git stash list; git -C no-such status; echo $?",
    ] {
        is_as_ever(&mut house, look);
    }
    git(&house, "git worktree add -q tree");
    is_as_ever(
        &mut house,
        "git -C tree log -p --format=%s; cd tree/src && git status -s && git show HEAD:./deep/a.txt",
    );
    // The configuration of another one may have come with it, and names a program.
    put(&house, "vendor/lib/b.txt", "three\n");
    put(&house, "vendor/lib/sub/c.txt", "three\n");
    git(
        &house,
        "cd vendor/lib && git init -q && git add . && git config core.fsmonitor 'echo MARK >&2; false' && ln -s vendor/lib ../../link",
    );
    for look in [
        "cd vendor/lib && git status",
        "git -C vendor/lib/sub status",
        "cd link/sub && git status",
        "cd vendor && git -C lib ls-files -m",
    ] {
        house.asked = true;
        assert!(house.run(look).stderr.contains("MARK"), "{look}");
        house.asked = false;
        let shown = house.run(look);
        is_refused(look, &shown);
        assert!(
            shown.stderr.contains("vendor/lib/.git --work-tree="),
            "{look}: {shown:?}"
        );
        assert!(!shown.stderr.contains("MARK"), "{look}: {shown:?}");
    }
    is_as_ever(&mut house, "cd vendor && git status -s && git -C lib --version");
    // Git reads what leads to a work tree to the blank.
    git(
        &house,
        "cp -r .git/worktrees/tree .git/worktrees/other && echo ../../../vendor/lib/.git > .git/worktrees/other/commondir",
    );
    for (name, leads) in [
        ("s1", "gitdir:  ../.git/worktrees/tree\n"),
        ("s2", "gitdir: w \n"),
        ("s3", "gitdir: ../.git/worktrees/other\n"),
    ] {
        put(&house, &format!("{name}/.git"), leads);
        put(&house, &format!("{name}/w /x"), "");
        std::os::unix::fs::symlink("../.git/worktrees/tree", house.workspace().join(name).join("w")).unwrap();
        let look = format!("git -C {name} status");
        is_refused(&look, &house.run(&look));
    }
}
