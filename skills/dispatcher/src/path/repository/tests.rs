#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;

/// The most that a pattern says of any of the shapes.
fn most(pattern: &str, name: bool) -> Option<Matched> {
    let pattern = Pattern::read(pattern, false)?;
    let all = unshown(Some(".")).map(|path| path.matched(&pattern, name));
    all.max_by_key(|matched| *matched as u8)
}

#[test]
fn what_may_lie_there_is_matched_by_what_could_be_its_name() {
    for pattern in [
        "*",
        "?*",
        "*[0-9a-f]",
        "*0*",
        "a*",
        "[!.]*",
        "*.pack",
        "pack-*",
        "*a*ck",
        "tmp_*",
        "origin",
        "o*n",
        "patch",
        "preimage",
        "*e*",
    ] {
        assert_ne!(most(pattern, true), Some(Matched::Never), "{pattern}");
    }
    for pattern in [
        "*.rs",
        "*.c",
        "*.[ch]",
        "*.f",
        "README*",
        "Makefile",
        "*test*",
        "*.json",
        "a",
        "*-*-*",
        "pack*.json",
        "\\*",
        "deadbeef",
        "*.idx",
        ".*",
        "é*",
    ] {
        assert_eq!(most(pattern, true), Some(Matched::Never), "{pattern}");
    }
    for pattern in [
        "*/objects/*",
        "./.git*",
        "*/.git/*",
        "*",
        "./?git/*",
        "./[.]git/*",
        ".?.git/*",
        "*.pack",
        "*/modules/lib/*",
        "./[!a]*",
        "*/ob[i-k]ects/*",
    ] {
        assert_ne!(most(pattern, false), Some(Matched::Never), "{pattern}");
    }
    for pattern in ["./src/*", "*.rs", "src/*", "./[!.]*", "./build?/*"] {
        assert_eq!(most(pattern, false), Some(Matched::Never), "{pattern}");
    }
}

#[test]
fn only_what_matches_all_of_a_kind_matches_it_for_sure() {
    let loose = unshown(Some(".")).next().unwrap();
    let matched = |pattern: &str, name| loose.matched(&Pattern::read(pattern, false).unwrap(), name);
    for pattern in [
        "./.git/*",
        "*/.git/*",
        "*/.*",
        "./.*",
        "*",
        "*/objects/[0-9a-f]*",
        "./?git/*",
    ] {
        assert_eq!(matched(pattern, false), Matched::Always, "{pattern}");
    }
    for pattern in ["./.git/*0*", "*[0-8]*", "*/objects/[!0]*", "*/.git/*a"] {
        assert_eq!(matched(pattern, false), Matched::Perhaps, "{pattern}");
    }
    assert_eq!(matched("[[:xdigit:]]*", true), Matched::Always);
    assert_eq!(matched("\\*", true), Matched::Never);
    // Nobody knows what a module is called.
    let any = Pattern::read("./.git/modules/*", false).unwrap();
    let module = unshown(Some("."))
        .max_by_key(|file| file.matched(&any, false) as u8)
        .unwrap();
    let one = Pattern::read("./.git/modules/lib/*", false).unwrap();
    assert_eq!(module.matched(&any, false), Matched::Always);
    assert_eq!(module.matched(&one, false), Matched::Perhaps);
}

#[test]
fn no_pattern_makes_it_long() {
    assert!(Pattern::read(&"*?".repeat(1000), false).is_none());
    let pattern = Pattern::read(&"*a".repeat(120), true).unwrap();
    assert!(unshown(None).all(|path| path.matched(&pattern, false) != Matched::Always));
}
