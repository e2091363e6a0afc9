//! The encoding that a page says it is in: in a `meta` of its own, or in the declaration that XML begins with. It is looked
//! for much as browsers do, so that what only reads like it counts for nothing: comments, scripts, and values of others.

/// How far into a page it is looked, in bytes, as browsers do.
const LOOKED_AT: usize = 1024;

/// Elements in which no markup is.
const RAW: &[&str] = &["script", "style", "textarea", "title"];

/// The encoding that a page names. In XML, what it begins with counts before what stands in it.
pub(crate) fn by(page: &[u8], is_xml: bool) -> Option<String> {
    // Names and markup are ASCII, whatever else there is.
    let start: String = page.iter().take(LOOKED_AT).map(|byte| char::from(*byte)).collect();
    let found = match is_xml {
        true => declared(&start).or_else(|| in_meta(&start)),
        false => in_meta(&start).or_else(|| declared(&start)),
    };
    // That it was found in a page of bytes says that it is not in UTF-16.
    found
        .map(str::to_ascii_lowercase)
        .filter(|name| !name.starts_with("utf-16"))
}

/// What `<?xml version="1.0" encoding="…"?>` says.
fn declared(page: &str) -> Option<&str> {
    let inner = page.strip_prefix("<?xml").filter(|inner| inner.starts_with(is_blank))?;
    let (tag, _) = Tag::read(inner)?;
    tag.value("encoding").and_then(name)
}

/// What the first `meta` that names one says.
fn in_meta(page: &str) -> Option<&str> {
    let mut rest = page;
    loop {
        rest = &rest[rest.find('<')?..];
        if rest.starts_with("<!--") {
            // `<!-->` is one too.
            rest = &rest[2 + rest[2..].find("-->")? + 3..];
            continue;
        }
        rest = &rest[1..];
        if rest.starts_with(['!', '?']) {
            rest = &rest[rest.find('>')?..];
            continue;
        }
        let inner = rest.strip_prefix('/').unwrap_or(rest);
        if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let opens = inner.len() == rest.len();
        let length = inner.find(|c| is_blank(c) || matches!(c, '/' | '>'))?;
        let element = inner[..length].to_ascii_lowercase();
        let (tag, behind) = Tag::read(&inner[length..])?;
        rest = behind;
        if opens && element == "meta" {
            if let Some(found) = tag.encoding() {
                return Some(found);
            }
        } else if opens && RAW.contains(&element.as_str()) {
            let end = rest.to_ascii_lowercase().find(&format!("</{element}"))?;
            rest = &rest[end..];
        }
    }
}

/// The attributes of a tag, in their order.
struct Tag<'p>(Vec<(&'p str, &'p str)>);

impl<'p> Tag<'p> {
    /// What stands behind the name of a tag, and behind that tag; nothing where that has no end.
    fn read(mut rest: &'p str) -> Option<(Tag<'p>, &'p str)> {
        let mut found = Vec::new();
        loop {
            rest = rest.trim_start_matches(|c| is_blank(c) || c == '/');
            if let Some(behind) = rest.strip_prefix('>') {
                return Some((Tag(found), behind));
            }
            // A name may begin with `=`, but with nothing else that ends one.
            let first = rest.chars().next()?.len_utf8();
            let end = rest[first..].find(|c| is_blank(c) || matches!(c, '/' | '>' | '='))?;
            let (key, behind) = rest.split_at(first + end);
            rest = behind.trim_start_matches(is_blank);
            let Some(given) = rest.strip_prefix('=') else {
                found.push((key, ""));
                continue;
            };
            let given = given.trim_start_matches(is_blank);
            let value = match given.chars().next()? {
                quote @ ('"' | '\'') => {
                    let (value, behind) = given[1..].split_once(quote)?;
                    rest = behind;
                    value
                }
                _ => {
                    let (value, behind) = given.split_at(given.find(|c| is_blank(c) || c == '>')?);
                    rest = behind;
                    value
                }
            };
            found.push((key, value));
        }
    }

    /// Of attributes of one name, the first counts.
    fn value(&self, key: &str) -> Option<&'p str> {
        let found = self.0.iter().find(|(own, _)| own.eq_ignore_ascii_case(key));
        found.map(|(_, value)| *value)
    }

    /// The encoding that a `meta` names, in `charset` or beside `http-equiv`.
    fn encoding(&self) -> Option<&'p str> {
        if let Some(found) = self.value("charset").and_then(name) {
            return Some(found);
        }
        let equivalent = self.value("http-equiv")?.trim();
        if !equivalent.eq_ignore_ascii_case("content-type") {
            return None;
        }
        let content = self.value("content")?;
        let lower = content.to_ascii_lowercase();
        lower.match_indices("charset").find_map(|(at, key)| {
            let value = content[at + key.len()..].trim_start().strip_prefix('=')?;
            name(value.trim_start().trim_start_matches(['"', '\'']))
        })
    }
}

/// The name at the beginning of a value.
fn name(value: &str) -> Option<&str> {
    let value = value.trim_start();
    let end = value.find(|c: char| c.is_whitespace() || "\"';/>".contains(c));
    Some(&value[..end.unwrap_or(value.len())]).filter(|name| !name.is_empty())
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(page: &str) -> Option<String> {
        by(page.as_bytes(), false)
    }

    #[test]
    fn a_meta_of_the_page_names_its_encoding_however_it_is_written() {
        for page in [
            "<meta charset=latin1>",
            "<META\nCharSet = 'Latin1' />",
            "<meta/charset=\"latin1\">",
            "<meta charset=latin1/>",
            "<meta name=x><meta content='text/html; charset=\"latin1\"' http-equiv=content-type>",
            "<!doctype html><!-- <meta charset=koi8-r> --><html lang=en><meta charset=latin1>",
            "<!--><meta charset=latin1>",
            "a < b <é <meta charset=latin1>",
            "</meta charset=koi8-r><meta charset=\"\"><meta charset=latin1 charset=koi8-r>",
            "<script>'<meta charset=koi8-r>'</SCRIPT><meta charset=latin1>",
        ] {
            assert_eq!(said(page).as_deref(), Some("latin1"), "{page}");
        }
        assert_eq!(
            by(b"<title>\xe9</title><meta x=\xe9 charset=latin1>", false).as_deref(),
            Some("latin1")
        );
    }

    #[test]
    fn what_only_reads_like_a_meta_that_names_one_says_nothing() {
        for page in [
            "<!-- <meta charset=latin1> -->",
            "<!-- <meta charset=latin1>",
            "<script>x = '<meta charset=latin1>'</script>",
            "<title>of <meta charset=latin1></title>",
            "<style><meta charset=latin1>",
            "<metadata charset=latin1>",
            "<meta-x charset=latin1>",
            "<p title='<meta charset=latin1>'>",
            "<meta name=description content='how to set charset=latin1'>",
            "<meta http-equiv=refresh content='0; url=/?charset=latin1'>",
            "<meta data-charset=latin1 charset>",
            "<meta charset=latin1",
            "<meta charset='latin1>",
            "<meta charset=utf-16>",
            "<meta =",
            "<",
        ] {
            assert_eq!(said(page), None, "{page}");
        }
        let far = format!("{}<meta charset=latin1>", " ".repeat(LOOKED_AT - 9));
        assert_eq!(said(&far), None);
    }

    #[test]
    fn xml_says_it_at_its_beginning_and_there_that_counts_first() {
        let page = "<?xml version=\"1.0\" encoding='ISO-8859-1'?><html>";
        assert_eq!(by(page.as_bytes(), true).as_deref(), Some("iso-8859-1"));
        assert_eq!(said(page).as_deref(), Some("iso-8859-1"));
        let both = format!("{page}<meta charset=koi8-r>");
        assert_eq!(by(both.as_bytes(), true).as_deref(), Some("iso-8859-1"));
        assert_eq!(said(&both).as_deref(), Some("koi8-r"));
        for none in [
            " <?xml encoding='latin1'?>",
            "<?xml-stylesheet encoding='latin1'?>",
            "<?xml version='encoding=latin1'?>",
            "<?xml version='1.0'?><p encoding='latin1'>",
        ] {
            assert_eq!(by(none.as_bytes(), true), None, "{none}");
        }
    }
}
