//! Folders in which scripts are looked for to be run: find(1) and ls(1), with xargs(1) or in a loop.

use super::programs::{Behind, program};

/// What find(1) gives its files to.
const GIVING: [&str; 5] = ["-exec", "-execdir", "-ok", "-okdir", "xargs"];
/// Most words that xargs(1) has before the program.
const NEAR: usize = 6;
/// Any file.
pub(super) const ALL: &str = "*";
/// By these find(1) finds others than one pattern says.
const OTHERWISE: [&str; 5] = ["!", "\\!", "-not", "-o", "-or"];

/// Folders of which files are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Searched<'a> {
    /// How much of what stands behind the program names them, in bytes.
    pub(super) length: usize,
    /// Which files in them.
    pub(super) pattern: &'a str,
}

/// The folders behind such a program, if what is in them is run. `listed` is whether it is for a loop, which may run it.
pub(super) fn folders(behind: &str, finds: bool, listed: bool) -> Option<Searched<'_>> {
    // Another command begins there, and for this one nothing goes on.
    let own = behind.split([')', '`']).next().unwrap_or_default();
    let command = behind.split("&&").next().unwrap_or_default();
    let words: Vec<&str> = command.split_whitespace().map(bare).collect();
    let mut given = words.iter().enumerate().filter(|(_, word)| GIVING.contains(word));
    let runs = given.any(|(at, giving)| runs_files(words.get(at + 1..).unwrap_or_default(), giving));
    if !runs && !listed {
        return None;
    }
    // What find(1) is told of the files follows the folders.
    let mut begins = own
        .match_indices(|char: char| char.is_whitespace())
        .map(|(at, _)| at + 1);
    let ends = |at: &usize| {
        let word = own.get(*at..).unwrap_or_default();
        let told = word.strip_prefix('-');
        let told = told.is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_lowercase()));
        word.starts_with(['|', ';', '(', '!', '\\']) || finds && told
    };
    Some(Searched {
        length: begins.find(ends).unwrap_or(own.len()),
        pattern: if finds { pattern(own) } else { ALL },
    })
}

/// Which names find(1) is told to look for, as far as one pattern says it.
fn pattern(told: &str) -> &str {
    let words: Vec<&str> = told.split_whitespace().collect();
    let mut named = (0..words.len()).filter(|at| matches!(words.get(*at), Some(&"-name" | &"-iname")));
    let (Some(at), None) = (named.next(), named.next()) else {
        return ALL;
    };
    let is_plain = words.get(at) == Some(&"-name") && !words.iter().any(|word| OTHERWISE.contains(word));
    let pattern = words.get(at + 1).map(|word| bare(word)).filter(|_| is_plain);
    pattern.filter(|pattern| !pattern.contains(['/', '$'])).unwrap_or(ALL)
}

/// Whether files that are given to these words are run.
fn runs_files(words: &[&str], giving: &str) -> bool {
    let near = words.get(..words.len().min(NEAR)).unwrap_or_default();
    // The file itself.
    if near.first() == Some(&"{}") {
        return true;
    }
    // What xargs(1) itself is told comes before.
    let of_xargs = |word: &&str| {
        giving == "xargs" && (word.starts_with('-') || word.bytes().all(|byte| b"0123456789{}%".contains(&byte)))
    };
    let at = near.iter().take_while(|word| of_xargs(word)).count();
    let found = near.get(at).and_then(|word| program(word)).filter(|own| own.operand);
    found.is_some_and(|program| {
        let next = near.get(at + 1).copied().unwrap_or_default();
        // Behind the option for a module or a text these are what that is given.
        !next.starts_with('-') || program.behind(next).0 == Behind::Nothing
    })
}

fn bare(word: &str) -> &str {
    word.trim_matches(['"', '\'', ';', '\\'])
}

#[cfg(test)]
mod tests {
    #[test]
    fn folders_are_named_before_what_is_told_of_the_files_in_them_where_those_are_run() {
        for (behind, folders) in [
            (" s/d -name '*.sh' -exec sh {} \\;", Some(" s/d ")),
            (" -L s/d t -type f -execdir bash -e {} +", Some(" -L s/d t ")),
            (" s/d -type f -exec {} \\;", Some(" s/d ")),
            (" s/d | xargs -n 1 sh", Some(" s/d ")),
            (" s/d -name x -print0 | xargs -0 -I{} python3 {}", Some(" s/d ")),
            (" s/d -name '*.c' -exec wc -l {} +", None),
            (" s/d -name '*.c' -exec sh -c 'fmt $1' _ {} \\;", None),
            (" s/d | xargs python3 -m py_compile", None),
            (" s/d | xargs rm", None),
            (" s/d | xargs grep include", None),
            (" s/d && sh x", None),
        ] {
            let found = super::folders(behind, true, false).and_then(|found| behind.get(..found.length));
            assert_eq!(found, folders, "{behind}");
        }
        let listed = super::folders(" -lrt s/d); do", false, true);
        assert_eq!(listed.map(|found| found.length), Some(" -lrt s/d".len()));
    }

    #[test]
    fn of_the_files_in_a_folder_those_count_that_are_looked_for() {
        for (told, pattern) in [
            ("-name '*.sh' -exec sh {} \\;", "*.sh"),
            ("-type f -exec sh {} \\;", "*"),
            ("! -name '*.txt' -exec sh {} \\;", "*"),
            ("-name '*.sh' -o -name '*.py' -exec sh {} \\;", "*"),
            ("-iname '*.sh' -exec sh {} \\;", "*"),
            ("-name \"$1\" -exec sh {} \\;", "*"),
            ("-name", "*"),
        ] {
            assert_eq!(super::pattern(told), pattern, "{told}");
        }
    }
}
