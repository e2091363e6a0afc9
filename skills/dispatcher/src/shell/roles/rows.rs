//! What is known of the options of programs whose arguments are told apart, beside what their rows in the table of all
//! programs say: those rows are about what can be shown to be harmless, these only about which arguments are data. Sources:
//! the manuals of ack, ag, GitHub's gh, jq, ripgrep, rsync and GNU tar.

use super::reading::Takes;

/// What is known of one program, or of some commands of it.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) names: &'static [&'static str],
    /// Its commands that are meant; none for the program itself.
    pub(super) commands: &'static [&'static str],
    /// Short options without a value.
    pub(super) flags: &'static str,
    /// Those whose value is a text.
    pub(super) texts: &'static str,
    /// Those whose value is a file that is read.
    pub(super) files: &'static str,
    /// Those with another value.
    pub(super) others: &'static str,
    /// Those with a value in the same argument, or none.
    pub(super) joined: &'static str,
    /// Those with a number, or nothing.
    pub(super) numbers: &'static str,
    /// Long options, by their whole names, with blanks between them: `all`, `message=` with a text, `file=<` with a file, `exec=:` with something else,
    /// `pretty=?` with a text behind `=` or none, `after=#` with a number or nothing, `arg=&` with a name and a text,
    /// `rawfile=&<` with a name and a file.
    pub(super) long: &'static str,
    /// What the operands are.
    pub(super) rest: Rest,
    /// Short options that give the pattern.
    pub(super) given_by: &'static str,
    /// The same, long.
    pub(super) long_given_by: &'static [&'static str],
    /// Short options with which it tells no more than names.
    pub(super) listing: &'static str,
    /// The same, long.
    pub(super) long_listing: &'static str,
    /// Options, without their dashes, of which one must be there for that.
    pub(super) needs: &'static [&'static str],
    /// Whether `-5` is an option.
    pub(super) numbered: bool,
    /// Whether the options end at the first operand.
    pub(super) stops: bool,
}

/// What operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Not told.
    Open,
    /// A pattern, and then what is not told.
    Pattern,
    /// One that is not told, and then texts.
    Behind,
    /// Texts.
    Texts,
    /// Names of files that are neither read nor given away, if all its options are known.
    Names,
    /// The same, if all of them are such that it tells no more than names.
    Listing,
}

pub(super) const NONE: Row = Row {
    names: &[],
    commands: &[],
    flags: "",
    texts: "",
    files: "",
    others: "",
    joined: "",
    numbers: "",
    long: "",
    rest: Rest::Open,
    given_by: "",
    long_given_by: &[],
    listing: "",
    long_listing: "",
    needs: &[],
    numbered: false,
    stops: false,
};

impl Row {
    pub(super) fn short(&self, letter: char) -> Option<Takes> {
        let kinds = [
            (self.flags, Takes::Nothing),
            (self.texts, Takes::Text),
            (self.files, Takes::File),
            (self.others, Takes::Other),
            (self.joined, Takes::Joined),
            (self.numbers, Takes::Number),
        ];
        kinds
            .iter()
            .find(|(own, _)| own.contains(letter))
            .map(|(_, takes)| *takes)
    }

    pub(super) fn long(&self, name: &str) -> Option<Takes> {
        let sign = |own: &'static str| {
            own.strip_prefix(name)
                .filter(|sign| sign.is_empty() || sign.starts_with('='))
        };
        let sign = self.long.split_whitespace().find_map(sign)?;
        Some(match sign {
            "" => Takes::Nothing,
            "=<" => Takes::File,
            "=:" => Takes::Other,
            "=?" => Takes::Joined,
            "=#" => Takes::Number,
            "=&" => Takes::Pair,
            "=&<" => Takes::PairedFile,
            _ => Takes::Text,
        })
    }

    /// Whether with these options it tells no more than names.
    pub(super) fn lists(&self, letters: &str, long: &[&str]) -> bool {
        let is_in = |options: &str, name: &str| {
            options
                .split_whitespace()
                .any(|own| own.split('=').next() == Some(name))
        };
        let needed = |need: &&str| long.contains(need) || need.len() == 1 && letters.contains(*need);
        let lists = match self.rest {
            Rest::Listing => {
                letters.chars().all(|letter| self.listing.contains(letter))
                    && long.iter().all(|name| is_in(self.long_listing, name))
            }
            _ => long.iter().all(|name| is_in(self.long, name)),
        };
        lists && (self.needs.is_empty() || self.needs.iter().any(needed))
    }
}

/// The row of a program. `first` is its first argument.
pub(super) fn of(name: &str, first: &str) -> Option<&'static Row> {
    ROWS.iter()
        .find(|row| row.names.contains(&name) && (row.commands.is_empty() || row.commands.contains(&first)))
}

const ROWS: &[Row] = &[
    Row {
        names: &["ag"],
        flags: "acDfFhHiLlnoQqRrSsuUvVwz0",
        texts: "gGm",
        files: "p",
        numbers: "ABCW",
        long: "after=# all-text all-types before=# break case-sensitive cc color column context=# count cpp css depth= \
            file-search-regex= filename files-with-matches files-without-matches follow go group heading hidden html ignore= \
            ignore-case ignore-dir= invert-match java js json literal markdown max-count= multiline nobreak nocolor \
            nofilename nogroup noheading nomultiline nonumbers norecurse null numbers one-device only-matching pager=: \
            passthrough path-to-ignore=< perl php print-long-lines print0 python recurse ruby rust search-binary \
            search-files search-zip shell silent skip-vcs-ignores smart-case stats ts unrestricted vimgrep width=# \
            word-regexp workers= yaml",
        rest: Rest::Pattern,
        given_by: "g",
        ..NONE
    },
    Row {
        names: &["ack", "ack-grep"],
        flags: "acfghHilLnovqQrRsSwkI1",
        texts: "mtT",
        numbers: "ABC",
        long: "after-context=# before-context=# break cc color column context=# count cpp css files-from=< files-with-matches \
            files-without-matches flush follow go group heading html ignore-case ignore-dir= ignore-directory= ignore-file= \
            invert-match java js json literal markdown match= max-count= no-filename no-recurse nobreak nocolor nofilter \
            nofollow nogroup noheading nopager output=: pager=: passthru perl php print0 python range-end= range-start= \
            recurse ruby rust shell show-types smart-case sort-files ts type= with-filename word-regexp yaml",
        rest: Rest::Pattern,
        given_by: "f",
        long_given_by: &["match"],
        ..NONE
    },
    Row {
        names: &["rg"],
        flags: "b",
        long: "auto-hybrid-regex binary block-buffered byte-offset context-separator= count-matches crlf debug dfa-size-limit= \
            encoding= engine= field-context-separator= field-match-separator= files-without-match glob-case-insensitive \
            hyperlink-format= ignore-file=< ignore-file-case-insensitive include-zero invert-match line-buffered \
            max-columns-preview max-filesize= mmap multiline-dotall no-config no-ignore-dot no-ignore-exclude \
            no-ignore-files no-ignore-global no-ignore-messages no-ignore-parent no-ignore-vcs no-messages no-mmap \
            no-require-git no-unicode null-data one-file-system path-separator= pre=: pre-glob= regex-size-limit= search-zip \
            stop-on-nonmatch threads= trace type-add= type-clear= unrestricted",
        ..NONE
    },
    Row {
        names: &["jq"],
        flags: "fhS",
        others: "L",
        long: "arg=& argjson=& from-file rawfile=&< seq slurpfile=&< stream stream-errors unbuffered",
        given_by: "f",
        long_given_by: &["from-file"],
        ..NONE
    },
    Row {
        names: &["tar", "gtar"],
        flags: "AcdrtuxjJzZakmnopSvwWOPRlhiUBGM",
        others: "bCfFgHIKLNTVX",
        long: "absolute-names add-file=: after-date=: anchored append atime-preserve=? auto-compress block-number \
            blocking-factor=: bzip2 catenate check-links checkpoint=? checkpoint-action=: compare compress concatenate \
            create delay-directory-restore delete dereference diff directory=: exclude= exclude-backups exclude-caches \
            exclude-caches-all exclude-caches-under exclude-from=: exclude-ignore= exclude-ignore-recursive= exclude-tag= \
            exclude-tag-all= exclude-tag-under= exclude-vcs exclude-vcs-ignores extract file=: files-from=: force-local \
            format= full-time get group= gunzip gzip hard-dereference ignore-case ignore-command-error ignore-failed-read \
            ignore-zeros index-file=: info-script=: interactive keep-newer-files keep-old-files label= level= list \
            listed-incremental=: lzip lzma mode= mtime=: newer=: no-anchored no-ignore-case no-null no-recursion \
            no-same-owner no-same-permissions no-wildcards null numeric-owner occurrence=? one-file-system overwrite owner= \
            preserve-permissions recursion remove-files same-owner same-permissions show-omitted-dirs show-transformed-names \
            skip-old-files sort= sparse starting-file=: strip-components= suffix= to-command=: to-stdout totals=? touch \
            transform=: ungzip unlink-first update use-compress-program=: utc verbose verify volno-file=: warning= wildcards \
            wildcards-match-slash xform=: xz zstd",
        ..NONE
    },
    Row {
        names: &["rsync"],
        flags: "vqcaRrubdlLkKHpEAXogDtOJSnWxzhPiy0CUN468sF",
        others: "BefTM@",
        long: "8-bit-output acls address=: append append-verify archive backup backup-dir=: block-size= bwlimit= checksum \
            chmod= chown= compare-dest=: compress compress-level= contimeout= copy-dest=: copy-links copy-unsafe-links \
            cvs-exclude debug= del delay-updates delete delete-after delete-before delete-delay delete-during \
            delete-excluded devices dirs dry-run exclude= exclude-from=: executability existing files-from=: filter=: force \
            from0 fuzzy group hard-links human-readable ignore-errors ignore-existing ignore-times include= include-from=: \
            info= inplace itemize-changes keep-dirlinks link-dest=: links list-only log-file=: log-file-format= max-delete= \
            max-size= min-size= mkpath modify-window= no-motd numeric-ids omit-dir-times one-file-system out-format= owner \
            partial partial-dir=: password-file=: perms port= progress protect-args prune-empty-dirs quiet recursive \
            relative remote-option=: remove-source-files rsh=: rsync-path=: safe-links size-only skip-compress= sparse \
            specials stats suffix= temp-dir=: timeout= times update verbose whole-file xattrs",
        ..NONE
    },
    Row {
        names: &["gh"],
        commands: &["search"],
        flags: "w",
        texts: "Lqt",
        others: "R",
        long: OPTIONS_OF_GH,
        rest: Rest::Texts,
        ..NONE
    },
    Row {
        names: &["gh"],
        commands: &["issue", "label", "pr"],
        flags: "fw",
        texts: "AbBHlLpqSt",
        files: "FT",
        others: "R",
        long: OPTIONS_OF_GH,
        ..NONE
    },
    Row {
        names: &["gh"],
        commands: &["release"],
        flags: "dp",
        texts: "Lnqt",
        files: "F",
        others: "R",
        long: OPTIONS_OF_GH,
        ..NONE
    },
];

const OPTIONS_OF_GH: &str = "add-assignee= add-label= add-project= add-reviewer= admin app= approve archived=? assignee= author= auto base= \
    body= body-file=< closed= color= commenter= comments created= delete-branch description= discussion-category= \
    draft event= extension= filename= fill fill-first fill-verbose force generate-notes head= involves= jq= json= \
    label= language= latest limit= locked match= mention= mentions= merged-at= milestone= name= no-maintainer-edit \
    notes= notes-file=< order= owner= prerelease project= reason= remove-assignee= remove-label= remove-project= \
    remove-reviewer= repo=: request-changes review-requested= reviewer= search= size= sort= squash state= subject= \
    target= title= updated= verify-tag visibility= web";
