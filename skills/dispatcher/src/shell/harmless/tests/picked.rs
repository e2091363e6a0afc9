//! Files that are picked by their names.

use super::reads;

#[test]
fn what_asks_when_it_is_named_asks_when_it_is_picked_by_its_name() {
    const NAMES: &[&str] = &[
        "*.pem",
        "*.pe[m]",
        "*.PEM",
        "server.ke?",
        ".env",
        ".env*",
        "config",
        "conf*",
        "config.worktree",
        "*secret*",
        "id_rsa",
        "*/.git/config",
        "api-token.txt",
    ];
    for name in NAMES {
        for command in [
            format!("grep -r TOKEN --include='{name}' ."),
            format!("grep -r TOKEN --include '{name}' ."),
            format!("grep -rl TOKEN --include=\"{name}\" | xargs cat"),
            format!("rg -g '{name}' TOKEN"),
            format!("rg -ng'{name}' TOKEN"),
            format!("rg --glob='{name}' TOKEN"),
            format!("rg --glob '{name}' TOKEN"),
            format!("rg --iglob='{name}' TOKEN"),
            format!("rg --iglob='x{{y,z}}{name}' -g '{{x,{name}}}' TOKEN"),
            format!("find . -name '{name}' -exec cat {{}} +"),
            format!("find . -iname '{name}' | xargs cat"),
            format!("find . -path '*/{name}' -exec cat {{}} +"),
            format!("find . -lname '*/{name}' -exec cat {{}} +"),
        ] {
            let path = name.contains('/') && command.contains("name '");
            assert!(path || !reads(&command), "{command}");
        }
    }
    for regex in [
        ".*/a\\.pe[m]",
        ".*\\.pem",
        ".*\\.\\(rs\\|pem\\)",
        ".*\\.(rs|pem)",
        ".*[.]pem",
        "./s[e]rver.key",
        ".*/\\.git/config",
        ".*.git.config",
        ".*/confi[g]",
        ".*/config\\(.worktree\\)?",
        ".*/\\.env\\(\\..*\\)?",
        ".*/api-token\\.txt",
        "\\(a\\|b",
        ".*\\.p\\{1\\}em",
    ] {
        for command in [
            format!("find . -regex '{regex}' -exec cat {{}} +"),
            format!("find . -regextype posix-extended -iregex '{regex}' | xargs cat"),
        ] {
            assert!(!reads(&command), "{command}");
        }
    }
    assert!(!reads("find . -name \"*.$(cat f)\" -exec cat {} +"));
    assert!(!reads("grep -r x --include=\"$(cat f)\" ."));
}

#[test]
fn what_is_not_kept_out_of_all_that_is_found_is_picked() {
    for expression in [
        "! ! -name auth.json",
        "! -not -name auth.json",
        "-not ! -name kubeconfig",
        "-type f ! ! -name auth.json",
        "! ! \\( -name auth.json -o -name x \\)",
        "! \\( -name auth.json -o -name x \\) -o",
        "! \\( -name auth.json -type f \\)",
        "! \\( -name x -o ! -name auth.json \\)",
        "! \\( -name x -o \\( ! -name auth.json \\) \\)",
        "\\( ! \\( -name auth.json \\) -o -true \\)",
        "! \\( ! -name auth.json \\)",
        "! '(' -not -name auth.json ')'",
        "-not \\( -type d -o -not -path ./auth.json \\)",
        "! -name auth.json -o",
        "-not -name auth.json -or",
        "! -name auth.json -print0 ,",
        "! ! ! ! -iname AUTH.JSON",
        "! ! -regex '.*/auth.json'",
    ] {
        for action in ["-exec cat {} +", "-print | xargs cat"] {
            assert!(
                !reads(&format!("find . {expression} {action}")),
                "{expression} {action}"
            );
        }
    }
    for expression in [
        "! -name auth.json",
        "-type f -not -name '*.pem' ! -name auth.json -a ! -path './.git/*'",
        "-name '*.py' -and -not -iname AUTH.JSON",
        "-type f ! \\( -name auth.json -o -path '*/.git/*' \\)",
        "-not '(' -name auth.json ')' ! '(' -name '*.pem' -or -name '*.key' ')' -type f",
    ] {
        assert!(
            reads(&format!("find src {expression} -exec cat {{}} +")),
            "{expression}"
        );
    }
}

#[test]
fn what_is_picked_in_any_case_is_picked_by_its_name() {
    for name in [
        "AUTH.JSON",
        "Auth.json",
        "KubeConfig",
        "ID_RSA",
        ".ENV",
        "TERRAFORM.TFSTATE",
        "SECRING.GPG",
        "CONFIG.WORKTREE",
        "auth.j\u{17f}on",
        ".htpa\u{17f}swd",
        "\u{212a}ubeconfig",
    ] {
        for command in [
            format!("find . -iname '{name}' -exec cat {{}} +"),
            format!("find . -iname '{name}' | xargs cat"),
            format!("find . -iwholename './{name}' -exec cat {{}} +"),
            format!("find . -ipath '*/{name}' -exec cat {{}} +"),
            format!("find . -iregex '.*/{name}' -exec cat {{}} +"),
            format!("find . -ilname '{name}' -exec cat {{}} +"),
            format!("rg --iglob '{name}' x"),
            format!("rg --iglob='{{a,{name}}}' x"),
            format!("ls | grep -ixF '{name}' | xargs cat"),
        ] {
            assert!(!reads(&command), "{command}");
        }
    }
    assert!(reads("find . -iname 'README*' -exec cat {} +"));
    assert!(reads("rg --iglob '*.RS' x"));
}

#[test]
fn marks_of_places_in_a_regular_expression_are_no_letters() {
    for regex in [
        ".*/auth.json\\'",
        "\\`./auth.json",
        ".*/\\<auth.json",
        ".*/auth.json\\>",
        ".*/\\bauth\\.json\\b",
        ".*/kube\\Bconfig",
        ".*/auth\\_.json",
        ".*/\\=id_rsa",
    ] {
        let command = format!("find . -regex \"{regex}\" -exec cat {{}} +");
        assert!(!reads(&command), "{command}");
        let command = format!("find . -regextype posix-extended -iregex \"{regex}\" | xargs cat");
        assert!(!reads(&command), "{command}");
    }
}

#[test]
fn what_a_pattern_lets_by_on_the_way_from_a_list_of_names_is_picked() {
    for filter in [
        "grep auth.json",
        "grep auth",
        "grep '^./auth'",
        "grep -i AUTH",
        "grep -F .env",
        "grep -F 'a.b\nauth.json'",
        "fgrep kubeconfig",
        "grep -x './auth.json'",
        "grep -w auth",
        "grep '\\.pem$'",
        "grep '\\.rs$\\|\\.pem$'",
        "egrep '\\.(rs|pem)$'",
        "grep -E '^(\\./)?kube'",
        "grep -E 'x|^./auth|y'",
        "grep id_rsa",
        "grep 'secret'",
        "grep .git/config",
        "grep -P '(?i)AUTH'",
        "grep -P '\\x61uth'",
        "grep -P '(?:a)uth.json'",
        "grep -P '\\Qauth.json\\E'",
        "grep '\\<auth\\>'",
        "sort | grep auth",
        "grep -v x | grep -i auth | head -n 1",
    ] {
        for list in ["find . -name '*'", "find .", "ls", "git ls-files", "grep -rl x ."] {
            for command in [
                format!("{list} | {filter} | xargs cat"),
                format!("cat $({list} | {filter})"),
            ] {
                assert!(!reads(&command), "{command}");
            }
        }
        assert!(reads(&format!("find . | {filter}")), "{filter}");
    }
    for filter in [
        "grep '\\.py$'",
        "grep -E '\\.(ts|tsx)$'",
        "grep -E '\\.ts$|\\.tsx$'",
        "grep -v node_modules",
        "grep -v '\\.pem$'",
        "grep -F main.rs",
        "grep test",
        "grep -i readme",
        "grep '^./src/'",
        "grep -P '\\.\\w+hs$'",
        "egrep 'src|tests'",
        "grep ''",
        "grep .",
    ] {
        let command = format!("find . -type f | {filter} | xargs wc -l");
        assert!(reads(&command), "{command}: {:?}", super::proof(&command));
    }
}

#[test]
fn a_set_that_perl_reads_otherwise_is_not_followed() {
    for regex in [
        "[\\]e][\\]n][\\]v]$",
        "[\\]e][\\]t][\\]r][\\]c]$",
        "i[\\]d]_[\\]r]s[\\]a]",
        "^[^\\w]",
        "^[\\W]",
        "^[\\.]",
        "^[\\x2e]",
        "^[[:^alnum:]]",
        "[[:^digit:]]onfi[[:^digit:]]$",
        "[[:<:]]e",
        "[.][\\]g]it/[\\]c]onfi[\\]g]$",
    ] {
        for option in ["-P", "-iP", "-xP"] {
            let command = format!("git ls-files | grep {option} '{regex}' | xargs cat");
            assert!(!reads(&command), "{command}");
        }
    }
    for regex in [
        "^[\\w]",
        "^[\\w]+",
        "^[^\\].]",
        "^[[:^punct:]]",
        "^[^.]{1}?",
        "^[^.]++",
        "^(a?+.|x+?)",
    ] {
        let command = format!("git ls-files | grep -vP '{regex}' | xargs cat");
        assert!(!reads(&command), "{command}");
    }
    for command in [
        "git ls-files | grep -P '^[a-z_]+\\.(rs|ts)$' | xargs wc -l",
        "git ls-files | grep -P 'src/.*?\\.[ch]$' | xargs wc -l",
        "git ls-files | grep -P '[[:digit:]]+\\.md' | xargs wc -l",
        "git ls-files | grep -vP '(test|spec)[.]js$' | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", super::proof(command));
    }
}

#[test]
fn what_is_picked_by_other_names_is_harmless() {
    for command in [
        "grep -rn TODO --include='*.py' src",
        "grep -rn TODO --include=*.rs .",
        "grep -rn TODO --include='*' .",
        "grep -rn TODO --include='Makefile*' --exclude='*.pem' --exclude-dir=.git .",
        "rg -g '*.rs' TODO",
        "rg -g '*.{ts,tsx}' -g '!*.pem' TODO",
        "rg --glob 'src/**/*.rs' TODO",
        "find . -name '*.py' -exec cat {} +",
        "find . -name 'config.py' | xargs cat",
        "find . -regex '.*\\.\\(cpp\\|h\\)' -exec wc -l {} +",
        "find . -regextype posix-extended -regex '.*[.](cpp|hh?)' | xargs wc -l",
        "find . -regex '.*/test_[a-z_]+\\.py' | xargs wc -l",
        "find . -regex '.*\\.pem'",
        "find . -name config",
        "find . -name '*.c' -o -name '*.h' | xargs wc -l",
        "find . -type f \\( -name '*.c' -o -name '*.h' \\) -not -path '*/node_modules/*' -exec wc -l {} +",
        "find . -name node_modules -prune -o -type f ! -name '*.min.js' -print | xargs wc -l",
    ] {
        assert!(reads(command), "{command}: {:?}", super::proof(command));
    }
}

#[test]
fn no_more_patterns_are_tried_than_a_command_of_use_has() {
    let many =
        |filter: &str, times: usize| format!("find . -type f{} | xargs wc -l", format!(" | {filter}").repeat(times));
    assert!(reads(&many("grep -v test", 20)));
    assert!(reads(&many("grep -E '\\.(ts|tsx)$'", 10)));
    let broad = format!("grep -E '{}'", ["a.b.c.d.e.f.g"; 60].join("|"));
    assert!(!reads(&many(&broad, 20)));
    assert!(!reads(&many(&format!("grep '{}'", "[[:".repeat(2_000)), 20)));
    // What flows is no list of names.
    let flows = format!("cat x{}", " | grep -E 'a.b.c|d.e.f'".repeat(20));
    assert!(reads(&flows), "{:?}", super::proof(&flows));
}
