//! Protected names that a command does not write as they are.

use super::{Roots, prove, roots};
use crate::shell::harmless::Level;

/// Whether it passes where the operator's settings protect nothing more.
fn passes(command: &str) -> bool {
    let roots = Roots {
        protected: Vec::new(),
        ..roots()
    };
    prove(command, &roots) == Ok(Level::Reads)
}

fn wrong<'a>(commands: &[&'a str], pass: bool) -> Vec<&'a str> {
    let wrong = commands.iter().filter(|command| passes(command) != pass);
    wrong.copied().collect()
}

#[test]
fn a_pattern_that_spells_a_protected_name_asks() {
    let commands = [
        "cat server.pe?",
        "cat server.p*",
        "cat server[.]pem",
        "cat server.[p]*",
        "cat server.[!x]*",
        "cat server.[p][e][m]",
        "cat server.[[:alpha:]]*",
        "cat 'server.['\"]\"'p]'*",
        "cat server.[\"]\"p]*",
        "cat s*m",
        "cat *.p[e]m",
        "cat certs/*.p?m",
        "cat SERVER.PE?",
        "cat server.{pem,x}",
        "cat server.{pe?,x}",
        "head -c 9 id_rs*",
        "cat id_*",
        "cat [i]d_rs[a]",
        "cat ID_RS?",
        "cat my_secre?.txt",
        "cat MY_SECRE?.TXT",
        "cat *secret*",
        "cat db-pass*",
        "cat *[Pp]assword*.txt",
        "cat sec*/db.txt",
        "cat secre[t]s/*",
        "cat server.[a\"]\"[p]em",
        "cat server.[\"!\"p]*",
        "find . -name 'server.[a\\][p]em' | xargs cat",
        "cat private-keys*/x",
        "cat snap/fire*/x",
        "grep x server.pe?",
        "sort < server.pe?",
        "find . -name '*.pe?' | xargs cat",
        "find . -path '*/server.pe?' | xargs cat",
    ];
    assert_eq!(wrong(&commands, false), [""; 0]);
}

#[test]
fn a_pattern_that_is_merely_broad_passes() {
    let commands = [
        "cat README*",
        "wc -l src/*",
        "wc -l src/*/*",
        "cat a*",
        "cat test_*",
        "cat notes.*",
        "cat [0-9]*",
        "cat [A-Z]*",
        "cat file?.txt",
        "cat *.txt",
        "cat *.rs",
        "cat *.[ch]",
        "cat *.y?ml",
        "cat tokenizer*",
        "cat token*.rs",
        "cat *secret*.md",
        "cat package*.json",
        "wc -l chapter-??.txt",
        "ls server.p*",
        "ls \"$HOME/work/project\"/src/[a-z]*",
        "find . -name '*.c' | xargs cat",
        "find . -path './src/*' | xargs cat",
    ];
    assert_eq!(wrong(&commands, true), [""; 0]);
}

#[test]
fn a_pattern_is_not_made_long_to_keep_the_gate_busy() {
    assert!(!passes(&format!("cat {}", "a*".repeat(20_000))));
    assert!(!passes(&format!("cat {}", "[a]?*/".repeat(10_000))));
}

#[test]
fn what_git_shows_of_a_protected_file_asks_however_it_is_named() {
    let commands = [
        "git grep '' HEAD -- ':.en?'",
        "git grep '' -- '.en?'",
        "git grep '' -- '\\.env'",
        "git grep '' -- 's*m'",
        "git grep '' -- 'src*env'",
        "git grep '' -- 'src?.env'",
        "git grep '' -- '*env'",
        "git grep x -- ':(glob)**/.env'",
        "git grep x -- ':(glob)**/.en?'",
        "git grep x -- ':(icase).ENV'",
        "git grep x -- ':(icase,glob)**/SERVER.PE?'",
        "git grep x -- ':(top)server.pem'",
        "git grep x -- ':(attr:x)'",
        "git grep x -- ':(glob'",
        "git grep x -- ':/server.pem'",
        "git grep -e x '*.pe?'",
        "git grep *.pe? x",
        "git log -L1,5:.env",
        "git log -L 1,5:.env",
        "git log -L :fn:.env",
        "git log -L:fn:config/.env",
        "git log -L '/a/,/b/:server.pem'",
        "git log -p -S=x .env",
        "git log -p -- '*.pe?'",
        "git show HEAD:.env",
        "git show :0:.env",
        "git show HEAD -- ':.env'",
        "git diff -- .env",
        "git diff -- server.pe?",
        "git blame .env",
        "git cat-file -p HEAD:server.pem",
        "git cat-file -p HEAD^:config/secrets.yml",
    ];
    assert_eq!(wrong(&commands, false), [""; 0]);
}

#[test]
fn what_git_shows_of_everything_or_of_other_files_passes() {
    let commands = [
        "git log -p",
        "git grep word",
        "git grep 'x.*y'",
        "git grep 'se.*t'",
        "git grep -n word -- '*.rs'",
        "git grep word -- src/ ':!target' ':(exclude).env'",
        "git grep word -- ':(glob)src/**/*.rs'",
        "git grep word -- ':^*.pem'",
        "git log -S=x src",
        "git log -n 3 -- src",
        "git blame -L 1,5 src/main.rs",
        "git show HEAD:src/main.rs",
        "git show HEAD~2",
        "git diff HEAD~3..HEAD -- src '*.toml'",
        "git cat-file -p HEAD",
        "git ls-files 'server.p*'",
    ];
    assert_eq!(wrong(&commands, true), [""; 0]);
}
