//! What a command may read or take away although it does not name it, and what is therefore never approved for good.

use super::lasting::remembered;
use super::outputs::summary;
use super::*;

#[test]
fn a_file_that_only_running_tells_may_be_one_with_keys() {
    for command in [
        "cat $(echo .env) | rev",
        "cat $(echo id.pem)",
        "base64 \"$(head -1 list)\"",
        "cat < $(cat name)",
        "while read -r f; do cat \"$f\"; done < list",
        "grep x \"$1\" > y",
        "cp \"$1\" here",
        "ls -a | xargs cat > all",
        "tar czf a.tgz $(cat list)",
    ] {
        let said = summary(command);
        assert!(
            said.contains("reads what only running tells, perhaps .env or a key"),
            "{command}: {said}"
        );
        assert!(risk(command) >= Risk::Medium, "{command}");
        assert_eq!(remembered(command), None, "{command}");
    }
    for command in [
        "head -n $1 README.md > x",
        "cat \"src/$1.rs\" > x",
        "echo $(date) > x",
        "touch $(date +%s)",
        "grep $1 README.md > x",
        "make $(cat targets)",
        "diff <(sort a) <(sort b) > x",
        "touch x; grep -A $1 x README.md",
    ] {
        assert!(
            !summary(command).contains("perhaps .env"),
            "{command}: {}",
            summary(command)
        );
    }
}

#[test]
fn a_pattern_that_may_match_a_protected_name_is_grave_and_says_so() {
    for command in [
        "base64 .e*",
        "cat .en? | rev",
        "cat *.pem > x",
        "cat < .e*",
        "cp id_* copy",
        "tar cf a.tar .e*",
        "for f in .e*; do cat \"$f\"; done",
        "sed -i s/a/b/ .e*",
        "frobnicate .e*",
    ] {
        let said = summary(command);
        assert!(said.contains("matches, perhaps .env or a key"), "{command}: {said}");
        assert_eq!(risk(command), Risk::High, "{command}");
        assert_eq!(remembered(command), None, "{command}");
    }
    for command in [
        "grep -rn --exclude='.e*' x src > y",
        "grep -A 3 '.e*' x > y",
        "grep '[.]env.*' x > y",
        "sed 's/.e*/x/' a > b",
        "awk '/.e*/ {print}' a > b",
        "tar cf a.tar --exclude '.e*' src",
        "rsync -a --exclude='*.pem' a b",
        "cat ~/.ssh/config > x",
        "cat src/*.rs > x",
        "cat README* > x",
        "rm *.o",
        "cp *.txt here",
    ] {
        assert!(
            !summary(command).contains("perhaps .env"),
            "{command}: {}",
            summary(command)
        );
    }
}

#[test]
fn what_reads_or_writes_a_protected_file_is_never_approved_for_good() {
    for command in [
        "cat .env",
        "cat id.pem",
        "cat .env | base64",
        "base64 < .env",
        "cp .env x",
        "rm .env",
        "echo a > .env",
        "touch x && cat .env",
        "curl -q https://allowed.example/ -o .env",
        "grep x .git/config",
    ] {
        assert_eq!(remembered(command), None, "{command}");
    }
}

#[test]
fn deleting_the_workspace_or_its_history_is_said_and_never_approved_for_good() {
    for command in [
        "rm -rf .",
        "rm -rf ./",
        "rm -rf *",
        "rm -rf ./*",
        "rm -r -- *",
        "rm -rf \"$PWD\"",
        "rm -rf \"$PWD\"/*",
        "rm -rf {*,.*}",
        "rm -rf /home/me/work/project",
        "rm -rf ~/work/project/*",
        "rm -rf src/../*",
        "rm -rf ../project",
        "find . -delete",
        "find -delete",
        "find . -type f -delete",
        "find . ! -name keep -delete",
        "find . -not -path ./keep -exec rm {} +",
        "find . -mindepth 1 -exec rm -rf {} +",
        "rsync -a --delete empty/ ./",
        "cd src && rm -rf ..",
        "sh -c 'rm -rf *'",
    ] {
        let said = summary(command);
        assert!(said.contains("deletes all of the workspace"), "{command}: {said}");
        assert_eq!(remembered(command), None, "{command}");
    }
    for command in [
        "rm -rf src .git",
        "rm -rf .git",
        "rm -rf .git/",
        "rm -rf .g*",
        "rm -rf .git/objects",
        "rm -rf .git/*",
        "find .git -delete",
        "rm -rf sub/.git",
    ] {
        let said = summary(command);
        assert!(said.contains(", the history of the repository"), "{command}: {said}");
        assert_eq!(remembered(command), None, "{command}");
    }
    assert!(summary("rm -rf src .git").contains("deletes .git, the history of the repository"));
    for command in [
        "rm -rf build",
        "rm -rf ./build/ target",
        "rm -rf src/*",
        "rm -rf *.o.d",
        "rm ./*.o",
    ] {
        assert!(!summary(command).contains("all of the workspace"), "{command}");
        assert!(!summary(command).contains("history"), "{command}");
    }
    assert!(remembered("rm -rf build").is_some());
    assert!(!summary("find . -name '*.o' -delete").contains("all of the workspace"));
    assert!(!summary("rm -rf \"$NOTHING\"").contains("all of the workspace"));
    assert!(!summary("cd src && rm -rf *").contains("all of the workspace"));
}
