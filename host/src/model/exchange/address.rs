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
    // The address is not repeated here: a key may have been put into it.
    let mut url = Url::parse(base).map_err(|cause| misconfigured(format!("`base_url` is no address: {cause}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
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
