//! Passwords in what git goes by.

use super::{proof, reads};

#[test]
fn what_prints_the_address_of_a_remote_asks() {
    for command in [
        "cat .git/config",
        "cat ./.git/config",
        "cat sub/.git/config",
        "cat .git/config.worktree",
        "cat .git/modules/m/config",
        "cat .git/worktrees/w/config.worktree",
        "cat .git/remotes/origin",
        "cat .gitconfig",
        "cat ~/.gitconfig",
        "cat .config/git/config",
        "grep url .git/config",
        "grep -r '' .git",
        "grep -rn url .git/",
        "grep -r url .git/../.git",
        "rg url .git",
        "head .git/*",
        "head .git/con[f]ig",
        "cd .git; cat config",
        "cd .git && grep -r url .",
        "cd .git; head *",
        "cd .git; ls | xargs cat",
        "find .git -type f | xargs cat",
        "find .git -type f -exec cat {} +",
        "cat < .git/config",
        "x=.git/config; cat $x",
        "sed -n 1,5p .git/config",
        "awk '{print}' .git/config",
        "sort .git/config",
        "git remote -v",
        "git remote --verbose",
        "git remote show origin",
        "git remote get-url origin",
        "git config -l",
        "git config --get remote.origin.url",
        "git config remote.origin.url",
        "git ls-remote --get-url",
        "git diff --no-index /dev/null .git/config",
        "git diff /dev/null .git/config",
        "git blame .git/config",
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn what_looks_at_a_repository_passes_as_before() {
    for command in [
        "git remote",
        "git branch -a",
        "ls .git",
        "ls .git/hooks",
        "cat .git/HEAD",
        "cat .git/hooks/pre-commit.sample",
        "cat .git/refs/heads/main",
        "cat .gitignore",
        "grep -rn url src",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}
