//! The two engines and the clock that ends what runs too long.
//!
//! There are exactly two, for the life of the host: each costs memory for good. The clock is a thread of its own,
//! owned here, with weak handles: a task on a runtime could starve just when it is needed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use wasmtime::{Config, Engine, EngineWeak, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::stock::Stockroom;
use super::tuning;
use crate::capability::{Purpose, TICK};
use crate::config::SkillLimits;

/// Component instances at once, in one engine. Beyond 64 sessions with a stateful skill each and as many cycles.
pub(super) const INSTANCES: u32 = 256;

/// Memories and tables that all the modules of one skill may have together. A component of the SDK has one and two, and several
/// may be put together to one. The pools have room for as many in each place, so that no skill takes what another needs; each
/// memory reserves 4 GiB of address space.
pub(super) const MEMORIES: u32 = 4;
pub(super) const TABLES: u32 = 16;

/// Entries a pooled table has room for. Address space only; the limit that is enforced is the skill's own.
pub(super) const TABLE_ENTRIES: usize = 1 << 20;

/// Memories and tables that one core module has room for.
pub(super) const MEMORIES_EACH: u32 = 4;
pub(super) const TABLES_EACH: u32 = 4;

/// How much of a used memory stays resident for the next instance: what a small gate touches.
const KEEP_RESIDENT: usize = 256 << 10;

/// Longest deadline of a call, in ticks: more than the bounds on time that a configuration can set come to.
const LONGEST_CALL: u64 = 1 << 20;

/// The engines could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the WebAssembly engine can't start: {0:#}; this processor or system may lack what it needs")]
pub struct EngineError(#[from] wasmtime::Error);

/// The engine for what is pure, the engine for what acts, and what belongs to both.
pub struct Engines {
    pure: Engine,
    acting: Engine,
    pooled: bool,
    house: Arc<House>,
}

/// What must be there as long as anything compiled for the engines may run: their clock, which makes deadlines come,
/// and the thread that makes instances ready.
pub(super) struct House {
    stock: Stockroom,
    /// How often all calls were ended.
    ends: Arc<AtomicU64>,
    _clock: Clock,
}

impl House {
    /// Counts how often all calls were ended.
    pub(super) fn ends(&self) -> Arc<AtomicU64> {
        self.ends.clone()
    }

    /// Where instances are made ready.
    pub(super) fn stock(&self) -> &Stockroom {
        &self.stock
    }
}

impl Engines {
    /// Makes both engines and starts their clock. Where memory can't be reserved for pools (a limit on address
    /// space), instances are allocated one by one, which is said in the log.
    ///
    /// # Errors
    /// When the system can't run compiled code at all, or no thread can be started.
    pub fn new() -> Result<Engines, EngineError> {
        let (pure, pooled) = engine(tuning::pure)?;
        let (acting, also) = engine(tuning::acting)?;
        let house = House {
            _clock: Clock::start([pure.weak(), acting.weak()]).map_err(|error| EngineError(error.into()))?,
            stock: Stockroom::open().map_err(|error| EngineError(error.into()))?,
            ends: Arc::default(),
        };
        Ok(Engines {
            pure,
            acting,
            pooled: pooled && also,
            house: Arc::new(house),
        })
    }

    /// The engine for gates, and all else that is pure.
    pub fn pure(&self) -> &Engine {
        &self.pure
    }

    /// The engine for what carries out actions.
    pub fn acting(&self) -> &Engine {
        &self.acting
    }

    /// The one for this purpose.
    pub(super) fn of(&self, purpose: Purpose) -> &Engine {
        match purpose {
            Purpose::Pure => &self.pure,
            Purpose::Act => &self.acting,
        }
    }

    /// What must be there as long as anything compiled for the engines may run.
    pub(super) fn house(&self) -> Arc<House> {
        self.house.clone()
    }

    /// Ends every call that runs now, as if its time were over. Calls that begin afterwards have their whole time.
    pub(super) fn end_calls(&self) {
        self.house.ends.fetch_add(1, Ordering::Relaxed);
        for _ in 0..LONGEST_CALL {
            self.pure.increment_epoch();
            self.acting.increment_epoch();
        }
    }

    /// Whether instances come from pools.
    pub fn pooled(&self) -> bool {
        self.pooled
    }
}

fn engine(config: fn() -> Config) -> Result<(Engine, bool), EngineError> {
    let mut pooled = config();
    pooled.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
    match Engine::new(&pooled) {
        Ok(engine) => Ok((engine, true)),
        Err(error) => {
            tracing::warn!(
                "no memory could be reserved for instances of skills ({error:#}); each is allocated when it is needed, \
                 which is slower. A limit on address space (ulimit -v) may be the cause"
            );
            Engine::new(&config())
                .map(|engine| (engine, false))
                .map_err(EngineError)
        }
    }
}

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(INSTANCES)
        .total_core_instances(INSTANCES * SkillLimits::MOST_INSTANCES)
        .total_memories(INSTANCES * MEMORIES)
        .total_tables(INSTANCES * TABLES)
        .max_memories_per_module(MEMORIES_EACH)
        .max_tables_per_module(TABLES_EACH)
        .table_elements(TABLE_ENTRIES)
        .linear_memory_keep_resident(KEEP_RESIDENT);
    pool
}

/// The thread that moves the engines' epochs on, once a [`TICK`]. Ends when the last holder drops it.
struct Clock {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Clock {
    fn start(engines: [EngineWeak; 2]) -> std::io::Result<Clock> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let theirs = stop.clone();
        let thread = std::thread::Builder::new()
            .name("skill-clock".to_owned())
            .spawn(move || {
                let (stopped, wake) = &*theirs;
                let mut guard = stopped.lock().unwrap_or_else(PoisonError::into_inner);
                while !*guard {
                    guard = wake.wait_timeout(guard, TICK).unwrap_or_else(PoisonError::into_inner).0;
                    for engine in engines.iter().filter_map(EngineWeak::upgrade) {
                        engine.increment_epoch();
                    }
                }
            })?;
        Ok(Clock {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // It can't have panicked in a way that matters now.
            let _ = thread.join();
        }
    }
}
