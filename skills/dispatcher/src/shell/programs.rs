//! What programs do, as a table: enough to say in one line what a command would do, and where another command may hide
//! in its arguments. A program that is not here is unknown, and said to be.

use crate::finding::Risk;

/// What a program does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Does {
    /// Prints its arguments, or computes from them: they are data.
    Prints,
    /// Looks at names and attributes.
    Looks,
    /// Reads files.
    Reads,
    /// Reads files; its first operand is a pattern or a program text, and data.
    Searches,
    /// Writes or changes files.
    Writes,
    /// Writes its last operand and reads the others.
    Copies,
    /// Runs tools that the workspace configures.
    Builds,
    /// Installs software.
    Installs,
    /// Uses the network.
    Connects,
    /// Changes or stops processes, services, the machine.
    Controls,
    /// Makes something run later, or at every start.
    Persists,
    /// Deletes files.
    Deletes,
    /// Changes disks and file systems.
    Formats,
    /// Runs the command in its arguments.
    Wraps,
    /// Runs the command in its arguments as somebody else, or elsewhere.
    Escalates,
    /// A shell: runs a script in its arguments, a file, or its input.
    Shell,
    /// Runs a program text in its arguments, a file, or its input.
    Interprets,
    /// Runs its arguments, or a file, as a part of the script itself.
    Evaluates,
    /// Changes how the script goes on: variables, the current folder, control.
    Steers,
}

impl Does {
    /// In words, as what is going to happen.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Does::Prints => "prints",
            Does::Looks => "lists",
            Does::Reads | Does::Searches => "reads",
            Does::Writes | Does::Copies => "writes",
            Does::Builds => "runs what the workspace configures",
            Does::Installs => "installs software",
            Does::Connects => "uses the network",
            Does::Controls => "controls processes or the machine",
            Does::Persists => "makes something run later",
            Does::Deletes => "deletes",
            Does::Formats => "changes disks",
            Does::Wraps => "runs a command in a command",
            Does::Escalates => "acts as another user or elsewhere",
            Does::Shell | Does::Evaluates => "runs a script",
            Does::Interprets => "runs a program text",
            Does::Steers => "sets the shell up",
        }
    }

    /// How bad it could be, before the arguments are looked at.
    pub(crate) fn risk(self) -> Risk {
        match self {
            Does::Prints | Does::Looks | Does::Reads | Does::Searches | Does::Steers => Risk::Low,
            Does::Writes | Does::Copies | Does::Builds | Does::Wraps => Risk::Medium,
            Does::Installs | Does::Connects | Does::Deletes => Risk::Medium,
            _ => Risk::High,
        }
    }
}

use Does::{
    Builds, Connects, Controls, Copies, Deletes, Escalates, Evaluates, Formats, Installs, Interprets, Looks, Persists,
    Prints, Reads, Searches, Shell, Steers, Wraps, Writes,
};

/// What the program `name` does, if the table knows it.
pub(crate) fn lookup(name: &str) -> Option<Does> {
    if name.starts_with("mkfs") {
        return Some(Formats);
    }
    if let Ok(at) = PROGRAMS.binary_search_by_key(&name, |(own, _)| own) {
        return Some(PROGRAMS[at].1);
    }
    // `python3.12`, `perl5.36`, `lua5.4`: the version is no part of the name.
    let stem = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.' || char == '-');
    let at = PROGRAMS.binary_search_by_key(&stem, |(own, _)| own).ok()?;
    (!stem.is_empty() && matches!(PROGRAMS[at].1, Interprets | Shell)).then_some(PROGRAMS[at].1)
}

/// Sorted by name. Sources: [p] POSIX.1-2024 utilities, [c] GNU coreutils, [b] bash builtins, [u] util-linux, [m] the
/// program's own manual.
const PROGRAMS: &[(&str, Does)] = &[
    (".", Evaluates),          // [b]
    (":", Prints),             // [b]
    ("[", Looks),              // [b]
    ("[[", Looks),             // [b]
    ("aa-exec", Escalates),    // [m] AppArmor
    ("alias", Evaluates),      // [b]
    ("apk", Installs),         // [m]
    ("apt", Installs),         // [m]
    ("apt-get", Installs),     // [m]
    ("ash", Shell),            // [m] busybox
    ("at", Persists),          // [p]
    ("awk", Interprets),       // [p]
    ("base64", Reads),         // [c]
    ("basename", Prints),      // [p]
    ("bash", Shell),           // [m]
    ("batch", Persists),       // [p]
    ("blkdiscard", Formats),   // [u]
    ("break", Steers),         // [b]
    ("brew", Installs),        // [m]
    ("builtin", Wraps),        // [b]
    ("bun", Interprets),       // [m]
    ("busybox", Wraps),        // [m]
    ("bzip2", Writes),         // [m]
    ("cargo", Builds),         // [m]
    ("case", Steers),          // [b]
    ("cat", Reads),            // [p]
    ("cd", Steers),            // [b]
    ("chattr", Writes),        // [m] e2fsprogs
    ("chgrp", Writes),         // [p]
    ("chmod", Writes),         // [p]
    ("chown", Writes),         // [p]
    ("chroot", Escalates),     // [c]
    ("chrt", Wraps),           // [u]
    ("cksum", Reads),          // [p]
    ("cmake", Builds),         // [m]
    ("cmp", Reads),            // [p]
    ("column", Reads),         // [u]
    ("comm", Reads),           // [p]
    ("command", Wraps),        // [b]
    ("continue", Steers),      // [b]
    ("cp", Copies),            // [p]
    ("crontab", Persists),     // [p]
    ("csh", Shell),            // [m]
    ("curl", Connects),        // [m]
    ("cut", Reads),            // [p]
    ("dash", Shell),           // [m]
    ("date", Prints),          // [p]
    ("dd", Writes),            // [p]
    ("declare", Steers),       // [b]
    ("deno", Interprets),      // [m]
    ("df", Looks),             // [p]
    ("diff", Reads),           // [p]
    ("dirname", Prints),       // [p]
    ("dmsetup", Formats),      // [m]
    ("dnf", Installs),         // [m]
    ("doas", Escalates),       // [m]
    ("docker", Escalates),     // [m]
    ("dpkg", Installs),        // [m]
    ("du", Looks),             // [p]
    ("echo", Prints),          // [b]
    ("ed", Interprets),        // [p]
    ("egrep", Searches),       // [m] grep
    ("emacs", Interprets),     // [m]
    ("env", Wraps),            // [p]
    ("eval", Evaluates),       // [b]
    ("ex", Interprets),        // [p]
    ("exec", Wraps),           // [b]
    ("exit", Steers),          // [b]
    ("expand", Reads),         // [p]
    ("export", Steers),        // [b]
    ("expr", Prints),          // [p]
    ("factor", Prints),        // [c]
    ("fakeroot", Wraps),       // [m]
    ("false", Prints),         // [p]
    ("fd", Looks),             // [m]
    ("fdisk", Formats),        // [u]
    ("fgrep", Searches),       // [m] grep
    ("file", Looks),           // [p]
    ("find", Looks),           // [p]; -exec and -delete are looked for
    ("firejail", Wraps),       // [m]
    ("fish", Shell),           // [m]
    ("flock", Wraps),          // [u]
    ("fmt", Reads),            // [c]
    ("fold", Reads),           // [p]
    ("for", Steers),           // [b]
    ("ftp", Connects),         // [m]
    ("gawk", Interprets),      // [m]
    ("gdb", Interprets),       // [m]
    ("gem", Installs),         // [m]
    ("getopts", Steers),       // [b]
    ("git", Builds),           // [m]
    ("go", Builds),            // [m]
    ("gradle", Builds),        // [m]
    ("grep", Searches),        // [p]
    ("groups", Looks),         // [c]
    ("gunzip", Writes),        // [m]
    ("gzip", Writes),          // [m]
    ("halt", Controls),        // [m] systemd
    ("hash", Steers),          // [b]
    ("head", Reads),           // [p]
    ("hexdump", Reads),        // [u]
    ("hostname", Looks),       // [m]
    ("id", Looks),             // [p]
    ("init", Controls),        // [m]
    ("insmod", Controls),      // [m] kmod
    ("install", Copies),       // [c]
    ("ionice", Wraps),         // [u]
    ("ip", Controls),          // [m] iproute2
    ("iptables", Controls),    // [m]
    ("java", Interprets),      // [m]
    ("join", Reads),           // [p]
    ("jq", Searches),          // [m]
    ("just", Builds),          // [m]
    ("kill", Controls),        // [p]
    ("killall", Controls),     // [m]
    ("ksh", Shell),            // [m]
    ("kubectl", Connects),     // [m]
    ("less", Reads),           // [m]
    ("let", Steers),           // [b]
    ("link", Writes),          // [p]
    ("ln", Copies),            // [p]
    ("local", Steers),         // [b]
    ("ls", Looks),             // [p]
    ("lsblk", Looks),          // [u]
    ("lua", Interprets),       // [m]
    ("lvremove", Formats),     // [m]
    ("mail", Connects),        // [p] mailx
    ("make", Builds),          // [p]
    ("man", Reads),            // [p]
    ("mapfile", Steers),       // [b]
    ("mawk", Interprets),      // [m]
    ("md5sum", Reads),         // [c]
    ("meson", Builds),         // [m]
    ("mformat", Formats),      // [m] mtools
    ("mkdir", Writes),         // [p]
    ("mkfifo", Writes),        // [p]
    ("mknod", Formats),        // [c]
    ("mkswap", Formats),       // [u]
    ("mktemp", Writes),        // [c]
    ("modprobe", Controls),    // [m] kmod
    ("more", Reads),           // [p]
    ("mount", Controls),       // [u]
    ("mv", Copies),            // [p]
    ("mvn", Builds),           // [m]
    ("nano", Writes),          // [m]
    ("nc", Connects),          // [m]
    ("ncat", Connects),        // [m] nmap
    ("netcat", Connects),      // [m]
    ("nice", Wraps),           // [p]
    ("ninja", Builds),         // [m]
    ("nl", Reads),             // [p]
    ("nmap", Connects),        // [m]
    ("node", Interprets),      // [m]
    ("nohup", Wraps),          // [p]
    ("npm", Builds),           // [m]
    ("nproc", Prints),         // [c]
    ("npx", Installs),         // [m]
    ("nsenter", Escalates),    // [u]
    ("numfmt", Prints),        // [c]
    ("od", Reads),             // [p]
    ("openssl", Connects),     // [m]
    ("osascript", Interprets), // [m]
    ("parallel", Wraps),       // [m]
    ("parted", Formats),       // [m]
    ("paste", Reads),          // [p]
    ("perl", Interprets),      // [m]
    ("pgrep", Looks),          // [m] procps
    ("php", Interprets),       // [m]
    ("ping", Connects),        // [m]
    ("pip", Installs),         // [m]
    ("pip3", Installs),        // [m]
    ("pkexec", Escalates),     // [m] polkit
    ("pkill", Controls),       // [m] procps
    ("pnpm", Builds),          // [m]
    ("podman", Escalates),     // [m]
    ("poweroff", Controls),    // [m] systemd
    ("pr", Reads),             // [p]
    ("printenv", Prints),      // [c]
    ("printf", Prints),        // [b]
    ("prlimit", Wraps),        // [u]
    ("ps", Looks),             // [p]
    ("pwd", Prints),           // [p]
    ("pwsh", Shell),           // [m]
    ("pytest", Builds),        // [m]
    ("python", Interprets),    // [m]
    ("read", Steers),          // [b]
    ("readarray", Steers),     // [b]
    ("readlink", Looks),       // [p]
    ("readonly", Steers),      // [b]
    ("realpath", Looks),       // [p]
    ("reboot", Controls),      // [m] systemd
    ("renice", Controls),      // [p]
    ("return", Steers),        // [b]
    ("rev", Reads),            // [u]
    ("rg", Searches),          // [m]; --pre is looked for
    ("rlwrap", Wraps),         // [m]
    ("rm", Deletes),           // [p]
    ("rmdir", Deletes),        // [p]
    ("rsync", Connects),       // [m]
    ("ruby", Interprets),      // [m]
    ("runuser", Escalates),    // [u]
    ("rustc", Writes),         // [m]
    ("scp", Connects),         // [m] OpenSSH
    ("screen", Wraps),         // [m]
    ("script", Wraps),         // [u]
    ("sed", Searches),         // [p]; w, e and -i are looked for
    ("select", Steers),        // [b]
    ("seq", Prints),           // [c]
    ("service", Controls),     // [m]
    ("set", Steers),           // [b]
    ("setarch", Wraps),        // [u]
    ("setpriv", Escalates),    // [u]
    ("setsid", Wraps),         // [u]
    ("sftp", Connects),        // [m] OpenSSH
    ("sgdisk", Formats),       // [m]
    ("sh", Shell),             // [p]
    ("sha1sum", Reads),        // [c]
    ("sha256sum", Reads),      // [c]
    ("sha512sum", Reads),      // [c]
    ("shift", Steers),         // [b]
    ("shopt", Steers),         // [b]
    ("shred", Deletes),        // [c]
    ("shuf", Reads),           // [c]
    ("shutdown", Controls),    // [m] systemd
    ("sleep", Prints),         // [p]
    ("socat", Connects),       // [m]
    ("sort", Reads),           // [p]; --compress-program is looked for
    ("source", Evaluates),     // [b]
    ("split", Writes),         // [p]
    ("srm", Deletes),          // [m]
    ("ssh", Escalates),        // [m] OpenSSH
    ("start-stop-daemon", Escalates), // [m] dpkg
    ("stat", Looks),           // [c]
    ("stdbuf", Wraps),         // [c]
    ("strace", Wraps),         // [m]
    ("strings", Reads),        // [p]
    ("su", Escalates),         // [u]
    ("sudo", Escalates),       // [m]
    ("sum", Reads),            // [c]
    ("sync", Prints),          // [c]
    ("systemctl", Controls),   // [m]
    ("systemd-run", Escalates), // [m]
    ("tac", Reads),            // [c]
    ("tail", Reads),           // [p]
    ("tar", Writes),           // [m]
    ("taskset", Wraps),        // [u]
    ("tclsh", Interprets),     // [m]
    ("tcsh", Shell),           // [m]
    ("tee", Writes),           // [p]
    ("telnet", Connects),      // [m]
    ("test", Looks),           // [p]
    ("tftp", Connects),        // [m]
    ("time", Wraps),           // [p]
    ("timeout", Wraps),        // [c]
    ("tmux", Wraps),           // [m]
    ("top", Looks),            // [m] procps
    ("touch", Writes),         // [p]
    ("toybox", Wraps),         // [m]
    ("tr", Prints),            // [p]
    ("trap", Evaluates),       // [b]
    ("tree", Looks),           // [m]
    ("true", Prints),          // [p]
    ("truncate", Writes),      // [c]
    ("tsort", Reads),          // [p]
    ("tty", Prints),           // [p]
    ("type", Prints),          // [b]
    ("typeset", Steers),       // [b]
    ("ulimit", Steers),        // [b]
    ("umask", Steers),         // [b]
    ("umount", Controls),      // [u]
    ("uname", Prints),         // [p]
    ("unbuffer", Wraps),       // [m] expect
    ("unexpand", Reads),       // [p]
    ("uniq", Reads),           // [p]
    ("unlink", Deletes),       // [p]
    ("unset", Steers),         // [b]
    ("unshare", Escalates),    // [u]
    ("unzip", Writes),         // [m]
    ("uptime", Looks),         // [m] procps
    ("useradd", Controls),     // [m] shadow
    ("userdel", Controls),     // [m] shadow
    ("usermod", Controls),     // [m] shadow
    ("uv", Installs),          // [m]
    ("valgrind", Wraps),       // [m]
    ("vi", Interprets),        // [p]
    ("vim", Interprets),       // [m]
    ("visudo", Persists),      // [m] sudo
    ("wait", Steers),          // [b]
    ("watch", Wraps),          // [m] procps
    ("wc", Reads),             // [p]
    ("wget", Connects),        // [m]
    ("which", Looks),          // [m]
    ("whoami", Looks),         // [c]
    ("wipe", Deletes),         // [m]
    ("wipefs", Formats),       // [u]
    ("xargs", Wraps),          // [p]
    ("xxd", Reads),            // [m]
    ("xz", Writes),            // [m]
    ("yarn", Builds),          // [m]
    ("yes", Prints),           // [c]
    ("yum", Installs),         // [m]
    ("zcat", Reads),           // [m]
    ("zip", Writes),           // [m]
    ("zsh", Shell),            // [m]
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_every_row_is_found() {
        for pair in PROGRAMS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} stands before {}", pair[0].0, pair[1].0);
        }
    }

    #[test]
    fn versions_are_no_part_of_an_interpreter() {
        assert_eq!(lookup("python3.12"), Some(Interprets));
        assert_eq!(lookup("mkfs.ext4"), Some(Formats));
        assert_eq!(lookup("cat2"), None);
        assert_eq!(lookup("3"), None);
    }
}
