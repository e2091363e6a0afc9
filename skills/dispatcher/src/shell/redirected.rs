//! What a command reads and writes by redirection.

use super::parse::Command;
use super::programs::Does;
use super::scope::Scope;
use super::{Walk, filled, ruin};
use crate::finding::Risk;
use crate::network;
use crate::path::Access;

impl Walk<'_> {
    /// Files that are read and written by redirection.
    pub(super) fn redirects(&mut self, command: &Command, scope: &Scope, sure: bool) {
        for redirect in &command.redirects {
            let target = redirect.target.joined(&scope.variables);
            if !target.is_known() {
                self.effects.vary();
            }
            if redirect.writes
                && let Some(ruin) = ruin::device(&target, "the output overwrites")
            {
                self.refuse(ruin, &target.text);
            }
            if !sure {
                continue;
            }
            if let Some(host) = target
                .text
                .strip_prefix("/dev/tcp/")
                .or_else(|| target.text.strip_prefix("/dev/udp/"))
            {
                self.effects.add("uses the network", Risk::High);
                self.effects.beyond = true;
                self.effects.online = true;
                self.refused |= self.reach(&network::destination(host), &target.text);
                continue;
            }
            if redirect.writes {
                let obeyed = filled::is_obeyed(&target, self.context.roots, scope.here.as_ref());
                self.effects.obey(obeyed);
            } else {
                self.effects.take();
                self.effects.beyond |= !target.is_known() || target.glob;
            }
            let access = if redirect.writes { Access::Write } else { Access::Read };
            if redirect.writes && !(target.is_known() && target.text.starts_with("/dev/")) {
                self.effects.add(Does::Writes.words(), Risk::Medium);
            }
            self.path(&target.text, access, scope.here.as_ref());
            if !redirect.writes {
                self.guess(&target, access);
            }
        }
    }
}
