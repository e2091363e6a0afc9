//! What a subcommand and its options do, in words for the person who decides: what is sent, published, overwritten or
//! lost, and where. The rows stand in `data/acts.toml`, each with its source. They only make clearer what is asked about
//! anyway: nothing here lets a command pass, and no risk becomes less by it.

mod line;
mod statements;
#[cfg(test)]
mod tests;

use line::{Line, Name, Part};
use statements::Change;

use super::hidden::Invocation;
use super::parse::{Command, Redirect};
use super::programs::Does;
use super::word::{Field, Word};
use crate::finding::{self, Risk};

include!(concat!(env!("OUT_DIR"), "/acts.rs"));

/// How many programs in one another are followed, as in `npx`, `poetry run`, `python -m`.
const DEEPEST: usize = 6;

/// The most words of a subcommand, as in `docker compose down`.
const MOST_WORDS: usize = 4;

/// The most arguments before what a wrapper runs.
const MOST_BEFORE: usize = 12;

/// Longer ones are not named: nobody could tell what they hold.
const LONGEST_NAME: usize = 400;

/// The most characters of what is named.
const LONGEST: usize = 60;

/// One program.
#[derive(Debug)]
struct Actor {
    /// Whether a dash begins one long option, and not several letters.
    single: bool,
    /// Options with a value before the subcommand.
    before: &'static [&'static str],
    /// Options with a value that may stand anywhere.
    values: &'static [&'static str],
    acts: &'static [Act],
}

/// One row: what a subcommand does, or how its command line is to be read.
#[derive(Debug)]
struct Act {
    /// The words of the subcommand, each with `|` between those that mean the same. None is the program itself.
    verb: &'static [&'static str],
    /// Its options with a value.
    values: &'static [&'static str],
    /// Behind which another program stands: the number of an operand, an option, or `--`.
    then: &'static [&'static str],
    /// Whether it is about what is done. The first of those that is meant is told.
    tells: bool,
    /// By what: all of one of these. Empty for whatever it is given.
    with: &'static [&'static [(bool, When)]],
    /// In words, with `{…}` for what is named on the line. Empty if nothing is to be told.
    does: &'static str,
    risk: Risk,
    /// Options that change nothing about a low risk.
    plain: &'static [&'static str],
}

/// A condition.
#[derive(Debug)]
enum When {
    /// An option is given.
    Given(Name<'static>),
    /// An option with this value is given.
    Is(Name<'static>, &'static str),
    /// An operand like this stands there.
    Operand(&'static str),
    /// There are so many operands.
    AtLeast(usize),
    /// Operands stand behind `--`.
    Dashes,
    /// An operand looks like a file, for it has an extension.
    File,
    /// It is given an input.
    Input,
    /// Statements for a database that change as much.
    States(Change),
}

/// What is told.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) words: String,
    pub(super) risk: Risk,
    /// Whether it is told of the program itself, and not of one that it runs, and nothing beside it is done.
    pub(super) own: bool,
}

impl Told {
    /// Whether that is all that the program does: the risk of its kind doesn't count then.
    pub(super) fn is_all(&self) -> bool {
        self.own && self.risk == Risk::Low
    }
}

/// What the program in these words does, and those that it runs.
pub(super) fn told(invocation: &Invocation<'_>, command: &Command) -> Vec<Told> {
    let mut found = Vec::new();
    let mut fields = match invocation.does {
        // What it runs is no program of the other table, or it would be told of by itself.
        Some(Does::Wraps | Does::Escalates) if invocation.fields.first().and_then(actor).is_none() => {
            let begins = |field: &Field| !field.text.starts_with('-') && actor(field).is_some();
            let inner = invocation.arguments().iter().take(MOST_BEFORE).position(begins);
            inner
                .and_then(|at| invocation.arguments().get(at..))
                .unwrap_or_default()
        }
        _ => invocation.whole,
    };
    let is_own = std::ptr::eq(fields, invocation.whole);
    for depth in 0..DEEPEST {
        let Some(actor) = fields.first().and_then(actor) else {
            break;
        };
        let Some((acts, at)) = actor.meant(fields) else { break };
        // What stands before the subcommand may be an option of it too, unless it means another thing there.
        let from = if actor.before.is_empty() { 1 } else { at };
        let mut valued = vec![actor.values];
        valued.extend(acts.iter().map(|act| act.values).filter(|values| !values.is_empty()));
        let line = Line::of(&fields[from..], at - from, &valued, actor.single);
        let mut telling = acts.iter().filter(|act| act.tells);
        // One that may have been taken back, or not, says more than what is of low risk.
        let mut unsure = false;
        let act = telling.find(|act| {
            let holds = act.holds(&line, command);
            let meant = holds && !act.is_doubtful(&line);
            unsure |= holds && !meant;
            meant
        });
        if let Some(act) = act.filter(|act| !act.does.is_empty()) {
            found.push(Told {
                words: fill(act.does, &line),
                risk: act.risk,
                own: is_own && depth == 0 && (act.risk != Risk::Low || !unsure && act.is_plain(fields, command)),
            });
        }
        let inner = acts.iter().filter_map(|act| line.inner(act.then)).min();
        let Some(inner) = inner else { break };
        fields = &fields[from + inner..];
    }
    found
}

/// What a redirection does with the file that it writes, which is named if that is wanted.
pub(super) fn written(command: &Command, redirect: &Redirect, named: Option<&Field>) -> String {
    let does = match redirect.replaces && prints_nothing(command) {
        true => "empties",
        false => "writes",
    };
    match named {
        Some(file) if file.is_known() => format!("{does} {}", finding::line(&file.text, LONGEST)),
        // It may be a program as well, as in `> >(tee x)`.
        Some(_) => format!("{does} where only running tells"),
        None => does.to_owned(),
    }
}

/// Whether it prints nothing into its output.
fn prints_nothing(command: &Command) -> bool {
    let words: Vec<String> = command.words.iter().take(3).map(Word::literal).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => !command.compound,
        [":" | "true" | "false", ..] | ["cat", "/dev/null"] | ["echo", "-n"] | ["printf", ""] => true,
        _ => false,
    }
}

/// For each byte, how many programs have a name that begins with a lesser one. Most that are looked up have no row.
const BEFORE: [u16; 257] = {
    let mut before = [0; 257];
    let (mut byte, mut row) = (0, 0);
    while byte < before.len() {
        while row < ACTORS.len() && (ACTORS[row].0.as_bytes()[0] as usize) < byte {
            row += 1;
        }
        before[byte] = row as u16;
        byte += 1;
    }
    before
};

/// The row of a program.
fn actor(program: &Field) -> Option<&'static Actor> {
    if !program.is_known() || program.glob {
        return None;
    }
    let name = program.text.rsplit('/').next().unwrap_or_default();
    // `npx wrangler@3`, `pip3`, `python3.12`: the version is no part of the name.
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let find = |name: &str| {
        let first = usize::from(*name.as_bytes().first()?);
        let rows = ACTORS.get(usize::from(BEFORE[first])..usize::from(BEFORE[first + 1]))?;
        let at = rows.binary_search_by_key(&name, |(own, _)| own).ok()?;
        rows.get(at)
    };
    let stem = || {
        let stem = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
        (stem.len() < name.len()).then(|| find(stem)).flatten()
    };
    find(name).or_else(stem).map(|(_, actor)| *actor)
}

impl Actor {
    /// The rows of the subcommand of the most words that is meant, and where what it is given begins.
    fn meant(&self, fields: &[Field]) -> Option<(Vec<&'static Act>, usize)> {
        let mut words = [(0, ""); MOST_WORDS];
        let mut count = 0;
        line::parts(&fields[1..], &[self.before, self.values], self.single, |part| {
            match part {
                // `cargo +nightly publish`.
                Part::Operand(_, text) if count == 0 && text.starts_with('+') => {}
                Part::Operand(at, text) => {
                    words[count] = (at + 2, text);
                    count += 1;
                }
                Part::Dashes => return false,
                Part::Option(..) => {}
            }
            count < MOST_WORDS
        });
        let words = &words[..count];
        let is_meant = |act: &&'static Act| act.verb.len() <= words.len() && act.is_of(words);
        let length = self.acts.iter().filter(is_meant).map(|act| act.verb.len()).max()?;
        let of_length = |act: &&'static Act| act.verb.len() == length && act.is_of(words);
        let at = length.checked_sub(1).map_or(1, |last| words[last].0);
        Some((self.acts.iter().filter(of_length).collect(), at))
    }
}

impl Act {
    /// Whether these words are its subcommand.
    fn is_of(&self, words: &[(usize, &str)]) -> bool {
        let is_one = |own: &str, word: &str| own.split('|').any(|own| own.eq_ignore_ascii_case(word));
        self.verb.iter().zip(words).all(|(own, (_, word))| is_one(own, word))
    }

    /// Whether nothing is given by which it may do more than it says.
    fn is_plain(&self, fields: &[Field], command: &Command) -> bool {
        let is_fine = |field: &Field| {
            let text = field.text.as_str();
            let name = text.split('=').next().unwrap_or_default();
            let letters = || {
                name.strip_prefix('-')
                    .filter(|letters| !letters.starts_with('-'))
                    .unwrap_or_default()
            };
            let all = || {
                letters()
                    .chars()
                    .all(|letter| self.plain.contains(&format!("-{letter}").as_str()))
            };
            let is_option = text.starts_with('-') && text.len() > 1;
            field.is_known()
                && !field.glob
                && (!is_option || self.plain.contains(&name) || !name.starts_with("--") && all())
        };
        command.assignments.is_empty() && fields.iter().skip(1).all(is_fine)
    }

    /// Whether its conditions hold.
    fn holds(&self, line: &Line<'_>, command: &Command) -> bool {
        let holds = |when: &When| match when {
            When::Given(name) => line.option(*name).is_some(),
            When::Is(name, value) => line.values(*name).any(|own| is_like(value, own)),
            When::Operand(pattern) => line.operands.iter().any(|(_, text)| is_like(pattern, text)),
            When::AtLeast(count) => line.operands.len() >= *count,
            When::Dashes => line.behind().is_some(),
            When::File => line.operands.iter().any(|(_, text)| has_extension(text)),
            When::Input => {
                let reads = command.redirects.iter().any(|redirect| !redirect.writes);
                command.reads_pipe || reads || !command.input.is_empty()
            }
            When::States(change) => {
                let given = line.texts().map(statements::change);
                let input = command.input.iter().map(|word| statements::change(&word.literal()));
                given.chain(input).max() >= Some(*change)
            }
        };
        let all = |any: &&[(bool, When)]| any.iter().all(|(wanted, when)| holds(when) == *wanted);
        self.with.is_empty() || self.with.iter().any(all)
    }

    /// Whether it may have been taken back: that must not make a deed look like a try.
    fn is_doubtful(&self, line: &Line<'_>) -> bool {
        self.risk != Risk::High && self.is_taken_back(line)
    }

    /// Whether an option by which it is meant is given again as another thing: `--no-dry-run`, `--dry-run=false`, `-X PUT`
    /// behind `-X GET`.
    fn is_taken_back(&self, line: &Line<'_>) -> bool {
        let conditions = || self.with.iter().copied().flatten().filter(|(wanted, _)| *wanted);
        let accepts = |name: Name<'_>, value: &str| {
            conditions().any(
                |(_, when)| matches!(when, When::Is(own, own_value) if *own == name && is_like(own_value, value)),
            )
        };
        conditions().any(|(_, when)| match when {
            When::Given(name) => line.is_off(*name),
            When::Is(name, _) => line.is_off(*name) || line.values(*name).any(|value| !accepts(*name, value)),
            _ => false,
        })
    }
}

/// Whether a word is like a pattern, in which a star at an end stands for one character or more.
fn is_like(pattern: &str, text: &str) -> bool {
    let (from_start, to_end) = (!pattern.starts_with('*'), !pattern.ends_with('*'));
    let inner = pattern.trim_matches('*');
    let (pattern, text) = (inner.as_bytes(), text.as_bytes());
    let fits = |part: Option<&[u8]>| part.is_some_and(|part| part.eq_ignore_ascii_case(pattern));
    match (from_start, to_end) {
        (true, true) => fits(Some(text)),
        (true, false) => text.len() > pattern.len() && fits(text.get(..pattern.len())),
        (false, true) => text.len() > pattern.len() && fits(text.get(text.len() - pattern.len()..)),
        (false, false) => {
            let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
            pattern.is_empty() && !text.is_empty()
                || inside.windows(pattern.len().max(1)).any(|part| fits(Some(part)))
        }
    }
}

/// Whether it is the name of a file with an extension: no version, which has digits there.
fn has_extension(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let is_one = |(stem, extension): (&str, &str)| {
        !stem.is_empty() && (1..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphabetic())
    };
    name.rsplit_once('.').is_some_and(is_one)
}

/// The words with what is named on the line: `{1|--name:a thing}` is the first operand, or else what `--name` is given, or
/// else `a thing`.
fn fill(does: &str, line: &Line<'_>) -> String {
    let mut out = String::with_capacity(does.len() + LONGEST);
    let mut rest = does;
    while let Some((before, behind)) = rest.split_once('{') {
        let (piece, behind) = behind.split_once('}').unwrap_or((behind, ""));
        let (keys, default) = piece.split_once(':').unwrap_or((piece, ""));
        out.push_str(before);
        let named = keys
            .split('|')
            .map(|key| line.named(key))
            .find(|named| !named.is_empty());
        // Each by itself: any of them may hold something that is not to be seen.
        let texts: Option<Vec<String>> = named.and_then(|named| named.into_iter().map(shown).collect());
        match texts {
            Some(texts) => out.push_str(&finding::line(&texts.join(" "), LONGEST)),
            None => out.push_str(default),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// What is named, fit to be shown: never what may be a secret.
fn shown(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['+', ':']);
    let mut text = match text.split_once("://") {
        // Before the host a password may stand, and behind `?` a token.
        Some((scheme, rest)) => {
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            let host = host.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => match text.split_once('@') {
            Some((user, rest)) if user.contains(':') => rest.to_owned(),
            _ => text.to_owned(),
        },
    };
    // What a name is set to.
    if let Some(at) = text.find('=') {
        text.truncate(at);
    }
    let secret = text.len() > LONGEST_NAME || crate::secret::find(&text).is_some() || crate::secret::suspicion(&text);
    (!matches!(text.as_str(), "" | "-") && !secret).then_some(text)
}
