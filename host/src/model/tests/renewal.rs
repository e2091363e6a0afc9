//! Exchanging what is configured while it is in use, and rules that send questions elsewhere.

use std::sync::Arc;

use super::server::{Deed, Server, answer, nobody};
use super::{bounds, endpoint, request, with_key};
use crate::config::{ModelConfig, ProviderConfig, SelectRule};
use crate::model::{Cascade, ModelRequest, Role, Route};

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
