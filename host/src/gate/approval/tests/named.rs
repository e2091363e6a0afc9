//! Which plan is meant, and what is said of one that is over.

use super::*;

#[test]
fn the_beginning_of_an_id_names_its_plan_where_no_other_begins_so_also_one_that_is_over() {
    let place = place();
    let mut store = store(&place);
    let session = session();
    let ids = ["aaaa0001", "aaaa0002", "aabb0003"];
    for id in ids {
        let made = store.add(
            id.to_owned(),
            action("ls"),
            vec![ask("shell")],
            session,
            Form::Nil,
            0..1000,
        );
        made.unwrap();
    }
    let by = Approver::Chat(session);
    store.deny(ids[1], by, None, 10).unwrap();
    let named = |id: &str| {
        store
            .named(id)
            .map(|plan| plan.id.clone())
            .map_err(|error| error.to_string())
    };
    assert_eq!(named("aaaa0001").unwrap(), ids[0]);
    assert_eq!(named("aabb").unwrap(), ids[2]);
    for capitals in ["AABB", "AaBB0003", " aabb "] {
        assert_eq!(named(capitals).unwrap(), ids[2], "{capitals}");
    }
    assert_eq!(named("aaaa0002").unwrap(), ids[1]);
    // One that is over is no less meant.
    let several = named("aaaa").unwrap_err();
    assert!(
        several.contains("aaaa0001 (waiting), aaaa0002 (denied); write more"),
        "{several}"
    );
    for short in ["", "b", "123", "aab"] {
        let told = named(short).unwrap_err();
        assert!(
            told.contains("at least 4 of its eight digits") && !told.contains("explain"),
            "{told}"
        );
    }
    for other in ["zzzz", "x", "1a2g", "last", "aaaa 0001"] {
        let told = named(other).unwrap_err();
        assert!(
            told.contains("eight hexadecimal digits") && !told.contains("explain"),
            "{told}"
        );
    }
    for none in ["bbbb", "aabb00034"] {
        assert!(named(none).unwrap_err().contains("there is no plan"), "{none}");
    }
}

#[test]
fn who_answers_a_plan_that_is_over_hears_how_it_ended_and_what_to_do() {
    let place = place();
    let mut store = store(&place);
    let session = session();
    let by = Approver::Chat(session);
    let [denied, expired, done, waits] = ["a", "b", "c", "d"].map(|cmd| add(&mut store, session, cmd).id);
    store.deny(&denied, by, None, 10).unwrap();
    store.expire(&expired).unwrap();
    store.consume(&done, by, 10).unwrap();
    store.finish(&done).unwrap();
    for (id, now, said) in [
        (&denied, 10, "it is denied; ask for it again"),
        (
            &expired,
            10,
            "it is expired: nobody answered it in time, and nothing of it was carried out; ask for it again",
        ),
        (
            &done,
            10,
            "it is done: it was approved, which counts for one time; `passepartout-host explain",
        ),
        // Nobody has noted it yet.
        (&waits, 1000, "it is expired: nobody answered it in time"),
    ] {
        let plan = store.get(id).unwrap().clone();
        let why = store.why_over(&plan, now).unwrap().to_string();
        assert!(why.contains(said), "{why}");
        assert_eq!(store.consume(id, by, now).unwrap_err().to_string(), why);
    }
    assert!(store.why_over(store.get(&waits).unwrap(), 10).is_none());
}
