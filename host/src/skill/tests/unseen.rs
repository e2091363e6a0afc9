//! Files that are changed without another stamp, as where the file system knows times by the second.

use std::time::Instant;

use super::folder::{bundled, state_of};
use super::guest::Guest;
use super::*;
use crate::sexp::Digest;
use crate::skill::SkillState;
use crate::skill::loader::Loader;

fn version(version: &str) -> Vec<u8> {
    Guest::new(format!("(:NAME \"guard\" :VERSION \"{version}\" :FUNCTIONS (:GATE))")).build()
}

#[test]
fn a_change_that_leaves_the_stamp_as_it_was_is_taken_up_when_the_file_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let mut loader = Loader::new(WORKSHOP.clone(), bundled(), folder.path().to_owned());
    write(folder.path(), "guard.wasm", b"no skill at all");
    let set = loader.begin(Grants::default());
    assert_eq!(state_of(&set, "guard").0, SkillState::Failed);
    for number in ["1", "2"] {
        let bytes = version(number);
        write(folder.path(), "guard.wasm", &bytes);
        loader.overlook("guard");
        let now = Instant::now();
        assert!(
            !loader.notice(Grants::default(), &|_| false, now),
            "there is nothing to see"
        );
        assert!(loader.notice(Grants::default(), &|_| true, now));
        loader.work(now);
        let set = loader.place();
        let own = set.statuses().into_iter().find(|own| own.name == "guard").unwrap();
        assert_eq!(own.digest, Some(Digest::of_file(&bytes).to_string()));
        assert_eq!(own.state, SkillState::Ready);
    }
}
