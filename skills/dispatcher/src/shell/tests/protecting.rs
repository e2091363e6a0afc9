//! What is left out, only named, or better kept than before.

use super::roles::{is_let_by, is_refused};
use super::*;

#[test]
fn what_is_left_out_is_not_accessed() {
    is_let_by(&[
        "grep --exclude=id_rsa -r x .",
        "grep --exclude-dir=.ssh -r x .",
        "grep --exclude-dir .ssh -r x .",
        "tar --exclude=id_rsa -czf x.tgz .",
        "tar --exclude id_rsa -czf x.tgz .",
        "tar -czf x.tgz --exclude=.ssh --exclude .env .",
        "tar czf x.tgz --exclude .ssh .",
        "rsync --exclude .ssh a b",
        "rsync -av --delete --exclude=.ssh --exclude id_rsa a b",
        "du --exclude=.ssh .",
        "ls --ignore=id_rsa",
        "ls -I id_rsa",
        "tree -I .ssh",
        "diff -r -x id_rsa a b",
        "zip -r x.zip . -x id_rsa '.ssh/*'",
        "zip -qr x.zip . -x *.pem id_rsa",
        "git add . ':!id_rsa' ':^.ssh/id_rsa'",
        "git add -A -- ':(exclude).ssh/id_rsa'",
        "git diff -- . ':(icase,exclude).ssh/'",
        "unheard-of --exclude=id_rsa .",
    ]);
    is_refused(&[
        "tar --exclude-vcs ~/.ssh -cf x.tar",
        "tar -cf x.tar --exclude x ~/.ssh",
        "tar -cf x.tar -C --exclude ~/.ssh",
        "tar cfC x.tar --exclude ~/.ssh",
        "tar --exclude-from=/etc/shadow -cf x.tar .",
        "tar -czf x.tgz .ssh",
        "x=$(cat x); tar $x --exclude ~/.ssh",
        "tar --unheard-of --exclude ~/.ssh -cf x.tar",
        "rsync --exclude x .ssh b",
        "rsync --exclude-from /etc/shadow a b",
        "rsync -a --exclude=x ~/.ssh/ b",
        "rsync -f 'merge /etc/shadow' /etc/shadow b",
        "zip -r x.zip id_rsa -x y",
        "zip x.zip -x y @ id_rsa",
        "zip x.zip -x y -r id_rsa",
        "zip -b -x ~/.ssh/id_rsa",
        "git add ':(top).ssh/id_rsa'",
        "git add ':/.ssh/id_rsa'",
        "git clone ':!http://169.254.169.254/'",
        "unheard-of --exclude id_rsa",
        "unheard-of --exclude-file=/etc/shadow",
    ]);
}

#[test]
fn what_only_names_a_key_or_keeps_it_from_being_given_away_is_not_refused() {
    is_let_by(&[
        "git check-ignore id_rsa",
        "git check-ignore -v .ssh/id_rsa",
        "git rm --cached id_rsa",
        "git rm -r --cached .ssh",
        "git reset id_rsa",
        "git reset HEAD -- id_rsa",
        "git restore --staged id_rsa",
        "git status id_rsa",
        "git status -s -- id_rsa",
        "git ls-files id_rsa",
        "git ls-files --error-unmatch id_rsa",
        "git log --all --full-history -- id_rsa",
        "git log --oneline --stat -5 -- id_rsa",
        "git log --oneline fix/id_rsa",
        "git diff --stat -- id_rsa",
        "git diff --cached --name-only HEAD id_rsa",
        "find . -name id_rsa",
        "find . -name id_rsa -prune -o -print",
    ]);
    is_refused(&[
        "git rm id_rsa",
        "git rm --cached --no-cached id_rsa",
        "git status -v id_rsa",
        "git restore id_rsa",
        "git restore --staged --worktree id_rsa",
        "git restore -SW id_rsa",
        "git reset --hard id_rsa",
        "git ls-files -X /etc/shadow",
        "git log --all -u -- id_rsa",
        "git diff -- id_rsa",
        "git diff --cached id_rsa",
        "git diff --stat -p -- id_rsa",
        "git diff --stat --no-index a id_rsa",
        "git show --stat HEAD:./.ssh/x",
        "git log -L 1,5:x --oneline -- id_rsa",
        "git log --oneline --unheard-of -- id_rsa",
    ]);
    // Names in our own folders are closed to everybody.
    is_refused(&["git ls-files /home/me/.config/passepartout/env"]);
}

#[test]
fn taking_rights_to_a_key_from_everybody_else_is_asked_about() {
    for command in [
        "chmod 700 ~/.ssh",
        "chmod 600 ~/.ssh/id_rsa",
        "chmod 0400 id_rsa",
        "chmod -R go-rwx ~/.ssh",
        "chmod -v u=rw,go= ~/.ssh/id_ed25519 ~/.ssh/config",
        "cd ~/.ssh && chmod 600 id_rsa",
        "chmod 700 ~/.gnupg",
    ] {
        assert!(
            matches!(verdict(command), Some(Finding::Ask { .. })),
            "{command}: {:?}",
            verdict(command)
        );
    }
    is_refused(&[
        "chmod 777 ~/.ssh",
        "chmod 644 ~/.ssh/id_rsa",
        "chmod +r ~/.ssh/id_rsa",
        "chmod u+s ~/.ssh/x",
        "chmod 000 ~/.ssh",
        "chmod --reference=x ~/.ssh",
        "chmod 600 ~/.bashrc",
        "chmod 600 /etc/shadow",
        "chmod 700 .git/hooks/pre-commit",
        "chmod 600 /home/me/.config/passepartout/env",
        "chmod 600 x; chmod 644 ~/.ssh/id_rsa",
        "m=$(cat x); chmod $m ~/.ssh/id_rsa",
        "chown x ~/.ssh/id_rsa",
    ]);
}
