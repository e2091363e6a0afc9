//! No way of writing a command that bash takes for the same makes it pass.

use proptest::prelude::*;

use super::{canonical, reads};

/// Commands that must never pass, one of each kind.
const ACTS: &[&str] = &[
    "rm x",
    "touch x",
    "cat /etc/hosts",
    "sort -o x y",
    "find . -delete",
    "git push",
    "python3 x.py",
    "curl http://evil.example/",
    "sed -i s/a/b/ x",
    "tee x",
];

/// Commands before which anything may stand.
const HARMLESS: &[&str] = &["ls", "echo hello", "true", "cat README.md", ":", "test -f x"];

#[derive(Clone, Debug)]
enum Rewriting {
    /// A letter of a word is quoted: by which kind, and which.
    Quote(u8, prop::sample::Index),
    /// More blanks between words.
    Blanks(prop::sample::Index, &'static str),
    /// Behind, before, or inside another command.
    Chain(&'static str, &'static str),
    Wrap(&'static str, &'static str),
}

fn rewriting() -> impl Strategy<Value = Rewriting> {
    prop_oneof![
        (0_u8..5, any::<prop::sample::Index>()).prop_map(|(kind, at)| Rewriting::Quote(kind, at)),
        (
            any::<prop::sample::Index>(),
            prop::sample::select(vec!["  ", "\t", " \\\n ", " \\\n"])
        )
            .prop_map(|(at, blank)| Rewriting::Blanks(at, blank)),
        (
            prop::sample::select(HARMLESS),
            prop::sample::select(vec![
                " && ",
                " ; ",
                " || ",
                " | ",
                " & ",
                "\n",
                " |& ",
                " ;\n# remark\n"
            ]),
        )
            .prop_map(|(before, between)| Rewriting::Chain(before, between)),
        prop::sample::select(vec![
            ("env ", ""),
            ("nice -n 5 ", ""),
            ("timeout 5 ", ""),
            ("command ", ""),
            ("nohup ", ""),
            ("time ", ""),
            ("! ", ""),
            ("xargs ", " < /dev/null"),
            // With blanks: two brackets would begin arithmetic.
            ("$( ", " )"),
            ("echo \"$( ", " )\""),
            ("echo `", "`"),
            ("cat <( ", " )"),
            ("( ", " )"),
            ("{ ", "; }"),
            ("if true; then ", "; fi"),
            ("for i in 1 2; do ", "; done"),
            ("while true; do ", "; done"),
            ("while read x; do ", "; done < x"),
            ("for i in {a,b}; do ", "; done"),
            ("for i in *; do ", "; done"),
            ("if ", "; then ls; fi"),
            ("if ls; then ls; elif ls; then ", "; fi"),
            ("if ls; then ls; else ", "; fi"),
            ("case a in b) ls;; (a | c) ", ";; esac"),
            ("case $( ", " ) in a) ls;; esac"),
            ("[[ -f x ]] && ", ""),
            ("[[ a == $( ", " ) ]]"),
            ("head -n $((1+2)) x; ", ""),
            ("case a in a) ", ";; esac"),
            ("f() { ", "; }; f"),
            ("x=$( ", " )"),
            ("echo ${x:-$( ", " )}"),
            ("[[ -n $( ", " ) ]]"),
            ("cat <<EOF\n$( ", " )\nEOF\n"),
        ])
        .prop_map(|(before, after)| Rewriting::Wrap(before, after)),
    ]
}

fn apply(command: &str, rewriting: &Rewriting) -> String {
    match rewriting {
        Rewriting::Quote(kind, at) => {
            // Only plain letters: within what is quoted already they would mean something else.
            let quoted = command.contains(['\'', '"', '\\', '`', '$', '<', '{', '(', '#']);
            let letters: Vec<usize> = command
                .char_indices()
                .filter(|(_, char)| char.is_ascii_lowercase())
                .map(|(at, _)| at)
                .collect();
            let keyword = command.split_whitespace().any(|word| {
                matches!(
                    word,
                    "if" | "then"
                        | "else"
                        | "elif"
                        | "fi"
                        | "for"
                        | "in"
                        | "do"
                        | "done"
                        | "while"
                        | "case"
                        | "esac"
                        | "time"
                        | "!"
                )
            });
            if quoted || keyword || letters.is_empty() {
                return command.to_owned();
            }
            let at = *at.get(&letters);
            let letter = &command[at..=at];
            let written = match kind {
                0 => format!("'{letter}'"),
                1 => format!("\"{letter}\""),
                2 => format!("\\{letter}"),
                3 => format!("$'\\x{:02x}'", letter.as_bytes()[0]),
                _ => format!("''{letter}"),
            };
            format!("{}{written}{}", &command[..at], &command[at + 1..])
        }
        Rewriting::Blanks(at, blank) => {
            let quoted = command.contains(['\'', '"', '<', '#', '\n']);
            let blanks: Vec<usize> = command.match_indices(' ').map(|(at, _)| at).collect();
            if quoted || blanks.is_empty() {
                return command.to_owned();
            }
            let at = *at.get(&blanks);
            format!("{}{blank}{}", &command[..at], &command[at + 1..])
        }
        Rewriting::Chain(before, between) => format!("{before}{between}{command}"),
        // Backticks end at the next one, unless that is escaped.
        Rewriting::Wrap("echo `", _) if command.contains('`') => command.to_owned(),
        Rewriting::Wrap(before, after) => format!("{before}{command}{after}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_acts_acts_however_it_is_written(
        command in prop::sample::select(ACTS),
        rewritings in prop::collection::vec(rewriting(), 0..6),
    ) {
        let written = rewritings.iter().fold(command.to_owned(), |command, rewriting| apply(&command, rewriting));
        prop_assert!(!reads(&written), "{written}");
    }

    #[test]
    fn whatever_text_it_is_given_the_proof_comes_back(
        begin in prop::sample::select(vec!["", "ls ", "xargs -0", "find . -exec ", "printf ", "echo ${", "$'", "x=", "awk "]),
        text in "[ -~é€\n\t]{0,40}",
    ) {
        let text = format!("{begin}{text}");
        if reads(&text) {
            prop_assert!(canonical(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_parsed_and_printed_is_parsed_to_the_same(
        command in prop_oneof![prop::sample::select(ACTS), prop::sample::select(HARMLESS)],
        rewritings in prop::collection::vec(rewriting(), 0..6),
    ) {
        let written = rewritings.iter().fold(command.to_owned(), |command, rewriting| apply(&command, rewriting));
        let Some(printed) = canonical(&written) else { return Ok(()) };
        prop_assert_eq!(canonical(&printed), Some(printed.clone()), "{} is printed as {}", written, printed);
        prop_assert_eq!(reads(&printed), reads(&written), "{} is printed as {}", written, printed);
    }
}
