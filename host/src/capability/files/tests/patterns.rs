//! What the operator's patterns name: closed by every function and every way.

use super::*;

#[test]
fn what_the_operator_protects_is_closed_by_every_name_that_leads_there_and_to_every_function() {
    let patterns = ["notes/secret*", "private", "HERE/p/workspace/absolute", "*.sqlite"];
    let house = House::protecting(&patterns, &["files:read:HERE", "files:write:HERE"]);
    for path in [
        "notes/secret1",
        "private/deep/x",
        "absolute",
        "a/b.sqlite",
        "notes/open",
    ] {
        house.put(&format!("p/workspace/{path}"), "kept");
    }
    house.put("elsewhere/private/x", "kept");
    for (link, target) in [
        ("folder", "notes"),
        ("file", "notes/secret1"),
        ("inner", "private/deep"),
        ("rooted", "absolute"),
        ("base", "a/b.sqlite"),
    ] {
        symlink(target, house.workspace().join(link)).unwrap();
    }
    for path in [
        "notes/secret1",
        "private/deep/x",
        "absolute",
        "a/b.sqlite",
        "folder/secret1",
        "file",
        "inner/x",
        "rooted",
        "base",
        "../../elsewhere/private/x",
    ] {
        let path = path.strip_prefix("../..").map_or_else(
            || house.workspace().join(path),
            |path| house.here().join(path.trim_start_matches('/')),
        );
        let text = path.to_str().unwrap();
        let on = house.on();
        for refused in [
            why(house.read(&path)),
            why(read::sha256(text, &on)),
            why(house.write(&path, "mine", true)),
        ] {
            let links = refused.contains("a symbolic link");
            assert!(
                links || refused.contains("protected by the setting dispatcher.protected"),
                "{text}: {refused}"
            );
        }
        assert!(fs::read_to_string(&path).is_ok_and(|text| text == "kept"), "{text}");
    }
    for folder in ["private", "private/deep", "inner"] {
        let error = why(read::list(folder, &house.on()));
        assert!(error.contains("dispatcher.protected"), "{folder}: {error}");
    }
    assert!(why(read::about("private/deep", &house.on())).contains("dispatcher.protected"));
    assert!(why(house.write("folder/secret2", "x", false)).contains("dispatcher.protected"));
    assert_eq!(house.read("notes/open").unwrap(), "kept");
}

#[test]
fn a_pattern_counts_with_either_name_of_a_workspace_that_is_reached_by_a_link() {
    // Of an absolute one the configuration knows both spellings.
    let house = House::protecting(&["inner/x", "z"], &["files:read:HERE"]);
    fs::create_dir_all(house.here().join("real")).unwrap();
    fs::rename(house.workspace(), house.here().join("real/workspace")).unwrap();
    symlink("../real/workspace", house.workspace()).unwrap();
    for name in ["inner/x", "z", "open"] {
        house.put(&format!("real/workspace/{name}"), "kept");
        for folder in ["real/workspace", "p/workspace"] {
            let read = house.read(house.here().join(folder).join(name));
            assert_eq!(read.is_ok(), name == "open", "{folder}/{name}: {read:?}");
        }
    }
}
