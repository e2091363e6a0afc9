//! Words and endings of names, which protect a file or say that it is about something else.

/// Words that make a file's name protected when they stand in it alone (`db-password.txt`, and not `tokenizer.py`):
/// the original's list.
pub(super) const WORDS: &[&str] = &[
    "apikey",
    "apikeys",
    "credential",
    "credentials",
    "passwd",
    "password",
    "passwords",
    "secret",
    "secrets",
    "token",
    "tokens",
];

/// Endings of source code and prose, in which those words are about something: `token.rs` holds no token.
pub(super) const SOURCES: &[&str] = &[
    "adoc", "asd", "c", "cc", "cl", "clj", "cpp", "cs", "css", "dart", "el", "erl", "ex", "exs", "go", "h", "hpp",
    "hs", "html", "java", "js", "jsx", "kt", "less", "lisp", "lua", "m", "md", "mjs", "ml", "org", "php", "pl", "pm",
    "py", "pyi", "r", "rb", "rs", "rst", "sass", "scala", "scm", "scss", "svelte", "swift", "tex", "ts", "tsx",
    "vue", "wit", "zig",
];

/// Endings that make an environment file a sample.
pub(super) const SAMPLES: &[&str] = &["dist", "example", "sample", "template", "tmpl"];
