//! Moments that come again and again: `0 7 * * 1-5`, in UTC.
//!
//! Five fields as cron has them: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). A field is
//! `*`, a number, a range `1-5`, either with a step as in `*/15`, or several of these with commas between. Where both
//! kinds of day are limited, a day that is either counts.

use std::fmt;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// How many days are looked at for the next moment: the 29th of February may be eight years away.
const DAYS_AHEAD: u64 = 9 * 366;

/// Longest text, in bytes: every minute, one by one, has fewer.
const LONGEST: usize = 256;

/// Each field, with the least and the greatest that it takes.
const FIELDS: [(&str, u32, u32); 5] = [
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of the month", 1, 31),
    ("month", 1, 12),
    ("day of the week", 0, 7),
];

/// When something happens again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
}

impl Cron {
    /// The moments that `text` names.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Cron, String> {
        if text.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        if fields.len() != FIELDS.len() {
            return Err(format!(
                "it needs five fields (minute, hour, day of the month, month, day of the week), as in \"0 7 * * 1-5\", and \
                 has {}",
                fields.len()
            ));
        }
        let mut sets = [0; FIELDS.len()];
        for ((set, field), (name, least, most)) in sets.iter_mut().zip(&fields).zip(FIELDS) {
            *set = parse_field(field, least, most).ok_or_else(|| {
                format!("its field `{field}` is no {name}: write `*`, or numbers from {least} to {most} as in 1-5, */2 or 1,3")
            })?;
        }
        let [minutes, hours, days, months, weekdays] = sets;
        Ok(Cron {
            text: fields.join(" "),
            minutes,
            hours,
            days,
            months,
            // Sunday is 0, and 7 as well.
            weekdays: (weekdays | (weekdays >> 7)) & 0x7f,
        })
    }

    /// The first of its moments after `now`, both in seconds since 1970; none where there is no such day.
    pub fn next(&self, now: u64) -> Option<u64> {
        // The first whole minute after now.
        let from = (now / 60 + 1) * 60;
        let (first, mut least) = (from / DAY, from % DAY / 60);
        for day in first..first + DAYS_AHEAD {
            if self.has_day(day) {
                let minute = (least..24 * 60).find(|at| has(self.hours, at / 60) && has(self.minutes, at % 60));
                if let Some(minute) = minute {
                    return Some(day * DAY + minute * 60);
                }
            }
            least = 0;
        }
        None
    }

    fn has_day(&self, day: u64) -> bool {
        let (month, of_month) = date(day);
        // The first of January 1970 was a Thursday.
        let of_week = has(self.weekdays, (day + 4) % 7);
        let of_month = has(self.days, of_month);
        let fits = match (self.days == all(1, 31), self.weekdays == 0x7f) {
            (false, false) => of_month || of_week,
            _ => of_month && of_week,
        };
        fits && has(self.months, month)
    }
}

/// The text that [`Cron::parse`] reads.
impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The numbers that a field names, as bits.
fn parse_field(field: &str, least: u32, most: u32) -> Option<u64> {
    let mut set = 0;
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(number(step)?)),
            None => (part, None),
        };
        let (from, to) = match (range, range.split_once('-')) {
            ("*", _) => (least, most),
            (_, Some((from, to))) => (number(from)?, number(to)?),
            // From there on, where a step follows.
            (_, None) => (number(range)?, if step.is_some() { most } else { number(range)? }),
        };
        let step = step.unwrap_or(1);
        if from < least || to > most || from > to || step == 0 || step > most {
            return None;
        }
        for at in (from..=to).step_by(usize::try_from(step).ok()?) {
            set |= 1 << at;
        }
    }
    Some(set)
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn all(least: u32, most: u32) -> u64 {
    (least..=most).fold(0, |set, at| set | 1 << at)
}

fn has(set: u64, at: u64) -> bool {
    at < 64 && set & (1 << at) != 0
}

/// Month and day of the month of a day that is counted from the first of January 1970.
fn date(day: u64) -> (u64, u64) {
    // Counted from the first of March of the year 0, so that a leap day ends its year; 400 years repeat.
    let day = day + 719_468;
    let of_era = day % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    (if month < 10 { month + 3 } else { month - 9 }, of_month)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use std::time::{Duration, UNIX_EPOCH};

    use proptest::prelude::*;

    use super::*;

    fn seconds(moment: &str) -> u64 {
        let at = humantime::parse_rfc3339_weak(moment).unwrap();
        at.duration_since(UNIX_EPOCH).unwrap().as_secs()
    }

    fn next(cron: &str, now: &str) -> String {
        let at = Cron::parse(cron).unwrap().next(seconds(now)).unwrap();
        let text = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at)).to_string();
        text.trim_end_matches(":00Z").replace('T', " ")
    }

    #[test]
    fn the_next_moment_is_the_first_one_after_now() {
        for (cron, now, wanted) in [
            // The 28th of November 2026 is a Saturday.
            ("0 7 * * 1-5", "2026-11-28 10:00:00", "2026-11-30 07:00"),
            ("0 7 * * 1-5", "2026-11-30 06:59:59", "2026-11-30 07:00"),
            ("0 7 * * 1-5", "2026-11-30 07:00:00", "2026-12-01 07:00"),
            ("* * * * *", "2026-11-28 10:00:00", "2026-11-28 10:01"),
            ("*/15 * * * *", "2026-11-28 10:46:00", "2026-11-28 11:00"),
            ("5/20 8-9 * * *", "2026-11-28 08:26:00", "2026-11-28 08:45"),
            ("30 23 31 12 *", "2026-12-31 23:30:00", "2027-12-31 23:30"),
            ("0 0 1,15 * *", "2026-11-28 10:00:00", "2026-12-01 00:00"),
            ("0 0 * * 0", "2026-11-28 10:00:00", "2026-11-29 00:00"),
            ("0 0 * * 7", "2026-11-28 10:00:00", "2026-11-29 00:00"),
            ("0 0 29 2 *", "2026-11-28 10:00:00", "2028-02-29 00:00"),
            ("0 0 29 2 *", "2096-03-01 00:00:00", "2104-02-29 00:00"),
            // Where both days are limited, either counts.
            ("0 12 13 * 5", "2026-11-28 10:00:00", "2026-12-04 12:00"),
            ("0 12 13 * 5", "2026-12-11 12:00:00", "2026-12-13 12:00"),
        ] {
            assert_eq!(next(cron, now), wanted, "{cron} after {now}");
        }
    }

    #[test]
    fn what_names_no_moment_is_an_error_that_names_the_field() {
        for (cron, named) in [
            ("", "five fields"),
            ("0 7 * *", "five fields"),
            ("0 7 * * 1 2026", "five fields"),
            ("60 7 * * *", "`60` is no minute"),
            ("0 24 * * *", "`24` is no hour"),
            ("0 7 0 * *", "`0` is no day of the month"),
            ("0 7 * 13 *", "`13` is no month"),
            ("0 7 * * 8", "`8` is no day of the week"),
            ("0 7 * * 5-1", "`5-1`"),
            ("*/0 * * * *", "`*/0`"),
            ("1,,2 * * * *", "`1,,2`"),
            ("-1 * * * *", "`-1`"),
            ("+1 * * * *", "`+1`"),
            ("1-2-3 * * * *", "`1-2-3`"),
            ("a * * * *", "`a`"),
        ] {
            assert!(Cron::parse(cron).is_err_and(|error| error.contains(named)), "{cron}");
        }
        let long = format!("{} * * * *", "1,".repeat(1_000) + "1");
        assert!(Cron::parse(&long).is_err_and(|error| error.contains("longer than")));
    }

    #[test]
    fn a_day_that_never_comes_has_no_next_moment() {
        assert_eq!(Cron::parse("0 0 30 2 *").unwrap().next(0), None);
    }

    proptest! {
        #[test]
        fn no_text_panics_and_moments_are_later_minutes(text in "[0-9*/, -]{0,24}", now in 0_u64..10_000_000_000) {
            if let Ok(cron) = Cron::parse(&text)
                && let Some(next) = cron.next(now)
            {
                prop_assert!(next > now && next % 60 == 0);
                prop_assert_eq!(Cron::parse(&cron.to_string()).unwrap(), cron);
            }
        }
    }
}
