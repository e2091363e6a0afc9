//! What git has that is in no branch, and what a pattern of a whole kind of files matches.

use super::reads;

#[test]
fn what_nobody_agreed_to_share_of_a_repository_is_asked_about() {
    for command in [
        "git log -p --all",
        "git log --all -p --format=%b",
        "git log --all -U5",
        "git log --all --cc",
        "git log --all -L1,5:src/main.rs",
        "git log -p -g",
        "git log -p --reflog",
        "git log -p stash",
        "git reflog -p",
        "git show --all",
        "git show stash",
        "git show stash^3",
        "git show refs/stash^3",
        "git show stash:.x",
        "git diff stash^3 HEAD",
        "git whatchanged --all -p",
        "git cat-file -p 4203a9033922a50456df4ccbd5249cfd264bebe5",
        "git cat-file -p 4203a90",
        "git cat-file -p stash^3",
        "git cat-file blob 4203a90",
        "git cat-file commit stash",
        "git cat-file tree ORIG_HEAD",
        "git show 4203a90",
        "git show 4203a9033922a50456df4ccbd5249cfd264bebe5",
        "git show --stat 4203a90",
        "git show 4203a90:src/main.rs",
        "git show 4203a90^",
        "git show v1.0-3-g4203a90",
        "git show HEAD@{1}",
        "git show main@{yesterday}",
        "git show ORIG_HEAD",
        "git show FETCH_HEAD~1",
        "git show orig_head",
        "git show AUTO_MERGE",
        "git show refs/notes/commits",
        "git show notes/commits",
        "git show refs/original/refs/heads/main",
        "git show rebase-merge/orig-head",
        "git show main-worktree/ORIG_HEAD",
        "git show ':/fix'",
        "git diff ORIG_HEAD",
        "git diff ORIG_HEAD..HEAD",
        "git diff HEAD...4203a90",
        "git diff --stat -p 4203a90",
        "git diff 4203a90 -- src",
        "git log -p 4203a90",
        "git log -p HEAD..ORIG_HEAD",
        "git log -p ^main MERGE_HEAD",
        "git rev-list -p stash",
        "git grep AWS 4203a90",
        "git grep -e AWS stash",
        "git blame 4203a90 -- src/main.rs",
        "cat .git/objects/ab/cd",
        "cat sub/.git/objects/pack/x.pack",
        "strings .git/objects/ab/cd",
        "cd .git/objects/ab && cat cd",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in [
        "git log --all --oneline --graph",
        "git log -p -3",
        "git log --all --stat",
        "git show HEAD",
        "git show HEAD~2",
        "git show HEAD^2:src/main.rs",
        "git show main",
        "git show origin/main:README.md",
        "git show refs/tags/v1.0",
        "git show v1.0-rc1",
        "git show @",
        "git diff main...HEAD",
        "git diff HEAD^!",
        "git diff --cached",
        "git diff --stat 4203a90 HEAD",
        "git diff -- abcd",
        "git diff README stash.rs notes.md",
        "git log -p main..feature/logs",
        "git log -1 --stat 4203a90",
        "git log --oneline ORIG_HEAD..HEAD",
        "git blame src/main.rs",
        "git grep deadbeef",
        "git grep -e deadbeef -- abcd",
        "git grep x HEAD~3",
        "git cat-file -s stash",
        "git cat-file -p HEAD",
        "git cat-file -t 4203a90",
        "git log --all -S x --oneline",
        "git diff HEAD~1",
        "ls .git/objects",
        "git grep -n stash",
    ] {
        assert!(reads(command), "{command}");
    }
}

#[test]
fn a_pattern_of_all_files_of_a_kind_means_no_protected_one() {
    for command in [
        "cat *.json",
        "head -50 *.json",
        "cat config/*.yml",
        "cat .github/workflows/*.yml",
        "cat *.txt",
        "grep -rn x --include=*.json .",
    ] {
        assert!(reads(command), "{command}: {:?}", super::proof(command));
    }
    for command in [
        "cat a*.json",
        "cat auth*.json",
        "cat *th.json",
        "cat *.pem",
        "cat *.en?",
        "cat .aws/*.json",
        "cat .docker/*.json",
        "cat *.secret",
        "cat token*.txt",
        "cat secrets/*.yml",
        "cat .env.d/x",
        "cat .env-prod",
        "cat .env/prod",
        "cat .flaskenv",
        "cat .dev.vars",
        "cat .vault_pass",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in ["cat .env.example", "cat .env-sample"] {
        assert!(reads(command), "{command}");
    }
}
