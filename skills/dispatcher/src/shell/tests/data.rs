//! What is only a text is never refused for what it says; and what is run stays refused, whatever carries it.

use super::*;

/// Checks that none is refused. A program that a helper does not know asks; these are judged by the first reader.
fn not_refused(commands: &[&str]) {
    for command in commands {
        assert!(!is_rejected(command), "{command}: {:?}", verdict(command));
    }
}

fn refused(commands: &[&str]) {
    for command in commands {
        assert!(is_rejected(command), "{command}: {:?}", verdict(command));
    }
}

#[test]
fn an_exclamation_mark_in_a_text_makes_no_command_of_what_follows() {
    not_refused(&[
        "echo 'careful! rm -rf / is bad'",
        "echo 'Warning! mkfs destroys data'",
        "echo 'Look! see ~/.ssh/id_rsa'",
        "git commit -m 'Stop! rm -rf / was run'",
        "git config user.name 'Stop! rm -rf /'",
        "git -c user.name='Stop! rm -rf /' commit",
        "rg 'x! rm -rf /'",
        "grep -n 'foo! rm -rf /' x",
        "awk '$2 != \"/etc/shadow\"' x",
        "jq '.[] | select(.name != \"id_rsa\")' x",
        "sed '/foo/!s/x/rm -rf \\//' x",
        "rg -g '!mkfs x' foo",
        "find . -name '!rm -rf /'",
        "cat 'a! rm -rf /'",
        "less 'a! rm -rf /'",
        "vim 'a! rm -rf /'",
        "mail -s 'Stop! rm -rf / was run' me@allowed.example",
        "mail me@allowed.example <<< 'Stop! rm -rf / was run'",
        "ed x <<< $'a\\nStop! rm -rf /\\n.\\nw'",
    ]);
    assert_eq!(verdict("echo 'careful! rm -rf / is bad'"), None);
    assert_eq!(verdict("rg 'x! rm -rf /'"), None);
}

#[test]
fn an_exclamation_mark_is_refused_where_the_program_runs_what_follows() {
    refused(&[
        "git -c alias.x='!rm -rf /' x",
        "git -c alias.x='!f() { rm -rf /; }; f' x",
        "git -c core.pager='rm -rf /' log",
        "git clone --config core.sshCommand='rm -rf /' x",
        "git clone --config=core.sshCommand='rm -rf /' x",
        "git config alias.x '!rm -rf /'",
        "git config --global alias.x '!rm -rf /'",
        "git config set core.pager 'rm -rf /'",
        "git config credential.helper '!rm -rf /'",
        "git config filter.x.clean 'rm -rf /'",
        "less '+!rm -rf /' x",
        "vim -c '!rm -rf /'",
        "vim '+!rm -rf /' x",
        "vim --cmd '%!rm -rf /' x",
        "ex -sc '!rm -rf /' x",
        "ex -c 'w ! rm -rf /' x",
        "ed '!rm -rf /'",
        "ed x <<< '!rm -rf /'",
        "echo '!rm -rf /' | ed x",
        "ed x <<< '1,$w !rm -rf /'",
        "mail me@allowed.example <<< '~!rm -rf /'",
        "ftp <<< '!rm -rf /'",
        "gdb -ex '!rm -rf /'",
        "gdb -ex 'shell rm -rf /' x",
        "gdb --batch --eval-command='shell rm -rf /'",
        "sqlite3 x '.shell rm -rf /'",
        "sqlite3 x <<< '.system rm -rf /'",
        "psql -c '\\! rm -rf /'",
        "sudo git -c alias.x='!rm -rf /' x",
    ]);
}
