//! One entry of the schedule: what a skill wants to be reminded of, and when.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::ScheduleError;
use super::cron::Cron;
use crate::plist;
use crate::sexp::{Form, Text};
use crate::signal::SessionId;

/// Shortest time between two firings, and until the first, in seconds: each is a turn, with all that it costs.
pub(super) const SHORTEST: u64 = 60;

/// Longest interval, in seconds: a year and a day.
const LONGEST: u64 = 366 * 86_400;

/// Farthest moment, in seconds from now: ten years.
const FARTHEST: u64 = 10 * LONGEST;

/// Longest text, in bytes.
const TEXT_BYTES: usize = 4 << 10;

const KEYS: &[&str] = &["EVERY", "AT", "CRON", "TEXT"];

/// When an entry fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Again and again, this many seconds apart.
    Every(u64),
    /// Again and again, at these moments.
    Cron(Cron),
    /// Once.
    Once,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// The skill that it belongs to.
    pub skill: String,
    /// The conversation in which it fires.
    pub session: SessionId,
    /// What the skill is told.
    pub text: Text,
    /// Whether the text may have come from outside the workspace.
    pub tainted: bool,
    /// How often.
    pub when: When,
    /// When it fires next, in seconds since 1970.
    pub next: u64,
    /// Since when it waits for that, in seconds since 1970: when it was made, fired last, or was put off. Unknown of one that
    /// an older version kept.
    pub(super) from: Option<u64>,
    /// When it fires at the latest, in seconds since 1970, as long as the clock is not past the moment since which it waits.
    pub(super) early: Option<u64>,
    /// Since when it could not fire and was put off, in seconds since 1970.
    pub since: Option<u64>,
}

impl Entry {
    /// When an entry that is asked for by `(:EVERY "15m" :TEXT "…")`, `(:CRON "0 7 * * 1-5" :TEXT "…")` or
    /// `(:AT "2026-12-24T18:00:00Z" :TEXT "…")` fires, and first when, and its text.
    pub(super) fn asked(form: &Form, now: u64) -> Result<(When, u64, Text), ScheduleError> {
        let wrong = |problem: String| Err(ScheduleError::Malformed(problem));
        if let Err(error) = form.check_plist("the entry") {
            return wrong(error.to_string());
        }
        let known = |key: &str| KEYS.iter().any(|own| own.eq_ignore_ascii_case(key));
        if let Some((key, _)) = form.pairs().find(|(key, _)| !known(key)) {
            return wrong(format!(
                "it has the key :{}; entries have :EVERY, :CRON or :AT, and :TEXT",
                key.to_uppercase()
            ));
        }
        let text = match form.get("TEXT").and_then(Form::as_text) {
            Some(text) if text.len() > TEXT_BYTES => {
                return wrong(format!(":TEXT has {} bytes and may have {TEXT_BYTES}", text.len()));
            }
            Some(text) if !text.trim().is_empty() => text.clone(),
            _ => return wrong(":TEXT, a string, says what it is about".to_owned()),
        };
        let said = |key: &str| form.get(key).filter(|value| value.is_true());
        let (when, next) = match (said("EVERY"), said("CRON"), said("AT")) {
            (Some(every), None, None) => {
                let seconds = interval(every)?;
                (When::Every(seconds), now + seconds)
            }
            (None, Some(cron), None) => moments(cron, now)?,
            (None, None, Some(at)) => (When::Once, moment(at, now)?),
            _ => {
                return wrong(
                    "it needs one of :EVERY, such as \"15m\", :CRON, such as \"0 7 * * 1-5\", or :AT, such as \
                     \"2026-12-24T18:00:00Z\""
                        .to_owned(),
                );
            }
        };
        Ok((when, next, text))
    }

    /// When it fires after `now`, in seconds since 1970; none where it was for once.
    pub(super) fn after(&self, now: u64) -> Option<u64> {
        match &self.when {
            When::Every(seconds) => Some(now + seconds),
            When::Cron(cron) => cron.next(now),
            When::Once => None,
        }
    }

    /// When it fires as it is seen at `now`, in seconds since 1970.
    pub(super) fn due_at(&self, now: u64) -> u64 {
        match self.early {
            Some(early) if self.is_ahead(now) => early.min(self.next),
            _ => self.next,
        }
    }

    /// When it fires at the latest if the clock stays as it is at `now`; none where it began to wait before that, as it should.
    pub(super) fn early_at(&self, now: u64) -> Option<u64> {
        let latest = self.latest(now).filter(|_| self.is_ahead(now))?;
        Some(self.early.map_or(latest, |early| early.min(latest)))
    }

    /// Whether it began to wait by a clock that is ahead of `now`.
    fn is_ahead(&self, now: u64) -> bool {
        match self.from {
            Some(from) => from > now,
            None => self.latest(now).is_some_and(|latest| self.next > latest),
        }
    }

    /// The latest moment at which one that begins to wait at `now` fires, in seconds since 1970. None where any moment can be:
    /// it was asked for.
    fn latest(&self, now: u64) -> Option<u64> {
        match &self.when {
            _ if self.since.is_some() => Some(now + SHORTEST),
            When::Every(seconds) => Some(now + seconds),
            // The first one is not sooner than any entry may fire.
            When::Cron(cron) => cron.next(now + SHORTEST - 1),
            When::Once => None,
        }
    }

    /// The entry as its skill sees it at `now`: `(:ID … :EVERY "15m" :TEXT … :NEXT "…")`.
    pub fn shown(&self, now: u64) -> Form {
        let form = plist!("ID" => &self.id);
        let form = match &self.when {
            When::Every(seconds) => form.with("EVERY", printed(*seconds)),
            When::Cron(cron) => form.with("CRON", cron.to_string()),
            When::Once => form.with("AT", written(self.next)),
        };
        form.with("TEXT", self.text.clone())
            .with("NEXT", written(self.due_at(now)))
    }

    /// The entry as it is kept, and as it travels to its skill's turn.
    pub fn to_form(&self) -> Form {
        let form = plist!(
            "ID" => &self.id, "SKILL" => &self.skill, "SESSION" => self.session.to_string(), "TEXT" => self.text.clone(),
            "TAINTED" => self.tainted, "NEXT" => self.next,
        );
        let moments = [("FROM", self.from), ("EARLY", self.early), ("SINCE", self.since)];
        let form = moments.into_iter().fold(form, |form, (key, moment)| match moment {
            Some(moment) => form.with(key, moment),
            None => form,
        });
        match &self.when {
            When::Every(seconds) => form.with("EVERY", *seconds),
            When::Cron(cron) => form.with("CRON", cron.to_string()),
            When::Once => form,
        }
    }

    /// The entry that was kept as `form`.
    pub fn from_form(form: &Form) -> Option<Entry> {
        let number = |key: &str| form.get(key)?.as_int().and_then(|number| u64::try_from(number).ok());
        Some(Entry {
            id: form.text_at("id")?.to_owned(),
            skill: form.text_at("skill")?.to_owned(),
            session: form.text_at("session")?.parse().ok()?,
            text: form.get("TEXT")?.as_text()?.clone(),
            tainted: form.get("TAINTED").is_some_and(Form::is_true),
            when: match (form.get("EVERY"), form.get("CRON")) {
                (Some(_), _) => When::Every(number("EVERY")?.max(SHORTEST)),
                (None, Some(cron)) => When::Cron(Cron::parse(cron.as_str()?).ok()?),
                (None, None) => When::Once,
            },
            next: number("NEXT")?,
            from: number("FROM"),
            early: number("EARLY"),
            since: number("SINCE"),
        })
    }
}

fn interval(form: &Form) -> Result<u64, ScheduleError> {
    let text = form.as_str().unwrap_or_default();
    match humantime::parse_duration(text).map(|duration| duration.as_secs()) {
        Ok(seconds) if (SHORTEST..=LONGEST).contains(&seconds) => Ok(seconds),
        Ok(_) => Err(ScheduleError::Malformed(
            ":EVERY must be from one minute to 366 days".to_owned(),
        )),
        Err(_) => Err(ScheduleError::Malformed(format!(
            ":EVERY is {}; write it as \"15m\", \"2h\" or \"1day\"",
            form.shortened(40)
        ))),
    }
}

/// The moments of a `:CRON`, and the first one, which is not sooner than any other entry may fire.
fn moments(form: &Form, now: u64) -> Result<(When, u64), ScheduleError> {
    let wrong = |problem: String| ScheduleError::Malformed(format!(":CRON is {}; {problem}", form.shortened(40)));
    let text = form
        .as_str()
        .ok_or_else(|| wrong("write it as a string, as in \"0 7 * * 1-5\"".to_owned()))?;
    let cron = Cron::parse(text).map_err(wrong)?;
    let first = cron
        .next(now + SHORTEST - 1)
        .ok_or_else(|| wrong("there is no such day".to_owned()))?;
    Ok((When::Cron(cron), first))
}

fn moment(form: &Form, now: u64) -> Result<u64, ScheduleError> {
    let parsed = humantime::parse_rfc3339_weak(form.as_str().unwrap_or_default()).ok();
    let seconds = parsed
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
        .map(|since| since.as_secs());
    match seconds {
        Some(at) if at >= now + SHORTEST && at <= now + FARTHEST => Ok(at),
        Some(_) => Err(ScheduleError::Malformed(format!(
            ":AT must be at least a minute and at most ten years from now, which is {}",
            written(now)
        ))),
        None => Err(ScheduleError::Malformed(format!(
            ":AT is {}; write it in UTC, as \"2026-12-24T18:00:00Z\"",
            form.shortened(40)
        ))),
    }
}

fn printed(seconds: u64) -> String {
    humantime::format_duration(Duration::from_secs(seconds))
        .to_string()
        .replace(' ', "")
}

fn written(seconds: u64) -> String {
    // Moments are bounded when they are asked for; a file that says more is shown as the last one that can be printed.
    const LAST: u64 = 253_402_300_799;
    let at: SystemTime = UNIX_EPOCH + Duration::from_secs(seconds.min(LAST));
    humantime::format_rfc3339_seconds(at).to_string()
}
