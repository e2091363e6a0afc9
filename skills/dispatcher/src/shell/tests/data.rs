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

#[test]
fn the_value_of_an_option_is_a_text_to_a_program_that_does_not_run_it() {
    not_refused(&[
        "grep --regexp='rm -rf /' x",
        "rg --regexp='mkfs /dev/sda'",
        "git log --grep='rm -rf /'",
        "git log --author='rm -rf /'",
        "git log --format='rm -rf /'",
        "git log -G'x rm -rf /'",
        "git commit --message='rm -rf / is refused'",
        "gh pr create --title='block (rm -rf /)' --body=x",
        "grep -r --exclude='rm -rf /' x .",
        "du --exclude='rm -rf /'",
        "python x.py --text='rm -rf /'",
        "cargo test -- --nocapture='rm -rf /'",
        "tar --exclude='rm -rf /' -cf x y",
        "sort --field-separator='rm -rf /' x",
        "rg --pre-glob='rm -rf /' x",
        "rg -- --pre='rm -rf /' x",
        "ssh -o User='rm -rf /' host",
        "curl --data='rm -rf /' https://allowed.example/",
        "unheard-of --text='rm -rf /'",
        "unheard-of --exec='rm -rf /'",
    ]);
    assert_eq!(verdict("grep --regexp='rm -rf /' x"), None);
    for command in ["unheard-of --text='rm -rf /'", "python x.py --text='rm -rf /'"] {
        assert!(verdict(command).is_some(), "{command} passes");
    }
}

/// Options that run their value, and where it stands.
const CARRIERS: &[&str] = &[
    "sort --compress-program='RUN' x",
    "sort --compress-program 'RUN' x",
    "sort --comp='RUN' x",
    "sort --co 'RUN' x",
    "split --filter='RUN' x",
    "tar --use-compress-program='RUN' -cf x y",
    "tar --use-comp='RUN' -cf x y",
    "tar -I 'RUN' -cf x y",
    "tar -cI 'RUN' -f x y",
    "tar --checkpoint-action=exec='RUN' -cf x y",
    "tar --checkpoint=1 --checkpoint-action 'exec=RUN' -cf x y",
    "tar --to-command='RUN' -xf x",
    "tar -x --to-com 'RUN' -f x",
    "tar --info-script='RUN' -cf x y",
    "tar -F 'RUN' -cf x y",
    "tar --new-volume-script='RUN' -cf x y",
    "tar --rsh-command='RUN' -cf x y",
    "rsync --rsh='RUN' a b",
    "rsync -e 'RUN' a b",
    "rsync -ave 'RUN' a b",
    "rsync --rsync-path='RUN' a host:b",
    "rg --pre='RUN' x",
    "rg --pre 'RUN' x",
    "rg --hostname-bin='RUN' x",
    "git ls-remote --upload-pack='RUN' x",
    "git ls-remote --upload-pa='RUN' x",
    "git ls-remote --upload-pa 'RUN' x",
    "git push --receive-pack='RUN' x",
    "git push --exec='RUN' x",
    "git rebase --exec='RUN' x",
    "git rebase -x 'RUN' x",
    "git rebase -i -x 'RUN' x",
    "git grep --open-files-in-pager='RUN' x",
    "git grep -O'RUN' x",
    "git difftool --extcmd='RUN'",
    "git clone --config core.sshCommand='RUN' x",
    "git clone --config=core.pager='RUN' x",
    "git filter-branch --tree-filter 'RUN' x",
    "man --html='RUN' ls",
    "man --pager='RUN' ls",
    "man -P 'RUN' ls",
    "man -P'RUN' ls",
    "ssh -o ProxyCommand='RUN' host",
    "ssh -oProxyCommand='RUN' host",
    "ssh -o 'ProxyCommand RUN' host",
    "scp -o ProxyCommand='RUN' a host:b",
    "make --eval='x:;RUN'",
    "nc -c 'RUN' host 1",
    "ncat --sh-exec 'RUN' host 1",
    "go test -exec='RUN'",
    "cargo --config target.x.runner='RUN' test",
    "cmake -DCMAKE_C_COMPILER_LAUNCHER='RUN' .",
    "apt-get -o DPkg::Pre-Invoke::='RUN' update",
    "npm --script-shell='RUN' test",
    "npx -c 'RUN'",
    "install --strip-program='RUN' -s a b",
    "sdiff --diff-program='RUN' a b",
];

#[test]
fn the_value_of_an_option_is_refused_where_the_program_runs_it() {
    for carrier in CARRIERS {
        for run in [
            "rm -rf /",
            "sudo rm -fr /*",
            "dd if=x of=/dev/sda",
            "true; mkfs.ext4 /dev/sda",
        ] {
            let command = carrier.replace("RUN", run);
            assert!(is_rejected(&command), "{command}: {:?}", verdict(&command));
        }
        // What ruins nothing is no reason to refuse.
        let command = carrier.replace("RUN", "wc -c build");
        assert!(!is_rejected(&command), "{command}: {:?}", verdict(&command));
        assert!(verdict(&command).is_some(), "{command} passes");
    }
}
