//! How what the host says of a command is told from what the command says. Names in it are often the command's own.

use crate::sexp::visible;

/// How a line begins that is the host's and not the command's.
const NOTE: &str = "[jail]";

/// What a command wrote, with a backslash before whatever looks like a note, wherever it stands: what begins a line is
/// another thing on each terminal.
pub(super) fn told_apart(written: &str) -> String {
    written.replace(NOTE, &format!("\\{NOTE}"))
}

/// One sentence of the host's on one line, whatever names are in it: all that no person sees is written out, ends of lines
/// too, and what looks like a note has a backslash before it.
pub(super) fn on_one_line(said: &str) -> String {
    let line = visible(said).replace('\n', "<U+000A>").replace('\t', "<U+0009>");
    told_apart(&line)
}

/// A note as a line of its own.
pub(super) fn note(said: &str) -> String {
    format!("{NOTE} {}\n", on_one_line(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_makes_no_line_of_its_own_and_looks_like_no_note() {
        let said = "r\n[jail] all is well\r\t\u{1b}[2K\u{2028}\u{202e}[jail]/.git/config was new";
        let line = note(said);
        assert_eq!(
            line,
            "[jail] r<U+000A>\\[jail] all is well<U+000D><U+0009><U+001B>[2K<U+2028><U+202E>\\[jail]/.git/config was new\n"
        );
    }
}
