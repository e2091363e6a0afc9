//! The generated bindings of the WIT package. Nothing outside this crate names them: the export macro does, and the
//! modules that give them a Rust shape.

#![allow(missing_docs, unreachable_pub, clippy::all)]

wit_bindgen::generate!({
    path: "../wit",
    world: "passepartout",
    pub_export_macro: true,
    export_macro_name: "export_component",
    default_bindings_module: "passepartout_sdk::bindings",
});
