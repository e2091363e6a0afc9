//! What git has of a workspace and is in no copy of it: for a command that no person was asked about it is not there, and git
//! works all the same.

use crate::House;
use crate::unasked::unasked;
use passepartout_host::capability::process::Writes;

/// Runs git outside, as somebody.
fn git(house: &House, line: &str) {
    let line = format!("git() {{ command git -c user.name=a -c user.email=a@b \"$@\"; }}; {line}");
    assert!(house.works_outside(&line), "{line}");
}

fn put(house: &House, name: &str, text: &str) {
    let path = house.workspace().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nMARK\n-----END OPENSSH PRIVATE KEY-----\n";

#[test]
fn what_was_only_added_and_never_committed_is_not_there_however_the_last_commit_is_kept() {
    let house = unasked();
    put(&house, "deep/er/known.env", "A=DEFAULT\n");
    put(&house, "code.rs", "fn one() {}\n");
    git(&house, "git init -q && git add -f . && git commit -qm one");
    for (how, add) in [
        ("true", "srv_key deep/er/.env .env"),
        ("git gc -q", "."),
        ("git pack-refs --all", "."),
    ] {
        put(&house, "srv_key", KEY);
        put(&house, "deep/er/.env", "A=MARK\n");
        put(&house, ".env", "A=MARK\n");
        git(&house, &format!("{how} && git add -f {add}"));
        assert_eq!(house.run("grep -rh MARK . ; cat srv_key").stdout, "", "{how}");
        // What is beside them was committed.
        assert_eq!(house.run("grep -rh DEFAULT .").stdout, "A=DEFAULT\n", "{how}");
    }
    git(&house, "git commit -qm two && git gc -q");
    assert_eq!(
        house.prints("grep -rh A=MARK . | sort -u; grep -c MARK srv_key"),
        "A=MARK\n1\n"
    );
}

#[test]
fn what_was_added_and_is_private_git_does_not_show_either_until_it_is_committed() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(&house, "git init -q && git add . && git commit -qm one");
    let looks = [
        "git diff --cached",
        "git status -v",
        "git show :NAME",
        "git diff --cached --stat -p",
    ];
    for (name, text) in [(".env", "A=MARK\n"), ("notes.txt", KEY), ("id_rsa", KEY)] {
        for put_aside in ["true", "rm NAME"] {
            // By its content it is known as long as it is there.
            if put_aside != "true" && name == "notes.txt" {
                continue;
            }
            put(&house, name, text);
            put(&house, "a.txt", "two\n");
            git(&house, &format!("git add -f . && {}", put_aside.replace("NAME", name)));
            for look in looks.map(|look| look.replace("NAME", name)) {
                house.asked = true;
                assert!(house.run(&look).stdout.contains("MARK"), "{look}");
                house.asked = false;
                let shown = house.run(&look);
                assert!(!shown.stdout.contains("MARK"), "{name}: {look}");
                let why = format!("{name} may be private, and was added and not committed");
                assert!(
                    shown.notes.iter().any(|note| note.contains(&why)),
                    "{look}: {:?}",
                    shown.notes
                );
            }
            // What was committed is shown as ever.
            assert_eq!(house.prints("git log --format=%s; git show HEAD:a.txt"), "one\none\n");
            git(&house, "git reset -q --hard");
        }
    }
    put(&house, ".env", "A=MARK\n");
    git(&house, "git add -f .env");
    assert_eq!(house.run("ls").notes, [""; 0], "it has nothing to do with git");
    git(&house, "git reset -q --hard");
    // What is added and not private is shown, and what is private and committed hides nothing.
    put(&house, ".env", "A=MARK\n");
    git(&house, "git add -f .env && git commit -qm two");
    put(&house, "a.txt", "three\n");
    git(&house, "git add . && touch .env.local && git add -fN .env.local");
    let shown = house.run("git diff --cached; git status --short").stdout;
    assert!(shown.contains("+three") && shown.contains("a.txt"), "{shown}");
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
        "git log -p --graph --tags",
        "git log -z -p --oneline --tags",
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
        house.asked = true;
        assert!(house.run(look).stdout.contains("MARK"), "{look}");
        house.asked = false;
        assert!(!house.run(look).stdout.contains("MARK"), "{look}");
    }
    // Where source code is about keys, a change of one shows no more than the file.
    let source = "fn main() {}\n".repeat(300);
    git(&house, "git checkout -qb sources main");
    put(&house, "keys.rs", &source);
    git(&house, "git add keys.rs && git commit -qm five");
    put(&house, "keys.rs", &format!("{source}{KEY}"));
    git(&house, "git commit -qam six && git checkout -q -f main");
    assert!(house.prints("git show -U0 sources").contains("MARK"));
    let shown = house.run("git log -p --graph mine -- conf").stdout;
    assert!(shown.contains("two") && !shown.contains("MARK"), "{shown}");
    // Of these it is not told of what file each line is.
    for look in [
        "git grep -h MARK mine",
        "git grep -e MARK mine -- conf",
        "git grep MARK other~1",
        "git blame mine -- conf/deploy",
        "git log -L2,3:conf/deploy mine",
    ] {
        house.asked = true;
        assert!(house.run(look).stdout.contains("MARK"), "{look}");
        house.asked = false;
        let shown = house.run(look);
        assert_eq!(
            (shown.stdout.as_str(), shown.exit_code),
            ("", Some(128)),
            "{look}: {shown:?}"
        );
        assert!(shown.stderr.contains("by its hash"), "{look}: {shown:?}");
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
        "git blame -L2,3 -f mine -- conf/deploy",
        "git blame -L2,3 -e mine -- conf/deploy",
        "git blame -L2,3 main..mine -- conf/deploy",
        "git show --relative=conf mine",
        "git diff --relative=conf/ main mine",
        "git log --check mine",
        "git diff --check main mine",
    ] {
        let shown = house.run(look);
        assert_eq!(
            (shown.stdout.as_str(), shown.exit_code),
            ("", Some(128)),
            "{look}: {shown:?}"
        );
    }
    for look in [
        "git grep one",
        "git grep -e one -- a.txt",
        "git grep 'a::b' main; echo $?",
        "git blame -f a.txt",
        "git diff --check",
    ] {
        house.asked = true;
        let all = house.run(look);
        house.asked = false;
        assert_eq!(house.run(look).stdout, all.stdout, "{look}");
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
        "git log -p --graph --format='    diff --git a/x b/x%n    @@ -1,9999 +1,9999 @@' mine",
        "git log -p --format='diff --git a/x b/x%n@@ -1,9999 +1,9999 @@' mine",
        "git log -p -z --format='diff --git a/x b/x%n@@ -1,9999 +1,9999 @@' mine",
        "git show patches:x.patch",
        "git cat-file -p patches:x.patch",
    ] {
        house.asked = true;
        assert!(house.run(look).stdout.contains("MARK"), "{look}");
        house.asked = false;
        let shown = house.run(look);
        assert!(!shown.stdout.contains("MARK"), "{look}: {shown:?}");
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
        house.asked = true;
        assert!(house.run(look).stdout.contains("MARK"), "{look}");
        house.asked = false;
        assert!(!house.run(look).stdout.contains("MARK"), "{look}");
    }
    // All else is as ever.
    for look in [
        "git show main:a.txt; git grep -n one; git grep one HEAD; git grep one main; git blame -s a.txt; git log --format=%s main",
        "git log --all --format=%s; git diff --stat main mine; git status --short; git show --stat mine",
        "git show --no-such; echo $?; git no-such 2>&1; git show main:b; echo $?; git; git --version",
        "git diff --quiet main mine; echo $?; git diff --exit-code main other; echo $?; git cat-file -e mine:b; echo $?",
        "git log -p main | head -n 3; git rev-parse mine; git -C . -c a.b=c show main",
    ] {
        house.asked = true;
        let all = house.run(look);
        house.asked = false;
        let shown = house.run(look);
        assert_eq!((shown.stdout, shown.stderr), (all.stdout, all.stderr), "{look}");
    }
    assert_eq!(
        house.prints("git branch --format='%(refname:short)'"),
        "main\nmoved\nother\npatches\nsources\nthird\n"
    );
    assert_eq!(house.prints("git show mine:a.txt"), "two\n");
}

#[test]
fn no_folder_shows_what_git_keeps_of_every_version_and_git_itself_does() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    // So that it can be seen where it lies.
    git(
        &house,
        "git init -q && git config core.compression 0 && git add . && git commit -qm one && git worktree add -q tree",
    );
    put(&house, "a.txt", "MARK packed\n");
    git(
        &house,
        "git stash -q && git gc -q && git clone -q --bare . bare.git && git init -q sub && cp -r sub/.git .git/modules",
    );
    put(&house, "a.txt", "MARK loose\n");
    git(&house, "git stash -q && git -C bare.git config core.compression 0");
    put(&house, "objects/mine.txt", "mine\n");
    put(&house, "refs/mine.txt", "mine\n");
    let all = "find . -type f -exec cat {} + | grep -a MARK | wc -l; find . -name '*.pack' -exec cat {} + | wc -c";
    house.asked = true;
    let shown = house.prints(all);
    assert!(!shown.starts_with("0\n") && !shown.ends_with("\n0\n"), "{shown}");
    let looks = "git log --format=%s; git status --short; git stash list; git stash show -p; git show --stat stash@{1}; git diff; \
                 git -C tree log -p; git -C tree status --short; git blame a.txt; git --git-dir=bare.git log -p; git cat-file -p \
                 HEAD:a.txt; git ls-tree -r HEAD; cat objects/mine.txt";
    let before = house.prints(looks);
    assert!(before.contains("MARK loose"), "{before}");
    house.asked = false;
    for (link, target) in [("run", "/run"), ("kept", "/run/git")] {
        std::os::unix::fs::symlink(target, house.workspace().join(link)).unwrap();
    }
    git(&house, "printf 'run\nkept\n' >> .git/info/exclude");
    for writes in [Writes::Refused, Writes::Allowed] {
        house.writes = writes;
        assert_eq!(house.prints(all), "0\n0\n");
        assert_eq!(house.run("find -L . -name '*.pack'; ls kept/").stdout, "");
        assert_eq!(house.prints(looks), before);
    }
}

#[test]
fn what_shares_the_objects_of_another_repository_works() {
    let house = unasked();
    put(&house, "own/a.txt", "one\n");
    git(
        &house,
        "cd own && git init -q && git add . && git commit -qm one && cd .. && git clone -q --shared own other && \
         mkdir x && mv other/.git/objects x/objects && ln -s ../../x/objects other/.git/objects",
    );
    assert_eq!(
        house.prints("git -C other log -p --format=%s"),
        house.prints("git -C own log -p --format=%s")
    );
    assert_eq!(house.prints("git -C other status --short"), "");
}

#[test]
fn what_gits_settings_name_opens_nothing() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    put(
        &house,
        "committed",
        "[http]\n\textraHeader = Authorization: COMMITTED\n",
    );
    git(&house, "git init -q && git add . && git commit -qm one");
    put(
        &house,
        "team/settings",
        "[url \"https://me:MARK@example.org/\"]\n\tinsteadOf = x:\n[alias]\n\tst = status\n[include]\n\tpath = more\n",
    );
    put(
        &house,
        "team/more",
        "[http]\n\textraHeader = Authorization: MARK\n\tcookieFile = jar/own\n",
    );
    put(&house, "jar/own", "example.org\tMARK\n");
    put(&house, "creds", "https://me:MARK@example.org\n");
    put(&house, "other creds", "plain\n");
    put(&house, "tls", "MARK in no known form\n");
    put(&house, ".git/remotes/old", "URL: https://me:MARK@example.org/a\n");
    put(&house, ".git/branches/old", "https://me:MARK@example.org/a\n");
    git(
        &house,
        "git config include.path ../team/settings && git config includeIf.gitdir:x.path ../committed && \
         git config credential.helper 'store --file=creds' && git config http.https://example.org.sslKey tls",
    );
    let look = "find . -type f -not -path '*/objects/*' -exec cat {} +";
    house.asked = true;
    assert!(house.prints(look).matches("MARK").count() >= 7);
    house.asked = false;
    for writes in [Writes::Refused, Writes::Allowed] {
        house.writes = writes;
        let found = house.run(look).stdout;
        assert!(!found.contains("MARK"), "{found}");
        for shown in ["hidden@example.org", "COMMITTED", "plain"] {
            assert!(found.contains(shown), "{shown}: {found}");
        }
        assert_eq!(
            house.prints("git config alias.st; git log --format=%s"),
            "status\none\n"
        );
        assert_eq!(house.prints("git status --short -- a.txt committed"), "");
    }
}

#[test]
fn notes_are_shown_to_who_was_asked() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(
        &house,
        "git init -q && git add . && git commit -qm one && git notes add -m 'MARK one' && \
         git notes --ref=more add -m 'MARK two' && git config notes.displayRef 'refs/notes/*'",
    );
    let look = "git log; git show; git log --notes";
    assert_eq!(house.prints(look).matches("MARK").count(), 0);
    assert_eq!(house.prints("git log --format=%s"), "one\n");
    git(&house, "git config core.notesRef refs/notes/more");
    assert_eq!(house.prints(look).matches("MARK").count(), 0);
    house.asked = true;
    assert!(house.prints("git log").contains("MARK two"));
}
