//! What each argument of curl and wget is: an address, a proxy, a file that is sent, or a value that names nothing.

mod options;

use super::hidden::Invocation;
use super::outputs::part;
use super::word::{Field, UNKNOWN};
use options::{CURL, Options, WGET};

/// What an argument, or the value of an option, means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// An option takes none.
    Nothing,
    /// Nothing that matters here.
    Value,
    /// An address.
    Url,
    /// `[scheme://][user@]host[:port]`.
    Proxy,
    /// Hosts, with commas between them.
    Hosts,
    /// `host:port:address,…`.
    Resolve,
    /// `host:port:host:port`.
    Connect,
    /// The method of the request.
    Method,
    /// Data that are sent, or a command.
    Says,
    /// The same, or behind `@` a file.
    Data,
    /// The same, or `name@file`.
    Encoded,
    /// `name=value`, `name=@file`, `name=<file`.
    Form,
    /// A file that is sent.
    Sends,
    /// A file of cookies, or some.
    Cookies,
    /// A header, or behind `@` a file of some.
    Header,
    /// A file that is read.
    Reads,
    /// The same, and behind a colon its password.
    Certificate,
    /// A format, or behind `@` a file with it.
    Format,
    /// A file of options.
    Obeys,
    /// A file of addresses.
    Lists,
    /// A socket.
    Socket,
    /// A line of wget's configuration.
    Setting,
    /// A program that is run.
    Runs,
    /// A file that is written.
    Writes,
    /// It may be the value of an option that is not known, or an address.
    Unclear,
}

/// What stands behind so many arguments is not told apart.
const MOST_READ: usize = 1_024;

/// One of them.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) means: Means,
    /// The text.
    pub(super) field: Field,
    /// In which argument it stands, if it is all of it.
    pub(super) at: Option<usize>,
}

/// Tells them of an invocation, in their order. `None` for other programs.
pub(super) fn read(invocation: &Invocation<'_>) -> Option<Vec<Part>> {
    let options = match invocation.name.as_ref() {
        "curl" => CURL,
        "wget" => WGET,
        _ => return None,
    };
    let mut found = Vec::new();
    let mut waiting: Option<Means> = None;
    let mut ended = false;
    for (at, field) in invocation.arguments().iter().enumerate() {
        let text = field.text.as_str();
        let whole = |means| Part {
            means,
            field: field.clone(),
            at: Some(at),
        };
        if let Some(means) = waiting.take() {
            found.push(whole(means));
        } else if at >= MOST_READ {
            found.push(whole(Means::Unclear));
        } else if !ended && text == "--" {
            ended = true;
        } else if ended || text.len() < 2 || !text.starts_with('-') {
            found.push(whole(Means::Url));
        } else {
            let (means, value) = option(options, text);
            match value {
                _ if means == Means::Nothing => {}
                Some(value) => found.push(Part {
                    means,
                    field: part(field, value),
                    at: None,
                }),
                None => waiting = Some(means),
            }
        }
    }
    Some(found)
}

/// What the value of an option means, and the value, if it stands in the same argument.
fn option(options: Options, text: &str) -> (Means, Option<&str>) {
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        return (by_name(options, name), value);
    }
    for (at, letter) in text.char_indices().skip(1) {
        let known = options.iter().find(|(_, letters, _)| letters.contains(letter));
        match known.map_or(Means::Unclear, |(means, ..)| *means) {
            Means::Nothing => {}
            means => {
                let rest = &text[at + letter.len_utf8()..];
                return (means, (!rest.is_empty()).then_some(rest));
            }
        }
    }
    (Means::Nothing, None)
}

/// What a long option means, of which the name may be shortened where that leaves no doubt.
fn by_name(options: Options, name: &str) -> Means {
    let all = || {
        let names = options
            .iter()
            .map(|(means, _, names)| (*means, names.split_whitespace()));
        names.flat_map(|(means, names)| names.map(move |own| (own, means)))
    };
    // curl takes these before the name of another.
    let bare = name.strip_prefix("expand-").unwrap_or(name);
    if let Some((_, means)) = all().find(|(own, _)| *own == bare) {
        return means;
    }
    let like: Vec<Means> = all()
        .filter(|(own, _)| !bare.is_empty() && own.starts_with(bare))
        .map(|(_, means)| means)
        .collect();
    let is_flag = |means: &Means| *means == Means::Nothing;
    let negated = || {
        name.strip_prefix("no-")
            .is_some_and(|own| all().any(|(known, _)| known == own))
    };
    // Another version may know one of them alone.
    match like.first() {
        Some(_) if like.contains(&Means::Writes) => Means::Writes,
        Some(_) if like.iter().all(is_flag) => Means::Nothing,
        Some(_) if like.iter().any(is_flag) => Means::Unclear,
        Some(first) => like
            .iter()
            .copied()
            .find(|means| *means != Means::Value)
            .unwrap_or(*first),
        None if negated() => Means::Nothing,
        None => Means::Unclear,
    }
}

impl Part {
    /// The files that are read where it stands: each a part of it. Nothing for the input.
    pub(super) fn files(&self) -> Vec<Field> {
        let text = self.field.text.as_str();
        let names: Vec<&str> = match self.means {
            Means::Data | Means::Header | Means::Format => text.strip_prefix('@').into_iter().collect(),
            Means::Encoded => match text.find(['=', '@']) {
                Some(at) if text[at..].starts_with('@') && !text.contains('=') => vec![&text[at + 1..]],
                _ => Vec::new(),
            },
            Means::Form => of_form(text),
            Means::Cookies if text.contains('=') => Vec::new(),
            Means::Sends | Means::Cookies | Means::Reads | Means::Obeys | Means::Lists | Means::Socket => vec![text],
            Means::Certificate => vec![text.split(':').next().unwrap_or_default()],
            Means::Url => of_address(text).into_iter().collect(),
            _ => Vec::new(),
        };
        let named = names.into_iter().filter(|name| !matches!(*name, "" | "-" | "."));
        // curl makes several names of such a one, and in an address it may be written with escapes.
        let several = |name: &str| match self.means {
            Means::Url => name.contains(['{', '[', '%']),
            Means::Sends => name.contains('{'),
            _ => false,
        };
        let told = |name: &str| {
            if several(name) {
                UNKNOWN.to_string()
            } else {
                name.to_owned()
            }
        };
        named.map(|name| part(&self.field, &told(name))).collect()
    }

    /// Whether what its files hold goes to the other machine.
    pub(super) fn sends(&self) -> bool {
        matches!(
            self.means,
            Means::Data | Means::Encoded | Means::Form | Means::Sends | Means::Cookies | Means::Header
        )
    }

    /// Whether it makes the request one that says something.
    pub(super) fn says(&self) -> bool {
        match self.means {
            Means::Says | Means::Data | Means::Encoded | Means::Form | Means::Sends => true,
            Means::Method => !["GET", "HEAD"]
                .iter()
                .any(|own| own.eq_ignore_ascii_case(&self.field.text)),
            _ => false,
        }
    }
}

/// The file of this machine that an address names: `file:///path`, `file://host/path`, `file:/path`.
pub(super) fn of_address(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map(|at| &rest[at..]),
        None => Some(rest),
    }
}

/// The files of `name=@a,b;type=c` and `name=<a`.
fn of_form(text: &str) -> Vec<&str> {
    let Some((_, value)) = text.split_once('=') else {
        return Vec::new();
    };
    let Some(mut rest) = value.strip_prefix(['@', '<']) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        let (name, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find([';', ',']).unwrap_or(rest.len())),
        };
        found.push(name);
        match behind.split_once(',') {
            Some((_, more)) if value.starts_with('@') => rest = more,
            _ => return found,
        }
    }
}
