//! What a command reads and writes by redirection.

use super::parse::Command;
use super::scope::Scope;
use super::{Walk, acts, filled, ruin};
use crate::finding::Risk;
use crate::network;
use crate::path::Access;

/// The most files that are named as written by redirection: what else is done must be told too.
const MOST_NAMED: usize = 3;

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
                // What lies outside is named as that.
                let named = self.named < MOST_NAMED && !self.leaves(&target.text, scope.here.as_ref());
                self.named += usize::from(named);
                let words = acts::written(command, redirect, named.then_some(&target));
                self.effects.add(words, Risk::Medium);
            }
            self.path(&target.text, access, scope.here.as_ref());
            if !redirect.writes {
                self.guess(&target, access);
            }
        }
    }
}
