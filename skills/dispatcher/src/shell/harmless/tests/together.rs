//! Patterns that say little by themselves, and a lot together.

use super::{proof, reads};

/// A test or a stage for each letter that a name may begin with.
fn each(make: impl Fn(char) -> String) -> String {
    ('a'..='z').chain('A'..='Z').map(make).collect()
}

#[test]
fn what_keeps_out_nearly_everything_together_leaves_what_is_hidden() {
    let tests = each(|letter| format!(" ! -name '{letter}*'"));
    let stages = each(|letter| format!("\\|^{letter}"));
    for command in [
        "git ls-files | grep -v '^[a-m]' | grep -v '^[n-zA-Z]' | xargs cat",
        "git ls-files -o | grep -v '^[a-m]' | sort | grep -v '^[n-zA-Z]' | xargs cat",
        "cat $(git ls-files | grep -v '^[a-m]' | grep -v '^[n-zA-Z]')",
        "find . -type f | grep -v '/[a-h]' | grep -v '/[i-r]' | grep -v '/[s-zA-Z]' | xargs cat",
        "find . -type f ! -name '[a-m]*' | grep -v '/[n-zA-Z]' | xargs cat",
        "find . -type f ! -name '[a-m]*' ! -name '[n-zA-Z]*' | xargs cat",
        "find . -type f ! -name '[a-m]*' ! -name '[n-zA-Z]*' -print ! -name '.*' | xargs cat",
        "find . -type f ! -name '[!.]*' -print0 ! -name '.*' | xargs -0 cat",
        "rg -uuu --files . | grep -v '/[a-h]' | grep -v '/[i-r]' | grep -v '/[s-zA-Z]' | xargs cat",
        "rg -uuu --files -g '![a-h]*' . | grep -v '/[i-r]' | grep -v '/[s-zA-Z]' | xargs cat",
        "grep -rl . . | grep -v '/[a-h]' | grep -v '/[i-r]' | grep -v '/[s-zA-Z]' | xargs cat",
        "grep -rl . --exclude='[a-m]*' . | grep -v '^\\./[n-zA-Z]' | xargs cat",
        "find . ! -name '*.md' ! -name '*.py' ! -name '*.rs' ! -name '*.txt' ! -name '*.[a-z]*' ! -name LICENSE | xargs cat",
        "git show HEAD -- ':!*.md' ':!*.py' ':!*.rs' ':!*.txt' ':!*.json' ':!*.html' ':!src' ':!src/*' ':!LICENSE'",
        &format!("find . -type f{tests} -print | xargs cat"),
        &format!("find . -type f{tests} -exec cat {{}} +"),
        &format!("find . -name '*' ! -prune -o -type f{tests} -print | xargs cat"),
        &format!("find . \\( -false \\) -name '*' -prune -o -type f{tests} -exec cat {{}} +"),
        &format!("find . -type f ! -regex '.*|zz'{tests} -print | xargs cat"),
        &format!("git ls-files | grep -v '^_{stages}' | xargs cat"),
        &format!("git ls-files | grep -v '^_{stages}\\|.*|zz' | xargs cat"),
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn what_is_picked_and_then_kept_out_leaves_what_is_hidden() {
    for command in [
        "git ls-files '????' | grep -v 'y$' | xargs cat",
        "git ls-files | grep -x '....' | grep -v 'y$' | xargs cat",
        "git ls-files | grep -v 'y$' | grep -x '....' | xargs cat",
        "git ls-files | grep -x '....\\|zzz' | grep -v 'y$' | xargs cat",
        "find . -name '????' -type f | grep -v 'y$' | xargs cat",
        "find . -name '????' | grep -v py | xargs cat",
        "find . -maxdepth 1 -name '????' ! -name '*.py' -type f -exec cat {} +",
        "find . -type f -name '????' ! -name '*.?' ! -name '[a-m]*' -exec cat {} +",
        "find . -name '?????' -o -name '????' | grep -v 'y$' | xargs cat",
        "git grep . HEAD -- '????' ':!*y'",
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn what_is_a_letter_to_one_kind_of_expressions_keeps_nothing_out() {
    for command in [
        "find . -type f ! -regex '.*/\\..*|zz' ! -name '[a-m]*' ! -name '[A-Zn-z]*' | xargs cat",
        "git ls-files | grep -v '.*|zz' | grep -v '^[a-m]' | grep -v '^[n-zA-Z]' | xargs cat",
        "git ls-files | grep -vF '.*' | grep -v '^[a-m]' | grep -v '^[n-zA-Z]' | xargs cat",
        "git ls-files | grep -v '*' | grep -v '^[a-m]' | grep -v '^[n-zA-Z]' | xargs cat",
        "git ls-files | grep -vE '^\\(.*\\)' | grep -v '^[a-m]' | grep -v '^[n-zA-Z]' | xargs cat",
        "find . -type f ! -regextype awk ! -regex '.*/(a|b).*' | xargs cat",
        "find . -type f ! -regex '.*\\{2\\}' | xargs cat",
        "git ls-files | grep -vE '*[^.]' | xargs cat",
        "git ls-files | grep -vFE '^a' | xargs cat",
    ] {
        assert!(!reads(command), "{command}");
    }
}

#[test]
fn several_patterns_of_use_leave_enough() {
    for command in [
        "git ls-files | grep -v test | grep -v '\\.lock$' | grep -v '^docs/' | xargs wc -l",
        "git ls-files | grep -vE '\\.(png|jpg|svg|ico)$' | grep -vE '(^|/)(vendor|dist)/' | xargs wc -l",
        "git ls-files | grep -v '^\\(vendor\\|third_party\\)/' | grep -v '_test\\.go$' | xargs wc -l",
        "find . -type f -name '*.rs' | grep -v target | grep -v tests | xargs wc -l",
        "find . -type f -name '*.c' -o -name '*.h' | grep -v build | xargs wc -l",
        "find . -type f ! -name '*.png' ! -name '*.svg' ! -name '*.json' ! -path './dist/*' -exec wc -l {} +",
        "find . -type f \\( -name '*.js' -o -name '*.ts' -o -name '*.py' \\) -not -path '*/node_modules/*' | xargs wc -l",
        "find . -type f \\( -name '*.js' -o -name '*.ts' \\) -not -path '*/dist/*' -not -path '*/.git/*' | xargs wc -l",
        "find . -not \\( -path './.git' -prune \\) -type f | xargs wc -l",
        "find . -name .git -prune -false -o -type f -print | xargs wc -l",
        "find . -regextype posix-extended -type f ! -regex '.*\\.(js|css)' | xargs wc -l",
        "find . -type f ! -regex '.*\\.\\(js\\|css\\)' | xargs wc -l",
        "git ls-files '*.[ch]' | grep -v '^vendor/' | xargs wc -l",
        "git log -p -- '*.c' '*.h' ':!vendor'",
        "git ls-files | grep -vF .min.js | xargs wc -l",
        "rg --files -g '!*.lock' | grep -v '^docs/' | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}

#[test]
fn many_alternatives_are_asked_about_soon() {
    for command in [
        "git ls-files | grep -E '(web|api|cli|lib)[-_.](unit|e2e|int|smoke).*[-_.](spec|test|bench|it)\\.' | xargs wc -l",
        "find . -type f | grep -E '(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)'",
        "find . -type f | grep -iE '(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)'",
        "find . -type f | grep -P '(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)'",
        "find . -type f | grep -vE '(.|b)(a|.)(a|b)(a|b)(a|b)(a|b)' | grep -vE '(.|b)(a|.)(a|b)(a|b)(a|b)(a|c)'",
        "rg foo -g '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}' -g '{a,b}{a,b}{a,b}{a,b}{a,b}{c,d}'",
        "rg foo -g '!{a,?}{a,b}{a,b}{a,b}{a,b}{a,b}' -g '!{c,d}{a,b}{a,b}{a,b}{a,b}{a,?}'",
        "git ls-files | grep -E 'a?b?c?d?e?f?' | xargs wc",
    ] {
        // What comes of it is no matter.
        let _ = proof(command);
    }
    let many = "(a|b)".repeat(6);
    assert!(!reads(&format!("find . -type f | grep -E '{many}' | xargs wc")));
    for command in [
        "git ls-files | grep -E '\\.(py|rb|go|rs|java|kt|c|h|cc|cpp|hpp)$' | xargs wc -l",
        "git ls-files | grep -E '^(src|lib|app)/.*(test|spec)\\.(js|ts)$' | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", proof(command));
    }
}
