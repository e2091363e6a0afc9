//! Why a file is no skill: every kind of wrong file has its own words.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::capability::{PACKAGE, PACKAGE_VERSION};
use crate::sexp::visible_line;
use crate::skill::component::INTERFACE;

/// Why a file is no skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum FileFault {
    /// Nothing in it.
    #[error("the file is empty; copy a component (a .wasm file) here")]
    Empty,
    /// Too long.
    #[error(
        "the file has {asked} bytes and a component may have {allowed}; `file_bytes` under [limits.NAME] in config.toml, NAME \
         being the skill's, sets that, once the daemon is started again"
    )]
    TooLong {
        /// Its length.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// Text.
    #[error(
        "the file is text, not WebAssembly; what a build makes of a skill is the .wasm file in \
         target/wasm32-unknown-unknown/release, and `wasm-tools parse FILE.wat -o NAME.wasm` makes one of WebAssembly's text \
         format"
    )]
    Text,
    /// Already compiled.
    #[error(
        "the file is machine code (a precompiled component, .cwasm) under another name; it can't be checked, so it is \
         never loaded: copy the .wasm file it was made from"
    )]
    Precompiled,
    /// Compiled for a machine, as cargo does without a target.
    #[error(
        "the file is a library or program for a machine, not WebAssembly: build the skill with `cargo build --release --target \
         wasm32-unknown-unknown`, which puts a .wasm file into target/wasm32-unknown-unknown/release"
    )]
    Native,
    /// Some other kind of file.
    #[error(
        "the file is not WebAssembly: it does not begin with \\0asm; what a build makes of a skill is the .wasm file in \
         target/wasm32-unknown-unknown/release"
    )]
    NotWasm,
    /// A core module.
    #[error(
        "the file is a core WebAssembly module, not a component; `cargo build --release --target wasm32-unknown-unknown` \
         makes a component where it is run inside the crate's own folder, and the .cargo/config.toml there names \
         `wasm-component-ld` as linker, as in a crate of `skill new`; wasm32-wasip2 and `cargo component build --release` do \
         without, and plain cargo for wasm32-wasip1 makes none"
    )]
    CoreModule,
    /// Not all of it.
    #[error(
        "the file ends in the middle, after {size} bytes: it was cut, or is not yet copied completely; if it stays so, copy it \
         again"
    )]
    Cut {
        /// Its length.
        size: usize,
    },
    /// Not valid.
    #[error("the file is no valid component: {} (at byte {at})", visible_line(.problem))]
    Malformed {
        /// What is wrong.
        problem: String,
        /// Where.
        at: u64,
    },
    /// Deeper than reading and compiling it could bear.
    #[error("the file nests {what} {asked} deep, or may, and {allowed} is the most")]
    Nested {
        /// Types, or blocks of code.
        what: Cow<'static, str>,
        /// How deep.
        asked: usize,
        /// The bound.
        allowed: usize,
    },
    /// Its modules begin with more than the skill may have.
    #[error(
        "its modules ask for {asked} {what} to begin with and may have {allowed} together, those that are never instantiated \
         included; `{key}` under [limits.NAME] in config.toml, NAME being the skill's, sets that, once the daemon is started again"
    )]
    Begins {
        /// Memory, or entries of tables.
        what: Cow<'static, str>,
        /// How much, as far as it was read.
        asked: u64,
        /// The bound.
        allowed: u64,
        /// Which bound that is.
        key: Cow<'static, str>,
    },
    /// A module has more than there is room for in any instance.
    #[error("one of its modules has {asked} {what}, and {allowed} is the most; divide it, or build it without them")]
    Crowded {
        /// Memories, tables, or entries of one table.
        what: Cow<'static, str>,
        /// How many.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// Compiling it would take too long, and too much memory.
    #[error(
        "compiling {what} would take {asked} units of work, as its code says, and {allowed} is the most: build it with \
         optimization (`--release`), and divide functions that are very long or keep much over many loops"
    )]
    Costly {
        /// One function, or the whole.
        what: String,
        /// How much.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// Putting its components together would.
    #[error(
        "putting its components together would take {asked} units of work, and {allowed} is the most: instantiate fewer of \
         them, with fewer functions between them, and none that is itself an import or an export of another"
    )]
    Assembled {
        /// How much.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// Built for another version of the package.
    #[error(
        "it was built for {package}@{} and this host speaks {package}@{ours}: {}",
        visible_line(.found), update(found, ours), package = PACKAGE, ours = PACKAGE_VERSION
    )]
    OtherVersion {
        /// The version it was built for.
        found: String,
        /// Ours.
        ours: Cow<'static, str>,
    },
    /// It exports nothing of ours.
    #[error(
        "it is a component, but does not export {INTERFACE}: it was not written for Passepartout, or the file is cut; \
         the SDK's `export!` makes the export"
    )]
    NoExport,
    /// It exports our interface without one of its functions.
    #[error("its {INTERFACE} lacks the function `{function}`; build it against the WIT package of this host")]
    NoFunction {
        /// The function.
        function: Cow<'static, str>,
    },
    /// It imports something we don't have.
    #[error(
        "it imports `{}`, which this host does not provide; {}", visible_line(.import), visible_line(.remedy)
    )]
    UnknownImport {
        /// The import.
        import: String,
        /// What to do.
        remedy: String,
    },
}

fn update(found: &str, ours: &str) -> String {
    let version = |text: &str| semver::Version::parse(text).ok();
    // What is no version comes from no later host.
    if version(found).is_some_and(|found| Some(found) > version(ours)) {
        "update the host".to_owned()
    } else {
        "build the skill again with the SDK of this host".to_owned()
    }
}
