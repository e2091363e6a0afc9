//! The two engines' configurations, shared with the build script, so that code compiled at build time fits.
//!
//! Everything that changes compiled code is set here and nowhere else. Pools are not: they don't change it.

use wasmtime::Config;

/// Stack of one call, in bytes, of WebAssembly's own frames. The same for every skill: it is the thread's.
pub(crate) const STACK: usize = 512 << 10;

/// Images of memories with more holes than data are made up to this size, in bytes; beyond it the data is put in its places one
/// by one, for each instance. The hole between two bytes of a small file would be code of megabytes.
const HOLED_IMAGE: u64 = 256 << 10;

/// The engine for gates and everything else that is pure: fuel, so that running out is reproducible; one bit pattern
/// for every NaN; epochs as the last backstop.
pub(crate) fn pure() -> Config {
    let mut config = both();
    config.consume_fuel(true).cranelift_nan_canonicalization(true);
    config
}

/// The engine for what carries out actions: epochs only, since what it does depends on the world anyway.
pub(crate) fn acting() -> Config {
    both()
}

fn both() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .epoch_interruption(true)
        .max_wasm_stack(STACK)
        .memory_guaranteed_dense_image_size(HOLED_IMAGE)
        // What these instructions answer may differ from one processor to the next.
        .wasm_relaxed_simd(false)
        // Memories beyond 4 GiB need bounds checks on every access, and nobody needs them.
        .wasm_memory64(false);
    config
}
