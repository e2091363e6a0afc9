//! What to do about a key that does not exist: the known one of which it is a slip, else which there are.

use std::collections::BTreeSet;

use super::keys::{KEYS, Key};

/// What to do about the unknown key `name`.
pub(super) fn nearest(name: &str) -> String {
    let near = KEYS.iter().filter_map(|key| likeness(name, key.name));
    match near.min_by_key(|(distance, _)| *distance) {
        Some((_, own)) => format!("did you mean `{own}`?"),
        None => begun(name)
            .or_else(|| contained(name))
            .unwrap_or_else(|| there_are(name)),
    }
}

/// The key, or the word in the names of keys, that a person surely means who wrote `word`, which is in none.
pub fn key_meant(word: &str) -> Option<String> {
    let words = KEYS.iter().flat_map(|key| {
        let steps = key.name.split('.').filter(|step| *step != "*");
        steps.flat_map(|step| std::iter::once(step).chain(step.split('_')))
    });
    let written: Vec<&str> = word.split('.').collect();
    let near: Option<(usize, String)> = match written[..] {
        [one] => words
            .filter(|own| is_near(one, own))
            .map(|own| (strsim::damerau_levenshtein(one, own), own.to_owned()))
            .min(),
        _ => KEYS
            .iter()
            .filter_map(|key| slip(&written, &key.name.split('.').collect::<Vec<&str>>()))
            .min(),
    };
    near.map(|(_, own)| own)
}

/// The one key of the same table that has all the words of `name` in its own name, or the other way round: `url` for
/// `base_url`, `api_key` for `key`.
fn contained(name: &str) -> Option<String> {
    let (written, last) = name.rsplit_once('.').unwrap_or(("", name));
    let words = |step: &str| step.split(['_', '-']).map(str::to_owned).collect::<Vec<String>>();
    let within = |part: &[String], whole: &[String]| whole.windows(part.len()).any(|own| own == part);
    let is_table = |known: &str| {
        known.split('.').count() == written.split('.').count()
            && known
                .split('.')
                .zip(written.split('.'))
                .all(|(own, step)| own == "*" || own == step)
    };
    let mut meant = KEYS.iter().filter_map(|key| {
        let (table, own) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        let (known, typed) = (words(own), words(last));
        (own != "*" && is_table(table) && (within(&known, &typed) || within(&typed, &known))).then_some(own)
    });
    let own = meant.next()?;
    let dot = if written.is_empty() { "" } else { "." };
    meant
        .next()
        .is_none()
        .then(|| format!("did you mean `{written}{dot}{own}`?"))
}

/// The one key whose name goes on where `name` ends: `shell.timeout` leaves out the unit.
fn begun(name: &str) -> Option<String> {
    let goes_on = |key: &&Key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
    let mut keys = KEYS.iter().filter(goes_on);
    let key = keys.next()?;
    keys.next().is_none().then(|| format!("did you mean `{}`?", key.name))
}

/// How far the known key `own` lies from `name`, if one may be meant by the other, and `own` as it would be written: by as
/// many letters as are wrong, or, where it is the right key in a wrong table, farther off than any slip.
fn likeness(name: &str, own: &str) -> Option<(usize, String)> {
    let (written, known): (Vec<&str>, Vec<&str>) = (name.split('.').collect(), own.split('.').collect());
    let slip = if written.len() == known.len() {
        slip(&written, &known)
    } else {
        None
    };
    slip.or_else(|| {
        let choices = known.iter().filter(|step| **step == "*").count();
        let moved = (written.last() == known.last()).then(|| own.replace('*', "NAME"));
        // What has a name of the operator's choice is less likely meant than what has none.
        moved.map(|own| (FAR + choices, own))
    })
}

/// More letters than a key has.
const FAR: usize = 1000;

/// How many letters lie between the two, if few enough do that one may be a slip of the other, and the known one with the
/// names of the operator's choice as they were written.
fn slip(written: &[&str], known: &[&str]) -> Option<(usize, String)> {
    let mut distance = 0;
    let mut meant = Vec::with_capacity(known.len());
    for (step, own) in written.iter().zip(known) {
        if *own == "*" {
            meant.push(*step);
            continue;
        }
        let between = strsim::damerau_levenshtein(step, own);
        // A third of a word may be wrong before it is another word.
        if between > (own.len() / 3).max(1) {
            return None;
        }
        distance += between;
        meant.push(*own);
    }
    Some((distance, meant.join(".")))
}

/// Whether a person who wrote `name` surely means one of the names `known`, which are in lower case.
pub fn is_slip<'a>(name: &str, mut known: impl Iterator<Item = &'a str>) -> bool {
    known.any(|own| is_near(&name.to_lowercase(), own))
}

/// Whether so few letters lie between the two that one may be a slip of the other.
fn is_near(name: &str, own: &str) -> bool {
    strsim::damerau_levenshtein(name, own) <= (own.chars().count() / 3).max(1)
}

/// Which of the names `known` a person means who wrote `name`, which none of them is: the one of which it is a slip, else any
/// of them. Case means nothing. In words that stand behind what was wrong.
pub fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    let lower = name.to_lowercase();
    let near = known.iter().filter_map(|own| {
        let own_lower = own.to_lowercase();
        is_near(&lower, &own_lower).then(|| (strsim::damerau_levenshtein(&lower, &own_lower), *own))
    });
    match near.min_by_key(|(between, _)| *between) {
        Some((_, own)) => format!("did you mean {own}?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("there are {}", known.join(", ")),
    }
}

/// The keys of the table that `name` is in, or the tables where there is no such table.
fn there_are(name: &str) -> String {
    let parts = |name: &str| name.split('.').map(str::to_owned).collect::<Vec<String>>();
    let written = parts(name);
    let inside = |table: &[String]| -> BTreeSet<String> {
        let below = KEYS.iter().filter_map(|key| {
            let known = parts(key.name);
            let (before, after) = known.split_at_checked(table.len())?;
            let same = before.iter().zip(table).all(|(own, step)| own == "*" || own == step);
            after.first().filter(|_| same).cloned()
        });
        below.map(|own| own.replace('*', "NAME")).collect()
    };
    let tables = (0..written.len()).rev();
    let found = tables.map(|length| (&written[..length], inside(&written[..length])));
    let (table, keys) = found.into_iter().find(|(_, keys)| !keys.is_empty()).unwrap_or_default();
    let place = if table.is_empty() {
        "at the top".to_owned()
    } else {
        format!("under `{}`", table.join("."))
    };
    let keys: Vec<String> = keys.into_iter().collect();
    format!("remove it; {place} there are {}", keys.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_gets_the_key_that_was_meant() {
        for (slip, meant) in [
            ("loop.max_dept", "loop.max_depth"),
            ("settings.dispatcher.protectd", "settings.dispatcher.protected"),
            ("providers.local.base-url", "providers.local.base_url"),
            ("shel.timeout_second", "shell.timeout_seconds"),
            ("shell.jial", "shell.jail"),
            ("shell.timeout", "shell.timeout_seconds"),
            ("max_depth", "loop.max_depth"),
            ("fuel", "limits.NAME.fuel"),
            ("budget.cascade", "model.cascade"),
            ("providers.x.url", "providers.x.base_url"),
            ("providers.x.api_key", "providers.x.key"),
            ("providers.x.model_name", "providers.x.model"),
        ] {
            assert_eq!(nearest(slip), format!("did you mean `{meant}`?"));
        }
    }

    #[test]
    fn a_word_that_is_in_no_key_gets_the_one_of_which_it_is_a_slip() {
        for (word, meant) in [
            ("modle", Some("model")),
            ("casade", Some("cascade")),
            ("timout", Some("timeout")),
            ("shell.timout_seconds", Some("shell.timeout_seconds")),
            ("providers.x.modle", Some("providers.x.model")),
            ("weather", None),
            ("shell.weather", None),
        ] {
            assert_eq!(key_meant(word).as_deref(), meant, "{word}");
        }
    }

    #[test]
    fn words_that_several_keys_have_get_no_guess() {
        let told = nearest("model.timeout");
        assert!(told.starts_with("remove it; under `model` there are "), "{told}");
    }

    #[test]
    fn a_name_that_is_none_gets_the_one_that_was_meant_or_all_that_there_are() {
        let targets = [":SYSTEM", ":SHELL", ":CLI", ":SHELL"];
        assert_eq!(meant(":SHEL", targets), "did you mean :SHELL?");
        assert_eq!(meant(":sehll", targets), "did you mean :SHELL?");
        assert_eq!(meant(":ROBOT", targets), "there are :CLI, :SHELL, :SYSTEM");
        assert_eq!(meant("x", []), "there are none");
    }

    #[test]
    fn another_word_gets_no_guess_but_the_keys_that_there_are_in_its_place() {
        let top = nearest("foo");
        assert!(
            top.starts_with("remove it; at the top there are assistant, budget, consensus, gates, "),
            "{top}"
        );
        let shell = nearest("shell.colour");
        assert!(
            shell.starts_with("remove it; under `shell` there are cpu_seconds, jail, ") && !shell.contains("loop"),
            "{shell}"
        );
        let limits = nearest("limits.mine.speed");
        assert!(
            limits.contains("under `limits.mine` there are act_milliseconds, "),
            "{limits}"
        );
        let deeper = nearest("shell.colour.of.text");
        assert!(deeper.contains("under `shell` there are"), "{deeper}");
    }
}
