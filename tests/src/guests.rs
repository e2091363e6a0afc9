//! Skills that are built as their authors build them: from `tests/guests/`, with cargo, for targets with WASI.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A target of Rust whose standard library imports WASI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Through the component linker and its adapter, as `cargo component build` does.
    Preview1,
    /// A component from the start.
    Preview2,
}

impl Target {
    /// Both.
    pub const ALL: [Target; 2] = [Target::Preview1, Target::Preview2];

    fn name(self) -> &'static str {
        match self {
            Target::Preview1 => "wasm32-wasip1",
            Target::Preview2 => "wasm32-wasip2",
        }
    }
}

/// The component of `tests/guests/dreamer`, which asks the world for all that there is none of. Built once.
pub fn dreamer(target: Target) -> &'static [u8] {
    static BUILT: [OnceLock<Vec<u8>>; 2] = [OnceLock::new(), OnceLock::new()];
    BUILT[usize::from(target == Target::Preview2)].get_or_init(|| build("dreamer", target))
}

fn build(name: &str, target: Target) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie in the repository");
    let target_dir = root.join("target/guests");
    let sysroot = sysroot();
    let library = sysroot.join("lib/rustlib").join(target.name()).join("lib");
    assert!(
        library.is_dir(),
        "Rust's standard library for {} is missing: run `rustup target add {0}`",
        target.name()
    );
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["build", "--quiet", "--release", "--locked", "--offline"])
        .args(["--target", target.name(), "--package", name])
        .arg("--manifest-path")
        .arg(root.join("tests/guests/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target_dir)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    if target == Target::Preview1 {
        command.env(
            "CARGO_ENCODED_RUSTFLAGS",
            format!("-Clinker={}", linker(&sysroot).display()),
        );
    }
    let built = command.output().expect("start cargo");
    assert!(
        built.status.success(),
        "the skill `{name}` does not build for {}:\n{}",
        target.name(),
        String::from_utf8_lossy(&built.stderr)
    );
    let file = target_dir
        .join(target.name())
        .join("release")
        .join(format!("{name}.wasm"));
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn sysroot() -> PathBuf {
    let asked = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .expect("start rustc");
    PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim())
}

/// The linker that makes a component, which comes with the toolchain.
fn linker(sysroot: &Path) -> PathBuf {
    let hosts = std::fs::read_dir(sysroot.join("lib/rustlib")).expect("a toolchain has targets");
    hosts
        .filter_map(|host| Some(host.ok()?.path().join("bin/wasm-component-ld")))
        .find(|linker| linker.is_file())
        .expect("wasm-component-ld comes with the toolchains of rustup: run `rustup toolchain install`")
}
