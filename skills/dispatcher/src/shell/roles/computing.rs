//! Whether a short program text surely opens nothing: outside of its strings and patterns it holds no word that is not known
//! to compute or to print. Sources: perlop, perlfunc, and the references of Ruby, Python and JavaScript.

/// What is known of a language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Language {
    /// Words that compute and print.
    words: &'static str,
    /// Words behind which a slash begins a pattern.
    before: &'static str,
    /// Whether there are patterns between slashes.
    patterns: bool,
    /// Whether there are patterns and lists of characters behind a letter: `s/a/b/`.
    quoting: bool,
    /// Whether what is between brackets may be the name of a member.
    members: bool,
}

pub(super) const PERL: Language = Language {
    words: "BEGIN END and chomp chop chr cmp defined die else elsif eq exit for foreach ge grep gt hex if index int join keys \
        last lc lcfirst le length lt map my ne next not oct or ord print printf push qw reverse rindex say scalar sort split \
        sprintf substr uc ucfirst unless until values while xor",
    before: "and grep if map not or print say split unless until while",
    patterns: true,
    quoting: true,
    members: false,
};
pub(super) const RUBY: Language = Language {
    words: "and chomp count downcase each else elsif end false gsub if include length lines match next nil not or p print \
        puts size split start_with strip sub then true unless upcase",
    before: "and if not or p print puts unless",
    patterns: true,
    quoting: false,
    members: false,
};
pub(super) const PYTHON: Language = Language {
    words: "False None True and b chr count else elif endswith find findall for if import in int is join json len line lower \
        loads dumps match not or ord print r range re read repr replace search sorted split stdin startswith str strip sub \
        sum sys upper",
    before: "",
    patterns: false,
    quoting: false,
    members: false,
};
pub(super) const NODE: Language = Language {
    words: "JSON const console else false if includes join length let log match null parse replace split startsWith stringify \
        test toLowerCase trim true var",
    before: "",
    patterns: true,
    quoting: false,
    members: true,
};

/// Whether it surely opens nothing.
pub(super) fn only(program: &str, language: Language) -> bool {
    // What is read beside the input is set there.
    if ["ARGV", "ARGF", "argv"].iter().any(|name| program.contains(name)) {
        return false;
    }
    let chars: Vec<char> = program.chars().collect();
    let mut at = 0;
    // Whether a slash would begin a pattern here, and not divide.
    let mut begins = true;
    while let Some(char) = chars.get(at).copied() {
        let next = chars.get(at + 1).copied();
        let begun = std::mem::replace(&mut begins, false);
        match char {
            '"' | '\'' => match part(&chars, at + 1, char) {
                Some(end) => at = end + 1,
                None => return false,
            },
            '/' if language.patterns => match part(&chars, at + 1, '/').filter(|_| begun) {
                Some(end) if language.members && chars[at..end].contains(&'[') => return false,
                Some(end) => at = behind(&chars, end + 1, "gimosux"),
                None => return false,
            },
            '$' | '@' if language.quoting || language.patterns && !language.members => {
                let Some(next) = next else {
                    return false;
                };
                at = match is_word(next) {
                    true => word_end(&chars, at + 1),
                    false if char == '$' && ".,;/&~".contains(next) => at + 2,
                    false => return false,
                };
            }
            _ if char.is_ascii_digit() => at = word_end(&chars, at),
            _ if is_word(char) => {
                let end = word_end(&chars, at);
                let word: String = chars[at..end].iter().collect();
                let delimiter = chars.get(end).copied();
                let parts = match word.as_str() {
                    "s" | "y" | "tr" if language.quoting => 2,
                    "m" | "qr" if language.quoting => 1,
                    _ => 0,
                };
                if let Some(delimiter) = delimiter.filter(|own| parts > 0 && "/|#!,".contains(*own)) {
                    let mut close = Some(end);
                    for _ in 0..parts {
                        close = close.and_then(|close| part(&chars, close + 1, delimiter));
                    }
                    let Some(close) = close else {
                        return false;
                    };
                    let flags = match word.as_str() {
                        "y" | "tr" => "cdsr",
                        _ => "gimosxr",
                    };
                    at = behind(&chars, close + 1, flags);
                } else if is_one_of(language.words, &word) {
                    begins = is_one_of(language.before, &word);
                    at = end;
                } else {
                    return false;
                }
            }
            '[' if language.members => return false,
            // What calls by a value, or goes on in another.
            '%' | '&' | '*' if matches!(next, Some('{' | '$')) => return false,
            '-' if next == Some('>') => return false,
            ' ' | '\t' | '\n' => {
                begins = begun;
                at += 1;
            }
            '(' | ',' | ';' | '{' | '!' | '~' | '&' | '|' | '=' | '?' => {
                begins = true;
                at += 1;
            }
            ')' | ']' | '[' | '}' | '.' | ':' | '+' | '-' | '*' | '%' | '>' => at += 1,
            '/' => at += 1,
            _ => return false,
        }
    }
    true
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|own| own == word)
}

fn word_end(chars: &[char], at: usize) -> usize {
    at + chars[at..].iter().take_while(|char| is_word(**char)).count()
}

/// Where the letters of `flags` end; what else follows is looked at there.
fn behind(chars: &[char], at: usize, flags: &str) -> usize {
    at + chars[at..].iter().take_while(|char| flags.contains(**char)).count()
}

/// Where a string or a pattern ends, if nothing in it is computed.
fn part(chars: &[char], from: usize, end: char) -> Option<usize> {
    let mut at = from;
    loop {
        match *chars.get(at)? {
            char if char == end => return Some(at),
            '\\' => at += 2,
            '\n' => return None,
            '#' if chars.get(at + 1) == Some(&'{') => return None,
            // Code in a pattern.
            '(' if chars.get(at + 1) == Some(&'?') && matches!(chars.get(at + 2), Some('{' | '?')) => return None,
            '$' | '@' if end != '\'' => {
                let after = word_end(chars, at + 1);
                if matches!(chars.get(after), Some('[' | '{' | '-' | '$' | '@')) {
                    return None;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_at_lines_opens_nothing() {
        for (program, language) in [
            ("print if /id_rsa/", PERL),
            ("print unless /\\.ssh\\//i", PERL),
            ("s/id_rsa/x/g", PERL),
            ("s|/home/me/.ssh/|~|; print", PERL),
            ("tr/a-z/A-Z/", PERL),
            ("puts $_ if $_ =~ /id_rsa/", RUBY),
            ("print('/.ssh/')", PYTHON),
            (
                "import sys; print([line for line in sys.stdin if '/.ssh/' in line])",
                PYTHON,
            ),
            ("console.log('/.ssh/')", NODE),
        ] {
            assert!(only(program, language), "{program}");
        }
    }

    #[test]
    fn what_may_open_a_file_or_run_is_not_taken_for_that() {
        for (program, language) in [
            ("open F, \"/home/me/.ssh/id_rsa\"; print <F>", PERL),
            ("print `cat ~/.ssh/id_rsa`", PERL),
            ("@ARGV = ('/home/me/.ssh/id_rsa')", PERL),
            ("s/a/open(F, '.ssh\\/id_rsa')/e", PERL),
            ("s/a/open(F, '.ssh\\/id_rsa')/ge", PERL),
            ("print \"@{[open F, '.ssh/id_rsa']}\"", PERL),
            ("print \"$x[open F, '.ssh/id_rsa']\"", PERL),
            ("&{'CORE::open'}(F, '.ssh/id_rsa')", PERL),
            ("/(?{ open F, '.ssh' })/", PERL),
            ("do '.ssh/id_rsa'", PERL),
            ("print while <$x>", PERL),
            ("$x / 2; open F, '.ssh/'", PERL),
            ("puts \"#{File.read('.ssh/id_rsa')}\"", RUBY),
            ("puts File.read('/home/me/.ssh/id_rsa')", RUBY),
            ("%x(cat .ssh/id_rsa)", RUBY),
            ("puts IO.read '.ssh/id_rsa'", RUBY),
            ("$*[0] = '.ssh/id_rsa'", RUBY),
            ("print(open('/home/me/.ssh/id_rsa').read())", PYTHON),
            ("import os; print(os.listdir('.ssh/'))", PYTHON),
            ("print(f'{open(\".ssh/id_rsa\").read()}')", PYTHON),
            ("console.log(require('fs').readFileSync('.ssh/id_rsa'))", NODE),
            ("console.log['constructor']('return process')()", NODE),
            ("console.log(`${require('fs')}`)", NODE),
        ] {
            assert!(!only(program, language), "{program}");
        }
    }
}
