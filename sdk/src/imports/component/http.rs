//! `http`.

use super::wit::http as wit;
use crate::capability::Failure;
use crate::http::Response;

pub(crate) fn get(url: &str, own: &[(&str, &str)]) -> Result<Response, Failure> {
    wit::get(url, &headers(own))
        .map(response)
        .map_err(|error| failure!(wit, error))
}

pub(crate) fn send(action: u32, path: &str) -> Result<Response, Failure> {
    wit::send(action, path)
        .map(response)
        .map_err(|error| failure!(wit, error))
}

pub(crate) fn propose(
    method: &str,
    url: &str,
    own: &[(&str, &str)],
    body: &str,
    explanation: &str,
) -> Result<Response, Failure> {
    wit::propose(method, url, &headers(own), body, explanation)
        .map(response)
        .map_err(|error| failure!(wit, error))
}

fn headers(own: &[(&str, &str)]) -> Vec<wit::Header> {
    let header = |(name, value): &(&str, &str)| wit::Header {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    own.iter().map(header).collect()
}

fn response(response: wit::Response) -> Response {
    Response {
        status: response.status,
        headers: response
            .headers
            .into_iter()
            .map(|header| (header.name, header.value))
            .collect(),
        body: response.body,
        truncated: response.truncated,
        url: response.url,
    }
}
