//! Requests that go out: an action for `:HTTP`, with which a skill sends a request of its own.

use crate::address;
use crate::finding::{Finding, Risk, bytes};
use crate::network;
use crate::payload::Payload;
use crate::settings::Settings;

/// What there is against it. Fetching from a host that the operator allowed passes; what also says something there asks,
/// unless the target is permitted.
pub(crate) fn target(payload: &Payload, settings: &Settings, asks: bool) -> Vec<Finding> {
    const URL: &str = "payload.url";
    let url = payload.text(URL).unwrap_or_default();
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    if !is_web {
        return vec![Finding::reject(
            "http-no-address",
            URL,
            "it names no address that begins with http:// or https://",
            "Give the whole address in :URL as a string.",
        )];
    }
    let own = address::destination(url);
    let mut findings: Vec<Finding> = network::judge(&own, URL, &settings.allowed_hosts).into_iter().collect();
    // Another host in the headers is what a server behind the address may go by.
    let headers: Vec<_> = payload
        .leaves()
        .iter()
        .filter(|leaf| leaf.path.starts_with("payload.headers."))
        .collect();
    for pair in headers.chunks(2) {
        if let [name, value] = pair
            && name.text.eq_ignore_ascii_case("host")
        {
            let said = network::destination(&value.text);
            if own.host != said.host {
                findings.push(
                    Finding::reject(
                        "http-other-host",
                        &value.path,
                        format!(
                            "its headers name the host {}, which is not that of its address",
                            said.host
                        ),
                        "Leave the header `Host` out; it follows from the address.",
                    )
                    .about(&value.text),
                );
            }
        }
    }
    let method = payload.text("payload.method").unwrap_or("GET");
    let body = payload.text("payload.body").unwrap_or_default();
    let says_something = !body.is_empty() || !["GET", "HEAD"].iter().any(|own| own.eq_ignore_ascii_case(method));
    if asks && says_something {
        let summary = format!(
            "sends a {method} request with {} of body to {}",
            bytes(body.len()),
            own.host
        );
        findings.push(Finding::ask("http-sends", URL, summary, Risk::High).about(url));
    }
    findings
}
