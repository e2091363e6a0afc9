//! What git has of a workspace and is in no copy of it: for a command that no person was asked about it is not there, and git
//! works all the same.

use crate::House;
use crate::unasked::unasked;
use passepartout_host::capability::process::Writes;

/// Runs git outside, as somebody.
pub(crate) fn git(house: &House, line: &str) {
    let line = format!("git() {{ command git -c user.name=a -c user.email=a@b \"$@\"; }}; {line}");
    assert!(house.works_outside(&line), "{line}");
}

pub(crate) fn put(house: &House, name: &str, text: &str) {
    let path = house.workspace().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nMARK\n-----END OPENSSH PRIVATE KEY-----\n";

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
        house.prints("git --git-dir=other/.git log -p --format=%s"),
        house.prints("git --git-dir=own/.git log -p --format=%s")
    );
    assert_eq!(
        house.prints("git --git-dir=other/.git --work-tree=other status --short"),
        ""
    );
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
