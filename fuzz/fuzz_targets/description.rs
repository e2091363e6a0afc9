//! Any text as what a skill says of itself: refused with the field, or read into what the loader relies on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use passepartout_host::skill::{Description, Function, is_name};

fuzz_target!(|text: &str| {
    match text.parse::<Description>() {
        Ok(own) => {
            assert!(is_name(&own.name), "{} can't be a file's name", own.name);
            assert!(own.depends_on.iter().all(|name| is_name(name)));
            assert_eq!(own.targets.is_empty(), !own.functions.contains(&Function::Act));
            let runs_tools = own.functions.contains(&Function::CallTool) || own.functions.contains(&Function::Act);
            assert!(own.tools.is_empty() || runs_tools);
        }
        Err(error) => assert!(!error.field.is_empty() && !error.problem.is_empty()),
    }
});
