//! What a command does to keep in its place what git obeys, and what follows where it can't be put away.

use crate::House;
use crate::planted::{is_put_away, repository};
use passepartout_host::capability::process::{self, Output, ProcessError, Writes};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn mode(house: &House, path: &str) -> u32 {
    let found = std::fs::metadata(house.workspace().join(path)).unwrap();
    found.permissions().mode() & 0o777
}

#[test]
fn a_folder_that_a_command_closed_to_its_owner_keeps_nothing_in_place() {
    let mut house = House::new();
    let clean = "chmod -R u+rwx r top 2> /dev/null; rm -rf r top";
    for asked in [true, false] {
        house.asked = asked;
        house.writes = Writes::Allowed;
        for bits in ["555", "500", "444", "311", "111", "000"] {
            let close = format!("{} && chmod {bits} r", repository("r"));
            is_put_away(&house, &close, "r/config");
            assert_eq!(house.run("true").notes, Vec::<String>::new(), "{bits}");
            assert!(house.works_outside(clean));
            let above = format!("{} && chmod {bits} top", repository("top/sub/r"));
            is_put_away(&house, &above, "top/sub/r/config");
            assert!(house.works_outside(clean));
        }
        let all = format!("{} && chmod 444 top/sub/r top/sub top", repository("top/sub/r"));
        is_put_away(&house, &all, "top/sub/r/config");
        assert!(house.works_outside(clean));
    }
    // As it was made, where that hides nothing.
    house.run(&format!("{} && chmod 555 r", repository("r")));
    assert_eq!(mode(&house, "r"), 0o555);
    assert!(house.works_outside(clean));
    let work = house.workspace();
    let own = std::fs::metadata(&work).unwrap().permissions();
    is_put_away(&house, &format!("{} && chmod 000 .", repository("r")), "r/config");
    std::fs::set_permissions(&work, own).unwrap();
}

#[test]
fn a_folder_that_was_closed_before_is_that_folder_and_none_of_its_name() {
    let house = House::new();
    let closed = house.workspace().join("p/closed");
    std::fs::create_dir_all(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o311)).unwrap();
    let line = format!("mv p q && {} && chmod 311 p/closed", repository("p/closed/e"));
    is_put_away(&house, &line, "p/closed/e/config");
    if !rustix::process::geteuid().is_root() {
        assert_eq!(mode(&house, "q/closed"), 0o311);
    }
}

#[test]
fn names_that_are_taken_keep_nothing_in_place() {
    let house = House::new();
    let line = format!(
        "{} && cd r && touch config.untrusted && for i in $(seq 1100); do echo > config.untrusted-$i; done",
        repository("r")
    );
    let output = house.run(&line);
    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert!(!house.workspace().join("r/config").exists(), "{output:?}");
    let said = |note: &String| note.starts_with("r/config was new") && note.contains("renamed to config.untrusted-");
    assert!(output.notes.iter().any(said), "{output:?}");
}

/// Does what `act` does where the kernel refuses a call.
pub fn where_refused<T: Send>(call: libc::c_long, rules: Vec<SeccompRule>, act: impl FnOnce() -> T + Send) -> T {
    let filter = SeccompFilter::new(
        [(call, rules)].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EDQUOT.unsigned_abs()),
        std::env::consts::ARCH.try_into().unwrap(),
    );
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            // It holds for this thread and what it starts.
            seccompiler::apply_filter(&filter).unwrap();
            act()
        });
        run.join().unwrap()
    })
}

/// Runs `line` where nothing can be renamed unless what is there may be replaced, so that the host can put nothing away.
pub fn run_where_nothing_is_put_away(house: &House, line: &str) -> Result<Output, ProcessError> {
    let never_replacing = SeccompCondition::new(4, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 1).unwrap();
    let rule = SeccompRule::new(vec![never_replacing]).unwrap();
    where_refused(libc::SYS_renameat2, vec![rule], || house.try_run(line))
}

/// The files in the ledger that end so.
fn ledger_files(house: &House, ending: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(house.path("state/commands")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|own| own == ending))
        .collect()
}

#[test]
fn what_cannot_be_put_away_is_owed_until_it_is_and_meanwhile_nothing_runs_unasked() {
    let mut house = House::new();
    let root = house.workspace();
    let is_said = |notes: &[String]| {
        let said = |note: &&String| note.starts_with("r/config is new") && note.contains("could not be renamed");
        notes.iter().filter(said).count()
    };
    let output = run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    assert_eq!(is_said(&output.notes), 1, "{output:?}");
    for line in ["true", "mkdir other"] {
        let output = run_where_nothing_is_put_away(&house, line).unwrap();
        assert_eq!((is_said(&output.notes), output.notes.len()), (1, 1), "{output:?}");
    }
    assert!(root.join("r/config").exists());
    // Nobody lets go of it before it has begun either.
    house.cancel.cancel();
    assert!(house.try_run("true").is_err());
    assert!(!root.join("r/config").exists() && root.join("r/config.untrusted").exists());
    house.cancel = Default::default();
    assert_eq!(house.run("true").notes, Vec::<String>::new());
    assert_eq!(std::fs::read_dir(house.path("state/commands")).unwrap().count(), 1);

    // Where it can be put away before, what nobody is asked about runs; where it can't, it does not.
    house.asked = false;
    for writes in [Writes::Refused, Writes::Allowed] {
        house.writes = writes;
        assert!(house.works_outside("rm -r r"));
        house.asked = true;
        run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
        house.asked = false;
        let refused = run_where_nothing_is_put_away(&house, "ls").unwrap_err().to_string();
        assert!(
            refused.contains("nothing was run") && refused.contains("could not be renamed: r/config"),
            "{refused}"
        );
        let output = house.run("ls r");
        assert!(output.stdout.contains("config.untrusted"), "{output:?}");
        assert!(
            output.notes.iter().any(|note| note.starts_with("r/config was new")),
            "{output:?}"
        );
    }
    // A daemon that begins looks after it too.
    assert!(house.works_outside("rm -r r"));
    house.asked = true;
    run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    let notes = process::look_after_killed(&root, &house.path("state")).unwrap();
    assert!(
        notes.iter().any(|note| note.starts_with("r/config was new")),
        "{notes:?}"
    );
    assert!(!root.join("r/config").exists());
}

#[test]
fn where_there_was_no_room_to_say_that_something_is_owed_the_note_of_how_it_was_says_it() {
    let mut house = House::new();
    run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    let marks = ledger_files(&house, "owed");
    assert_eq!(marks.len(), 1);
    std::fs::remove_file(&marks[0]).unwrap();
    house.asked = false;
    let refused = run_where_nothing_is_put_away(&house, "ls").unwrap_err().to_string();
    assert!(refused.contains("could not be renamed: r/config"), "{refused}");
    assert!(house.run("ls r").stdout.contains("config.untrusted"));
    assert!(ledger_files(&house, "json").is_empty());
}

#[test]
fn where_the_note_of_how_it_was_is_gone_nothing_runs_before_a_person_has_looked() {
    let mut house = House::new();
    run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    std::fs::remove_file(&ledger_files(&house, "json")[0]).unwrap();
    let mark = ledger_files(&house, "owed").remove(0);
    for asked in [true, false] {
        house.asked = asked;
        for _ in 0..2 {
            let refused = house.try_run("ls").unwrap_err().to_string();
            assert!(refused.contains(&mark.display().to_string()), "{refused}");
            assert!(refused.contains("delete the file"), "{refused}");
        }
    }
    assert!(process::look_after_killed(&house.workspace(), &house.path("state")).is_err());
    std::fs::remove_file(mark).unwrap();
    assert_eq!(house.run("ls r").exit_code, Some(0));
}

#[test]
fn what_cannot_be_looked_through_afterwards_is_owed() {
    let house = House::new();
    run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    let (root, state) = (house.workspace(), house.path("state"));
    let notes = where_refused(libc::SYS_getdents64, Vec::new(), || {
        process::look_after_killed(&root, &state)
    })
    .unwrap();
    let said = |note: &String| note.starts_with("the workspace could not be looked through");
    assert!(notes.iter().any(said), "{notes:?}");
    assert!(root.join("r/config").exists());
    let output = house.run("true");
    let said = |note: &String| note.starts_with("r/config was new");
    assert!(output.notes.iter().any(said), "{output:?}");
}

#[test]
fn what_was_put_away_before_nothing_was_run_is_said() {
    let mut house = House::new();
    let root = house.workspace();
    // More than is looked at for a command that nobody is asked about.
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    for number in 0..250 {
        std::fs::write(root.join(format!(".git/hooks/a{number}")), "").unwrap();
    }
    run_where_nothing_is_put_away(&house, &repository("r")).unwrap();
    (house.asked, house.writes) = (false, Writes::Allowed);
    let refused = house.try_run("ls").unwrap_err().to_string();
    assert!(
        refused.contains("nothing was run") && refused.contains("r/config was new"),
        "{refused}"
    );
    assert!(root.join("r/config.untrusted").exists() && root.join(".git/hooks/a0").exists());
}

#[test]
fn work_trees_that_a_command_makes_without_end_are_not_all_looked_into_and_that_is_owed() {
    let mut house = House::new();
    let root = house.workspace();
    for folder in [".git/objects", ".git/refs", ".git/hooks"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let words: Vec<String> = (0..500).map(|number| format!("word{number}\n")).collect();
    std::fs::write(root.join(".git/hooks/pre-commit"), words.concat()).unwrap();
    let make = "mkdir -p .git/worktrees trees && for i in $(seq 990); do mkdir .git/worktrees/$i trees/$i; echo \
                ../../../trees/$i/.git > .git/worktrees/$i/gitdir; done";
    let output = house.run(make);
    let said = |note: &String| note.starts_with(".git could not be looked through");
    assert!(
        output.exit_code == Some(0) && output.notes.iter().any(said),
        "{output:?}"
    );
    house.asked = false;
    let refused = house.try_run("ls").unwrap_err().to_string();
    assert!(
        refused.contains("nothing was run") && refused.contains(".git"),
        "{refused}"
    );
    assert!(house.works_outside("rm -r .git/worktrees"));
    assert_eq!(house.run("ls").notes, Vec::<String>::new());
}
