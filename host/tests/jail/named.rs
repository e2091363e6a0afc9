//! Names that git knows beside those of branches and tags: what they stand for is shown to nobody who was not asked.

use crate::gits::{KEY, git, put};
use crate::unasked::unasked;
use crate::versions::{hides, is_as_ever};

#[test]
fn a_tag_of_a_tag_of_a_file_is_a_name_of_less_than_a_commit() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    put(&house, "conf/deploy", KEY);
    put(&house, ".env", "A=MARK\n");
    git(
        &house,
        "git add -f . && git commit -qm two && git tag -a -m i inner HEAD:.env && git tag -a -m o outer inner && git tag -d inner \
         && git tag -a -m i inner HEAD:conf/deploy && git tag -a -m o outest inner && git tag -d inner \
         && git reset -q --hard HEAD~1",
    );
    for look in [
        "git show --tags='out*'",
        "git show --tags --no-merges",
        "git show -s --tags",
        "git show outer",
    ] {
        hides(&mut house, look);
    }
}

#[test]
fn a_branch_that_is_another_name_for_what_was_stashed_shares_nothing() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    put(&house, "a.txt", "MARK\n");
    git(
        &house,
        "git stash -q && git symbolic-ref refs/heads/other refs/stash && git rev-parse stash > .git/x",
    );
    for look in ["git show x", "git show x:a.txt", "git diff x", "git show other"] {
        hides(&mut house, look);
    }
    // One for a branch is that branch.
    git(
        &house,
        "git symbolic-ref refs/heads/other refs/heads/main && git tag v1",
    );
    is_as_ever(&mut house, "git show other; git show v1:a.txt; git log -p -1 HEAD");
}
