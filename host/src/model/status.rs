//! The statuses that servers refuse a question with, in words: what each of them says, and what to do about it.

/// Where a question was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The whole address, for people.
    pub address: String,
    /// Whether its `base_url` has no path.
    pub is_bare: bool,
}

/// What to do where an address is answered by something else than a model.
const WHO: &str = "is this a model server, and is its `base_url` right?";

/// The status `code` in words; with the address that was `asked`, where it may be the wrong one.
pub(super) fn in_words(code: u16, asked: Option<&Asked>) -> String {
    let (reason, advice) = match code {
        301 | 302 | 303 | 307 | 308 => ("moved", "redirects are not followed, correct `base_url`"),
        400 => ("bad request", ""),
        401 => ("unauthorised", ""),
        402 => ("payment required", ""),
        403 => ("forbidden", ""),
        404 => ("not found", "check `base_url` and `model`"),
        405 | 501 => ("it takes no such requests", WHO),
        407 => ("a proxy on the way wants to know who asks", ""),
        408 => ("request time-out", ""),
        410 => ("no longer there", "check `base_url` and `model`"),
        411 | 415 | 426 => ("it does not take requests in this form", WHO),
        413 => (
            "request too large",
            "lower `loop.history_bytes`, or ask a model with more room",
        ),
        422 => ("request not understood", ""),
        429 => ("too many requests", "see what your account there allows"),
        500 => ("internal error", ""),
        502 => ("bad gateway", ""),
        503 => ("unavailable", ""),
        504 => ("gateway time-out", ""),
        511 => ("the network here wants a log-in first", "open any page in a browser"),
        520..=526 => ("the server behind it does not answer", ""),
        529 => ("overloaded", ""),
        code if (300..400).contains(&code) => ("it points elsewhere", "correct `base_url`"),
        code if (400..500).contains(&code) => ("it refuses the request", "check `base_url`, `dialect` and `model`"),
        code if (500..600).contains(&code) => ("an error of the server", "its own log may say more"),
        _ => return code.to_string(),
    };
    let asked = asked.filter(|_| is_of_address(code));
    let place = asked.map_or_else(String::new, |asked| format!(" at {}", asked.address));
    let bare = asked.filter(|asked| asked.is_bare);
    let bare = bare.map_or("", |_| "`base_url` has no path, and mostly ends in /v1");
    let parts = [&*format!("{reason}{place}"), bare, advice];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{code} ({})", parts.join("; "))
}

/// Whether it is mostly the address that is wrong.
fn is_of_address(code: u16) -> bool {
    matches!(code, 300..=399 | 404 | 405 | 410 | 411 | 415 | 426 | 501)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(is_bare: bool) -> Asked {
        let address = match is_bare {
            true => "http://127.0.0.1:8000/chat/completions",
            false => "http://127.0.0.1:8000/v1/chat/completions",
        };
        Asked {
            address: address.to_owned(),
            is_bare,
        }
    }

    #[test]
    fn a_wrong_address_is_told_and_that_its_base_url_has_no_path() {
        assert_eq!(
            in_words(404, Some(&asked(true))),
            "404 (not found at http://127.0.0.1:8000/chat/completions; `base_url` has no path, and mostly ends in /v1; \
             check `base_url` and `model`)"
        );
        assert_eq!(
            in_words(404, Some(&asked(false))),
            "404 (not found at http://127.0.0.1:8000/v1/chat/completions; check `base_url` and `model`)"
        );
        assert_eq!(in_words(404, None), "404 (not found; check `base_url` and `model`)");
    }

    #[test]
    fn what_is_no_model_server_is_asked_whether_it_is_one() {
        for code in [405, 501] {
            let told = in_words(code, Some(&asked(false)));
            assert!(
                told.ends_with(
                    "(it takes no such requests at http://127.0.0.1:8000/v1/chat/completions; is this a model server, and is \
                     its `base_url` right?)"
                ),
                "{told}"
            );
        }
    }

    #[test]
    fn no_status_that_a_server_refuses_with_is_a_bare_number() {
        for code in 300..600 {
            let told = in_words(code, None);
            assert!(
                told.starts_with(&format!("{code} (")) && told.ends_with(')') && !told.contains("(;"),
                "{told}"
            );
        }
    }

    #[test]
    fn an_address_is_not_told_where_it_was_right() {
        for code in [401, 429, 500, 503] {
            assert!(!in_words(code, Some(&asked(true))).contains("127.0.0.1"), "{code}");
        }
    }
}
