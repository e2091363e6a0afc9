//! What of a response is given to the model.

use passepartout_sdk::http::Response;

use crate::charset::{self, Decoded, Markup};
use crate::html;

/// Most of a page, in bytes. Of what is longer than about 24,000, a model is not shown the middle unless
/// `loop.history_bytes` is raised.
const LONGEST: usize = 20 << 10;

/// Most of an address that a redirect leads to, in bytes.
const LONGEST_ADDRESS: usize = 4 << 10;

/// Most of a body that is looked at, in bytes, so that a page of nothing but markup costs no more than others.
const LOOKED_AT: usize = 1 << 20;

/// Longest name of a way of packing that is repeated, in bytes.
const LONGEST_CODING: usize = 40;

/// Ways of packing after which nothing is text (RFC 9110, 8.4.1, and those registered since).
const PACKINGS: &[&str] = &[
    "br",
    "compress",
    "dcb",
    "dcz",
    "deflate",
    "gzip",
    "x-compress",
    "x-gzip",
    "zstd",
];

/// The response in a few words, and its text.
pub(crate) fn shown(response: &Response) -> String {
    let kind = response.header("content-type").unwrap_or("of no said type");
    let mut head = format!("{} from {}, {kind}", response.status, response.url);
    // It was not followed, so that the gates judge the other address too.
    if let Some(location) = response.header("location").filter(|_| response.status / 100 == 3) {
        let end = location.floor_char_boundary(LONGEST_ADDRESS);
        let address = one_line(&location[..end]);
        let way = match is_of_the_web(&address) {
            true => "which may be fetched in its turn",
            false => "which is no address of the web and can't be fetched",
        };
        head.push_str(&format!("; it leads to {address}, {way}"));
    }
    let body = &response.body[..response.body.len().min(LOOKED_AT)];
    let cut_before = response.truncated || body.len() < response.body.len();
    // It was asked for as it is, which not every server heeds.
    let codings = response.header("content-encoding").filter(|_| !body.is_empty());
    let codings = codings.map_or("", str::trim);
    if named(codings).any(|own| own != "identity") {
        let end = codings.floor_char_boundary(LONGEST_CODING);
        head.push_str(&format!(
            "; its content is encoded as {}, which is not undone here",
            &codings[..end]
        ));
    }
    let is_packed = named(codings).any(|own| PACKINGS.contains(&own.as_str()));
    let markup = markup(kind);
    let decoded = match is_packed {
        true => None,
        false => charset::decode(body, kind, markup, cut_before),
    };
    let Some(Decoded { text, note }) = decoded else {
        let bytes = match response.body.len() {
            1 => "1 byte that is".to_owned(),
            count => format!("{count} bytes that are"),
        };
        return format!("{}: {bytes} no text\n", plain(&head));
    };
    if let Some(note) = note {
        head.push_str(&format!("; {note}"));
    }
    let text = match markup {
        Markup::None => plain(&text),
        Markup::Html | Markup::Xhtml if cut_before => plain(&html::text(without_half_tag(&text))),
        Markup::Html | Markup::Xhtml => plain(&html::text(&text)),
    };
    let end = text.floor_char_boundary(LONGEST);
    let mark = match end < text.len() || cut_before {
        true => "\n[cut here]\n",
        false => "",
    };
    format!("{}:\n{}{mark}", plain(&head), &text[..end])
}

/// What a header lists.
fn named(list: &str) -> impl Iterator<Item = String> {
    let names = list.split(',').map(|own| own.trim().to_ascii_lowercase());
    names.filter(|own| !own.is_empty())
}

fn markup(kind: &str) -> Markup {
    let kind = kind.trim_start().to_ascii_lowercase();
    match kind.as_str() {
        html if html.starts_with("text/html") => Markup::Html,
        xhtml if xhtml.starts_with("application/xhtml+xml") => Markup::Xhtml,
        _ => Markup::None,
    }
}

/// An address that somebody else wrote, without what would end the line.
fn one_line(address: &str) -> String {
    address.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether what a redirect leads to is on the web: it says so, or it is on the server that was asked.
fn is_of_the_web(address: &str) -> bool {
    let scheme = address
        .split(['/', '?', '#'])
        .next()
        .and_then(|start| start.split_once(':'));
    scheme.is_none_or(|(scheme, _)| ["http", "https"].iter().any(|own| own.eq_ignore_ascii_case(scheme)))
}

/// The page without the beginning of a tag at its end.
fn without_half_tag(page: &str) -> &str {
    match page.rfind(['<', '>']) {
        Some(at) if page[at..].starts_with('<') => &page[..at],
        _ => page,
    }
}

/// The text without characters that control a terminal or turn the direction of writing.
fn plain(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    text.chars()
        .filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || turns(*c)))
        .collect()
}
