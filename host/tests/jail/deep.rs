//! What lies so deep in the workspace that paths are too long, or that it is not looked into; and places that can't be
//! covered.

use crate::House;
use crate::owed::{run_where_nothing_is_put_away, where_refused};
use crate::planted::repository;
use passepartout_host::capability::process::{ProcessError, Writes};
use passepartout_host::config::JailMode;
use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// A line that makes folders in one another, and goes there.
fn down(name: &str, levels: usize) -> String {
    format!("for i in $(seq {levels}); do mkdir -p {name} && cd {name} || exit 1; done")
}

#[test]
fn what_is_covered_is_covered_where_no_path_leads_to_it_in_one_piece_too() {
    let mut house = House::new();
    let deep = down(&"m".repeat(250), 18);
    let make = format!(
        "{deep}; mkdir -p .git/objects .git/refs; echo 'ref: refs/heads/main' > .git/HEAD; echo '[core]' > .git/config; \
         echo secret > id_rsa; echo A=secret > .env"
    );
    assert!(house.works_outside(&make));
    for jail in [JailMode::Enforced, JailMode::Weak] {
        house.config.jail = jail;
        house.refuses(&format!("{deep}; cat id_rsa"));
        house.refuses(&format!("{deep}; echo evil >> .git/config"));
        house.refuses(&format!("{deep}; echo evil >> .env"));
        assert_eq!(house.prints(&format!("{deep}; cat .env")), "A=secret\n");
    }
    house.config.jail = JailMode::Enforced;
    house.asked = false;
    house.writes = Writes::Allowed;
    house.refuses(&format!("{deep}; cat .env"));
    assert!(house.works_outside(&format!("{deep}; cat .env && echo '#' >> .git/config && cat id_rsa")));
    assert!(house.works_outside("rm -r m*"));
}

#[test]
fn what_is_too_deep_to_be_looked_into_is_owed_by_the_command_that_makes_it_and_not_there_for_the_next() {
    let mut house = House::new();
    let deep = down("d", 300);
    let output = house.run(&format!("{deep}; {}", repository("r")));
    let said = |note: &String| note.starts_with("d/d/d/d/d/d/d/d could not be looked through");
    assert!(
        output.exit_code == Some(0) && output.notes.iter().any(said),
        "{output:?}"
    );
    house.asked = false;
    let refused = house.try_run("ls").unwrap_err().to_string();
    assert!(
        refused.contains("nothing was run") && refused.contains("d/d/d"),
        "{refused}"
    );
    // The operator's own is hidden, and nothing more.
    house.asked = true;
    assert!(house.works_outside("mv d e"));
    house.run("true");
    assert!(house.works_outside("rm -rf e"));
    assert_eq!(house.run("true").notes, Vec::<String>::new());
    assert!(house.works_outside(&format!("{deep}; echo text > file")));
    for asked in [true, false] {
        house.asked = asked;
        house.refuses(&format!("{}; cat file", deep.replace("mkdir -p d && ", "")));
        let output = house.run("ls");
        assert_eq!((output.stdout.as_str(), output.notes.len()), ("d\n", 1), "{output:?}");
        assert!(output.notes[0].contains("too deep"), "{output:?}");
    }
    assert!(house.works_outside("rm -rf d"));
}

#[test]
fn a_place_that_cannot_be_covered_is_no_fault_of_the_kernels_and_what_was_put_away_before_is_said() {
    let mut house = House::new();
    house.config.jail = JailMode::Weak;
    run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    // What is done by descriptor, as covers are.
    let flag = u64::from(libc::AT_EMPTY_PATH.unsigned_abs());
    let condition = SeccompCondition::new(2, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(flag), flag);
    let rule = SeccompRule::new(vec![condition.unwrap()]).unwrap();
    let error = where_refused(libc::SYS_open_tree, vec![rule], || house.try_run("touch ran")).unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, ProcessError::Failed { .. }), "{said}");
    for part in [
        "nothing was run",
        "protecting r",
        "rename or delete it",
        "r/config was new",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        !said.contains("weak") && !house.workspace().join("ran").exists(),
        "{said}"
    );
    assert_eq!(house.run("touch ran").exit_code, Some(0));
    // Nor are they lost where the turn is stopped.
    assert!(house.works_outside("rm -r r"));
    run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    house.cancel.cancel();
    let said = house.try_run("touch again").unwrap_err().to_string();
    assert!(said.contains("r/config was new"), "{said}");
    assert!(!house.workspace().join("again").exists());
}
