//! Which commands come to what lies outside by way of a link, and which do not.

#![allow(clippy::unwrap_used)]

use super::*;
use std::os::unix::fs::symlink;

/// A workspace without links that lead out, and a file beside it.
fn workspace() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("work");
    std::fs::create_dir_all(workspace.join("sub/deep")).unwrap();
    std::fs::create_dir_all(workspace.join("other/a b")).unwrap();
    std::fs::write(folder.path().join("x"), "x").unwrap();
    std::fs::write(workspace.join("own"), "x").unwrap();
    std::fs::write(workspace.join("sub/deep/x"), "x").unwrap();
    symlink("own", workspace.join("in")).unwrap();
    symlink("../sub", workspace.join("other/round")).unwrap();
    (folder, workspace)
}

#[test]
fn only_what_a_link_takes_out_of_the_workspace_leads_out() {
    let (_folder, workspace) = workspace();
    for command in ["cat in", "cat *", "make all", "cat sub/../own", "ls sub/*"] {
        assert!(!leads_out(command, &workspace), "{command}");
    }
    symlink("../x", workspace.join("out")).unwrap();
    symlink("..", workspace.join("sub/up")).unwrap();
    symlink("../..", workspace.join("sub/over")).unwrap();
    for command in [
        "cat out",
        "cat 'out'>y",
        "cat *",
        "dd if=out",
        "cat sub/over/x",
        "cd sub && cat over/x",
        "cat sub/*/x",
    ] {
        assert!(leads_out(command, &workspace), "{command}");
    }
    let whole = format!("cat {}", workspace.join("out").display());
    assert!(leads_out(&whole, &workspace));
    for command in ["cat in", "cat sub/up/own", "make all", "cat nothing/out"] {
        assert!(!leads_out(command, &workspace), "{command}");
    }
}

#[test]
fn so_does_a_name_however_it_is_written_and_from_wherever() {
    let (_folder, workspace) = workspace();
    symlink("../../../x", workspace.join("sub/deep/out")).unwrap();
    symlink("../../../x", workspace.join("other/a b/out")).unwrap();
    for command in [
        "cat sub/deep/out",
        "cat sub''/deep/out",
        "cat s'u'b/d\\eep/\"out\"",
        "cat sub/deep/o\\\nut",
        "cat 'other/a b/out'",
        "cat other/a\\ b/out",
        "cd 'other/a b' && cat out",
        "cd sub && cd deep && cat out",
        "cd sub; cat deep/out",
        "cat sub/*/out",
        "cat */*/out",
        "cat **/out",
        "cat s*/deep/out",
        "cat {sub,other}/deep/out",
        "cat sub/deep/o{u,i}t",
        "cat ~/sub/deep/out",
        "cat $HOME/sub/deep/out",
        "cat ${PWD}/sub/deep/out",
        "bash -c \"cat s''ub/deep/out\"",
        "tar -Csub/deep -cf - out",
        "cat $'sub/deep/o\\x75t'",
    ] {
        assert!(leads_out(command, &workspace), "{command}");
    }
    for command in [
        "cat sub/deep/x",
        "cat sub''/deep/x",
        "cat out",
        "cat sub/out",
        "cat 'other/a b'",
        "ls sub/*",
        "cat */x",
        "echo $'a\\n'",
        "cat own; ls sub",
    ] {
        assert!(!leads_out(command, &workspace), "{command}");
    }
}

#[test]
fn what_follows_links_below_a_folder_leads_out_by_each_that_it_comes_to() {
    let (_folder, workspace) = workspace();
    const FOLLOWING: &[&str] = &[
        "grep -R x",
        "grep -Rn x .",
        "grep -nR x sub",
        "grep -R -A 3 sub",
        "/usr/bin/grep x sub --dereference-rec",
        "cd sub && grep -R x .",
        "cd sub && grep -R x deep",
        "grep -R x other",
        "grep -R x s*",
        "cp -rL sub copy",
        "cp -r --dereference sub copy",
        "find -L . -type f",
        "find -L sub -exec cat {} +",
        "find sub -follow",
        "tar -chf a.tar sub",
        "tar chf a.tar sub",
        "tar --dereference -cf a.tar .",
        "rsync -aL sub/ copy",
        "rsync -a --copy-unsafe-links sub copy",
        "rg -L x",
        "rg --follow x sub",
        "zip -r a.zip sub",
        "diff -r sub copy",
        "bash -c 'grep -R x sub'",
        "echo \"$(grep -R x sub)\"",
        "sudo nice grep -R x sub",
    ];
    for command in FOLLOWING {
        assert!(!leads_out(command, &workspace), "{command}");
    }
    symlink("../../../x", workspace.join("sub/deep/out")).unwrap();
    for command in FOLLOWING {
        assert!(leads_out(command, &workspace), "{command}");
    }
    for command in [
        "grep -rn x .",
        "grep x own",
        "cp -r sub copy",
        "find . -type f",
        "tar -cf a.tar sub",
        "rsync -a sub copy",
        "ls -l sub",
        "rg x",
        "grep -R x 'other/a b'",
    ] {
        assert!(!leads_out(command, &workspace), "{command}");
    }
}

#[test]
fn a_link_that_leads_round_ends_and_more_than_can_be_looked_at_counts_as_leading_out() {
    let (_folder, workspace) = workspace();
    symlink("..", workspace.join("sub/up")).unwrap();
    for command in ["grep -R x .", "cat **/x", "cat */*/*/x"] {
        assert!(!leads_out(command, &workspace), "{command}");
    }
    let mut ways = Ways::new(&workspace);
    ways.left = 2;
    assert_eq!(ways.comes_out(vec![workspace.clone()]), None);
    let words: Vec<String> = (0..MOST_FOLDERS).map(|at| format!("f{at}")).collect();
    for word in &words {
        std::fs::create_dir(workspace.join(word)).unwrap();
    }
    assert!(leads_out(&words.join(" "), &workspace));
    let many = "no such file here ".repeat(5_000);
    assert!(!leads_out(&many, &workspace));
}
