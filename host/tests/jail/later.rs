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
