//! Searches in short texts, byte by byte. The library's are made for long ones, and take longer to begin than names and paths
//! have bytes.

/// Where this sign of ASCII stands last.
pub(crate) fn last(text: &str, sign: u8) -> Option<usize> {
    text.bytes().rposition(|byte| byte == sign)
}

/// What stands before it and behind it, where it stands last.
pub(crate) fn split_last(text: &str, sign: u8) -> Option<(&str, &str)> {
    last(text, sign).map(|at| (&text[..at], &text[at + 1..]))
}

/// What stands behind it, where it stands last: all, if it stands nowhere.
pub(crate) fn behind_last(text: &str, sign: u8) -> &str {
    split_last(text, sign).map_or(text, |(_, behind)| behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_found_where_it_stands_last() {
        for text in ["", "/", "a", "a/b/é", "é/", "//", "ü.x.y"] {
            for sign in [b'/', b'.'] {
                let char = char::from(sign);
                assert_eq!(last(text, sign), text.rfind(char), "{text}");
                assert_eq!(split_last(text, sign), text.rsplit_once(char), "{text}");
                assert_eq!(Some(behind_last(text, sign)), text.rsplit(char).next(), "{text}");
            }
        }
    }
}
