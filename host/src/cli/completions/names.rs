//! The names that arguments take, for who completes a line. Whatever can't be read offers nothing. A name that could not be
//! typed as it is, or would move the terminal, is none.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};

use crate::audit::{LAST, Writes};
use crate::capability::schedule::Schedule;
use crate::cli::{config, home};
use crate::config::about;
use crate::cycle::{kept_in, unix_now};
use crate::daemon::{self, standing_path};
use crate::gate::approval;
use crate::gate::standing::StandingStore;
use crate::model::known;
use crate::sexp::visible_line;
use crate::signal::SessionId;
use crate::skill::{BUNDLED, Entry, Grants, files_in, is_name, name_of_stem};

/// Every right that can be written without a name of the operator's, and the beginnings of the others.
const RIGHTS: &[&str] = &[
    "contains-secret",
    "files:read:workspace",
    "files:write:workspace",
    "heartbeat",
    "http:",
    "http-private:",
    "memory:read",
    "memory:write",
    "model",
    "process",
    "recover",
    "revise",
    "schedule",
    "target:",
    "tool:",
    "vault:",
];

/// Most of what is added all the time that is offered: what is older is seldom meant.
const MOST: usize = 20;

/// Who answers without a server.
const NO_SERVERS: &[&str] = &["offline", "script:"];

/// A skill that is there.
pub(in crate::cli) fn skill() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(skills()))
}

/// A skill that has a file, which can be deleted.
pub(in crate::cli) fn skill_with_file() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(installed()))
}

/// A skill that is there, or the file of one elsewhere.
pub(in crate::cli) fn skill_or_file() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| with_files(begun, skills()))
}

/// A skill that is there or was granted something, or its file, once a path is begun.
pub(in crate::cli) fn granted() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| {
        if begun.to_string_lossy().contains('/') {
            return components(begun);
        }
        let of = |entry: &Entry| match entry {
            Entry::Grant { skill, .. } | Entry::Trust { skill, .. } => skill.clone(),
        };
        let mut names = skills();
        names.extend(grants().entries().iter().map(of).filter(|name| is_name(name)));
        candidates(fitting(begun, names))
    })
}

/// The file of a component.
pub(in crate::cli) fn component() -> ArgValueCompleter {
    ArgValueCompleter::new(components)
}

/// A right.
pub(in crate::cli) fn right() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(RIGHTS.iter().map(|right| (*right).to_owned())))
}

/// A right that the skill on this line was granted.
pub(in crate::cli) fn right_of() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Some(name) = named_after("revoke") else {
            return Vec::new();
        };
        let grants = grants();
        let rights = grants.of(&name).filter_map(|entry| match entry {
            Entry::Grant { right, .. } => Some(right.to_string()),
            Entry::Trust { .. } => None,
        });
        candidates(rights.collect::<BTreeSet<String>>())
    })
}

/// A plan that waits, by what the daemon has written down.
pub(in crate::cli) fn plan() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let waiting = home(None).map(|home| approval::waiting_in(&home.data.join("plans.log"), unix_now()));
        candidates(waiting.unwrap_or_default())
    })
}

/// The newest decision, and the plans that were made last.
pub(in crate::cli) fn decision() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let plans = home(None).map(|home| approval::latest_in(&home.data.join("plans.log"), MOST));
        let mut named = vec![LAST.to_owned()];
        named.extend(plans.unwrap_or_default());
        candidates(named)
    })
}

/// A session that a client can join, of those that were used last.
pub(in crate::cli) fn session() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Ok(home) = home(None) else {
            return Vec::new();
        };
        let mut kept = kept_in(&daemon::turns_folder(&home));
        kept.retain(|(id, _)| *id != SessionId::HEARTBEAT);
        kept.sort_by_key(|(_, used)| Reverse(*used));
        candidates(kept.into_iter().take(MOST).map(|(id, _)| id.to_string()))
    })
}

/// A provider, well-known or described in the configuration.
pub(in crate::cli) fn provider() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let known = known::KNOWN.iter().map(|known| known.name);
        let mut names: BTreeSet<String> = known.chain(NO_SERVERS.iter().copied()).map(str::to_owned).collect();
        if let Ok((config, _)) = config(None) {
            names.extend(config.model.providers.into_keys());
        }
        candidates(names)
    })
}

/// An approval that stands, by its file.
pub(in crate::cli) fn standing() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Ok(home) = home(None) else {
            return Vec::new();
        };
        let store = StandingStore::open(&standing_path(&home), &home.workspace, &Writes::default());
        candidates(store.list(unix_now()).map(|own| own.id.clone()))
    })
}

/// A secret of the vault, where that can be opened.
pub(in crate::cli) fn secret() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Some(secrets) = config(None)
            .ok()
            .and_then(|(config, _)| daemon::vault_store(&config).load().ok())
        else {
            return Vec::new();
        };
        candidates(secrets.entries().map(|entry| entry.name.as_str().to_owned()))
    })
}

/// What the skill on this line has scheduled, by its file.
pub(in crate::cli) fn scheduled() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let Some((skill, (config, _))) = named_after("unschedule").zip(config(None).ok()) else {
            return Vec::new();
        };
        let schedule = Schedule::open(&daemon::schedule_path(&config), &Writes::default());
        let entries = schedule.map(|schedule| schedule.of(&skill)).unwrap_or_default();
        candidates(entries.into_iter().map(|entry| entry.id))
    })
}

/// A key of the configuration; of those with a name of the operator's choice in them, what stands before it.
pub(in crate::cli) fn key() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let open = [".*", ".NAME"];
        let fixed = |name: &str| {
            open.iter()
                .find_map(|open| Some(name.split_once(open)?.0))
                .unwrap_or(name)
                .to_owned()
        };
        let keys: BTreeSet<String> = about::keys().iter().map(|key| fixed(key.name)).collect();
        candidates(keys)
    })
}

fn candidates(names: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let is_plain = |name: &String| visible_line(name) == *name;
    names
        .into_iter()
        .filter(is_plain)
        .map(CompletionCandidate::new)
        .collect()
}

fn fitting(begun: &OsStr, names: BTreeSet<String>) -> BTreeSet<String> {
    let begun = begun.to_string_lossy();
    names.into_iter().filter(|name| name.starts_with(&*begun)).collect()
}

/// The names that fit, and files of components; folders on the way to one only where no name fits, so that none stands in
/// for a skill.
fn with_files(begun: &OsStr, names: BTreeSet<String>) -> Vec<CompletionCandidate> {
    let mut found = candidates(fitting(begun, names));
    let is_path = begun.to_string_lossy().contains('/') || found.is_empty();
    let is_folder = |own: &CompletionCandidate| own.get_value().to_string_lossy().ends_with('/');
    let files = components(begun).into_iter();
    found.extend(files.filter(|own| is_path || !is_folder(own)));
    found
}

/// Files that may be components, and folders on the way to one.
fn components(begun: &OsStr) -> Vec<CompletionCandidate> {
    let is_component = |path: &Path| path.extension().is_some_and(|extension| extension == "wasm") && path.is_file();
    // Nor what would be taken for an option.
    let is_plain = |own: &CompletionCandidate| {
        let name = own.get_value().to_string_lossy();
        visible_line(&name) == name && !name.starts_with('-')
    };
    let found = PathCompleter::any().filter(is_component).complete(begun);
    found.into_iter().filter(is_plain).collect()
}

fn skills() -> BTreeSet<String> {
    let mut names = installed();
    names.extend(BUNDLED.iter().map(|own| own.name.to_owned()));
    names
}

fn installed() -> BTreeSet<String> {
    let Ok(home) = home(None) else {
        return BTreeSet::new();
    };
    let files = files_in(&home.skills).unwrap_or_default();
    files.into_iter().filter(|name| is_name(name)).collect()
}

fn grants() -> Grants {
    let Ok((config, _)) = config(None) else {
        return Grants::default();
    };
    Grants::load(&daemon::grants_path(&config)).unwrap_or_default()
}

/// The skill that is named on the line which is completed, behind `command`. The line stands behind the first `--`.
fn named_after(command: &str) -> Option<String> {
    let line = std::env::args_os().skip_while(|word| word != "--").skip(1);
    let mut words: Vec<OsString> = line.collect();
    // The word that is completed names nothing yet.
    words.pop();
    let behind = words.iter().skip_while(|word| *word != command).skip(1);
    let mut named = behind.filter(|word| !word.to_string_lossy().starts_with('-'));
    let named = PathBuf::from(named.next()?);
    Some(name_of_stem(named.file_stem()?.to_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::Right;

    #[test]
    fn each_right_that_is_offered_is_one_once_a_name_stands_behind_its_colon() {
        for right in RIGHTS {
            let whole = match right.strip_suffix(':') {
                Some("http-private") => format!("{right}127.0.0.1:80"),
                Some(_) => format!("{right}example"),
                None => (*right).to_owned(),
            };
            assert!(whole.parse::<Right>().is_ok(), "{whole}");
        }
    }
}
