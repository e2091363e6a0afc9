//! Names of revisions that may stand for what is in no branch: `X/…` is `refs/X/…` to git, if there is such a name, before it is
//! a branch's or a tag's: gitrevisions(7). A gate sees no names of a repository, so it is told by the words that tools and
//! people use.

/// How names begin that are no branch, tag or remote branch, with or without `refs/`: git's own.
const OWN_FOLDERS: &[&str] = &[
    "bisect",
    "logs",
    "main-worktree",
    "notes",
    "original",
    "prefetch",
    "rebase-apply",
    "rebase-merge",
    "replace",
    "rewritten",
    "sequencer",
    "stash",
    "worktree",
    "worktrees",
];

/// The same of tools that keep what was never shared, by their documentation: git-annex, git-branchless, Gerrit, GitButler,
/// GitHub, GitLab, Graphite, Jujutsu, Magit and git-wip, Sapling, Stacked Git. A file may lie in a folder of such a name.
const TOOLS_FOLDERS: &[&str] = &[
    "annex",
    "autosave",
    "autostash",
    "backup",
    "backups",
    "branch-metadata",
    "branchless",
    "cache-automerge",
    "changes",
    "checkpoint",
    "checkpoints",
    "gitbutler",
    "jj",
    "keep",
    "keep-around",
    "merge-requests",
    "pull",
    "recover",
    "stacks",
    "undo",
    "visibleheads",
    "wip",
];

/// How names of remotes, of branches by what they are for, and of folders of a work tree begin.
const SHARED: &[&str] = &[
    "app",
    "bug",
    "bugfix",
    "build",
    "chore",
    "ci",
    "cmd",
    "crates",
    "dependabot",
    "deps",
    "develop",
    "docs",
    "experiment",
    "feat",
    "feature",
    "features",
    "fix",
    "fixes",
    "fork",
    "github",
    "gitlab",
    "heads",
    "hotfix",
    "issue",
    "lib",
    "main",
    "origin",
    "packages",
    "perf",
    "refactor",
    "release",
    "releases",
    "remotes",
    "renovate",
    "revert",
    "src",
    "stable",
    "style",
    "support",
    "tags",
    "task",
    "test",
    "tests",
    "upstream",
];
/// No ending of a file is longer.
const LONGEST_ENDING: usize = 5;

/// Whether the name of a revision begins as one does that is no branch, tag or remote branch.
pub(super) fn is_foreign(name: &str) -> bool {
    let below = name.strip_prefix("refs/");
    let first = below.unwrap_or(name).split('/').next().unwrap_or_default();
    let foreign = below.is_some() && !["heads", "remotes", "tags"].contains(&first);
    let is_one_of = |folders: &[&str]| folders.iter().any(|own| own.eq_ignore_ascii_case(first));
    let beneath = below.is_some() || name.contains('/');
    let own = is_one_of(OWN_FOLDERS) && (beneath || first.eq_ignore_ascii_case("stash"));
    foreign || own || is_one_of(TOOLS_FOLDERS) && beneath && !is_file(name)
}

/// Whether a name with a folder in it may be a revision of any kind: it begins with no word that is known, and does not end as
/// files do.
pub(super) fn is_open(name: &str) -> bool {
    let Some((first, _)) = name.split_once('/') else {
        return false;
    };
    first != "refs" && !SHARED.contains(&first) && !is_file(name)
}

/// Whether a name ends as those of files do.
fn is_file(name: &str) -> bool {
    let last = name.rsplit('/').next().and_then(|last| last.rsplit_once('.'));
    last.is_some_and(|(_, end)| {
        let known = end.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && end.bytes().any(|byte| byte.is_ascii_alphabetic());
        known && end.len() <= LONGEST_ENDING
    })
}

/// Whether a format shows an object as it is, whatever it is, or a note of a commit, which is shared by nobody who does not
/// mean to: `%(raw)`, `%N`; git-for-each-ref(1), git-log(1).
pub(super) fn shows_more(text: &str) -> bool {
    let raw = |rest: &str| {
        let field = rest.strip_prefix('(').map(|field| field.trim_start_matches('*'));
        field.is_some_and(|field| field.starts_with("raw") && !field.starts_with("raw:size"))
    };
    text.split('%')
        .skip(1)
        .any(|rest| raw(rest) || rest.trim_start_matches(['+', '-', ' ']).starts_with('N'))
}
