//! What the host gives, behind one set of functions: in a component the WIT imports, natively the test harness. The rest
//! of this crate does not know which.

#[cfg(target_arch = "wasm32")]
mod component;
#[cfg(not(target_arch = "wasm32"))]
mod native;

#[cfg(target_arch = "wasm32")]
pub(crate) use component::{files, forms, http, log, memory, model, process, schedule, secrets, settings, vault};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::{files, forms, http, log, memory, model, process, schedule, secrets, settings, vault};
