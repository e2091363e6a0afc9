//! What statements for a database do with what is in it: SQL, and the commands of MongoDB's shell. Sources: ISO/IEC
//! 9075-2, the manuals of PostgreSQL, MySQL, SQLite and MongoDB.

/// How much a text changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// Nothing, as far as is known.
    None,
    /// Rows, tables, rights.
    Some,
    /// It takes away tables, or all rows of one.
    Loss,
}

/// What DROP takes away.
const DROPPED: &[&str] = &[
    "aggregate",
    "collection",
    "column",
    "constraint",
    "database",
    "domain",
    "event",
    "extension",
    "foreign",
    "function",
    "index",
    "keyspace",
    "materialized",
    "owned",
    "partition",
    "policy",
    "procedure",
    "publication",
    "role",
    "schema",
    "sequence",
    "server",
    "subscription",
    "table",
    "tablespace",
    "trigger",
    "type",
    "user",
    "view",
];

/// Words with which a statement that changes something begins.
const CHANGING: &[&str] = &[
    "alter", "call", "copy", "create", "delete", "do", "drop", "grant", "import", "insert", "load", "merge",
    "reindex", "rename", "replace", "revoke", "update", "vacuum",
];

/// What is called to take away whole collections, or all in them.
const CALLED_FOR_LOSS: &[&str] = &[
    ".drop(",
    ".dropdatabase(",
    ".dropindexes(",
    ".dropuser(",
    ".deletemany({})",
    ".remove({})",
];

/// What is called to change something.
const CALLED: &[&str] = &[
    ".deletemany(",
    ".deleteone(",
    ".findoneand",
    ".insert",
    ".remove(",
    ".rename",
    ".replaceone(",
    ".save(",
    ".update",
    ".createindex",
    ".createcollection",
    ".bulkwrite(",
];

/// The most that is read of a text, in bytes.
const LONGEST: usize = 16 << 10;

/// What a text changes if a database is given it.
pub(super) fn change(text: &str) -> Change {
    // One word is a name or an option; the calls are known by their brackets.
    if !text.contains(['(', ' ', '\t', '\n']) {
        return Change::None;
    }
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = without_literals(&text[..end]).to_ascii_lowercase();
    let statements = text.split(';').map(statement).max();
    let dense: String = text.split_whitespace().collect();
    let calls = |some: &[&str]| some.iter().any(|call| dense.contains(call));
    let called = match (calls(CALLED_FOR_LOSS), calls(CALLED)) {
        (true, _) => Change::Loss,
        (false, true) => Change::Some,
        (false, false) => Change::None,
    };
    statements.unwrap_or(Change::None).max(called)
}

fn statement(text: &str) -> Change {
    let words: Vec<&str> = text
        .split(|char: char| !char.is_alphanumeric() && char != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let follows =
        |first: &str, next: &dyn Fn(&str) -> bool| words.windows(2).any(|pair| pair[0] == first && next(pair[1]));
    let first = words
        .iter()
        .copied()
        .find(|word| !matches!(*word, "begin" | "explain" | "analyze"));
    let everywhere = !words.contains(&"where") && !words.contains(&"limit");
    let loses = follows("drop", &|what| DROPPED.contains(&what))
        || follows("truncate", &|what| what == "table")
        || first == Some("truncate") && words.len() > 1
        || everywhere && follows("delete", &|what| what == "from")
        || everywhere && first == Some("update") && words.contains(&"set");
    if loses {
        return Change::Loss;
    }
    let changes = first.is_some_and(|first| CHANGING.contains(&first)) && words.len() > 1
        || follows("delete", &|what| what == "from")
        || follows("insert", &|what| what == "into");
    if changes { Change::Some } else { Change::None }
}

/// The text without what stands between `'` and `'`, and without comments.
fn without_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek().copied()) {
            // A quote that does not close is none.
            ('\'', _) if chars.clone().any(|char| char == '\'') => {
                chars.by_ref().find(|char| *char == '\'');
                out.push('?');
            }
            ('-', Some('-')) => {
                chars.by_ref().find(|char| *char == '\n');
                out.push(' ');
            }
            ('/', Some('*')) => {
                let mut last = ' ';
                chars
                    .by_ref()
                    .skip(1)
                    .find(|char| std::mem::replace(&mut last, *char) == '*' && *char == '/');
                out.push(' ');
            }
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_away_whole_is_a_loss() {
        for text in [
            "drop table x",
            "DROP TABLE IF EXISTS x CASCADE;",
            "select 1; truncate x",
            "TRUNCATE TABLE x",
            "delete from x",
            "delete from x; select 1 from y where z",
            "update x set a = 1",
            "alter table x drop column y",
            "/* where */ delete from x -- where",
            "db.dropDatabase()",
            "db.users.drop()",
            "db.users.deleteMany({ })",
        ] {
            assert_eq!(change(text), Change::Loss, "{text}");
        }
    }

    #[test]
    fn what_is_changed_in_part_is_a_change() {
        for text in [
            "delete from x where id = 1",
            "update x set a = 1 where id = 2",
            "insert into x values (1)",
            "with y as (select 1) insert into x select * from y",
            "create table x (a int)",
            "grant all on x to y",
            "db.users.deleteMany({age: 1})",
            "db.users.insertOne({})",
        ] {
            assert_eq!(change(text), Change::Some, "{text}");
        }
    }

    #[test]
    fn what_only_asks_changes_nothing() {
        for text in [
            "select * from x",
            "select 'drop table x'",
            "drop.example.com",
            "drop",
            "create",
            "db.users.find({})",
            "\\d x",
            "explain select 1",
            "it's",
        ] {
            assert_eq!(change(text), Change::None, "{text}");
        }
    }
}
