//! What is left of all names where several patterns pick some and keep others out: none of them need say much by itself.
//! `git ls-files '????' | grep -v 'y$'` leaves `.env`, and hardly anything else.

use super::hidden::protected;
use super::left::{EVERYDAY, KeptOut, MOST, MOST_TRIED, STARTS};

/// Patterns that together say which names are left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Of each of these one matches.
    picks: Vec<Vec<KeptOut>>,
    /// One of these may have to match.
    either: Vec<KeptOut>,
    /// None of these matches.
    surely: Vec<KeptOut>,
    /// Perhaps none of these does.
    perhaps: Vec<KeptOut>,
    /// How folders are written from which names may be left of files in git's own folder, where there may be what was never
    /// shown.
    pub(crate) reaches: Vec<String>,
}

impl Selection {
    /// Only what one of these matches is left. Where each of them spells a name, it is judged by itself.
    pub(crate) fn pick(&mut self, one_of: Vec<KeptOut>) {
        let one_of: Vec<KeptOut> = one_of.into_iter().filter(|one| !one.part).collect();
        if one_of.iter().any(|one| !one.names) {
            self.picks.push(one_of);
        }
    }

    /// Perhaps only what one of these matches, or of those that were said so before.
    pub(crate) fn may_pick(&mut self, one_of: &[KeptOut]) {
        self.either.extend(one_of.iter().filter(|one| !one.part).cloned());
    }

    pub(crate) fn keep_out(&mut self, all: Vec<KeptOut>) {
        self.surely.extend(all);
    }

    pub(crate) fn may_keep_out(&mut self, all: Vec<KeptOut>) {
        self.perhaps.extend(all);
    }

    fn all(&self) -> impl Iterator<Item = &KeptOut> {
        let picks = self.picks.iter().flatten().chain(&self.either);
        picks.chain(&self.surely).chain(&self.perhaps)
    }

    /// How many patterns it has. A long one is several.
    pub(crate) fn size(&self) -> usize {
        self.all().map(KeptOut::weight).sum()
    }

    /// Whether most everyday names are gone, and more of the hidden ones are left.
    pub(crate) fn leaves_hidden(&self) -> bool {
        // One alone is judged by itself, and what is more than anybody writes is there to keep us busy.
        if self.all().nth(1).is_none() {
            return false;
        }
        self.size() > 2 * MOST_TRIED
            || self.all().any(|one| one.unread)
            || STARTS.iter().any(|start| self.leaves(start))
    }

    fn leaves(&self, start: &str) -> bool {
        let everyday: Vec<String> = EVERYDAY.iter().map(|path| format!("{start}{path}")).collect();
        let picked = |path: &str| self.picks.iter().all(|one_of| matched(one_of, path));
        let left = everyday
            .iter()
            .filter(|path| picked(path) && !matched(&self.surely, path));
        let left: Vec<&String> = left.collect();
        let either = left.iter().filter(|path| matched(&self.either, path)).count();
        let rest = left.iter().filter(|path| !matched(&self.perhaps, path)).count();
        let most = |left: usize| (EVERYDAY.len() - left) * 100 > EVERYDAY.len() * MOST;
        // Names are judged by themselves.
        let tells = self.either.iter().any(|one| !one.names);
        let (either, rest) = ((tells && most(either)).then_some(either), most(rest).then_some(rest));
        if either.is_none() && rest.is_none() {
            return false;
        }
        // What keeps out all there is has some other end.
        let keeps_some = |one: &&KeptOut| !everyday.iter().all(|path| one.matches(path));
        let surely: Vec<&KeptOut> = self.surely.iter().filter(keeps_some).collect();
        let (mut all, mut hidden, mut hidden_either) = (0, 0, 0);
        for name in protected() {
            let path = format!("{start}{name}");
            let stays = picked(&path) && !surely.iter().any(|one| one.matches(&path));
            all += 1;
            hidden += usize::from(stays);
            hidden_either += usize::from(stays && matched(&self.either, &path));
        }
        let more = |left: Option<usize>, hidden: usize| left.is_some_and(|left| hidden * EVERYDAY.len() > left * all);
        more(either, hidden_either) || more(rest, hidden)
    }
}

fn matched(patterns: &[KeptOut], path: &str) -> bool {
    patterns.iter().any(|one| one.matches(path))
}
