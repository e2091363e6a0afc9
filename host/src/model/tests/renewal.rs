//! Exchanging what is configured while it is in use, and rules that send questions elsewhere.

use std::sync::Arc;

use super::server::{Deed, Server, answer, nobody};
use super::{bounds, endpoint, request, with_key};
use crate::config::{Config, Home, ModelConfig, ProviderConfig, SelectRule};
use crate::model::{Cascade, ModelRequest, Role, Route, known};

fn named(names: &[&str], providers: &[(&str, ProviderConfig)]) -> ModelConfig {
    ModelConfig {
        cascade: names.iter().map(|name| (*name).to_owned()).collect(),
        providers: providers
            .iter()
            .map(|(name, own)| ((*name).to_owned(), own.clone()))
            .collect(),
        ..bounds()
    }
}

#[tokio::test]
async fn the_next_question_goes_to_whom_the_new_configuration_names() {
    let (one, two) = (
        Server::start([Deed::Send(answer("one"))]).await,
        Server::start([Deed::Send(answer("two"))]).await,
    );
    let providers = [("one", endpoint(&one.base_url)), ("two", endpoint(&two.base_url))];
    let (cascade, _) = Cascade::from_config(&named(&["one"], &providers));
    assert_eq!(cascade.ask(&request()).await.unwrap().text, "one");
    assert_eq!(cascade.renew(&named(&["two", "one"], &providers), &[]), Ok(Vec::new()));
    assert_eq!(cascade.names(), ["two", "one"]);
    assert_eq!(cascade.ask(&request()).await.unwrap().text, "two");
}

#[tokio::test]
async fn a_provider_that_stays_the_same_keeps_what_is_remembered_of_it() {
    let works = Server::start([Deed::Send(answer("here"))]).await;
    let dead = nobody().await;
    let own = [
        ("dead", endpoint(&dead)),
        ("works", with_key(&works.base_url, "sk-one-one-one")),
    ];
    let (cascade, _) = Cascade::from_config(&named(&["dead", "works"], &own));
    for _ in 0..3 {
        cascade.ask(&request()).await.unwrap();
    }
    let changed = [own[0].clone(), ("works", with_key(&works.base_url, "sk-two-two-two"))];
    cascade.renew(&named(&["works", "dead"], &changed), &[]).unwrap();
    let status = cascade.status();
    let counts: Vec<(&str, u64, u64)> = status
        .iter()
        .map(|own| (own.name.as_str(), own.answers, own.failures))
        .collect();
    assert_eq!(
        counts,
        [("works", 0, 0), ("dead", 0, 3)],
        "another key makes another provider"
    );
    assert!(matches!(status[1].state, crate::model::ProviderState::Resting { .. }));
    cascade.ask(&request()).await.unwrap();
    assert_eq!(
        works.seen().last().unwrap().header("authorization"),
        Some("Bearer sk-two-two-two")
    );
}

#[tokio::test]
async fn a_script_goes_on_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answers");
    std::fs::write(&file, "first\n---\nsecond").unwrap();
    let script = format!("script:{}", file.display());
    let (cascade, _) = Cascade::from_config(&named(&[&script], &[]));
    assert_eq!(cascade.ask(&request()).await.unwrap().text, "first");
    cascade.renew(&named(&[&script, "offline"], &[]), &[]).unwrap();
    assert_eq!(cascade.ask(&request()).await.unwrap().text, "second");
}

#[tokio::test]
async fn what_can_not_be_used_changes_nothing_unless_it_was_so_before() {
    let (cascade, faults) = Cascade::from_config(&named(&["olama", "offline"], &[]));
    let refused = cascade.renew(&named(&["mine"], &[]), &faults).unwrap_err();
    assert!(refused[0].to_string().contains("no provider `mine`"), "{}", refused[0]);
    assert_eq!(cascade.names(), ["olama", "offline"]);
    assert_eq!(
        cascade.renew(&named(&["offline", "olama"], &[]), &faults),
        Ok(faults.clone())
    );
    assert_eq!(cascade.names(), ["offline", "olama"]);
}

#[tokio::test]
async fn who_is_being_asked_goes_on_while_the_configuration_changes() {
    let slow = Server::start([Deed::Silence]).await;
    let (cascade, _) = Cascade::from_config(&named(&["slow"], &[("slow", endpoint(&slow.base_url))]));
    let cascade = Arc::new(cascade);
    let asking = tokio::spawn({
        let cascade = cascade.clone();
        async move { cascade.ask(&request()).await }
    });
    while slow.requests() == 0 {
        tokio::task::yield_now().await;
    }
    cascade.renew(&named(&["offline"], &[]), &[]).unwrap();
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "offline");
    assert!(!asking.is_finished(), "nobody has taken its connection away");
    asking.abort();
}

#[tokio::test]
async fn that_nobody_answered_is_over_once_somebody_else_is_asked_or_the_same_otherwise() {
    let dead = nobody().await;
    let own = [("dead", endpoint(&dead)), ("other", endpoint(&dead))];
    let exhausted = async |change: &dyn Fn(&mut ModelConfig)| {
        let mut config = named(&["dead"], &own);
        let (cascade, _) = Cascade::from_config(&config);
        cascade.ask(&request()).await.unwrap_err();
        assert!(cascade.is_exhausted());
        change(&mut config);
        cascade.renew(&config, &[]).unwrap();
        cascade.is_exhausted()
    };
    assert!(
        !exhausted(&|config| drop(
            config
                .providers
                .insert("dead".to_owned(), with_key(&dead, "sk-new-new"))
        ))
        .await
    );
    assert!(!exhausted(&|config| config.cascade.push("other".to_owned())).await);
    assert!(!exhausted(&|config| config.first_byte_timeout *= 2).await);
    assert!(!exhausted(&|config| config.total_timeout *= 2).await);
    // What leaves those who failed as they were proves nothing.
    assert!(exhausted(&|_| ()).await);
    assert!(exhausted(&|config| drop(config.providers.remove("other"))).await);
    assert!(exhausted(&|config| config.consulted.push("other".to_owned())).await);
}

#[test]
fn a_fault_is_told_by_its_line_and_is_the_same_one_at_another() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    let home = Home::find(&|name| (name == "PASSEPARTOUT_HOME").then(|| root.clone()), None).unwrap();
    std::fs::create_dir_all(&home.config).unwrap();
    let load = |text: &str, process: &[(&str, &str)]| {
        std::fs::write(home.config.join("config.toml"), text).unwrap();
        let process = process
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let (mut config, _) = Config::load(home.clone(), &process.collect());
        known::complete(
            &mut config.model,
            &known::Keys {
                variable: &|_| None,
                vault: &|_| None,
            },
        );
        assert_eq!(config.faults, []);
        config.model
    };
    let text = "[model]\ncascade = [\n  \"olama\", \"bare\", \"odd\", \"script:/none\", \"offline\",\n]\n\
                [providers.bare]\nbase_url = \"http://127.0.0.1:1/v1\"\n\
                [providers.odd]\nmodel = \"m\"\nbase_url = \"127.0.0.1:1/v1\"\n\
                [select.empty]\nsensor = \"heartbeat\"\n[select.slip]\ncascade = [\"opennai\"]\n\
                [consensus]\nproviders = [\"nobody\"]\n";
    let (cascade, faults) = Cascade::from_config(&load(text, &[]));
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let file = home.config.join("config.toml").display().to_string();
    for (line, said) in [
        (2, "model.cascade: there is no provider `olama`"),
        (5, "providers.bare.model: no model is named"),
        (
            9,
            "providers.odd.base_url: `base_url` has no http:// or https:// in front",
        ),
        (2, "model.cascade: `script:/none`: "),
        (10, "select.empty: it names no provider"),
        (13, "select.slip.cascade: there is no provider `opennai`"),
        (15, "consensus.providers: there is no provider `nobody`"),
    ] {
        let whole = format!("{file} line {line}: {said}");
        assert!(told.iter().any(|own| own.starts_with(&whole)), "{whole}: {told:#?}");
    }
    assert_eq!(told.len(), 7, "{told:#?}");
    // What is above it moves a fault, and makes no other one of it.
    let renewed = cascade.renew(&load(&format!("\n\n{text}"), &[]), &faults).unwrap();
    assert!(renewed[0].to_string().contains(" line 4: "), "{}", renewed[0]);
    // What a variable says stands in no line.
    let (_, faults) = Cascade::from_config(&load(text, &[("PROVIDER_CASCADE", "grok")]));
    assert!(
        faults[0]
            .to_string()
            .starts_with("PROVIDER_CASCADE: there is no provider `grok`"),
        "{}",
        faults[0]
    );
}

fn about(sensor: &str, skill: Option<&str>, bytes: usize) -> ModelRequest {
    ModelRequest {
        route: Route {
            sensor: sensor.to_owned(),
            skill: skill.map(str::to_owned),
        },
        ..super::said(Role::User, &"a".repeat(bytes))
    }
}

#[tokio::test]
async fn the_first_rule_that_holds_says_who_is_asked_and_nobody_else_is() {
    let mut servers = Vec::new();
    let mut providers = Vec::new();
    let names = ["usual", "long", "beats", "notes"];
    for name in names {
        let server = Server::start([Deed::Send(answer(name))]).await;
        providers.push((name, endpoint(&server.base_url)));
        servers.push(server);
    }
    let dead = nobody().await;
    providers.push(("dead", endpoint(&dead)));
    let mut config = named(&["usual"], &providers);
    let rule = |cascade: &[&str]| SelectRule {
        cascade: cascade.iter().map(|name| (*name).to_owned()).collect(),
        ..SelectRule::default()
    };
    config.select.extend([
        (
            "a-beats".to_owned(),
            SelectRule {
                sensor: Some("HEARTBEAT".to_owned()),
                ..rule(&["dead", "beats"])
            },
        ),
        (
            "b-notes".to_owned(),
            SelectRule {
                skill: Some("notes".to_owned()),
                longer_than_bytes: Some(100),
                ..rule(&["notes"])
            },
        ),
        (
            "c-long".to_owned(),
            SelectRule {
                longer_than_bytes: Some(1_000),
                ..rule(&["long"])
            },
        ),
        (
            "d-private".to_owned(),
            SelectRule {
                skill: Some("private".to_owned()),
                ..rule(&["dead"])
            },
        ),
    ]);
    let (cascade, faults) = Cascade::from_config(&config);
    assert!(faults.is_empty(), "{faults:?}");
    for (request, wanted) in [
        (about("USER-INPUT", None, 10), "usual"),
        (about("HEARTBEAT", None, 5_000), "beats"),
        (about("USER-INPUT", Some("notes"), 10), "usual"),
        (about("USER-INPUT", Some("notes"), 200), "notes"),
        (about("USER-INPUT", Some("notes"), 5_000), "notes"),
        (about("USER-INPUT", None, 5_000), "long"),
    ] {
        assert_eq!(cascade.ask(&request).await.unwrap().text, wanted, "{:?}", request.route);
    }
    let before: usize = servers.iter().map(Server::requests).sum();
    let error = cascade
        .ask(&about("USER-INPUT", Some("private"), 10))
        .await
        .unwrap_err();
    assert_eq!(error.cascade, ["dead"]);
    assert_eq!(servers.iter().map(Server::requests).sum::<usize>(), before);
    assert_eq!(
        cascade.status().len(),
        5,
        "each provider has one place, whatever rules name it"
    );
}

#[test]
fn a_rule_without_providers_is_a_fault_and_counts_for_nothing() {
    let mut config = named(&["offline"], &[]);
    config.select.insert("empty".to_owned(), SelectRule::default());
    let other = SelectRule {
        cascade: vec!["olama".to_owned()],
        ..SelectRule::default()
    };
    config.select.insert("slip".to_owned(), other);
    let (cascade, faults) = Cascade::from_config(&config);
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(
        told[0].contains("select.slip.cascade: there is no provider `olama`"),
        "{told:?}"
    );
    assert!(told[1].contains("select.empty: it names no provider"), "{told:?}");
    assert_eq!(cascade.names(), ["offline"]);
}
