//! What one call has the host do: wait for it, and copy for it, each up to a bound.

use super::acts::{cleared, refused, run, shell_rights, turn};
use super::guest::{Guest, PROPOSE};
use super::*;
use crate::capability::{Effects, Failure, Output, Turn};
use crate::gate::{Cleared, Consent};
use crate::skill::SkillFault;

#[test]
fn the_host_waits_for_what_a_call_asks_for_up_to_a_bound_and_then_no_more() {
    /// Decisions that take as long as they are told.
    struct Undecided(Turn, u64);
    impl Effects for Undecided {
        fn run(&self, _: &str, _: Consent) -> Result<Output, Failure> {
            Err(Failure::Failed("nothing was cleared".to_owned()))
        }

        fn clear(&self, _: &str, _: &str, _: Form) -> Result<Cleared<Action>, Failure> {
            std::thread::sleep(std::time::Duration::from_millis(self.1));
            Err(Failure::Failed("not now".to_owned()))
        }

        fn turn(&self) -> &Turn {
            &self.0
        }
    }
    let waiting = |milliseconds: u64| {
        let mut guest = Guest::actuator("shell", "(:SHELL)").import(&PROPOSE);
        let text = guest.text("ls");
        let propose = format!("(call $propose {text} {text} (i32.const 128))");
        guest.act = format!(
            "{propose} {propose}
             (call $say (i32.load8_u (i32.const 128)) (i32.load (i32.const 140)) (i32.load (i32.const 144)))"
        );
        let skill = make("shell", guest, shell_rights());
        let effects = Arc::new(Undecided(turn(), milliseconds));
        skill.act(&cleared(shell("ls")), &signal(), effects)
    };
    assert_eq!(refused(waiting(LIMITS.wait_ms / 4)), "not now");
    let fault = waiting(LIMITS.wait_ms).unwrap_err();
    let SkillFault::Failed {
        fault: GateFault::Waits { asked_ms, allowed_ms },
        ..
    } = fault
    else {
        panic!("it waited on: {fault}")
    };
    assert!(asked_ms >= allowed_ms && allowed_ms == LIMITS.wait_ms);
}

#[test]
fn all_that_is_handed_to_the_host_at_one_go_is_as_much_as_its_memory_may_be_and_no_more() {
    // Both texts are the same piece of memory.
    let proposing = |more: u64| {
        let mut guest = Guest::actuator("shell", "(:SHELL)").import(&PROPOSE);
        guest.pages = 31;
        let half = LIMITS.memory / 2;
        guest.act = format!(
            "(call $propose (i32.const 0) (i32.const {half}) (i32.const 0) (i32.const {}) (i32.const 128))
             (call $say (i32.const 0) (i32.const 0) (i32.const 0))",
            half + more
        );
        match run(guest, shell("ls")).0 {
            Err(SkillFault::Failed { fault, .. }) => fault,
            other => panic!("{other:?}"),
        }
    };
    // The next bound is another one.
    assert!(matches!(proposing(0), GateFault::Given { .. }));
    let allowed = LIMITS.memory;
    assert_eq!(proposing(1), GateFault::Copied { allowed });
}
