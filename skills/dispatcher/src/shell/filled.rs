//! What comes to be in the files that a command writes: what its text says, or what lies elsewhere and can be changed
//! behind an approval of the text. And which of those files are obeyed later.

use super::hidden::Invocation;
use super::outputs::{self, Outputs};
use super::programs::Does;
use super::roles::{self, Role};
use super::word::Field;
use super::{harmless, web};
use crate::path::{self, Access, Place, Roots};
use crate::shell::grammar::Operands;

/// Print and fill nothing but what they are given. What is not here, and deletes nothing, takes its content from elsewhere.
const SAYING: &[&str] = &[":", "[", "[[", "echo", "false", "printf", "test", "true"];
/// Change what a file is, and not what is in it.
const MARKING: &[&str] = &["chattr", "chgrp", "chmod", "chown", "mkdir", "touch", "truncate"];
/// Endings of what is run, or says what is run or how it is made, beside those of source code: scripts, makefiles, settings.
const RUN: &[&str] = &[
    "ac",
    "am",
    "awk",
    "bash",
    "bat",
    "bazel",
    "bzl",
    "cabal",
    "cfg",
    "cjs",
    "cmake",
    "cmd",
    "conf",
    "csproj",
    "cts",
    "desktop",
    "dll",
    "egg",
    "fish",
    "gemspec",
    "gradle",
    "groovy",
    "in",
    "inc",
    "ini",
    "ipynb",
    "jar",
    "json",
    "json5",
    "ksh",
    "kts",
    "lock",
    "m4",
    "mak",
    "mk",
    "mod",
    "mts",
    "nix",
    "phar",
    "phtml",
    "plist",
    "podspec",
    "properties",
    "props",
    "ps1",
    "psm1",
    "pth",
    "pxd",
    "pyc",
    "pyw",
    "pyx",
    "rake",
    "ru",
    "sed",
    "service",
    "sh",
    "sln",
    "so",
    "sql",
    "t",
    "targets",
    "tcl",
    "tf",
    "toml",
    "vim",
    "wasm",
    "whl",
    "work",
    "xml",
    "yaml",
    "yml",
    "zsh",
];
/// Endings of prose, which are among those of source code.
const PROSE: &[&str] = &["adoc", "md", "org", "rst", "tex"];
/// Beginnings of names that builds obey, whatever they end in.
const BUILDS: &[&str] = &[
    "brewfile",
    "build",
    "buildfile",
    "cmakelists",
    "configure",
    "constraints",
    "containerfile",
    "dockerfile",
    "gemfile",
    "gnumakefile",
    "gradlew",
    "jenkinsfile",
    "justfile",
    "makefile",
    "manifest",
    "meson",
    "mvnw",
    "pipfile",
    "podfile",
    "procfile",
    "rakefile",
    "requirements",
    "sconscript",
    "sconstruct",
    "snakefile",
    "tiltfile",
    "vagrantfile",
    "workspace",
    "wscript",
];
/// Folders of what is run.
const PROGRAMS: &[&str] = &["bin", "git-hooks", "githooks", "hooks", "sbin", "scripts"];
/// Hold nothing that is obeyed.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"];
/// The most operands of which each may come to be beneath each other.
const MOST_OPERANDS: usize = 64;

/// What an invocation puts into what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing: it deletes, or makes what is empty.
    None,
    /// What the command says, or what the command before it prints.
    Said,
    /// What is in files, what a program makes, what a link leads to.
    Taken,
}

/// Tells which. With `fed`, another command prints into it.
pub(super) fn content(invocation: &Invocation<'_>, fed: bool) -> Content {
    let name = invocation.name.as_ref();
    if invocation.does == Some(Does::Deletes) || MARKING.contains(&name) {
        return Content::None;
    }
    // A pattern prints the names that it matches.
    let told = invocation.arguments().iter().all(|field| !field.glob);
    match name {
        _ if told && SAYING.contains(&name) => Content::Said,
        "tee" if fed => Content::Said,
        _ => Content::Taken,
    }
}

/// Whether what is written to a file may be obeyed later, or lies outside the workspace.
pub(super) fn is_obeyed(file: &Field, roots: &Roots, here: Option<&Place>) -> bool {
    let text = file.text.as_str();
    if text.is_empty() || DEVICES.contains(&text) {
        return false;
    }
    // Behind a name, `..` may lead elsewhere than the text says: it may be a link.
    let told = file.is_known() && !file.glob && !text.split('/').any(|part| part == "..");
    let Some(here) = here.filter(|_| told) else {
        return true;
    };
    let place = Place::of(text, here);
    !roots.is_inside(&place) || roots.protection(&place, Access::Write).is_some() || is_built(&place)
}

/// Whether what has this name is source code or settings, or a build runs or obeys it: then it is run later, by whoever builds
/// or tests. Hidden settings are.
fn is_built(place: &Place) -> bool {
    let Some((name, folders)) = place.split_last() else {
        return true;
    };
    let name = name.to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_code = |ending: &str| RUN.contains(&ending) || path::is_source(ending) && !PROSE.contains(&ending);
    let inside = folders.rsplit('/').next().unwrap_or_default();
    name.starts_with('.')
        || ending.is_some_and(is_code)
        || BUILDS.iter().any(|own| stem.split(['-', '_']).next() == Some(*own))
        || PROGRAMS.contains(&inside)
}

/// Whether an invocation that takes what it writes from elsewhere may write what is obeyed.
pub(super) fn fills_obeyed(
    invocation: &Invocation<'_>,
    outputs: &Outputs,
    roots: &Roots,
    here: Option<&Place>,
) -> bool {
    let obeyed = |file: &Field| is_obeyed(file, roots, here);
    let prints = packs(invocation)
        && ["stdout", "to-stdout"]
            .iter()
            .any(|long| invocation.has_option('c', long));
    let written: Vec<Field> = accesses(invocation, outputs)
        .into_iter()
        .filter(|(_, access)| *access == Access::Write && !prints)
        .map(|(file, _)| file)
        .chain(outputs.files.iter().cloned())
        .collect();
    let more = match names_beside(invocation, outputs, &written) {
        Some(more) => more,
        None => return true,
    };
    written.iter().any(obeyed) || more.iter().any(|name| obeyed(&Field::from(name.as_str())))
}

/// Whether it is one of those that replace a file by what is packed or unpacked of it.
fn packs(invocation: &Invocation<'_>) -> bool {
    let row = invocation.row.and_then(|row| row.grammar.as_ref());
    row.is_some_and(|row| row.operands == Operands::Filter)
}

/// What an invocation does to each file among its arguments, beside what its options write.
pub(super) fn accesses(invocation: &Invocation<'_>, outputs: &Outputs) -> Vec<(Field, Access)> {
    let does = invocation.does;
    let access = match does {
        Some(Does::Prints | Does::Steers) => return Vec::new(),
        // What they read their options say.
        _ if web::read(invocation).is_some() => return Vec::new(),
        Some(Does::Looks) => Access::Look,
        // What they pack. The archive they are told to write.
        Some(Does::Writes) if invocation.name == "zip" => Access::Read,
        Some(Does::Writes | Does::Deletes | Does::Formats) => Access::Write,
        _ => Access::Read,
    };
    let name = invocation.name.as_ref();
    let edits = name == "sed" && invocation.has_option('i', "in-place");
    let operands = invocation.operands().count();
    let roles = invocation.roles();
    let (mut seen, mut found) = (0, Vec::new());
    for (at, field) in invocation.arguments().iter().enumerate() {
        if outputs.written.contains(&at) {
            continue;
        }
        match roles.at(at) {
            Role::Open => {}
            Role::Text => continue,
            Role::Name => {
                found.push((field.clone(), Access::Look));
                continue;
            }
            Role::File(from) => {
                let file = field.text.get(from..).unwrap_or_default();
                let access = if access == Access::Look { access } else { Access::Read };
                found.push((outputs::part(field, file), access));
                continue;
            }
        }
        let is_option = field.text.starts_with('-') && field.text.len() > 1;
        seen += usize::from(!is_option);
        let access = match does {
            Some(Does::Searches) if !roles.told && !is_option && seen == 1 => continue,
            Some(Does::Searches) if edits && !is_option => Access::Write,
            Some(Does::Copies) if name == "mv" || seen == operands => Access::Write,
            Some(Does::Copies) => Access::Read,
            Some(Does::Connects) if matches!(name, "rsync" | "scp") && operands > 1 && seen == operands => {
                Access::Write
            }
            _ => access,
        };
        if name == "dd" {
            let reads = field.text.starts_with("if=");
            let (_, file) = field.text.split_once('=').unwrap_or_default();
            let access = if reads { Access::Read } else { Access::Write };
            found.push((outputs::part(field, file), access));
        } else if is_option {
            if let Some((_, value)) = field.text.split_once('=').filter(|_| !roles::leaves_out(&field.text)) {
                found.push((outputs::part(field, value), access));
            }
        } else if !field.text.contains("://") {
            found.push((outputs::part(field, field.text.trim_start_matches('@')), access));
        }
    }
    found
}

/// Names that come to be beside those `written`: in a folder that is written to, with an ending more or less, or as the
/// other machine has it. `None` where they can't be told.
fn names_beside(invocation: &Invocation<'_>, outputs: &Outputs, written: &[Field]) -> Option<Vec<String>> {
    let arguments = invocation.arguments();
    let last = |text: &str| {
        text.trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    match invocation.does {
        Some(Does::Copies) => {
            if arguments.len() > MOST_OPERANDS {
                return None;
            }
            // `-t folder`, which comes before what is put there.
            let into: Vec<&str> = arguments
                .iter()
                .filter(|field| field.text.starts_with('-'))
                .filter_map(|field| field.text.split_once('t'))
                .map(|(_, value)| value.rsplit('=').next().unwrap_or_default())
                .collect();
            let given = arguments.iter().filter(|_| !into.is_empty());
            let folders: Vec<&str> = written
                .iter()
                .chain(given)
                .map(|field| field.text.as_str())
                .chain(into.iter().copied())
                .chain(["."])
                .filter(|folder| !folder.is_empty())
                .collect();
            let beneath = arguments.iter().flat_map(|file| {
                let name = last(&file.text);
                folders.iter().map(move |folder| format!("{folder}/{name}"))
            });
            Some(beneath.collect())
        }
        Some(Does::Connects) => {
            let remote = invocation.has_option('O', "remote-name");
            if !remote && outputs.files.is_empty() {
                return Some(Vec::new());
            }
            // Of one address curl makes several, and names of what differs in them.
            if arguments.iter().any(|field| field.text.contains(['{', '['])) {
                return None;
            }
            let named = |field: &Field| last(field.text.split(['?', '#']).next().unwrap_or_default());
            Some(arguments.iter().filter(|_| remote).map(named).collect())
        }
        _ => {
            let files = written.iter().filter(|_| packs(invocation));
            Some(files.flat_map(|file| harmless::given(&file.text)).collect())
        }
    }
}
