//! Any bytes: reading never panics, overflows or runs away, and what was read is printed so that it reads the same.
//!
//! The forms are compiled into this target by path and not taken from the host crate, because the host brings
//! wasmtime along, whose build with coverage takes many minutes and blurs what the fuzzer sees.
#![no_main]

#[allow(dead_code, unused_imports)]
#[path = "../../host/src/sexp/mod.rs"]
mod sexp;

use libfuzzer_sys::fuzz_target;
use sexp::{Brackets, Form, read, read_prefix};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for brackets in [Brackets::Refuse, Brackets::AsList] {
        if let Ok((form, end)) = read_prefix(text, brackets) {
            assert!(text.is_char_boundary(end), "a form ends inside a character");
            holds_for(&form);
        }
    }
});

fn holds_for(form: &Form) {
    let printed = form.to_string();
    match read(&printed) {
        Ok(again) => {
            assert_eq!(&again, form, "another form is read back from {printed}");
            assert_eq!(again.to_string(), printed, "the printing is not canonical");
        }
        Err(error) => panic!("what was printed is not read back: {error}: {printed}"),
    }
    let folded = form.clone().with_envelope_keys();
    if folded.check_plist("the form").is_ok() {
        for (key, value) in folded.pairs() {
            assert_eq!(folded.get(key), Some(value), "the key {key} finds another value");
        }
    }
}
