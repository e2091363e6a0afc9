//! What the model gets to see: the system prompt, in its fixed order, and the conversation within its bounds.
//!
//! Everything here is plain text made from what it is given. This room knows nothing of providers or gates, and never
//! shows a model approval notices, tokens or plan ids.

mod conversation;
mod prompt;
mod window;

pub use conversation::{Conversation, Line, Speaker};
pub use prompt::{Parts, ToolText, cut, system_prompt, without_middle};
pub use window::{Shown, Window};
