//! What the shell does itself with names that it is given: it sets the variable, or computes its subscript, in which
//! anything may be run. bash(1), SHELL BUILTIN COMMANDS and CONDITIONAL EXPRESSIONS.

use super::hidden::Invocation;
use super::programs::Does;
use super::word::Field;

/// These make programs load or run files: bash(1), ld.so(8), and the manuals of git, less, ripgrep, tar, openssl,
/// glibc, Docker, Kubernetes, Cargo, npm and of interpreters.
const RUNS: &[&str] = &[
    "BASH_ENV",
    "CARGO_HOME",
    "DOCKER_CONFIG",
    "EDITOR",
    "ENV",
    "GCONV_PATH",
    "KUBECONFIG",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PAGER",
    "PATH",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RIPGREP_CONFIG_PATH",
    "RUBYLIB",
    "RUBYOPT",
    "RUSTC_WRAPPER",
    "TAR_OPTIONS",
    "VISUAL",
];
/// How others begin that do.
const RUNS_BY: &[&str] = &["BASH_FUNC_", "GIT_", "LD_", "OPENSSL_", "RUSTC", "npm_config_"];

/// What is said of a variable that is set, if it can run a file.
pub(super) fn runs(variable: &str) -> Option<String> {
    let runs = RUNS.contains(&variable) || RUNS_BY.iter().any(|begin| variable.starts_with(begin));
    runs.then(|| format!("sets {variable}, which can run a file"))
}

/// The arguments that are taken for names, each to the end of its argument.
fn names<'a>(invocation: &Invocation<'a>) -> Vec<&'a str> {
    let arguments = invocation.arguments();
    let text = |field: &'a Field| field.text.as_str();
    let behind = |signs: &[&str]| -> Vec<&'a str> {
        let pairs = arguments.windows(2);
        pairs
            .filter(|pair| signs.contains(&pair[0].text.as_str()))
            .map(|pair| text(&pair[1]))
            .collect()
    };
    match invocation.name.as_ref() {
        "printf" => match by_option(arguments) {
            Some(name) => name.into_iter().collect(),
            None if by_format(arguments) => arguments.iter().map(text).collect(),
            None => Vec::new(),
        },
        "test" | "[" => behind(&["-v", "-R"]),
        "[[" => {
            const COMPUTES: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
            let mut found = behind(&["-v", "-R"]);
            found.extend(behind(COMPUTES));
            let before = arguments.windows(2).filter(|pair| COMPUTES.contains(&text(&pair[1])));
            found.extend(before.map(|pair| text(&pair[0])));
            found
        }
        "for" | "select" => arguments.first().map(text).into_iter().collect(),
        "declare" | "export" | "getopts" | "let" | "local" | "mapfile" | "read" | "readarray" | "readonly"
        | "typeset" | "unset" | "wait" => arguments.iter().map(text).collect(),
        _ => Vec::new(),
    }
}

/// What is to be said of the names that a command of the shell's own is given.
pub(super) fn told(invocation: &Invocation<'_>) -> Vec<String> {
    let name = invocation.name.as_ref();
    let mut found = Vec::new();
    if !may_name(invocation) {
        return found;
    }
    match name {
        "test" | "[" | "[[" => {
            let asks = |field: &&Field| matches!(field.text.as_str(), "-v" | "-R");
            if let Some(option) = invocation.arguments().iter().find(asks) {
                found.push(format!("computes a subscript ({name} {})", option.text));
            }
        }
        "printf" if by_option(invocation.arguments()).is_some() => {
            found.push("sets a variable (printf -v)".to_owned())
        }
        "printf" if by_format(invocation.arguments()) => found.push("sets a variable (printf %n)".to_owned()),
        _ => {}
    }
    for named in names(invocation) {
        let variable = named.split(['=', '[', '+']).next().unwrap_or_default();
        if name != "unset" && !matches!(name, "test" | "[" | "[[") {
            found.extend(runs(variable));
        }
        if subscript(invocation, named).is_some() {
            found.push("computes a subscript, which can run a command".to_owned());
        }
    }
    found
}

/// The scripts in the subscripts that are computed.
pub(super) fn scripts(invocation: &Invocation<'_>) -> Vec<String> {
    if !may_name(invocation) {
        return Vec::new();
    }
    let found = names(invocation);
    let subscripts = found.iter().filter_map(|name| subscript(invocation, name));
    // Only what is expanded in it is run.
    subscripts.map(|text| format!(": {text}")).collect()
}

/// Whether it is of a kind of which some take names.
fn may_name(invocation: &Invocation<'_>) -> bool {
    matches!(invocation.does, Some(Does::Prints | Does::Looks | Does::Steers))
}

/// The subscript of a name, with what is behind it, if something is run in it.
fn subscript<'n>(invocation: &Invocation<'_>, name: &'n str) -> Option<&'n str> {
    let at = name.find('[')?;
    let text = &name[at..];
    if !text.contains("$(") && !text.contains('`') {
        return None;
    }
    // What a variable is set to is a text, but for a list, and for one that is to be a number.
    let value = name.find('=').filter(|equals| *equals < at && assigns(invocation));
    let is_text = value.is_some_and(|equals| !name[equals + 1..].starts_with('('));
    (!is_text).then_some(text)
}

/// Whether what stands behind `=` is only what the variable is set to.
fn assigns(invocation: &Invocation<'_>) -> bool {
    let numbers = |field: &Field| field.text.starts_with('-') && field.text.contains('i');
    let names = ["declare", "export", "local", "readonly", "typeset"];
    names.contains(&invocation.name.as_ref()) && !invocation.arguments().iter().any(numbers)
}

/// The name that `printf -v` sets, if one follows. `None` without the option.
fn by_option(arguments: &[Field]) -> Option<Option<&str>> {
    let (first, rest) = arguments.split_first()?;
    Some(match first.text.strip_prefix("-v")? {
        "" => rest.first().map(|name| name.text.as_str()),
        name => Some(name),
    })
}

/// Whether the format of printf sets variables, with `%n`.
fn by_format(arguments: &[Field]) -> bool {
    let format = match arguments {
        [end, format, ..] if end.text == "--" => format,
        [format, ..] => format,
        [] => return false,
    };
    let plain = format.text.replace("%%", "");
    plain.split('%').skip(1).any(|kind| {
        let kind = kind.trim_start_matches(|char: char| char.is_ascii_digit() || "-+ #.'*hlLjzt".contains(char));
        kind.starts_with('n')
    })
}
