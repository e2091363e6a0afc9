//! In which order a person is told what a command does: there is room for one line.

use crate::finding::Risk;

/// How many things that are done, and are not grave, are told before how grave ones are done.
const LEADING: usize = 2;

/// How many files that are read are named: of more there would be no room for what is done with them.
const NAMED: usize = 1;

/// What is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// What is done.
    Deed,
    /// How that is done.
    Way,
    /// A file that is read.
    File,
}

/// One thing that is told.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) words: String,
    pub(super) about: About,
    /// How bad it could be.
    pub(super) risk: Risk,
}

/// The same in words, of many files that are read the first ones and how many others there are.
pub(super) fn folded(told: &[&Told]) -> Vec<String> {
    let is_read = |told: &Told| told.about == About::File;
    let reads = told.iter().filter(|told| is_read(told)).count();
    let mut seen = 0;
    let mut folded: Vec<String> = Vec::new();
    for told in told {
        seen += usize::from(is_read(told));
        match seen {
            _ if !is_read(told) || seen <= NAMED || reads == NAMED + 1 => folded.push(told.words.clone()),
            _ if seen == reads => folded.push(format!("reads {} more of that kind", reads - NAMED)),
            _ => {}
        }
    }
    folded
}

/// The worst first, and of that what is read last; what is done before how, but for more than a few things that are not grave.
pub(super) fn in_order(told: &[Told]) -> Vec<&Told> {
    let mut few = 0;
    // What does no harm by itself only crowds out what may.
    let worst = told.iter().map(|told| told.risk).max();
    let counts = |told: &&Told| told.about == About::Deed || told.risk != Risk::Low || worst == Some(Risk::Low);
    let ranked = told.iter().filter(counts).map(|told| {
        let is_deed = told.about == About::Deed;
        few += usize::from(is_deed && told.risk != Risk::High);
        let rank = match (told.risk, told.about) {
            (Risk::High, About::Deed) => 0,
            (_, About::Deed) if few <= LEADING => 1,
            (Risk::High, About::Way) => 2,
            (Risk::High, About::File) => 3,
            (_, About::Deed) => 4,
            (Risk::Medium, _) => 5,
            (Risk::Low, _) => 6,
        };
        (rank, told)
    });
    let mut ranked: Vec<(u8, &Told)> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, told)| told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_grave_is_not_pushed_aside_by_much_that_is_not() {
        let told = |risk, about, words: &str| Told {
            words: words.to_owned(),
            about,
            risk,
        };
        let words = |told: &[Told]| -> Vec<String> { in_order(told).iter().map(|told| told.words.clone()).collect() };
        let all = [
            told(Risk::Low, About::Way, "reads"),
            told(Risk::Medium, About::Deed, "stages a"),
            told(Risk::Medium, About::Deed, "stages b"),
            told(Risk::Medium, About::Deed, "stages c"),
            told(Risk::High, About::Way, "runs a script"),
            told(Risk::High, About::Deed, "throws changes away"),
            told(Risk::Medium, About::Way, "writes"),
        ];
        assert_eq!(
            words(&all),
            [
                "throws changes away",
                "stages a",
                "stages b",
                "runs a script",
                "stages c",
                "writes"
            ]
        );
        let reads = [
            told(Risk::High, About::Way, "deletes (rm)"),
            told(Risk::High, About::File, "reads a, a key file"),
            told(Risk::High, About::File, "reads b, a key file"),
            told(Risk::High, About::File, "reads c, a key file"),
        ];
        let reads: Vec<&Told> = reads.iter().collect();
        assert_eq!(
            folded(&reads),
            ["deletes (rm)", "reads a, a key file", "reads 2 more of that kind"]
        );
        assert_eq!(folded(&reads[..3]).len(), 3);
        let harmless = [
            told(Risk::Low, About::Way, "prints"),
            told(Risk::Low, About::Way, "reads"),
        ];
        assert_eq!(words(&harmless), ["prints", "reads"]);
    }
}
