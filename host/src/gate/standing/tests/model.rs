//! The store against a model of it, and its file against whatever may become of it.

use proptest::prelude::*;

use super::*;

/// Things that differ in one part each.
fn things() -> Vec<(Action, Ask)> {
    let payload = |command: &str| plist!("CMD" => command, "EXPLANATION" => "to see it");
    let named = |scope: &str| Ask {
        remember: Some(scope.into()),
        ..ask()
    };
    vec![
        (action(payload("ls a")), named("ls 'a'")),
        (action(payload("ls b")), named("ls 'b'")),
        (Action::close("SHELL", Origin::Person, payload("ls a")), named("ls 'a'")),
        (
            action(payload("ls a")),
            Ask {
                rule: "tainted-turn".into(),
                ..named("ls 'a'")
            },
        ),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Remember(usize, u64),
    Revoke(usize),
    RevokeAll,
    Pass(u64),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_usize..4, 1_u64..200).prop_map(|(thing, seconds)| Step::Remember(thing, seconds)),
        2 => (0_usize..4).prop_map(Step::Revoke),
        1 => Just(Step::RevokeAll),
        2 => (0_u64..80).prop_map(Step::Pass),
        2 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Invariant 1, its part about standing approvals: in whatever order things are remembered, revoked, lapse, and the
    /// daemon is started anew, an ask is covered exactly if this very thing was remembered, has not lapsed since and was
    /// not taken back.
    #[test]
    fn invariant_1_a_standing_approval_covers_what_was_remembered_until_it_lapses_or_is_revoked(steps in steps()) {
        let place = Place::new();
        let things = things();
        let mut store = place.store();
        let mut wanted: Vec<Option<(String, u64)>> = vec![None; things.len()];
        let mut now = 0;
        for step in steps {
            match step {
                Step::Remember(at, seconds) => {
                    let (action, ask) = &things[at];
                    let (plan, approval) = place.approved(action, vec![ask.clone()]);
                    let drafts = store.drafts(&plan, Some(seconds), now).unwrap();
                    wanted[at] = Some((drafts[0].id.clone(), now + seconds));
                    store.keep(drafts, &approval, now).unwrap();
                }
                Step::Revoke(at) => match wanted[at].take() {
                    Some((id, expires)) => prop_assert_eq!(store.revoke(&id).is_ok(), now < expires),
                    None => prop_assert!(store.revoke("00000000").is_err()),
                },
                Step::RevokeAll => {
                    store.revoke_all().unwrap();
                    wanted.fill(None);
                }
                Step::Pass(seconds) => {
                    now += seconds;
                    store.expire(now);
                    store.save().unwrap();
                }
                Step::Restart => store = place.store(),
            }
            prop_assert!(store.fault().is_none());
            for ((action, ask), wanted) in things.iter().zip(&wanted) {
                let standing = wanted.as_ref().filter(|(_, expires)| now < *expires);
                let moment = store.at(now);
                prop_assert_eq!(moment.covers(action, ask), standing.map(|(id, _)| id.as_str()));
            }
        }
    }

    /// However its file is cut or changed, nothing is approved that was not, and nothing is half approved.
    #[test]
    fn a_damaged_file_never_means_approved(cut in 0.0_f64..1.0, flip in 0.0_f64..1.0, bit in 0_u8..8, how in 0_u8..3) {
        let (place, mut store, _) = remembered();
        let other = action(plist!("CMD" => "ls /opt", "EXPLANATION" => "to see it"));
        place.remember(&mut store, &other, &Ask { remember: Some("ls '/opt'".into()), ..ask() }).unwrap();
        let mut bytes = std::fs::read(place.path()).unwrap();
        let before: Vec<Standing> = store.list(50).cloned().collect();
        if how != 1 {
            bytes.truncate((bytes.len() as f64 * cut) as usize);
        }
        if how != 0 && !bytes.is_empty() {
            let at = (bytes.len() as f64 * flip) as usize;
            bytes[at] ^= 1 << bit;
        }
        std::fs::write(place.path(), &bytes).unwrap();
        let damaged = place.store();
        if damaged.fault().is_some() {
            prop_assert_eq!(damaged.list(50).count(), 0);
        }
        if how == 0 {
            // Only cut off: what is there was there.
            for own in damaged.list(50) {
                prop_assert!(before.contains(own), "{own:?}");
            }
        }
        let never = action(plist!("CMD" => "rm -rf /srv", "EXPLANATION" => "to see it"));
        let asked = Ask { remember: Some("rm '-rf' '/srv'".into()), ..ask() };
        prop_assert!(damaged.at(50).covers(&never, &asked).is_none());
    }
}
