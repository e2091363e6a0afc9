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
    ] {
        assert!(reads(command), "{command}: {:?}", super::proof(command));
    }
}
