//! Links with harmless names, which a repository may bring: gates judge the name alone.

use super::*;
use crate::capability::files::diff;

/// A house in whose workspace each of these links leads to what stands beside it.
fn with_links(links: &[(&str, &str)], rights: &[&str]) -> House {
    let house = House::granting(rights);
    for (link, target) in links {
        symlink(target, house.workspace().join(link)).unwrap();
    }
    house
}

#[test]
fn no_link_is_followed_and_the_place_itself_is_told() {
    let links = [("l", "b.txt"), ("f", "folder"), ("v", ".vscode"), ("far", "f/in")];
    let house = with_links(&links, &["files:read:workspace", "files:write:workspace"]);
    for path in ["b.txt", "folder/in/a", ".vscode/settings.json"] {
        house.put(&format!("p/workspace/{path}"), "kept");
    }
    for (path, place) in [
        ("l", "b.txt"),
        ("f/in/a", "folder/in/a"),
        ("far/a", "folder/in/a"),
        ("v/settings.json", ".vscode/settings.json"),
    ] {
        let told = format!("leads by a link to {place}, and no link is followed");
        for refused in [
            why(house.read(path)),
            why(house.read(house.workspace().join(path))),
            why(read::sha256(path, &house.on())),
        ] {
            assert!(refused.contains(&told), "{path}: {refused}");
        }
        assert_eq!(house.read(place).unwrap(), "kept");
    }
    assert!(why(read::list("f", &house.on())).contains("leads by a link to folder,"));
    symlink(".", house.workspace().join("here")).unwrap();
    let told = "here leads by a link to the workspace itself, `.`, and no link is followed";
    assert!(why(read::list("here", &house.on())).contains(told));
    assert!(why(read::about("f/in", &house.on())).contains("leads by a link to folder/in,"));
    for path in ["f/in/a", "v/settings.json", "v/tasks.json"] {
        assert!(
            why(house.write(path, "mine", true)).contains("leads by a link to"),
            "{path}"
        );
        let args = plist!("PATH" => path, "TEXT" => "mine", "REPLACE" => true);
        let action = Action::close("TOOL", Origin::Model, plist!("TOOL" => "write-file", "ARGS" => args));
        let told = diff::futile(&action, &house.on());
        assert!(told.is_some_and(|told| told.contains("leads by a link to")), "{path}");
    }
    assert!(!house.workspace().join(".vscode/tasks.json").exists());
    assert_eq!(house.read("folder/in/a").unwrap(), "kept");
    assert!(!house.turn.has_read_outside());
}

#[test]
fn a_granted_folder_that_a_link_in_the_workspace_stands_for_is_not_followed_either() {
    let links = [("docs", ".vscode"), ("out", "../../elsewhere")];
    let rights = ["files:read:workspace/out", "files:write:workspace/docs"];
    let house = with_links(&links, &rights);
    house.put("elsewhere/a", "kept");
    house.put("p/workspace/.vscode/x", "");
    assert!(why(house.write("docs/tasks.json", "x", false)).contains("leads by a link to .vscode/tasks.json"));
    assert!(why(house.read("out/a")).contains("elsewhere/a, and no link is followed"));
    assert!(!house.turn.has_read_outside());
}

#[test]
fn links_that_lead_to_what_the_operator_granted_are_the_operators() {
    let house = House::granting(&["files:read:workspace", "files:read:HERE/granted"]);
    house.put("elsewhere/a", "x");
    symlink("elsewhere", house.here().join("granted")).unwrap();
    fs::rename(house.workspace(), house.here().join("real")).unwrap();
    symlink(house.here().join("real"), house.workspace()).unwrap();
    house.put("real/b", "y");
    assert_eq!(house.read("b").unwrap(), "y");
    assert!(!house.turn.has_read_outside());
    assert_eq!(house.read(house.here().join("granted/a")).unwrap(), "x");
    assert!(house.turn.has_read_outside());
}
