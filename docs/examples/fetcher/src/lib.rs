//! A tool that reaches out of its jail: reads names of services from a note in the workspace, and asks a server how each is.

use passepartout_sdk::{
    Action, Description, Function, Parameter, Signal, Skill, Tool, export, files, http, settings,
};

/// What stands at this path of an action is the argument `note` of the call.
const NOTE: &str = "payload.args.note";

/// The longest note that is read, in bytes, and the most services that are asked about in one call.
const LONGEST: usize = 4096;
const MOST: usize = 20;

/// The server that is asked, unless the operator set another: `service-status.server` in the settings.
const SERVER: &str = "https://status.example.org";

/// The skill.
#[derive(Debug)]
pub struct ServiceStatus;

impl Skill for ServiceStatus {
    fn describe() -> Description {
        let tool = Tool::new(
            "service-status",
            "Asks how each service is that a note in the workspace names, one a line.",
        )
        .parameter(Parameter::string("note", "the path of the note").required());
        Description::new("service-status", env!("CARGO_PKG_VERSION"))
            .tool(tool)
            .function(Function::CallTool)
            .reaches("files:read:workspace")
            .reaches("http:status.example.org")
            .reaches("vault:status-token")
    }

    fn call_tool(_name: &str, action: &Action, _signal: &Signal) -> Result<String, String> {
        let Some(note) = action.text(NOTE) else {
            return Err("the argument :NOTE is missing".to_owned());
        };
        let note = files::read_text(&note, LONGEST).map_err(|failure| failure.to_string())?;
        let names = note.lines().map(str::trim).filter(|name| !name.is_empty());
        let lines: Result<Vec<String>, String> = names.take(MOST).map(status).collect();
        Ok(lines?.join("\n"))
    }
}

export!(ServiceStatus);

/// Asks how the service `name` is.
fn status(name: &str) -> Result<String, String> {
    // What stands in a URL leaves this machine, so a line that is no name does not get into one.
    if !name
        .chars()
        .all(|char| char.is_ascii_alphanumeric() || char == '-')
    {
        return Err(format!("`{name}` names no service"));
    }
    let server = settings::get("service-status.server").unwrap_or_else(|| SERVER.to_owned());
    // The host puts the secret in on the way out. It never stands in this skill's memory.
    let headers = [("authorization", "Bearer {vault:status-token}")];
    match http::get(&format!("{server}/{name}"), &headers) {
        Ok(answer) if answer.status == 200 => Ok(format!("{name}: {}", answer.text().trim())),
        Ok(answer) => Ok(format!("{name}: the server answered {}", answer.status)),
        Err(failure) => Err(format!("{name}: {failure}")),
    }
}

#[cfg(test)]
mod tests {
    use passepartout_sdk::http::{Failure, Response};
    use passepartout_sdk::test::Harness;

    use super::*;

    fn calling(note: &str) -> Harness {
        let action = "(:TYPE :REQUEST :TARGET :TOOL :PAYLOAD (:TOOL \"service-status\" :ARGS (:NOTE \"watched.txt\")))";
        Harness::new().action(action).file("watched.txt", note)
    }

    fn answer(status: u16, body: &str) -> Response {
        Response {
            status,
            body: body.into(),
            ..Response::default()
        }
    }

    #[test]
    fn each_service_of_the_note_is_asked_about_with_a_place_for_the_secret() {
        let mut harness = calling("mail\n\n web \n")
            .response(answer(200, "well\n"))
            .response(answer(404, "who?"));
        assert_eq!(
            harness
                .call_tool::<ServiceStatus>("service-status")
                .as_deref(),
            Ok("mail: well\nweb: the server answered 404")
        );
        let [mail, web] = harness.requests() else {
            panic!("two were asked about: {:?}", harness.requests());
        };
        assert_eq!(mail.url, "https://status.example.org/mail");
        assert_eq!(web.url, "https://status.example.org/web");
        let place = (
            "authorization".to_owned(),
            "Bearer {vault:status-token}".to_owned(),
        );
        assert_eq!(mail.headers, [place]);
    }

    #[test]
    fn the_operator_can_name_another_server() {
        let mut harness = calling("mail")
            .setting("service-status.server", "http://127.0.0.1:8080")
            .response(answer(200, "well"));
        assert!(harness.call_tool::<ServiceStatus>("service-status").is_ok());
        assert_eq!(harness.requests()[0].url, "http://127.0.0.1:8080/mail");
    }

    #[test]
    fn what_is_no_name_of_a_service_goes_nowhere() {
        let mut harness = calling("mail/../admin?all");
        assert!(
            harness
                .call_tool::<ServiceStatus>("service-status")
                .is_err()
        );
        assert!(harness.requests().is_empty());
    }

    #[test]
    fn a_note_that_is_not_there_and_a_request_that_is_refused_are_errors_that_say_why() {
        let mut harness = Harness::new().action("(:PAYLOAD (:ARGS (:NOTE \"nowhere.txt\")))");
        let said = harness.call_tool::<ServiceStatus>("service-status");
        assert!(said.is_err_and(|why| why.contains("nowhere.txt")));

        let refused = Failure::Rejected("no grant covers it".to_owned());
        let mut harness = calling("mail").request_fails(refused);
        assert_eq!(
            harness.call_tool::<ServiceStatus>("service-status"),
            Err("mail: this was refused: no grant covers it".to_owned())
        );
    }
}
