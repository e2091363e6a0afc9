//! No input overflows the stack or the heap: on reading, on an error half-way, on dropping.

use super::*;

/// Runs `work` on a stack of 256 KiB, an eighth of what a thread usually has.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();
}

fn too_large(text: &str) -> (&'static str, usize) {
    match read(text) {
        Err(ReadError::TooLarge { what, allowed, .. }) => (what, allowed),
        other => panic!("read as {:.80}", format!("{other:?}")),
    }
}

#[test]
fn the_longest_list_is_read_cloned_compared_printed_and_dropped_on_a_small_stack() {
    on_a_small_stack(|| {
        let text = format!("({})", ["a"; 200_000].join(" "));
        let form = read(&text).unwrap();
        assert_eq!(form.items().unwrap().len(), 200_000);
        assert_eq!(form.clone(), form);
        assert_eq!(form.to_string().len(), text.len());
    });
}

#[test]
fn the_deepest_form_is_read_cloned_compared_printed_and_dropped_on_a_small_stack() {
    on_a_small_stack(|| {
        for (open, close) in [("(", ")"), ("(a . (", "))"), ("'", ""), ("#(", ")")] {
            let times = 100 / open.matches(['(', '\'']).count();
            let form = read(&format!("{}x{}", open.repeat(times), close.repeat(times))).unwrap();
            assert_eq!(form.clone(), form);
            assert_eq!(read(&form.to_string()).unwrap(), form);
        }
    });
}

#[test]
fn an_error_half_way_drops_what_was_read_on_a_small_stack() {
    on_a_small_stack(|| {
        let many = "a ".repeat(199_000);
        for end in ["#.x)", "", "\"", "]", ". )", "#|"] {
            assert!(read(&format!("({many} (b {end}")).is_err(), "{end}");
        }
    });
}

#[test]
fn one_atom_one_level_one_byte_more_than_allowed_is_an_error_that_names_the_bound() {
    assert_eq!(too_large(&format!("({})", "a ".repeat(200_001))), ("atoms", 200_000));
    assert_eq!(too_large(&format!("({})", "a ".repeat(400_000))), ("atoms", 200_000));
    assert_eq!(
        too_large(&format!("{}x{}", "(".repeat(101), ")".repeat(101))),
        ("nested lists", 100)
    );
    let limit = Limits::INPUT.bytes;
    assert!(read(&format!("\"{}\"", "x".repeat(limit - 2))).is_ok());
    assert_eq!(too_large(&format!("\"{}\"", "x".repeat(limit - 1))), ("bytes", limit));
    assert_eq!(too_large(&" ".repeat(limit + 1)), ("bytes", limit));
}

#[test]
fn openings_without_end_are_refused_at_the_bound() {
    for opening in ["(", "'", "#(", "#'", "(a . "] {
        assert_eq!(too_large(&opening.repeat(5000)), ("nested lists", 100), "{opening}");
    }
    let unended = format!("\"{}", "x".repeat(1 << 20));
    assert_eq!(
        read(&unended),
        Err(ReadError::Unfinished {
            what: "a string",
            at: 0
        })
    );
    assert_eq!(
        read(&"#|".repeat(1 << 20)),
        Err(ReadError::Unfinished {
            what: "a comment",
            at: 0
        })
    );
}

#[test]
fn lists_are_bounded_too_because_they_cost_more_than_their_text() {
    for item in ["()", "#()", "(())"] {
        assert_eq!(
            too_large(&format!("({})", item.repeat(200_000))),
            ("lists", 200_000),
            "{item}"
        );
    }
    let narrow = format!("{}a{}", "(".repeat(98), ")".repeat(98));
    assert_eq!(too_large(&format!("({})", narrow.repeat(3000))), ("lists", 200_000));
}

#[test]
fn what_a_quote_stands_for_counts_so_that_the_printed_form_is_within_the_bounds_too() {
    assert_eq!(too_large(&format!("({})", "'a ".repeat(100_001))), ("atoms", 200_000));
    let form = read(&format!("({})", "'a ".repeat(99_999))).unwrap();
    assert_eq!(read(&form.to_string()).unwrap(), form);
}

#[test]
fn a_tower_of_quotes_or_dots_over_a_long_list_is_read() {
    on_a_small_stack(|| {
        let long = format!("({})", "a ".repeat(199_000));
        let quoted = read(&format!("{}{long}", "'".repeat(99))).unwrap();
        assert_eq!(quoted.to_string().matches("QUOTE").count(), 99);
        let dotted = read(&format!("{}{long}{}", "(b . ".repeat(99), ")".repeat(99))).unwrap();
        assert_eq!(dotted.items().unwrap().len(), 199_099);
    });
}

#[test]
fn what_the_host_stored_may_be_larger_than_what_a_peer_sends() {
    let text = format!("({})", "a ".repeat(300_000));
    assert!(read(&text).is_err());
    assert!(read_with(&text, Limits::STORED).is_ok());
}
