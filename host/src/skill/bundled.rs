//! The skills that are part of the host, as the build script embedded them.

use super::workshop::Bundled;

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));
