//! What is picked beneath folders, by signs that hide where one ends.

use super::{proof, reads};

#[test]
fn a_sign_that_may_stand_between_folders_hides_nothing_behind_it() {
    for command in [
        "git grep . HEAD -- src ':!src?[!.]*'",
        "git show HEAD -- src ':(exclude)*rc?[!.]*'",
        "git ls-files src ':!sr?[!c]*' | xargs cat",
        "git diff HEAD -- ':!sr*[!a]'",
        "find src -type f ! -path 'src?[!.]*' -exec cat {} +",
        "find ./src -type f ! -path './src[/][!.]*' -exec cat {} +",
        "find ./src -type f ! -path './src[+-0][!.]*' -exec cat {} +",
        "find src -type f ! -wholename '*rc[!a-z][!.]*' | xargs cat",
        "find src -type f ! -regex 'src.[^.].*' -exec cat {} +",
        "find src -type f ! -regex 'src[/][^.].*' -exec cat {} +",
        "find src -type f ! -regex 'src[.-0][^.].*' -exec cat {} +",
        "find src -type f | grep -v 'src.[^.]' | xargs cat",
        "find src -type f | grep -v '^src[/][^.]' | xargs cat",
        "find . -maxdepth 1 -type f ! -path '.?[!.]*' -exec cat {} +",
        "find . -maxdepth 1 -type f ! -path '.[/][!.]*' -exec cat {} +",
        "find . -maxdepth 1 -type f ! -path '??[!.]*' -exec cat {} +",
        // And what it picks.
        "find src -type f -path 'src?[.]*' -exec cat {} +",
        "find src -type f -path 'src?.*' -exec cat {} +",
        "find src -type f -path '*c[/].*' | xargs cat",
        "find . -type f -path '*[+-/].*' -exec cat {} +",
        "find . -type f -path '*[/]?env' -exec cat {} +",
        "find . -type f -path 'x?auth.json' -exec cat {} +",
        "find . -type f -path 's*nv' -exec cat {} +",
        "find . -maxdepth 1 -type f -path '??[!a-zA-Z]*' -exec cat {} +",
        "find . -maxdepth 1 -type f -path '.[/][!a-zA-Z]*' -exec cat {} +",
        "find . -maxdepth 1 -type f -regex '..[^a-zA-Z].*' -exec cat {} +",
        "find src -type f -regex 'src.[.].*' -exec cat {} +",
        "find src -type f | grep 'c[/][.]' | xargs cat",
        "find src -type f | grep 'c.[.]' | xargs cat",
        "find src -type f | grep '^s.*nv' | xargs cat",
        "git ls-files | grep '^s.*[/-/][.]' | xargs cat",
        "git ls-files | grep '[+-0]auth.json' | xargs cat",
        "git show HEAD -- 'src?[.]*'",
        "git show HEAD -- 'src[/][.]*'",
        "git show HEAD -- 'src[+-0].*'",
        "git show HEAD -- 'src?.*'",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in [
        "find . -type f ! -path '*/.??*' -exec wc -l {} +",
        "find . -type f ! -name '.??*' -exec wc -l {} +",
        "grep -rn x --exclude='.??*' .",
        "find . -type f -path '*/v?/*.rs' -exec wc -l {} +",
        "find . -type f -path './src/*_[0-9]*.py' -exec wc -l {} +",
        "find . -type f ! -path './build?/*' -exec wc -l {} +",
        "git ls-files | grep -v 'foo.bar' | xargs wc -l",
        "git ls-files | grep '[^/]*_test\\.go$' | xargs wc -l",
        "git diff -- ':!*.min.??'",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}

#[test]
fn what_is_in_a_hidden_folder_is_picked_where_that_is_named() {
    for command in [
        "find . -path '*/.git/*' -exec grep -h url {} +",
        "find . -path './.git/??????' -exec grep url {} +",
        "find . -path '*/.git/*' -type f -name '*onf*' -exec cat {} +",
        "find . -path '*[.]git/*' -type f | xargs cat",
        "find . -path '*/.aws/*' -type f -exec cat {} +",
        "find . -path '*/.config/*' -type f -exec cat {} +",
        "find . -ipath '*/.SSH/*' -type f -exec cat {} +",
        "find . -path '*/.hidden/*' -type f -exec cat {} +",
        "find . -path '*/.terraform/[a-z]*' -type f -exec cat {} +",
        "find . -regex '.*/.git/.*' -type f -exec cat {} +",
        "find . -regex './\\.aws/.*' -type f -exec cat {} +",
        "find . ! -path '*/.git/*' -path '*/.git*' -type f -exec cat {} +",
        "find . -type f | grep '/.git/' | xargs cat",
        "find . -type f | grep '^./[.]git/' | xargs grep -h url",
        "git ls-files | grep '^.aws/' | xargs cat",
        "git ls-files | grep -F .ssh/ | xargs cat",
        "rg -uuu . -g '.git/**'",
        "rg -uuu . -g '**/.aws/*'",
        "git show HEAD -- '*/.aws/*'",
        "git show HEAD -- ':(glob)**/.secrets/**'",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in [
        "find . -path '*/.git/*'",
        "find . -type f -not -path '*/.git/*' -exec wc -l {} +",
        "find . -path '*/.git/*' -prune -o -type f -print | xargs wc -l",
        "find . -path './.github/*' -name '*.md' -exec wc -l {} +",
        "find . -type f | grep '/.github/' | xargs wc -l",
        "git ls-files | grep '^.github/workflows/' | xargs wc -l",
        "rg uses -g '.github/**'",
        "git log -p -- .github/workflows",
        "grep -rn x --exclude-dir=.git .",
        "rg x -g '!.git/**'",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}
