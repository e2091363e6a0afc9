//! Which arguments of git are data: messages, patterns, names of branches, and files of which only the names are told.
//! Sources: the manuals of git 2.43.

use super::reading::{Reading, Table, is_open};
use super::rows::{NONE, Rest, Row};
use super::{Role, Roles};
use crate::shell::word::Field;

/// What its arguments are.
pub(super) fn roles(arguments: &[Field]) -> Roles {
    let mut told = told(arguments);
    for (at, field) in arguments.iter().enumerate() {
        if is_left_out(&field.text) {
            told.roles.resize(told.roles.len().max(at + 1), Role::Open);
            told.roles[at] = Role::Text;
        }
    }
    told
}

/// Whether it is a pattern of files that are left out; gitglossary(7), pathspec.
fn is_left_out(text: &str) -> bool {
    let words = text.strip_prefix(":(").and_then(|rest| rest.split_once(')'));
    let excluded = words.is_some_and(|(words, _)| words.split(',').any(|word| word == "exclude"));
    (excluded || text.starts_with(":!") || text.starts_with(":^")) && !text.contains("://")
}

fn told(arguments: &[Field]) -> Roles {
    let (mut at, mut configured) = (0, false);
    let command = loop {
        let Some(field) = arguments.get(at) else {
            return Roles::default();
        };
        // One that is open may be several, and the command among them.
        if arguments.iter().take(at + 1).any(is_open) {
            return Roles::default();
        }
        match field.text.as_str() {
            "-c" | "--config-env" => {
                configured = true;
                at += 2;
            }
            "-C" | "--attr-source" | "--git-dir" | "--namespace" | "--work-tree" => at += 2,
            option if FLAGS.contains(&option) => at += 1,
            option if option.starts_with("--") && option.contains('=') => {
                configured |= option.starts_with("--config");
                at += 1;
            }
            option if option.starts_with('-') => return Roles::default(),
            command => break command,
        }
    };
    // All that they take are names of branches and of what has been committed.
    if matches!(command, "branch" | "switch") {
        let mut roles = vec![Role::Text; arguments.len()];
        roles[..at].fill(Role::Open);
        return Roles { roles, told: true };
    }
    let own = COMMANDS.iter().find(|row| row.commands.contains(&command));
    let table = Table {
        own,
        grammar: None,
        configured,
    };
    if own.is_none() {
        return Roles::default();
    }
    Reading::of(&table, arguments, at + 1).roles(&table)
}

/// Its own options without a value.
const FLAGS: &[&str] = &[
    "--bare",
    "--glob-pathspecs",
    "--icase-pathspecs",
    "--literal-pathspecs",
    "--no-optional-locks",
    "--no-pager",
    "--no-replace-objects",
    "--noglob-pathspecs",
    "--paginate",
    "-P",
    "-p",
];

/// Options of what shows changes.
const SHOWING: Row = Row {
    flags: "pusczmtriEFPgWabwRqv",
    texts: "SGIn",
    others: "LO",
    joined: "MBCDUXl",
    long: "abbrev=? abbrev-commit after= all all-match ancestry-path author= author-date-order basic-regexp before= binary \
        boundary branches=? cached cc check cherry cherry-pick children clear-decorations color=? color-moved=? \
        color-words=? committer= compact-summary count cumulative date= date-order decorate=? decorate-refs= \
        decorate-refs-exclude= dense diff-filter= dirstat=? encoding= exit-code expand-tabs=? extended-regexp \
        find-copies=? find-object= find-renames=? first-parent fixed-strings follow format=? full-diff full-history \
        full-index function-context glob= graph grep= grep-reflog= histogram ignore-all-space ignore-blank-lines \
        ignore-cr-at-eol ignore-matching-lines= ignore-space-at-eol ignore-space-change ignore-submodules=? \
        inter-hunk-context= invert-grep left-only left-right log-size max-age= max-count= max-parents=? merge-base \
        merges min-age= min-parents=? minimal name-only name-status no-color no-decorate no-expand-tabs no-ext-diff \
        no-index no-merges no-notes no-patch no-prefix no-renames no-textconv no-walk=? notes=? numbered numstat oneline \
        parents patch patch-with-raw patch-with-stat patience perl-regexp pickaxe-all pickaxe-regex pretty=? quiet raw \
        reflog regexp-ignore-case remotes=? remove-empty reverse right-only shortstat show-pulls show-signature \
        simplify-by-decoration simplify-merges since= skip= source sparse staged stat=? submodule=? summary tags=? text \
        textconv topo-order unified=? until= walk-reflogs word-diff=? word-diff-regex=",
    numbered: true,
    ..NONE
};
/// Those of them that show nothing of a file but its name.
const LISTING: &str = "abbrev abbrev-commit after all all-match author author-date-order basic-regexp before branches cached color \
    committer count date date-order decorate dense diff-filter extended-regexp first-parent fixed-strings follow \
    format full-history glob graph grep invert-grep max-count merges name-only name-status no-color no-decorate \
    no-merges no-notes no-patch no-renames numstat oneline parents perl-regexp pretty quiet raw \
    regexp-ignore-case remotes reverse shortstat show-pulls simplify-by-decoration simplify-merges since skip \
    source sparse staged stat summary tags topo-order until";

const COMMANDS: &[Row] = &[
    Row {
        commands: &["log", "rev-list", "shortlog", "whatchanged"],
        rest: Rest::Listing,
        listing: "inEFPgsq",
        long_listing: LISTING,
        ..SHOWING
    },
    Row {
        commands: &["show"],
        ..SHOWING
    },
    Row {
        commands: &["diff"],
        rest: Rest::Listing,
        listing: "zCMRs",
        long_listing: LISTING,
        needs: &[
            "name-only",
            "name-status",
            "no-patch",
            "numstat",
            "quiet",
            "raw",
            "s",
            "shortstat",
            "stat",
            "summary",
        ],
        ..SHOWING
    },
    Row {
        commands: &["grep"],
        flags: "aIiwvrEGPFnlLzohHcqpW",
        texts: "eABCm",
        files: "f",
        long: "after-context= all-match and basic-regexp before-context= break cached color=? column context= count \
            exclude-standard extended-regexp files-with-matches files-without-match fixed-strings full-name function-context \
            heading ignore-case invert-match line-number max-count= max-depth= name-only no-color no-exclude-standard \
            no-index no-recursive no-textconv not null only-matching or perl-regexp quiet \
            recurse-submodules recursive show-function text textconv threads= untracked word-regexp",
        rest: Rest::Pattern,
        given_by: "ef",
        numbered: true,
        stops: true,
        ..NONE
    },
    Row {
        commands: &["commit"],
        flags: "aesvqnpoiz",
        texts: "mcC",
        files: "Ft",
        joined: "uS",
        long: "all allow-empty allow-empty-message amend author= branch cleanup= date= dry-run edit file=< fixup= gpg-sign=? \
            include long message= no-edit no-gpg-sign no-post-rewrite no-signoff no-status no-verify null only patch \
            pathspec-from-file=< porcelain quiet reedit-message= reset-author reuse-message= short signoff squash= status \
            template=< trailer= untracked-files=? verbose",
        ..NONE
    },
    Row {
        commands: &["tag"],
        flags: "asdlfvei",
        texts: "mu",
        files: "F",
        joined: "n",
        long: "annotate cleanup= color=? column=? contains= create-reflog delete edit file=< force format= ignore-case list \
            local-user= merged= message= no-column no-contains= no-merged= no-sign omit-empty points-at= sign sort= trailer= \
            verify",
        rest: Rest::Texts,
        ..NONE
    },
    Row {
        commands: &["checkout"],
        flags: "qftlmpd",
        texts: "bB",
        long: "conflict= detach force guess merge no-guess no-overlay no-progress no-recurse-submodules no-track orphan= ours \
            overlay patch pathspec-from-file=< progress quiet recurse-submodules=? theirs track=?",
        ..NONE
    },
    Row {
        commands: &["worktree"],
        flags: "fdqv",
        texts: "bB",
        long: "checkout detach force guess-remote lock no-checkout no-guess-remote no-track orphan quiet reason= track",
        ..NONE
    },
    Row {
        commands: &["merge"],
        flags: "nqev",
        texts: "msX",
        files: "F",
        joined: "S",
        long: "abort allow-unrelated-histories autostash cleanup= commit continue edit ff ff-only file=< gpg-sign=? into-name= \
            log=? message= no-autostash no-commit no-edit no-ff no-log no-progress no-squash no-stat no-verify progress \
            quiet quit signoff squash stat strategy= strategy-option= verbose",
        rest: Rest::Texts,
        ..NONE
    },
    Row {
        commands: &["rebase"],
        flags: "iqvnfkmr",
        texts: "sX",
        others: "x",
        long: "abort autosquash autostash committer-date-is-author-date continue edit-todo exec=: interactive keep-base \
            keep-empty merge no-autosquash no-autostash no-ff no-keep-empty no-stat no-verify onto= quiet quit \
            rebase-merges=? root signoff skip stat strategy= strategy-option= update-refs verbose",
        rest: Rest::Texts,
        ..NONE
    },
    Row {
        commands: &["cherry-pick", "revert"],
        flags: "xnes",
        texts: "mX",
        joined: "S",
        long: "abort allow-empty cleanup= continue edit ff gpg-sign=? keep-redundant-commits mainline= no-commit no-edit \
            no-gpg-sign quit reference signoff skip strategy= strategy-option=",
        rest: Rest::Texts,
        ..NONE
    },
    Row {
        commands: &["push"],
        flags: "ufnqvd46",
        texts: "o",
        long: "all atomic branches delete dry-run exec=: follow-tags force force-if-includes force-with-lease=? mirror \
            no-force-with-lease no-progress no-signed no-thin no-verify porcelain progress prune push-option= quiet \
            receive-pack=: recurse-submodules=? repo=: set-upstream signed=? tags thin verbose verify",
        rest: Rest::Behind,
        ..NONE
    },
    Row {
        commands: &["fetch", "pull"],
        flags: "afktpqv46neP",
        texts: "josX",
        joined: "r",
        long: "all allow-unrelated-histories append atomic autostash commit deepen= depth= dry-run edit ff ff-only filter= \
            force jobs= keep negotiation-tip= no-autostash no-commit no-edit no-ff no-progress no-rebase \
            no-recurse-submodules no-squash no-stat no-tags no-verify progress prune prune-tags quiet rebase=? \
            recurse-submodules=? refmap= server-option= set-upstream shallow-exclude= shallow-since= squash stat strategy= \
            strategy-option= tags unshallow update-head-ok update-shallow upload-pack=: verbose",
        rest: Rest::Behind,
        ..NONE
    },
    Row {
        commands: &["ls-remote"],
        flags: "htbq",
        texts: "o",
        long: "branches exec=: exit-code get-url heads quiet refs server-option= sort= symref tags upload-pack=:",
        rest: Rest::Behind,
        ..NONE
    },
    Row {
        commands: &["stash"],
        flags: "pkuaqS",
        texts: "m",
        long: "all include-untracked index keep-index message= no-keep-index patch pathspec-from-file=< quiet staged",
        ..NONE
    },
    Row {
        commands: &["notes"],
        flags: "fnqv",
        texts: "mcCs",
        files: "F",
        long: "allow-empty file=< force message= reedit-message= ref= reuse-message= stdin strategy=",
        ..NONE
    },
    Row {
        commands: &["clone"],
        flags: "lsnqv",
        texts: "bo",
        others: "cuj",
        long: "bare branch= config=: depth= filter= jobs= mirror no-checkout no-single-branch no-tags origin= progress quiet \
            recurse-submodules=? reference=: separate-git-dir=: shallow-exclude= shallow-since= shallow-submodules \
            single-branch sparse template=: upload-pack=: verbose",
        ..NONE
    },
    // Of what follows each file is only named, or better kept than before.
    Row {
        commands: &["status"],
        flags: "sbz",
        joined: "u",
        long: "ahead-behind branch column=? find-renames=? ignore-submodules=? ignored=? long no-ahead-behind no-column \
            no-renames porcelain=? renames short show-stash untracked-files=?",
        rest: Rest::Names,
        ..NONE
    },
    Row {
        commands: &["check-attr", "check-ignore"],
        flags: "aqvnz",
        long: "all cached no-index non-matching quiet stdin verbose",
        rest: Rest::Names,
        ..NONE
    },
    Row {
        commands: &["ls-files"],
        flags: "cdmoiksutvzf",
        texts: "x",
        files: "X",
        long: "abbrev=? cached deduplicate deleted directory error-unmatch exclude= exclude-from=< exclude-per-directory= \
            exclude-standard format= full-name ignored killed modified no-empty-directory others recurse-submodules sparse \
            stage unmerged with-tree=",
        rest: Rest::Names,
        ..NONE
    },
    // What is only taken out of the index stays as it is, and is committed no more.
    Row {
        commands: &["rm"],
        flags: "rfqn",
        long: "cached dry-run force ignore-unmatch quiet sparse",
        rest: Rest::Names,
        needs: &["cached"],
        ..NONE
    },
    Row {
        commands: &["reset"],
        flags: "qN",
        long: "intent-to-add mixed quiet",
        rest: Rest::Names,
        ..NONE
    },
    Row {
        commands: &["restore"],
        flags: "Sq",
        texts: "s",
        long: "quiet source= staged",
        rest: Rest::Names,
        needs: &["S", "staged"],
        ..NONE
    },
];
