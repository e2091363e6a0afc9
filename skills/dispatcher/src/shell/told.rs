//! In which order a person is told what a command does: there is room for one line.

use crate::finding::Risk;

/// How many things that are done, and are not grave, are told before how grave ones are done.
const LEADING: usize = 2;

/// The worst first; what is done before how, but for more than a few things that are not grave. Each of `words` says how bad it
/// could be, and whether it is what is done.
pub(super) fn in_order(words: &[(Risk, bool, String)]) -> Vec<&str> {
    let mut few = 0;
    // What does no harm by itself only crowds out what may.
    let worst = words.iter().map(|(risk, ..)| *risk).max();
    let counts = |risk: Risk, leads: bool| leads || risk != Risk::Low || worst == Some(Risk::Low);
    let words = words.iter().filter(|(risk, leads, _)| counts(*risk, *leads));
    let ranked = words.map(|(risk, leads, words)| {
        few += usize::from(*leads && *risk != Risk::High);
        let rank = match (risk, leads) {
            (Risk::High, true) => 0,
            (_, true) if few <= LEADING => 1,
            (Risk::High, false) => 2,
            (_, true) => 3,
            (Risk::Medium, false) => 4,
            (Risk::Low, false) => 5,
        };
        (rank, words.as_str())
    });
    let mut ranked: Vec<(u8, &str)> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, words)| words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_grave_is_not_pushed_aside_by_much_that_is_not() {
        let told = |risk, leads, words: &str| (risk, leads, words.to_owned());
        let words = [
            told(Risk::Low, false, "reads"),
            told(Risk::Medium, true, "stages a"),
            told(Risk::Medium, true, "stages b"),
            told(Risk::Medium, true, "stages c"),
            told(Risk::High, false, "runs a script"),
            told(Risk::High, true, "throws changes away"),
            told(Risk::Medium, false, "writes"),
        ];
        assert_eq!(
            in_order(&words),
            [
                "throws changes away",
                "stages a",
                "stages b",
                "runs a script",
                "stages c",
                "writes"
            ]
        );
        let harmless = [told(Risk::Low, false, "prints"), told(Risk::Low, false, "reads")];
        assert_eq!(in_order(&harmless), ["prints", "reads"]);
    }
}
