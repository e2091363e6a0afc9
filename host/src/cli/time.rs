//! Lengths of time, as they are typed: the same way wherever one can be.

use std::time::Duration;

/// A length of time with a unit, such as `30s` or `2h`; a number without one is seconds.
///
/// # Errors
/// When it is neither, in words for who typed it.
pub(super) fn length(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => humantime::parse_duration(text)
            .map_err(|error| format!("{error}; write it as 30s, 10min or 2h; a number alone is seconds")),
    }
}

/// The same for a person, in seconds.
pub(super) fn seconds(length: Duration) -> String {
    match length.as_secs_f64() {
        1.0 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn a_number_alone_is_seconds_and_one_with_a_unit_is_that() {
        for (text, wanted) in [
            ("30", Duration::from_secs(30)),
            ("30s", Duration::from_secs(30)),
            ("10min", Duration::from_secs(600)),
            ("1h 30m", Duration::from_secs(5_400)),
            ("500ms", Duration::from_millis(500)),
            ("0", Duration::ZERO),
        ] {
            assert_eq!(length(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_length_of_time_is_answered_with_how_to_write_one() {
        for text in ["", "soon", "30 fortnights", "-1", "99999999999999999999"] {
            let told = length(text).unwrap_err();
            assert!(told.ends_with("a number alone is seconds"), "{text}: {told}");
        }
    }

    #[test]
    fn a_length_is_told_in_seconds() {
        assert_eq!(seconds(Duration::from_secs(1)), "1 second");
        assert_eq!(seconds(Duration::from_secs(600)), "600 seconds");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5 seconds");
    }
}
