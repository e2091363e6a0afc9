//! What all of a command may use together.

use crate::House;
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// A line in which a process takes so many MiB, and holds them.
fn takes(mebibytes: u64) -> String {
    format!("perl -e '$x = \"x\" x ({mebibytes} << 20); select(undef, undef, undef, 1.5)'")
}

#[test]
fn memory_is_bounded_for_one_process_and_for_all_together() {
    let mut house = House::new();
    house.config.memory = 128 * MIB;
    house.prints(&takes(32));
    // Taken from the program's own text, where it is only a copy of what perl holds once more.
    for line in [
        takes(400),
        format!("for i in 1 2 3 4 5 6 7 8; do {} & done; wait", takes(30)),
    ] {
        let output = house.run(&line);
        assert_eq!(
            (output.exit_code, output.signal, output.timed_out),
            (None, Some(9), false),
            "{output:?}"
        );
        assert!(
            output.notes.iter().any(|note| note.contains("128 MiB of memory")),
            "{output:?}"
        );
        assert!(house.works_outside(&line));
    }
}

#[test]
fn memory_that_processes_share_counts_once() {
    let mut house = House::new();
    house.config.memory = 150 * MIB;
    house
        .prints("perl -e '$x = \"x\"; $x x= (30 << 20); for (1..8) { fork or last } select(undef, undef, undef, 1)'");
}

#[test]
fn memory_that_no_process_has_attached_counts() {
    let mut house = House::new();
    house.config.memory = 64 * MIB;
    let line = "perl -e '$id = shmget(0, 100 << 20, 0600 | 01000) // die $!; $piece = \"x\" x (1 << 20); for (0..99) { \
                shmwrite($id, $piece, $_ << 20, 1 << 20) or die $! } select(undef, undef, undef, 1.5); shmctl($id, 0, 0)'";
    let output = house.run(line);
    assert!(
        output.notes.iter().any(|note| note.contains("64 MiB of memory")),
        "{output:?}"
    );
    assert!(house.works_outside(line));
}

#[test]
fn temporary_folders_and_files_are_bounded() {
    let house = House::new();
    for line in [
        "head -c 600M /dev/zero > /tmp/big",
        "head -c 100M /dev/zero > /dev/shm/big",
        "head -c 20M /dev/zero > /run/big",
    ] {
        let said = house.refuses(line);
        assert!(said.contains("No space left on device"), "{line}: {said}");
    }
    assert!(house.works_outside("head -c 20M /dev/zero > big && rm big"));
    house.refuses("truncate -s 2G big");
    assert!(house.works_outside("truncate -s 2G big && rm big"));
}

#[test]
fn processor_time_is_bounded_for_one_process_and_for_all_together() {
    let mut house = House::new();
    house.config.cpu = Duration::from_secs(1);
    let one = house.run("while :; do :; done");
    let passed = |output: &passepartout_host::capability::process::Output| {
        output.signal == Some(24) || output.notes.iter().any(|note| note.contains("processor time"))
    };
    assert!(passed(&one), "{one:?}");
    // None of them alone.
    let all = house.run("for i in $(seq 40); do timeout 0.2 bash -c 'while :; do :; done'; done; echo end");
    assert!(passed(&all) && !all.stdout.contains("end"), "{all:?}");
    assert!(house.works_outside("for i in $(seq 8); do timeout 0.2 bash -c 'while :; do :; done'; done; true"));
}

#[test]
fn processes_are_bounded_and_said_to_be() {
    let mut house = House::new();
    house.config.processes = 40;
    let output = house.run("for i in $(seq 100); do sleep 60 & done; sleep 1; jobs -pr | wc -l");
    assert!(
        output.complaints().contains("shell.processes"),
        "neither the note nor the message of bash: {output:?}"
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_writer_as_everywhere() {
    let house = House::new();
    assert_eq!(house.prints("yes | head -n 1; echo ${PIPESTATUS[0]}"), "y\n141\n");
    let closed = house.run("exec >&- 2>&-; echo text; true");
    assert_eq!((closed.exit_code, closed.stdout.as_str()), (Some(0), ""));
}

#[test]
fn what_the_output_points_to_is_said() {
    let mut house = House::new();
    let said = |house: &House, line: &str| house.run(line).notes.join("\n");
    assert!(said(&house, "touch /etc/x").contains("only the workspace"));
    assert!(said(&house, "cat < /dev/tcp/127.0.0.1/9").contains("network = true"));
    let token = house.path("state/token");
    let hidden = house.run(&format!("cat {}", token.display()));
    assert!(
        hidden.notes.iter().any(|note| note.contains("not there for commands")),
        "{hidden:?}"
    );
    assert_eq!(said(&house, "echo Permission denied"), "");
    assert_eq!(said(&house, "ls"), "");
    house.config.network = true;
    assert_eq!(said(&house, "cat < /dev/tcp/127.0.0.1/9"), "");
}
