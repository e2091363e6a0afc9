//! The models, as skills ask them: the cascade, waited for on the skill's own thread.

use std::sync::Arc;

use crate::capability::Failure;
use crate::capability::effects::Turn;
use crate::capability::services::Models;
use crate::cycle::unix_now;
use crate::model::{Asker, Cascade, Message, ModelRequest, Payer, Role, Route};

/// The cascade, and where it runs.
pub(super) struct CascadeForSkills {
    pub(super) cascade: Arc<Cascade>,
    pub(super) runtime: tokio::runtime::Handle,
}

impl Models for CascadeForSkills {
    fn ask(&self, skill: &str, turn: &Turn, prompt: &str) -> Result<String, Failure> {
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
                sensor: turn.sensor().to_owned(),
                skill: Some(skill.to_owned()),
            },
            payer: Payer::of(turn.session(), unix_now()),
            ..ModelRequest::default()
        };
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = turn.cancel().cancelled() => Err(Failure::Failed("the turn was cancelled".to_owned())),
                answer = self.cascade.ask(&request) => match answer {
                    Ok(answer) => Ok(answer.text),
                    Err(error) => Err(Failure::Failed(error.to_string())),
                },
            }
        })
    }
}
