//! The heartbeat: what has to be looked after while nobody says anything. It asks no model.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Core;

/// Beats until `stop`: lapses plans and standing approvals whose time is over, puts sessions away that nobody hears. A
/// beat that fails is logged, and the next one comes.
pub async fn heartbeat(core: Arc<Core>, stop: CancellationToken) {
    let mut beat = tokio::time::interval(core.config.cycle.heartbeat);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = beat.tick() => {}
        }
        if let Err(error) = core.blocking(Core::expire).await {
            tracing::error!("a heartbeat failed: {error}");
        }
        for session in core.sessions.all() {
            if !core.outlet.is_heard(session.id()) {
                core.sessions.put_away(session.id());
            }
        }
    }
}
