//! What an operator can do when the kernel refuses the jail: the switches that distributions are known to set.

use std::path::Path;

/// What always helps, and what it costs.
const WEAKEN: &str = "or accept commands that are only bounded and not jailed, with jail = \"weak\" under [shell] in \
                      config.toml";

/// Advice for a step that failed with `errno`, from the switches under `settings` (`/proc/sys` outside of tests).
pub(super) fn advice(errno: Option<i32>, settings: &Path) -> String {
    let switch = |name: &str| {
        std::fs::read_to_string(settings.join(name))
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok())
    };
    let first = if switch("kernel/unprivileged_userns_clone") == Some(0) {
        "allow user namespaces with: sysctl -w kernel.unprivileged_userns_clone=1"
    } else if switch("user/max_user_namespaces") == Some(0) {
        "allow user namespaces with: sysctl -w user.max_user_namespaces=10000"
    } else if switch("kernel/apparmor_restrict_unprivileged_userns").is_some_and(|value| value != 0) {
        "give this program an AppArmor profile with the rule \"userns,\", or allow user namespaces to all with: sysctl \
         -w kernel.apparmor_restrict_unprivileged_userns=0"
    } else if errno == Some(libc::ENOSYS) || errno == Some(libc::EINVAL) {
        "use Linux 5.14 or newer, with user, mount and process namespaces and seccomp"
    } else if errno == Some(libc::ENOSPC) {
        "raise the bounds under /proc/sys/user, one of which is used up"
    } else {
        "in a container, allow user namespaces, mounts and an unmasked /proc (with Docker: --security-opt \
         seccomp=unconfined --security-opt systempaths=unconfined)"
    };
    format!("{first}, {WEAKEN}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn the_advice_names_the_switch_that_is_off() {
        let settings = tempfile::tempdir().unwrap();
        std::fs::create_dir(settings.path().join("kernel")).unwrap();
        std::fs::write(settings.path().join("kernel/unprivileged_userns_clone"), "0\n").unwrap();
        let text = advice(Some(libc::EPERM), settings.path());
        assert!(
            text.contains("kernel.unprivileged_userns_clone=1") && text.contains("jail = \"weak\""),
            "{text}"
        );
    }

    #[test]
    fn on_ubuntu_the_advice_is_a_profile() {
        let settings = tempfile::tempdir().unwrap();
        std::fs::create_dir(settings.path().join("kernel")).unwrap();
        std::fs::write(
            settings.path().join("kernel/apparmor_restrict_unprivileged_userns"),
            "1\n",
        )
        .unwrap();
        assert!(advice(Some(libc::EACCES), settings.path()).contains("AppArmor"));
    }
}
