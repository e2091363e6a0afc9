//! What is left over where patterns keep out everything else.

use super::{proof, reads};

#[test]
fn what_keeps_out_nearly_everything_picks_what_is_left() {
    for pattern in [
        "[!.]*",
        "[^.]*",
        "[!.]?*",
        "*[!v]",
        "*[^a-y]*",
        "[a-z]*",
        "[a-zA-Z0-9_]*",
        "[[:alpha:]]*",
        "[[:alnum:]_]*",
        "[![:punct:]]*",
        "?*",
        "?????*",
        "*.*",
        "*.[a-z]*",
    ] {
        for command in [
            format!("find . ! -name '{pattern}' -type f -exec cat {{}} +"),
            format!("find . -type f -not -iname '{pattern}' | xargs cat"),
            format!("find . -type f ! -path './{pattern}' ! -path '*/{pattern}' -print0 | xargs -0 cat"),
            format!("find . \\( -type f -a ! -name '{pattern}' \\) -exec cat {{}} +"),
            format!("find . -name '{pattern}' -prune -o -type f -exec cat {{}} +"),
            format!("find . -name '{pattern}' -o -print | xargs cat"),
            format!("grep -rh . --exclude='{pattern}' ."),
            format!("grep -rh . --exclude '{pattern}' ."),
            format!("grep -rh . --exclude-dir='{pattern}' ."),
            format!("grep -rl . --exclude='{pattern}' . | xargs cat"),
            format!("rg -uuu -g '!{pattern}' ."),
            format!("rg -uuu --glob='!{pattern}' ."),
            format!("rg -uuu --iglob '!{{{pattern},x}}' ."),
            format!("diff -r -x '{pattern}' . sub"),
            format!("diff -r --exclude='{pattern}' . sub"),
            format!("git grep . -- ':!{pattern}'"),
            format!("git grep . -- ':(exclude,icase){pattern}'"),
            format!("git ls-files ':!{pattern}' | xargs cat"),
        ] {
            assert!(!reads(&command), "{command}");
        }
    }
    for regex in [
        "^[^.]",
        "/[^.]",
        "[^v]$",
        "[a-z]$",
        "^\\./[^.]",
        "^[^./]",
        "^\\w",
        "/[[:alnum:]]",
        "\\(^\\|/\\)[^.]",
    ] {
        for command in [
            format!("find . -type f | grep -v '{regex}' | xargs cat"),
            format!("git ls-files | grep -v '{regex}' | xargs cat"),
        ] {
            // Names of the one kind begin otherwise than those of the other.
            let other = command.starts_with("git") == regex.contains("/[") && !regex.contains('(')
                || command.starts_with("find") && regex.starts_with("^[")
                || command.starts_with("find") && regex == "^\\w";
            assert!(other || !reads(&command), "{command}");
        }
    }
    for command in [
        "find . -type f ! -name '[a-m]*' ! -name '[A-Zn-z0-9]*' -exec cat {} +",
        "grep -rh . --exclude='[a-m]*' --exclude='[A-Zn-z0-9]*' .",
        "rg -uuu -g '!*a*' -g '!*e*' -g '!*{i,o,u}*' .",
        "find . -type f ! -regex '.*/[^.][^/]*' -exec cat {} +",
        "find . -type f ! -regex '.*/[a-z].*' -exec cat {} +",
        "find . -type f | grep -vP '(?<!v)$' | xargs cat",
        "find src -type f ! -path 'src/[!.]*' -exec cat {} +",
        "find . -type f ! \\( ! -name '.*' \\) -exec cat {} +",
        "find . -type f ! ! ! -name '[!.]*' -exec cat {} +",
        "find . -type f ! ! \\( -name '.*' \\) -exec cat {} +",
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn what_only_hidden_names_match_picks_them() {
    for command in [
        "find . -name '.*' -type f -exec cat {} +",
        "find . -name '.[!.]*' -type f | xargs cat",
        "find . -path '*/.*' -exec cat {} +",
        "find . -regex '.*/\\..*' -exec cat {} +",
        "grep -rh . --include='.*' .",
        "rg -uuu -g '.*' .",
        "git ls-files | grep '^\\.' | xargs cat",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in [
        "find . -name '.*' -type f",
        "find . -name .gitignore -exec cat {} +",
        "grep -rn x --include='.gitlab-ci*' .",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}

#[test]
fn what_keeps_out_what_it_names_picks_nothing() {
    for command in [
        "find . -type f ! -name '*.o' -exec cat {} +",
        "find . -type f -not -name '*~' -not -name '*.[oa]' | xargs wc -l",
        "find . -not -name '.*' -exec cat {} +",
        "find . -type f \\( ! -iname '.*' \\) -exec wc -l {} +",
        "find . -name '* *' -exec wc -l {} +",
        "find . -type f -not -path '*/.*' -not -path './target/*' | xargs wc -l",
        "find . -type f ! -path '*/*/*' -exec cat {} +",
        "find . -name node_modules -prune -o -name '*.js' -print | xargs wc -l",
        "find . -name '*.[ch]' -o -name '*.cc' | xargs wc -l",
        "grep -rn x --exclude='*.min.js' --exclude='*.map' .",
        "grep -rn x --exclude-dir=node_modules --exclude-dir=.git .",
        "grep -rn x --exclude-dir='.*' --exclude-dir='.[!.]*' .",
        "grep -rn x --exclude='*.{js,css,html,json,svg}' .",
        "grep -rn x --exclude='test_*' .",
        "rg x -g '!target'",
        "rg x -g '!*.lock' -g '!{dist,build}/**'",
        "diff -r -x '*.pyc' -x __pycache__ a b",
        "git grep x -- ':!*.lock' ':(exclude)vendor'",
        "git diff -- . ':!package-lock.json'",
        "git ls-files | grep -v / | xargs wc -l",
        "git ls-files | grep -v '^\\.' | xargs wc -l",
        "find . -type f | grep -v '/\\.' | xargs wc -l",
        "find . -type f | grep -vE '\\.(js|css)$|^./vendor/' | xargs wc -l",
        "find . -type f | grep -v '/test/.*\\.go$' | xargs wc -l",
        "find . -type f | grep -vw test | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}
