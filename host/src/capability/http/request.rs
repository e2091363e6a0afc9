//! A request, read from an action or made from what a skill gave, and checked before anything is looked up.

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, Url};

use super::Header;
use super::address::Realm;
use super::reach::whose;
use crate::capability::Failure;
use crate::capability::bound::Bound;
use crate::capability::own::OnBehalf;
use crate::config::shell_word;
use crate::plist;
use crate::sexp::{Form, kw, visible};

/// Longest URL, in bytes: what servers commonly take.
const URL_BYTES: usize = 8 << 10;

/// Most headers, and their bytes altogether: what servers commonly take.
const HEADERS: usize = 64;
const HEADER_BYTES: usize = 16 << 10;

/// Methods that can be asked for.
const METHODS: [Method; 7] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
];

/// Headers that are the host's own: they say where a request goes, where it ends, or who it is for.
const OWN_HEADERS: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A request that is well formed.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    /// Values may still ask for secrets.
    pub(super) headers: Vec<(HeaderName, String)>,
    pub(super) body: String,
}

/// How a host may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Granted {
    /// At public addresses, over https.
    Public,
    /// At private ones too, and there without encryption.
    Private,
}

fn refuse<T>(why: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Failed(why.into()))
}

impl Request {
    /// A request of these parts.
    ///
    /// # Errors
    /// [`Failure::Failed`] with what is wrong.
    pub(super) fn new(method: &str, url: &str, headers: &[Header], body: &str) -> Result<Request, Failure> {
        let upper = method.to_ascii_uppercase();
        let Some(method) = METHODS.into_iter().find(|own| own.as_str() == upper) else {
            let known: Vec<&str> = METHODS.iter().map(Method::as_str).collect();
            return refuse(format!(
                "there is no method `{}`; there are {}",
                visible(method),
                known.join(", ")
            ));
        };
        let size: usize = headers
            .iter()
            .map(|header| header.name.len() + header.value.len())
            .sum();
        if headers.len() > HEADERS || size > HEADER_BYTES {
            return refuse(format!(
                "a request has at most {HEADERS} headers and {HEADER_BYTES} bytes in them"
            ));
        }
        let headers = headers.iter().map(checked_header).collect::<Result<_, Failure>>()?;
        Ok(Request {
            method,
            url: parse_url(url)?,
            headers,
            body: body.to_owned(),
        })
    }

    /// The request that the plist `form` describes: `(:METHOD … :URL … :HEADERS (name value …) :BODY …)`.
    ///
    /// # Errors
    /// [`Failure::Failed`] with what is wrong.
    pub(super) fn from_form(form: &Form) -> Result<Request, Failure> {
        let text = |key: &str| match form.get(key) {
            None | Some(Form::Nil) => Ok(None),
            Some(value) => match value.designator() {
                Some(text) => Ok(Some(text)),
                None => refuse(format!(":{key} of a request is a string, not {}", value.shortened(40))),
            },
        };
        let Some(url) = form.get("URL").and_then(Form::as_str) else {
            return refuse("the request has no :URL, a string");
        };
        let headers = match form.get("HEADERS") {
            None => Vec::new(),
            Some(list) => headers_of(list)?,
        };
        Request::new(
            text("METHOD")?.unwrap_or("GET"),
            url,
            &headers,
            text("BODY")?.unwrap_or_default(),
        )
    }

    /// The payload of an action that sends it.
    pub(super) fn payload(&self) -> Form {
        let headers: Vec<Form> = self
            .headers
            .iter()
            .flat_map(|(name, value)| [Form::from(name.as_str()), Form::from(value.as_str())])
            .collect();
        let payload = plist!("ACTION" => kw("SEND"), "METHOD" => self.method.as_str(), "URL" => self.url.as_str());
        let payload = if headers.is_empty() {
            payload
        } else {
            payload.with("HEADERS", headers)
        };
        if self.body.is_empty() {
            payload
        } else {
            payload.with("BODY", self.body.as_str())
        }
    }
}

/// A flat list of names and values, or a list of pairs.
fn headers_of(list: &Form) -> Result<Vec<Header>, Failure> {
    let wrong = || {
        let why = "the :HEADERS of a request are a list of names and values, such as (\"accept\" \"text/html\")";
        Failure::Failed(why.to_owned())
    };
    let items = list.items().ok_or_else(wrong)?;
    let paired = !items.is_empty()
        && items
            .iter()
            .all(|item| item.items().is_some_and(|pair| pair.len() == 2));
    let flat: Vec<&Form> = if paired {
        items.iter().filter_map(Form::items).flatten().collect()
    } else {
        items.iter().collect()
    };
    if !flat.len().is_multiple_of(2) {
        return Err(wrong());
    }
    flat.chunks(2)
        .map(|pair| match (pair[0].designator(), pair[1].as_str()) {
            (Some(name), Some(value)) => Ok(Header {
                name: name.to_lowercase(),
                value: value.to_owned(),
            }),
            _ => Err(wrong()),
        })
        .collect()
}

fn checked_header(header: &Header) -> Result<(HeaderName, String), Failure> {
    let Ok(name) = HeaderName::from_bytes(header.name.as_bytes()) else {
        return refuse(format!("`{}` is no name of a header", visible(&header.name)));
    };
    if OWN_HEADERS.contains(&name.as_str()) || name.as_str().starts_with("proxy-") {
        return refuse(format!("the header `{name}` is set by the host; leave it out"));
    }
    if HeaderValue::from_str(&header.value).is_err() {
        return refuse(format!(
            "the value of the header `{name}` has a line break or another control character"
        ));
    }
    Ok((name, header.value.clone()))
}

/// Whether `text` names the host of `url` in plain sight: it begins with the scheme and `://`, the host, and perhaps a
/// port. A reader of URLs mends much else, so that who judged the text may have seen another host in it. What addresses
/// are in numbers is read alike by both.
fn is_spelt(text: &str, url: &Url) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let port = authority.rfind(':').filter(|at| !authority[*at..].contains(']'));
    let (host, port) = authority.split_at(port.unwrap_or(authority.len()));
    let same = match url.domain() {
        Some(name) => host.eq_ignore_ascii_case(name),
        None => host
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || b"xX.:[]".contains(&byte)),
    };
    let digits = port.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    scheme.eq_ignore_ascii_case(url.scheme())
        && same
        && !host.is_empty()
        && digits
        && !text.contains(char::is_control)
}

/// The URL that `text` is, in its one spelling.
///
/// # Errors
/// [`Failure::Failed`] when it is none of http or https, has a user's name in it, or is not spelt plainly.
pub(super) fn parse_url(text: &str) -> Result<Url, Failure> {
    if text.len() > URL_BYTES {
        return refuse(format!(
            "a URL has at most {URL_BYTES} bytes, and this one {}",
            text.len()
        ));
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return refuse(format!("`{}` is no URL: {error}", visible(text))),
    };
    let shown = visible(url.as_str());
    if !matches!(url.scheme(), "http" | "https") {
        return refuse(format!("{shown} is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse(
            "a URL with a user's name or a password in it is not fetched; use a header, with {vault:NAME} for the secret",
        );
    }
    match url.host_str() {
        None | Some("") => refuse(format!("{shown} names no host")),
        Some(_) if !is_spelt(text, &url) => refuse(format!(
            "`{}` is read as {shown}; if that is meant, write it so",
            visible(text)
        )),
        Some(_) => Ok(url),
    }
}

/// How `url` may be reached by the skill.
///
/// # Errors
/// [`Failure::Rejected`] with the command that would grant it.
pub(super) fn granted(url: &Url, on: &OnBehalf<'_>) -> Result<Granted, Failure> {
    let covers = |bound: &Bound| match bound {
        Bound::HttpPrivate(host) if host.covers(url) => Some(Granted::Private),
        Bound::Http(host) if host.covers(url) => Some(Granted::Public),
        _ => None,
    };
    let ways: Vec<Granted> = on.rights.iter().filter_map(covers).collect();
    if ways.contains(&Granted::Private) {
        return Ok(Granted::Private);
    }
    let place = place(url);
    let command = |class: &str| {
        let right = shell_word(&format!("{class}:{place}"));
        format!("passepartout-host skill grant {} {right}", on.skill)
    };
    if ways.is_empty() {
        return Err(Failure::Rejected(format!(
            "no grant lets the skill `{}` reach {place}; to grant it: {}",
            on.skill,
            command(if is_near(url) { "http-private" } else { "http" })
        )));
    }
    if url.scheme() != "https" {
        return Err(Failure::Rejected(format!(
            "{place} is reached over https only; write https://, or, if it is on this machine or a private network: {}",
            command("http-private")
        )));
    }
    Ok(Granted::Public)
}

/// Whether `url` says itself that it leads to this machine or a private network. A name may lead there all the same.
fn is_near(url: &Url) -> bool {
    whose(url.host_str().unwrap_or_default()) == Some(Realm::Private)
}

/// The host of `url`, and its port where it is not the scheme's: as a grant names it.
pub(super) fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
