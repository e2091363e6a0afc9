//! The words and string literals of program texts, as far as they are the same in all languages.

/// The languages, as far as they differ here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tongue {
    /// Backticks are no quotes: Python, Lua, Java.
    Plain,
    /// Nothing is called without brackets, and what is behind a bar is run.
    Awk,
    /// Backticks quote a text.
    Script,
    /// Backticks run what is in them, and calls need no brackets: Perl, Ruby, the editors.
    Loose,
    /// The same, with brackets.
    Php,
    /// The name of a function stands in the brackets.
    Lisp,
    /// Calls need no brackets.
    Bare,
}

impl Tongue {
    pub(super) fn of(name: &str) -> Tongue {
        match super::codes::stem(name) {
            "awk" | "gawk" | "mawk" | "nawk" => Tongue::Awk,
            "python" | "lua" | "java" => Tongue::Plain,
            "node" | "bun" | "deno" => Tongue::Script,
            "php" => Tongue::Php,
            "emacs" => Tongue::Lisp,
            "osascript" | "tclsh" | "gdb" | "ed" => Tongue::Bare,
            _ => Tongue::Loose,
        }
    }

    pub(super) fn is_bare(self) -> bool {
        matches!(self, Tongue::Loose | Tongue::Bare)
    }

    fn quotes(self) -> &'static str {
        match self {
            Tongue::Lisp => "\"",
            Tongue::Plain | Tongue::Awk | Tongue::Bare => "\"'",
            Tongue::Script | Tongue::Loose | Tongue::Php => "\"'`",
        }
    }
}

/// A part of a program text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a number.
    Word(String),
    /// A string literal.
    Text {
        /// What it says.
        text: String,
        /// Whether something is filled in.
        open: bool,
        /// Whether it is run by being there.
        runs: bool,
    },
    /// Anything else.
    Sign(char),
}

/// Reads a program text.
pub(super) fn tokens(code: &str, tongue: Tongue) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut chars = code.chars().peekable();
    let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '-' && tongue == Tongue::Lisp;
    while let Some(char) = chars.next() {
        if is_word(char) {
            let mut word = String::from(char);
            while let Some(more) = chars.next_if(|char| is_word(*char)) {
                word.push(more);
            }
            // `f"…"`: its kind stands before the quote.
            let kind = matches!(
                word.to_ascii_lowercase().as_str(),
                "b" | "br" | "f" | "fr" | "r" | "rb" | "rf" | "u"
            );
            let quote = chars
                .peek()
                .copied()
                .filter(|quote| tongue == Tongue::Plain && tongue.quotes().contains(*quote));
            match quote.filter(|_| kind) {
                Some(quote) => {
                    chars.next();
                    let text = literal(&mut chars, quote);
                    let open = word.contains(['f', 'F']) && text.contains('{');
                    found.push(Token::Text {
                        text,
                        open,
                        runs: false,
                    });
                }
                None => found.push(Token::Word(word)),
            }
        } else if tongue.quotes().contains(char) {
            let text = literal(&mut chars, char);
            let open = match tongue {
                Tongue::Script => char == '`' && text.contains("${"),
                Tongue::Loose | Tongue::Php => char != '\'' && (text.contains(['$', '@']) || text.contains("#{")),
                _ => false,
            };
            let tagged = found.last() == Some(&Token::Sign('$'));
            let runs = char == '`' && (tongue != Tongue::Script || tagged);
            found.push(Token::Text { text, open, runs });
        } else if char == '\n' || !char.is_whitespace() {
            found.push(Token::Sign(char));
        }
    }
    found
}

/// What stands up to the quote that closes.
fn literal(chars: &mut impl Iterator<Item = char>, quote: char) -> String {
    let mut text = String::new();
    while let Some(char) = chars.next().filter(|char| *char != quote) {
        match char {
            '\\' => text.extend(chars.next().map(|char| if char == 'n' { '\n' } else { char })),
            _ => text.push(char),
        }
    }
    text
}
