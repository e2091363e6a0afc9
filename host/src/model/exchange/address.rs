//! Where a server is.

use reqwest::Url;

use crate::model::ProviderError;

/// Where to post to.
pub(super) fn endpoint(base_url: &str, path: &str) -> Result<Url, ProviderError> {
    let misconfigured = |problem: String| ProviderError::Misconfigured {
        problem,
        remedy: format!("write `base_url` as in https://api.openai.com/v1, up to and without {path}"),
    };
    let base = base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix(path).unwrap_or(base);
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
