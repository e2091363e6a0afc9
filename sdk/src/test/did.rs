//! What a skill did in a harness.

use super::harness::Harness;
use super::request::Request;
use crate::log::Level;

impl Harness {
    /// The command lines that were run or proposed, in order.
    pub fn commands(&self) -> &[String] {
        &self.world.commands
    }

    /// What is in a file now, as text.
    pub fn file_text(&self, path: &str) -> Option<&str> {
        let content = self.world.files.get(path)?.as_ref().ok()?;
        std::str::from_utf8(content).ok()
    }

    /// The requests that were sent or proposed, in order.
    pub fn requests(&self) -> &[Request] {
        &self.world.requests
    }

    /// What was signed: the names of secrets, and the texts.
    pub fn signed(&self) -> &[(String, Vec<u8>)] {
        &self.world.lent.signed
    }

    /// The object with the id `id` in memory, as a plist.
    pub fn kept(&self, id: &str) -> Option<String> {
        self.world.lent.object(id)
    }

    /// The prompts that the model was asked, in order.
    pub fn prompts(&self) -> &[String] {
        &self.world.lent.prompts
    }

    /// The entries of the schedule, as plists.
    pub fn scheduled(&self) -> Vec<String> {
        self.world.lent.scheduled()
    }

    /// What was logged by `act`, `call_tool` and `run`, in order.
    pub fn log(&self) -> &[(Level, String)] {
        &self.world.log
    }
}
