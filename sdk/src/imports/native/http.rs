//! `http`, answered by the responses that a harness was given.

use crate::capability::Failure;
use crate::http::Response;
use crate::test::Request;
use crate::test::world::{self, World};

pub(crate) fn get(url: &str, headers: &[(&str, &str)]) -> Result<Response, Failure> {
    let request = request("GET", url, headers, "");
    world::with(|world| world.respond("http.get", request))
}

pub(crate) fn send(action: u32, path: &str) -> Result<Response, Failure> {
    let target = world::form_at(action, "target", |form| form?.text().map(str::to_owned)).unwrap_or_default();
    let place = [("HTTP", "payload"), ("TOOL", "payload.args")]
        .iter()
        .any(|(own, own_path)| own.eq_ignore_ascii_case(&target) && own_path.eq_ignore_ascii_case(path));
    if action != world::ACTION || !place {
        return Err(Failure::NotCleared(format!(
            "`{path}` of an action for :{target} is nothing that the gates judged for http.send; only payload of :HTTP, or \
             payload.args of :TOOL is. Use http::propose for what is the skill's own"
        )));
    }
    let text = |key: &str| world::form_at(action, &format!("{path}.{key}"), |form| form?.text().map(str::to_owned));
    let Some(url) = text("url") else {
        return Err(Failure::Failed("the request has no :URL, a string".to_owned()));
    };
    let headers: Vec<String> = world::form_at(action, &format!("{path}.headers"), |form| {
        let items = form.map(|form| form.items()).unwrap_or_default();
        items.iter().filter_map(|item| item.text().map(str::to_owned)).collect()
    });
    let headers: Vec<(&str, &str)> = headers
        .chunks_exact(2)
        .map(|pair| (pair[0].as_str(), pair[1].as_str()))
        .collect();
    let method = text("method").unwrap_or_else(|| "GET".to_owned());
    let request = request(&method, &url, &headers, &text("body").unwrap_or_default());
    world::with(|world| {
        world.once("http.send")?;
        world.respond("http.send", request)
    })
}

pub(crate) fn propose(
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: &str,
    explanation: &str,
) -> Result<Response, Failure> {
    let request = request(method, url, headers, body);
    world::with(|world| {
        if explanation.trim().is_empty() {
            return Err(Failure::Rejected("a proposed request needs an explanation".to_owned()));
        }
        world.respond("http.propose", request)
    })
}

fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Request {
    Request {
        method: method.to_uppercase(),
        url: url.to_owned(),
        headers: headers
            .iter()
            .map(|(name, value)| (name.to_lowercase(), (*value).to_owned()))
            .collect(),
        body: body.to_owned(),
    }
}

impl World {
    /// Notes the request, and gives the next scripted response.
    fn respond(&mut self, name: &'static str, request: Request) -> Result<Response, Failure> {
        self.acts.push(name);
        self.requests.push(request);
        self.responses.pop_front().unwrap_or_else(|| {
            Err(Failure::Unavailable(
                "the harness has no further response for a request".to_owned(),
            ))
        })
    }
}
