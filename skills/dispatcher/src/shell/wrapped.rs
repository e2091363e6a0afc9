//! Where the command of a wrapper begins. What the options of the usual ones take is known, by their manuals: GNU coreutils,
//! findutils, time and parallel, util-linux, procps, sudo, doas, strace, ltrace, expect, systemd, polkit and bash.
//! All of them take what follows their first operand as it stands. Those that read a script or a user's name there, as su and
//! ssh do, are not among them.

use super::hidden::Invocation;
use super::programs;
use super::word::Field;

/// What is known of one wrapper's own arguments.
#[derive(Clone, Copy, Debug)]
struct Row {
    names: &'static [&'static str],
    /// Short options without a value.
    flags: &'static str,
    /// Short options with a value, in the same argument or the next.
    values: &'static str,
    /// Short options with a value in the same argument, or none.
    optional: &'static str,
    /// Long options, with blanks between them. With `=` at the end their value may stand in the next argument, with `=?` only behind `=`.
    long: &'static str,
    /// How many operands stand before the command.
    operands: usize,
    /// Whether variables may be set before it.
    assigns: bool,
    /// Whether `-5` is an option.
    numbers: bool,
}

const NONE: Row = Row {
    names: &[],
    flags: "",
    values: "",
    optional: "",
    long: "",
    operands: 0,
    assigns: false,
    numbers: false,
};

const fn row(names: &'static [&'static str], flags: &'static str, values: &'static str) -> Row {
    Row {
        names,
        flags,
        values,
        ..NONE
    }
}

/// The table.
const ROWS: &[Row] = &[
    row(&["builtin", "busybox", "nohup", "toybox"], "", ""),
    row(&["command"], "p", ""),
    row(&["exec"], "cl", "a"),
    row(&["doas"], "Ln", "Cu"),
    row(&["fakeroot"], "u", "bils"),
    row(&["ltrace"], "bcCfiLrStT", "aAdeFlnopsuwxX"),
    row(&["unbuffer"], "p", ""),
    Row {
        long: "append format= output= portability quiet verbose",
        ..row(&["time"], "apqv", "fo")
    },
    Row {
        long: "ctty fork wait",
        ..row(&["setsid"], "cfw", "")
    },
    Row {
        long: "adjustment=",
        numbers: true,
        ..row(&["nice"], "", "n")
    },
    Row {
        long: "class= classdata= ignore",
        ..row(&["ionice"], "t", "cn")
    },
    Row {
        long: "error= input= output=",
        ..row(&["stdbuf"], "", "eio")
    },
    Row {
        long: "foreground kill-after= preserve-status signal= verbose",
        operands: 1,
        ..row(&["timeout"], "v", "ks")
    },
    Row {
        long: "argv0= block-signal=? chdir= debug default-signal=? ignore-environment ignore-signal=? list-signal-handling \
                null unset=",
        assigns: true,
        ..row(&["env"], "0iv", "aCu")
    },
    Row {
        long: "askpass background bell chdir= chroot= close-from= command-timeout= group= login no-update non-interactive \
                preserve-env=? preserve-groups prompt= reset-timestamp role= set-home shell stdin \
               type= user=",
        assigns: true,
        ..row(&["sudo"], "AbBEHiknNPsS", "CDgprRtTu")
    },
    Row {
        optional: "eil",
        long: "arg-file= delimiter= eof=? exit interactive max-args= max-chars= max-lines=? max-procs= no-run-if-empty \
                null open-tty process-slot-var= replace=? show-limits verbose",
        ..row(&["xargs"], "0oprtx", "adEILnPs")
    },
    Row {
        long: "follow-forks output= string-limit= summary summary-only trace=",
        ..row(&["strace"], "cCdDfFiknNqrtTvwxyYzZ", "abeEIoOpPsSuUX")
    },
    Row {
        long: "all-tasks batch deadline ext fifo idle other reset-on-fork rr sched-deadline= sched-period= \
               sched-runtime= verbose",
        operands: 1,
        ..row(&["chrt"], "abdefiorRv", "DPT")
    },
    Row {
        long: "all-tasks cpu-list",
        operands: 1,
        ..row(&["taskset"], "ac", "")
    },
    Row {
        long: "close conflict-exit-code= exclusive nb no-fork nonblock shared timeout= unlock verbose wait=",
        operands: 1,
        ..row(&["flock"], "eFnosux", "Ew")
    },
    Row {
        optional: "d",
        long: "beep chgexit color differences=? equexit= errexit exec interval= no-title no-wrap precise",
        ..row(&["watch"], "bcCefgprtwx", "nqs")
    },
    Row {
        long: "bar colsep= delay= dry-run eta group halt= jobs= joblog= keep-order line-buffer max-args= no-notice \
                no-run-if-empty null progress quote results= retries= tag timeout= ungroup verbose \
               will-cite",
        ..row(&["parallel"], "0kmqrtuvX", "aCIjLnNP")
    },
    Row {
        long: "cgroup=? fork ipc=? keep-caps kill-child=? map-auto map-current-user map-group= map-root-user \
               map-user= mount=? mount-proc=? net=? pid=? propagation= root= setgid= setgroups= setuid= time=? \
               user=? uts=? wd=",
        ..row(&["unshare"], "cCfimnprTuU", "GRSw")
    },
    Row {
        optional: "CimnprTuUwW",
        long: "all target=",
        ..row(&["nsenter"], "aFZ", "GSt")
    },
    Row {
        long: "groups= skip-chdir userspec=",
        operands: 1,
        ..row(&["chroot"], "", "")
    },
    Row {
        long: "disable-internal-agent user=",
        ..row(&["pkexec"], "", "")
    },
    Row {
        long: "collect description= gid= no-block pipe property= pty quiet same-dir scope service-type= setenv= \
               slice= system uid= unit= user wait working-directory=",
        ..row(&["systemd-run"], "dGPqt", "Epu")
    },
];

/// Whether the wrapper `name` is in the table.
pub(super) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Where the command of a wrapper may begin: where all that stands before it is known, there. Otherwise at the first argument
/// that surely begins one, or, where that may be what the option before it takes, at the next one too. And the one that is sure.
pub(super) fn starts(fields: &[Field]) -> (Vec<usize>, Option<usize>) {
    let own = fields.first().and_then(|field| find(field.text.rsplit('/').next()?));
    let begins = |at: usize| fields.get(at..).is_some_and(|rest| Invocation::of(rest).does.is_some());
    if let Some(at) = own.and_then(|own| own.start(fields)).filter(|at| begins(*at)) {
        return (vec![at], Some(at));
    }
    let names_user = fields
        .first()
        .is_some_and(|field| field.text.ends_with("su") || field.text.ends_with("runuser"));
    // What stands before the command may be named as a program is.
    guessed(fields, own.is_some_and(|own| own.operands > 0), names_user)
}

/// Of programs for containers, where the command may begin that runs in one; `None` of any other program. Source: docs.docker.com,
/// docker; kubernetes.io, kubectl.
pub(super) fn in_container(invocation: &Invocation<'_>) -> Option<(Vec<usize>, Option<usize>)> {
    let verbs: &[&str] = match invocation.name.as_ref() {
        "docker" | "podman" | "nerdctl" => &["create", "debug", "exec", "run", "ssh", "unshare"],
        "kubectl" | "oc" => &["debug", "exec", "rsh", "run"],
        _ => return None,
    };
    let fields = invocation.fields;
    let is_verb = |field: &Field| !field.is_known() || field.glob || verbs.contains(&field.text.as_str());
    let Some(at) = fields.iter().skip(1).position(is_verb).map(|at| at + 1) else {
        return Some((Vec::new(), None));
    };
    let dashes = fields
        .iter()
        .position(|field| field.text == "--")
        .filter(|dashes| *dashes > at);
    if let Some(dashes) = dashes.filter(|dashes| dashes + 1 < fields.len()) {
        return Some((vec![dashes + 1], Some(dashes + 1)));
    }
    let (found, sure) = guessed(&fields[at..], true, false);
    Some((
        found.into_iter().map(|start| start + at).collect(),
        sure.map(|start| start + at),
    ))
}

/// At the first argument that surely begins one, or, where that may be what the option before it takes, at the next one too.
fn guessed(fields: &[Field], mut after_option: bool, names_user: bool) -> (Vec<usize>, Option<usize>) {
    let begins = |at: usize| fields.get(at..).is_some_and(|rest| Invocation::of(rest).does.is_some());
    let mut found = Vec::new();
    for (at, field) in fields.iter().enumerate().skip(1) {
        let is_option = field.text.starts_with('-') && field.text != "-";
        if !is_option && begins(at) {
            found.push(at);
            if !after_option && !names_user {
                return (found, Some(at));
            }
            if found.len() > 2 {
                break;
            }
        }
        after_option = is_option && !field.text.contains('=');
    }
    (found, None)
}

fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.names.contains(&name))
}

impl Row {
    /// Where the command begins, if all before it is known.
    fn start(&self, fields: &[Field]) -> Option<usize> {
        let known = |at: usize| fields.get(at).filter(|field| field.is_known() && !field.glob);
        let mut at = 1;
        loop {
            let text = known(at)?.text.as_str();
            if text == "--" {
                at += 1;
                break;
            }
            if !text.starts_with('-') {
                break;
            }
            if self.takes_next(text)? {
                at += 1;
                known(at)?;
            }
            at += 1;
        }
        while self.assigns && known(at)?.text.contains('=') {
            at += 1;
        }
        for _ in 0..self.operands {
            // Some versions take none, or not with each option: then a program there is the command.
            known(at).filter(|field| programs::lookup(&field.text).is_none())?;
            at += 1;
        }
        // There another option may stand, as that of flock behind its file.
        (!fields.get(at)?.text.starts_with('-')).then_some(at)
    }

    /// Whether an option's value is the next argument. `None` if the option is not known.
    fn takes_next(&self, option: &str) -> Option<bool> {
        let letters = option.strip_prefix('-')?;
        let number = letters.strip_prefix(['-', '+']).unwrap_or(letters);
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if self.numbers && is_number || letters.is_empty() && self.assigns {
            return Some(false);
        }
        if let Some(long) = letters.strip_prefix("-") {
            return self.long_takes_next(long);
        }
        if letters.is_empty() {
            return None;
        }
        for (at, letter) in letters.char_indices() {
            if self.optional.contains(letter) {
                return Some(false);
            }
            if self.values.contains(letter) {
                return Some(at + letter.len_utf8() == letters.len());
            }
            if !self.flags.contains(letter) {
                return None;
            }
        }
        Some(false)
    }

    fn long_takes_next(&self, option: &str) -> Option<bool> {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let own = self.long.split(' ').find(|own| own.split('=').next() == Some(name))?;
        match own.find('=').map(|at| &own[at..]) {
            None => value.is_none().then_some(false),
            Some("=") => Some(value.is_none()),
            Some(_) => Some(false),
        }
    }
}
