//! What programs that only look obey in the home folder, which is the workspace in the jail.

use crate::unasked::unasked;
use std::os::unix::fs::symlink;

#[test]
fn what_programs_obey_at_home_is_not_there_by_any_way_where_nobody_was_asked() {
    let mut house = unasked();
    let put = |name: &str| std::fs::write(house.workspace().join(name), "MARK\n").unwrap();
    for folder in [".config", "sub/.magic", "kept"] {
        std::fs::create_dir_all(house.workspace().join(folder)).unwrap();
    }
    for name in [
        ".config/lesskey",
        ".lesskey",
        ".magic.mgc",
        "kept/words.jq",
        "sub/.magic/magic.mgc",
        "sub/.jq",
    ] {
        put(name);
    }
    symlink("kept/words.jq", house.workspace().join(".jq")).unwrap();
    symlink("sub/.magic", house.workspace().join(".magic")).unwrap();
    let looks = [
        "cat .jq",
        "cat kept/words.jq",
        "cat .magic/magic.mgc",
        "cat sub/.magic/magic.mgc",
        "cat .magic.mgc",
        "cat .lesskey",
        "cat .config/lesskey",
    ];
    for look in looks {
        let output = house.run(look);
        assert_eq!(output.stdout, "", "{look}: {output:?}");
    }
    // Nothing obeys what lies further down.
    assert_eq!(house.prints("cat sub/.jq"), "MARK\n");
    house.asked = true;
    for look in looks {
        assert_eq!(house.prints(look), "MARK\n", "{look}");
    }
}

#[test]
fn a_pager_takes_no_commands_from_the_workspace() {
    let house = unasked();
    assert_eq!(
        house.prints("printenv LESSKEY LESSKEYIN LESSSECURE INPUTRC; echo $LESSOPEN$BASH_ENV$ENV"),
        "/dev/null\n/dev/null\n1\n/dev/null\n\n"
    );
}
