//! What is secret is kept out of the daemon's log, whoever has it said.

use std::sync::{PoisonError, RwLock};

use super::Secrets;

static KEPT_OUT: RwLock<Option<Secrets>> = RwLock::new(None);

/// From now on no log shows what `secrets` are at the moment it is written.
pub fn keep_out_of_logs(secrets: Secrets) {
    *KEPT_OUT.write().unwrap_or_else(PoisonError::into_inner) = Some(secrets);
}

/// `text` as a log may show it.
pub fn for_log(text: String) -> String {
    let secrets = KEPT_OUT.read().unwrap_or_else(PoisonError::into_inner).clone();
    match secrets {
        Some(secrets) => secrets.now().hide(text),
        None => text,
    }
}
