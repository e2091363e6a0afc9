//! What a command leaves for git to do later, when the operator goes on with it.

use crate::planted::is_put_away;
use crate::{House, left_out};

#[test]
fn what_a_rebase_would_go_on_with_and_a_work_tree_outside_of_the_workspace_are_put_away() {
    let house = House::new();
    let make = "mkdir -p r/.git/objects r/.git/refs r/.git/rebase-merge && echo 'ref: refs/heads/main' > r/.git/HEAD";
    // One that only picks stays, and so does a work tree inside.
    house.prints(&format!(
        "{make} && echo 'pick 1' > r/.git/rebase-merge/git-rebase-todo && printf '[core]\\n\\tworktree = ../../s\\n' > \
         r/.git/config"
    ));
    assert!(house.workspace().join("r/.git/rebase-merge/git-rebase-todo").exists());
    assert!(house.workspace().join("r/.git/config").exists());
    for line in ["exec evil", "x evil", "\tx\tevil"] {
        house.prints("rm -rf r/.git/rebase-merge");
        is_put_away(
            &house,
            &format!("{make} && printf 'pick 1\\n{line}\\n' > r/.git/rebase-merge/git-rebase-todo"),
            "r/.git/rebase-merge/git-rebase-todo",
        );
    }
    for (folder, tree) in [("m", "/elsewhere"), ("n", "../../../elsewhere")] {
        let config = format!("{folder}/.git/config");
        let make = make.replace("r/", &format!("{folder}/"));
        is_put_away(
            &house,
            &format!("{make} && printf '[core]\\n\\tworktree = {tree}\\n' > {config}"),
            &config,
        );
    }
}

#[test]
fn what_the_operators_configuration_names_is_read_and_not_changed() {
    let house = House::new();
    let root = house.workspace();
    for folder in [".git/objects", ".git/refs", "tools"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(
        root.join(".git/config"),
        "[diff \"doc\"]\n\ttextconv = sh tools/conv.sh\n[filter \"f\"]\n\tclean = ./later.sh\n",
    )
    .unwrap();
    std::fs::write(root.join("tools/conv.sh"), "cat \"$1\"\n").unwrap();
    assert_eq!(house.prints("cat tools/conv.sh"), "cat \"$1\"\n");
    assert_eq!(house.run("touch tools/other").notes, Vec::<String>::new());
    for line in ["echo evil > tools/conv.sh", "rm tools/conv.sh", "mv new tools/conv.sh"] {
        std::fs::write(root.join("new"), "evil\n").unwrap();
        house.refuses(line);
    }
    // What leads there stays where it is, so that nothing else can be in its place.
    house.refuses("mv tools away");
    is_put_away(&house, "echo evil > later.sh", "later.sh");
}

#[test]
fn a_line_of_the_commands_own_is_not_to_be_taken_for_a_note() {
    let output = House::new().run("echo '[jail] all is well' >&2; printf 'x\\r[jail] y\\n' >&2; echo '[jail] z'");
    assert_eq!(output.complaints(), "\\[jail] all is well\nx\r\\[jail] y\n");
    assert_eq!(output.printed(), "\\[jail] z\n");
}

#[test]
fn a_name_of_the_commands_own_makes_no_note() {
    let house = House::new();
    let repository = "$'r\\n[jail] all is well'";
    let output = house.run(&format!(
        "mkdir -p {repository}/.git/objects {repository}/.git/refs; cd {repository}/.git; echo 'ref: refs/heads/main' > HEAD; \
         printf '[core]\\n\\tfsmonitor = ./evil\\n' > config"
    ));
    let said = output.complaints();
    let notes: Vec<&str> = said.lines().collect();
    let [note] = notes.as_slice() else {
        panic!("one line: {said}")
    };
    assert!(note.starts_with("[jail] r<U+000A>\\[jail] all is well/.git"), "{said}");
}

/// A house whose operator has a repository with hooks that go from each work tree.
fn with_hooks_in_the_tree() -> House {
    let house = House::new();
    let root = house.workspace();
    for folder in [".git/objects", ".git/refs", ".githooks"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(root.join(".git/config"), "[core]\n\thooksPath = .githooks\n").unwrap();
    house
}

#[test]
fn a_new_way_to_a_repository_is_put_away_unless_the_repository_knows_it() {
    let hook = "mkdir -p sub/.githooks && echo evil > sub/.githooks/post-index-change";
    for (line, path) in [
        ("echo 'gitdir: ../.git' > sub/.git", "sub/.git"),
        ("ln -s ../.git sub/.git", "sub/.git"),
        (
            "mkdir -p .git/worktrees/x && echo ../.. > .git/worktrees/x/commondir && cp .git/HEAD .git/worktrees/x/ && echo \
             /elsewhere/.git > .git/worktrees/x/gitdir && echo 'gitdir: ../.git/worktrees/x' > sub/.git",
            "sub/.git",
        ),
        // Where it is known, its hooks are judged.
        (
            "mkdir -p .git/worktrees/x && echo ../.. > .git/worktrees/x/commondir && cp .git/HEAD .git/worktrees/x/ && echo \
             ../../../sub/.git > .git/worktrees/x/gitdir && echo 'gitdir: ../.git/worktrees/x' > sub/.git",
            "sub/.githooks",
        ),
    ] {
        is_put_away(&with_hooks_in_the_tree(), &format!("{hook} && {line}"), path);
    }
    // The operator's own stays, and what it makes git run is not changed.
    let house = with_hooks_in_the_tree();
    for tree in ["sub", "linked"] {
        std::fs::create_dir_all(house.workspace().join(tree).join(".githooks")).unwrap();
    }
    std::fs::write(house.workspace().join("sub/.git"), "gitdir: ../.git\n").unwrap();
    std::os::unix::fs::symlink("../.git", house.workspace().join("linked/.git")).unwrap();
    assert_eq!(house.run("true").notes, Vec::<String>::new());
    for tree in ["sub", "linked"] {
        house.refuses(&format!("echo evil > {tree}/.githooks/post-index-change"));
    }
}

#[test]
fn work_trees_and_modules_that_git_makes_stay() {
    let house = House::new();
    if !house.works_outside("git --version > /dev/null") {
        left_out("work trees and modules in the jail: git is not installed");
        return;
    }
    let output = house.run(
        "git init -q m && cd m && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && cd .. && git init -q r \
         && cd r && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git worktree add -q ../w && git -c \
         protocol.file.allow=always submodule add -q ../m sub && git init -q --separate-git-dir=../apart ../own",
    );
    assert_eq!(
        (output.exit_code, output.notes),
        (Some(0), Vec::new()),
        "{}",
        output.stderr
    );
    for path in ["w/.git", "r/sub/.git", "own/.git"] {
        assert!(house.workspace().join(path).is_file(), "{path}");
    }
}

#[test]
fn what_was_stopped_in_the_middle_goes_on_with_what_is_known_to_be_harmless_only() {
    let make = "mkdir -p r/.git/objects r/.git/refs && echo 'ref: refs/heads/main' > r/.git/HEAD && cd r/.git";
    for (line, path) in [
        (
            "echo 'exec evil' > x; mkdir rebase-merge; ln -s ../x rebase-merge/git-rebase-todo",
            "rebase-merge",
        ),
        (
            "mkdir x; echo 'exec evil' > x/git-rebase-todo; ln -s x rebase-merge",
            "rebase-merge",
        ),
        (
            "mkdir rebase-merge; echo x/evil > rebase-merge/strategy",
            "rebase-merge",
        ),
        ("mkdir rebase-merge; echo x > rebase-merge/unheard-of", "rebase-merge"),
        (
            "mkdir sequencer; printf '[options]\\nstrategy = x/evil\\n' > sequencer/opts; echo pick > sequencer/todo",
            "sequencer",
        ),
        (
            "mkdir sequencer; printf '[options] strategy = \"x\"/evil\\n' > sequencer/opts",
            "sequencer",
        ),
        (
            "mkdir rebase-apply; echo \"'--unsafe-paths'\" > rebase-apply/apply-opt",
            "rebase-apply",
        ),
    ] {
        is_put_away(&House::new(), &format!("{make}; {line}"), &format!("r/.git/{path}"));
    }
    let house = House::new();
    let output = house.run(&format!(
        "{make}; mkdir rebase-merge sequencer rebase-apply; cd rebase-merge; echo 'pick 1' | tee git-rebase-todo \
         git-rebase-todo.backup done; for name in msgnum end head-name onto author-script message patch interactive; do echo \
         1 > $name; done; echo recursive > strategy; cd ../sequencer; echo 'pick 1' > todo; echo 1 > head; printf \
         '[options]\\n\\tstrategy = ort\\n\\tsignoff = true\\n' > opts; cd ../rebase-apply; touch 0001 0002 next last apply-opt"
    ));
    assert_eq!(
        (output.exit_code, output.notes),
        (Some(0), Vec::new()),
        "{}",
        output.stderr
    );
}

#[test]
fn a_rebase_that_git_stopped_goes_on() {
    let house = House::new();
    if !house.works_outside("git --version > /dev/null") {
        left_out("a rebase in the jail: git is not installed");
        return;
    }
    let git = "git -c user.name=a -c user.email=b -c core.editor=true";
    for options in ["", "--apply", "-i", "-s recursive"] {
        house.prints("mv r r.$RANDOM 2> /dev/null; git init -q r");
        let stopped = house.run(&format!(
            "cd r && for text in one two; do echo $text > f; git add f; {git} commit -qm $text; done; git checkout -qb b HEAD~ \
             && echo other > f && {git} commit -qam other && ! {git} rebase {options} - > /dev/null 2>&1"
        ));
        assert_eq!(
            (stopped.exit_code, stopped.notes),
            (Some(0), Vec::new()),
            "{options}: {}",
            stopped.stderr
        );
        let done = house.run(&format!(
            "cd r && echo both > f && git add f && {git} rebase --continue > /dev/null && cat f"
        ));
        assert_eq!(
            (done.stdout.as_str(), done.notes),
            ("both\n", Vec::new()),
            "{options}: {}",
            done.stderr
        );
    }
}

#[test]
fn what_the_operators_configuration_names_is_found_however_it_is_written() {
    for (config, file, line) in [
        (
            "[core]\n\thooksPath = .git\\\nhooks\n",
            ".githooks/pre-push",
            "echo evil > .githooks/pre-push",
        ),
        (
            "[core]\n\thooksPath = .\"githooks\" ; ours\n",
            ".githooks/pre-push",
            "echo evil > .githooks/pre-push",
        ),
        (
            "[core]\n\thooksPath = WORKSPACE/.githooks # ours\n",
            ".githooks/pre-push",
            "rm .githooks/pre-push",
        ),
        ("[include]\n\tpath = \"../\"more\n", "more", "echo evil > more"),
        ("[include]\n\tpath = OUTSIDE\n", "tools/x.sh", "echo evil > tools/x.sh"),
        (
            "[alias]\n\tm = \"!$PWD/tools/x.sh\"\n",
            "tools/x.sh",
            "echo evil > tools/x.sh",
        ),
        (
            "[alias]\n\tm = \"!sh \\\"${PWD}\\\"/tools/x.sh\"\n",
            "tools/x.sh",
            "echo evil > tools/x.sh",
        ),
        (
            "[alias]\n\tm = !\"$(git rev-parse --show-toplevel)/tools/x.sh\"\n",
            "tools/x.sh",
            "echo evil > tools/x.sh",
        ),
        (
            "[alias]\n\tm = \"!f() { x=tools/x.sh;sh $x; }; f\"\n",
            "tools/x.sh",
            "echo evil > tools/x.sh",
        ),
        (
            "[alias]\n\tm = \"!cd tools && ./x.sh\"\n",
            "tools/x.sh",
            "echo evil > tools/x.sh",
        ),
        (
            "[alias]\n\tm = \"!cd \\\"$(git rev-parse --show-toplevel)/deep\\\"; cd tools; sh x\"\n",
            "deep/tools/x",
            "mv deep/tools/x y",
        ),
        (
            "[diff \"d\"]\n\ttextconv = env -C tools ./x.sh\n",
            "tools/x.sh",
            "echo evil > tools/x.sh",
        ),
        (
            "[diff \"d\"]\n\ttextconv = WORKSPACE/tools/x.sh\n",
            "tools/x.sh",
            "echo evil > tools/x.sh",
        ),
        (
            "[diff \"d\"]\n\ttextconv = env A=1 sh deploy\n",
            "deploy",
            "echo evil > deploy",
        ),
        (
            "[init]\n\ttemplateDir = ./tmpl\n",
            "tmpl/hooks/post-checkout",
            "echo evil > tmpl/hooks/post-checkout",
        ),
    ] {
        let house = House::new();
        let root = house.workspace();
        for folder in [".git/objects", ".git/refs"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        std::fs::write(
            house.path("included"),
            format!("[diff \"d\"]\n\ttextconv = {}/tools/x.sh\n", root.display()),
        )
        .unwrap();
        let outside = house.path("included").display().to_string();
        let text = config
            .replace("WORKSPACE", &root.display().to_string())
            .replace("OUTSIDE", &outside);
        std::fs::write(root.join(".git/config"), text).unwrap();
        let seen = house.run(&format!("cat {file} && touch other && mkdir new && echo > new/x.sh"));
        assert_eq!((seen.exit_code, seen.notes), (Some(0), Vec::new()), "{config}");
        house.refuses(line);
        assert!(house.works_outside(line), "{config}");
    }
}

#[test]
fn an_ordinary_alias_keeps_nothing_from_being_written() {
    let house = House::new();
    let root = house.workspace();
    std::fs::create_dir_all(root.join(".git/objects")).unwrap();
    std::fs::create_dir_all(root.join("src")).unwrap();
    for file in ["status", "src/main.rs"] {
        std::fs::write(root.join(file), "").unwrap();
    }
    std::fs::write(
        root.join(".git/config"),
        "[alias]\n\tst = status -sb\n\tl = log --oneline -- src/ ./\n\tb = \"!cd src/ && make out.o && ls main.rs.o\"\n",
    )
    .unwrap();
    let line = "echo x > status && echo y > src/main.rs && echo z > make && chmod +x make && touch src/out.o";
    let output = house.run(line);
    assert_eq!(
        (output.exit_code, output.notes),
        (Some(0), Vec::new()),
        "{}",
        output.stderr
    );
}

/// Set where the test below runs a second time, with a home of its own.
const AT_HOME: &str = "JAIL_TEST_WITH_A_HOME";

#[test]
fn hooks_that_the_operators_own_settings_put_into_every_work_tree_are_kept() {
    if std::env::var_os(AT_HOME).is_none() {
        let home = House::new();
        std::fs::write(home.path(".gitconfig"), "[include]\n\tpath = more\n").unwrap();
        std::fs::write(home.path("more"), "[core]\n\thooksPath = .githooks\n").unwrap();
        let again = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "later::hooks_that_the_operators_own_settings_put_into_every_work_tree_are_kept",
            ])
            .env("HOME", home.root.path())
            .env(AT_HOME, "yes")
            .status();
        assert!(again.unwrap().success());
        return;
    }
    let house = House::new();
    for folder in [".git/objects", ".git/refs", ".githooks"] {
        std::fs::create_dir_all(house.workspace().join(folder)).unwrap();
    }
    std::fs::write(house.workspace().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    house.refuses("echo evil > .githooks/pre-commit");
    is_put_away(
        &house,
        "mkdir -p new/.git/objects new/.git/refs new/.githooks && cp .git/HEAD new/.git/ && echo evil > \
         new/.githooks/pre-commit",
        "new/.githooks",
    );
}
