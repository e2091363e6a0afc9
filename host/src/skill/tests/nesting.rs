//! Files that nest so deep that whoever reads them by calling itself would end the process, or never be done.

use super::*;
use crate::skill::inspect::FileFault;

/// A component with component types (or instance types) within each other.
fn deep_types(kind: u8, depth: usize) -> Vec<u8> {
    let mut types = vec![kind, 0];
    for _ in 0..depth {
        types.splice(0..0, [kind, 1, 1]);
    }
    let mut length = Vec::new();
    let mut left = types.len() + 1;
    while left >= 0x80 {
        length.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    length.push(left as u8);
    [b"\0asm\x0d\0\x01\0\x07".as_slice(), &length, &[1], &types].concat()
}

/// A gate with blocks within each other.
fn deep_blocks(depth: usize) -> Vec<u8> {
    let mut guest = Guest::gate("deep");
    guest.more = format!("(func {} {})", "block ".repeat(depth), "end ".repeat(depth));
    guest.build()
}

fn fault_of(bytes: &[u8]) -> LoadFault {
    make_of("deep", bytes, &[]).unwrap_err()
}

#[test]
fn types_within_each_other_are_refused_before_they_use_up_the_stack() {
    for kind in [0x41, 0x42] {
        for depth in [200, 1_000, 20_000, 400_000] {
            let fault = fault_of(&deep_types(kind, depth));
            assert!(
                match &fault {
                    LoadFault::File(FileFault::Nested { what, .. }) => what == "types",
                    fault => matches!(fault, LoadFault::File(FileFault::TooLong { .. })),
                },
                "{kind} {depth}: {fault}"
            );
        }
        // Not too deep, and no skill for another reason.
        let fault = fault_of(&deep_types(kind, 150));
        assert!(!matches!(fault, LoadFault::File(FileFault::Nested { .. })), "{fault}");
    }
}

#[test]
fn blocks_within_each_other_are_compiled_up_to_the_bound_and_refused_beyond() {
    // The function's own body is no block.
    assert!(make_of("deep", &deep_blocks(4_000), &[]).is_ok());
    let LoadFault::File(FileFault::Nested { what, asked, allowed }) = fault_of(&deep_blocks(4_001)) else {
        panic!("it nests too deep");
    };
    assert_eq!((&*what, asked, allowed), ("blocks of code", 4_001, 4_000));
}
