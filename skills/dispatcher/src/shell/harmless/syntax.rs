//! What a script is made of, as far as it is followed: simple commands, pipelines, lists, groups, and control flow in its
//! plainest form. There is no arithmetic but that of numbers, no array, no function, no here-document in it: a script with
//! one of those is not followed.

/// Commands, one after the other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Script<'t> {
    pub(super) lists: Vec<List<'t>>,
}

/// Pipelines with `&&` and `||` between them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct List<'t> {
    pub(super) first: Pipeline<'t>,
    pub(super) rest: Vec<(Join, Pipeline<'t>)>,
}

/// What stands between two pipelines of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
}

/// Commands of which each reads what the one before it prints.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pipeline<'t> {
    /// `!` and `time`, which change what is told of the commands and not what they do.
    pub(super) prefixes: Vec<&'t str>,
    pub(super) commands: Vec<(Command<'t>, Vec<Redirect<'t>>)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'t> {
    Simple(Simple<'t>),
    /// `{ …; }`
    Group(Script<'t>),
    /// `( … )`
    Subshell(Script<'t>),
    /// `for name in words; do …; done`
    For {
        name: &'t str,
        words: Vec<Word<'t>>,
        body: Script<'t>,
    },
    /// `while …; do …; done`
    While {
        condition: Script<'t>,
        body: Script<'t>,
    },
    /// `if …; then …; elif …; then …; else …; fi`
    If {
        branches: Vec<(Script<'t>, Script<'t>)>,
        otherwise: Option<Script<'t>>,
    },
    /// `case word in pattern | pattern) …;; esac`
    Case {
        word: Word<'t>,
        items: Vec<(Vec<Word<'t>>, Script<'t>)>,
    },
    /// `[[ … ]]`, of which the signs are words as well.
    Test(Vec<Word<'t>>),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Simple<'t> {
    pub(super) assignments: Vec<(&'t str, Word<'t>)>,
    pub(super) words: Vec<Word<'t>>,
}

/// Where the input of a command comes from, or its output goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Redirect<'t> {
    /// The descriptor, as it is written.
    pub(super) number: &'t str,
    /// The sign.
    pub(super) sign: &'static str,
    pub(super) target: Word<'t>,
}

/// A word before anything in it is expanded.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word<'t> {
    /// As it is written.
    pub(super) raw: &'t str,
    pub(super) pieces: Vec<Piece<'t>>,
}

impl Word<'_> {
    /// Whether expanding it runs something.
    pub(super) fn runs(&self) -> bool {
        let runs = |piece: &Piece<'_>| matches!(piece.what, What::Substitution(_) | What::Process(_));
        self.pieces.iter().any(runs)
    }
}

/// A part of a word, and whether it stands in quotes, so that it is not split and no pattern.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    pub(super) what: What<'t>,
    pub(super) quoted: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum What<'t> {
    Text(&'t str),
    /// The home folder.
    Home,
    Variable(&'t str),
    /// `$0` to `$9`.
    Positional(usize),
    /// A brace, which may make many words of one.
    Brace,
    /// `$@` and `$*`.
    Spread,
    /// `$?`, `$$` and `$#`: digits.
    Number,
    /// `$((…))` of numbers.
    Computed(i64),
    /// `$!` and `$-`.
    Special,
    /// `$(…)`
    Substitution(Script<'t>),
    /// `<(…)`, which is always a whole word.
    Process(Script<'t>),
}

/// The one form of a script: what differs only in blanks and the like is the same text, and the text is that script.
pub(super) fn print(script: &Script<'_>) -> String {
    let lists: Vec<String> = script.lists.iter().map(list).collect();
    lists.join("; ")
}

fn list(list: &List<'_>) -> String {
    let mut out = pipeline(&list.first);
    for (join, next) in &list.rest {
        out.push_str(match join {
            Join::And => " && ",
            Join::Or => " || ",
        });
        out.push_str(&pipeline(next));
    }
    out
}

fn pipeline(pipeline: &Pipeline<'_>) -> String {
    let commands: Vec<String> = pipeline
        .commands
        .iter()
        .map(|(command, redirects)| {
            let mut parts = match command {
                Command::Simple(simple) => {
                    let assigned = simple
                        .assignments
                        .iter()
                        .map(|(name, word)| format!("{name}={}", word.raw));
                    assigned
                        .chain(simple.words.iter().map(|word| word.raw.to_owned()))
                        .collect()
                }
                Command::Group(script) => vec![format!("{{ {}; }}", print(script))],
                Command::Subshell(script) => vec![format!("( {} )", print(script))],
                compound => vec![control(compound)],
            };
            for redirect in redirects {
                let blank = if redirect.sign.ends_with('&') { "" } else { " " };
                parts.push(format!(
                    "{}{}{blank}{}",
                    redirect.number, redirect.sign, redirect.target.raw
                ));
            }
            parts.join(" ")
        })
        .collect();
    let mut out = String::new();
    for prefix in &pipeline.prefixes {
        out.push_str(prefix);
        out.push(' ');
    }
    out + &commands.join(" | ")
}

/// Control flow.
fn control(command: &Command<'_>) -> String {
    let raw = |words: &[Word<'_>], between: &str| {
        let words: Vec<&str> = words.iter().map(|word| word.raw).collect();
        words.join(between)
    };
    match command {
        Command::For { name, words, body } => {
            format!("for {name} in {}; do {}; done", raw(words, " "), print(body))
        }
        Command::While { condition, body } => format!("while {}; do {}; done", print(condition), print(body)),
        Command::If { branches, otherwise } => {
            let branches: Vec<String> = branches
                .iter()
                .map(|(condition, body)| format!("if {}; then {}; ", print(condition), print(body)))
                .collect();
            let otherwise = otherwise.as_ref().map(|body| format!("else {}; ", print(body)));
            format!("{}{}fi", branches.join("el"), otherwise.unwrap_or_default())
        }
        Command::Case { word, items } => {
            let items: String = items
                .iter()
                .map(|(patterns, body)| format!("{}) {};; ", raw(patterns, " | "), print(body)))
                .collect();
            format!("case {} in {items}esac", word.raw)
        }
        Command::Test(words) => format!("[[ {} ]]", raw(words, " ")),
        Command::Simple(_) | Command::Group(_) | Command::Subshell(_) => String::new(),
    }
}
