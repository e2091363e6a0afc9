#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bounds;
mod plists;
mod printing;
mod reading;
mod round_trips;

use super::*;

/// The canonical printing of what `text` reads as.
fn reprinted(text: &str) -> String {
    read(text)
        .unwrap_or_else(|error| panic!("{text:?}: {error}"))
        .to_string()
}

/// The error that reading `text` gives, as its text.
fn refusal(text: &str) -> String {
    match read(text) {
        Ok(form) => panic!("{text:?} was read as {form}"),
        Err(error) => error.to_string(),
    }
}
