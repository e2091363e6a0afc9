//! Which gates fall by what a command takes away: what they are about is rejected from then on.

use crate::config::Config;
use crate::daemon;
use crate::sexp::visible_line;
use crate::skill::{BUNDLED, Grants, SkillSet, Source};

/// The skills with these grants, as far as they are compiled; none where the engines can't be started.
pub(super) fn with(config: &Config, grants: &Grants) -> Option<SkillSet> {
    daemon::skills_compiled(config, grants.clone()).ok()
}

/// The gates of `set` that were ready and are not; none where that is not known.
pub(super) fn fallen(set: Option<&SkillSet>) -> Vec<String> {
    set.map(|set| set.fallen().to_vec()).unwrap_or_default()
}

/// Says which gates are not ready any more beside those of `before`, whatever it was that they needed. What was taken away
/// stays so, whatever comes of looking at what that means.
pub(super) fn tell(config: &Config, before: &[String]) {
    let grants = Grants::load(&daemon::grants_path(config)).unwrap_or_default();
    match daemon::skills_compiled(config, grants) {
        Ok(set) => {
            for name in set.fallen().iter().filter(|name| !before.contains(name)) {
                outln!("{}", visible_line(&about(config, &set, name)));
            }
        }
        Err(error) => errln!("note: whether a gate was ready, and is not now, can't be said: {error}"),
    }
}

/// What it means for the actions that the gate `name` judged.
fn about(config: &Config, set: &SkillSet, name: &str) -> String {
    let statuses = set.statuses();
    let file = statuses
        .iter()
        .find(|own| own.name == name && own.source != Source::Bundled);
    let why = file
        .and_then(|own| own.reason.as_deref())
        .unwrap_or("no reason is known");
    let is_bundled = BUNDLED.iter().any(|own| own.name == name);
    let without = match (is_bundled, config.gates.required.iter().any(|own| own == name)) {
        (true, _) => format!(
            "; the bundled {name} does not come back by itself, but by `passepartout-host skill remove {name}`"
        ),
        (false, false) => format!("; or go on without it: `passepartout-host skill remove {name}`"),
        // Without what is required nothing passes either.
        (false, true) => String::new(),
    };
    format!("{name} was ready as a gate and is not now, so that all that it is about is rejected: {why}{without}")
}
