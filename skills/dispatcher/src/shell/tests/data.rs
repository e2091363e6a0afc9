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
pub(super) const CARRIERS: &[&str] = &[
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

#[test]
fn what_a_wrapped_command_is_given_is_judged_as_without_the_wrapper() {
    not_refused(&[
        "find . -name '*.sh' -print0 | xargs -0 grep -n 'rm -rf /'",
        "find . | xargs -n1 grep 'rm -rf /'",
        "find . | xargs -n 1 -P4 grep 'rm -rf /'",
        "find . | xargs -r grep 'rm -rf /'",
        "find . | xargs --no-run-if-empty grep 'rm -rf /'",
        "find . | xargs --max-args=1 --max-procs 4 grep 'rm -rf /'",
        "find . | xargs -I{} grep 'rm -rf /' {}",
        "find . | xargs -I {} grep 'rm -rf /' {}",
        "find . | xargs -0 grep -n mkfs",
        "find . -print0 | xargs -0 grep -n id_rsa",
        "ls | xargs -I{} echo 'rm -rf / in {}'",
        "stdbuf -oL grep 'rm -rf /' x",
        "stdbuf -o L grep 'rm -rf /' x",
        "env -i grep 'rm -rf /' x",
        "env - grep 'rm -rf /' x",
        "env -i A=1 grep 'rm -rf /' x",
        "env -u X grep 'rm -rf /' x",
        "sudo -n grep 'rm -rf /' x",
        "sudo -u git grep 'rm -rf /' x",
        "sudo -nu me -- grep 'rm -rf /' x",
        "doas -n grep 'rm -rf /' x",
        "nice -5 grep 'rm -rf /' x",
        "nice -n 5 grep 'rm -rf /' x",
        "nice -n5 ionice -c3 grep 'rm -rf /' x",
        "ionice -c 2 -n 7 -t grep 'rm -rf /' x",
        "timeout -s KILL -k 5 10 grep 'rm -rf /' x",
        "timeout --foreground 10 grep 'rm -rf /' x",
        "nohup -- grep 'rm -rf /' x",
        "setsid -w grep 'rm -rf /' x",
        "time -p grep 'rm -rf /' x",
        "command time -f %e grep 'rm -rf /' x",
        "strace -f grep 'rm -rf /' x",
        "strace -ff -e trace=open -o out grep 'rm -rf /' x",
        "ltrace -f grep 'rm -rf /' x",
        "chrt -b 0 grep 'rm -rf /' x",
        "taskset -c 0-3 grep 'rm -rf /' x",
        "flock -n lock grep 'rm -rf /' x",
        "flock -w 5 lock grep 'rm -rf /' x",
        "watch -n 5 -d grep 'rm -rf /' x",
        "watch -n5 grep 'rm -rf /' x",
        "watch -x grep 'a; rm -rf /' x",
        "parallel -j4 grep 'rm -rf /' ::: x",
        "parallel -j 4 echo {} ::: 'a; rm -rf /'",
        "unshare -r grep 'rm -rf /' x",
        "exec -a name grep 'rm -rf /' x",
        "command -p grep 'rm -rf /' x",
        "find . -exec sudo -n grep 'rm -rf /' {} +",
        "echo 'a; rm -rf /' | xargs echo",
        "echo '$(rm -rf /)' | xargs echo",
        "echo foo | xargs -0 grep -n 'a; rm -rf /'",
    ]);
    assert_eq!(
        verdict("find . -name '*.md' -print0 | xargs -0 grep -n 'rm -rf /'"),
        None
    );
}

#[test]
fn what_a_wrapper_runs_stays_refused_whatever_its_options_take() {
    let xargs = [
        "-0", "-t", "-n1", "-n 1", "-P 4", "-r", "-I{}", "-I {}", "-d '\\n'", "-E echo", "-a echo", "-0n 1", "-l",
        "-e",
    ];
    let wrappers: Vec<String> = xargs
        .iter()
        .map(|option| format!("xargs {option}"))
        .chain(WRAPPERS.iter().map(|wrapper| (*wrapper).to_owned()))
        .collect();
    for wrapper in &wrappers {
        for run in [
            "rm -rf /",
            "sh -c 'rm -rf /'",
            "mkfs.ext4 /dev/sda",
            "cat ~/.ssh/id_rsa",
            "sudo -n rm -rf /",
        ] {
            let command = format!("{wrapper} {run}");
            assert!(is_rejected(&command), "{command}: {:?}", verdict(&command));
        }
    }
    refused(&[
        "flock -c 'rm -rf /' f",
        "flock f -c 'rm -rf /'",
        "flock -n f -c 'rm -rf /'",
        "flock grep -c 'rm -rf /'",
        "env -S 'rm -rf /'",
        "env -iS 'rm -rf /'",
        "env -S 'sh -c' 'rm -rf /'",
        "env --split-string='rm -rf /'",
        "strace -o '|rm -rf /' ls",
        "strace -o '!rm -rf /' ls",
        "watch -n 5 'rm -rf /'",
        "watch -n 5 ls '; rm -rf /'",
        "watch echo 'a; rm -rf /'",
        "parallel -j4 echo 'a; rm -rf /'",
        "parallel rm -rf ::: /",
        "parallel -j4 rm -rf ::: /",
        "parallel ::: 'rm -rf /'",
        "parallel sh -c ::: 'rm -rf /'",
        "ssh -p 22 host rm -rf /",
        "ssh host echo 'a; rm -rf /'",
        "su me -c 'rm -rf /'",
        "su git -c 'rm -rf /'",
        "su - git -c 'rm -rf /'",
        "runuser git -c 'rm -rf /'",
        "chrt -b sudo rm -rf /",
        "runuser -u git rm -rf /",
        "sudo unheard-of rm -rf /",
        "sudo -n unheard-of rm -rf /",
        "xargs -n1 unheard-of sh -c 'rm -rf /'",
        "sudo --unheard-of grep rm -rf /",
        "echo / | xargs -n1 rm -rf",
        "echo '\"/\"' | xargs rm -rf",
        "echo / | xargs -I{} rm -rf {}",
        "echo 'rm -rf /' | xargs -I{} sh -c '{}'",
        "echo 'rm -rf /' | xargs -0 sh -c",
        "echo '-rf /' | xargs -t nice -n 5 rm",
    ]);
    assert!(verdict("xargs -t touch echo").is_some());
}

/// Wrappers with options, each before the command that it runs.
pub(super) const WRAPPERS: &[&str] = &[
    "builtin",
    "busybox",
    "chroot x",
    "chroot --userspec=me x",
    "chrt -b 0",
    "chrt -r -T 5 1",
    "command -p",
    "doas",
    "doas -u git",
    "env -",
    "env -i",
    "env -u X",
    "env -uX A=1 B=2",
    "env -C x",
    "env --chdir=x",
    "exec -a echo",
    "exec -cl",
    "fakeroot",
    "flock f",
    "flock -n f",
    "flock -w 5 f",
    "ionice -c 3",
    "ionice -c2 -n 0",
    "nice",
    "nice -5",
    "nice -n 5",
    "nice --adjustment=5",
    "nohup",
    "nsenter -t 1 -m",
    "parallel -j4",
    "parallel -j 4 --bar",
    "pkexec --user git",
    "setsid -w",
    "stdbuf -oL",
    "stdbuf -o L -e 0",
    "strace -f",
    "strace -o echo",
    "ltrace -f",
    "sudo -u git",
    "sudo -nu git A=1",
    "sudo --user git",
    "sudo --user=git --",
    "sudo -h git",
    "sudo -i",
    "systemd-run --user --scope -p X=1",
    "taskset -c 0",
    "taskset 1",
    "time -p",
    "command time -f echo",
    "timeout 5",
    "timeout -k 5 10",
    "timeout -s echo 10",
    "timeout --signal=KILL 10",
    "unbuffer -p",
    "unshare -rm",
    "unshare --map-root-user --mount-proc=x",
    "watch -n 5",
    "watch -x",
    "firejail --quiet",
    "podman run -it git",
    "setarch -R",
    "nice -n 5 sudo -u git timeout -k 5 10",
];
