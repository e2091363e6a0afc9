//! The daemon: the boot sequence, what runs meanwhile, and the way down.
//!
//! The order of the boot is fixed: configuration, memory, actuators, skills, health, signals, listeners, heartbeat.
//! What is broken is reported and does not keep the rest from starting (fail open); what is missing among the gates
//! keeps everything from passing (fail closed).

mod admin;
mod approvals;
mod budget;
pub mod check;
mod health;
mod heard;
mod jail;
mod lists;
mod lock;
mod models;
mod older;
mod providers;
mod reload;
mod rules;
mod service;
mod storage;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use anyhow::Context;
use tokio_util::sync::CancellationToken;

pub use health::{Check, Level, local_checks};

use crate::audit::{Record, WriteFaults, Writes, create_private_dir};
use crate::capability::schedule::Schedule;
use crate::capability::{Services, files, process};
use crate::config::{Config, ConfigFault, Home, Variables};
use crate::cycle::{Core, Outlet, Sessions, Stores, Unfinished, Unheard, heartbeat, schedule};
use crate::gate::approval::PlanStore;
use crate::gate::standing::StandingStore;
use crate::memory::{Memory, PrivacyTags};
use crate::model::{Cascade, known};
use crate::protocol::{DaemonFile, Hub, Server};
use crate::signal::SessionId;
use crate::skill::{self, Grants, GrantsFile, Loader, Registry, SkillSet, Workshop};
use crate::vault::{self, Secrets, Vault, VaultError};

use lock::HomeLock;
use models::CascadeForSkills;
use reload::Reload;
use service::Daemon;
use storage::Store;

/// How much work compiling may be before the daemon listens, which is a few seconds. Beyond it stands what is neither bundled
/// nor kept from an earlier start, and comes moments later.
const COMPILED_AT_START: u64 = 5_000_000;

/// A running daemon's door, for whoever started it.
#[derive(Debug, Clone)]
pub struct Doors {
    /// The TCP port on loopback.
    pub port: u16,
    /// What is not as it should be, and what waits: for whoever is looking.
    pub notices: Vec<String>,
}

impl Outlet for Hub {
    fn send(&self, session: SessionId, frame: crate::sexp::Form) {
        Hub::send(self, session, frame);
    }

    fn is_heard(&self, session: SessionId) -> bool {
        self.connections(session) > 0
    }
}

/// Runs the daemon until `stop`, SIGINT or SIGTERM. `listening` is called once clients can connect.
///
/// # Errors
/// When it can't start: its folders, its record or its doors are not to be had.
pub async fn serve(
    mut config: Config,
    variables: Variables,
    stop: CancellationToken,
    listening: impl FnOnce(Doors),
) -> anyhow::Result<()> {
    let home = config.home.clone();
    let (turns_folder, log_lines) = (turns_folder(&home), config.cycle.log_lines);
    for folder in [
        &home.config,
        &home.data,
        &home.state,
        &home.skills,
        &home.workspace,
        &turns_folder,
    ] {
        create_private_dir(folder)?;
    }
    // One that was there before, as a backup brings it back, may be open to others.
    for folder in [&home.data, &home.state] {
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(folder, private)
            .with_context(|| format!("cannot make {} private; check that it is yours", folder.display()))?;
    }
    // Before any store is opened: opening one mends it, and what another daemon is writing must not be mended.
    let _lock = HomeLock::take(&home.state).await?;
    match process::look_after_killed(&home.workspace, &home.state) {
        Ok(notes) => notes
            .iter()
            .for_each(|note| tracing::warn!("after a command that was killed: {note}")),
        Err(error) => tracing::error!("{error}"),
    }
    for note in files::look_after_writing(&home.data) {
        tracing::warn!("{note}");
    }
    let faults = complete_providers(&mut config, &variables);
    config.add_faults(faults);
    let (cascade, model_faults) = Cascade::from_config(&config.model);
    for fault in config.faults.iter().chain(&model_faults) {
        tracing::error!("configuration: {fault}");
    }
    if rustix::process::geteuid().is_root() {
        tracing::warn!("running as root: a user of its own would be safer");
    }

    let write_faults = WriteFaults::default();
    let writes = |store: Store| store.noting_in(&write_faults);
    // Stores first: without the record nothing may act, so that a daemon without it is of no use.
    let (record, unfinished) = {
        let (record, entries, recovery) =
            Record::open(&home.data.join("record.log"), &writes(Store::Record)).context("the decision record")?;
        report_recovery("the decision record", &recovery);
        if let Some(broken) = entries.iter().find(|entry| !entry.linked) {
            tracing::error!(
                "the decision record is not whole: entry {} does not follow the one before it",
                broken.sequence
            );
        }
        (record, Unfinished::among(&entries))
    };
    let plans = PlanStore::open(&home.data.join("plans.log"), &home.workspace, &writes(Store::Plans));
    let (plans, recovery) = plans.context("the flight plans")?;
    report_recovery("the flight plans", &recovery);
    let standing = StandingStore::open(&standing_path(&home), &home.workspace, &writes(Store::Standing));
    let unheard =
        Unheard::open(&home.data.join("unheard"), writes(Store::Unheard)).context("what nobody has heard yet")?;

    // The tags that the dispatcher keeps from going out are the ones that no model is shown.
    let tags = config.settings.get("dispatcher.privacy-tags");
    let memory = Memory::new(tags.map(|tags| PrivacyTags::new(tags.lines())).unwrap_or_default());

    let vault = vault(&config);
    let secrets = Secrets::from(vault.clone());
    vault::keep_out_of_logs(secrets.clone());
    let cascade = Arc::new(cascade.paid_from(budget::open(&config, &writes(Store::Budget))?));
    let process = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let reload = Arc::new(Reload::new(
        &config,
        process,
        cascade.clone(),
        vault.clone(),
        model_faults,
    ));
    let changes = Arc::downgrade(&reload);
    cascade.tell_unused(move || changes.upgrade()?.refused());
    let hub = Hub::new();
    skill::remove_unfinished(&config.home.skills);
    let (mut loader, grants) = load_skills(&config, secrets.clone(), &write_faults)?;
    let workshop = loader.workshop().clone();
    let registry = Arc::new(Registry::new(
        loader.begin_within(grants.grants().clone(), COMPILED_AT_START),
    ));
    let services = Arc::new(Services {
        home: config.home.clone(),
        protected: config.protected(),
        secrets: Box::new(vault.clone()),
        vault: Some(vault),
        memory: Arc::new(Mutex::new(memory)),
        models: Box::new(CascadeForSkills {
            cascade: cascade.clone(),
            runtime: tokio::runtime::Handle::current(),
        }),
        schedule: open_schedule(&config, &writes(Store::Schedule)),
    });
    let core = Arc::new(Core::new(
        Arc::new(config),
        registry.clone(),
        cascade,
        Sessions::new(&turns_folder, log_lines, writes(Store::Turns)),
        secrets,
        Arc::new(hub.clone()),
        Stores {
            plans,
            standing,
            record,
            services,
            unheard: Arc::new(unheard),
            write_faults,
        },
    ));
    let daemon = Arc::new(Daemon::new(
        core.clone(),
        reload.clone(),
        tokio::runtime::Handle::current(),
    ));
    daemon.check_health().await;
    let broken_off = core.tell_untold();
    broken_off.iter().for_each(|word| tracing::warn!("{word}"));
    core.tell_interrupted();
    core.tell_unfinished(&unfinished);

    // Before anybody can know that it listens: whoever then tells it to stop must find it listening to that as well.
    let signals = tokio::spawn(stop_on_signals(stop.clone())?);
    let killed = DaemonFile::left_since(&home.state);
    let server = Server::bind(&core.config.wire, &home.state, &core.config.cycle.default_actuator).await?;
    let doors = Doors {
        port: server.port(),
        notices: daemon.notices().into_iter().chain(broken_off).collect(),
    };
    let watch = skill::watch(loader, registry, grants).context("the watch over the skills folder")?;
    let beat = tokio::spawn(heartbeat(core.clone(), stop.clone()));
    let reloading = tokio::spawn(reload.watch(stop.clone()));
    let timer = tokio::spawn(schedule(core.clone(), stop.clone()));
    let close = CancellationToken::new();
    // Before anybody can ask what there is to hear.
    if let Some(since) = killed {
        daemon.begin_telling(since);
    }
    let serving = tokio::spawn(server.serve(daemon.clone(), hub, close.clone()));
    listening(doors);

    // On the way down clients stay connected until what they wait for has ended.
    stop.cancelled().await;
    daemon.finish(core.config.cycle.shutdown, &workshop).await;
    drop(watch);
    close.cancel();
    serving.await.context("the server")?;
    beat.abort();
    timer.abort();
    reloading.abort();
    signals.abort();
    if let Err(error) = core.write_again() {
        tracing::error!("what could not be written is lost with this process: {error}");
    }
    tracing::info!("stopped");
    Ok(())
}

/// Fills in what well-known providers need, and reads their keys from the environment and the vault. A vault that can't
/// be read is a fault: what is in it could not be recognised, so that no gate must pass anything.
pub fn complete_providers(config: &mut Config, variables: &Variables) -> Vec<ConfigFault> {
    let (contents, fault) = match vault_store(config).load() {
        Ok(contents) => (contents, None),
        Err(error) => (vault::Contents::default(), Some(fault_of_vault(&error))),
    };
    let keys = known::Keys {
        variable: &|name| variables.get(name).cloned(),
        vault: &|name| contents.key_of_provider(name).map(|key| key.to_string()),
    };
    let mut faults = known::complete(&mut config.model, &keys);
    faults.extend(fault);
    faults
}

/// Most of what can be wrong with a vault says itself what to do, behind the first `; `.
fn fault_of_vault(error: &VaultError) -> ConfigFault {
    let told = error.to_string();
    let (problem, remedy) = told.split_once("; ").unwrap_or((&told, "mend it, or put back a copy"));
    ConfigFault {
        place: "the vault".to_owned(),
        problem: problem.to_owned(),
        remedy: remedy.to_owned(),
    }
}

/// What is wrong with how the models are configured, which closes no gate: only who is asked suffers. After
/// [`complete_providers`].
pub fn faults_of_models(config: &Config) -> Vec<String> {
    let faults = Cascade::check(&config.model);
    let faults = faults.iter().map(ToString::to_string);
    faults.chain(rules::sensors(&config.model)).collect()
}

/// Where the vault of this home is kept.
pub fn vault_store(config: &Config) -> vault::Store {
    vault::Store::new(&config.home.config, &config.home.data)
}

/// The vault of this home, in use, and the providers' keys beside it.
pub fn vault(config: &Config) -> Arc<Vault> {
    let keys = config.model.providers.values().filter_map(|own| own.key.as_ref());
    Arc::new(Vault::new(vault_store(config), keys.map(|key| key.0.clone())))
}

/// What the operator keeps secret: what is in the vault, and the providers' keys.
pub fn secrets(config: &Config) -> Secrets {
    vault(config).into()
}

/// The skills of this home as they are now, and what keeps them up to date.
///
/// # Errors
/// When the engines can't be started on this machine. A skill that can't be loaded is listed with its reason instead.
fn load_skills(
    config: &Config,
    secrets: Secrets,
    write_faults: &WriteFaults,
) -> anyhow::Result<(Loader, GrantsFile)> {
    let settings = Arc::new(config.settings.clone());
    let workshop = Workshop::new(config.skills.clone(), config.gates.required.clone(), settings, secrets)?
        .keeping_code(&config.home.state)
        .compiling_apart(process::OWN_BINARY.into());
    let grants = GrantsFile::open(&grants_path(config));
    let loader = Loader::new(Arc::new(workshop), skill::BUNDLED, config.home.skills.clone())
        .remembering_in(&config.home.data, Store::Gates.noting_in(write_faults))
        .keeping_owners(&config.home.state, Store::Owners.noting_in(write_faults));
    Ok((loader, grants))
}

/// The skills that a daemon in this home would load now.
///
/// # Errors
/// When the engines can't be started on this machine.
pub fn skills_now(config: &Config, secrets: Secrets) -> anyhow::Result<Arc<SkillSet>> {
    let (loader, grants) = load_skills(config, secrets, &WriteFaults::default())?;
    let mut loader = loader.only_seeing();
    Ok(Arc::new(loader.begin(grants.grants().clone())))
}

/// The same, with these `grants`, but for what would have to be compiled first, which may take long: that is left out.
///
/// # Errors
/// As [`skills_now`].
pub(crate) fn skills_compiled(config: &Config, grants: Grants) -> anyhow::Result<SkillSet> {
    let (loader, _) = load_skills(config, secrets(config), &WriteFaults::default())?;
    Ok(loader.only_seeing().begin_within(grants, 0))
}

/// The grants file.
pub fn grants_path(config: &Config) -> PathBuf {
    config.home.config.join("grants")
}

/// Where the conversations are kept.
pub fn turns_folder(home: &Home) -> PathBuf {
    home.data.join("turns")
}

/// Where it is kept what the operator approved once and for all.
pub fn standing_path(home: &Home) -> PathBuf {
    home.data.join("approvals")
}

/// Where it is kept what skills have scheduled.
pub(crate) fn schedule_path(config: &Config) -> PathBuf {
    config.home.data.join("schedule")
}

/// What skills have scheduled. Where it can't be read the rest of the daemon goes on without: nothing is written over it.
fn open_schedule(config: &Config, writes: &Writes) -> Option<Arc<Schedule>> {
    match Schedule::open(&schedule_path(config), writes) {
        Ok(schedule) => Some(Arc::new(schedule)),
        Err(error) => {
            tracing::error!("the schedule: {error}");
            None
        }
    }
}

fn report_recovery(what: &str, recovery: &crate::audit::Recovery) {
    if recovery.torn > 0 {
        tracing::warn!(
            "{what} ended in the middle of an entry ({} bytes); it was cut off and kept beside",
            recovery.torn
        );
    }
    if recovery.damaged > 0 {
        tracing::error!(
            "{what} has {} bytes that are no entry; the rest was read",
            recovery.damaged
        );
    }
}

fn stop_on_signals(stop: CancellationToken) -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    Ok(async move {
        let name = tokio::select! {
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
        };
        tracing::info!("{name}: finishing what is in flight");
        stop.cancel();
    })
}
