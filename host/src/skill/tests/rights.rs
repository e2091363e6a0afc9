//! What can be a right: the harness for authors of skills has a small rule of its own, which holds no right for wrong.

use super::reach;
use crate::skill::Right;

/// Rights, and texts that look like some and are none.
const TEXTS: &[&str] = &[
    "files:read:workspace",
    "files:write:workspace/notes",
    "FILES:Read:/srv/data",
    "files:read:/",
    "files:read:./workspace",
    "files:read:notes",
    "files:read:workspaces",
    "files:read:",
    "files:read:DIR",
    "files:read:workspace/../x",
    "files:workspace",
    "files",
    "file:read:workspace",
    "http:api.example.org",
    "http:*.example.org:8443",
    "http:*",
    "http:*:8080",
    "http:[::1]:80",
    "http-private:127.0.0.1:8080",
    "http:",
    "http",
    "http:HOST",
    "http:https://api.example.org",
    "http:api.example.org/v1",
    "http:api.example.org:0",
    "http:api.example.org:https",
    "http:a b",
    "http:*.",
    "http:a.*",
    "https:api.example.org",
    "memory:read",
    "Memory:Write",
    "memory",
    "memory:all",
    "model",
    "model:",
    "model:gpt",
    "schedule",
    "schedule:daily",
    "vault:status-token",
    "vault:a.b_c",
    "vault:",
    "vault:NAME",
    "vault:a b",
    "process",
    "PROCESS",
    "process:ls",
    "contains-secret",
    "revise",
    "recover",
    "heartbeat",
    "target:shell",
    "target:system/eval",
    "target:",
    "tool:eval",
    "tool:",
    "network",
    "",
    ":",
];

#[test]
fn the_harness_of_authors_takes_for_a_right_what_the_loader_does() {
    let long = format!("files:read:/{}", "x".repeat(4_128));
    for text in TEXTS.iter().copied().chain([long.as_str()]) {
        let own = text.parse::<Right>();
        assert_eq!(reach::fault(text).is_none(), own.is_ok(), "{text}: {own:?}");
    }
}

#[test]
fn what_the_harness_does_not_know_of_hosts_is_for_the_loader_to_refuse() {
    for text in ["http:[::1", "http:1.2.3.4.5", "http:a|b", "http:*.127.0.0.1"] {
        assert!(text.parse::<Right>().is_err() && reach::fault(text).is_none(), "{text}");
    }
}
