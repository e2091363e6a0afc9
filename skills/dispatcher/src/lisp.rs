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

/// What is wrong with `content`, were it written to the file `path`. `None` if it would read, or is no Lisp.
pub(crate) fn fault(path: &str, content: &str) -> Option<String> {
    let name = path.to_ascii_lowercase();
    if name.ends_with(".el") {
        unbalanced(content, Dialect::Emacs, 1)
    } else if [".lisp", ".lsp", ".cl", ".asd"]
        .iter()
        .any(|ending| name.ends_with(ending))
    {
        unbalanced(content, Dialect::Common, 1)
    } else if name.ends_with(".org") {
        in_blocks(content)
    } else {
        None
    }
}

/// The first fault in the source blocks of an Org file.
fn in_blocks(content: &str) -> Option<String> {
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
        Some((Some(_), start, _)) => Some(format!(
            "the source block that begins on line {} has no #+end_src",
            start - 1
        )),
        _ => None,
    }
}

/// The first thing in `text` that does not close or was never opened. `first` is the number of its first line.
fn unbalanced(text: &str, dialect: Dialect, first: usize) -> Option<String> {
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
                    return Some(format!("the {what} that begins on line {start} does not end"));
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
                        (None, _) => return Some(format!("the comment that begins on line {start} does not end")),
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
                    return Some(format!(
                        "`{char}` on line {line} where `{wanted}` is due for line {start}"
                    ));
                }
                None => return Some(format!("`{char}` on line {line} closes nothing")),
            },
            _ => {}
        }
        at += 1;
    }
    open.last()
        .map(|(wanted, start)| format!("what opens on line {start} lacks its `{wanted}`"))
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
        assert!(missing.contains("line 2"), "{missing}");
        assert!(fault("x.lisp", "(a))").unwrap().contains("closes nothing"));
        assert!(fault("x.LISP", "(a \"b)").unwrap().contains("string"));
        assert!(fault("x.lisp", "#| a").unwrap().contains("comment"));
        assert!(fault("x.el", "(a]").unwrap().contains("due"));
        assert_eq!(fault("x.txt", "(a"), None);
    }

    #[test]
    fn org_files_are_read_in_their_lisp_blocks_only() {
        let org = "* (unclosed heading\n#+begin_src lisp\n(a\n#+end_src\n";
        assert!(fault("x.org", org).unwrap().contains("line 3"));
        assert_eq!(fault("x.org", "#+begin_src python\nprint(\n#+end_src\n( text"), None);
        assert!(fault("x.org", "#+BEGIN_SRC elisp\n(a)\n").unwrap().contains("end_src"));
    }
}
