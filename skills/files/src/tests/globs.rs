//! Patterns for names.

use crate::glob::Glob;

fn matches(pattern: &str, path: &str) -> bool {
    Glob::new(pattern).unwrap().matches(path)
}

#[test]
fn a_pattern_without_a_slash_is_about_the_name_and_one_with_a_slash_about_the_path() {
    for (pattern, path) in [
        ("*.rs", "a/b/c.rs"),
        ("c.rs", "a/b/c.rs"),
        ("?.rs", "c.rs"),
        ("a/*/c.rs", "a/b/c.rs"),
        ("./a/b/c.rs", "a/b/c.rs"),
        ("a/**", "a/b/c.rs"),
        ("**/c.rs", "c.rs"),
        ("**/c.rs", "a/b/c.rs"),
        ("a/**/c.rs", "a/c.rs"),
        ("a/**/c.rs", "a/x/y/c.rs"),
        ("**/**/c.rs", "a/c.rs"),
        ("*.{rs,toml}", "Cargo.toml"),
        ("{a,b}/{c,d}", "b/c"),
        ("[a-c]*.rs", "b.rs"),
        ("[!a-c]*", "d"),
        ("[]]", "]"),
        ("[a-]", "-"),
        ("\\*", "*"),
        ("é?", "éü"),
    ] {
        assert!(matches(pattern, path), "{pattern} is about {path}");
    }
    for (pattern, path) in [
        ("*.rs", "a.rs/b"),
        ("a/*.rs", "a/b/c.rs"),
        ("a/*", "b/a/c"),
        ("**/c.rs", "a/xc.rs"),
        ("a/**/c.rs", "a/xc.rs"),
        ("a/**/c.rs", "ab/c.rs"),
        ("[!a]/b", "//b"),
        ("?", ""),
        ("*.{rs,toml}", "a.md"),
        ("\\*", "a"),
    ] {
        assert!(!matches(pattern, path), "{pattern} is not about {path}");
    }
}

#[test]
fn a_pattern_that_would_be_slow_elsewhere_is_decided_at_once() {
    let pattern = "*a".repeat(100) + "b";
    assert!(!matches(&pattern, &"a".repeat(5_000)));
    assert!(Glob::new(&"{a,b}".repeat(20)).is_err());
}
