//! What needs no server: requests as they are read and checked.

use super::*;

#[test]
fn what_an_address_may_be_depends_on_what_was_granted() {
    let check = |url: &str, address: &str, granted| {
        let url = parse_url(url).unwrap();
        let literal = url.domain().is_none();
        check_address(&url, format!("{address}:443").parse().unwrap(), granted, literal).is_ok()
    };
    assert!(check("https://a.example/", "1.1.1.1", Granted::Public));
    assert!(check("http://a.example/", "10.1.1.1", Granted::Private));
    assert!(check("https://a.example/", "1.1.1.1", Granted::Private));
    // Without encryption only where nobody listens in between.
    assert!(!check("http://a.example/", "1.1.1.1", Granted::Private));
    assert!(!check("https://a.example/", "10.1.1.1", Granted::Public));
    // A name can be made to lead to the metadata of a cloud; an address is meant.
    assert!(!check("http://a.example/", "169.254.169.254", Granted::Private));
    assert!(check("http://169.254.169.254/", "169.254.169.254", Granted::Private));
    assert!(!check("https://a.example/", "224.0.0.1", Granted::Private));
}

#[test]
fn a_redirect_leads_on_with_the_same_scheme_host_and_port_only() {
    let from = Url::parse("https://example.org/a/b").unwrap();
    let next =
        |location: &'static str| next_hop(&from, &HeaderValue::from_static(location)).map(|url| url.to_string());
    for (location, url) in [
        ("../c", "https://example.org/c"),
        ("//EXAMPLE.org:443/x", "https://example.org/x"),
        (
            "https://example.org/?to=https://other.example/",
            "https://example.org/?to=https://other.example/",
        ),
    ] {
        assert_eq!(next(location).as_deref(), Some(url), "{location}");
    }
    for elsewhere in [
        "//other.example/x",
        "https://www.example.org/",
        "https://example.org:8443/",
        "https://example.org./",
        "http://example.org/",
        "https://a:b@example.org/",
        "https:\\\\other.example",
        "\\\\other.example/x",
        "javascript:1",
        "file:///etc/passwd",
    ] {
        assert_eq!(next(elsewhere), None, "{elsewhere}");
    }
    let plain = Url::parse("http://10.0.0.1/").unwrap();
    assert_eq!(next_hop(&plain, &HeaderValue::from_static("https://10.0.0.1/")), None);
}

#[test]
fn what_is_proposed_is_the_request_that_is_sent() {
    let header = Header {
        name: "X-Own".to_owned(),
        value: "{vault:token}".to_owned(),
    };
    let request = Request::new("put", "HTTPS://Example.org", &[header], "b").unwrap();
    let payload = request.payload();
    assert_eq!(
        payload.to_string(),
        r#"(:ACTION :SEND :METHOD "PUT" :URL "https://example.org/" :HEADERS ("x-own" "{vault:token}") :BODY "b")"#
    );
    let again = Request::from_form(&payload).unwrap();
    assert_eq!(again.payload(), payload);
    let pairs = read(r#"(:URL "https://a.example" :HEADERS ((:ACCEPT "x") ("b" "y")))"#).unwrap();
    let names: Vec<String> = Request::from_form(&pairs)
        .unwrap()
        .headers
        .iter()
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(names, ["accept", "b"]);
}

#[test]
fn malformed_requests_are_refused_by_name() {
    for (form, part) in [
        ("()", ":URL"),
        (r#"(:URL 7)"#, ":URL"),
        (r#"(:URL "https://a.example" :METHOD "CONNECT")"#, "no method"),
        (r#"(:URL "https://a.example" :HEADERS "x")"#, ":HEADERS"),
        (r#"(:URL "https://a.example" :HEADERS ("a"))"#, ":HEADERS"),
        (
            r#"(:URL "https://a.example" :HEADERS ("host" "b.example"))"#,
            "set by the host",
        ),
        (
            r#"(:URL "https://a.example" :HEADERS ("proxy-authorization" "x"))"#,
            "set by the host",
        ),
        (
            r#"(:URL "https://a.example" :HEADERS ("a b" "x"))"#,
            "no name of a header",
        ),
        (
            "(:URL \"https://a.example\" :HEADERS (\"a\" \"x\ry\"))",
            "control character",
        ),
        (r#"(:URL "https://a.example" :BODY (1))"#, ":BODY"),
        (r#"(:URL "mailto:a@example.org")"#, "neither http nor https"),
    ] {
        let error = why(Request::from_form(&read(form).unwrap()));
        assert!(error.contains(part), "{form}: {error}");
    }
}

#[test]
fn a_url_that_would_be_mended_first_is_refused_with_how_it_is_read() {
    for (text, read) in [
        ("http:/10.0.0.1:9399/x?x=https://a.example/", "http://10.0.0.1:9399/x"),
        ("https:b.example?x=https://a.example/", "https://b.example/"),
        ("https:\\\\b.example/", "https://b.example/"),
        ("https:///b.example/", "https://b.example/"),
        ("ht\ttps://b.example/", "https://b.example/"),
        ("https://b.example/\n", "https://b.example/"),
        (" https://b.example/", "https://b.example/"),
        ("https://b.example\\.a.example/", "https://b.example/.a.example/"),
        ("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/"),
        ("https://b%2eexample/", "https://b.example/"),
    ] {
        assert!(why(parse_url(text)).contains(&format!("read as {read}")), "{text}");
        assert!(parse_url(read).is_ok(), "{read}");
    }
    for plain in [
        "HTTPS://B.example:443",
        "http://[::1]:8080/x",
        "https://b.example./a b?c=\u{fc}#d",
    ] {
        assert!(parse_url(plain).is_ok(), "{plain}");
    }
}
