#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::super::{Context, judge};
use super::*;
use crate::finding::{Finding, strictest};
use crate::path::{Place, Roots};
use crate::settings::Unasked;

/// What a person reads of a command, and how bad it may be; nothing if it passes.
fn asked(command: &str) -> Option<(String, Risk)> {
    let roots = Roots {
        workspace: Some(Place::absolute("/home/me/work/project")),
        private: Vec::new(),
        protected: Vec::new(),
    };
    let context = Context {
        roots: &roots,
        allowed: &[],
        unasked: Unasked::Reads,
        offline: false,
    };
    let findings = judge(command, "payload.cmd", &context).into_iter();
    // Where it would reach is told apart.
    match strictest(findings.filter(|finding| finding.rule().starts_with("shell")).collect()) {
        Some(Finding::Ask { summary, risk, .. }) => {
            // Behind the command.
            let (_, told) = summary.rsplit_once("`: ").unwrap_or(("", &summary));
            Some((told.to_owned(), risk))
        }
        Some(other) => panic!("{command} is refused: {other:?}"),
        None => None,
    }
}

fn words(command: &str) -> String {
    asked(command).unwrap_or_else(|| panic!("{command} passes")).0
}

/// What stands in a text for sure.
fn pieces(does: &str) -> Vec<&str> {
    does.split('{')
        .enumerate()
        .filter_map(|(at, piece)| match at {
            0 => Some(piece),
            _ => piece.split_once('}').map(|(_, behind)| behind),
        })
        .collect()
}

fn says(told: &str, does: &str) -> bool {
    let mut rest = told;
    let mut first = true;
    pieces(does).into_iter().map(str::trim).all(|piece| {
        let at = if first {
            rest.starts_with(piece).then_some(0)
        } else {
            rest.find(piece)
        };
        first = false;
        at.inspect(|at| rest = &rest[at + piece.len()..]).is_some()
    })
}

#[test]
fn every_example_comes_out_as_its_row_expects() {
    let mut wrong = Vec::new();
    for (command, words, does, high, is_told) in EXAMPLES {
        let asked = asked(command);
        let (told, risk) = asked.clone().unwrap_or((String::new(), Risk::Low));
        let as_expected = match (*is_told, *words) {
            (true, "") => says(&told, does),
            (true, words) => {
                told == words || told.starts_with(&format!("{words}, ")) || told.starts_with(&format!("{words}…"))
            }
            (false, _) => !says(&told, does),
        };
        if !as_expected || *is_told && *high && risk != Risk::High {
            wrong.push(format!(
                "{command}: {asked:?}, but {}{words} {does} {high}",
                if *is_told { "" } else { "not " }
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        EXAMPLES.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_example_that_is_told_asks() {
    for (command, _, does, _, is_told) in EXAMPLES {
        assert!(
            !is_told || does.is_empty() || asked(command).is_some(),
            "{command} passes"
        );
    }
}

#[test]
fn the_programs_are_sorted_so_that_every_one_is_found() {
    for pair in ACTORS.windows(2) {
        assert!(pair[0].0 < pair[1].0, "{} stands before {}", pair[0].0, pair[1].0);
    }
}

#[test]
fn what_is_lost_is_told_first_wherever_it_stands() {
    let told = words("make a && git add . && git commit -m x && git push --force origin main");
    assert!(told.starts_with("overwrites the history at origin, "), "{told}");
    let many: String = (0..20).map(|at| format!("echo x > f{at}; frob{at}; ")).collect();
    let told = words(&(many + "git reset --hard"));
    assert!(told.starts_with("throws away"), "{told}");
}

#[test]
fn no_secret_is_named() {
    let secret = "hunter2hunter2";
    for command in [
        "git push --force https://me:hunter2hunter2@git.example/x main",
        "git clone https://hunter2hunter2@git.example/x",
        "git remote set-url origin 'https://git.example/x?token=hunter2hunter2'",
        "mysql -phunter2hunter2 -e 'drop table x'",
        "mysql --password=hunter2hunter2 -e 'drop table x'",
        "psql postgres://me:hunter2hunter2@db.example/x -c 'drop table x'",
        "gh secret set NAME --body hunter2hunter2",
        "heroku config:set KEY=hunter2hunter2",
        "npm publish --otp hunter2hunter2",
        "twine upload -u me -p hunter2hunter2 dist/x",
        "docker login -p hunter2hunter2 -u me registry.example",
        "az login --service-principal --client-secret hunter2hunter2",
        "az ad sp create --credential hunter2hunter2",
        "aws secretsmanager put-secret-value --secret-string hunter2hunter2",
        "aws iam create-login-profile --user-name x --pass-code hunter2hunter2",
        "pip install https://git.example/x https://me:hunter2hunter2@git.example/y",
        "git push -f me:hunter2hunter2@git.example/x",
        "kubectl create secret generic x --from-literal=a=hunter2hunter2",
        "consul kv put a hunter2hunter2",
        "docker login -u me -p hunter2hunter2 registry.example",
    ] {
        let told = words(command);
        assert!(!told.contains(secret), "{command}: {told}");
    }
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    assert!(!words(&format!("git branch -D {token}")).contains(token));
}

#[test]
fn a_redirection_says_which_file_it_empties_or_writes() {
    for (command, told) in [
        (": > src/main.rs", "empties src/main.rs"),
        ("> src/main.rs", "empties src/main.rs"),
        ("true >| a", "empties a"),
        ("cat /dev/null > a", "empties a"),
        ("2> a", "empties a"),
        ("echo x > src/a.rs", "writes src/a.rs"),
        ("> a echo x", "writes a"),
        (": >> a", "writes a"),
        ("{ ls; } > a", "writes a"),
        ("(ls) > a 2> b", "writes a, writes b"),
        ("for x in 1; do echo $x; done > a", "writes a"),
        ("while read x; do echo $x; done < in > a", "writes a"),
        ("echo x > a\u{1b}b", "writes a<U+001B>b"),
        ("echo x > \"$(cat y)\"", "writes where only running tells"),
    ] {
        let found = words(command);
        assert!(
            found.contains(told) && found.contains("empties") == told.contains("empties"),
            "{command}: {found}"
        );
    }
    assert!(words("ls; > a").contains("empties a"));
    assert!(words("echo x > /etc/x").starts_with("outside the workspace: /etc/x, writes"));
}

#[test]
fn a_deed_is_not_told_as_a_try_by_an_option_that_is_taken_back() {
    for (command, told) in [
        (
            "git push --dry-run --no-dry-run -f origin",
            "overwrites the history at origin",
        ),
        ("git push -n --no-dry-run -f origin", "overwrites the history at origin"),
        (
            "git push --dry-run -f --no-dry origin",
            "overwrites the history at origin",
        ),
        ("git clean -n --no-dry-run -fdx", "deletes all files"),
        ("npm publish --dry-run false", "publishes the package"),
        ("npm publish --dry-run --dry-run=false", "publishes the package"),
        (
            "kubectl delete ns x --dry-run=client --dry-run=none",
            "deletes the namespace x",
        ),
        ("gh api -X GET -X DELETE repos/o/r", "deletes repos/o/r"),
        ("rsync -an --no-dry-run --delete a b", "makes b a copy, and deletes"),
    ] {
        let found = words(command);
        assert!(found.starts_with(told), "{command}: {found}");
    }
}

#[test]
fn what_a_wrapper_runs_is_told_too() {
    for (command, told) in [
        (
            "sudo -u postgres psql -c 'drop table x'",
            "drops or deletes data in a database",
        ),
        ("env A=b terraform destroy", "destroys the infrastructure"),
        ("timeout 60 gh repo delete o/r", "deletes the repository o/r"),
        (
            "echo x | xargs git push --force origin",
            "overwrites the history at origin",
        ),
        ("bash -c 'git push --force origin'", "overwrites the history at origin"),
        ("nice -n 5 kubectl delete ns prod", "deletes the namespace prod"),
    ] {
        let found = words(command);
        assert!(found.starts_with(told), "{command}: {found}");
    }
    assert!(!words("sudo echo git push --force").contains("overwrites"));
}

#[test]
fn a_program_elsewhere_or_unknown_is_no_row() {
    let told = |texts: &[&str]| {
        let fields: Vec<Field> = texts.iter().copied().map(Field::from).collect();
        told(&Invocation::of(&fields), &Command::default())
    };
    assert!(told(&["\u{FFFC}git", "push"]).is_empty());
    assert!(told(&[]).is_empty());
    assert!(told(&["git"]).is_empty());
    assert!(told(&["frobnicate", "git", "push"]).is_empty());
    assert!(told(&["npx"; 5_000]).len() <= DEEPEST);
}

#[test]
fn patterns_have_stars_at_their_ends() {
    for (pattern, text) in [
        ("delete-*", "delete-bucket"),
        ("+*", "+main"),
        ("*:*", "a:b"),
        ("PUT", "put"),
        ("*", "a"),
    ] {
        assert!(is_like(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in [
        ("delete-*", "delete-"),
        ("delete", "deletes"),
        ("*:*", ":b"),
        ("*", ""),
        ("@*", ""),
    ] {
        assert!(!is_like(pattern, text), "{pattern} {text}");
    }
}

proptest! {
    #[test]
    fn nothing_that_a_program_is_given_makes_it_fail(
        at in 0..ACTORS.len(),
        words in prop::collection::vec("-{0,2}[a-z+:@=./*é\u{FFFC}]{0,6}|push|delete|run|exec|-[a-zA-Z]{1,3}|[^a-z]{0,4}", 0..12),
    ) {
        let mut fields = vec![Field::from(ACTORS[at].0)];
        fields.extend(words.iter().map(|word| Field::from(word.as_str())));
        for Told { words: told, .. } in told(&Invocation::of(&fields), &Command::default()) {
            let braces = |text: &str| text.contains(['{', '}']);
            let is_filled = !braces(&told) || words.iter().any(|word| braces(word));
            prop_assert!(is_filled && !told.is_empty(), "{}", told);
        }
    }
}
