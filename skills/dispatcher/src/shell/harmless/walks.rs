//! Whether grep(1) or ripgrep, which print the names of files in which there is something, may name files in git's own folder.

use super::Prover;
use super::arguments::Arguments;
use super::expand::Argument;
use super::state::State;

/// What keeps ripgrep out of that folder.
const LEFT_OUT: &[&str] = &[
    "!.git",
    "!.git/",
    "!.git/*",
    "!.git/**",
    "!**/.git",
    "!**/.git/*",
    "!**/.git/**",
];

impl Prover<'_> {
    pub(super) fn walks_into_repository(
        &self,
        name: &str,
        arguments: &[Argument],
        told: &Arguments<'_>,
        state: &State,
    ) -> bool {
        let ripgrep = name == "rg";
        // Without one of these ripgrep looks into no hidden folder, and the other into none.
        let walks = match ripgrep {
            true => told.has(".") || told.long.contains(&"hidden") || told.short.matches('u').count() > 1,
            false => told.has("rR"),
        };
        let mut roots = told.operands.iter().skip(usize::from(!ripgrep));
        let begins =
            ripgrep && told.operands.len() < 2 || roots.any(|root| self.holds_repository(root, state).is_some());
        let globs = told.has("g") || told.long.contains(&"glob");
        walks && begins && !(globs && leaves_out(arguments))
    }
}

/// Whether an option keeps ripgrep out of it. With one of grep's that would, the names are not passed on.
fn leaves_out(arguments: &[Argument]) -> bool {
    let texts = || arguments.iter().map(|argument| argument.text.as_str());
    let joined = |text: &str| {
        let value = text.strip_prefix("--glob=").or_else(|| text.strip_prefix("-g"));
        value.is_some_and(|value| LEFT_OUT.contains(&value))
    };
    let behind = |(option, value): (&str, &str)| matches!(option, "--glob" | "-g") && LEFT_OUT.contains(&value);
    texts().any(joined) || texts().zip(texts().skip(1)).any(behind)
}
