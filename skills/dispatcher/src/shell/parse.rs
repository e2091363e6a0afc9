//! A careful reader of command lines: it finds every simple command in a script, wherever it stands in lists,
//! pipelines, groups, loops and functions, and hands out the scripts of substitutions to be read as well. It judges
//! nothing, never recurses, and says when it is not sure.
//!
//! The structure is flattened: a rule asks what may run, not in which order.

use super::scan::{self, Open};
use super::word::{Glyph, Word};

/// A simple command, or the redirections of a compound one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// `NAME=value` before the words: the name, whether it appends, the value.
    pub(crate) assignments: Vec<(String, bool, Word)>,
    /// The program and its arguments.
    pub(crate) words: Vec<Word>,
    /// Where its input and output go.
    pub(crate) redirects: Vec<Redirect>,
    /// What stood in its here-documents and here-strings.
    pub(crate) input: Vec<Word>,
    /// Whether the command before it writes into it.
    pub(crate) reads_pipe: bool,
    /// Whether it writes into the command after it.
    pub(crate) writes_pipe: bool,
    /// The functions in whose bodies it stands.
    pub(crate) inside: Vec<String>,
}

/// A redirection to or from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// Whether the file is written.
    pub(crate) writes: bool,
    /// The file.
    pub(crate) target: Word,
}

/// Why a reading is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// A quote, bracket or here-document does not end.
    Unfinished,
    /// `${x@P}`, `${!x}`: a value that is expanded again.
    Indirect,
}

/// What was found in one script.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// Every simple command, in order.
    pub(crate) commands: Vec<Command>,
    /// Scripts of substitutions, to be read as well.
    pub(crate) nested: Vec<String>,
    /// What was not certain.
    pub(crate) doubts: Vec<Doubt>,
}

/// Words after which a command begins.
const RESERVED: &[&str] = &["!", "{", "}", "coproc", "do", "done", "elif", "else", "esac", "fi", "if", "then", "time", "until", "while"];

/// Reads one script.
pub(crate) fn parse(script: &str) -> Script {
    let text: Vec<char> = script.chars().collect();
    let mut reader = Reader { text, ..Reader::default() };
    reader.read();
    reader.out
}

#[derive(Default)]
struct Reader {
    text: Vec<char>,
    at: usize,
    out: Script,
    command: Command,
    /// Here-documents whose bodies begin on the next line: delimiter, whether it was quoted, whether tabs go.
    documents: Vec<(String, bool, bool)>,
    /// Open `{` and `(`, and the function whose body each is.
    groups: Vec<Option<String>>,
    /// A function's name, until its body opens.
    function: Option<String>,
    /// Inside `[[ … ]]`.
    in_test: bool,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn doubt(&mut self, doubt: Doubt) {
        if !self.out.doubts.contains(&doubt) {
            self.out.doubts.push(doubt);
        }
    }

    fn at_start(&self) -> bool {
        self.command.words.is_empty() && self.command.assignments.is_empty()
    }

    fn read(&mut self) {
        while let Some(char) = self.peek(0) {
            match char {
                ' ' | '\t' => self.at += 1,
                '\\' if self.peek(1) == Some('\n') => self.at += 2,
                '\n' if self.in_test => self.at += 1,
                '\n' => {
                    self.at += 1;
                    self.end(false);
                    self.read_documents();
                }
                '#' => self.at = scan::find(&self.text, self.at, '\n').unwrap_or(self.text.len()),
                '<' | '>' if self.peek(1) == Some('(') => self.read_word(),
                '&' | '|' | '(' | ')' | '<' | '>' | ';' if self.in_test => {
                    self.at += 1;
                    self.command.words.push(Word { glyphs: vec![Glyph::Bare(char)], quoted: false });
                }
                ';' => {
                    self.at += 1;
                    self.end(false);
                }
                '&' if self.peek(1) == Some('>') => {
                    self.at += 1;
                    self.read_redirect();
                }
                '&' | '|' => self.read_connection(char),
                '(' => self.read_open(),
                ')' => {
                    self.at += 1;
                    self.end(false);
                    self.groups.pop();
                }
                '<' | '>' => self.read_redirect(),
                _ => self.read_word(),
            }
        }
        if !self.documents.is_empty() || self.in_test {
            self.doubt(Doubt::Unfinished);
        }
        self.end(false);
    }

    /// `&`, `&&`, `|`, `||`, `|&`.
    fn read_connection(&mut self, char: char) {
        let next = self.peek(1);
        let pipe = char == '|' && next != Some('|');
        self.at += if next == Some(char) || (pipe && next == Some('&')) { 2 } else { 1 };
        self.end(pipe);
    }

    /// `(`: arithmetic, a function's brackets, or a group.
    fn read_open(&mut self) {
        if self.at_start() && self.peek(1) == Some('(') {
            let end = scan::close(&self.text, self.at + 1, Open::Paren);
            let inner = scan::close(&self.text, self.at + 2, Open::Paren);
            if let (Some(end), Some(inner)) = (end, inner)
                && end == inner + 1
            {
                let arithmetic = self.text[self.at + 2..inner].to_vec();
                self.harvest(&arithmetic);
                self.at = end + 1;
                return;
            }
        }
        let name = match self.command.words.as_slice() {
            [only] if self.command.assignments.is_empty() => Some(only.literal()),
            _ => None,
        };
        if let Some(name) = name {
            let mut ahead = 1;
            while matches!(self.peek(ahead), Some(' ' | '\t')) {
                ahead += 1;
            }
            if self.peek(ahead) == Some(')') {
                self.at += ahead + 1;
                self.command = Command::default();
                self.function = Some(name);
                return;
            }
        }
        self.at += 1;
        self.end(false);
        let function = self.function.take();
        self.groups.push(function);
    }

    /// Ends the command that was being read.
    fn end(&mut self, pipe: bool) {
        self.in_test = false;
        let mut command = std::mem::take(&mut self.command);
        let empty = command.words.is_empty() && command.assignments.is_empty() && command.redirects.is_empty();
        // A pipe after a group comes from the last command in it.
        if empty && pipe {
            if let Some(last) = self.out.commands.last_mut() {
                last.writes_pipe = true;
            }
        } else if !empty {
            command.writes_pipe = pipe;
            command.inside = self.groups.iter().flatten().cloned().collect();
            self.out.commands.push(command);
        }
        self.command.reads_pipe = pipe;
    }

    /// `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`, `<<-`, `<<<` and what follows.
    fn read_redirect(&mut self) {
        // The number before it was read as a word; bash takes it for the descriptor.
        if self.at > 0
            && self.text[self.at - 1].is_ascii_digit()
            && self.command.words.last().and_then(Word::bare).is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()))
        {
            self.command.words.pop();
        }
        let mut operator = String::new();
        while let Some(char) = self.peek(0)
            && matches!(char, '<' | '>' | '|' | '&')
            && operator.len() < 3
            && is_operator(&operator, char)
        {
            operator.push(char);
            self.at += 1;
        }
        if operator == "<<" && self.peek(0) == Some('-') {
            operator.push('-');
            self.at += 1;
        }
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let Some(target) = self.word() else {
            return self.doubt(Doubt::Unfinished);
        };
        match operator.as_str() {
            "<<" | "<<-" => self.documents.push((target.literal(), target.quoted, operator.len() == 3)),
            "<<<" => self.command.input.push(target),
            // `>&2` and `2>&-` name a descriptor and no file.
            ">&" | "<&" if target.literal().chars().all(|char| char.is_ascii_digit() || char == '-') => {}
            _ => {
                let writes = operator.contains('>');
                self.command.redirects.push(Redirect { writes, target });
            }
        }
    }

    /// The bodies of the here-documents that the line before announced.
    fn read_documents(&mut self) {
        for (delimiter, quoted, tabs) in std::mem::take(&mut self.documents) {
            let start = self.at;
            let mut end = None;
            while self.at < self.text.len() {
                let line_end = scan::find(&self.text, self.at, '\n').unwrap_or(self.text.len());
                let line: String = self.text[self.at..line_end].iter().collect();
                let line_start = self.at;
                self.at = (line_end + 1).min(self.text.len());
                if (if tabs { line.trim_start_matches('\t') } else { &line }) == delimiter {
                    end = Some(line_start);
                    break;
                }
            }
            let body = self.text[start..end.unwrap_or(self.text.len())].to_vec();
            if end.is_none() {
                // Bash would take the rest for the document. It is judged as commands too, to be safe.
                self.doubt(Doubt::Unfinished);
                self.out.nested.push(body.iter().collect());
            }
            if !quoted {
                self.harvest(&body);
            }
            if let Some(command) = self.out.commands.last_mut() {
                command.input.push(Word { glyphs: body.into_iter().map(Glyph::Quoted).collect(), quoted: true });
            }
        }
    }

    fn harvest(&mut self, text: &[char]) {
        if !scan::substitutions(text, &mut self.out.nested) {
            self.doubt(Doubt::Unfinished);
        }
    }

    /// A word, and what it means where it stands.
    fn read_word(&mut self) {
        let Some(word) = self.word() else {
            // Nothing that a word could begin with: step over it, so that reading always ends.
            self.at += 1;
            return self.doubt(Doubt::Unfinished);
        };
        let bare = word.bare();
        if self.in_test {
            self.in_test = bare.as_deref() != Some("]]");
        } else if self.at_start() {
            match bare.as_deref() {
                Some("function") => {
                    while matches!(self.peek(0), Some(' ' | '\t')) {
                        self.at += 1;
                    }
                    self.function = self.word().map(|name| name.literal());
                    if self.peek(0) == Some('(') && self.peek(1) == Some(')') {
                        self.at += 2;
                    }
                    return;
                }
                Some(reserved) if RESERVED.contains(&reserved) => {
                    match reserved {
                        "{" => {
                            let function = self.function.take();
                            self.groups.push(function);
                        }
                        "}" => {
                            self.groups.pop();
                        }
                        _ => {}
                    }
                    return;
                }
                Some("[[") => self.in_test = true,
                _ => {}
            }
        }
        if self.command.words.is_empty()
            && let Some((name, append, mut value)) = word.assignment()
        {
            if value.glyphs.is_empty() && self.peek(0) == Some('(') {
                value = self.array();
            }
            self.command.assignments.push((name, append, value));
            return;
        }
        self.command.words.push(word);
    }

    /// The elements of `(a b c)`, with blanks between them.
    fn array(&mut self) -> Word {
        let mut all = Word::default();
        self.at += 1;
        loop {
            match self.peek(0) {
                None => {
                    self.doubt(Doubt::Unfinished);
                    return all;
                }
                Some(')') => {
                    self.at += 1;
                    return all;
                }
                Some(' ' | '\t' | '\n') => self.at += 1,
                Some('#') => self.at = scan::find(&self.text, self.at, '\n').unwrap_or(self.text.len()),
                Some(_) => match self.word() {
                    Some(word) => {
                        all.glyphs.push(Glyph::Bare(' '));
                        all.glyphs.extend(word.glyphs);
                    }
                    None => self.at += 1,
                },
            }
        }
    }

    /// One word. `None` where none begins here.
    fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        let start = self.at;
        while let Some(char) = self.peek(0) {
            match char {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' => break,
                '(' => break,
                '<' | '>' if self.peek(1) == Some('(') => {
                    self.at += 2;
                    self.nested(Open::Paren);
                    word.glyphs.push(Glyph::Hole { expression: String::new(), quoted: true });
                }
                '<' | '>' => break,
                '\\' => {
                    match self.peek(1) {
                        Some('\n') => {}
                        Some(next) => {
                            word.glyphs.push(Glyph::Quoted(next));
                            word.quoted = true;
                        }
                        None => word.glyphs.push(Glyph::Quoted('\\')),
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                '\'' => {
                    word.quoted = true;
                    self.at += 1;
                    let end = scan::find(&self.text, self.at, '\'');
                    if end.is_none() {
                        self.doubt(Doubt::Unfinished);
                    }
                    let end = end.unwrap_or(self.text.len());
                    word.glyphs.extend(self.text[self.at..end].iter().copied().map(Glyph::Quoted));
                    self.at = (end + 1).min(self.text.len());
                }
                '"' => {
                    self.at += 1;
                    self.double(&mut word);
                }
                '$' => self.dollar(&mut word, false),
                '`' => {
                    self.at += 1;
                    self.nested(Open::Backtick);
                    word.glyphs.push(Glyph::Hole { expression: String::new(), quoted: false });
                }
                _ => {
                    word.glyphs.push(Glyph::Bare(char));
                    self.at += 1;
                }
            }
        }
        (self.at > start).then_some(word)
    }

    /// What stands between double quotes, from just after the first.
    fn double(&mut self, word: &mut Word) {
        word.quoted = true;
        loop {
            let Some(char) = self.peek(0) else {
                return self.doubt(Doubt::Unfinished);
            };
            match char {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    match self.peek(1) {
                        Some('\n') => {}
                        Some(next @ ('$' | '`' | '"' | '\\')) => word.glyphs.push(Glyph::Quoted(next)),
                        Some(next) => word.glyphs.extend([Glyph::Quoted('\\'), Glyph::Quoted(next)]),
                        None => {}
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                '$' => self.dollar(word, true),
                '`' => {
                    self.at += 1;
                    self.nested(Open::Backtick);
                    word.glyphs.push(Glyph::Hole { expression: String::new(), quoted: true });
                }
                _ => {
                    word.glyphs.push(Glyph::Quoted(char));
                    self.at += 1;
                }
            }
        }
    }

    /// `$` and what it begins.
    fn dollar(&mut self, word: &mut Word, quoted: bool) {
        let hole = |expression: String| Glyph::Hole { expression, quoted };
        self.at += 1;
        match self.peek(0) {
            Some('\'') if !quoted => {
                word.quoted = true;
                match scan::ansi_c(&self.text, self.at + 1) {
                    Some((chars, end)) => {
                        word.glyphs.extend(chars.into_iter().map(Glyph::Quoted));
                        self.at = end;
                    }
                    None => {
                        self.doubt(Doubt::Unfinished);
                        self.at = self.text.len();
                    }
                }
            }
            Some('"') if !quoted => {
                self.at += 1;
                self.double(word);
            }
            Some('(') => {
                self.at += 1;
                self.nested(Open::Paren);
                word.glyphs.push(hole(String::new()));
            }
            Some('{') => {
                self.at += 1;
                let end = scan::close(&self.text, self.at, Open::Brace);
                if end.is_none() {
                    self.doubt(Doubt::Unfinished);
                }
                let end = end.unwrap_or(self.text.len());
                let inner = self.text[self.at..end].to_vec();
                self.at = (end + 1).min(self.text.len());
                self.harvest(&inner);
                let expression: String = inner.into_iter().collect();
                if expression.ends_with("@P") || (expression.starts_with('!') && expression.len() > 1) {
                    self.doubt(Doubt::Indirect);
                }
                let dynamic = expression.is_empty() || expression.contains(['$', '`']);
                word.glyphs.push(hole(if dynamic { String::new() } else { expression }));
            }
            Some('[') => {
                let end = scan::find(&self.text, self.at, ']').map_or(self.text.len(), |end| end + 1);
                let inner = self.text[self.at..end].to_vec();
                self.at = end;
                self.harvest(&inner);
                word.glyphs.push(hole(String::new()));
            }
            Some(char) if char.is_ascii_alphabetic() || char == '_' => {
                let mut name = String::new();
                while let Some(char) = self.peek(0).filter(|char| char.is_ascii_alphanumeric() || *char == '_') {
                    name.push(char);
                    self.at += 1;
                }
                word.glyphs.push(hole(name));
            }
            Some(char) if char.is_ascii_digit() || matches!(char, '@' | '*' | '#' | '?' | '$' | '!' | '-') => {
                self.at += 1;
                word.glyphs.push(hole(char.to_string()));
            }
            _ => word.glyphs.push(if quoted { Glyph::Quoted('$') } else { Glyph::Bare('$') }),
        }
    }

    /// The script of a substitution, from just after its bracket, is handed out, and stepped over.
    fn nested(&mut self, open: Open) {
        let end = scan::close(&self.text, self.at, open);
        if end.is_none() {
            self.doubt(Doubt::Unfinished);
        }
        let end = end.unwrap_or(self.text.len());
        let inner = &self.text[self.at..end];
        let arithmetic = inner.first() == Some(&'(')
            && scan::close(inner, 1, Open::Paren).is_some_and(|close| close + 1 == inner.len());
        if arithmetic {
            let inner = inner.to_vec();
            self.harvest(&inner);
        } else {
            self.out.nested.push(scan::script(inner, open));
        }
        self.at = (end + 1).min(self.text.len());
    }
}

/// Whether `next` goes on the redirection operator `so_far`.
fn is_operator(so_far: &str, next: char) -> bool {
    matches!(
        (so_far, next),
        ("", '<' | '>') | ("<", '<' | '>' | '&') | (">", '>' | '|' | '&') | ("<<", '<')
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn lines(script: &str) -> Vec<String> {
        parse(script)
            .commands
            .iter()
            .map(|command| command.words.iter().map(Word::literal).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn every_separator_separates() {
        assert_eq!(lines("a 1; b 2 && c || d | e |& f & g\nh"), ["a 1", "b 2", "c", "d", "e", "f", "g", "h"]);
        assert_eq!(lines("(a; b) ; { c; }"), ["a", "b", "c"]);
        assert_eq!(lines("if a; then b; else c; fi; while d; do e; done; ! f"), ["a", "b", "c", "d", "e", "f"]);
    }

    #[test]
    fn quotes_hide_separators_and_escapes_quote() {
        assert_eq!(lines("a 'x; y' \"z && w\" \\; b"), ["a x; y z && w ; b"]);
        assert_eq!(lines("r''m -rf /"), ["rm -rf /"]);
        assert_eq!(lines("r\\\nm -rf /"), ["rm -rf /"]);
        assert_eq!(lines("$'\\x72\\x6d' x"), ["rm x"]);
    }

    #[test]
    fn comments_begin_only_where_a_word_begins() {
        assert_eq!(lines("ls x#; rm -rf src # rm y\nc"), ["ls x#", "rm -rf src", "c"]);
    }

    #[test]
    fn scripts_in_substitutions_are_handed_out() {
        let script = parse("a \"$(b 'c')\" `d` <(e) ${x:-$(f)} $((1 + $(g)))");
        assert_eq!(script.nested, ["b 'c'", "d", "e", "f", "g"]);
        assert!(script.doubts.is_empty());
    }

    #[test]
    fn redirections_are_no_arguments() {
        let script = parse("a 2>&1 >| out < in &> both x");
        assert_eq!(lines("a 2>&1 >| out < in &> both x"), ["a x"]);
        let targets: Vec<_> =
            script.commands[0].redirects.iter().map(|redirect| (redirect.writes, redirect.target.literal())).collect();
        assert_eq!(targets, [(true, "out".to_owned()), (false, "in".to_owned()), (true, "both".to_owned())]);
    }

    #[test]
    fn documents_are_input_and_their_substitutions_scripts() {
        let script = parse("sh <<EOF | b\nrm $(c)\nEOF\nd");
        assert_eq!(script.nested, ["c"]);
        assert_eq!(lines("cat <<'EOF'\n$(no)\nEOF\nd"), ["cat", "d"]);
        assert!(parse("cat <<'EOF'\n$(no)\nEOF\nd").nested.is_empty());
        assert_eq!(parse("cat <<EOF\nrm -rf /").doubts, [Doubt::Unfinished]);
        assert_eq!(lines("((x<<2))\nrm y"), ["rm y"]);
    }

    #[test]
    fn functions_are_followed_into_their_bodies() {
        let script = parse(":(){ :|:& };:");
        assert_eq!(lines(":(){ :|:& };:"), [":", ":", ":"]);
        assert_eq!(script.commands[0].inside, [":"]);
        assert!(script.commands[0].writes_pipe && script.commands[1].reads_pipe);
        assert!(script.commands[2].inside.is_empty());
    }

    #[test]
    fn what_does_not_end_is_a_doubt() {
        for open in ["a 'b", "a \"b", "a $(b", "a `b", "a ${b", "[[ a", "x=(a"] {
            assert_eq!(parse(open).doubts, [Doubt::Unfinished], "{open}");
        }
    }
}
