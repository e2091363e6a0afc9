//! How long a server asks to wait: `Retry-After` in seconds or as a date, and `retry-after-ms`.
//!
//! What a server asks is read as it is meant and bounded by the cascade, never here: a wait of years is an answer too.

use std::time::{Duration, SystemTime};

/// The wait that these two headers ask for; none where neither can be read. A date in the past is no wait at all.
pub(super) fn parse(retry_after: Option<&str>, milliseconds: Option<&str>, now: SystemTime) -> Option<Duration> {
    // The finer one first: servers that send both round the other up.
    if let Some(wait) = milliseconds.and_then(|text| text.trim().parse::<u64>().ok()) {
        return Some(Duration::from_millis(wait));
    }
    let text = retry_after?.trim();
    if let Ok(wait) = text.parse::<u64>() {
        return Some(Duration::from_secs(wait));
    }
    Some(date(text)?.duration_since(now).unwrap_or(Duration::ZERO))
}

/// The one form of date that servers may send (RFC 9110, IMF-fixdate): `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_weekday, rest) = text.split_once(", ")?;
    let mut parts = rest.split_ascii_whitespace();
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let time = parts.next()?;
    if parts.next() != Some("GMT") || parts.next().is_some() {
        return None;
    }
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    humantime::parse_rfc3339(&format!("{year}-{month:02}-{day:0>2}T{time}Z")).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn now() -> SystemTime {
        humantime::parse_rfc3339("2026-11-27T12:00:00Z").unwrap()
    }

    #[test]
    fn seconds_are_seconds_and_milliseconds_are_milliseconds() {
        assert_eq!(parse(Some("1"), None, now()), Some(Duration::from_secs(1)));
        assert_eq!(
            parse(Some(" 274579000 "), None, now()),
            Some(Duration::from_secs(274_579_000))
        );
        assert_eq!(
            parse(None, Some("274579000"), now()),
            Some(Duration::from_millis(274_579_000))
        );
        assert_eq!(
            parse(Some("2"), Some("1500"), now()),
            Some(Duration::from_millis(1_500))
        );
    }

    #[test]
    fn a_date_is_counted_from_now_and_a_past_one_is_no_wait() {
        assert_eq!(
            parse(Some("Fri, 27 Nov 2026 12:00:07 GMT"), None, now()),
            Some(Duration::from_secs(7))
        );
        assert_eq!(
            parse(Some("Fri, 27 Nov 2026 11:00:00 GMT"), None, now()),
            Some(Duration::ZERO)
        );
        assert_eq!(
            parse(Some("Sun, 06 Nov 1994 08:49:37 GMT"), None, now()),
            Some(Duration::ZERO)
        );
        assert!(parse(Some("Fri, 31 Dec 9999 23:59:59 GMT"), None, now()) > Some(Duration::from_secs(1 << 32)));
    }

    #[test]
    fn what_cannot_be_read_is_no_wish() {
        for text in [
            "",
            "soon",
            "-1",
            "1.5.2",
            "99999999999999999999999",
            "Fri, 99 Nov 2026 12:00:07 GMT",
            "Fri, 27 Nix 2026 12:00:07 GMT",
            "Fri, 27 Nov 2026 12:00:07 +0200",
            "Fri, 27 Nov 2026",
        ] {
            assert_eq!(parse(Some(text), None, now()), None, "{text}");
        }
        assert_eq!(parse(None, None, now()), None);
    }
}
