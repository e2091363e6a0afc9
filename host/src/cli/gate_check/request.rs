//! What is asked of who judges: one thing of those that can be judged, and how.

use serde_json::{Map, Value};

use super::Args;
use crate::plist;
use crate::sexp::{Form, visible_line};

/// How many keys of a line are named where it has none of those that it needs.
const SHOWN: usize = 8;

/// What is asked of who judges, from one line's object.
pub(super) fn request(what: &Map<String, Value>, args: &Args) -> Result<Form, String> {
    let text = |key: &str| match what.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("its \"{key}\" is no string")),
    };
    let write = what.get("write").filter(|write| !write.is_null());
    let mut request = match (text("command")?, write, text("message")?, text("action")?) {
        (Some(command), None, None, None) => plist!("COMMAND" => command),
        (None, Some(write), None, None) => {
            let part = |key: &str| {
                let text = write.get(key).and_then(Value::as_str);
                text.ok_or_else(|| format!("its \"write\" has no \"{key}\" with a string"))
            };
            plist!("WRITE" => part("path")?, "TEXT" => part("content")?)
        }
        (None, None, Some(message), None) => {
            let request = plist!("MESSAGE" => message);
            match text("to")? {
                Some(to) => request.with("TO", to.to_uppercase().as_str()),
                None => request,
            }
        }
        (None, None, None, Some(action)) => plist!("PROPOSAL" => action),
        _ => return Err(not_one(what)),
    };
    request = request.with("SOURCE", text("source")?.unwrap_or(&args.source));
    let tainted = match what.get("tainted") {
        None | Some(Value::Null) => args.tainted,
        Some(Value::Bool(tainted)) => *tainted,
        Some(_) => return Err("its \"tainted\" is neither true nor false".to_owned()),
    };
    let tags: Vec<Form> = match what.get("privacy_tags") {
        None | Some(Value::Null) => args.privacy_tag.iter().map(Form::from).collect(),
        Some(Value::Array(tags)) if tags.iter().all(Value::is_string) => {
            tags.iter().filter_map(Value::as_str).map(Form::from).collect()
        }
        Some(_) => return Err("its \"privacy_tags\" is no list of strings".to_owned()),
    };
    let request = request.with("TAINTED", tainted);
    let request = match text("as_skill")?.or(args.as_skill.as_deref()) {
        Some(skill) => request.with("AS-SKILL", skill),
        None => request,
    };
    Ok(if tags.is_empty() {
        request
    } else {
        request.with("PRIVACY-TAGS", tags)
    })
}

/// What a line may have one of.
const KINDS: [&str; 4] = ["command", "write", "message", "action"];

/// What is said of a line that has none of them, or several.
fn not_one(what: &Map<String, Value>) -> String {
    let listed = |keys: &[&str]| match keys {
        [] => "nothing".to_owned(),
        [only] => format!("{only:?}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|key| format!("{key:?}")).collect();
            format!("{} and {last:?}", first.join(", "))
        }
    };
    let has = |key: &&str| what.get(*key).is_some_and(|value| !value.is_null());
    let several: Vec<&str> = KINDS.into_iter().filter(has).collect();
    if several.is_empty() {
        let own: Vec<&str> = what.keys().map(String::as_str).take(SHOWN).collect();
        return format!(
            "it has none of {}, and needs one of them; it has {}",
            listed(&KINDS),
            visible_line(&listed(&own))
        );
    }
    format!(
        "it has several of which one is judged at a time, {}; give each a line of its own",
        listed(&several)
    )
}
