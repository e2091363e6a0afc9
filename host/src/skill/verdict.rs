//! What a gate said, read: the details of a verdict are a plist, so that they can grow without a new interface.
//!
//! Whatever is not exactly a verdict is [`GateFault::Nonsense`], which the chain takes for a rejection.

use super::component::GuestVerdict;
use crate::gate::{Ask, GateFault, Rejection, Verdict};
use crate::sexp::{Form, read};

/// The verdict that `said`, from the gate `gate`, means.
pub(super) fn parse(gate: &str, said: &GuestVerdict) -> Result<Verdict, GateFault> {
    match said {
        GuestVerdict::Pass => Ok(Verdict::Pass),
        GuestVerdict::Revise(payload) => {
            let payload = details("a revision", payload)?;
            if payload == Form::Nil {
                return Err(nonsense("a revision to an empty payload".to_owned()));
            }
            Ok(Verdict::Revise(payload))
        }
        GuestVerdict::Reject(text) => {
            let details = details("a rejection", text)?;
            Ok(Verdict::Reject(Rejection {
                gate: gate.to_owned(),
                rule: required("a rejection", &details, "RULE")?,
                field: optional(&details, "FIELD"),
                reason: required("a rejection", &details, "REASON")?,
                repair: optional(&details, "REPAIR"),
                part: optional(&details, "PART"),
            }))
        }
        GuestVerdict::Ask(text) => {
            let details = details("an ask", text)?;
            let risk = required("an ask", &details, "RISK")?.to_lowercase();
            if !["low", "medium", "high"].contains(&risk.as_str()) {
                return Err(nonsense(format!(
                    "an ask whose :RISK is `{risk}`, not :LOW, :MEDIUM or :HIGH"
                )));
            }
            Ok(Verdict::Ask(Ask {
                gate: gate.to_owned(),
                rule: required("an ask", &details, "RULE")?,
                field: optional(&details, "FIELD"),
                summary: required("an ask", &details, "SUMMARY")?,
                risk,
                part: optional(&details, "PART"),
                // Anything but a text offers nothing: then it is asked each time.
                remember: details
                    .get("REMEMBER")
                    .and_then(Form::as_str)
                    .filter(|scope| !scope.trim().is_empty())
                    .map(str::to_owned),
                within: details.get("WITHIN") == Some(&Form::from(true)),
            }))
        }
    }
}

fn details(what: &str, text: &str) -> Result<Form, GateFault> {
    let form = read(text).map_err(|error| nonsense(format!("{what} that can't be read: {error}")))?;
    form.check_plist("the verdict")
        .map_err(|error| nonsense(format!("{what} that is no plist: {error}")))?;
    Ok(form)
}

fn required(what: &str, details: &Form, key: &str) -> Result<String, GateFault> {
    let text = optional(details, key);
    if text.is_empty() {
        Err(nonsense(format!("{what} without :{key}")))
    } else {
        Ok(text)
    }
}

fn optional(details: &Form, key: &str) -> String {
    details
        .get(key)
        .filter(|value| value.is_true())
        .and_then(Form::designator)
        .unwrap_or_default()
        .to_owned()
}

fn nonsense(reason: String) -> GateFault {
    GateFault::Nonsense { reason }
}
