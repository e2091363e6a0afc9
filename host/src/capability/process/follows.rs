//! Telling the commands of a line apart, as far as it takes to see which of them follow links below a folder.

/// The words of one command, without their quotes.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub(super) words: Vec<String>,
}

/// A program that follows each link that it comes to below a folder, with one of these letters or long options. Of a long one any
/// beginning will do.
struct Follower {
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
    /// What it is given first is no path.
    sought: bool,
}

/// Their manuals. `find` and `fd` have options that are words as well; `zip` and `diff` do so unless they are told otherwise.
const FOLLOWERS: &[Follower] = &[
    Follower {
        names: &["grep", "egrep", "fgrep", "zgrep"],
        letters: "R",
        long: &["--dereference-recursive"],
        sought: true,
    },
    Follower {
        names: &["rg", "fd", "fdfind"],
        letters: "L",
        long: &["--follow"],
        sought: true,
    },
    Follower {
        names: &["ag"],
        letters: "f",
        long: &["--follow"],
        sought: true,
    },
    Follower {
        names: &["cp", "du", "ls", "dir", "vdir", "cpio", "pax"],
        letters: "L",
        long: &["--dereference"],
        sought: false,
    },
    Follower {
        names: &["find"],
        letters: "L",
        long: &["-follow"],
        sought: false,
    },
    Follower {
        names: &["tar", "bsdtar", "gtar"],
        letters: "hL",
        long: &["--dereference"],
        sought: false,
    },
    Follower {
        names: &["rsync"],
        letters: "Lk",
        long: &["--copy-links", "--copy-dirlinks", "--copy-unsafe-links"],
        sought: false,
    },
    Follower {
        names: &["tree"],
        letters: "l",
        long: &[],
        sought: false,
    },
    Follower {
        names: &["zip"],
        letters: "rR",
        long: &["--recurse-paths", "--recurse-patterns"],
        sought: false,
    },
    Follower {
        names: &["diff"],
        letters: "r",
        long: &["--recursive"],
        sought: false,
    },
];

/// The place of a program's name in a command, and what is known of it.
fn follower(segment: &Segment) -> Option<(usize, &'static Follower)> {
    segment.words.iter().enumerate().find_map(|(at, word)| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let follower = FOLLOWERS.iter().find(|follower| follower.names.contains(&name))?;
        Some((at, follower))
    })
}

/// Whether a command follows the links that it comes to below a folder.
pub(super) fn follows(segment: &Segment) -> bool {
    let Some((at, follower)) = follower(segment) else {
        return false;
    };
    let mut words = segment.words.iter().skip(at + 1);
    let lettered = |letters: &str| letters.contains(|letter| follower.letters.contains(letter));
    // The letters of tar may stand without the sign before them.
    let bare = follower.names.contains(&"tar")
        && words
            .clone()
            .next()
            .is_some_and(|first| !first.starts_with('-') && lettered(first));
    bare || words.any(|word| match word.strip_prefix("--") {
        Some(_) => {
            let name = word.split('=').next().unwrap_or_default();
            follower
                .long
                .iter()
                .any(|long| name.len() > 3 && long.starts_with(name))
        }
        None => follower.long.contains(&word.as_str()) || word.strip_prefix('-').is_some_and(lettered),
    })
}

/// What a command that follows links is given that may be a folder: all that it goes through, or nothing if that is not clear.
pub(super) fn folders(segment: &Segment) -> Vec<&str> {
    let Some((at, follower)) = follower(segment) else {
        return Vec::new();
    };
    let given = segment.words.get(at + 1..).unwrap_or_default();
    let (options, mut operands): (Vec<&str>, Vec<&str>) =
        given.iter().map(String::as_str).partition(|word| word.starts_with('-'));
    if follower.sought {
        // An option may have its value in the next word, or be one that says what is sought.
        let plain = |option: &&str| {
            let letters = option.strip_prefix('-').unwrap_or_default();
            letters.chars().all(|letter| "RLrnilcowvhHsEFPqIzxS".contains(letter)) || option.contains('=')
        };
        if !options.iter().all(plain) || operands.is_empty() {
            return Vec::new();
        }
        operands.remove(0);
    }
    operands
}

/// Tells the commands of a line apart, and those in its words down to `deep`.
pub(super) fn tell_apart(line: &str, deep: usize, segments: &mut Vec<Segment>) {
    let first = segments.len();
    let mut chars = line.chars();
    let mut segment = Segment::default();
    let mut word = String::new();
    let mut begun = false;
    let mut quote = None;
    let end = |word: &mut String, begun: &mut bool, segment: &mut Segment| {
        if std::mem::take(begun) {
            segment.words.push(std::mem::take(word));
        }
    };
    while let Some(char) = chars.next() {
        match (quote, char) {
            (None, '\'' | '"') => {
                quote = Some(char);
                begun = true;
            }
            (Some(open), _) if open == char => quote = None,
            (None | Some('"'), '\\') => match chars.next() {
                // It goes on in the next line.
                Some('\n') => {}
                Some(next) => {
                    if quote.is_some() && !"\"\\$`".contains(next) {
                        word.push('\\');
                    }
                    word.push(next);
                    begun = true;
                }
                None => {}
            },
            (None, ';' | '|' | '&' | '(' | ')' | '`' | '\n') => {
                end(&mut word, &mut begun, &mut segment);
                segments.push(std::mem::take(&mut segment));
            }
            (None, '<' | '>') => end(&mut word, &mut begun, &mut segment),
            (None, char) if char.is_whitespace() => end(&mut word, &mut begun, &mut segment),
            (_, char) => {
                word.push(char);
                begun = true;
            }
        }
    }
    end(&mut word, &mut begun, &mut segment);
    segments.push(segment);
    if deep == 0 {
        return;
    }
    let nested: Vec<String> = segments
        .iter()
        .skip(first)
        .flat_map(|segment| &segment.words)
        .filter(|word| *word != line && word.contains([' ', '\t', '\n', '\'', '"', '\\', ';', '|', '`', '(']))
        .cloned()
        .collect();
    for inner in nested {
        tell_apart(&inner, deep - 1, segments);
    }
}

/// What a word with braces in it may stand for, as far as these are not in others.
pub(super) fn spelt(word: &str) -> Vec<String> {
    const MOST: usize = 64;
    let mut words = vec![String::new()];
    let mut rest = word;
    while let Some((before, behind)) = rest.split_once('{')
        && let Some((inner, after)) = behind.split_once('}')
    {
        let each = |word: &String| -> Vec<String> {
            let parts = inner.split(',');
            parts.map(|part| format!("{word}{before}{part}")).collect()
        };
        words = words.iter().flat_map(each).take(MOST).collect();
        rest = after;
    }
    words.into_iter().map(|word| word + rest).collect()
}

/// Whether characters of a line may stand in it as numbers.
pub(super) fn has_numbered(line: &str) -> bool {
    let numbered = |rest: &str| {
        let mut signs = rest.split('\\').skip(1);
        signs.any(|behind| behind.starts_with(|char: char| "xuUc".contains(char) || char.is_ascii_digit()))
    };
    line.split_once("$'").is_some_and(|(_, rest)| numbered(rest))
}
