//! Where a server is.

use reqwest::Url;

use crate::model::{Asked, ProviderError};

/// Where to post to.
pub(super) fn endpoint(base_url: &str, path: &str) -> Result<Url, ProviderError> {
    let misconfigured = |problem: String| ProviderError::Misconfigured {
        problem,
        remedy: format!("write `base_url` as in https://api.openai.com/v1, up to and without {path}"),
    };
    let base = base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix(path).unwrap_or(base);
    if base.is_empty() {
        return Err(misconfigured("`base_url` is missing or empty".to_owned()));
    }
    // The address is not repeated here: a key may have been put into it.
    let parsed = Url::parse(base);
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    // Of `localhost:8080` the first part passes for a scheme, and of `127.0.0.1:8080` nothing does.
    if !base.contains("://") && !parsed.as_ref().is_ok_and(is_web) {
        return Err(misconfigured(
            "`base_url` has no http:// or https:// in front".to_owned(),
        ));
    }
    let mut url = parsed.map_err(|cause| misconfigured(format!("`base_url` is no address: {cause}")))?;
    if !is_web(&url) {
        return Err(misconfigured(
            "`base_url` begins with neither http:// nor https://".to_owned(),
        ));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(misconfigured(
            "`base_url` holds a user name, a password, a `?` or a `#`".to_owned(),
        ));
    }
    url.set_path(&format!("{}{path}", url.path().trim_end_matches('/')));
    Ok(url)
}

/// Scheme, host and port, for people.
pub(super) fn shown(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Longest step of a path that is shown, in bytes: a longer one may be a key.
const LONGEST_STEP: usize = 20;

/// All of the address that a question was posted to, for people. `path` is what stands behind the `base_url`.
pub(super) fn asked(url: &Url, path: &str) -> Asked {
    let plain = |step: &str| match step.len() > LONGEST_STEP {
        true => "…".to_owned(),
        false => step.to_owned(),
    };
    let steps: Vec<String> = url.path().split('/').map(plain).collect();
    Asked {
        address: format!("{}{}", shown(url), steps.join("/")),
        is_bare: url.path() == path,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn an_address_that_is_missing_is_told_as_that() {
        for base in ["", "  ", "/messages"] {
            let error = endpoint(base, "/messages").unwrap_err().to_string();
            assert!(error.contains("`base_url` is missing or empty"), "{error}");
        }
    }

    #[test]
    fn the_address_that_was_asked_is_shown_whole_but_for_what_may_be_a_key() {
        let told = |base: &str| asked(&endpoint(base, "/messages").unwrap(), "/messages");
        let plain = told("http://127.0.0.1:8000/v1");
        assert_eq!(
            (plain.address.as_str(), plain.is_bare),
            ("http://127.0.0.1:8000/v1/messages", false)
        );
        assert!(told("http://127.0.0.1:8000/").is_bare);
        assert_eq!(
            told("https://gateway.example/sk-0123456789abcdef0123/v1").address,
            "https://gateway.example/…/v1/messages"
        );
    }
}
