//! The files of a new skill: one of the guide's examples under another name, and in `vendor/` all that it needs, so that it
//! builds without a network. Everything is embedded in this program. Must not know how skills are loaded.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/author.rs"));

/// What a new skill begins as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Kind {
    /// Judges actions before they happen
    Gate,
    /// Carries out actions for a target of its own
    Actuator,
    /// Gives the model something to call
    Tool,
    /// A tool that reads a file and asks a server, with a secret
    Fetcher,
    /// A tool that proposes a command of its own making
    Proposer,
    /// A tool that schedules something, and says so when it is due
    Reminder,
    /// Is called on each heartbeat, and says something on some
    Heartbeat,
    /// Adds to what the model is told
    Hint,
}

impl Kind {
    /// The example's folder, and the name of the skill in it.
    fn example(self) -> (&'static str, &'static str) {
        match self {
            Kind::Gate => ("docs/examples/gate/", "no-shouting"),
            Kind::Actuator => ("docs/examples/actuator/", "running-total"),
            Kind::Tool => ("docs/examples/tool/", "count-words"),
            Kind::Fetcher => ("docs/examples/fetcher/", "service-status"),
            Kind::Proposer => ("docs/examples/proposer/", "copy-folder"),
            Kind::Reminder => ("docs/examples/reminder/", "remind-later"),
            Kind::Heartbeat => ("docs/examples/heartbeat/", "stand-up"),
            Kind::Hint => ("docs/examples/hint/", "house-style"),
        }
    }
}

/// Names that cargo or rustc would not take for a crate, or that the crate's own dependencies have.
// SAFETY: the word below is a text; there is no such code here.
const TAKEN: &str = "unsafe abstract alloc as async await become box break const continue core crate do dyn else \
    enum extern false final fn for gen if impl in let loop macro match mod move mut override passepartout-sdk \
    priv proc-macro pub ref return self static std struct super test trait true try type typeof unsized use \
    virtual where while wit-bindgen yield";

/// Types and cases that the examples use by name. A skill's own type is called otherwise.
const TYPES: &str = "Action Cell Debug Description Err Failure Function Harness None Ok Option Output Parameter Rejection \
    Response Result Right Self Signal Skill Some String Tool Trigger Vec Verdict";

/// Whether `name` can name a crate.
pub(super) fn is_free(name: &str) -> bool {
    !TAKEN.split(' ').any(|taken| taken == name)
}

/// The file that a build of the crate `name` makes, without its folder.
pub(super) fn built(name: &str) -> String {
    format!("{}.wasm", name.replace('-', "_"))
}

/// The files of the skill `name`, by their paths in its folder.
pub(super) fn files(name: &str, kind: Kind) -> Vec<(PathBuf, Cow<'static, [u8]>)> {
    let (folder, example) = kind.example();
    FILES
        .iter()
        .filter_map(|(path, bytes)| {
            if let Some(own) = path.strip_prefix(folder) {
                let text = renamed(&String::from_utf8_lossy(bytes), example, name);
                return Some((PathBuf::from(own), Cow::Owned(text.into_bytes())));
            }
            let vendored = !path.starts_with("docs/");
            vendored.then(|| (Path::new("vendor").join(path), Cow::Borrowed(*bytes)))
        })
        .collect()
}

/// Writes the files into `folder`, which must be there and empty.
pub(super) fn write(folder: &Path, files: &[(PathBuf, Cow<'static, [u8]>)]) -> io::Result<()> {
    for (path, bytes) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, bytes)?;
    }
    Ok(())
}

/// The example's text with the skill's own name in each of its spellings, and with the SDK in `vendor/`.
fn renamed(text: &str, example: &str, name: &str) -> String {
    text.replace(&example.to_uppercase(), &name.to_uppercase())
        .replace(&camel(example), &type_name(name))
        .replace(&example.replace('-', "_"), &name.replace('-', "_"))
        .replace(example, name)
        .replace("../../../sdk", "vendor/sdk")
}

/// The name of the skill's type.
fn type_name(name: &str) -> String {
    let camel = camel(name);
    if TYPES.split(' ').any(|own| own == camel) {
        format!("{camel}Skill")
    } else {
        camel
    }
}

fn camel(name: &str) -> String {
    name.split('-')
        .flat_map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(chars)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn text(name: &str, kind: Kind, path: &str) -> String {
        let files = files(name, kind);
        let (_, bytes) = files.iter().find(|(own, _)| own == Path::new(path)).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn the_example_is_renamed_in_each_spelling_and_nothing_of_it_is_left() {
        for kind in <Kind as clap::ValueEnum>::value_variants().iter().copied() {
            let (_, example) = kind.example();
            for (path, bytes) in files("my-own-2", kind) {
                if !path.starts_with("vendor") {
                    let text = String::from_utf8_lossy(&bytes).to_lowercase().replace('_', "-");
                    assert!(!text.contains(example), "{}: {example}", path.display());
                    assert!(!text.contains("../sdk"), "{}", path.display());
                }
            }
            assert!(text("my-own-2", kind, "Cargo.toml").contains("name = \"my-own-2\""));
            assert!(text("my-own-2", kind, "src/lib.rs").contains("pub struct MyOwn2;"));
            assert!(text("my-own-2", kind, "README.md").contains("release/my_own_2.wasm"));
        }
        assert!(text("my-own-2", Kind::Actuator, "src/lib.rs").contains(":TARGET :MY-OWN-2"));
    }

    #[test]
    fn a_type_of_the_sdk_keeps_its_name_whatever_the_skill_is_called() {
        for name in ["skill", "action", "tool", "self", "err"] {
            let text = text(name, Kind::Tool, "src/lib.rs");
            assert!(text.contains("impl Skill for"), "{name}: {text}");
            assert!(
                text.contains(&format!("pub struct {}Skill;", camel(name))),
                "{name}: {text}"
            );
        }
    }

    #[test]
    fn the_sdk_its_runtime_with_its_licences_and_the_interface_are_in_vendor() {
        let files = files("x", Kind::Gate);
        for path in [
            "vendor/sdk/Cargo.toml",
            "vendor/sdk/src/bindings.rs",
            "vendor/sdk/src/test/harness.rs",
            "vendor/third-party/wit-bindgen/src/rt/mod.rs",
            "vendor/third-party/wit-bindgen/LICENSE-MIT",
            "vendor/wit/skill.wit",
            ".gitignore",
            ".cargo/config.toml",
        ] {
            assert!(files.iter().any(|(own, _)| own == Path::new(path)), "{path}");
        }
    }
}
