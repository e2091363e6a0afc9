//! Arithmetic. Bash evaluates what the variables in it hold as arithmetic again, and `a[$(x)]` in it runs `x`, so that
//! each must be known to be a number.

use super::state::State;
use super::{Doubt, NAME, NUMBER, Proof, Prover, UNKNOWN};

impl Prover<'_> {
    /// Shows that an expression only computes, and follows what it assigns.
    pub(super) fn arithmetic(&mut self, raw: &str, state: &mut State) -> Proof<()> {
        let text = self.document(raw, state)?;
        self.computed(&text, state)
    }

    /// The same of an expression in which the expansions were done.
    pub(super) fn computed(&mut self, text: &str, state: &mut State) -> Proof<()> {
        if text.contains([UNKNOWN, NAME]) {
            return Err(Doubt::new(
                "it computes with a value that may be no number",
                super::paths::shown(text),
            ));
        }
        if !is_arithmetic(text) {
            return Err(Doubt::new("its arithmetic can't be followed", text));
        }
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        while at < chars.len() {
            if !is_name(chars[at]) {
                at += 1;
                continue;
            }
            let start = at;
            while at < chars.len() && is_name(chars[at]) {
                at += 1;
            }
            // `16#ff`, `0x1f`: no name.
            if chars[start].is_ascii_digit() || chars[start] == NUMBER || (start > 0 && chars[start - 1] == '#') {
                continue;
            }
            let name: String = chars[start..at].iter().collect();
            let numeric = self
                .variable(&name, state)
                .is_none_or(|values| values.iter().all(|value| is_numeric(value)));
            if !numeric {
                return Err(Doubt::new("it computes with a value that may be no number", name));
            }
            if assigns(&chars, start, at) {
                self.settable(&name)?;
                // An element is not the variable; and what stands behind `&&`, `||` or `?` may not be evaluated.
                let unsure = text.contains("&&") || text.contains("||") || text.contains('?');
                let element = chars[at..].iter().find(|char| !char.is_whitespace()) == Some(&'[');
                let held = self.variable(&name, state).is_some();
                let value = if element || (unsure && !held) { UNKNOWN } else { NUMBER };
                state.set(&name, value.to_string());
            }
        }
        Ok(())
    }
}

/// Whether a text is arithmetic, and could be nothing else: what bash finds not to be, it takes for commands.
fn is_arithmetic(text: &str) -> bool {
    const SIGNS: &str = "+-*/%<>=!&|^~?:,()[]#@ \t\n";
    let mut open = 0_i32;
    // Whether the last thing was a name or a number, and whether a blank came behind it.
    let (mut value, mut blank) = (false, false);
    for char in text.chars() {
        if is_name(char) {
            if value && blank {
                return false;
            }
            (value, blank) = (true, false);
        } else if char.is_whitespace() {
            blank = true;
        } else if SIGNS.contains(char) {
            open += i32::from(char == '(') - i32::from(char == ')');
            if open < 0 {
                return false;
            }
            (value, blank) = (false, false);
        } else {
            return false;
        }
    }
    open == 0
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == NUMBER
}

/// Numbers, and what computes with them: no names, which would be looked up again.
fn is_numeric(value: &str) -> bool {
    value.chars().all(|char| {
        char.is_ascii_digit() || char == NUMBER || matches!(char, ' ' | '+' | '-' | '*' | '/' | '%' | '(' | ')')
    })
}

/// Whether the name from `start` to `end` is assigned: `x = 1`, `x += 1`, `x++`, `--x`, and its elements.
fn assigns(chars: &[char], start: usize, end: usize) -> bool {
    let before: String = chars[..start].iter().collect();
    if before.trim_end().ends_with("++") || before.trim_end().ends_with("--") {
        return true;
    }
    let after: String = chars[end..].iter().collect();
    let mut after = after.trim_start();
    if after.starts_with('[') {
        after = after.split_once(']').map_or("", |(_, rest)| rest).trim_start();
    }
    if after.starts_with("++") || after.starts_with("--") {
        return true;
    }
    let rest = after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    let compares = rest.len() + 1 == after.len() && after.starts_with(['<', '>']);
    rest.starts_with('=') && !rest.starts_with("==") && !compares
}
