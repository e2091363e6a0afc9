//! Tools for files: `read-file`, `write-file`, `edit-file`, `list-directory`, `find-files`, `search-text`.
//!
//! What is read is bounded by what the operator granted, what is written by that and by every gate: the host takes path
//! and text from the action that was cleared. What comes back is bounded here, and says what it leaves out.

mod edit;
mod find;
mod glob;
mod list;
mod private;
mod read;
mod search;
mod shown;
mod text;
mod walk;

use passepartout_sdk::{Action, Description, Function, Parameter, Signal, Skill, Tool, export};

/// The skill.
#[derive(Debug)]
pub struct Files;

impl Skill for Files {
    fn describe() -> Description {
        tools()
            .into_iter()
            .fold(
                Description::new("files", env!("CARGO_PKG_VERSION")).priority(40),
                Description::tool,
            )
            .function(Function::CallTool)
            .reaches("files:read:workspace")
            .reaches("files:write:workspace")
    }

    fn call_tool(name: &str, action: &Action, _signal: &Signal) -> Result<String, String> {
        match name {
            "read-file" => read::call(action),
            "write-file" => edit::write(action),
            "edit-file" => edit::edit(action),
            "list-directory" => list::call(action),
            "find-files" => find::call(action),
            "search-text" => search::call(action),
            other => Err(format!("this skill has no tool `{other}`")),
        }
    }
}

export!(Files);

fn tools() -> [Tool; 6] {
    let why = || Parameter::string("explanation", "why, in more than 10 characters").required();
    [
        Tool::new(
            "read-file",
            "Reads a text file of the workspace, or some of its lines. Says which lines it gives and whether more follow.",
        )
        .parameter(Parameter::string("path", "the file, such as: src/main.rs").required())
        .parameter(Parameter::integer("line", "the first line wanted, from 1"))
        .parameter(Parameter::integer("lines", "how many lines at most"))
        .parameter(why()),
        Tool::new(
            "write-file",
            "Writes a whole text file into a folder that exists. A person may have to approve it first.",
        )
        .parameter(Parameter::string("path", "the file").required())
        .parameter(Parameter::string("text", "all that is to stand in it").required())
        .parameter(Parameter::boolean("replace", "T to write over a file that exists"))
        .parameter(why()),
        Tool::new(
            "edit-file",
            "Replaces one piece of a text file. The old text must stand in it exactly once, to the letter: name enough of \
             what stands around it. A person may have to approve it first.",
        )
        .parameter(Parameter::string("path", "the file").required())
        .parameter(Parameter::string("old", "the text that is replaced").required())
        .parameter(Parameter::string("new", "the text that takes its place").required())
        .parameter(why()),
        Tool::new("list-directory", "Lists a folder of the workspace, with the sizes of its files.")
            .parameter(Parameter::string("path", "the folder; the workspace itself if it is left out"))
            .parameter(why()),
        Tool::new(
            "find-files",
            "Finds files by their names, beneath a folder. Leaves out .git, node_modules and folders that are marked as \
             caches, unless they are named as the folder.",
        )
        .parameter(
            Parameter::string(
                "pattern",
                "such as *.rs for any file of that name, or src/**/*_test.rs for the path beneath the folder; * ? [a-z] \
                 {a,b} **",
            )
            .required(),
        )
        .parameter(Parameter::string("path", "the folder; the workspace itself if it is left out"))
        .parameter(why()),
        Tool::new(
            "search-text",
            "Searches the text files beneath a folder, or one file, line by line. Gives path, line number and line; files that \
             are no text are only named. Leaves out what find-files does, and keys and passwords unless their file is named \
             itself.",
        )
        .parameter(Parameter::string("pattern", "the text, as it stands in the line").required())
        .parameter(Parameter::boolean("regex", "T if the pattern is a regular expression"))
        .parameter(Parameter::boolean("ignore-case", "T if upper and lower case are the same"))
        .parameter(Parameter::string("glob", "only files of such names, such as *.rs"))
        .parameter(Parameter::string("path", "the folder or file; the workspace itself if it is left out"))
        .parameter(why()),
    ]
}

/// The argument `name`, which must be a string.
fn required(action: &Action, name: &str) -> Result<String, String> {
    optional(action, name)?.ok_or_else(|| format!("the argument :{} is missing", name.to_uppercase()))
}

/// Why a key is not shown: what a gate would be asked about by its name would be shown to whoever was let.
fn unasked(path: &str) -> String {
    format!(
        "{} holds a private key, and its name does not say so, so that nobody was asked: `cat` by the shell shows it if git \
         tracks it as it is; else the person can look at it, or give it a name that ends in .key",
        shown::line(path)
    )
}

/// The argument `name`, a string where it is given.
fn optional(action: &Action, name: &str) -> Result<Option<String>, String> {
    use passepartout_sdk::Kind;

    let path = format!("payload.args.{name}");
    match action.kind(&path) {
        Kind::Missing | Kind::Nil => Ok(None),
        Kind::Text => Ok(action.text(&path)),
        _ => Err(format!("the argument :{} is not a string", name.to_uppercase())),
    }
}

/// The argument `name`, a number from 1 on where it is given.
fn number(action: &Action, name: &str) -> Result<Option<usize>, String> {
    use passepartout_sdk::Kind;

    let path = format!("payload.args.{name}");
    if matches!(action.kind(&path), Kind::Missing | Kind::Nil) {
        return Ok(None);
    }
    action
        .integer(&path)
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| *number > 0)
        .map(Some)
        .ok_or_else(|| format!("the argument :{} is no whole number from 1 on", name.to_uppercase()))
}

/// Whether the argument `name` is true: anything but NIL.
fn flag(action: &Action, name: &str) -> bool {
    use passepartout_sdk::Kind;

    !matches!(action.kind(&format!("payload.args.{name}")), Kind::Missing | Kind::Nil)
}

/// The folder that the argument `path` names; the workspace where there is none.
fn folder(action: &Action) -> Result<String, String> {
    let path = optional(action, "path")?.unwrap_or_default();
    Ok(if path.is_empty() { ".".to_owned() } else { path })
}

#[cfg(test)]
mod tests;
