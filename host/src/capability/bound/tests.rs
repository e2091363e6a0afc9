#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use reqwest::Url;

use super::*;

#[test]
fn every_form_of_a_bound_is_read_and_printed_the_same() {
    for text in [
        "files:read:workspace",
        "files:write:workspace/notes/today",
        "files:read:/srv/Data",
        "http:api.example.org",
        "http:*.example.org",
        "http:*",
        "http:api.example.org:8443",
        "http-private:127.0.0.1:8080",
        "http-private:[::1]:8080",
        "memory:read",
        "memory:write",
        "model",
        "vault:GitHub_token",
        "schedule",
    ] {
        assert_eq!(text.parse::<Bound>().unwrap().to_string(), text);
    }
}

#[test]
fn one_host_has_one_spelling() {
    for (text, printed) in [
        ("HTTP:API.Example.Org.", "http:api.example.org"),
        ("http:bücher.example", "http:xn--bcher-kva.example"),
        ("http-private:2130706433:80", "http-private:127.0.0.1:80"),
        ("http-private:0x7f.1", "http-private:127.0.0.1"),
        ("files:read:/srv//data/./x/", "files:read:/srv/data/x"),
    ] {
        assert_eq!(text.parse::<Bound>().unwrap().to_string(), printed, "{text}");
    }
}

#[test]
fn what_is_no_bound_is_refused_with_what_to_write_instead() {
    for (text, why) in [
        ("files:read:DIR", "DIR stands for"),
        ("files:read:notes", "absolute path"),
        ("files:read:/srv/../etc", "in full"),
        ("files:/srv", "files:read:DIR"),
        ("http:HOST", "HOST stands for"),
        ("http:", "names no host"),
        ("http:user@example.org", "names no host"),
        ("http:example.org/path", "names no host"),
        ("http:*.127.0.0.1", "names no host"),
        ("http:a.*.org", "names no host"),
        ("http:example.org:0", "names no host"),
        ("http:example.org:99999", "names no host"),
        ("memory", "memory:read"),
        ("model:x", "stands alone"),
        ("vault:NAME", "NAME stands for"),
        ("vault:a b", "letters, digits"),
        ("vault:", "letters, digits"),
    ] {
        let error = text.parse::<Bound>().unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    assert_eq!("network".parse::<Bound>(), Err(BadBound::NoBound));
}

#[test]
fn a_pattern_covers_whole_labels_and_its_own_port_only() {
    let covers = |pattern: &str, url: &str| {
        pattern
            .parse::<HostPattern>()
            .unwrap()
            .covers(&Url::parse(url).unwrap())
    };
    for (pattern, url, covered) in [
        ("example.org", "https://example.org/x", true),
        ("example.org", "https://EXAMPLE.org./x", true),
        ("example.org", "https://example.org:8443/", false),
        ("example.org", "http://example.org/", true),
        ("example.org", "https://api.example.org/", false),
        ("example.org", "https://notexample.org/", false),
        ("example.org", "https://example.org.evil.com/", false),
        ("*.example.org", "https://a.example.org/", true),
        ("*.example.org", "https://a.b.example.org/", true),
        ("*.example.org", "https://example.org/", false),
        ("*.example.org", "https://.example.org/", false),
        ("*.example.org", "https://notexample.org/", false),
        ("example.org:8443", "https://example.org:8443/", true),
        ("example.org:8443", "https://example.org/", false),
        ("127.0.0.1:80", "http://2130706433/", true),
        ("*", "https://anything.example/", true),
        ("*", "https://anything.example:8443/", false),
    ] {
        assert_eq!(covers(pattern, url), covered, "{pattern} {url}");
    }
}

#[test]
fn a_folder_of_the_workspace_is_found_wherever_the_workspace_is() {
    let located = |text: &str| text.parse::<Folder>().unwrap().locate(Path::new("/w"));
    assert_eq!(located("workspace"), Path::new("/w"));
    assert_eq!(located("workspace/a/b"), Path::new("/w/a/b"));
    assert_eq!(located("/srv"), Path::new("/srv"));
}
