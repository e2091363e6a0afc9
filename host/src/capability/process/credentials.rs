//! Git's configuration without what opens something: passwords in addresses, headers that are sent along, tokens of programs
//! that keep theirs there.

use super::gitconfig::{Setting, settings};

/// What stands in the place of what is left out.
const LEFT_OUT: &str = "hidden";
/// Parts of the keys whose values open something: git-config(1), git-send-email(1), git-imap-send(1), and what programs
/// beside git keep there.
const KEYS: [&str; 11] = [
    "apikey",
    "auth",
    "cookie",
    "extraheader",
    "oauth",
    "pass",
    "private",
    "pwd",
    "secret",
    "session",
    "token",
];
/// What is about those and holds none: git-config(1).
const PLAIN: [&str; 7] = [
    "author",
    "authormap",
    "cookiefile",
    "emptyauth",
    "proactiveauth",
    "proxyauthmethod",
    "savecookies",
];
/// How tokens begin, or what stands before one: GitHub's, GitLab's, Slack's, Atlassian's, npm's and Amazon's documentation;
/// RFC 9110, section 11.
const SIGNS: [&str; 20] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "gldt-",
    "xoxb-",
    "xoxp-",
    "atatt3x",
    "atbb",
    "npm_",
    "akia",
    "authorization:",
    "bearer ",
    "basic ",
    "password=",
    "token=",
    "secret=",
];

/// The same settings without what opens something, if there is any. Remarks are left out with it.
pub(super) fn without(text: &[u8]) -> Option<String> {
    let (all, _) = settings(text);
    let written = String::from_utf8_lossy(text);
    let opens = all.iter().any(opens) || written.lines().any(|line| is_open(line).is_some());
    opens.then(|| all.iter().map(reworded).collect())
}

/// Whether a setting has such a thing in it.
fn opens(setting: &Setting) -> bool {
    is_kept(&setting.key)
        || [Some(&setting.value), setting.part.as_ref()]
            .into_iter()
            .flatten()
            .any(|text| is_open(text).is_some())
}

fn is_kept(key: &str) -> bool {
    !PLAIN.contains(&key) && KEYS.iter().any(|part| key.contains(part))
}

/// A setting without it, as git reads it.
fn reworded(setting: &Setting) -> String {
    let quoted = |text: &str| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    };
    let shown = |text: &String| is_open(text).unwrap_or_else(|| text.clone());
    let part = setting.part.as_ref().map(|part| format!(" {}", quoted(&shown(part))));
    let value = match is_kept(&setting.key) {
        true => LEFT_OUT.to_owned(),
        false => shown(&setting.value),
    };
    let value = quoted(&value).replace('\n', "\\n").replace('\t', "\\t");
    let value = if setting.bare {
        String::new()
    } else {
        format!(" = {value}")
    };
    format!(
        "[{}{}]\n\t{}{value}\n",
        setting.section,
        part.unwrap_or_default(),
        setting.key
    )
}

/// What a text is without what opens something, if there is any in it.
fn is_open(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if SIGNS.iter().any(|sign| lower.contains(sign)) {
        return Some(LEFT_OUT.to_owned());
    }
    let (mut made, mut rest, mut found) = (String::new(), text, false);
    while let Some(at) = rest.find("://") {
        let (before, behind) = rest.split_at(at + 3);
        made.push_str(before);
        let end = behind
            .find(['/', '?', '#', ' ', '\t', '"', '\''])
            .unwrap_or(behind.len());
        let host = behind.get(..end).and_then(|authority| authority.rfind('@'));
        rest = behind;
        if let Some(host) = host {
            let user = &behind[..host];
            let is_shell = before.to_ascii_lowercase().ends_with("ssh://");
            // Who is let in by a key has a name there, and no password.
            if !is_shell || user.contains(':') {
                made.push_str(LEFT_OUT);
                rest = &behind[host..];
                found = true;
            }
        }
        // What is asked for may be a token.
        let ends = rest.find([' ', '\t', '"', '\'']).unwrap_or(rest.len());
        if let Some(query) = rest[..ends].find('?') {
            made.push_str(&rest[..=query]);
            made.push_str(LEFT_OUT);
            rest = &rest[ends..];
            found = true;
        }
    }
    made.push_str(rest);
    found.then_some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opens_something_is_left_out_and_the_rest_is_as_it_was() {
        let text = "[core]\n\tbare = false\n\tfilemode\n[remote \"origin\"]\n\turl = https://me:ghp_x@github.com/a/b ; old: c\n\
                    \tfetch = +refs/heads/*:refs/remotes/origin/*\n[http \"https://t0k@host/\"]\n\textraHeader = \"X: Y\"\n\
                    [user]\n\tname = \"a \\\"b\\\" \\\\c\"\n";
        let made = without(text.as_bytes()).unwrap_or_default();
        for secret in ["ghp_x", "t0k", "X: Y"] {
            assert!(!made.contains(secret), "{made}");
        }
        let kinds = |text: &str| {
            let all = settings(text.as_bytes()).0.into_iter();
            all.map(|one| (one.kind(), one.bare)).collect::<Vec<_>>()
        };
        assert_eq!(kinds(text), kinds(&made));
        let values: Vec<String> = settings(made.as_bytes()).0.into_iter().map(|one| one.value).collect();
        assert_eq!(values[4], LEFT_OUT);
        assert_eq!(values[5], "a \"b\" \\c");
        assert_eq!(values[3], "+refs/heads/*:refs/remotes/origin/*");
    }

    #[test]
    fn only_what_opens_something_makes_another_text_of_it() {
        for text in [
            "[core]\n\tbare = true\n[remote \"origin\"]\n\turl = https://github.com/a/b\n",
            "[remote \"origin\"]\n\turl = ssh://git@github.com/a/b\n",
            "[remote \"origin\"]\n\turl = git@github.com:a/b\n",
            "[user]\n\temail = a@b\n[credential]\n\thelper = store\n",
            "[http]\n\tcookiefile = x\n",
        ] {
            assert_eq!(without(text.as_bytes()), None, "{text}");
        }
        for (text, left) in [
            ("url = https://tok@github.com/a", "https://hidden@github.com/a"),
            ("url = ssh://a:b@h/x", "ssh://hidden@h/x"),
            ("url = https://h/x?private_key=1", "https://h/x?hidden"),
            ("helper = !f() { echo password=x; }", "hidden"),
            ("smtpPass = x", "hidden"),
            ("# https://a:b@h\n\tk = v", "v"),
        ] {
            let made = without(format!("[a]\n\t{text}\n").as_bytes()).unwrap_or_default();
            let values: Vec<String> = settings(made.as_bytes()).0.into_iter().map(|one| one.value).collect();
            assert_eq!(values, [left], "{text}");
        }
    }
}
