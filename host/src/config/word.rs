//! Words of a command line that is shown to be copied into a shell.

use crate::sexp::is_hidden;

/// `text`, as a shell takes it for one word: as it is where it can be, in quotes otherwise.
pub fn shell_word(text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:,@%+=".contains(char);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else if text.chars().any(is_hidden) {
        // What is copied stays one line, and a person sees what is in it: bash, zsh and ksh read these escapes.
        let escaped: String = text
            .chars()
            .map(|char| match char {
                '\\' | '\'' => format!("\\{char}"),
                _ if is_hidden(char) => {
                    let text = char.to_string();
                    text.bytes().map(|byte| format!("\\x{byte:02x}")).collect()
                }
                _ => char.to_string(),
            })
            .collect();
        format!("$'{escaped}'")
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]

    use super::shell_word;

    #[test]
    fn a_shell_takes_for_one_word_what_is_shown() {
        for (text, shown) in [
            ("files:read:workspace", "files:read:workspace"),
            ("my skills/a.wasm", "'my skills/a.wasm'"),
            ("http:[::1]:80", "'http:[::1]:80'"),
            ("it's", r"'it'\''s'"),
            ("~/a", "'~/a'"),
            ("", "''"),
            ("a'\n\\b\u{202e}c", r"$'a\'\x0a\\b\xe2\x80\xaec'"),
        ] {
            assert_eq!(shell_word(text), shown);
            let said = std::process::Command::new("bash")
                .args(["-c", &format!("printf %s {shown}")])
                .output()
                .expect("bash runs");
            assert_eq!(String::from_utf8_lossy(&said.stdout), text);
        }
    }
}
