//! The set of skills that is in use, as one immutable value.
//!
//! A cycle takes the set once and keeps it: what is loaded or removed meanwhile is another set. Everything that the
//! loop asks about skills as a whole is answered here.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::cache::CacheCounts;
use super::describe::{Function, TargetClaim, ToolDeclaration};
use super::fallen::Fallen;
use super::loaded::Skill;
use super::status::{SkillState, SkillStatus};
use crate::config::meant;
use crate::gate::Gate;
use crate::sexp::{Digest, Form};
use crate::signal::{Action, Signal};

/// A skill that has something to do on a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name.
    pub skill: String,
    /// What it wants a model to be asked; where there is nothing, it is asked to act itself.
    pub prompt: Option<String>,
}

/// An immutable set of skills, highest priority first, ties by name.
#[derive(Default)]
pub struct SkillSet {
    skills: Vec<Arc<Skill>>,
    gates: Vec<Arc<dyn Gate>>,
    /// The gates that were ready before and do not load now: they hold their place, and reject.
    fallen: Vec<String>,
    /// Why it is not known whether there are more of them.
    gates_fault: Option<String>,
    /// What is not in use, and why.
    absent: Vec<SkillStatus>,
    code: Option<CacheCounts>,
    code_fault: Option<String>,
    grants_fault: Option<String>,
}

impl SkillSet {
    /// The set of these skills. `absent` are those that could not be loaded; `fallen` are gates that hold the place of
    /// some of them.
    pub(super) fn new(mut skills: Vec<Arc<Skill>>, absent: Vec<SkillStatus>, fallen: Vec<Fallen>) -> SkillSet {
        let (unknown, known): (Vec<&Fallen>, Vec<&Fallen>) = fallen.iter().partition(|gate| gate.list.is_some());
        let gates_fault = unknown.first().map(|gate| gate.reason.clone());
        let names = known.iter().map(|gate| gate.name.clone()).collect();
        let fallen = fallen.into_iter().map(|gate| Arc::new(gate) as Arc<dyn Gate>);
        skills.sort_by(|a, b| {
            let priority = |skill: &Skill| std::cmp::Reverse(skill.description().priority);
            priority(a).cmp(&priority(b)).then_with(|| a.name().cmp(b.name()))
        });
        let own = skills
            .iter()
            .filter(|skill| skill.is_gate())
            .map(|skill| Arc::clone(skill) as Arc<dyn Gate>);
        let mut gates: Vec<Arc<dyn Gate>> = own.chain(fallen).collect();
        gates.sort_by(|a, b| b.priority().cmp(&a.priority()).then_with(|| a.name().cmp(b.name())));
        SkillSet {
            skills,
            gates,
            fallen: names,
            gates_fault,
            absent,
            code: None,
            code_fault: None,
            grants_fault: None,
        }
    }

    /// The same, with what became of compiled code so far, or why none is kept.
    pub(super) fn with_code(self, code: Option<CacheCounts>, fault: Option<&str>) -> SkillSet {
        let code_fault = fault.map(str::to_owned);
        SkillSet {
            code,
            code_fault,
            ..self
        }
    }

    /// Why no compiled code is kept, where it should be.
    pub fn code_fault(&self) -> Option<&str> {
        self.code_fault.as_deref()
    }

    /// The same, made while the grants had this fault.
    pub(super) fn with_grants_fault(self, fault: Option<&str>) -> SkillSet {
        let grants_fault = fault.map(str::to_owned);
        SkillSet { grants_fault, ..self }
    }

    /// Why nothing was granted when this set was made, where the grants could not be read.
    pub fn grants_fault(&self) -> Option<&str> {
        self.grants_fault.as_deref()
    }

    /// How often compiled code was taken from disk, until this set was made. Nothing where none is kept.
    pub fn code(&self) -> Option<CacheCounts> {
        self.code
    }

    /// Every gate, in the order in which they judge.
    pub fn gates(&self) -> &[Arc<dyn Gate>] {
        &self.gates
    }

    /// The gates that were ready before, do not load now, and reject.
    pub fn fallen(&self) -> &[String] {
        &self.fallen
    }

    /// Whether the gate `name` is one of [`SkillSet::fallen`], also where a bundled one judges beside it.
    pub fn is_fallen(&self, name: &str) -> bool {
        self.fallen.iter().any(|own| own == name)
    }

    /// Why it is not known which gates were ready before, where nothing passes because of that.
    pub fn gates_fault(&self) -> Option<&str> {
        self.gates_fault.as_deref()
    }

    /// The skills, in the same order.
    pub fn skills(&self) -> &[Arc<Skill>] {
        &self.skills
    }

    /// The skill with this name.
    pub fn named(&self, name: &str) -> Option<&Arc<Skill>> {
        self.skills.iter().find(|skill| skill.name() == name)
    }

    /// The skill that carries out `action`.
    pub fn actuator(&self, action: &Action) -> Option<Arc<Skill>> {
        self.skills.iter().find(|skill| skill.claim(action).is_some()).cloned()
    }

    /// The skill that offers the tool `name`, and how it declared it.
    pub fn tool(&self, name: &str) -> Option<(Arc<Skill>, &ToolDeclaration)> {
        self.skills.iter().find_map(|skill| {
            let tool = skill
                .description()
                .tools
                .iter()
                .find(|tool| tool.name.eq_ignore_ascii_case(name))?;
            Some((skill.clone(), tool))
        })
    }

    /// Why nobody offers the tool `name`, and what to do. Most skills are called as their tool is, so that one of that name is
    /// told of.
    pub fn why_no_tool(&self, name: &str) -> (String, String) {
        let tools = self.tools().map(|tool| tool.name.as_str());
        match self.readiness(name) {
            Readiness::NotNow(state) => (
                format!(
                    "there is no tool named {name} now: the skill of that name {}; `passepartout-host skill list` \
                     says why",
                    state.told()
                ),
                "use another tool, or none".to_owned(),
            ),
            Readiness::Ready(_) | Readiness::Absent => (format!("there is no tool named {name}"), meant(name, tools)),
        }
    }

    /// What skills carry out, by target.
    pub fn claimed_targets(&self) -> impl Iterator<Item = &TargetClaim> {
        self.skills.iter().flat_map(|skill| &skill.description().targets)
    }

    /// Every tool that a model can use.
    pub fn tools(&self) -> impl Iterator<Item = &ToolDeclaration> {
        self.skills.iter().flat_map(|skill| &skill.description().tools)
    }

    /// The prompt of the first skill, by priority, whose prompt is meant for the signal, and the skill's name. One
    /// that fails is passed over.
    pub fn prompt_for(&self, signal: &Signal) -> Option<(String, String)> {
        let form = Arc::new(signal.to_form());
        self.skills
            .iter()
            .filter(|skill| skill.has(Function::Prompt))
            .find_map(|skill| {
                let meant = skill.is_triggered(&form).unwrap_or(false);
                let prompt = if meant {
                    skill.prompt(&form).ok().flatten()
                } else {
                    None
                };
                prompt.map(|prompt| (skill.name().to_owned(), prompt))
            })
    }

    /// The skills that claim the heartbeat `beat`: those with the right to, whose declared triggers or whose function says
    /// so. Silence is no claim, and one that fails claims nothing.
    pub fn claims(&self, beat: &Signal) -> Vec<Claim> {
        let form = Arc::new(beat.to_form());
        let claim = |skill: &&Arc<Skill>| {
            let says = skill.has(Function::Trigger) || !skill.description().triggers.is_empty();
            skill.may_claim_the_heartbeat() && says && skill.is_triggered(&form).unwrap_or(false)
        };
        let claims = self.skills.iter().filter(claim).filter_map(|skill| {
            let prompt = skill.prompt(&form).ok()?;
            (prompt.is_some() || skill.has(Function::Act)).then(|| Claim {
                skill: skill.name().to_owned(),
                prompt,
            })
        });
        claims.collect()
    }

    /// What skills add to the system prompt, with their names. Those that fail add nothing.
    pub fn mandates(&self, signal: &Signal) -> Vec<(String, String)> {
        let form: Arc<Form> = Arc::new(signal.to_form());
        let mandate = |skill: &Arc<Skill>| Some((skill.name().to_owned(), skill.mandate(&form).ok().flatten()?));
        self.skills.iter().filter_map(mandate).collect()
    }

    /// What the first skill, by priority, that knows something would do about a cycle that began with `signal` and failed
    /// with `error`: what `read` makes of its answer, and its name. One that fails, or says what can't be read, is
    /// passed over.
    pub fn recover<T>(
        &self,
        error: &Arc<Form>,
        signal: &Arc<Form>,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<(String, T)> {
        self.skills.iter().find_map(|skill| {
            let said = skill.recover(error, signal).ok().flatten()?;
            let restart = read(&said);
            if restart.is_none() {
                tracing::warn!(skill = skill.name(), "it answers a failure with what is no restart");
            }
            Some((skill.name().to_owned(), restart?))
        })
    }

    /// The digest of each skill by name, for the record.
    pub fn digests(&self) -> BTreeMap<String, Digest> {
        self.skills
            .iter()
            .map(|skill| (skill.name().to_owned(), skill.digest()))
            .collect()
    }

    /// Whether the skill `name` can be asked.
    pub fn readiness(&self, name: &str) -> Readiness<'_> {
        let absent = || self.absent.iter().find(|own| own.name == name);
        match self.named(name) {
            Some(skill) if skill.left_alone().is_some() => Readiness::NotNow(SkillState::Quarantined),
            Some(skill) => Readiness::Ready(skill),
            None => absent().map_or(Readiness::Absent, |own| Readiness::NotNow(own.state)),
        }
    }

    /// One line a skill, for `skill list`: those in use first, then those that are not.
    pub fn statuses(&self) -> Vec<SkillStatus> {
        self.skills
            .iter()
            .map(|skill| match self.is_fallen(skill.name()) {
                true => SkillStatus::beside_fallen(skill),
                false => SkillStatus::of(skill),
            })
            .chain(self.absent.iter().cloned())
            .collect()
    }
}

/// Whether a skill can be asked.
pub enum Readiness<'a> {
    /// It is in use.
    Ready(&'a Arc<Skill>),
    /// It is there, and not in use yet, or not at the moment.
    NotNow(SkillState),
    /// There is none of this name.
    Absent,
}

/// Where the set in use is kept, and swapped.
#[derive(Default)]
pub struct Registry {
    current: RwLock<Arc<SkillSet>>,
}

impl Registry {
    /// A registry that begins with `set`.
    pub fn new(set: SkillSet) -> Registry {
        Registry {
            current: RwLock::new(Arc::new(set)),
        }
    }

    /// The set in use. Whoever begins a cycle keeps it to the cycle's end.
    pub fn current(&self) -> Arc<SkillSet> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another set into use. Cycles in flight keep theirs.
    pub fn swap(&self, set: SkillSet) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
    }
}
