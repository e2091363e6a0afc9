//! Skills: WebAssembly components in a jail, loaded, bounded, and asked for verdicts, prompts and deeds.
//!
//! A skill that crashes, hangs, lies or is half-written takes nothing down with it: every call is bounded, every
//! failure is a value, and what can't be loaded is listed with its reason while everything else goes on. This room
//! knows nothing of the loop, of models, or of the wire.

mod aimless;
mod apart;
mod attempt;
mod bundled;
mod cache;
mod compile;
mod component;
mod describe;
mod dropped;
mod engine;
mod fallen;
mod fault;
mod folder;
mod gate;
pub mod grants;
mod idle;
mod inspect;
mod limits;
mod loaded;
mod loader;
mod order;
mod owned;
mod quarantine;
mod refusal;
mod registry;
mod report;
mod right;
mod sessions;
mod settle;
mod status;
mod stock;
mod tally;
mod tuning;
mod unfinished;
mod verdict;
mod wasi;
mod watch;
mod workshop;

#[cfg(test)]
mod tests;

pub use aimless::{aimless, all_targets, deaf};
pub use apart::compile_if_asked;
pub use bundled::BUNDLED;
pub use cache::{CacheCounts, CacheError, CodeCache};
pub use describe::{
    DescribeError, Description, Function, NAME_RULE, Parameter, TargetClaim, ToolDeclaration, TriggerRule,
    check_free, is_name, name_of_stem,
};
pub use engine::{EngineError, Engines};
pub use folder::{files_in, read_whole};
pub use grants::{Entry, GrantError, Grants, Pin};
pub use inspect::{Anatomy, FileFault, Inspection, Outside};
pub use loaded::{Skill, SkillFault, Source};
pub use loader::{Loader, load};
pub use order::OrderFault;
pub use registry::{Claim, Readiness, Registry, SkillSet};
pub use report::{Finding, Mark, Report};
pub use right::{Right, comes_with};
pub use status::{SkillState, SkillStatus};
pub use tally::Counts;
pub use unfinished::{remove_unfinished, unfinished};
pub use watch::{GrantsFile, Watch, watch};
pub use workshop::{Bundled, LoadFault, Workshop, takes_your_word};

/// The engine and its version, for the record: another engine could judge otherwise.
pub const ENGINE_VERSION: &str = concat!("wasmtime ", env!("WASMTIME_VERSION"));
