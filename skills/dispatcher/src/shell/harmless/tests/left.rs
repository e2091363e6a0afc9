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
        "find . -name '[+-/]*' -type f -exec cat {} +",
        "find . -name '[+-/]env' -exec cat {} +",
        "find . -name '[[.period.]]*' -exec cat {} +",
        "find . -name '[[=.=]]*' -exec cat {} +",
        "find . -name '[[:dot:]]*' -exec cat {} +",
        "find . -name '[!a-zA-Z]*' -exec cat {} +",
        "find . -path './[.]*' -exec cat {} +",
        "find . -regex '.*/[+-/].*' -exec cat {} +",
        "find . -regex '.*/[.]x*y?.*' -exec cat {} +",
        "git ls-files | grep -E '^[.]x{0}' | xargs cat",
        "git ls-files | grep '^[[.period.]]' | xargs cat",
        "git ls-files | grep -E '^\\.+' | xargs cat",
        "git ls-files | grep -E '^[.]{1,2}' | xargs cat",
        "git ls-files | grep '^\\.\\{1\\}' | xargs cat",
        "rg -uuu -g '/[.]*' x",
        "git show HEAD -- '[.]*'",
        "git show HEAD -- './[.]*'",
        "git show HEAD -- ':(glob)**/[.]*'",
        "git show HEAD -- '[+-/]*'",
        "git show HEAD -- '[[=.=]]*'",
        "git log -p -- '*/[!a-zA-Z0-9]*'",
        "git grep x -- '[.]*/'",
        "git ls-files '[.]*' | xargs cat",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in [
        "find . -name '.*' -type f",
        "find . -name .gitignore -exec cat {} +",
        "grep -rn x --include='.gitlab-ci*' .",
        "git show HEAD -- '*.[ch]'",
        "git log -p -- 'src/[a-m]*'",
        "find . -name '[A-Z]*' -exec wc -l {} +",
        "find . -name '[[:digit:]]*' -exec wc -l {} +",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}

#[test]
fn what_keeps_out_nearly_everything_does_so_wherever_it_begins() {
    for command in [
        "git grep . HEAD -- ':!/[!.]*'",
        "git grep . HEAD -- ':!:[!.]*'",
        "git grep . HEAD -- ':/![!.]*'",
        "git grep . HEAD -- ':^/:[!.]*'",
        "git grep . HEAD -- ':!./[!.]*'",
        "git grep . HEAD -- ':(exclude,top)[!.]*'",
        "git grep . HEAD -- ':(top,exclude,glob)**/[!.]*'",
        "git grep . HEAD -- ':!*/[!.]*'",
        "git ls-files ':!/[!.]*' | xargs cat",
        "find ././ -type f ! -path '././[!.]*' -exec cat {} +",
        "find . -type f ! -path './*/[!.]*' -exec cat {} +",
        "find . -mindepth 2 -type f ! -path './[!.]*/*' -exec cat {} +",
        "find /home/me/work/project -type f ! -path '/home/me/work/project/[!.]*' -exec cat {} +",
        "grep -rh . --exclude-dir='[!.]*/' .",
        "grep -rh . --exclude-dir='./[!.]*' .",
        "rg -uuu -g '!/[!.]*' .",
        "rg -uuu -g '!**/[!.]*/' .",
        "find . -type f ! -name '[!+-/]*' -exec cat {} +",
        "find . -type f ! -name '[![.period.]]*' -exec cat {} +",
        "find . -type f ! -name '[![=.=]]*' -exec cat {} +",
        "find . -type f | grep -v '^./[a-z]\\+' | xargs cat",
        "git ls-files | grep -vE '^[a-zA-Z]{1,}' | xargs cat",
        "git ls-files | grep -vE '^\\w+' | xargs cat",
        "git ls-files | grep -v '^[^.][^.]*' | xargs cat",
        "git ls-files | grep -vE '^(x*)[^.]' | xargs cat",
        "find . -type f ! -regex './[a-z]+.*' -exec cat {} +",
        "find ././ -type f ! -regex '\\././[^.].*' -exec cat {} +",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in [
        "git grep x -- ':!/vendor/*' ':!:*.lock'",
        "git diff -- ':(top,exclude)dist'",
        "git diff -- ':(exclude,glob)**/*.min.js'",
        "find . -type f ! -path './*/.*' -exec wc -l {} +",
        "find . -type f ! -path './[0-9]*/*' -exec wc -l {} +",
        "grep -rn x --exclude-dir='node_modules/' .",
        "rg x -g '!/target' -g '!/dist/'",
        "find . -type f | grep -v '[0-9]\\+' | xargs wc -l",
        "git ls-files | grep -v '^ *#' | xargs wc -l",
        "git ls-files | grep -vE '^docs?/|\\.lock$' | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}

#[test]
fn what_is_pruned_is_kept_out_of_what_stands_behind_it() {
    for command in [
        "find . -path '*/.*' -prune -o -type f -print | xargs wc -l",
        "find . -name '.?*' -prune -o -name '*.py' -exec grep -n x {} +",
        "find . \\( -path './.*' -o -name node_modules \\) -prune -o -type f -print | xargs wc -l",
        "find . -type d -name '.?*' -prune -or -type f -print0 | xargs -0 wc -l",
        "find . -name '.[!.]*' -prune -o -name target -prune -o -type f -print | xargs wc -l",
        "find . \\( -type d -a \\( -name '.?*' -o -name dist \\) \\) -prune -o -print | xargs wc -l",
        "find . -regex '.*/\\..*' -prune -o -type f ! -name '*.o' -print | xargs wc -l",
        "find . -name '*.pem' -prune -o -type f -print | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
    for command in [
        // Where nothing is done behind it, what is pruned is printed.
        "find . -name '.*' -prune | xargs cat",
        "find . -path '*/.*' -prune -o -type f | xargs cat",
        "find . -path '*/.*' -prune -print -o -name x -print | xargs cat",
        "find . -path '*/.*' -prune -exec cat {} + -o -print",
        "find . -path '*/.*' -print -prune -o -type f -print | xargs cat",
        "find . -path '*/.*' -o -prune -o -print | xargs cat",
        "find . -path '*/.*' -prune , -type f -print | xargs cat",
        "find . -name '.*' -prune -o -name '.*' -print | xargs cat",
        "find . ! -name '.*' -prune -o -type f -print | xargs cat",
        "find . ! ! -name '.*' -prune -o -type f -print | xargs cat",
        "find . ! \\( -name '.*' \\) -prune -o -type f -print | xargs cat",
        "find . \\( ! -name '.*' -o -name x \\) -prune -o -type f -print | xargs cat",
        "find . -name '*' -name '[!.]*' -prune -o -type f -print | xargs cat",
        "find . -name '[!.]*' -type f -prune -o -print | xargs cat",
        "find . -false -name '*' -prune -o -name '[!.]*' -prune -o -print | xargs cat",
        "find . -false -path '*' -prune -o -path '*[!v]' -prune -o -print | xargs cat",
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn what_is_pruned_is_named_where_no_action_of_its_own_stands_behind_it() {
    for command in [
        // The word of an action is a name here, or a file.
        "find . -name .env -prune -o -name -print | xargs cat",
        "find . -name '.e*' -prune -o -name -print0 | xargs cat",
        "find . -iname .ENV -prune -o -iname -printf | xargs cat",
        "find . -wholename '*/.env' -prune -or -true -path -ls | xargs cat",
        "find . -name .netrc -prune -o -path -exec | xargs cat",
        "find . -name .env -prune -o -samefile -ls | xargs cat",
        "find . -name .env -prune -o -false -type f -newer -print | xargs cat",
        "find . -name .env -prune -o -anewer -print | xargs cat",
        "find . -name id_rsa -prune -o -user -print | xargs cat",
        "head $(find . -path '*/.git/config' -prune -o -name -print)",
        "find . -name .env -prune -o -name x -o -path ./.aws/credentials -prune -o -lname -ls | xargs cat",
        // What is turned round prunes nothing.
        "find . -name .env ! -prune -o -type f -print | xargs cat",
        "find . -name .env -not -prune -o -type f -exec cat {} +",
        "find . -name .env ! ! -prune -o -type f -print | xargs cat",
        // Some other test may fail.
        "find . \\( -false \\) -name '[!.]*' -prune -o -type f -print | xargs cat",
        "find . \\( -empty \\) -name '[!.]*' -prune -o -type f -exec cat {} +",
        "find . ! \\( -true \\) -name '[!.]*' -prune -o -type f -print | xargs cat",
        "find . \\( -false \\) -name '.*' -prune -o -name '[!.]*' -prune -o -print | xargs cat",
        // A comma begins anew.
        "find . -name .env -prune -o -false , -type f -print | xargs cat",
        "find . -name .env -prune -o -type f , -print | xargs cat",
        "find . -depth -name .env -prune -o -type f -print | xargs cat",
    ] {
        assert!(!reads(command), "{command}");
    }
    for command in [
        "find . -name .git -prune -o -name -print -print | xargs wc -l",
        "find . \\( -type d \\) -name '.?*' -prune -o -type f -print | xargs wc -l",
        "find . -path './.*' -prune -o -type f -exec wc -l {} +",
        "find . -name .env -prune -o -name ',' -print | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}

#[test]
fn what_is_hidden_may_be_looked_at_where_it_is_found() {
    for command in [
        "find . -maxdepth 1 -name '.*' -exec ls -ld {} +",
        "find . -name '.*' -exec stat -c %s {} ';'",
        "find . -maxdepth 1 -name '.*' -exec du -sh {} +",
        "find . -name '*.pem' -exec ls -l {} +",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
    for command in [
        "find . -name '.*' -exec cat {} +",
        "find . -name '.*' -exec ls {} + | xargs cat",
        "find . -name '.*' -exec diff {} x ';'",
        "find ../x -name '.*' -exec ls -ld {} +",
        "find . -name '.*' -exec du --files0-from={} ';'",
        "find . -name '.*' -exec du --files0-from {} ';'",
        "find . -name '.*' -exec du -X {} . ';'",
        "find . -name '.*' -exec file -f {} ';'",
        "find . -name '.*' -exec ./ls {} +",
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn what_keeps_out_what_it_names_picks_nothing() {
    for command in [
        "find src -type f ! -name '*.o' -exec cat {} +",
        "find . -type f -not -name '*~' -not -name '*.[oa]' | xargs wc -l",
        "find src -not -name '.*' -exec cat {} +",
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
        "find bin -type f ! -name '*.*' -exec head -1 {} +",
        "git diff -- ':!*.*'",
        "git ls-files | grep -v '\\.' | xargs head -1",
        "ls | grep -v '\\.'",
        "grep -v '\\.'",
        "git ls-files | grep -v '^\\.' | xargs wc -l",
        "find . -type f | grep -v '/\\.' | xargs wc -l",
        "find . -type f | grep -vE '\\.(js|css)$|^./vendor/' | xargs wc -l",
        "find . -type f | grep -v '/test/.*\\.go$' | xargs wc -l",
        "find . -type f | grep -vw test | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}
