//! Triggers that a skill declares, which the host answers without a call.

use std::fmt;

use crate::plist::Plist;

/// When a skill's prompt is meant for a signal: when everything that is named here matches.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Trigger {
    plist: Plist,
}

impl Trigger {
    /// A trigger that matches every signal until something is named.
    pub fn new() -> Trigger {
        Trigger::default()
    }

    /// Names the sensor, such as `user-input`.
    #[must_use]
    pub fn sensor(mut self, sensor: &str) -> Trigger {
        self.plist = self.plist.keyword("sensor", sensor);
        self
    }

    /// Names the source, such as `cli`.
    #[must_use]
    pub fn source(mut self, source: &str) -> Trigger {
        self.plist = self.plist.keyword("source", source);
        self
    }

    /// Names a field of the signal by its path, and the text that must stand there.
    #[must_use]
    pub fn field_equals(mut self, path: &str, text: &str) -> Trigger {
        self.plist = self.plist.text("field", path).text("equals", text);
        self
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plist.fmt(f)
    }
}
