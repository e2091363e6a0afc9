//! The binary: nothing but the call into the library.

fn main() {
    passepartout_host::capability::process::enter_if_asked();
}
