//! What the options of git's commands that show changes do to what is shown: only those are let by of which that is known.
//! Sources: git-log(1), git-diff(1), git-show(1), git-blame(1), of git 2.47.

/// Options that change neither which lines git prints before a file's, nor what stands before a line. Their values stand behind
/// `=`, if they have any.
pub(super) const PLAIN: &[&str] = &[
    "--abbrev",
    "--abbrev-commit",
    "--after",
    "--all",
    "--ancestry-path",
    "--author",
    "--before",
    "--branches",
    "--cached",
    "--cherry-pick",
    "--color",
    "--committer",
    "--compact-summary",
    "--count",
    "--cumulative",
    "--date",
    "--date-order",
    "--decorate",
    "--diff-filter",
    "--dirstat",
    "--exclude",
    "--exit-code",
    "--extended-regexp",
    "--find-copies",
    "--find-copies-harder",
    "--find-renames",
    "--first-parent",
    "--fixed-strings",
    "--follow",
    "--format",
    "--full-history",
    "--full-index",
    "--glob",
    "--grep",
    "--histogram",
    "--ignore-all-space",
    "--ignore-blank-lines",
    "--ignore-cr-at-eol",
    "--ignore-space-at-eol",
    "--ignore-space-change",
    "--ignore-submodules",
    "--invert-grep",
    "--left-right",
    "--max-count",
    "--merge-base",
    "--merges",
    "--minimal",
    "--name-only",
    "--name-status",
    "--no-color",
    "--no-decorate",
    "--no-ext-diff",
    "--no-merges",
    "--no-notes",
    "--no-patch",
    "--no-renames",
    "--no-textconv",
    "--no-walk",
    "--not",
    "--notes",
    "--numstat",
    "--oneline",
    "--patience",
    "--pretty",
    "--quiet",
    "--raw",
    "--regexp-ignore-case",
    "--relative-date",
    "--remotes",
    "--reverse",
    "--shortstat",
    "--simplify-by-decoration",
    "--since",
    "--skip",
    "--source",
    "--staged",
    "--stat",
    "--summary",
    "--tags",
    "--text",
    "--topo-order",
    "--until",
    "-B",
    "-C",
    "-D",
    "-E",
    "-F",
    "-G",
    "-M",
    "-P",
    "-R",
    "-S",
    "-a",
    "-b",
    "-i",
    "-n",
    "-q",
    "-s",
    "-w",
];
/// Those by which changes are shown, line by line.
pub(super) const PATCHES: &[&str] = &[
    "--cc",
    "--color-words",
    "--function-context",
    "--patch",
    "--patch-with-stat",
    "--unified",
    "--word-diff",
    "-U",
    "-W",
    "-c",
    "-m",
    "-p",
    "-u",
];
/// Those after which none is shown, unless one of the above does.
const SUMMARIES: &[&str] = &[
    "--compact-summary",
    "--dirstat",
    "--name-only",
    "--name-status",
    "--no-patch",
    "--numstat",
    "--quiet",
    "--raw",
    "--shortstat",
    "--stat",
    "--summary",
    "-s",
];
/// Those that put something before each line, or leave something of its name out: only where no line is shown.
pub(super) const NAMING: &[&str] = &["--graph", "--relative", "-z"];
/// Those that name versions.
const ALL: &[&str] = &["--all", "--branches", "--exclude", "--glob", "--remotes", "--tags"];
/// Those by which something else is compared, or the other way round.
const TURNING: &[&str] = &["--cached", "--merge-base", "--staged", "-R"];
/// Those whose value may be the next word.
pub(super) const VALUED: &[&str] = &[
    "--after",
    "--author",
    "--before",
    "--committer",
    "--date",
    "--diff-filter",
    "--exclude",
    "--glob",
    "--grep",
    "--max-count",
    "--since",
    "--skip",
    "--until",
    "-G",
    "-S",
    "-n",
];
/// Those of `git blame` by which it says more or less of the same lines.
const BLAMES: &[&str] = &[
    "--abbrev",
    "--color-by-age",
    "--color-lines",
    "--date",
    "--first-parent",
    "--line-porcelain",
    "--porcelain",
    "--root",
    "--show-email",
    "--show-name",
    "--show-number",
    "--since",
    "-C",
    "-L",
    "-M",
    "-b",
    "-c",
    "-e",
    "-f",
    "-l",
    "-n",
    "-p",
    "-s",
    "-t",
    "-w",
];

/// What a command of git is given.
#[derive(Debug, Default)]
pub(super) struct Given<'a> {
    /// What it is told to do that is not known, or not fit to be looked through.
    pub(super) unfit: Option<&'a str>,
    /// Whether it shows changes, line by line.
    pub(super) shows: bool,
    /// Whether it marks words instead of lines.
    pub(super) marks_words: bool,
    /// Whether options name versions.
    pub(super) names_versions: bool,
    /// Whether it looks for what is wrong with blanks.
    pub(super) checks: bool,
    /// Whether what is new to it is not what the work tree has.
    pub(super) turns: bool,
    /// What is no option: versions and files.
    pub(super) words: Vec<&'a str>,
    /// What is behind `--`.
    pub(super) files: Vec<&'a str>,
}

impl<'a> Given<'a> {
    /// What `git log` and its like are given, and `git show` and `git diff`, which show changes if nothing says otherwise. A
    /// number is a count but for `git diff`, to which it may be one of the versions that a merge left in the index.
    pub(super) fn of_changes(mut texts: impl Iterator<Item = &'a str>, by_itself: bool, counts: bool) -> Given<'a> {
        let mut given = Given::default();
        let (mut patches, mut summaries, mut naming) = (false, false, None);
        while let Some(text) = texts.next() {
            let (name, value) = split(text);
            match name {
                _ if !text.starts_with('-') || text.len() == 1 => given.words.push(text),
                "--" => given.files = texts.by_ref().collect(),
                "--check" => given.checks = true,
                _ if NAMING.contains(&name) => naming = Some(text),
                // What is taken for a word may be written by whoever calls it.
                "--color-words" if value.is_some() => given.unfit = Some(text),
                _ if PATCHES.contains(&name) && is_fit(name, value) => {
                    patches = true;
                    given.marks_words |= matches!(name, "--color-words" | "--word-diff") && value != Some("none");
                }
                _ if counts && is_number(text) => {}
                _ if PLAIN.contains(&name) && is_fit(name, value) => {
                    summaries |= SUMMARIES.contains(&name);
                    given.names_versions |= ALL.contains(&name);
                    given.turns |= TURNING.contains(&name);
                    // Not every version of git takes it for the value.
                    let next = (VALUED.contains(&name) && value.is_none()).then(|| texts.next());
                    given.words.extend(next.flatten());
                    given.unfit = given.unfit.or(next.flatten().filter(|next| next.starts_with('-')));
                }
                _ => given.unfit = Some(text),
            }
        }
        given.shows = patches || by_itself && !summaries;
        given.unfit = given.unfit.or(naming.filter(|_| given.shows));
        // Then it stands between lines of changes.
        given.unfit = given.unfit.or((given.checks && patches).then_some("--check"));
        given
    }

    /// What `git blame` is given.
    pub(super) fn of_blame(mut texts: impl Iterator<Item = &'a str>) -> Given<'a> {
        let mut given = Given::default();
        while let Some(text) = texts.next() {
            let (name, value) = split(text);
            match name {
                _ if !text.starts_with('-') || text.len() == 1 => given.words.push(text),
                "--" => given.files = texts.by_ref().collect(),
                _ if BLAMES.contains(&name) && are_flags(name, value) => {
                    if matches!(name, "-L" | "--date" | "--since") && value.is_none() {
                        texts.next();
                    }
                }
                _ => given.unfit = Some(text),
            }
        }
        given
    }
}

/// The name of an option, and what is joined to it: behind `=`, or behind a letter.
fn split(text: &str) -> (&str, Option<&str>) {
    let letter = text.char_indices().nth(2).map(|(at, _)| at);
    match (text.starts_with("--"), text.split_once('='), letter) {
        (true, Some((name, value)), _) => (name, Some(value)),
        (false, _, Some(at)) => (&text[..at], Some(&text[at..])),
        _ => (text, None),
    }
}

/// Whether what is joined to an option is what it may have: letters in one word are several to some commands, and none of them
/// to others.
fn is_fit(name: &str, value: Option<&str>) -> bool {
    name.starts_with("--") || value.is_none() || matches!(name, "-B" | "-C" | "-G" | "-M" | "-S" | "-U" | "-n")
}

/// Whether what is joined to an option of `git blame` is its value, or more options that have none.
fn are_flags(name: &str, value: Option<&str>) -> bool {
    let mut letters = value.unwrap_or_default().chars();
    name.starts_with("--")
        || matches!(name, "-C" | "-L" | "-M")
        || letters.all(|letter| "CMbceflnpstw".contains(letter))
}

/// `-5`.
fn is_number(text: &str) -> bool {
    text.len() > 1 && text[1..].bytes().all(|byte| byte.is_ascii_digit())
}
