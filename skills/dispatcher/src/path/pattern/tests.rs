use proptest::prelude::*;

use super::*;

/// A pattern that has something of the name of a row, and signs in it.
fn pattern() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec((0..3_usize, "[*?]|\\[[a-e.]\\]|\\[!a\\]|[a-zA-Z.~_-]|"), 1..5);
    (0..NAMES.len(), pieces).prop_map(|(row, pieces)| {
        let name = match NAMES[row].0 {
            Match::Stem(name) | Match::Suffix(name) | Match::Name(name) => name,
            Match::Part(_) | Match::Root(_) => "",
        };
        let mut left = name.chars().peekable();
        let mut made = String::new();
        for (kept, piece) in pieces {
            made.extend(left.by_ref().take(kept));
            made.push_str(&piece);
            left.next_if(|_| piece != "*");
        }
        if !made.len().is_multiple_of(3) {
            made.extend(left);
        }
        made
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_a_pattern_may_match_is_never_passed_over_at_a_glance(pattern in pattern()) {
        let chars: Vec<char> = pattern.chars().collect();
        if let Some(read) = Signs::read(&chars) {
            let meant = meant(&pattern, &read);
            for (what, wants) in &NAMES {
                prop_assert!(read.glance.may_be(wants) || !meant(what), "{pattern} {what:?}");
            }
            for word in WORDS {
                prop_assert!(read.glance.spells(bits(word)) || !tells_word(&read.all, word), "{pattern} {word}");
            }
        }
    }
}

#[test]
fn most_rows_are_passed_over_at_a_glance() {
    let chars: Vec<char> = "*.java".chars().collect();
    let passed = Signs::read(&chars).map(|read| NAMES.iter().filter(|(_, wants)| !read.glance.may_be(wants)).count());
    assert!(
        passed.is_some_and(|passed| passed * 10 > NAMES.len() * 9),
        "{passed:?} of {}",
        NAMES.len()
    );
}
