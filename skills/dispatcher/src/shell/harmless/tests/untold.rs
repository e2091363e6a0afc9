//! What git shows without saying of what file each line is, and which settings it tells.

use super::reads;

#[test]
fn what_git_shows_without_saying_of_what_file_it_is_is_asked_about() {
    for command in [
        "git log --graph -p",
        "git log -p --graph --format= v1",
        "git show --graph",
        "git show -z HEAD",
        "git diff -z",
        "git diff --relative",
        "git show --relative=src HEAD",
        "git log -L1,5:src/main.rs",
        "git log -L :main:src/main.rs",
        "git log --check",
        "git diff --check HEAD~1",
        "git diff --check main..v1",
        "git blame HEAD~1 -- src/main.rs",
        "git blame v1..v2 src/main.rs",
        "git grep x HEAD~3",
        "git grep -e x 'HEAD^'",
        "git config core.pager",
        "git config branch.main.remote",
        "git config user.password",
        "git config push.pushOption",
        "git count-objects -vH",
        "git config merge.x.driver",
        "git config --get-regexp user.name",
        "git config user.name me",
        "git config --global --edit",
        "git config $(cat x)",
    ] {
        assert!(!reads(command), "{command}");
    }
}
