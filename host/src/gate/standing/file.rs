//! The file of standing approvals: an entry a line. One with an error counts for nothing, and what can be read of it all
//! the same is what is told to who takes everything back.

use std::path::{Path, PathBuf};

use super::store::MOST;
use super::{LONGEST, LONGEST_LIFETIME, Standing};
use crate::audit::{PrivateFault, read_private};
use crate::gate::verdict::Ask;
use crate::plist;
use crate::sexp::{Form, line_at, read_all};

/// Longest file that is read, in bytes: as many as may stand, as long as they may be.
const LONGEST_FILE: u64 = (MOST * (LONGEST + 1_024)) as u64;

/// Why the file counts for nothing.
#[derive(Debug, thiserror::Error)]
pub enum StandingFault {
    /// It can't be read, or others could have written it.
    #[error("{0}; until this is mended every ask is asked")]
    Private(#[from] PrivateFault),
    /// An entry that can't be understood.
    #[error(
        "{}; until this is mended every ask is asked: mend the line with the daemon stopped, or take all of them back with \
         `passepartout-host approvals revoke --all`",
        self.what()
    )]
    Entry {
        /// The file.
        path: PathBuf,
        /// The line the first such entry begins on, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
        /// How many there are beside it.
        more: usize,
    },
}

impl StandingFault {
    /// What is wrong, without what to do about it.
    pub fn what(&self) -> String {
        match self {
            StandingFault::Private(fault) => fault.to_string(),
            StandingFault::Entry {
                path,
                line,
                problem,
                more,
            } => {
                let more = match more {
                    0 => String::new(),
                    1 => ", and another entry is at fault too".to_owned(),
                    more => format!(", and {more} other entries are at fault too"),
                };
                format!("{}, line {line}: {problem}{more}", path.display())
            }
        }
    }
}

/// The approvals in the file, as far as they can be read, and what is wrong with it; none where there is no file.
pub(super) fn load(path: &Path) -> (Vec<Standing>, Option<StandingFault>) {
    match read_private(path, LONGEST_FILE) {
        Ok(None) => (Vec::new(), None),
        Ok(Some(bytes)) => {
            let read = Read::of(&bytes);
            let fault = read.first.map(|(at, problem)| StandingFault::Entry {
                path: path.to_owned(),
                line: line_at(&bytes, at),
                problem,
                more: read.faults - 1,
            });
            (read.approvals, fault)
        }
        Err(fault) => (Vec::new(), Some(fault.into())),
    }
}

/// What was read of a file.
#[derive(Default)]
struct Read {
    approvals: Vec<Standing>,
    /// How many entries can't be understood.
    faults: usize,
    /// The first of them: where it begins, in bytes, and what is wrong.
    first: Option<(usize, String)>,
}

impl Read {
    fn of(bytes: &[u8]) -> Read {
        let mut read = Read::default();
        let (text, mut rest) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, bytes.len()),
            Err(error) => {
                let text = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                let line = text.rfind('\n').map_or(0, |end| end + 1);
                (&text[..line], line)
            }
        };
        for entry in read_all(text) {
            match entry {
                Ok((form, span)) => read.note(&form, span.start),
                Err((at, error)) => {
                    read.fault(at, error.to_string());
                    rest = end_of_line(bytes, at);
                }
            }
        }
        // Behind what can't be read as a list only the lines tell where the next one begins.
        while rest < bytes.len() {
            let end = end_of_line(bytes, rest);
            match std::str::from_utf8(&bytes[rest..end]) {
                Ok(line) => {
                    for entry in read_all(line) {
                        match entry {
                            Ok((form, span)) => read.note(&form, rest + span.start),
                            Err((at, error)) => read.fault(rest + at, error.to_string()),
                        }
                    }
                }
                Err(error) => read.fault(rest + error.valid_up_to(), "it is not UTF-8".to_owned()),
            }
            rest = end;
        }
        read
    }

    /// Notes the entry that begins at `at`.
    fn note(&mut self, entry: &Form, at: usize) {
        match from_entry(entry) {
            Err(problem) => self.fault(at, problem),
            Ok(own) if self.approvals.iter().any(|other| other.id == own.id) => {
                self.fault(at, format!("the id {} is there twice", own.id));
            }
            Ok(_) if self.approvals.len() >= MOST => self.fault(at, format!("there are more than {MOST}")),
            Ok(own) => self.approvals.push(own),
        }
    }

    fn fault(&mut self, at: usize, problem: String) {
        self.faults += 1;
        self.first.get_or_insert((at, problem));
    }
}

/// Where the line that `at` is on ends, with what ends it.
fn end_of_line(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(rest.len(), |end| end + 1)
}

/// `(:STANDING "id" :ASK (…) :SCOPE (…) :PLAN "id" :CREATED … :EXPIRES …)`
pub(super) fn to_entry(own: &Standing) -> Form {
    plist!(
        "STANDING" => &own.id, "ASK" => own.ask.to_form(), "SCOPE" => own.scope.clone(), "PLAN" => &own.plan,
        "CREATED" => own.created, "EXPIRES" => own.expires,
    )
}

const KEYS: &[&str] = &["STANDING", "ASK", "SCOPE", "PLAN", "CREATED", "EXPIRES"];

fn from_entry(entry: &Form) -> Result<Standing, String> {
    entry.check_plist("the entry").map_err(|error| error.to_string())?;
    if let Some((key, _)) = entry.pairs().find(|(key, _)| !KEYS.contains(key)) {
        return Err(format!("there is no key :{key} here; there are :{}", KEYS.join(" :")));
    }
    let missing = |key: &str, what: &str| format!("`:{key}` needs {what}");
    let text = |key: &str| entry.get(key).and_then(Form::as_str).map(str::to_owned);
    let moment = |key: &str| {
        let number = entry.get(key).and_then(Form::as_int);
        number
            .and_then(|number| u64::try_from(number).ok())
            .ok_or_else(|| missing(key, "a moment, in seconds since 1970"))
    };
    let ask = entry
        .get("ASK")
        .and_then(Ask::from_form)
        .filter(|ask| ask.remember.is_some());
    let scope = entry
        .get("SCOPE")
        .filter(|scope| scope.pairs().next().is_some_and(|(key, _)| key == "TARGET"));
    let (created, expires) = (moment("CREATED")?, moment("EXPIRES")?);
    if expires > created.saturating_add(LONGEST_LIFETIME) {
        return Err(format!(
            "it would stand for more than {} days",
            LONGEST_LIFETIME / 86_400
        ));
    }
    Ok(Standing {
        id: text("STANDING").ok_or_else(|| missing("STANDING", "an id, a string"))?,
        ask: ask.ok_or_else(|| missing("ASK", "an ask that may be remembered"))?,
        scope: scope.cloned().ok_or_else(|| missing("SCOPE", "(:TARGET …)"))?,
        plan: text("PLAN").ok_or_else(|| missing("PLAN", "a plan's id, a string"))?,
        created,
        expires,
    })
}
