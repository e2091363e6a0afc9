//! Lengths of time, as they are typed: the same way wherever one can be.

use std::time::{Duration, SystemTime};

/// How a length of time is typed.
const TYPED: &str = "write a number with one of the units ms, s, min, h, days, weeks, months and years, such as 90s, 10min or \
                     2h; a number alone is seconds";

/// A length of time with a unit, such as `30s` or `2h`; a number without one is seconds.
///
/// # Errors
/// When it is neither, in words for who typed it.
pub(super) fn length(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => humantime::parse_duration(text).map_err(|error| match error {
            humantime::DurationError::NumberOverflow => format!("it is too long; {TYPED}"),
            _ => TYPED.to_owned(),
        }),
    }
}

/// The same for how long something is waited for, which is never not at all.
///
/// # Errors
/// As [`length`], and where it is none.
pub(super) fn wait(text: &str) -> Result<Duration, String> {
    match length(text)? {
        Duration::ZERO => Err("it is no time at all; write at least 1ms".to_owned()),
        wait => Ok(wait),
    }
}

/// The same for a person, in seconds.
pub(super) fn seconds(length: Duration) -> String {
    match length.as_secs_f64() {
        1.0 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}

/// A moment as RFC 3339 has it, and how far from `now` that is: nobody reads clocks of Greenwich at a glance.
pub(super) fn until(moment: &str, now: SystemTime) -> String {
    let rest = humantime::parse_rfc3339(moment)
        .ok()
        .and_then(|then| then.duration_since(now).ok());
    match rest {
        Some(rest) => {
            let step = if rest.as_secs() < 120 { 1 } else { 60 };
            let rest = Duration::from_secs(rest.as_secs().next_multiple_of(step));
            format!("{moment} ({} from now)", humantime::format_duration(rest))
        }
        None => moment.to_owned(),
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
        for text in [
            "",
            "soon",
            "5x",
            "30 fortnights",
            "-1",
            "99999999999999999999",
            "99999999999999999999s",
        ] {
            let told = length(text).unwrap_err();
            assert!(told.ends_with("a number alone is seconds"), "{text}: {told}");
            assert!(told.contains("days") && told.contains("10min"), "{text}: {told}");
        }
    }

    #[test]
    fn nothing_is_waited_for_no_time_at_all() {
        for text in ["0", "0s", "0ms"] {
            assert!(wait(text).unwrap_err().contains("at least 1ms"), "{text}");
        }
        assert_eq!(wait("1ms"), Ok(Duration::from_millis(1)));
    }

    #[test]
    fn a_moment_is_told_with_how_far_away_it_is() {
        let at = |moment: &str, before: u64| {
            let moment_of = humantime::parse_rfc3339(moment).unwrap();
            until(moment, moment_of - Duration::from_secs(before))
        };
        let moment = "2026-03-01T12:15:00Z";
        assert_eq!(at(moment, 899), format!("{moment} (15m from now)"));
        assert_eq!(at(moment, 90), format!("{moment} (1m 30s from now)"));
        assert_eq!(at(moment, 30 * 86_400), format!("{moment} (30days from now)"));
        assert_eq!(until("1970-01-01T00:00:00Z", SystemTime::now()), "1970-01-01T00:00:00Z");
        assert_eq!(until("an unknown time", SystemTime::now()), "an unknown time");
    }

    #[test]
    fn a_length_is_told_in_seconds() {
        assert_eq!(seconds(Duration::from_secs(1)), "1 second");
        assert_eq!(seconds(Duration::from_secs(600)), "600 seconds");
        assert_eq!(seconds(Duration::from_millis(500)), "0.5 seconds");
    }
}
