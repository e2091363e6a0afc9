//! What waits in the buffers of a command's TCP connections where it shares the machine's network, whose own bounds are
//! wide: proc_net_tcp in the kernel's documentation.

use std::collections::BTreeSet;

/// The tables of all connections that there are.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];
/// What the kernel takes for a byte that waits, at most for what is sent in small pieces often enough to matter.
const PER_BYTE: u64 = 2;
/// The state of a socket that connections can be made to.
const LISTENS: &str = "0A";

/// One line of such a table.
struct Connection<'t> {
    local: &'t str,
    state: &'t str,
    /// What waits to be sent or read, in bytes. Of one that listens: how many wait to be taken.
    waits: u64,
    /// 0 as long as no process has it.
    inode: u64,
}

/// What waits in the connections of which these are the sockets, and in those that nobody took yet, in bytes.
pub(super) fn waiting(sockets: &BTreeSet<u64>) -> u64 {
    let texts = TABLES.map(|table| std::fs::read_to_string(table).unwrap_or_default());
    in_tables(&texts, sockets)
}

fn in_tables(texts: &[String], sockets: &BTreeSet<u64>) -> u64 {
    let connections: Vec<Connection<'_>> = texts
        .iter()
        .flat_map(|text| text.lines().skip(1).filter_map(Connection::read))
        .collect();
    let ports: BTreeSet<&str> = connections
        .iter()
        .filter(|one| one.state == LISTENS && sockets.contains(&one.inode))
        .map(|one| port(one.local))
        .collect();
    let own = |one: &&Connection<'_>| {
        let untaken = one.inode == 0 && ports.contains(port(one.local));
        one.state != LISTENS && (untaken || sockets.contains(&one.inode))
    };
    connections.iter().filter(own).map(|one| one.waits).sum::<u64>() * PER_BYTE
}

fn port(address: &str) -> &str {
    address.rsplit_once(':').map_or("", |(_, port)| port)
}

impl<'t> Connection<'t> {
    fn read(line: &'t str) -> Option<Connection<'t>> {
        let mut columns = line.split_whitespace();
        let local = columns.nth(1)?;
        let state = columns.nth(1)?;
        let (sends, reads) = columns.next()?.split_once(':')?;
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        Some(Connection {
            local,
            state,
            waits: number(sends)? + number(reads)?,
            inode: columns.nth(4)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2391 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 11 1 ffff 100 0 0 10 0
   1: 0100007F:A000 0100007F:2391 01 00000010:00000000 00:00000000 00000000     0        0 12 1 ffff 20 0 0 10 -1
   2: 0100007F:2391 0100007F:A000 01 00000000:00000020 00:00000000 00000000     0        0 0 1 ffff 20 0 0 10 -1
   3: 0100007F:2391 0100007F:A001 01 00000000:00000100 00:00000000 00000000     0        0 99 1 ffff 20 0 0 10 -1
   4: a line that is cut
";

    #[test]
    fn what_waits_is_counted_for_whoever_has_it_or_will_take_it() {
        let texts = [TABLE.to_owned(), String::new()];
        let of = |sockets: &[u64]| in_tables(&texts, &sockets.iter().copied().collect());
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[12]), 0x10 * PER_BYTE);
        assert_eq!(of(&[11, 12]), 0x30 * PER_BYTE);
        assert_eq!(of(&[99, 7]), 0x100 * PER_BYTE);
    }
}
