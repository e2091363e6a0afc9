//! The harness itself.

use std::collections::{BTreeMap, VecDeque};

use super::form::TestForm;
use super::lent::Lent;
use super::read::read;
use super::request::Request;
use super::world::{self, World};
use crate::capability::Failure as CapabilityFailure;
use crate::http::Response;
use crate::process::Output;
use crate::{Action, Description, Failure, Function, Restart, Signal, Skill, Trigger, Verdict};

/// Plays the host for the functions of a skill.
///
/// ```
/// use passepartout_sdk::{Action, Description, Signal, Skill, process, test::Harness};
///
/// struct Runner;
/// impl Skill for Runner {
///     fn describe() -> Description {
///         Description::new("runner", "0.1.0").target("shell")
///     }
///     fn act(action: &Action, _signal: &Signal) -> Result<String, String> {
///         let output = process::run(action, "payload.cmd").map_err(|failure| failure.to_string())?;
///         Ok(output.stdout)
///     }
/// }
///
/// let mut harness = Harness::new()
///     .action(r#"(:TARGET :SHELL :PAYLOAD (:CMD "date"))"#)
///     .answers(process::Output { stdout: "Friday".to_owned(), ..Default::default() });
/// assert_eq!(harness.act::<Runner>(), Ok("Friday".to_owned()));
/// assert_eq!(harness.commands(), ["date"]);
/// ```
///
/// Methods that take a plist panic when it cannot be read, and say where it is broken.
#[derive(Clone, Debug)]
pub struct Harness {
    pub(super) world: World,
}

impl Default for Harness {
    fn default() -> Harness {
        Harness::new()
    }
}

impl Harness {
    /// An action and a signal that are `NIL`, no settings, no secrets, and no answers for commands.
    pub fn new() -> Harness {
        let world = World {
            action: TestForm::Nil,
            signal: TestForm::Nil,
            failure: TestForm::Nil,
            settings: BTreeMap::new(),
            secrets: Vec::new(),
            log: Vec::new(),
            answers: VecDeque::new(),
            commands: Vec::new(),
            ran_paths: Vec::new(),
            acts: Vec::new(),
            done: Vec::new(),
            files: BTreeMap::new(),
            digests: BTreeMap::new(),
            responses: VecDeque::new(),
            requests: Vec::new(),
            lent: Lent::default(),
        };
        Harness { world }
    }

    /// Sets the action, such as `(:TYPE :REQUEST :TARGET :SHELL :ORIGIN :MODEL :PAYLOAD (:CMD "ls"))`.
    #[must_use]
    pub fn action(mut self, plist: &str) -> Harness {
        self.world.action = parsed("action", plist);
        self.world.ran_paths.clear();
        self.world.done.clear();
        self
    }

    /// Sets the signal, such as `(:TYPE :EVENT :META (:SOURCE :CLI) :DEPTH 0 :PAYLOAD (:SENSOR :USER-INPUT :TEXT "hi"))`.
    #[must_use]
    pub fn signal(mut self, plist: &str) -> Harness {
        self.world.signal = parsed("signal", plist);
        self
    }

    /// Sets what a cycle failed with, such as `(:CODE :LLM-ERROR :TEXT "…")`.
    #[must_use]
    pub fn failure(mut self, plist: &str) -> Harness {
        self.world.failure = parsed("failure", plist);
        self
    }

    /// Sets a setting.
    #[must_use]
    pub fn setting(mut self, key: &str, value: &str) -> Harness {
        self.world.settings.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Adds a value that the operator keeps secret. As in the host, values of fewer than eight characters are not found.
    #[must_use]
    pub fn secret(mut self, value: &str) -> Harness {
        self.world.secrets.push(value.to_owned());
        self
    }

    /// Scripts how the next command that is run or proposed ends. Without an answer, it is unavailable.
    #[must_use]
    pub fn answers(mut self, output: Output) -> Harness {
        self.world.answers.push_back(Ok(output));
        self
    }

    /// Scripts why the next command that is run or proposed does not run.
    #[must_use]
    pub fn fails(mut self, failure: CapabilityFailure) -> Harness {
        self.world.answers.push_back(Err(failure));
        self
    }

    /// Puts a file where the skill can read it, or write over it. Which folder a grant covers is not the harness's question:
    /// what it was not given does not exist.
    #[must_use]
    pub fn file(mut self, path: &str, content: impl AsRef<[u8]>) -> Harness {
        self.world.files.insert(path.to_owned(), Ok(content.as_ref().to_vec()));
        self
    }

    /// Scripts why a file can be neither read nor written.
    #[must_use]
    pub fn file_fails(mut self, path: &str, failure: CapabilityFailure) -> Harness {
        self.world.files.insert(path.to_owned(), Err(failure));
        self
    }

    /// Sets what `files::sha256` answers for a file.
    #[must_use]
    pub fn digest(mut self, path: &str, sha256: &str) -> Harness {
        self.world.digests.insert(path.to_owned(), sha256.to_owned());
        self
    }

    /// Scripts what the next request is answered with. Without a response, the network is unavailable.
    #[must_use]
    pub fn response(mut self, response: Response) -> Harness {
        self.world.responses.push_back(Ok(response));
        self
    }

    /// Scripts why the next request has no response.
    #[must_use]
    pub fn request_fails(mut self, failure: CapabilityFailure) -> Harness {
        self.world.responses.push_back(Err(failure));
        self
    }

    /// Grants the secret `name`, and scripts what signing with it gives. Without it, the secret is not granted.
    #[must_use]
    pub fn signature(mut self, name: &str, signature: &[u8]) -> Harness {
        self.world.lent.signatures.insert(name.to_owned(), signature.to_vec());
        self
    }

    /// Puts an object into memory.
    #[must_use]
    pub fn object(mut self, id: &str, plist: &str) -> Harness {
        self.world.lent.put(id, parsed("object", plist));
        self
    }

    /// Scripts what the model answers next. Without an answer, it is unavailable.
    #[must_use]
    pub fn model_answers(mut self, answer: Result<&str, CapabilityFailure>) -> Harness {
        self.world.lent.answers.push_back(answer.map(str::to_owned));
        self
    }

    /// Runs any code that takes the action and the signal.
    pub fn run<T>(&mut self, code: impl FnOnce(&Action, &Signal) -> T) -> T {
        let call = || code(&Action::from_handle(world::ACTION), &Signal::from_handle(world::SIGNAL));
        let (result, world) = world::during(self.world.clone(), call);
        self.world = world;
        result
    }

    /// Asks whether the skill's prompt is meant for the signal.
    ///
    /// # Panics
    /// When the skill does not say that it has the function, so that the host would never call it. The same of the others.
    pub fn trigger<S: Skill>(&self) -> bool {
        called::<S>(Function::Trigger);
        self.clone().run(|_, signal| S::trigger(signal))
    }

    /// Asks for the skill's prompt.
    ///
    /// # Panics
    /// As [`Harness::trigger`]; and when it declares triggers of which none fits the signal, and has no function for that.
    pub fn prompt<S: Skill>(&self) -> Option<String> {
        let description = called::<S>(Function::Prompt);
        let triggers = description.triggers();
        let meant = triggers.is_empty() || triggers.iter().any(|own| self.fits(own));
        assert!(
            meant || description.has(Function::Trigger),
            "no trigger of `describe` fits this signal, so that the host would not ask for the prompt: {}",
            triggers
                .iter()
                .map(Trigger::to_string)
                .collect::<Vec<String>>()
                .join(" ")
        );
        self.clone().run(|_, signal| S::prompt(signal))
    }

    /// Asks for the skill's mandate.
    ///
    /// # Panics
    /// As [`Harness::trigger`].
    pub fn mandate<S: Skill>(&self) -> Option<String> {
        called::<S>(Function::Mandate);
        self.clone().run(|_, signal| S::mandate(signal))
    }

    /// Has the skill judge the action.
    ///
    /// # Panics
    /// When the gate calls what no gate can: anything that runs, reads or sends. When the skill does not say that it is a
    /// gate, or that it is one for actions of this target.
    pub fn gate<S: Skill>(&self) -> Verdict {
        let description = called::<S>(Function::Gate);
        if let Some(target) = self.target() {
            assert!(
                description.judges(&target),
                "`describe` names no gate target :{target}, so that the host would not ask this gate about the action: add \
                 `.gate_target({target:?})`, or name none, to judge all"
            );
        }
        let mut harness = self.clone();
        let verdict = harness.run(S::gate);
        let called = &harness.world.acts[self.world.acts.len()..];
        assert!(
            called.is_empty(),
            "nothing that acts is callable from a gate, and this one called {called:?}"
        );
        verdict
    }

    /// Has the skill carry out the action.
    ///
    /// # Errors
    /// What the skill gave back as one.
    ///
    /// # Panics
    /// When the skill does not say that it acts for the action's target, or reaches files in a way, reading or writing, in
    /// which no `reaches` of its description does.
    pub fn act<S: Skill>(&mut self) -> Result<String, String> {
        let description = called::<S>(Function::Act);
        if let Some(target) = self.target() {
            let verb = self.word("payload.action");
            // What is due reaches its skill whatever that acts for.
            let is_due = target == "SCHEDULE" && verb.as_deref() == Some("FIRED");
            assert!(
                is_due || description.acts_for(&target, verb.as_deref()),
                "`describe` names no target :{target} that fits the action, so that the host would not call `act` for it: add \
                 `.target({target:?})`"
            );
        }
        let before = self.world.acts.len();
        let said = self.run(S::act);
        self.reached(&description, before);
        said
    }

    /// Calls a tool of the skill.
    ///
    /// # Errors
    /// What the skill gave back as one.
    ///
    /// # Panics
    /// When the skill does not offer the tool, declares no such parameter, or does not say that it carries out calls; and as
    /// [`Harness::act`] of files. Arguments of another kind than the declared one, which the host refuses too, are handed on.
    pub fn call_tool<S: Skill>(&mut self, name: &str) -> Result<String, String> {
        let description = called::<S>(Function::CallTool);
        let Some(tool) = description.offered(name) else {
            panic!(
                "`describe` declares no tool {name:?}, so that nobody could call it: add `.tool(Tool::new({name:?}, …))`"
            );
        };
        let args = self.world.action.at("payload.args");
        for key in args.map(TestForm::keys).unwrap_or_default() {
            assert!(
                tool.takes(&key),
                "the tool {name:?} declares no parameter {key:?}, so that the host would refuse this call: add \
                 `.parameter(Parameter::…({key:?}, …))`"
            );
        }
        let before = self.world.acts.len();
        let said = self.run(|action, signal| S::call_tool(name, action, signal));
        self.reached(&description, before);
        said
    }

    /// Whether the host would find that a trigger fits the signal.
    fn fits(&self, trigger: &Trigger) -> bool {
        let rule = parsed("trigger", &trigger.to_string());
        let wanted = |key: &str| rule.at(key).and_then(TestForm::text);
        let said = |path: &str| self.world.signal.at(path).and_then(TestForm::text);
        let same = |key: &str, path: &str| {
            wanted(key).is_none_or(|wanted| said(path).is_some_and(|said| said.eq_ignore_ascii_case(wanted)))
        };
        let field = wanted("field").is_none_or(|path| said(path) == wanted("equals"));
        same("sensor", "payload.sensor") && same("source", "meta.source") && field
    }

    /// Makes sure that what was called since the first `before` calls would be granted, if `reaches` is.
    fn reached(&self, description: &Description, before: usize) {
        for secret in self.world.requests.iter().flat_map(secrets) {
            assert!(
                description.reaches_secret(&secret),
                "a header has the secret {secret:?} put in, and `describe` does not say so, so that nobody would be asked for it and \
                 the host would refuse the request: add `.reaches(\"vault:{secret}\")`"
            );
        }
        const READING: [&str; 4] = ["files.read", "files.about", "files.sha256", "files.list-folder"];
        const WRITING: [&str; 3] = ["files.write", "files.edit", "files.propose-write"];
        for (way, calls) in [("read", &READING[..]), ("write", &WRITING[..])] {
            let called = self.world.acts[before..].iter().find(|own| calls.contains(own));
            if let Some(called) = called.filter(|_| description.lacks_files(way)) {
                panic!(
                    "`describe` reaches files, but none to {way}, so that the host would refuse `{called}` with all that is granted \
                     for it: add `.reaches(\"files:{way}:…\")`"
                );
            }
        }
    }

    /// Asks the skill how to go on after the failure.
    ///
    /// # Panics
    /// As [`Harness::trigger`].
    pub fn recover<S: Skill>(&self) -> Option<Restart> {
        called::<S>(Function::Recover);
        self.clone()
            .run(|_, signal| S::recover(&Failure::from_handle(world::FAILURE), signal))
    }

    /// The action's target, if there is an action.
    fn target(&self) -> Option<String> {
        self.word("target")
    }

    /// The keyword or text at `path` of the action.
    fn word(&self, path: &str) -> Option<String> {
        self.world.action.at(path)?.text().map(str::to_owned)
    }
}

/// What the skill says it is, once it is sure that the host would call this function of it.
fn called<S: Skill>(function: Function) -> Description {
    let description = S::describe();
    if let Some(fault) = description.fault() {
        panic!("the host would refuse this skill for what `describe` says: {fault}");
    }
    assert!(
        description.has(function),
        "`describe` does not name this function, so that the host would never call it: add \
         `.function(Function::{function:?})`"
    );
    description
}

/// The names of secrets that stand in a request's headers, as `{vault:NAME}`.
fn secrets(request: &Request) -> Vec<String> {
    let values = request.headers.iter().map(|(_, value)| value);
    let of = |value: &String| {
        let parts = value.split("{vault:").skip(1);
        let names = parts.filter_map(|part| part.split_once('}').map(|(name, _)| name.to_owned()));
        names.collect::<Vec<String>>()
    };
    values.flat_map(of).collect()
}

fn parsed(what: &str, plist: &str) -> TestForm {
    match read(plist) {
        Ok(form) => form,
        Err(error) => panic!("the {what} of this harness cannot be read: {error}\n{plist}"),
    }
}
