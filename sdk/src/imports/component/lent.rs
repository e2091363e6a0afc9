//! Secrets, memory, the model and the schedule, as a component imports them.

pub(crate) mod memory {
    use super::super::wit::memory as wit;
    use crate::capability::Failure;

    pub(crate) fn get(id: &str) -> Result<Option<String>, Failure> {
        wit::get(id).map_err(|error| failure!(wit, error))
    }

    pub(crate) fn search(text: &str, limit: u32) -> Result<Vec<String>, Failure> {
        wit::search(text, limit).map_err(|error| failure!(wit, error))
    }

    pub(crate) fn write(action: u32, path: &str) -> Result<String, Failure> {
        wit::write(action, path).map_err(|error| failure!(wit, error))
    }

    pub(crate) fn propose_write(object: &str, explanation: &str) -> Result<String, Failure> {
        wit::propose_write(object, explanation).map_err(|error| failure!(wit, error))
    }
}

pub(crate) mod model {
    use super::super::wit::model as wit;
    use crate::capability::Failure;

    pub(crate) fn ask(action: u32, path: &str) -> Result<String, Failure> {
        wit::ask(action, path).map_err(|error| failure!(wit, error))
    }

    pub(crate) fn propose_ask(prompt: &str, explanation: &str) -> Result<String, Failure> {
        wit::propose_ask(prompt, explanation).map_err(|error| failure!(wit, error))
    }
}

pub(crate) mod vault {
    use super::super::wit::vault as wit;
    use crate::capability::Failure;

    pub(crate) fn names() -> Result<Vec<String>, Failure> {
        wit::names().map_err(|error| failure!(wit, error))
    }

    pub(crate) fn hmac_sha256(name: &str, data: &[u8]) -> Result<Vec<u8>, Failure> {
        wit::hmac_sha256(name, data).map_err(|error| failure!(wit, error))
    }
}

pub(crate) mod schedule {
    use super::super::wit::schedule as wit;
    use crate::capability::Failure;

    pub(crate) fn add(action: u32, path: &str) -> Result<String, Failure> {
        wit::add(action, path).map_err(|error| failure!(wit, error))
    }

    pub(crate) fn propose_add(entry: &str, explanation: &str) -> Result<String, Failure> {
        wit::propose_add(entry, explanation).map_err(|error| failure!(wit, error))
    }

    pub(crate) fn list() -> Result<Vec<String>, Failure> {
        wit::list().map_err(|error| failure!(wit, error))
    }

    pub(crate) fn remove(id: &str) -> Result<bool, Failure> {
        wit::remove(id).map_err(|error| failure!(wit, error))
    }
}
