//! What git shows of a merge that is not done to a command that no person was asked about: nothing that a side calls after secrets.

use crate::gits::{git, put};
use crate::unasked::unasked;
use crate::versions::{hides, is_as_ever, is_refused};

#[test]
fn what_a_side_of_a_merge_calls_a_file_counts_until_it_is_done() {
    let mut house = unasked();
    let lines = |tenth: &str| format!("{}{tenth}\n{}", "line\n".repeat(9), "line\n".repeat(10));
    put(&house, "secrets/pw", &lines("line"));
    put(&house, "a.txt", "one\n");
    git(
        &house,
        "git init -q -b main && git add -f . && git commit -qm base && git checkout -qb side && mkdir conf",
    );
    put(&house, "secrets/pw", &lines("MARK"));
    put(&house, "a.txt", "two\n");
    git(
        &house,
        "git commit -qam side && git checkout -q main && git mv secrets/pw conf/app.txt",
    );
    put(&house, "conf/app.txt", &lines("clean"));
    put(&house, "a.txt", "three\n");
    git(&house, "git commit -qam ours; git merge -q side || true");
    put(&house, "conf/app.txt", &lines("other"));
    for look in [
        "git diff",
        "git diff --cc",
        "git diff -c",
        "git diff --word-diff",
        "git show :3:conf/app.txt",
        "git cat-file -p :3:conf/app.txt",
        "git diff :2:conf/app.txt :3:conf/app.txt",
        "git diff main:conf/app.txt :3:conf/app.txt",
        "git diff main:conf/app.txt ^:3:conf/app.txt",
        "git diff ^:3:conf/app.txt a.txt",
        "git diff a.txt conf/app.txt",
        "git diff . .",
        "git diff --cc -- . a.txt",
    ] {
        let shown = hides(&mut house, look);
        is_refused(look, &shown);
    }
    is_as_ever(
        &mut house,
        "git status -s; git diff --stat; git log -p main -- a.txt; git ls-files -u",
    );
    git(&house, "git checkout -q --ours conf/app.txt && git add conf");
    // Of what is left nothing has another name.
    is_as_ever(&mut house, "git diff; git show :3:a.txt; git diff --cc");
}

#[test]
fn what_was_put_aside_and_does_not_fit_counts_by_its_own_name_too() {
    let mut house = unasked();
    let lines = |tenth: &str| format!("{}{tenth}\n{}", "line\n".repeat(9), "line\n".repeat(10));
    put(&house, ".env", &lines("line"));
    put(&house, "a.txt", "one\n");
    git(
        &house,
        "git init -q -b main && git add -f . && git commit -qm base && git mv .env notes.txt",
    );
    put(&house, "notes.txt", &lines("clean"));
    git(&house, "git add . && git stash -q");
    put(&house, ".env", &lines("MARK"));
    git(&house, "git add -f .env && git stash pop -q || true");
    put(&house, "notes.txt", &lines("other"));
    put(&house, "a.txt", "two\n");
    for look in [
        "git status -vv",
        "git status -v -v",
        "git status --verbose --verbose",
        "git diff",
        "git diff a.txt notes.txt",
    ] {
        hides(&mut house, look);
    }
}
