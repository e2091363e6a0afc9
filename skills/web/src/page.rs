//! What of a response is given to the model.

use passepartout_sdk::http::Response;

use crate::html;

/// Most of a page, in bytes: what a model can take beside a conversation.
const LONGEST: usize = 48 << 10;

/// Most of an address that a redirect leads to, in bytes.
const LONGEST_ADDRESS: usize = 4 << 10;

/// Most of a body that is looked at, in bytes, so that a page of nothing but markup costs no more than others.
const LOOKED_AT: usize = 1 << 20;

/// The response in a few words, and its text.
pub(crate) fn shown(response: &Response) -> String {
    let kind = response.header("content-type").unwrap_or("of no said type");
    let mut head = format!("{} from {}, {kind}", response.status, response.url);
    // It was not followed, so that the gates judge the other address too.
    if let Some(location) = response.header("location").filter(|_| response.status / 100 == 3) {
        let end = location.floor_char_boundary(LONGEST_ADDRESS);
        head.push_str(&format!(
            "; it leads to {}, which may be fetched in its turn",
            one_line(&location[..end])
        ));
    }
    let body = &response.body[..response.body.len().min(LOOKED_AT)];
    let cut_before = response.truncated || body.len() < response.body.len();
    if body.contains(&0) {
        let bytes = match response.body.len() {
            1 => "1 byte that is".to_owned(),
            count => format!("{count} bytes that are"),
        };
        return format!("{}: {bytes} no text\n", plain(&head));
    }
    let text = String::from_utf8_lossy(body);
    let is_page = ["text/html", "application/xhtml+xml"]
        .iter()
        .any(|own| kind.trim_start().to_ascii_lowercase().starts_with(own));
    let text = match is_page {
        true if cut_before => plain(&html::text(without_half_tag(&text))),
        true => plain(&html::text(&text)),
        false => plain(&text),
    };
    let end = text.floor_char_boundary(LONGEST);
    let mark = match end < text.len() || cut_before {
        true => "\n[cut here]\n",
        false => "",
    };
    format!("{}:\n{}{mark}", plain(&head), &text[..end])
}

/// An address that somebody else wrote, without what would end the line.
fn one_line(address: &str) -> String {
    address.chars().filter(|c| !c.is_whitespace()).collect()
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
