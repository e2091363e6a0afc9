//! The second wall: Landlock, raised after the mounts and before the system-call filter.
//!
//! It says once more, by other means, what the mounts say: read and execute what is shown, write to the workspace, the
//! temporary folders and the five devices only. What it adds is that no process inside may signal or trace one outside,
//! nor reach a Unix socket outside, where the kernel's version of it can say so. It only ever allows, so it can't take
//! `.git/hooks` out of a writable workspace: that stays with the mounts.
//!
//! A kernel without it still has a jail, since every bound of the mounts and namespaces holds alone; the report names
//! what is missing. Its bounds on TCP go by port and not by address. Without network the namespace is the wall, and they are
//! not used, since they would take the jail's own loopback from test suites; with it they keep commands from the daemon's
//! own door.

use super::Writes;
use super::message::{Strength, Trouble};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, NetPort, PathBeneath,
    PathFd, PathFdError, RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, make_bitflags,
};
use std::io;

/// The newest version whose rights were looked at one by one. Newer ones are not asked for.
const REVIEWED: ABI = ABI::V9;

/// Where a command may write, beside the workspace, which is the current folder, if it may there.
const WRITABLE: [&str; 4] = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

/// What older versions lack, by the version that brought it.
const BROUGHT: [(ABI, &str); 5] = [
    (ABI::V3, "truncating files (Linux 6.2 can)"),
    (
        ABI::V4,
        "the daemon's own port where network is granted (Linux 6.7 can)",
    ),
    (ABI::V5, "controlling devices (Linux 6.10 can)"),
    (ABI::V6, "signals and abstract Unix sockets (Linux 6.12 can)"),
    (ABI::V9, "Unix sockets by their path (Linux 7.1 can)"),
];

/// Puts this process and its descendants behind the wall, for good. The current folder must be the workspace.
pub(super) fn apply(writes: Writes, closed_ports: &[u16], strength: &mut Strength) -> Result<(), Trouble> {
    let what = "raising Landlock's wall";
    let places = places(writes).map_err(|error| Trouble::new(what, io::Error::other(error)))?;
    match restrict(&places, closed_ports) {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => {
            strength
                .enforced
                .push("Landlock: a second wall around files".to_owned());
            strength.missing.extend(lacking(&status.landlock));
            Ok(())
        }
        Ok(_) => {
            strength.missing.push(NONE.to_owned());
            Ok(())
        }
        // Before 5.19 it refuses every move between two folders, which is more than was asked for.
        Err(RulesetError::HandleAccesses(_)) => {
            strength.missing.push(NONE.to_owned());
            Ok(())
        }
        Err(error) => Err(Trouble::new(what, io::Error::other(error))),
    }
}

const NONE: &str = "this kernel has no Landlock, which would be a second wall behind the mounts (Linux 5.19 and newer have it, \
                    with landlock in the list lsm=)";

/// What this version can't bound, in words. The mounts and the system-call filter do.
fn lacking(status: &LandlockStatus) -> Option<String> {
    let LandlockStatus::Available { effective_abi, .. } = status else {
        return None;
    };
    let lacking: Vec<&str> = BROUGHT
        .iter()
        .filter(|(since, _)| effective_abi < since)
        .map(|(_, what)| *what)
        .collect();
    (!lacking.is_empty()).then(|| {
        format!(
            "this kernel's Landlock, the second wall, can't bound {}; the walls before it hold without it",
            lacking.join(", ")
        )
    })
}

/// The folders for which there are rules, with what is allowed beneath each.
fn places(writes: Writes) -> Result<Vec<(PathFd, BitFlags<AccessFs>)>, PathFdError> {
    let read = AccessFs::from_read(REVIEWED);
    // Neither devices nor sockets are made, and no socket that has a path is connected to.
    let write = AccessFs::from_write(REVIEWED)
        & !make_bitflags!(AccessFs::{MakeChar | MakeBlock | MakeSock | IoctlDev | ResolveUnix});
    let device = make_bitflags!(AccessFs::{WriteFile | Truncate | IoctlDev});
    let mut places = vec![
        (PathFd::new("/")?, read),
        (
            PathFd::new(".")?,
            match writes {
                Writes::Allowed => read | write,
                Writes::Refused => read,
            },
        ),
        (PathFd::new("/dev")?, device),
    ];
    for folder in WRITABLE {
        places.push((PathFd::new(folder)?, read | write));
    }
    Ok(places)
}

fn restrict(
    places: &[(PathFd, BitFlags<AccessFs>)],
    closed_ports: &[u16],
) -> Result<RestrictionStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::Refer)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(REVIEWED))?
        .scope(Scope::from_all(REVIEWED))?;
    let mut ruleset = if closed_ports.is_empty() {
        ruleset.create()?
    } else {
        // It only allows, so all the others are named: some 50 ms, beside what the network takes.
        let others = (0..=u16::MAX).filter(|port| !closed_ports.contains(port));
        let others = others.map(|port| Ok::<_, RulesetError>(NetPort::new(port, AccessNet::ConnectTcp)));
        ruleset
            .handle_access(AccessNet::ConnectTcp)?
            .create()?
            .add_rules(others)?
    };
    for (place, access) in places {
        ruleset = ruleset.add_rule(PathBeneath::new(place, *access))?;
    }
    ruleset.restrict_self()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(abi: ABI) -> Option<String> {
        lacking(&LandlockStatus::Available {
            effective_abi: abi,
            kernel_abi: None,
        })
    }

    #[test]
    fn an_older_version_names_what_it_lacks_and_the_newest_lacks_nothing() {
        let oldest = of(ABI::V2).unwrap_or_default();
        assert!(
            oldest.contains("truncating") && oldest.contains("signals") && oldest.contains("by their path"),
            "{oldest}"
        );
        let here = of(ABI::V7).unwrap_or_default();
        assert!(
            here.contains("can't bound Unix sockets by their path (Linux 7.1 can); "),
            "{here}"
        );
        assert_eq!(of(ABI::V9), None);
        assert_eq!(of(ABI::V10), None);
    }
}
