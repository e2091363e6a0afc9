//! What a command leaves for git to do later, when the operator goes on with it.

use crate::House;
use crate::planted::is_put_away;

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
    is_put_away(
        &house,
        "mv tools away && mkdir tools && echo evil > tools/conv.sh",
        "tools/conv.sh",
    );
    is_put_away(&house, "echo evil > later.sh", "later.sh");
}

#[test]
fn a_line_of_the_commands_own_is_not_to_be_taken_for_a_note() {
    let output = House::new().run("echo '[jail] all is well' >&2; printf 'x\\r[jail] y\\n' >&2; echo '[jail] z'");
    assert_eq!(output.complaints(), "\\[jail] all is well\nx\r\\[jail] y\n");
    assert_eq!(output.printed(), "\\[jail] z\n");
}
