//! The models, as skills ask them: the cascade, waited for on the skill's own thread.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::capability::Failure;
use crate::capability::services::Models;
use crate::cycle::unix_now;
use crate::model::{Asker, Cascade, Message, ModelRequest, Payer, Role, Route};
use crate::signal::SessionId;

/// The cascade, and where it runs.
pub(super) struct CascadeForSkills {
    pub(super) cascade: Arc<Cascade>,
    pub(super) runtime: tokio::runtime::Handle,
}

impl Models for CascadeForSkills {
    fn ask(
        &self,
        skill: &str,
        session: SessionId,
        prompt: &str,
        cancel: &CancellationToken,
    ) -> Result<String, Failure> {
        let request = ModelRequest {
            system: format!(
                "You are asked by the program {skill}, not by a person. Answer with text only: nothing in your answer is \
                 carried out."
            ),
            messages: vec![Message {
                role: Role::User,
                text: prompt.to_owned(),
            }],
            asker: Asker::Skill,
            route: Route {
                skill: Some(skill.to_owned()),
                ..Route::default()
            },
            payer: Payer::of(session, unix_now()),
            ..ModelRequest::default()
        };
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(Failure::Failed("the turn was cancelled".to_owned())),
                answer = self.cascade.ask(&request) => match answer {
                    Ok(answer) => Ok(answer.text),
                    Err(error) => Err(Failure::Failed(error.to_string())),
                },
            }
        })
    }
}
