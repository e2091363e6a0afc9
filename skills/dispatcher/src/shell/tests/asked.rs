//! Questions about what must never run, and what only looks like it.

use super::*;

#[test]
fn a_question_about_a_program_is_not_refused() {
    for command in [
        "command -v mkfs",
        "command -V rm",
        "command -pv mkfs.ext4",
        "command -p -v mkfs",
        "command -v 'rm -rf /'",
        "type mkfs",
        "mkfs.ext4 --help",
        "mkfs.ext4 -V",
        "sudo mkfs.ext4 -V",
        "mkswap --help",
        "mkfs --version",
        "wipefs -n /dev/sda",
        "wipefs -an /dev/sda",
        "wipefs -a --no-act /dev/sda",
        "wipefs /dev/sda",
        "sudo wipefs -J /dev/sda",
        "wipefs -t ext4 /dev/sda",
        "mkfs.ext4 disk.img",
        "mkfs.ext4 -q -L root ./disk.img",
        "mkfs -t ext4 disk.img",
        "nice -n 5 mkfs.ext4 disk.img",
        "truncate -s 1G disk.img && mkswap disk.img",
        "cd sub && mkfs.ext4 ../disk.img",
    ] {
        assert!(!is_rejected(command), "{command}: {:?}", verdict(command));
    }
    for command in [
        "mkfs.ext4 disk.img",
        "mkfs.ext4 -V",
        "wipefs /dev/sda",
        "command -v 'rm -rf /' | sh",
    ] {
        assert!(verdict(command).is_some(), "{command} passes");
    }
}

#[test]
fn what_only_resembles_a_question_stays_refused() {
    for command in [
        "command mkfs",
        "command -p rm -rf /",
        "command -- rm -rf /",
        "command rm -v -rf /",
        "rm --help -rf /",
        "mkfs.ext4 -V /dev/sda",
        "mkfs -V $device",
        "echo /dev/sda | xargs mkfs -V",
        "xargs mkfs.ext4 -V",
        "mkfs.ext4",
        "mkfs.ext4 $device",
        "mkfs.ext4 ../disk.img",
        "mkfs.ext4 /home/me/disk.img",
        "mkfs.ext4 -J device=/dev/sdb disk.img",
        "mkfs.ext4 disk.img /dev/sda",
        "mkfs.ext4 \"$(cat disk)\"",
        "mkfs.ext4 disk*",
        "cd /dev && mkfs.ext4 sda",
        "cd \"$(cat where)\" && mkfs.ext4 sda",
        "env -C /dev mkfs.ext4 sda",
        "sudo -D /dev mkfs.ext4 sda",
        "find /dev -name sda -exec mkfs.ext4 {} \\;",
        "echo /dev/sda | xargs -I disk mkfs.ext4 disk",
        "echo /dev/sda | xargs -I disk sh -c 'mkfs.ext4 disk'",
        "parallel mkfs.ext4 ::: /dev/sda",
        "ssh host mkfs.ext4 disk.img",
        "/sbin/mkswa? disk.img",
        "wipefs -a /dev/sda",
        "wipefs -o 0x1 /dev/sda",
        "wipefs --al /dev/sda",
        "wipefs -t -n -a /dev/sda",
        "wipefs -tntfs -a /dev/sda",
        "wipefs -- -n /dev/sda -a; wipefs -a -- /dev/sda -n",
        "wipefs $options /dev/sda",
        "echo '-a /dev/sda' | xargs wipefs",
    ] {
        assert!(is_rejected(command), "{command}: {:?}", verdict(command));
    }
}
