//! A stream of events, cut into what each of them holds, as HTML's specification of server-sent events has it: lines end in
//! LF, CR or both, several lines of data are one event, and a blank line ends it.
//!
//! Some servers leave the blank lines out. Data that is a whole value already is an event, then, when more data follows.

use serde::de::IgnoredAny;

/// What ends a stream in one dialect, and is one line in all.
const DONE: &[u8] = b"[DONE]";

/// The events that come.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    /// How many lines of data the event has so far.
    lines: usize,
    /// Whether a line ended with a CR, whose LF may follow.
    returned: bool,
}

impl Events {
    /// Takes the next byte, and gives the data of an event that it completes. Where data was complete before and more of it
    /// follows, that is two events.
    pub(super) fn take(&mut self, byte: u8) -> Option<Vec<u8>> {
        let follows = std::mem::take(&mut self.returned) && byte == b'\n';
        match byte {
            b'\n' if follows => None,
            b'\n' | b'\r' => {
                self.returned = byte == b'\r';
                self.line_ends()
            }
            _ => {
                self.line.push(byte);
                None
            }
        }
    }

    /// The data of the events that the stream breaks off in.
    pub(super) fn end(&mut self) -> Vec<Vec<u8>> {
        let last = self.line_ends();
        last.into_iter().chain(self.dispatch()).collect()
    }

    /// How many bytes are held.
    pub(super) fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    fn line_ends(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.dispatch();
        }
        // Comments, names and numbers of events mean nothing here.
        let data = line.strip_prefix(b"data")?;
        let data = match data.split_first() {
            None => data,
            Some((b':', rest)) => rest.strip_prefix(b" ").unwrap_or(rest),
            Some(_) => return None,
        };
        if self.lines == 0 && data.trim_ascii() == DONE {
            return Some(DONE.to_vec());
        }
        // Where nothing separates the two, the end of the stream is what follows.
        let before = (self.lines == 1 && is_whole(&self.data))
            .then(|| self.dispatch())
            .flatten();
        if self.lines > 0 {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(data);
        self.lines += 1;
        before
    }

    fn dispatch(&mut self) -> Option<Vec<u8>> {
        self.lines = 0;
        let data = std::mem::take(&mut self.data);
        let trimmed = data.trim_ascii();
        (!trimmed.is_empty()).then(|| trimmed.to_vec())
    }
}

/// Whether it is all of a value. Asked of the first line of an event alone, so that each is read once more at most.
fn is_whole(data: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(data).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(stream: &str) -> Vec<String> {
        let mut events = Events::default();
        let mut all: Vec<Vec<u8>> = stream.bytes().filter_map(|byte| events.take(byte)).collect();
        all.extend(events.end());
        all.iter()
            .map(|data| String::from_utf8_lossy(data).into_owned())
            .collect()
    }

    #[test]
    fn lines_end_in_any_of_three_ways_and_several_are_one_event() {
        for end in ["\n", "\r", "\r\n"] {
            let stream = ": hello\nevent: x\ndata: {\"a\":\ndata:1}\nid: 4\n\ndata: 2\n\ndata\n\n".replace('\n', end);
            assert_eq!(events(&stream), ["{\"a\":\n1}", "2"], "{end:?}");
        }
    }

    #[test]
    fn without_blank_lines_each_whole_value_is_an_event() {
        assert_eq!(
            events("data: {}\ndata: {\"b\":1}\ndata: [DONE]\n"),
            ["{}", "{\"b\":1}", "[DONE]"]
        );
        assert_eq!(events("data: {}\ndata: [DONE]"), ["{}", "[DONE]"]);
    }
}
