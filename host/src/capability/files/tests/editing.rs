//! Edits, as a cleared call of a tool says them.

use super::*;
use crate::capability::files::diff;
use crate::capability::files::edit::edit;

impl House {
    /// Edits as an action closed now would.
    fn edit(&self, path: &str, old: &str, new: &str) -> Result<u64, Failure> {
        edit(&self.order(path, old, new), &self.on())
    }

    fn order(&self, path: &str, old: &str, new: &str) -> Edit {
        let args = plist!("PATH" => path, "OLD" => old, "NEW" => new);
        let base = base_of(&args, &self.on());
        Edit {
            path: path.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
            base: base.get(BASE).and_then(Form::as_str).map(str::to_owned),
        }
    }
}

#[test]
fn one_piece_of_a_file_is_replaced_and_the_rest_stays_to_the_byte() {
    let house = House::granting(&["files:write:workspace"]);
    let path = house.put("p/workspace/a.txt", "one\r\ntwo\nthree");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(house.edit("a.txt", "two\n", "2").unwrap(), 11);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\r\n2three");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o750);
    assert_eq!(house.edit("a.txt", "2", "").unwrap(), 10);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\r\nthree");
}

#[test]
fn a_piece_that_is_not_there_or_stands_twice_changes_nothing() {
    let house = House::granting(&["files:write:workspace"]);
    // The last one overlaps itself.
    for (content, old, said) in [
        ("one two", "three", "does not have"),
        ("one one", "one", "several places"),
        ("aaa", "aa", "several places"),
        ("one", "", "empty text"),
        ("one\r\ntwo\r\n", "one\ntwo", "only with CR before each line's end"),
        ("one\r\ntwo\n", "one\nthree", "does not have"),
    ] {
        let path = house.put("p/workspace/a.txt", content);
        let why = why(house.edit("a.txt", old, "x"));
        assert!(why.contains(said), "{content:?}, {old:?}: {why}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn a_file_that_changed_vanished_or_was_never_there_is_not_edited() {
    let house = House::granting(&["files:write:workspace"]);
    let path = house.put("p/workspace/a.txt", "one two");
    let order = house.order("a.txt", "one", "1");
    fs::write(&path, "one three").unwrap();
    assert!(why(edit(&order, &house.on())).contains("has changed after this was proposed"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "one three");
    fs::remove_file(&path).unwrap();
    assert!(why(edit(&order, &house.on())).contains("was deleted"));
    assert!(why(house.edit("a.txt", "one", "1")).contains("does not exist"));
    assert!(!path.exists());
    // An action that was closed before there was a file knows none to edit.
    let order = house.order("a.txt", "one", "1");
    fs::write(&path, "one").unwrap();
    assert!(why(edit(&order, &house.on())).contains("has changed"));
}

#[test]
fn an_edit_reaches_no_farther_than_a_write() {
    let house = House::granting(&["files:read:workspace", "files:write:workspace/notes"]);
    let outside = house.put("p/workspace/a.txt", "one");
    let notes = house.put("p/workspace/notes/b.bin", "");
    fs::write(&notes, b"\xffone").unwrap();
    symlink(&outside, house.workspace().join("notes/link")).unwrap();
    for path in ["a.txt", "notes/../a.txt", "notes/link", "notes/b.bin", "/etc/hostname"] {
        why(house.edit(path, "one", "1"));
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "one");
    assert_eq!(fs::read(&notes).unwrap(), b"\xffone");
}

/// What a model is told of this call before anybody is asked about it: by the file's being there, and by what it holds.
fn futile(house: &House, args: &Form) -> (Option<String>, Option<String>) {
    let payload = plist!("TOOL" => "edit-file", "ARGS" => args.clone()).joined(base_of(args, &house.on()));
    let action = Action::close("TOOL", Origin::Model, payload);
    let on = house.on();
    (diff::futile(&action, &on), diff::futile_by_content(&action, &on))
}

#[test]
fn what_a_file_holds_tells_which_changes_are_futile_as_the_diff_does() {
    let house = House::granting(&["files:read:workspace", "files:write:workspace"]);
    house.put("p/workspace/a.txt", "one one two\n");
    fs::write(house.put("p/workspace/b.bin", ""), b"\xffone").unwrap();
    house.put("p/workspace/long.txt", &"line\n".repeat(1_000_000));
    let piece = |path: &str, old: &str, new: &str| plist!("PATH" => path, "OLD" => old, "NEW" => new);
    let whole = |path: &str, text: &str| plist!("PATH" => path, "TEXT" => text, "REPLACE" => true);
    for (args, told) in [
        (
            piece("a.txt", "three", "x"),
            "a.txt can't be changed so: it does not have the text",
        ),
        (piece("a.txt", "one", "x"), "in several places"),
        (piece("a.txt", "", "x"), "empty text"),
        (piece("a.txt", "two", "two"), "a.txt would stay as it is"),
        (whole("a.txt", "one one two\n"), "a.txt would stay as it is"),
        (piece("b.bin", "one", "x"), "no text in UTF-8"),
        // It is too long to be shown, and not to be searched.
        (piece("long.txt", "three", "x"), "does not have the text"),
    ] {
        let (before, reason) = futile(&house, &args);
        assert_eq!(before, None, "{args}");
        assert!(
            reason.as_ref().is_some_and(|reason| reason.contains(told)),
            "{args}: {reason:?}"
        );
    }
    for args in [
        piece("a.txt", "two", "x"),
        whole("a.txt", "x"),
        whole("b.bin", "x"),
        whole("new.txt", "x"),
    ] {
        assert_eq!(futile(&house, &args), (None, None), "{args}");
    }
}

#[test]
fn of_a_file_that_may_not_be_read_nothing_is_told() {
    let house = House::granting(&["files:write:workspace"]);
    house.put("p/workspace/a.txt", "one");
    let args = plist!("PATH" => "a.txt", "OLD" => "two", "NEW" => "x");
    assert_eq!(futile(&house, &args), (None, None));
}
