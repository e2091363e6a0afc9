//! What is said between the daemon and a process that looks into a file or compiles it.

use std::io::{self, Write};

use super::Task;
use crate::skill::inspect::Sizes;

const TASKS: [Task; 3] = [Task::Look, Task::Pure, Task::Acting];

/// What stands before the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) task: Task,
    /// The most processor time.
    pub(super) seconds: u64,
    /// The most memory for the process, in bytes.
    pub(super) memory: u64,
    /// What is looked for.
    pub(super) most: Sizes,
    /// The most code, in bytes.
    pub(super) code: u64,
    /// How many bytes follow.
    pub(super) length: u64,
}

impl Header {
    pub(super) const BYTES: usize = 1 + 8 * 7;

    pub(super) fn to_bytes(self) -> [u8; Header::BYTES] {
        let mut bytes = [0; Header::BYTES];
        bytes[0] = self.task as u8;
        let most = self.most;
        let sizes = [most.file, most.memory, most.table_entries];
        let numbers = [self.seconds, self.memory, self.code, self.length]
            .into_iter()
            .chain(sizes);
        for (at, number) in numbers.enumerate() {
            bytes[1 + 8 * at..9 + 8 * at].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; Header::BYTES]) -> Option<Header> {
        let number = |at: usize| {
            let mut own = [0; 8];
            own.copy_from_slice(&bytes[1 + 8 * at..9 + 8 * at]);
            u64::from_le_bytes(own)
        };
        Some(Header {
            task: *TASKS.get(usize::from(bytes[0]))?,
            seconds: number(0),
            memory: number(1),
            code: number(2),
            length: number(3),
            most: Sizes {
                file: number(4),
                memory: number(5),
                table_entries: number(6),
            },
        })
    }
}

/// What was made of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// What was found, or the code.
    Done(Vec<u8>),
    /// Why it could not be done.
    Failed(String),
    /// The code would have so many bytes, which is more than there may be.
    Large(u64),
}

const DONE: u8 = 1;
const FAILED: u8 = 2;
const LARGE: u8 = 3;

/// What stands before an answer: which it is, and how many bytes follow, or would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    kind: u8,
    pub(super) length: u64,
}

impl Head {
    pub(super) const BYTES: usize = 9;

    pub(super) fn from_bytes(bytes: [u8; Head::BYTES]) -> Head {
        let [kind, length @ ..] = bytes;
        Head {
            kind,
            length: u64::from_le_bytes(length),
        }
    }

    /// How many bytes follow.
    pub(super) fn follow(self) -> u64 {
        if self.kind == LARGE { 0 } else { self.length }
    }

    /// The answer that ends with `rest`, if it is one.
    pub(super) fn with(self, rest: Vec<u8>) -> Option<Answer> {
        match self.kind {
            _ if rest.len() as u64 != self.follow() => None,
            DONE => Some(Answer::Done(rest)),
            FAILED => Some(Answer::Failed(String::from_utf8_lossy(&rest).into_owned())),
            LARGE => Some(Answer::Large(self.length)),
            _ => None,
        }
    }
}

impl Answer {
    /// Hands it over.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (kind, length, bytes): (u8, u64, &[u8]) = match self {
            Answer::Done(bytes) => (DONE, bytes.len() as u64, bytes),
            Answer::Failed(problem) => (FAILED, problem.len() as u64, problem.as_bytes()),
            Answer::Large(asked) => (LARGE, *asked, &[]),
        };
        to.write_all(&[kind])?;
        to.write_all(&length.to_le_bytes())?;
        to.write_all(bytes)?;
        to.flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_asked_reads_as_it_was_written() {
        for task in TASKS {
            let header = Header {
                task,
                seconds: 5,
                memory: 2 << 30,
                most: Sizes {
                    file: 32 << 20,
                    memory: 64 << 20,
                    table_entries: 100_000,
                },
                code: 1 << 20,
                length: u64::MAX,
            };
            assert_eq!(Header::from_bytes(&header.to_bytes()), Some(header));
        }
        assert_eq!(Header::from_bytes(&[9; Header::BYTES]), None);
    }

    #[test]
    fn what_is_answered_reads_as_it_was_written_and_a_part_of_it_is_no_answer() {
        for answer in [
            Answer::Done(b"code".to_vec()),
            Answer::Failed("why".to_owned()),
            Answer::Large(1 << 40),
        ] {
            let mut bytes = Vec::new();
            answer.write(&mut bytes).unwrap();
            let (head, rest) = bytes.split_at(Head::BYTES);
            let head = Head::from_bytes(head.try_into().unwrap());
            if !rest.is_empty() {
                assert_eq!(head.with(rest[1..].to_vec()), None);
            }
            assert_eq!(head.with(rest.to_vec()), Some(answer));
        }
    }
}
