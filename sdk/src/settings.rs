//! What the operator configured for skills. Read-only, and the same for the whole decision.

use crate::imports;

/// The value of `key`, such as `workspace` or `dispatcher.network.allow`.
pub fn get(key: &str) -> Option<String> {
    imports::settings::get(key)
}

/// The items of the list `key`: its lines, trimmed, without the empty ones.
pub fn list(key: &str) -> Vec<String> {
    let lines = get(key).unwrap_or_default();
    lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}
