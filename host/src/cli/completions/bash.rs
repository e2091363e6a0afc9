//! How bash is spoken to. clap_complete's own script loses what stands before a `:`, at which bash splits words and which
//! rights have in them, and has the shell expand `*` in what is offered.

use std::ffi::{OsStr, OsString};
use std::io::{Error, Write};
use std::path::Path;

use clap_complete::engine::{CompletionCandidate, complete};
use clap_complete::env::EnvCompleter;

use crate::sexp::visible_line;

/// Bash, from version 4.
pub(super) struct Bash;

/// The variable with the number of the word that is completed.
const INDEX: &str = "PASSEPARTOUT_COMPLETE_WORD";

const SCRIPT: &str = r#"_passepartout_host() {
    local words=() rest=${COMP_LINE:0:COMP_POINT} begun kept word before last= i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        before=${rest%%"$word"*}
        # The last word is what is left before the cursor, blanks that are quoted included.
        ((i == COMP_CWORD)) && before=${rest%%[![:blank:]]*} word=${rest#"$before"}
        rest=${rest:${#before}+${#word}}
        # Bash splits words at `:` and `=` too: what no blank stands between is one.
        kept=
        if [[ $i -gt 0 && -z $before && ($word == [:=]* || $last == *[:=] || -z $word) ]]; then
            begun=${words[${#words[@]} - 1]}$word
            words[${#words[@]} - 1]=$begun
            kept=${begun%"${begun##*[:=]}"}
        else
            words+=("$word")
        fi
        last=$word
    done
    mapfile -t COMPREPLY < <(
        VARIABLE=bash INDEX=$((${#words[@]} - 1)) COMPLETER -- "${words[@]}" 2> /dev/null
    )
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace 2> /dev/null
    fi
    # Bash replaces only what it takes for the word.
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
complete -F _passepartout_host BIN
"#;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let script = SCRIPT
            .replace("VARIABLE", variable)
            .replace("INDEX", INDEX)
            .replace("COMPLETER", completer)
            .replace("BIN", bin);
        out.write_all(script.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let words: Vec<OsString> = words.iter().map(|word| unquoted(word)).collect();
        let index = std::env::var(INDEX).ok().and_then(|index| index.parse().ok());
        let index = index.unwrap_or(words.len().saturating_sub(1));
        let begun = words.get(index).cloned().unwrap_or_default();
        for line in offered(&begun.to_string_lossy(), &complete(command, words, index, folder)?) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// What is offered to who has `begun` a word: one a line, as it stands on a command line. Options only to who begins with
/// `-`, or where there is nothing else; and nothing that would be more than one line, or move the terminal.
fn offered(begun: &str, candidates: &[CompletionCandidate]) -> Vec<String> {
    let texts = candidates.iter().filter_map(|own| own.get_value().to_str());
    let (options, others): (Vec<&str>, Vec<&str>) = texts
        .filter(|text| visible_line(text) == **text)
        .partition(|text| text.starts_with('-'));
    let offered = match begun.starts_with('-') || others.is_empty() {
        true => options,
        false => others,
    };
    offered.into_iter().map(quoted).collect()
}

/// A word with a backslash before what the shell would take for something else. A `~` that is typed stays one.
fn quoted(word: &str) -> String {
    let mut quoted = String::new();
    for char in word.chars() {
        if " '\"\\$&;|<>()`*?![]{}#".contains(char) {
            quoted.push('\\');
        }
        quoted.push(char);
    }
    quoted
}

/// What [`quoted`] made of a word, as it was; bash hands on words as they are typed.
fn unquoted(word: &OsStr) -> OsString {
    let Some(word) = word.to_str() else {
        return word.to_owned();
    };
    let mut plain = String::new();
    let mut chars = word.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => plain.extend(chars.next()),
            _ => plain.push(char),
        }
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(values: &[&str]) -> Vec<CompletionCandidate> {
        values.iter().map(CompletionCandidate::new).collect()
    }

    #[test]
    fn options_are_offered_to_who_begins_with_a_dash_or_where_there_is_nothing_else() {
        let all = candidates(&["policy", "--json"]);
        assert_eq!(offered("", &all), ["policy"]);
        assert_eq!(offered("-", &all), ["--json"]);
        assert_eq!(offered("", &candidates(&["--json"])), ["--json"]);
    }

    #[test]
    fn what_a_shell_would_expand_is_quoted_and_what_is_no_line_left_out() {
        let all = candidates(&["my notes/", "a\u{1b}[2Jb", "a\u{202e}b", "a\nb", "$(x)"]);
        let offered = offered("", &all);
        assert_eq!(offered, ["my\\ notes/", "\\$\\(x\\)"]);
        assert_eq!(unquoted(OsStr::new(&offered[0])), "my notes/");
    }
}
