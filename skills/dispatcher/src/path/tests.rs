#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::*;

fn roots() -> Roots {
    Roots {
        workspace: Some(Place::absolute("/home/me/.local/share/passepartout/workspace")),
        private: vec![
            Place::absolute("/home/me/.config/passepartout"),
            Place::absolute("/home/me/.local/share/passepartout"),
        ],
        protected: vec!["*.sqlite".to_owned(), "/srv/private".to_owned()],
    }
}

fn effect(path: &str, access: Access) -> Effect {
    let roots = roots();
    let place = Place::of(path, &roots.start());
    roots
        .protection(&place, access)
        .map_or(Effect::Allow, |(effect, _)| effect)
}

#[test]
fn paths_are_normalised_before_anything_is_matched() {
    let from = Place::absolute("/w/x");
    assert_eq!(Place::of("../a//./b/..", &from), Place::absolute("/w/a"));
    assert_eq!(Place::of("../../../../etc", &from), Place::absolute("/etc"));
    assert_eq!(Place::of("//etc///passwd", &from).to_string(), "/etc/passwd");
    assert_eq!(Place::of("~/x", &from).to_string(), "~/x");
    assert_eq!(Place::of("~/../bob", &from), Place::absolute("/home/bob"));
    assert_eq!(Place::of("file:///etc/x", &from), Place::absolute("/etc/x"));
}

#[test]
fn a_prefix_of_a_name_is_no_parent() {
    let workspace = Roots {
        workspace: Some(Place::absolute("/work/project")),
        ..Roots::default()
    };
    assert!(workspace.is_inside(&Place::absolute("/work/project/src")));
    assert!(!workspace.is_inside(&Place::absolute("/work/project_evil/src")));
    assert!(!workspace.is_inside(&Place::absolute("/work/project/../other")));
}

#[test]
fn protected_names_are_found_and_their_neighbours_are_not() {
    for (path, read) in [
        ("id_rsa", Effect::Reject),
        ("/home/x/.ssh/id_ed25519", Effect::Reject),
        ("~/.ssh/other", Effect::Reject),
        ("~/.aws/credentials", Effect::Reject),
        ("/etc/shadow", Effect::Reject),
        ("/proc/self/environ", Effect::Reject),
        ("/proc/1/root/etc/x", Effect::Reject),
        ("a/../.env", Effect::Ask),
        (".env.production", Effect::Ask),
        ("server.pem", Effect::Ask),
        ("db-password.txt", Effect::Ask),
        ("config/secrets.yml", Effect::Ask),
        ("secrets/db.txt", Effect::Ask),
        ("prod.env", Effect::Ask),
        ("config/service-account.json", Effect::Ask),
        ("vault_pass.txt", Effect::Ask),
        ("home.ovpn", Effect::Ask),
        ("id_rsa.bak", Effect::Ask),
        ("keys/id_ed25519~", Effect::Ask),
        (".id_rsa.swp", Effect::Ask),
        ("server.key.bak", Effect::Ask),
        ("server.pem.old.orig", Effect::Ask),
        ("server.key.temp", Effect::Ask),
        ("id_rsa.1", Effect::Ask),
        ("#server.pem#", Effect::Ask),
        ("id_rsa-copy", Effect::Ask),
        ("id_rsa_backup", Effect::Ask),
        ("id_rsa (1)", Effect::Ask),
        ("id_rsa - Copy (2)", Effect::Ask),
        ("Copy of id_rsa", Effect::Ask),
        ("server.key-old", Effect::Ask),
        ("server.key.temp2", Effect::Ask),
        ("server.key,v", Effect::Ask),
        (".id_rsa.kate-swp", Effect::Ask),
        (".netrc_ORIG", Effect::Ask),
        (".netrc.swp", Effect::Ask),
        (".pgpass.swo", Effect::Ask),
        ("..netrc.kate-swp", Effect::Ask),
        (".server.key.swp", Effect::Ask),
        (".netrc.new", Effect::Ask),
        (".netrc.2024-05-01", Effect::Ask),
        (".netrc-old-2024", Effect::Ask),
        ("id_rsa (another copy)", Effect::Ask),
        ("Kopie von id_rsa", Effect::Ask),
        ("id_rsa.~1~", Effect::Ask),
        (".npmrc.rej", Effect::Ask),
        (".netrc.GZ", Effect::Ask),
        (".netrc.zip", Effect::Ask),
        ("server.key.gz", Effect::Ask),
        ("id_rsa.bak.xz", Effect::Ask),
        (".env.b64", Effect::Ask),
        ("db-password.txt~", Effect::Ask),
        (".netrc.save", Effect::Ask),
        (".netrc-2024", Effect::Ask),
        (".netrc_20240501", Effect::Ask),
        (".netrc2", Effect::Ask),
        (".netrc.txt", Effect::Ask),
        ("netrc", Effect::Ask),
        ("netrc.bak", Effect::Ask),
        ("dot_netrc", Effect::Ask),
        ("pgpass.conf", Effect::Ask),
        ("npmrc.txt", Effect::Ask),
        ("dotenv.bak", Effect::Ask),
        ("env.production", Effect::Ask),
        ("dot_env", Effect::Ask),
        ("bash_history", Effect::Ask),
        (".ssh.bak/work", Effect::Ask),
        (".ssh-old/deep/work", Effect::Ask),
        (".docker.bak/config.json", Effect::Ask),
        (".aws_2024/credentials", Effect::Ask),
        ("x.sqlite", Effect::Reject),
        ("secring.bak", Effect::Reject),
        ("~/.config/rclone/rclone.conf", Effect::Reject),
        ("~/snap/firefox/common/x", Effect::Reject),
        ("~/.m2/settings.xml", Effect::Ask),
        ("/etc/passwd", Effect::Ask),
        ("/srv/private/a/b", Effect::Reject),
    ] {
        assert_eq!(effect(path, Access::Read), read, "{path}");
    }
    for path in [
        "tokenizer.py",
        "token.rs",
        "notes.env.txt",
        "notes.bak",
        "Cargo.toml.orig",
        "main.rs~",
        "main.rs.1",
        "notes.2024",
        "notes-2024.txt",
        ".notes.txt",
        ".github.bak/workflows/x",
        "env.js",
        "env.example",
        "dot_config",
        "dotenv.ts",
        "netrc.py",
        "docker.bak/config.json",
        ".docker.bak/x",
        "notes.txt.gz",
        "#",
        "##",
        "~",
        ".bak",
        ".env.example",
        "environment",
        "id_rsa.md",
        "keyboard.txt",
        "passwords.md",
        "monkey",
        "etc/shadow",
        "proc/self/environ",
        "secretary.txt",
        "src/token/mod.rs",
        "x.sqlite3",
        "secring",
        "snap/firefoxes/x",
        "docs/git/hooks/x",
        "src/.gitkeep",
        "my.boto.txt",
        "/srv/privately",
        "README.md",
        ".bashrc",
        ".git/hooks/pre-commit",
    ] {
        assert_eq!(effect(path, Access::Read), Effect::Allow, "{path}");
    }
}

#[test]
fn what_is_the_same_file_where_case_does_not_count_asks() {
    for (path, access) in [
        (".ENV", Access::Read),
        ("conf/.Env.Production", Access::Read),
        ("ID_RSA", Access::Read),
        (".SSH/other", Access::Read),
        (".aws/Credentials", Access::Write),
        (".GIT/hooks/pre-commit", Access::Write),
        (".Bashrc", Access::Write),
    ] {
        assert_eq!(effect(path, access), Effect::Ask, "{path}");
    }
    for path in [
        "README.md",
        "Makefile",
        ".ENV.example",
        "src/Environment.rs",
        ".GIT-notes",
    ] {
        assert_eq!(effect(path, Access::Write), Effect::Allow, "{path}");
    }
    assert_eq!(effect(".Bashrc", Access::Read), Effect::Allow);
}

#[test]
fn what_persists_may_be_read_and_not_written() {
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        "~/.bashrc",
        "~/.config/systemd/user/x.service",
        "/etc/cron.d/x",
        ".git/modules/sub/hooks/post-checkout",
        "~/.config/environment.d/x.conf",
        "~/.config/autostart/x.desktop",
        "/var/spool/cron/me",
    ] {
        assert_eq!(effect(path, Access::Write), Effect::Reject, "{path}");
    }
    assert_eq!(effect(".github/hooks/x", Access::Write), Effect::Allow);
    assert_eq!(effect("docs/.gitignore", Access::Write), Effect::Allow);
}

#[test]
fn what_a_program_obeys_asks_to_be_written_and_may_be_read() {
    for path in [
        ".vscode/mcp.json",
        ".vscode/launch.json",
        "x.code-workspace",
        ".cursor/mcp.json",
        ".mcp.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/hooks/x.sh",
        ".codex/config.toml",
        ".zed/tasks.json",
        ".zed/settings.json",
        ".idea/workspace.xml",
        ".devcontainer/devcontainer.json",
        ".devcontainer/x/devcontainer.json",
        ".devcontainer.json",
        ".yarnrc",
        ".yarn/releases/yarn.cjs",
        ".pnpmfile.cjs",
        ".pnp.cjs",
        ".bunfig.toml",
        "bunfig.toml",
        ".mise.toml",
        ".nvim.lua",
        ".exrc",
        ".gdbinit",
        ".dir-locals.el",
        ".husky/pre-commit",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".lefthook.toml",
        ".config/lefthook.yaml",
        "lefthook-local.json",
        ".hg/store/x",
        ".popt",
        ".lesskey",
        ".mailcap",
        ".Rprofile",
        "sub/.popt",
    ] {
        assert_eq!(effect(path, Access::Write), Effect::Ask, "{path}");
        assert_eq!(effect(path, Access::Read), Effect::Allow, "{path}");
    }
    for path in [".hg/hgrc", "sub/.hg/hgrc", "~/.hgrc", ".inputrc"] {
        assert_eq!(effect(path, Access::Write), Effect::Reject, "{path}");
    }
    assert_eq!(effect(".npmrc", Access::Write), Effect::Ask);
    assert_eq!(effect(".yarnrc.yml", Access::Write), Effect::Ask);
    assert_eq!(effect(".claude/.credentials.json", Access::Read), Effect::Reject);
    for path in [
        "lefthook.md",
        "docs/husky.md",
        "mise.md",
        "claude.md",
        "CLAUDE.md",
        ".vscode/extensions.json",
    ] {
        assert_eq!(effect(path, Access::Write), Effect::Allow, "{path}");
    }
}

#[test]
fn our_own_folders_are_closed_however_they_are_spelt_and_the_workspace_in_them_is_open() {
    for path in [
        "/home/me/.config/passepartout/env",
        "~/.config/passepartout/env",
        "/home/me/x/../.config/passepartout",
        "../plans",
    ] {
        assert_eq!(effect(path, Access::Read), Effect::Reject, "{path}");
    }
    assert_eq!(effect("notes.txt", Access::Write), Effect::Allow);
    assert_eq!(effect("/home/me/.config/passepartout2/x", Access::Read), Effect::Allow);
}

#[test]
fn public_halves_and_names_only_ask() {
    assert_eq!(effect("~/.ssh/id_ed25519.pub", Access::Read), Effect::Ask);
    assert_eq!(effect("~/.ssh", Access::Look), Effect::Ask);
    assert_eq!(effect("~/.ssh/authorized_keys", Access::Write), Effect::Reject);
}

#[test]
fn patterns_match_whole_names() {
    assert!(glob("*.sqlite", "a.b.sqlite"));
    assert!(glob("a?c*", "abcd"));
    assert!(!glob("*.sqlite", "a.sqlite3"));
    assert!(glob("[a-c]x[!y]", "bxz") && glob("r[m]", "rm") && glob("[", "["));
    assert!(!glob("[a-c]x", "dx") && !glob("x[!y]", "xy"));
    assert!(glob(&"*a".repeat(50), &"a".repeat(500)));
}

proptest! {
    #[test]
    fn no_detour_hides_a_protected_path_and_no_neighbour_is_taken_for_one(
        at in 0..6_usize, steps in prop::collection::vec("[a-z]{1,8}", 0..4), letter in "[x-z0-9]",
    ) {
        let protected = ["/etc/shadow", "/home/me/.ssh/id_rsa", "/proc/1/environ", "/home/me/.aws/credentials",
            "/home/me/.config/passepartout/config.toml", "/home/me/.gnupg/private-keys-v1.d/x"][at];
        let mut detour = String::from("/");
        for step in &steps {
            detour.push_str(&format!("{step}/./../"));
        }
        detour.push_str(&protected.replace('/', "//"));
        prop_assert_eq!(effect(&detour, Access::Read), Effect::Reject, "{}", detour);
        // The last step grows by a letter in front: another name.
        let (folder, name) = protected.rsplit_once('/').unwrap();
        if !["/home/me/.ssh", "/home/me/.config/passepartout", "/home/me/.gnupg/private-keys-v1.d"].contains(&folder) {
            let neighbour = format!("{folder}/{letter}{name}");
            prop_assert_ne!(effect(&neighbour, Access::Read), Effect::Reject, "{}", neighbour);
        }
    }
}
