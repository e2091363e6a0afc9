//! What the loader would say of a file, all of it and not only the first thing: `skill check`.
//!
//! Nothing here decides what is loaded. Each finding comes from the check that the loader makes, and a test holds the
//! outcome against the loader's. One thing is told more strictly: a claim that another skill has is a fault here, also
//! where the order of names would give it to this one.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Bundled, LoadFault, Workshop, takes_your_word};
use crate::capability::http::Reach;
use crate::capability::{PACKAGE, PACKAGE_VERSION, Purpose};
use crate::sexp::Digest;
use crate::skill::aimless::{aimless, deaf};
use crate::skill::component::Code;
use crate::skill::describe::{Description, Function, is_name, name_of_stem};
use crate::skill::grants::Grants;
use crate::skill::idle::idle;
use crate::skill::inspect::{Anatomy, FileFault, Sizes, Survey};
use crate::skill::loaded::Source;
use crate::skill::registry::SkillSet;
use crate::skill::report::{Mark, Report};
use crate::skill::right::{self, Needs};
use crate::skill::status::SkillState;
use crate::skill::{order, settle};

impl Workshop {
    /// Looks at the file `path`, which holds `bytes`, as the loader would, beside the skills of `set`.
    pub fn check(&self, path: &Path, bytes: &[u8], bundled: &[Bundled], grants: &Grants, set: &SkillSet) -> Report {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut report = Report {
            name: name_of_stem(&stem),
            file: path.display().to_string(),
            anatomy: None,
            description: None,
            rights: Vec::new(),
            beyond: Vec::new(),
            open: Vec::new(),
            replaces: None,
            findings: Vec::new(),
        };
        self.check_form(&mut report, bytes);
        let is_whole = report.state() == SkillState::Ready;
        if let Some(anatomy) = report.anatomy.clone().filter(|_| is_whole) {
            self.check_words(&mut report, bytes, &anatomy);
        } else if report.anatomy.is_some() {
            report.find("describe", Mark::Note, "not asked, because of the faults above");
        }
        check_name(&mut report, &stem);
        self.check_rights(&mut report, grants);
        self.check_place(&mut report, bundled, grants, set);
        report
    }

    /// What can be read off the file.
    fn check_form(&self, report: &mut Report, bytes: &[u8]) {
        let limits = self.limits_of(&report.name);
        let digest = Digest::of_file(bytes);
        let surveyed = self.survey(bytes, &digest, &Sizes::of(&limits), self.compile_time());
        let Survey { anatomy, faults } = match surveyed {
            Ok(survey) => survey,
            Err(fault) => return report.find("file", Mark::Fault, fault.to_string()),
        };
        if let Some(anatomy) = &anatomy {
            let text = format!(
                "a component of {} bytes; {} are allowed",
                anatomy.size,
                bytes_of(limits.file)
            );
            report.find("file", Mark::Fine, text);
        }
        for fault in &faults {
            report.find(subject(fault), Mark::Fault, fault.to_string());
        }
        let Some(anatomy) = anatomy else { return };
        let lacks = |about: &str| faults.iter().any(|fault| subject(fault) == about);
        if !lacks("package") && !lacks("exports") {
            report.find("package", Mark::Fine, format!("{PACKAGE}@{PACKAGE_VERSION}"));
            report.find("exports", Mark::Fine, anatomy.exports.join(", "));
        }
        let (wasi, own): (Vec<&str>, Vec<&str>) = anatomy
            .imports
            .iter()
            .map(String::as_str)
            .partition(|import| import.starts_with("wasi:"));
        if !lacks("imports") && !lacks("package") {
            let own = if own.is_empty() {
                "nothing of ours".to_owned()
            } else {
                own.join(", ")
            };
            report.find("imports", Mark::Fine, own);
        }
        if !wasi.is_empty() {
            let text = format!(
                "{} interfaces, linked to an empty world: no files, no network, no environment, a clock that stands \
                 still, seeded random numbers, output to the log",
                wasi.len()
            );
            report.find("wasi", Mark::Note, text);
        }
        report.anatomy = Some(anatomy);
    }

    /// What it says of itself, once it runs under its limits.
    fn check_words(&self, report: &mut Report, bytes: &[u8], anatomy: &Anatomy) {
        let tenant = self.tenant(&report.name);
        let limits = tenant.limits;
        let name = report.name.clone();
        let candidate = self.alone(&name, bytes);
        let component = match self.compile(Purpose::Pure, &candidate, anatomy) {
            Ok(component) => component,
            Err(fault) => return report.find("compile", Mark::Fault, fault.to_string()),
        };
        let description = match self.describe(&tenant, &component) {
            Ok((_, description)) => description,
            Err(fault) => return report.find("describe", Mark::Fault, fault.to_string()),
        };
        if description.acts() {
            let linked = self.compile(Purpose::Act, &candidate, anatomy).and_then(|component| {
                Code::link(&self.linkers, &component, Purpose::Act)
                    .map(drop)
                    .map_err(LoadFault::Link)
            });
            match linked {
                Ok(()) => report.find(
                    "compile",
                    Mark::Fine,
                    "compiled for what judges or tells (gate, trigger, prompt, mandate) and for what acts",
                ),
                Err(fault) => report.find("compile", Mark::Fault, fault.to_string()),
            }
        } else {
            report.find(
                "compile",
                Mark::Fine,
                "compiled for what judges or tells (gate, trigger, prompt, mandate); it has no function that acts",
            );
        }
        let text = format!(
            "{} {}, priority {}",
            description.name, description.version, description.priority
        );
        report.find("describe", Mark::Fine, text);
        for (about, text) in description.lines() {
            report.find(about, Mark::Fine, text);
        }
        for text in idle(&anatomy.interfaces(), &description) {
            report.find("reach", Mark::Note, text);
        }
        let text = format!(
            "{} of memory, {} units of fuel a gate call and {} for each byte of the action, {} ms a pure call, {} ms an \
             act and {} ms in which the host may wait for it; `limits.{}` in the configuration sets others",
            bytes_of(limits.memory),
            limits.fuel,
            limits.fuel_per_byte,
            limits.pure_ms,
            limits.act_ms,
            limits.wait_ms,
            report.name
        );
        report.find("limits", Mark::Fine, text);
        report.description = Some(description);
    }

    /// What it needs to be granted.
    fn check_rights(&self, report: &mut Report, grants: &Grants) {
        let Some(anatomy) = &report.anatomy else { return };
        if report.description.is_none() {
            // What it would say itself is not known, and so neither what it needs nor what it leaves open.
            let why = match report.findings.iter().filter(|own| own.mark == Mark::Fault).count() {
                1 => "not asked, because of the fault above",
                _ => "not asked, because of the faults above",
            };
            return report.find("rights", Mark::Note, why);
        }
        let digest = anatomy.digest;
        let granted = grants.rights_of(&report.name, &digest);
        let needs = Needs::new(&anatomy.interfaces(), report.description.as_ref());
        let (missing, open) = needs.missing(&granted);
        let has = needs.used(&granted).into_iter().map(|right| (right, true));
        let grant = right::command(&report.file, &missing, &open);
        let lacking = missing.len() + open.len();
        report.rights = has.chain(missing.into_iter().map(|right| (right, false))).collect();
        report.open = open;
        if report.rights.is_empty() && report.open.is_empty() {
            report.find("rights", Mark::Fine, "none needed");
        }
        for (right, granted) in report.rights.clone() {
            if let Some(Reach::Nothing(what) | Reach::Near(what)) = right.reach() {
                report.find("reach", Mark::Note, what);
            }
            if granted {
                report.find("rights", Mark::Fine, format!("{right}, which is granted"));
            } else {
                report.find("rights", Mark::Waits, format!("{right} is not granted"));
            }
        }
        for class in report.open.clone() {
            let text = format!(
                "{} is not granted, and it does not say how far it would reach, as `.reaches(…)` in its description would",
                class.choices()
            );
            report.find("rights", Mark::Waits, text);
        }
        // One command for all of them, with what was found last.
        if let Some(last) = report.findings.last_mut().filter(|_| lacking > 0) {
            let what = if lacking == 1 { "it" } else { "all of them" };
            last.text.push_str(&format!("; to grant {what}: {grant}"));
        }
        let beyond = needs.beyond(&granted);
        if !beyond.is_empty() {
            let text = format!(
                "{} is not granted: it can be used without, and is refused where it would need more; to grant the rest: {}",
                right::wanted(&beyond, &[]).join(", "),
                right::command(&report.file, &beyond, &[])
            );
            report.find("rights", Mark::Note, text);
        }
        report.beyond = beyond;
    }

    /// What it would meet among the others.
    fn check_place(&self, report: &mut Report, bundled: &[Bundled], grants: &Grants, set: &SkillSet) {
        let Some(digest) = report.anatomy.as_ref().map(|anatomy| anatomy.digest) else {
            return;
        };
        let is_gate = |description: &Description| description.functions.contains(&Function::Gate);
        let ends_gate = report.description.as_ref().is_some_and(|own| !is_gate(own))
            && set.gates().iter().any(|gate| gate.name() == report.name);
        report.replaces = self.needs_trust(&report.name, bundled).or(ends_gate.then_some("gate"));
        if ends_gate {
            let text = "it is no gate, and the skill of this name was one: nothing would judge in its place";
            report.find("gate", Mark::Note, text);
        }
        if let Some(what) = report.replaces {
            if grants.trusts(&report.name, &digest) {
                report.find(
                    "trust",
                    Mark::Fine,
                    match what {
                        "required" => {
                            "it is the gate that `gates.required` names, as you trust this file to be".to_owned()
                        }
                        what => format!("replaces the {what} skill, as you trust this file to"),
                    },
                );
            } else {
                let text = format!(
                    "{}: passepartout-host skill trust {}",
                    takes_your_word(what),
                    report.file
                );
                report.find("trust", Mark::Waits, text);
            }
        }
        let earlier = set.skills().iter().find(|skill| skill.name() == report.name);
        if let Some(skill) = earlier.filter(|skill| skill.source != Source::Bundled) {
            let text = if skill.digest() == digest {
                "this very file lies in the skills folder: nothing is new in it (a new build of a skill takes `--target \
                 wasm32-unknown-unknown`)"
                    .to_owned()
            } else {
                format!(
                    "version {} (digest {}) in the skills folder",
                    skill.description().version,
                    skill.digest().short()
                )
            };
            report.find("replaces", Mark::Note, text);
        }
        let Some(description) = report.description.clone() else {
            return;
        };
        let others = || set.skills().iter().filter(|skill| skill.name() != report.name);
        let mut wanted: BTreeMap<String, Vec<String>> = others()
            .map(|skill| (skill.name().to_owned(), skill.description().depends_on.clone()))
            .collect();
        wanted.insert(report.name.clone(), description.depends_on.clone());
        let judged = aimless(&description, set)
            .into_iter()
            .map(|text| ("judges", Mark::Note, text));
        let triggers = deaf(&description, false)
            .into_iter()
            .map(|text| ("triggers", Mark::Note, text));
        let mut found: Vec<(&str, Mark, String)> = judged.chain(triggers).collect();
        if let Some(fault) = order::sort(&wanted).1.remove(&report.name) {
            let fault = LoadFault::Order(fault);
            let mark = match fault.state() {
                SkillState::Waiting => Mark::Waits,
                _ => Mark::Fault,
            };
            found.push(("order", mark, fault.to_string()));
        } else if !description.depends_on.is_empty() {
            let text = format!("after {}, which is there", description.depends_on.join(", "));
            found.push(("order", Mark::Fine, text));
        }
        for other in others() {
            for what in settle::contested(other.description(), &description) {
                let owner = other.name().to_owned();
                let fault = LoadFault::Claimed { what, owner };
                found.push(("claims", Mark::Fault, fault.to_string()));
            }
        }
        for (about, mark, text) in found {
            report.find(about, mark, text);
        }
    }
}

fn check_name(report: &mut Report, stem: &str) {
    let described = report.description.as_ref().map(|description| description.name.clone());
    if !is_name(&report.name) {
        report.find("name", Mark::Fault, LoadFault::BadStem(stem.to_owned()).to_string());
    } else if let Some(described) = described.filter(|described| *described != report.name) {
        let stem = stem.to_owned();
        report.find(
            "name",
            Mark::Fault,
            LoadFault::WrongName { stem, described }.to_string(),
        );
    } else if stem != report.name {
        let text = format!(
            "the file is called `{stem}`, as cargo calls it: copy it as {0}.wasm (`skill install` does)",
            report.name
        );
        // What is no skill is not to be copied.
        if report.anatomy.is_some() {
            report.find("name", Mark::Note, text);
        }
    } else {
        report.find("name", Mark::Fine, report.name.clone());
    }
}

/// What a fault of the file is about, in one word.
fn subject(fault: &FileFault) -> &'static str {
    match fault {
        FileFault::OtherVersion { .. } => "package",
        FileFault::NoExport | FileFault::NoFunction { .. } => "exports",
        FileFault::UnknownImport { .. } => "imports",
        _ => "file",
    }
}

/// A number of bytes, in MiB where it is a whole number of them.
fn bytes_of(count: u64) -> String {
    match count >> 20 {
        mebi if mebi > 0 && mebi << 20 == count => format!("{mebi} MiB"),
        _ => format!("{count} bytes"),
    }
}
