//! `vault`: using secrets without seeing them. Needs a grant for each, `vault:NAME`.
//!
//! A skill gets names that it was granted, and what a secret makes of a text, never the secret. Where a secret goes into
//! a request, the host puts it in, on its own side.

use wasmtime::StoreContextMut;

use super::effects::effects;
use super::interface::Acting;
use super::{Bound, Call, Failure, HasCall, Rights, Stop, charge};
use crate::vault::{Vault, VaultError};

/// Longest text that is signed at once, in bytes: longer ones are signed by their digest.
const LONGEST: usize = 1 << 20;

/// Links the interface.
///
/// # Errors
/// When it is linked already.
pub(super) fn link<T: HasCall>(vault: &mut Acting<'_, T>) -> wasmtime::Result<()> {
    vault.func("names", |mut store: StoreContextMut<'_, T>, (): ()| {
        charge(&mut store, 0)?;
        let outcome = with(store.data_mut().call_mut(), |vault, call| names(vault, &call.rights));
        Ok((outcome,))
    })?;
    vault.func(
        "hmac-sha256",
        |mut store: StoreContextMut<'_, T>, (name, data): (String, Vec<u8>)| {
            charge(&mut store, name.len() + data.len())?;
            if data.len() > LONGEST {
                return Err(Stop::Text {
                    asked: data.len() as u64,
                    allowed: LONGEST as u64,
                }
                .into());
            }
            let outcome = with(store.data_mut().call_mut(), |vault, call| {
                sign(vault, &call.skill, &call.rights, &name, &data)
            });
            Ok((outcome,))
        },
    )
}

/// Hands `work` the vault, in a call that carries out an action.
fn with<R>(call: &mut Call, work: impl FnOnce(&Vault, &Call) -> Result<R, Failure>) -> Result<R, Failure> {
    let effects = effects(call)?;
    match &effects.turn().services().vault {
        Some(vault) => work(vault, call),
        None => Err(Failure::Unavailable("there is no vault here".to_owned())),
    }
}

/// The names of those secrets that are there and granted, sorted.
fn names(vault: &Vault, rights: &Rights) -> Result<Vec<String>, Failure> {
    let mut names = vault.names().map_err(failure)?;
    names.retain(|name| may_use(rights, name));
    Ok(names)
}

fn sign(vault: &Vault, skill: &str, rights: &Rights, name: &str, data: &[u8]) -> Result<Vec<u8>, Failure> {
    // Before looking: whether a secret exists is not for those it was not granted to.
    if !may_use(rights, name) {
        let name: String = name.chars().take(64).collect();
        return Err(Failure::Rejected(format!(
            "the secret `{name}` is not granted; the operator can: passepartout-host skill grant {skill} vault:{name}"
        )));
    }
    let mac = vault.hmac_sha256(name, data).map_err(failure)?;
    tracing::info!(skill, secret = name, "a text was signed with a secret");
    Ok(mac.to_vec())
}

/// Whether the secret `name` was granted. Names that differ only in case are one name, as in the vault.
fn may_use(rights: &Rights, name: &str) -> bool {
    let covers = |bound: &Bound| matches!(bound, Bound::Vault(own) if own.eq_ignore_ascii_case(name));
    rights.iter().any(covers)
}

fn failure(error: VaultError) -> Failure {
    match error {
        VaultError::Unknown { .. } | VaultError::NotForHost { .. } => Failure::Failed(error.to_string()),
        error => Failure::Unavailable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use std::sync::Arc;

    use super::*;
    use crate::capability::services::SecretsForHosts;
    use crate::vault::{Store, Value};

    fn vault() -> (tempfile::TempDir, Vault) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(&folder.path().join("config"), &folder.path().join("data"));
        for name in ["one", "two", "three"] {
            let value = Value::new(format!("the value of {name}").as_bytes()).unwrap();
            store.set(name.parse().unwrap(), value, Vec::new()).unwrap();
        }
        (folder, Vault::new(store, []))
    }

    fn granted(names: &[&str]) -> Rights {
        Rights::new(names.iter().map(|name| Bound::Vault((*name).to_owned())))
    }

    #[test]
    fn a_skill_sees_the_names_it_was_granted_and_no_others() {
        let (_folder, vault) = vault();
        assert_eq!(
            names(&vault, &granted(&["two", "ONE", "gone"])).unwrap(),
            ["one", "two"]
        );
        assert!(names(&vault, &granted(&[])).unwrap().is_empty());
    }

    #[test]
    fn a_secret_that_is_not_granted_signs_nothing_and_is_not_told_from_one_that_is_not_there() {
        let (_folder, vault) = vault();
        let rights = granted(&["one"]);
        let said = |name: &str| match sign(&vault, "notes", &rights, name, b"x") {
            Err(Failure::Rejected(why)) => why.replace(name, "NAME"),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(said("two"), said("nosuch"));
        assert!(said("two").contains("skill grant notes vault:NAME"));
        assert_eq!(sign(&vault, "notes", &rights, "one", b"x").unwrap().len(), 32);
    }

    #[test]
    fn what_requests_carry_is_told_for_the_hosts_of_the_secret_alone() {
        let (folder, vault) = vault();
        let store = Store::new(&folder.path().join("config"), &folder.path().join("data"));
        let value = Value::new(b"a value of mine").unwrap();
        let host = "api.example.com".parse().unwrap();
        store.set("bound".parse().unwrap(), value, vec![host]).unwrap();
        // Set while the vault is in use.
        let secrets: Box<dyn SecretsForHosts> = Box::new(Arc::new(vault));
        let told = secrets.for_host("bound", "API.example.com").unwrap();
        assert_eq!(told.0, "a value of mine");
        for (name, host) in [("bound", "example.com"), ("one", "api.example.com"), ("nosuch", "x")] {
            let refused = secrets.for_host(name, host).unwrap_err();
            assert!(refused.contains(name) && !refused.contains("value of"), "{refused}");
        }
    }

    #[test]
    fn a_secret_that_was_granted_and_removed_is_a_failure() {
        let (_folder, vault) = vault();
        let failed = sign(&vault, "notes", &granted(&["gone"]), "gone", b"x");
        assert!(matches!(failed, Err(Failure::Failed(_))), "{failed:?}");
    }
}
