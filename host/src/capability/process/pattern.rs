//! The operator's patterns of names that are protected in the workspace, as the setting `dispatcher.protected` holds them:
//! matched here once more, since the gate that reads them looks at commands and this at files.

use std::path::Path;

/// Whether one of the operator's patterns matches `path` or a folder that it lies in: from the root, or steps anywhere beneath
/// `root`, which holds it.
pub fn is_in_protected(root: &Path, path: &Path, protected: &[String]) -> bool {
    let beneath = |root: &Path, pattern: &[String]| {
        let own = path.strip_prefix(root).unwrap_or(path);
        own.ancestors().any(|folder| is_protected(root, folder, pattern))
    };
    protected.iter().any(|pattern| match pattern.starts_with('/') {
        true => beneath(Path::new("/"), std::slice::from_ref(pattern)),
        false => beneath(root, std::slice::from_ref(pattern)),
    })
}

/// Whether one of the operator's patterns matches: from the root, or steps anywhere; `*` is any run of characters.
pub(super) fn is_protected(workspace: &Path, path: &Path, protected: &[String]) -> bool {
    protected.iter().any(|pattern| {
        let wanted: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        let whole = workspace.join(path);
        let steps: Vec<String> = whole
            .iter()
            .skip(1)
            .map(|step| step.to_string_lossy().into_owned())
            .collect();
        let fits = |part: &[String]| wanted.iter().zip(part).all(|(wanted, own)| matches(wanted, own));
        let own = path.iter().count();
        if wanted.is_empty() || wanted.len() > steps.len() {
            false
        } else if pattern.starts_with('/') {
            fits(&steps) && wanted.len() == steps.len()
        } else {
            // What lies outside of the workspace was not asked about: the last step decides.
            wanted.len() <= own && fits(&steps[steps.len() - wanted.len()..])
        }
    })
}

/// Whether `name` matches `pattern`, in which `*` is any run of characters and `?` any one. The sets in brackets that the
/// dispatcher knows are taken for any one character, which protects more and never less.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut simple = Vec::new();
    let mut rest = pattern.chars();
    while let Some(char) = rest.next() {
        match char {
            '[' => match rest.as_str().char_indices().skip(1).find(|(_, char)| *char == ']') {
                Some((end, _)) => {
                    rest = rest.as_str()[end + 1..].chars();
                    simple.push('?');
                }
                None => simple.push('['),
            },
            other => simple.push(other),
        }
    }
    let name: Vec<char> = name.chars().collect();
    // Which beginnings of the name the pattern so far can take.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for char in simple {
        if char == '*' {
            let first = reached.iter().position(|is| *is).unwrap_or(reached.len());
            reached.iter_mut().skip(first).for_each(|is| *is = true);
            continue;
        }
        for at in (0..name.len()).rev() {
            reached[at + 1] = reached[at] && (char == '?' || char == name[at]);
        }
        reached[0] = false;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protects(pattern: &str, path: &str) -> bool {
        is_protected(Path::new("/home/ada/work"), Path::new(path), &[pattern.to_owned()])
    }

    #[test]
    fn a_pattern_is_a_name_anywhere_steps_one_after_the_other_or_an_absolute_path() {
        for (pattern, path) in [
            ("private", "a/private"),
            ("*.sqlite", "data.sqlite"),
            ("a/*/c", "x/a/b/c"),
            ("x[0-9]y", "x1y"),
            ("/home/ada/work/secret", "secret"),
            ("?", "b"),
            ("a*b*c", "aXbbYc"),
        ] {
            assert!(protects(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("private", "privately"),
            ("*.sqlite", "data.sqlite3"),
            ("work", "a"),
            ("/secret", "secret"),
            ("", "a"),
            ("a*b", "ac"),
        ] {
            assert!(!protects(pattern, path), "{pattern} {path}");
        }
    }
}
