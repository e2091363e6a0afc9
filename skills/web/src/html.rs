//! The text of an HTML page, in one pass: markup, scripts and styles left out, a line for each block, the common
//! entities as characters. It is for reading, not for showing: a page that is no HTML gives text all the same.

/// Elements whose content is no text of the page.
const SILENT: &[&str] = &["head", "script", "style", "template", "noscript", "svg"];

/// Elements that begin or end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "listing",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "textarea",
    "th",
    "title",
    "tr",
    "ul",
];

/// Elements in which white space is text.
const KEPT: &[&str] = &["listing", "pre", "textarea"];

/// Entities that are common in text.
const ENTITIES: &[(&str, char)] = &[
    ("amp", '&'),
    ("apos", '\''),
    ("copy", '©'),
    ("gt", '>'),
    ("hellip", '…'),
    ("laquo", '«'),
    ("ldquo", '“'),
    ("lsquo", '‘'),
    ("lt", '<'),
    ("mdash", '—'),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("quot", '"'),
    ("raquo", '»'),
    ("rdquo", '”'),
    ("rsquo", '’'),
];

/// Longest entity that is looked for, in bytes.
const LONGEST_ENTITY: usize = 12;

/// The text of `page`.
pub(crate) fn text(page: &str) -> String {
    let mut reader = Reader {
        rest: page,
        out: String::with_capacity(page.len() / 2),
        closers: Closers::default(),
        kept: 0,
    };
    reader.read();
    reader.out.trim_end().trim_start_matches('\n').to_owned()
}

struct Reader<'p> {
    rest: &'p str,
    out: String,
    closers: Closers,
    /// In how many elements it is that keep their white space.
    kept: usize,
}

/// What is known not to come any more, so that nothing is looked for twice in vain and the pass stays one pass.
#[derive(Default)]
struct Closers {
    no_tag_end: bool,
    no_comment_end: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(at) = self.rest.find(['<', '&']) {
            let before = &self.rest[..at];
            self.words(before);
            self.rest = &self.rest[at..];
            if self.rest.starts_with('&') {
                self.entity();
            } else {
                self.markup();
            }
        }
        let rest = self.rest;
        self.words(rest);
    }

    /// Text, with each run of white space as one blank, unless it is kept.
    fn words(&mut self, text: &str) {
        if self.kept > 0 {
            self.out.extend(text.chars().filter(|character| *character != '\r'));
            return;
        }
        for character in text.chars() {
            if !character.is_whitespace() {
                self.out.push(character);
            } else if !self.out.ends_with([' ', '\n']) && !self.out.is_empty() {
                self.out.push(' ');
            }
        }
    }

    fn line(&mut self) {
        if self.kept > 0 {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
            }
            return;
        }
        while self.out.ends_with(' ') {
            self.out.pop();
        }
        // One empty line is enough.
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn entity(&mut self) {
        let near = &self.rest[..self.rest.floor_char_boundary(LONGEST_ENTITY)];
        let found = near
            .find(';')
            .and_then(|end| Some((character(&near[1..end])?, end + 1)));
        let (character, length) = found.unwrap_or(('&', 1));
        if character == ' ' {
            self.words(" ");
        } else {
            self.out.push(character);
        }
        self.rest = &self.rest[length..];
    }

    fn markup(&mut self) {
        if self.rest.starts_with("<!--") && !self.closers.no_comment_end {
            if let Some(end) = self.rest.find("-->") {
                self.rest = &self.rest[end + 3..];
                return;
            }
            self.closers.no_comment_end = true;
        }
        let is_tag = self.rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let end = match is_tag && !self.closers.no_tag_end {
            true => self.rest.find('>'),
            false => None,
        };
        let Some(end) = end else {
            self.closers.no_tag_end |= is_tag;
            self.out.push('<');
            self.rest = &self.rest[1..];
            return;
        };
        let tag = &self.rest[1..end];
        self.rest = &self.rest[end + 1..];
        let (opens, tag) = match tag.strip_prefix('/') {
            Some(tag) => (false, tag),
            None => (true, tag),
        };
        let length = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        let name = tag[..length].to_ascii_lowercase();
        if opens && SILENT.contains(&name.as_str()) && !tag.ends_with('/') {
            self.pass_over(&name);
        } else if name == "br" && self.kept > 0 {
            self.out.push('\n');
        } else if BLOCKS.contains(&name.as_str()) {
            self.line();
        }
        if KEPT.contains(&name.as_str()) {
            if opens {
                self.kept += 1;
                // A first line that is empty is no part of it.
                let rest = self.rest.strip_prefix('\r').unwrap_or(self.rest);
                self.rest = rest.strip_prefix('\n').unwrap_or(self.rest);
            } else {
                self.kept = self.kept.saturating_sub(1);
            }
        }
    }

    /// Goes on behind the end of the element `name`; where it never ends, nothing of it is text.
    fn pass_over(&mut self, name: &str) {
        let mut from = 0;
        while let Some(at) = self.rest[from..].find("</") {
            let start = from + at + 2;
            let own = self.rest.get(start..start + name.len());
            if own.is_some_and(|own| own.eq_ignore_ascii_case(name)) {
                let end = self.rest[start..]
                    .find('>')
                    .map_or(self.rest.len(), |end| start + end + 1);
                self.rest = &self.rest[end..];
                return;
            }
            from = start;
        }
        self.rest = "";
    }
}

/// The character that an entity stands for, without `&` and `;`.
fn character(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return ENTITIES
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, character)| *character);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn blocks_are_lines_and_runs_of_white_space_one_blank() {
        assert_eq!(
            text("<div>a\n  b</div><p>c<br/>d <b>e</b>f</p>\n<ul><li>g<li>h</ul>"),
            "a b\n\nc\nd ef\n\ng\nh"
        );
    }

    #[test]
    fn white_space_is_text_where_the_page_says_so_and_blanks_elsewhere() {
        assert_eq!(
            text("<p>a\n  b</p><pre>\r\ndef f():\r\n\t<b>if</b>  x:\n\n\n        y\n</pre><p>c  d</p>"),
            "a b\n\ndef f():\n\tif  x:\n\n\n        y\n\nc d"
        );
        assert_eq!(
            text("<PRE>  a<br><br>  b<div>c</div><div>d</div></PRE>  e  f"),
            "  a\n\n  b\nc\nd\ne f"
        );
        assert_eq!(text("<textarea>a\n  b</textarea>"), "a\n  b");
        assert_eq!(text("</pre>a\n b<pre>&nbsp; c"), "a b\n  c");
    }

    #[test]
    fn scripts_styles_and_comments_are_no_text_even_with_tags_in_them() {
        assert_eq!(text("a<script>if (1 < 2) '</b>'</script>b<!-- <p>x --> c"), "ab c");
        assert_eq!(text("a<STYLE>p > b {}</Style\n>b"), "ab");
        assert_eq!(text("a<script>never ends"), "a");
    }

    #[test]
    fn entities_are_characters_and_what_is_none_stays() {
        assert_eq!(
            text("&lt;p&gt; &amp;amp; &#65;&#x42; &nbsp;c & d &nosuch; &#xD800;"),
            "<p> &amp; AB c & d &nosuch; &#xD800;"
        );
        assert_eq!(text("1 < 2 <"), "1 < 2 <");
    }

    #[test]
    fn what_is_never_closed_takes_one_pass_and_is_no_panic() {
        for piece in [
            "<",
            "<p",
            "<script>",
            "</",
            "&",
            "<!--",
            "<a href=\"x\"",
            "&#",
            "<é",
            "<p>",
            "<pre>\n",
        ] {
            // In a debug build a million bytes of it would take hours, if it were looked for again at each place.
            let _ = text(&piece.repeat((1 << 20) / piece.len()));
        }
    }
}
