//! What must not be lost: append-only, owner-only files of s-expressions, and the decision record among them.
//!
//! [`AppendLog`] promises that an entry whose append returned is there after the process is killed, that a torn or
//! damaged entry costs no other, and that nothing is overwritten. It knows nothing of what the entries mean;
//! [`Record`] adds the chain of hashes. What can't be written is noted in one place, [`WriteFaults`].

mod about;
mod log;
mod private;
mod record;
mod writes;

pub use about::{LAST, about, ambiguous, decisions, meant};
pub use log::{
    AppendLog, Durability, LogError, Recovery, create_private_dir, read_entries, sync_folder_of, write_private,
};
pub use private::{PrivateFault, read_private};
pub use record::{Entry, Record};
pub use writes::{WriteFault, WriteFaults, Writes};
