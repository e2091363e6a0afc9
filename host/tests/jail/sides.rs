//! What git shows of its index and of versions that were merged to a command that no person was asked about: nothing that is
//! private and that only these have, whatever the work tree has.

use crate::gits::{KEY, git, put};
use crate::unasked::unasked;
use crate::versions::{hides, is_as_ever, is_refused};

#[test]
fn what_only_the_index_has_it_does_not_show() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    put(&house, "f.txt", KEY);
    git(
        &house,
        "git init -q -b main && git add a.txt && git commit -qm one && git add f.txt",
    );
    put(&house, "f.txt", "clean\n");
    for look in [
        "git grep -h -A9 -- -- :f.txt",
        "git grep --cached -h -A9 BEGIN",
        "git grep -e --cached --cached -h -e MARK",
        "git diff --cached --check -- f.txt; git show :f.txt",
        "git diff --cached -- f.txt",
    ] {
        hides(&mut house, look);
    }
    is_as_ever(
        &mut house,
        "git grep -n one; git grep -h -- -- ; git diff --check HEAD; git status -s a.txt",
    );
    // What git takes for unchanged it searches there.
    git(&house, "git update-index --assume-unchanged f.txt");
    for look in [
        "git grep -h MARK",
        "git --literal-pathspecs grep -h -A3 BEGIN",
        "git --no-pager --glob-pathspecs --no-optional-locks grep -A3 BEGIN",
        "mkdir -p /tmp/x; cd /tmp/x; git -C \"$HOME\" --icase-pathspecs grep -A3 BEGIN",
    ] {
        let shown = hides(&mut house, look);
        is_refused(look, &shown);
    }
}

#[test]
fn what_is_left_out_of_the_work_tree_is_not_checked_beside_a_version() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    // The host does not read an index that is split.
    put(&house, "b/token.txt", "A=MARK  \n");
    git(
        &house,
        "git add b && git update-index --skip-worktree b/token.txt && rm -r b && git update-index --split-index",
    );
    for look in [
        "git diff --check HEAD",
        "git diff --check main -- .",
        "git diff --stat --check HEAD",
    ] {
        let shown = hides(&mut house, look);
        is_refused(look, &shown);
    }
    is_as_ever(&mut house, "git diff --check; git diff --stat HEAD; git grep -n one");
}

#[test]
fn an_index_of_any_version_is_not_there_while_something_private_was_added() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    put(&house, ".env", "A=MARK\n");
    git(&house, "git add -f . && rm .env a.txt");
    for version in [2, 4] {
        git(&house, &format!("git update-index --index-version {version}"));
        let shown = hides(&mut house, "git diff --cached");
        assert!(
            shown.complaints().contains("what the index has, which can't be read"),
            "{shown:?}"
        );
        assert!(
            house
                .run("git status")
                .complaints()
                .contains(".env may be private, and was added")
        );
    }
    // Nor while a merge left several of one.
    git(&house, "git reset -q --hard && git checkout -qb other");
    put(&house, ".env", "A=MARK\n");
    git(&house, "git add -f . && git commit -qm two && git checkout -q main");
    put(&house, ".env", "A=MARK2\n");
    git(
        &house,
        "git add -f . && git commit -qm three; git merge -q other || rm .env",
    );
    assert!(
        house
            .run("git status")
            .complaints()
            .contains(".env may be private, and was added")
    );
}

#[test]
fn no_module_is_searched_whatever_is_set() {
    let mut house = unasked();
    put(&house, "sub/f.txt", KEY);
    git(
        &house,
        "git init -q -b main && cd sub && git init -q && git add . && git update-index --assume-unchanged f.txt \
         && git commit -q --allow-empty -m one -- && echo clean > f.txt && cd .. && git -c advice.addEmbeddedRepo=false add sub \
         && printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ./sub\\n' > .gitmodules && git add . && git commit -qm one \
         && git submodule init && git submodule absorbgitdirs && git config submodule.recurse true",
    );
    hides(&mut house, "git grep -h -A3 BEGIN");
}

#[test]
fn what_stands_for_something_else_in_one_repository_alone_does_not_there() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(&house, "git init -q -b main && git add . && git commit -qm one");
    put(&house, "conf/deploy", KEY);
    git(
        &house,
        "git add . && git commit -qm two && git tag mine && git reset -q --hard HEAD~1 && git replace HEAD mine",
    );
    for look in [
        "git show HEAD:conf/deploy",
        "git grep -h MARK HEAD",
        "git cat-file -p HEAD:conf/deploy",
        "git blame HEAD -- conf/deploy",
    ] {
        hides(&mut house, look);
    }
    git(
        &house,
        "git replace -d HEAD && git checkout -q --orphan else && echo MARK > b && git add b && git commit -qm b \
         && git checkout -q main && echo $(git rev-parse HEAD else) > .git/info/grafts && git branch -qD else",
    );
    hides(&mut house, "git log -p");
    hides(&mut house, "git show HEAD~1:b");
}

#[test]
fn what_a_file_was_called_in_one_of_the_versions_that_were_merged_counts() {
    let mut house = unasked();
    let lines = |tenth: &str| format!("{}{tenth}\n{}", "line\n".repeat(9), "line\n".repeat(10));
    put(&house, "a.txt", "one\n");
    put(&house, "secrets/prod.yml", &lines("line"));
    git(
        &house,
        "git init -q -b main && git add -f . && git commit -qm base && git checkout -qb moved && mkdir config \
         && git mv secrets/prod.yml config/prod.txt",
    );
    put(&house, "config/prod.txt", &lines("line ten"));
    git(&house, "git commit -qam moved && git checkout -q main");
    put(&house, "secrets/prod.yml", &lines("password: MARK"));
    git(&house, "git commit -qam three; git merge -q moved || true");
    put(&house, "config/prod.txt", &lines("from elsewhere"));
    put(&house, "a.txt", "two\n");
    git(
        &house,
        "git add -A && git commit -qm merged && git tag m && git rm -q config/prod.txt && git commit -qm gone",
    );
    for look in [
        "git show m",
        "git show m --cc",
        "git show -c m",
        "git log -p --cc",
        "git log -p -c m",
        "git diff m m~1 m^2",
        "git show --word-diff m",
        "git show --color-words m",
        "git -c log.diffMerges=remerge show -m m",
        "git -c log.diffMerges=remerge log -p -m m",
        "git log -p -m",
        "git show --first-parent m",
        "git show 'm^!'",
        "git diff 'm^!'",
        "git diff m 'm^@'",
        "git diff -c m m~1 m^2",
        "git diff --cc -m m m~1 m^2",
        "git diff --first-parent m m~1 m^2",
    ] {
        hides(&mut house, look);
    }
    // What is beside it is there, and what has no such name.
    assert!(house.run("git show m").stdout.contains("++two"));
    is_as_ever(
        &mut house,
        "git show --stat m; git show -s m; git diff --cc m m~1 -- a.txt; git log --cc --stat; git show main^!",
    );
}

#[test]
fn a_commit_that_is_called_by_its_hash_is_shown_if_a_branch_or_a_tag_has_it() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(
        &house,
        "git init -q -b main && git add . && git commit -qm one && git checkout -qb topic --track",
    );
    put(&house, ".env", "A=MARK\n");
    put(&house, "b.txt", "two\n");
    git(
        &house,
        "git add -f . && git commit -qm two && git tag mine && git reset -q --hard HEAD~1 && git checkout -q main",
    );
    put(&house, "b.txt", "MARK\n");
    git(&house, "git add b.txt && git commit -qm three");
    let gone = house.prints("git rev-parse --short HEAD");
    let gone = gone.trim();
    git(&house, "git reset -q --hard HEAD~1 && git checkout -q topic");
    put(&house, "a.txt", "MARK\n");
    git(&house, "git stash -q");
    let hash = |name: &str| house.prints(&format!("git rev-parse {name}")).trim().to_owned();
    let (mine, stash, env) = (hash("mine"), hash("stash"), hash("mine:.env"));
    for look in [
        format!(
            "git show {mine} -- b.txt; git show {} -- b.txt; git log -p {mine} -- b.txt",
            &mine[..7]
        ),
        format!(
            "git diff main {mine} -- b.txt; git diff main...{} -- b.txt; git show {mine}:b.txt",
            &mine[..9]
        ),
        format!("git show --stat {mine}; git log --oneline {mine}; git show 'main@{{u}}'; git show '@{{u}}'"),
    ] {
        is_as_ever(&mut house, &look);
    }
    assert!(hides(&mut house, &format!("git show {mine}")).stdout.contains("two"));
    for look in [
        format!("git show {stash}"),
        format!("git show {}", &stash[..7]),
        format!("git log -p -m {}", &stash[..7]),
        format!("git diff main {stash}"),
        format!("git diff HEAD..{stash}"),
        format!("git show {stash}:a.txt"),
        format!("git show {gone}"),
        format!("git show {gone}^{{commit}}"),
        format!("git show '{gone}^!'"),
        format!("git log -p main..v1-3-g{gone}"),
        format!("git show main:x-g{gone}"),
        format!("git diff main a~b-g{gone}"),
        format!("git grep -h MARK main:x-g{gone}"),
        format!("git blame main:x-g{gone} -- b.txt"),
        format!("git show x:src/main.rs-g{env}"),
        format!("git cat-file -p x:y.rs-g{env}"),
        format!("git show {env}"),
        "git show 'topic@{u}@{1}'".to_owned(),
        "git show '@{u}@{1}:b.txt'".to_owned(),
        "git log -p -1 '@{u}@{1}'".to_owned(),
    ] {
        let shown = hides(&mut house, &look);
        is_refused(&look, &shown);
    }
}

#[test]
fn no_name_that_git_keeps_for_itself_or_for_a_tool_shows_what_is_in_no_branch() {
    let mut house = unasked();
    put(&house, "a.txt", "one\n");
    git(
        &house,
        "git init -q -b main && git add . && git commit -qm one && git checkout -q --detach",
    );
    put(&house, "d.txt", "MARK\n");
    git(
        &house,
        "git add . && git commit -qm two && git bisect start && for name in custom/x snap snapshots/a; do \
         git update-ref refs/$name HEAD; done; for name in me@host src/me@host @x HEAD@q; do git update-ref refs/$name HEAD; done; mkdir -p .git/lost && git rev-parse HEAD | tee .git/foo > .git/lost/x; \
         git checkout -q main && git tag -a -m told told && git branch other",
    );
    for name in [
        "BISECT_START",
        "custom/x",
        "snap",
        "snapshots/a",
        "foo",
        "lost/x",
        "refs/custom/x",
        "custom/x^0",
        "me@host",
        "src/me@host",
        "@x",
        "HEAD@q",
        "me@host~0",
    ] {
        for look in [
            format!("git log -p {name}"),
            format!("git show {name}"),
            format!("git diff main {name}"),
            format!("git diff {name}..main"),
            format!("git show {name}:d.txt"),
            format!("git cat-file -p {name}:d.txt"),
        ] {
            let shown = hides(&mut house, &look);
            is_refused(&look, &shown);
        }
    }
    is_as_ever(
        &mut house,
        "git show told; git show tags/told^{}; git log -p heads/other; git diff told..other; git show @; git show main~0; git diff HEAD",
    );
}

#[test]
fn what_is_searched_for_or_named_by_an_option_is_of_a_branch_too() {
    let mut house = unasked();
    put(&house, "f.txt", "one\n");
    put(&house, "pip.conf", "MARK\n");
    git(
        &house,
        "git init -q -b main && git add -f . && GIT_COMMITTER_DATE=2026-01-01T00:00:00 git commit -qm 'fix a:b /dev/null' \
         && git rm -qf pip.conf && GIT_COMMITTER_DATE=2026-01-01T00:00:01 git commit -qm top",
    );
    let look = "git cat-file -p 'HEAD^{/a:b}:pip.conf'";
    is_refused(look, &hides(&mut house, look));
    put(&house, "f.txt", "MARK\n");
    git(&house, "git stash -q");
    for look in [
        "git diff '^:/x|WIP' HEAD",
        "git diff HEAD '^:/x|WIP' -- f.txt",
        "git diff -R HEAD '^:/WIP'",
        "git show ':/WIP'",
    ] {
        is_refused(look, &hides(&mut house, look));
    }
    put(&house, ".env", "MARK\n");
    git(
        &house,
        "git tag one $(git hash-object -w .env) && echo x > .env && git tag two $(git hash-object -w .env)",
    );
    git(
        &house,
        "git worktree add -q -b work wt && cd wt && mkdir secrets && echo MARK > secrets/db.yml && echo MARK > b.txt && git add -f . \
         && git commit -qm in && cd .. && git add wt 2> /dev/null && git commit -qm all && cd wt && git rm -rqf b.txt secrets \
         && git commit -q --allow-empty --amend -m out",
    );
    for look in [
        "git show HEAD:wt",
        "git show main:wt -- b.txt",
        "git log -p -1 HEAD:wt",
        "git diff HEAD:wt",
        "git diff HEAD..HEAD:wt",
        "git grep -h MARK HEAD:wt",
        "git blame HEAD:wt -- b.txt",
    ] {
        is_refused(look, &hides(&mut house, look));
    }
    for look in [
        "git diff --tags",
        "git diff --word-diff --tags",
        "git diff --tags=on* HEAD:f.txt",
    ] {
        is_refused(look, &hides(&mut house, look));
    }
}
