//! Files that an action names, and what would be written into them.

use crate::finding::{Finding, Risk, bytes};
use crate::lisp;
use crate::path::{Access, Effect, Place};
use crate::payload::Payload;
use crate::settings::Settings;

/// How the table of protected paths begins what it says of these.
const ENVIRONMENT: &str = "an environment file";

/// What there is against reaching the file `text`, which stands at `field`. `who` is what would reach it, such as `the
/// tool`.
pub(crate) fn reach(text: &str, field: &str, access: Access, who: &str, settings: &Settings) -> Option<Finding> {
    let place = Place::of(text, &settings.roots.start());
    let verb = if access == Access::Write { "writes" } else { "reads" };
    let finding = match settings.roots.protection(&place, access) {
        Some((Effect::Reject, what)) => Finding::reject(
            "path-protected",
            field,
            format!("{who} {verb} {place}, {what}"),
            "Leave that file out. If it is really needed, ask the person to do it themselves.",
        ),
        // The host opens none of them to a skill, whoever agrees.
        Some((Effect::Ask, what)) if what.starts_with(ENVIRONMENT) => Finding::reject(
            "path-protected",
            field,
            format!("{who} {verb} {place}, {what}, which no tool can be granted"),
            "Leave that file out. If it is really needed, propose a command to :SHELL that does it, which asks the person.",
        ),
        Some((Effect::Ask, what)) => {
            Finding::ask("path-protected", field, format!("{verb} {place}, {what}"), Risk::High)
        }
        _ if settings.roots.is_inside(&place) => return None,
        _ => {
            let risk = if access == Access::Write {
                Risk::High
            } else {
                Risk::Medium
            };
            Finding::ask(
                "path-outside",
                field,
                format!("{verb} {place}, outside the workspace"),
                risk,
            )
        }
    };
    Some(finding.about(text))
}

/// What there is against the Lisp in `content`, which stands at `field` and would be written into `file`.
pub(crate) fn written_lisp(file: &str, content: &str, field: &str) -> Option<Finding> {
    if let Some(fault) = lisp::fault(file, content) {
        return Some(
            Finding::reject(
                "lisp-unreadable",
                field,
                format!("the Lisp for {file} would not read: {}", fault.what),
                "Mend that place and propose the whole content again.",
            )
            .about(fault.line),
        );
    }
    let definition = lisp::unverified(file, content)?;
    let summary = format!("writes a definition into {file} that was not tried: its block lacks :repl-verified");
    Some(Finding::ask("lisp-unverified", field, summary, Risk::Low).about(definition))
}

/// What there is against putting the text at `field` into a place of `file`: whether the Lisp in it would still read shows
/// only in the whole, which the action does not hold.
pub(crate) fn edited_lisp(file: &str, field: &str) -> Option<Finding> {
    lisp::may_hold_lisp(file).then(|| {
        let summary =
            format!("edits {file}, and whether the Lisp in it would still read is not to be seen from one piece");
        Finding::ask("lisp-unverified", field, summary, Risk::Low).about(file)
    })
}

/// What there is against an action for `:FILES`, with which a skill writes a file of its own.
pub(crate) fn target(payload: &Payload, settings: &Settings, asks: bool) -> Vec<Finding> {
    const PATH: &str = "payload.path";
    const TEXT: &str = "payload.text";
    let action = payload.name("payload.action").unwrap_or_default();
    let (true, Some(file), Some(text)) = (action == "WRITE", payload.text(PATH), payload.text(TEXT)) else {
        return vec![Finding::reject(
            "files-malformed",
            "payload",
            "a file is written with :ACTION :WRITE, a :PATH and a :TEXT, and this is something else",
            "Give the path and the whole text, each as a string.",
        )];
    };
    let mut findings: Vec<Finding> = reach(file, PATH, Access::Write, "the skill", settings)
        .into_iter()
        .collect();
    findings.extend(written_lisp(file, text, TEXT));
    if asks {
        let how = if payload.has("payload.replace") {
            "writes over"
        } else {
            "writes"
        };
        let summary = format!("{how} the file {file} with {} of text", bytes(text.len()));
        findings.push(Finding::ask("file-write", PATH, summary, Risk::Medium).about(file));
    }
    findings
}
