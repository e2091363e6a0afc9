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
        "git show 4203a90",
        "git show HEAD",
        "git show 4203a9033922a50456df4ccbd5249cfd264bebe5",
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
