//! The daemon and its command line; see the library.

fn main() -> std::process::ExitCode {
    passepartout_host::cli::main()
}
