//! What a program text runs or takes away, as shell. Only the literals in a call that runs or removes something count, and
//! where a call takes what is not a literal, or something that runs is named and not called, all but those that are printed.

mod codes;
mod lexer;
mod names;

use super::programs::{self, Does};
pub(super) use codes::{codes, reads_input};
use lexer::{Token, Tongue};
use names::{CONSTANTS, Deed, MODULES, PURE, SAYING, deed};

/// A longer text is not read in detail.
const MOST_TOKENS: usize = 4_096;
/// The most calls, and lists in one of them, that are looked at by themselves.
const MOST_CALLS: usize = 64;
const MOST_LISTS: usize = 16;

/// What the text of the interpreter `name` runs, each as a script.
pub(super) fn literals(name: &str, code: &str) -> Vec<String> {
    let tongue = Tongue::of(name);
    let mut reader = Reader {
        tongue,
        tokens: lexer::tokens(code, tongue),
        found: Vec::new(),
        closes: Vec::new(),
        opens: Vec::new(),
        begins: Vec::new(),
        calls: 0,
        all_run: false,
        all_removed: false,
    };
    reader.pair();
    reader.read();
    reader.found
}

struct Reader {
    tongue: Tongue,
    tokens: Vec<Token>,
    found: Vec<String>,
    /// Where what opens at a token closes.
    closes: Vec<usize>,
    /// The innermost that is open at a token.
    opens: Vec<Option<usize>>,
    /// Where the statement of a token begins.
    begins: Vec<usize>,
    /// How many calls were looked at.
    calls: usize,
    /// Whether any literal may be run, or removed.
    all_run: bool,
    all_removed: bool,
}

fn quoted(texts: &[&str]) -> String {
    let quote = |text: &&str| format!("'{}'", text.replace('\'', "'\\''"));
    texts.iter().map(quote).collect::<Vec<_>>().join(" ")
}

impl Reader {
    fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn text(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Text { text, .. }) => Some(text),
            _ => None,
        }
    }

    fn is(&self, at: usize, signs: &str) -> bool {
        matches!(self.tokens.get(at), Some(Token::Sign(sign)) if signs.contains(*sign))
    }

    /// Finds where each bracket closes.
    fn pair(&mut self) {
        self.closes = vec![self.tokens.len(); self.tokens.len()];
        let mut open: Vec<usize> = Vec::new();
        let mut begin = 0;
        for at in 0..self.tokens.len() {
            self.begins.push(begin);
            if self.is(at, ";\n{}") {
                begin = at + 1;
            }
            if self.is(at, ")]}")
                && let Some(start) = open.pop()
            {
                self.closes[start] = at;
            }
            self.opens.push(open.last().copied());
            if self.is(at, "([{") {
                open.push(at);
            }
        }
    }

    fn read(&mut self) {
        if self.tokens.len() > MOST_TOKENS {
            let deeds = (0..self.tokens.len())
                .filter_map(|at| self.word(at).or(self.text(at)))
                .filter_map(deed);
            self.all_run = deeds.count() > 0
                || self
                    .tokens
                    .iter()
                    .any(|token| matches!(token, Token::Text { runs: true, .. }));
            self.all_removed = self.all_run;
            return self.take_all();
        }
        for at in 0..self.tokens.len() {
            match self.tokens[at].clone() {
                Token::Text { runs: true, open, text } => {
                    self.all_run |= open;
                    self.found.push(text);
                }
                Token::Text { text, .. } if self.tongue == Tongue::Awk => {
                    let fed =
                        at > 0 && (self.is(at - 1, "|") || at > 1 && self.is(at - 1, "&") && self.is(at - 2, "|"));
                    let feeds = self.is(at + 1, "|") && (1..4).any(|more| self.word(at + more) == Some("getline"));
                    if fed || feeds {
                        self.found.push(text);
                    }
                }
                // `getattr(os, 'system')`: a name in a text.
                Token::Text { text, .. } => {
                    let is_name = text
                        .chars()
                        .all(|char| char.is_ascii_alphanumeric() || "_.:".contains(char));
                    if is_name && !self.is_said(at) {
                        match deed(&text) {
                            Some(Deed::Runs) => self.all_run = true,
                            Some(Deed::Removes) => self.all_removed = true,
                            None => {}
                        }
                    }
                }
                Token::Word(word) if self.tongue == Tongue::Awk && word == "getline" => {
                    let before = (at.saturating_sub(3)..at).rev().find(|before| !self.is(*before, "|&"));
                    self.all_run |=
                        at > 0 && self.is(at - 1, "|&") && before.is_none_or(|at| self.text(at).is_none());
                }
                Token::Word(word) => {
                    if let Some(deed) = deed(&word) {
                        self.mention(at, deed);
                    }
                }
                Token::Sign(_) => {}
            }
        }
        self.take_all();
    }

    /// A name of what runs or removes: a call of it, or something that can become one.
    fn mention(&mut self, at: usize, deed: Deed) {
        let mut next = at + 1;
        while self.is(next, ".:->?") {
            next += 1;
        }
        while next > at + 1 && self.word(next).is_some() {
            next += 1;
            let before = next;
            while self.is(next, ".:->?") {
                next += 1;
            }
            if next == before {
                break;
            }
        }
        let is_constant = |word: &str| word.chars().all(|char| char.is_ascii_uppercase());
        if self.tongue == Tongue::Lisp {
            let close = self.opens[at].map_or(self.tokens.len(), |open| self.closes[open]);
            self.call(at + 1, close, deed);
        } else if self.is(next, "(") {
            let mut close = self.closes[next];
            self.call(next + 1, close, deed);
            // `popen('sh', 'w').write('…')`
            while self.is(close + 1, ".:->") {
                let mut chained = close + 1;
                while self.is(chained, ".:->") || self.word(chained).is_some() {
                    chained += 1;
                }
                if !self.is(chained, "(") {
                    break;
                }
                close = self.closes[chained];
                let texts = (chained..close).filter_map(|at| self.text(at));
                let texts: Vec<String> = texts.map(str::to_owned).collect();
                self.found.extend(texts);
            }
        } else if let Some(text) = self
            .text(next)
            .filter(|_| next == at + 1 && self.tongue == Tongue::Script)
        {
            self.found.push(text.to_owned());
        } else if next > at + 1 && self.word(next - 1).is_some_and(is_constant) {
            // `subprocess.PIPE`
        } else if self.is(next, "=:") && !self.is(next + 1, "=") || self.tongue == Tongue::Awk || self.is_imported(at)
        {
            // A name of its own.
        } else if self.tongue.is_bare() {
            let ends =
                |end: &usize| self.is(*end, ";\n}") || self.is(*end, ")") && self.opens[*end] == self.opens[at];
            let end = (next..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
            self.call(next, end, deed);
        } else {
            match deed {
                Deed::Runs => self.all_run = true,
                Deed::Removes => self.all_removed = true,
            }
        }
    }

    /// Whether a name only comes to be known here, as what it is: `import subprocess`, `const {exec} = …`.
    fn is_imported(&self, at: usize) -> bool {
        let start = self.begins[at];
        let end = (at..self.tokens.len())
            .find(|at| self.is(*at, ";\n"))
            .unwrap_or(self.tokens.len());
        let imports = self.word(start) == Some("import") && !(start..end).any(|at| self.word(at) == Some("as"));
        let in_braces = self.opens[at].is_some_and(|open| self.is(open, "{"));
        imports || in_braces && at > 0 && self.is(at - 1, "{,") && self.is(at + 1, "},")
    }

    /// What a call takes, from `from` to `to`.
    fn call(&mut self, from: usize, to: usize, deed: Deed) {
        self.calls += 1;
        if self.calls > MOST_CALLS {
            (self.all_run, self.all_removed) = (true, true);
            return;
        }
        let texts: Vec<(usize, &str)> = (from..to)
            .filter_map(|at| self.text(at).map(|text| (at, text)))
            .collect();
        let all: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
        let shell = |text: &&str| {
            let program = text.split_whitespace().next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or_default();
            matches!(programs::lookup(program), Some(Does::Shell | Does::Interprets))
        };
        let whole = (from..to).all(|at| self.is_plain(at));
        if deed == Deed::Removes {
            let removed = all.iter().map(|text| format!("rm -r {text}"));
            self.found.extend(removed.collect::<Vec<_>>());
            self.all_removed |= !whole;
            return;
        }
        let mut found: Vec<String> = all.first().map(|text| (*text).to_owned()).into_iter().collect();
        // An argument with a name is not at its usual place.
        let named = texts
            .iter()
            .filter(|(at, _)| self.is(at - 1, "=:>"))
            .map(|(_, text)| (*text).to_owned());
        found.extend(named.collect::<Vec<_>>());
        if all.len() > 1 {
            found.push(quoted(&all));
            for open in (from..to).filter(|at| self.is(*at, "[")).take(MOST_LISTS) {
                let list: Vec<&str> = (open..self.closes[open]).filter_map(|at| self.text(at)).collect();
                found.push(quoted(&list));
            }
            if texts.iter().any(|(at, _)| *at > from && !self.is(at - 1, "([{,=:>")) {
                found.push(all.join(" "));
                found.push(all.concat());
            }
        }
        // What a shell is fed may stand anywhere.
        self.all_run |= !whole || all.iter().any(shell);
        self.found.extend(found);
    }

    /// Whether a token of a call is a literal, or nothing of which its value is made.
    fn is_plain(&self, at: usize) -> bool {
        let word = match &self.tokens[at] {
            Token::Sign(_) => return true,
            Token::Text { open, .. } => return !open,
            Token::Word(word) => word.as_str(),
        };
        let in_braces = self.opens[at].is_some_and(|open| self.is(open, "{"));
        let names = self.is(at + 1, if in_braces { "=:" } else { "=" }) && !self.is(at + 2, "=:") && word != "stdin";
        word.starts_with(|char: char| char.is_ascii_digit())
            || names
            || CONSTANTS.contains(&word)
            || self.is(at + 1, ".:") && MODULES.contains(&word)
            || self.is(at + 1, "(") && (PURE.contains(&word) || deed(word).is_some())
    }

    /// Whether a text is only printed, or compared.
    fn is_said(&self, at: usize) -> bool {
        let mut open = self.opens[at];
        while let Some(bracket) = open {
            let callee = bracket.checked_sub(1).and_then(|at| self.word(at));
            if let Some(callee) = callee.filter(|_| self.is(bracket, "(")) {
                let elsewhere = (bracket..self.closes[bracket]).any(|at| self.word(at) == Some("file"));
                return SAYING.contains(&callee) && !elsewhere;
            }
            open = self.opens[bracket];
        }
        let start = self.begins[at];
        let says = self.word(start).is_some_and(|word| SAYING.contains(&word)) && self.text(start + 1).is_some();
        says && !(start..at).any(|at| self.word(at).and_then(deed).is_some())
    }

    /// All literals, where any may be run or removed.
    fn take_all(&mut self) {
        if !self.all_run && !self.all_removed {
            return;
        }
        let texts = (0..self.tokens.len())
            .filter(|at| self.tokens.len() > MOST_TOKENS || !self.is_said(*at))
            .filter_map(|at| self.text(at));
        let texts: Vec<&str> = texts.collect();
        let mut found = Vec::new();
        if self.all_removed {
            found.extend(texts.iter().map(|text| format!("rm -r {text}")));
        }
        if self.all_run {
            found.extend(texts.iter().map(|text| (*text).to_owned()));
            found.push(texts.join(" "));
            found.push(quoted(&texts));
        }
        self.found.extend(found);
    }
}

#[cfg(test)]
mod tests;
