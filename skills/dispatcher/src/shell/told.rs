//! In which order a person is told what a command does: there is room for one line.

use crate::finding::Risk;

/// How many things that are done, and are not grave, are told before how grave ones are done.
const LEADING: usize = 2;

/// How many files that are read are named: of more there would be no room for what is done with them.
const NAMED: usize = 1;

fn is_read(words: &str) -> bool {
    words.starts_with("reads ")
}

/// The same, of many files that are read the first ones and how many others there are.
pub(super) fn folded(words: &[&str]) -> Vec<String> {
    let reads = words.iter().filter(|words| is_read(words)).count();
    let mut seen = 0;
    let mut folded: Vec<String> = Vec::new();
    for words in words {
        seen += usize::from(is_read(words));
        match seen {
            _ if !is_read(words) || seen <= NAMED || reads == NAMED + 1 => folded.push((*words).to_owned()),
            _ if seen == reads => folded.push(format!("reads {} more of that kind", reads - NAMED)),
            _ => {}
        }
    }
    folded
}

/// The worst first, and of that what is read last; what is done before how, but for more than a few things that are not grave. Each of `words` says how bad it
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
            (Risk::High, false) if !is_read(words) => 2,
            (Risk::High, false) => 3,
            (_, true) => 4,
            (Risk::Medium, false) => 5,
            (Risk::Low, false) => 6,
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
        let reads = [
            "deletes (rm)",
            "reads a, a key file",
            "reads b, a key file",
            "reads c, a key file",
        ];
        assert_eq!(
            folded(&reads),
            ["deletes (rm)", "reads a, a key file", "reads 2 more of that kind"]
        );
        assert_eq!(folded(&reads[..3]), reads[..3]);
        let harmless = [told(Risk::Low, false, "prints"), told(Risk::Low, false, "reads")];
        assert_eq!(in_order(&harmless), ["prints", "reads"]);
    }
}
