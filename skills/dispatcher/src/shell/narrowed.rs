//! What a program does where its arguments make it less than what it may do otherwise. Sources: the manuals of gzip, bzip2, xz
//! and zstd, of Info-ZIP's unzip, of openssl and of rsync.

use super::programs::Does;
use super::word::Field;

/// Options of those that pack and unpack that take no value, and those of them by which nothing is written but what is printed.
const LETTERS: &str = "cdfklnqtv123456789";
const PRINTING: &str = "clt";
const LONG: &[&str] = &["--list", "--stdout", "--test", "--to-stdout"];
/// The same of unzip(1).
const OF_UNZIP: &str = "aCjLMpclqtvxZ";
const UNZIP_PRINTING: &str = "pcltvZ";
/// Commands of openssl(1) that reach other machines, or are reached by them.
const CONNECTING: &[&str] = &["cmp", "ocsp", "s_client", "s_server", "s_time", "ts", "tsget"];
/// Options of rsync(1) by which it reaches them, or is told what to do elsewhere.
const BY_RSYNC: &[&str] = &["--daemon", "--files-from", "--read-batch", "--rsh", "--server"];

/// What the program `name`, which does that in general, does with these arguments.
pub(super) fn does(name: &str, arguments: &[Field], general: Does) -> Does {
    let texts = || arguments.iter().map(|field| field.text.as_str());
    let prints = |letters: &str, printing: &str, long: &[&str]| {
        let mut options = texts().take_while(|text| *text != "--").filter(|text| is_option(text));
        let given = |text: &str| text.contains(|letter| printing.contains(letter));
        options
            .clone()
            .all(|text| text.starts_with("--") || text[1..].chars().all(|letter| letters.contains(letter)))
            && options.any(|text| long.contains(&text) || !text.starts_with("--") && given(text))
    };
    let (narrower, is_so) = match name {
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "lzma" | "unlzma" | "zstd" | "unzstd" => {
            (Does::Reads, prints(LETTERS, PRINTING, LONG))
        }
        "unzip" => (Does::Reads, prints(OF_UNZIP, UNZIP_PRINTING, &[])),
        "openssl" => {
            let command = texts().next().unwrap_or_default();
            // What it writes an option names.
            (Does::Reads, !command.is_empty() && !CONNECTING.contains(&command))
        }
        "rsync" => {
            let reaches = |text: &str| match is_option(text) {
                true => {
                    BY_RSYNC.iter().any(|own| text.starts_with(own)) || !text.starts_with("--") && text.contains('e')
                }
                false => text.contains(':'),
            };
            (Does::Copies, !texts().any(reaches))
        }
        _ => return general,
    };
    // One that only running tells may be any.
    let known = || {
        arguments
            .iter()
            .all(|field| field.is_known() && !(field.glob && field.text.starts_with(['*', '?', '[', '-'])))
    };
    if is_so && known() { narrower } else { general }
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}
