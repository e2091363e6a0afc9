//! Consensus: for the targets that the operator named, several providers must propose the same action before any gate sees
//! it. The same means the same closed action, whatever its explanation.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::Core;
use super::condition::PipelineError;
use super::reason::Unclosed;
use super::repeats::substance;
use super::turn::Surroundings;
use crate::gate::Rejection;
use crate::gate::chain::host_rejection;
use crate::model::{Answer, LlmError, ModelRequest};
use crate::sexp::Form;
use crate::signal::{Action, Signal};

impl Core {
    /// Whether what `answer` proposes may go on to the gates: at once, where its target needs no consensus; else where every
    /// other provider that is configured for it proposes the same.
    ///
    /// # Errors
    /// When the turn was stopped meanwhile.
    pub(super) async fn agreed(
        self: &Arc<Core>,
        around: Surroundings<'_>,
        signal: &Signal,
        request: &ModelRequest,
        answer: &Answer,
        action: &Action,
    ) -> Result<Result<(), Unclosed>, PipelineError> {
        let Surroundings { set, cancel, .. } = around;
        if !self.needs_consensus(action) {
            return Ok(Ok(()));
        }
        let mut asked = JoinSet::new();
        for name in self
            .config
            .model
            .consulted
            .iter()
            .filter(|name| **name != answer.provider)
        {
            let (cascade, name, request) = (self.cascade.clone(), name.clone(), request.clone());
            asked.spawn(async move {
                let outcome = cascade.ask_only(&name, &request).await;
                (name, outcome)
            });
        }
        if asked.is_empty() {
            return Ok(Err(differing(
                "no other provider is configured to agree with it".to_owned(),
            )));
        }
        while let Some(done) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(PipelineError::Cancelled),
            done = asked.join_next() => done,
        } {
            let (name, outcome) = done.map_err(|error| PipelineError::Internal(error.to_string()))?;
            let problem = match outcome {
                Err(error) => {
                    tracing::warn!(session = %signal.meta.session, "{name} could not be asked whether it agrees: {error}");
                    format!("{name} could not be asked: {}", why(&error))
                }
                Ok(other) => match self.proposed(set, signal, &other) {
                    Ok(own) if substance(&own) == substance(action) => continue,
                    // What it is stays untold, also its target: it has met no gate, and comes from elsewhere.
                    Ok(_) => format!("{name} proposed something else"),
                    Err(other) => format!("{name} proposed what can't be carried out ({})", other.rejection.rule),
                },
            };
            return Ok(Err(differing(problem)));
        }
        Ok(Ok(()))
    }

    fn needs_consensus(&self, action: &Action) -> bool {
        let named = |target: &String| {
            target.eq_ignore_ascii_case(action.target())
                || tool(action).is_some_and(|tool| target.eq_ignore_ascii_case(tool))
        };
        self.config.consensus.targets.iter().any(named)
    }
}

/// The tool that is called, by the name under which a model has it.
fn tool(action: &Action) -> Option<&str> {
    match action.target() {
        "TOOL" => action.payload().get("TOOL").and_then(Form::designator),
        // The one tool that is closed to an action of the host's own target.
        "SYSTEM" if action.payload().get("ACTION").is_some_and(|own| own.is_kw("EVAL")) => Some("EVAL"),
        _ => None,
    }
}

/// Why it could not: the last cause, without what its server said, which the model that proposed is not to read.
fn why(error: &LlmError) -> &'static str {
    match error.attempts.last() {
        Some(attempt) => attempt.cause.kind(),
        None => "it is not configured, or a rule of [select] sends such questions to others only",
    }
}

fn differing(reason: String) -> Unclosed {
    let rejection = Rejection {
        repair: "propose what is plainly right, or tell the user that models differ about it".to_owned(),
        ..host_rejection("no-consensus", reason)
    };
    Unclosed {
        rejection,
        reply: false,
    }
}
