//! Whether Lisp that is about to be written would read: brackets and strings must close. For `.lisp` and `.el` files
//! whole, for Org files the Lisp in their source blocks. A balance check, no reader: it knows no symbols.

/// Which Lisp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// `[` is a letter, `#|…|#` a comment, `|…|` a name, `#\(` a character.
    Common,
    /// `[` is a bracket, `?(` a character.
    Emacs,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What, and on which line.
    pub(crate) what: String,
    /// That line.
    pub(crate) line: String,
}

/// What is wrong with `content`, were it written to the file `path`. `None` if it would read, or is no Lisp.
pub(crate) fn fault(path: &str, content: &str) -> Option<Fault> {
    let (what, number) = found(path, content)?;
    let line = content
        .lines()
        .nth(number.saturating_sub(1))
        .unwrap_or_default()
        .trim()
        .to_owned();
    Some(Fault { what, line })
}

/// What a file holds, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Lisp(Dialect),
    Blocks,
}

/// Whether the file `path` is Lisp, or may have Lisp in it.
pub(crate) fn may_hold_lisp(path: &str) -> bool {
    holds(path).is_some()
}

fn holds(path: &str) -> Option<Holds> {
    let name = path.to_ascii_lowercase();
    if name.ends_with(".el") {
        Some(Holds::Lisp(Dialect::Emacs))
    } else if [".lisp", ".lsp", ".cl", ".asd"]
        .iter()
        .any(|ending| name.ends_with(ending))
    {
        Some(Holds::Lisp(Dialect::Common))
    } else if name.ends_with(".org") {
        Some(Holds::Blocks)
    } else {
        None
    }
}

/// What is wrong, in words, and the number of the line where it is.
fn found(path: &str, content: &str) -> Option<(String, usize)> {
    match holds(path)? {
        Holds::Lisp(dialect) => unbalanced(content, dialect, 1),
        Holds::Blocks => in_blocks(content),
    }
}

/// The first fault in the source blocks of an Org file.
fn in_blocks(content: &str) -> Option<(String, usize)> {
    let mut block: Option<(Option<Dialect>, usize, String)> = None;
    for (at, line) in content.lines().enumerate() {
        let lower = line.trim_start().to_ascii_lowercase();
        if let Some((dialect, start, text)) = &mut block {
            if lower.starts_with("#+end_src") {
                if let Some(dialect) = dialect
                    && let Some(fault) = unbalanced(text, *dialect, *start)
                {
                    return Some(fault);
                }
                block = None;
            } else {
                text.push_str(line);
                text.push('\n');
            }
        } else if let Some(rest) = lower.strip_prefix("#+begin_src") {
            let dialect = match rest.split_whitespace().next() {
                Some("lisp" | "common-lisp" | "scheme") => Some(Dialect::Common),
                Some("emacs-lisp" | "elisp") => Some(Dialect::Emacs),
                _ => None,
            };
            block = Some((dialect, at + 2, String::new()));
        }
    }
    match block {
        Some((Some(_), start, _)) => {
            let begin = start - 1;
            Some((
                format!("the source block that begins on line {begin} has no #+end_src"),
                begin,
            ))
        }
        _ => None,
    }
}

/// The first thing in `text` that does not close or was never opened. `first` is the number of its first line.
fn unbalanced(text: &str, dialect: Dialect, first: usize) -> Option<(String, usize)> {
    let chars: Vec<char> = text.chars().collect();
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut line = first;
    let mut at = 0;
    while at < chars.len() {
        let char = chars[at];
        let next = chars.get(at + 1).copied();
        let starts =
            at == 0 || chars[at - 1].is_whitespace() || matches!(chars[at - 1], '(' | '[' | '\'' | '`' | ',');
        match char {
            '\n' => line += 1,
            ';' => {
                while chars.get(at + 1).is_some_and(|char| *char != '\n') {
                    at += 1;
                }
            }
            '"' | '|' if char == '"' || dialect == Dialect::Common => {
                let start = line;
                at += 1;
                while chars.get(at).is_some_and(|own| *own != char) {
                    let escaped = chars[at] == '\\';
                    at += usize::from(escaped);
                    if chars.get(at) == Some(&'\n') {
                        line += 1;
                    }
                    at += 1;
                }
                if at >= chars.len() {
                    let what = if char == '"' { "string" } else { "name in bars" };
                    return Some((format!("the {what} that begins on line {start} does not end"), start));
                }
            }
            '#' if dialect == Dialect::Common && next == Some('|') => {
                let start = line;
                let mut depth = 0usize;
                loop {
                    match (chars.get(at), chars.get(at + 1)) {
                        (Some('#'), Some('|')) => {
                            depth += 1;
                            at += 2;
                        }
                        (Some('|'), Some('#')) => {
                            depth -= 1;
                            at += 2;
                        }
                        (Some(char), _) => {
                            line += usize::from(*char == '\n');
                            at += 1;
                        }
                        (None, _) => {
                            return Some((format!("the comment that begins on line {start} does not end"), start));
                        }
                    }
                    if depth == 0 {
                        break;
                    }
                }
                continue;
            }
            // A character: what follows stands for itself.
            '#' if dialect == Dialect::Common && next == Some('\\') => at += 2,
            '?' if dialect == Dialect::Emacs && starts && next.is_some_and(|next| !next.is_whitespace()) => {
                at += 1;
                while chars.get(at) == Some(&'\\') && at + 1 < chars.len() {
                    at += 1;
                    // `\C-(` and its like.
                    if chars.get(at + 1) == Some(&'-') && at + 2 < chars.len() {
                        at += 2;
                    } else {
                        break;
                    }
                }
            }
            '\\' => at += 1,
            '(' => open.push((')', line)),
            '[' if dialect == Dialect::Emacs => open.push((']', line)),
            ')' | ']' if char == ')' || dialect == Dialect::Emacs => match open.pop() {
                Some((wanted, _)) if wanted == char => {}
                Some((wanted, start)) => {
                    let what = format!("`{char}` on line {line} where `{wanted}` is due for line {start}");
                    return Some((what, line));
                }
                None => return Some((format!("`{char}` on line {line} closes nothing"), line)),
            },
            _ => {}
        }
        at += 1;
    }
    open.last()
        .map(|(wanted, start)| (format!("what opens on line {start} lacks its `{wanted}`"), *start))
}

/// Forms that define something.
const DEFINITIONS: &[&str] = &[
    "(defclass",
    "(defconstant",
    "(defgeneric",
    "(define",
    "(defmacro",
    "(defmethod",
    "(defparameter",
    "(defstruct",
    "(defun",
    "(defvar",
];

/// The first definition in a block of Lisp of an Org file whose header does not say `:repl-verified`, which says that
/// the definition was tried before it was written down.
pub(crate) fn unverified(path: &str, content: &str) -> Option<String> {
    if !path.to_ascii_lowercase().ends_with(".org") {
        return None;
    }
    let mut looking = false;
    for line in content.lines() {
        let lower = line.trim_start().to_ascii_lowercase();
        if let Some(rest) = lower.strip_prefix("#+begin_src") {
            let mut words = rest.split_whitespace();
            let is_lisp = matches!(
                words.next(),
                Some("lisp" | "common-lisp" | "scheme" | "emacs-lisp" | "elisp")
            );
            looking = is_lisp && !words.any(|word| word == ":repl-verified");
        } else if lower.starts_with("#+end_src") {
            looking = false;
        } else if looking && DEFINITIONS.iter().any(|own| lower.starts_with(own)) {
            return Some(line.trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn lisp_that_reads_has_no_fault() {
        for text in [
            "(defun f (x)\n  \"a ) string \\\" (\"\n  (+ x 1)) ; comment (\n",
            "(list #\\( #\\) #\\;) #| ( #| nested |# |# (|odd ( name| 1)",
            "#P\"x\" '(a . b)",
            "",
        ] {
            assert_eq!(fault("x.lisp", text), None, "{text}");
        }
        for text in [
            "(list ?( ?\\) ?\\C-( ?a ?\\\\)",
            "[1 2 (3)]",
            "(featurep 'x) ; [",
            "(if (eolp-p?) 1)",
        ] {
            assert_eq!(fault("init.el", text), None, "{text}");
        }
    }

    #[test]
    fn what_does_not_read_is_named_with_its_line() {
        let missing = fault("x.lisp", "(a)\n(b\n (c)\n").unwrap();
        assert!(missing.what.contains("line 2"), "{missing:?}");
        assert_eq!(missing.line, "(b");
        assert!(fault("x.lisp", "(a))").unwrap().what.contains("closes nothing"));
        assert!(fault("x.LISP", "(a \"b)").unwrap().what.contains("string"));
        assert!(fault("x.lisp", "#| a").unwrap().what.contains("comment"));
        assert!(fault("x.el", "(a]").unwrap().what.contains("due"));
        assert_eq!(fault("x.txt", "(a"), None);
    }

    #[test]
    fn org_files_are_read_in_their_lisp_blocks_only() {
        let org = "* (unclosed heading\n#+begin_src lisp\n(a\n#+end_src\n";
        let fault_of_it = fault("x.org", org).unwrap();
        assert!(
            fault_of_it.what.contains("line 3") && fault_of_it.line == "(a",
            "{fault_of_it:?}"
        );
        assert_eq!(fault("x.org", "#+begin_src python\nprint(\n#+end_src\n( text"), None);
        assert!(
            fault("x.org", "#+BEGIN_SRC elisp\n(a)\n")
                .unwrap()
                .what
                .contains("end_src")
        );
    }

    #[test]
    fn a_definition_in_org_that_was_not_tried_is_told() {
        let org = |header: &str, code: &str| format!("* A\n#+begin_src {header}\n{code}\n#+end_src\n(defun x ())\n");
        assert_eq!(
            unverified("x.org", &org("lisp :tangle y.lisp", "(defun f () 1)")).as_deref(),
            Some("(defun f () 1)")
        );
        assert!(unverified("X.ORG", &org("elisp", "  (DEFVAR *a* 1)")).is_some());
        assert_eq!(
            unverified("x.org", &org("lisp :repl-verified t", "(defun f () 1)")),
            None
        );
        assert_eq!(unverified("x.org", &org("lisp", "(f 1)")), None);
        assert_eq!(unverified("x.org", &org("python", "(defun f () 1)")), None);
        assert_eq!(unverified("x.lisp", "(defun f () 1)"), None);
    }
}
