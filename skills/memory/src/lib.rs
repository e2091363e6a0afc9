//! Tools for memory objects: `memory-search` and `memory-write`.
//!
//! What is kept is what the gates saw: the host takes the object from the arguments of the call that was cleared. What
//! comes back is data, each object as the host prints it.

use passepartout_sdk::{Action, Description, Function, Kind, Parameter, Signal, Skill, Tool, export, memory};

/// How many objects a search gives where no number is asked for.
const USUAL: i64 = 10;

/// Most that a search gives back, in bytes. Of what is longer than about 24,000, a model is not shown the middle unless
/// `loop.history_bytes` is raised.
const LONGEST: usize = 20 << 10;

/// The skill.
#[derive(Debug)]
pub struct Memory;

impl Skill for Memory {
    fn describe() -> Description {
        let why = || Parameter::string("explanation", "why, in more than 10 characters").required();
        Description::new("memory", env!("CARGO_PKG_VERSION"))
            .priority(40)
            .function(Function::CallTool)
            .reaches("memory:read")
            .reaches("memory:write")
            .tool(
                Tool::new(
                    "memory-search",
                    "Finds what was kept in memory: objects in which a text occurs, the last changed first.",
                )
                .parameter(Parameter::string("query", "the text, such as a name or a word").required())
                .parameter(Parameter::integer("limit", "how many at most; 10 if it is left out"))
                .parameter(why()),
            )
            .tool(
                Tool::new(
                    "memory-write",
                    "Keeps something in memory beyond this session, until the daemon ends. A person may have to approve it first.",
                )
                .parameter(Parameter::string("content", "what is to be kept").required())
                .parameter(Parameter::string(
                    "id",
                    "the object that it replaces; a new one if it is left out",
                ))
                .parameter(Parameter::list("tags", "such as (\"project\" \"decision\")"))
                .parameter(why()),
            )
    }

    fn call_tool(name: &str, action: &Action, _signal: &Signal) -> Result<String, String> {
        match name {
            "memory-search" => search(action),
            "memory-write" => memory::write(action, "payload.args")
                .map(|id| format!("kept as {id}\n"))
                .map_err(|failure| failure.to_string()),
            other => Err(format!("this skill has no tool `{other}`")),
        }
    }
}

export!(Memory);

fn search(action: &Action) -> Result<String, String> {
    let query = match action.kind("payload.args.query") {
        Kind::Text => action.text("payload.args.query").unwrap_or_default(),
        _ => return Err("the argument :QUERY is no string".to_owned()),
    };
    let limit = match action.kind("payload.args.limit") {
        Kind::Missing | Kind::Nil => USUAL,
        _ => action
            .integer("payload.args.limit")
            .filter(|limit| *limit > 0)
            .ok_or("the argument :LIMIT is no whole number from 1 on")?,
    };
    let found =
        memory::search(&query, u32::try_from(limit).unwrap_or(u32::MAX)).map_err(|failure| failure.to_string())?;
    if found.is_empty() {
        return Ok("nothing in memory has it\n".to_owned());
    }
    let mut text = String::new();
    let mut left_out = 0;
    for object in &found {
        if text.is_empty() && object.len() >= LONGEST {
            let end = object.floor_char_boundary(LONGEST);
            text.push_str(&format!(
                "{} … cut, {} bytes more\n",
                &object[..end],
                object.len() - end
            ));
        } else if left_out > 0 || text.len() + object.len() >= LONGEST {
            left_out += 1;
        } else {
            text.push_str(object);
            text.push('\n');
        }
    }
    if left_out > 0 {
        text.push_str(&format!("… and {left_out} more, too long to be shown\n"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use passepartout_sdk::test::Harness;

    use super::*;

    fn call(harness: Harness, name: &str, args: &str) -> Result<String, String> {
        harness
            .action(&format!("(:TARGET :TOOL :PAYLOAD (:TOOL \"{name}\" :ARGS ({args})))"))
            .call_tool::<Memory>(name)
    }

    fn two() -> Harness {
        Harness::new()
            .object("a", "(:ID \"a\" :CONTENT \"the blue door\")")
            .object("b", "(:ID \"b\" :CONTENT \"a blue window\")")
    }

    #[test]
    fn what_was_kept_is_found_by_a_text_in_it() {
        let found = call(two(), "memory-search", ":QUERY \"blue\"").unwrap();
        assert!(
            found.contains("the blue door") && found.contains("a blue window"),
            "{found}"
        );
        let one = call(two(), "memory-search", ":QUERY \"blue\" :LIMIT 1").unwrap();
        assert_eq!(one.lines().count(), 1, "{one}");
        assert_eq!(
            call(two(), "memory-search", ":QUERY \"green\"").unwrap(),
            "nothing in memory has it\n"
        );
    }

    #[test]
    fn what_is_kept_is_told_its_id_and_found_again() {
        let mut harness =
            two().action("(:TARGET :TOOL :PAYLOAD (:TOOL \"memory-write\" :ARGS (:CONTENT \"a green gate\")))");
        let kept = harness.call_tool::<Memory>("memory-write").unwrap();
        assert!(kept.starts_with("kept as "), "{kept}");
        let found = call(harness, "memory-search", ":QUERY \"green\"").unwrap();
        assert!(found.contains("a green gate"), "{found}");
    }

    #[test]
    fn objects_that_are_too_long_together_are_counted() {
        let long = "x".repeat(LONGEST / 2);
        let harness = Harness::new()
            .object("a", &format!("(:ID \"a\" :CONTENT \"{long}\")"))
            .object("b", &format!("(:ID \"b\" :CONTENT \"{long}\")"));
        let found = call(harness, "memory-search", ":QUERY \"x\"").unwrap();
        assert!(
            found.ends_with("… and 1 more, too long to be shown\n"),
            "{}",
            found.len()
        );
    }

    #[test]
    fn of_an_object_that_is_too_long_alone_the_beginning_is_shown() {
        let long = "é".repeat(LONGEST);
        let harness = Harness::new().object("a", &format!("(:ID \"a\" :CONTENT \"{long}\")"));
        let found = call(harness, "memory-search", ":QUERY \"é\"").unwrap();
        assert!(
            found.contains("éé … cut, ") && found.ends_with(" bytes more\n"),
            "{found:.100}"
        );
        assert!(found.len() < LONGEST + 100, "{}", found.len());
    }

    #[test]
    fn an_argument_of_another_kind_is_named() {
        for (args, named) in [
            ("", ":QUERY"),
            (":QUERY 1", ":QUERY"),
            (":QUERY \"x\" :LIMIT 0", ":LIMIT"),
        ] {
            let error = call(two(), "memory-search", args).unwrap_err();
            assert!(error.contains(named), "{args}: {error}");
        }
    }
}
