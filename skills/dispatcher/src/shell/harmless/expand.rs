//! What words come to: braces, quotes, tildes, variables, substitutions and arithmetic, in the order bash takes them.

use brush_parser::word::{
    self, BraceExpressionMember, BraceExpressionOrText, ParameterExpr, TildeExpr, WordPiece, WordPieceWithSource,
};

use super::filler::Filler;
use super::state::State;
use super::{Doubt, NAME, NUMBER, Proof, Prover, UNKNOWN, is_open};
use crate::shell::scan;

/// The most words that the braces of one may make.
const MOST_BRACES: usize = 64;
/// The most braces that one word may open.
const MOST_OPEN_BRACES: usize = 6;
/// The most that the expansions of one word may weigh. For each one between double quotes the parser reads what is
/// inside twice, and for each subscript some twenty times, all of them times one another.
const MOST_WEIGHT: usize = 12;
/// The longest text that one word may come to, in bytes.
pub(super) const LONGEST_WORD: usize = 64 << 10;

/// One argument, as a program gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Argument {
    /// Its text, with the characters that stand for what only running tells.
    pub(super) text: String,
    /// Whether it is a pattern of file names.
    pub(super) glob: bool,
    /// Whether it may be several arguments, or none, and nothing is known of them.
    pub(super) splits: bool,
    /// Whether it may be several names.
    pub(super) several: bool,
    /// Whether a blank in one of the names would make two of it, of which the second may look like an option.
    pub(super) parted: bool,
    /// Whether it names a pipe from or to a command beside it, which is followed for itself.
    pub(super) pipe: bool,
}

impl Argument {
    pub(super) fn plain(text: impl Into<String>) -> Argument {
        Argument {
            text: text.into(),
            ..Argument::default()
        }
    }

    /// Whether it may be more or less than one argument, or nothing is known of it.
    pub(super) fn moves_others(&self) -> bool {
        self.splits || self.several || self.glob || self.text.contains(UNKNOWN)
    }

    /// Whether it is one argument, of which the text is known.
    pub(super) fn is_known(&self) -> bool {
        !is_open(&self.text) && !self.glob && !self.splits
    }

    /// What a variable holds that takes it: of a pattern, a name that it may match.
    pub(super) fn value(self) -> String {
        if !self.glob {
            return if self.splits { UNKNOWN.to_string() } else { self.text };
        }
        let parts: Option<Vec<String>> = self
            .text
            .split('/')
            .map(|part| match part.find(['*', '?', '[', '(']) {
                None => Some(part.to_owned()),
                // What begins with a dot is hidden, and often for a reason.
                Some(_) if part.starts_with('.') || part.contains(UNKNOWN) => None,
                Some(_) => Some(NAME.to_string()),
            })
            .collect();
        parts.map_or_else(|| UNKNOWN.to_string(), |parts| parts.join("/"))
    }
}

impl Prover<'_> {
    /// The arguments that a word makes.
    pub(super) fn fields(&mut self, raw: &str, state: &mut State) -> Proof<Vec<Argument>> {
        if is_literal(raw) {
            return Ok(vec![Argument::plain(raw)]);
        }
        // A list without elements makes no argument.
        if raw == "\"$@\"" && state.arguments.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        // Bash writes a tilde out there as well.
        if (raw.contains("=~") || raw.contains(":~")) && !raw.contains(['\'', '"']) {
            return Err(Doubt::new("a tilde in it may lead elsewhere", raw));
        }
        if !raw.contains('{') || !(raw.contains(',') || raw.contains("..")) {
            let mut filler = Filler::default();
            self.write(raw, &mut filler, state)?;
            return Ok(filler.end());
        }
        let mut fields = Vec::new();
        for raw in self.braces(raw)? {
            let mut filler = Filler::default();
            self.write(&raw, &mut filler, state)?;
            fields.extend(filler.end());
        }
        Ok(fields)
    }

    /// The one text that a word makes where nothing is split.
    pub(super) fn text(&mut self, raw: &str, state: &mut State) -> Proof<Argument> {
        if is_literal(raw) {
            return Ok(Argument::plain(raw));
        }
        let mut filler = Filler::undivided();
        self.write(raw, &mut filler, state)?;
        let mut all = filler.end();
        Ok(all.pop().unwrap_or_default())
    }

    /// The text of a here-document.
    pub(super) fn document(&mut self, raw: &str, state: &mut State) -> Proof<String> {
        bounded(raw)?;
        let pieces = word::parse_heredoc(raw, &self.options)
            .map_err(|_| Doubt::new("a here-document in it can't be read", raw))?;
        let mut filler = Filler::undivided();
        self.fill(&pieces, true, &mut filler, state)?;
        Ok(filler.end().pop().unwrap_or_default().text)
    }

    /// Writes a word into `filler`.
    fn write(&mut self, raw: &str, filler: &mut Filler, state: &mut State) -> Proof<()> {
        if super::plain::is_word(raw) && self.fill_plain(raw, filler, state)? {
            return Ok(());
        }
        self.write_parsed(raw, filler, state)
    }

    /// The same through the parser.
    pub(super) fn write_parsed(&mut self, raw: &str, filler: &mut Filler, state: &mut State) -> Proof<()> {
        bounded(raw)?;
        let pieces = word::parse(raw, &self.options).map_err(|_| Doubt::new("a word in it can't be read", raw))?;
        self.fill(&pieces, false, filler, state)
    }

    /// A word with its braces written out.
    fn braces(&self, raw: &str) -> Proof<Vec<String>> {
        let doubt = || Doubt::new("its braces can't be followed", raw);
        // The parser goes back over each that does not close.
        if raw.matches('{').count() > MOST_OPEN_BRACES {
            return Err(doubt());
        }
        bounded(raw)?;
        match word::parse_brace_expansions(raw, &self.options).map_err(|_| doubt())? {
            None => Ok(vec![raw.to_owned()]),
            Some(parts) => write_out(&parts).ok_or_else(doubt),
        }
    }

    fn fill(
        &mut self,
        pieces: &[WordPieceWithSource],
        quoted: bool,
        filler: &mut Filler,
        state: &mut State,
    ) -> Proof<()> {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(text) => filler.literal(text, quoted),
                WordPiece::SingleQuotedText(text) => filler.literal(text, true),
                WordPiece::AnsiCQuotedText(text) => {
                    let chars: Vec<char> = text.chars().chain(['\'']).collect();
                    let (text, _) = scan::ansi_c(&chars, 0)
                        .filter(|(_, end)| *end == chars.len())
                        .ok_or_else(|| Doubt::new("a quotation in it can't be read", text.as_str()))?;
                    filler.literal(&text.into_iter().collect::<String>(), true);
                }
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    filler.present = true;
                    self.fill(inner, true, filler, state)?;
                }
                WordPiece::EscapeSequence(text) => {
                    let escaped = text.strip_prefix('\\').unwrap_or(text);
                    if escaped != "\n" {
                        filler.literal(escaped, true);
                    }
                }
                WordPiece::TildeExpansion(TildeExpr::Home) => filler.home(state),
                WordPiece::TildeExpansion(_) => filler.literal(&UNKNOWN.to_string(), true),
                WordPiece::ParameterExpansion(expression) => {
                    self.fill_parameter(expression, quoted, filler, state)?
                }
                WordPiece::CommandSubstitution(script) | WordPiece::BackquotedCommandSubstitution(script) => {
                    let script = match &piece.piece {
                        WordPiece::BackquotedCommandSubstitution(_) => &unescape(script, quoted),
                        _ => script,
                    };
                    let mut inside = state.clone();
                    inside.moved = false;
                    let printed = self.script(script, &mut inside, super::Output::Unknown)?;
                    // Names mean something else in another folder.
                    let value = if inside.moved && printed.is_names() {
                        UNKNOWN.to_string()
                    } else {
                        printed.value()
                    };
                    filler.value(&value, quoted);
                }
                WordPiece::ArithmeticExpression(expression) => {
                    self.arithmetic(&expression.value, state)?;
                    filler.value(&NUMBER.to_string(), true);
                }
            }
            filler.bound()?;
        }
        Ok(())
    }

    pub(super) fn fill_parameter(
        &mut self,
        expression: &ParameterExpr,
        quoted: bool,
        filler: &mut Filler,
        state: &mut State,
    ) -> Proof<()> {
        let values = self.parameter(expression, quoted, state)?;
        if quoted && !filler.whole && super::parameter::is_list(expression) {
            if values.is_empty() {
                return Err(Doubt::new("it spreads a list that is empty", ""));
            }
            filler.now.splits |= values.iter().any(|value| value.contains(UNKNOWN));
            filler.now.several |= values.iter().any(|value| value.contains(NAME));
        }
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                filler.next();
            }
            filler.value(value, quoted);
        }
        Ok(())
    }
}

/// Nothing, unless the parser might go back so often over what stands inside one another that it does not come to an end.
fn bounded(raw: &str) -> Proof<()> {
    if super::plain::weight(raw) > MOST_WEIGHT {
        return Err(Doubt::new("it expands too much in one word to be followed", ""));
    }
    Ok(())
}

/// Whether a word is what it says.
fn is_literal(raw: &str) -> bool {
    !raw.is_empty()
        && raw.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(
                    byte,
                    b'.' | b'_' | b'/' | b',' | b':' | b'+' | b'@' | b'%' | b'=' | b'-'
                )
        })
}

/// All the words that a word with braces stands for.
fn write_out(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let variants = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut variants = Vec::new();
                for member in members {
                    match member {
                        BraceExpressionMember::Child(inner) => variants.extend(write_out(inner)?),
                        BraceExpressionMember::NumberSequence { start, end, increment } => {
                            let step = increment.unsigned_abs().max(1);
                            if start.abs_diff(*end) / step > MOST_BRACES as u64 {
                                // More numbers than are worth telling apart.
                                variants.push(NUMBER.to_string());
                            } else {
                                variants.extend(numbers(*start, *end, step));
                            }
                        }
                        BraceExpressionMember::CharSequence { start, end, increment } => {
                            let step = increment.unsigned_abs().max(1);
                            let numbers = numbers(i64::from(*start as u32), i64::from(*end as u32), step);
                            for number in numbers {
                                let char = number.parse().ok().and_then(char::from_u32)?;
                                // What stands between the letters is taken as quoted by bash.
                                variants.push(if char.is_ascii_alphanumeric() {
                                    char.to_string()
                                } else {
                                    return None;
                                });
                            }
                        }
                    }
                    if variants.len() > MOST_BRACES {
                        return None;
                    }
                }
                variants
            }
        };
        if words.len() * variants.len() > MOST_BRACES {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| variants.iter().map(move |variant| format!("{word}{variant}")))
            .collect();
    }
    Some(words)
}

fn numbers(start: i64, end: i64, step: u64) -> Vec<String> {
    let count = usize::try_from(start.abs_diff(end) / step)
        .unwrap_or(usize::MAX)
        .saturating_add(1);
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    (0..count.min(MOST_BRACES + 1))
        .map(|at| {
            let far = step.saturating_mul(i64::try_from(at).unwrap_or(i64::MAX));
            let number = if start <= end {
                start.saturating_add(far)
            } else {
                start.saturating_sub(far)
            };
            number.to_string()
        })
        .collect()
}

/// The script inside backticks: a backslash there is one only before what it hides.
fn unescape(script: &str, quoted: bool) -> String {
    let mut out = String::new();
    let mut chars = script.chars().peekable();
    while let Some(char) = chars.next() {
        let hides = |next: &char| matches!(next, '\\' | '$' | '`') || (quoted && *next == '"');
        match (char, chars.peek()) {
            ('\\', Some(next)) if hides(next) => out.extend(chars.next()),
            _ => out.push(char),
        }
    }
    out
}
