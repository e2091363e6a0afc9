//! From configuration and environment to a cascade: faults cost one provider, never the others.

use std::collections::BTreeMap;

use super::server::{Deed, Server, answer};
use super::{Cascade, ModelConfig, ProviderError, bounds, defaults, endpoint, request, with_key};
use crate::config::{ConfigFault, Secret};
use crate::model::{Remote, known};

/// Completes `config` from these variables and an empty vault.
fn complete(config: &mut ModelConfig, variable: &dyn Fn(&str) -> Option<String>) -> Vec<ConfigFault> {
    let vault = &|_: &str| None;
    known::complete(config, &known::Keys { variable, vault })
}

fn named(names: &[&str]) -> ModelConfig {
    ModelConfig {
        cascade: names.iter().map(|name| (*name).to_owned()).collect(),
        ..bounds()
    }
}

#[tokio::test]
async fn the_default_is_offline_and_answers() {
    let (cascade, faults) = Cascade::from_config(&defaults());
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "offline");
}

#[tokio::test]
async fn an_unknown_name_costs_that_provider_only_and_the_nearest_is_named() {
    let (cascade, faults) = Cascade::from_config(&named(&["olama", "offline"]));
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].to_string().contains("did you mean `ollama`?"),
        "{}",
        faults[0]
    );
    assert_eq!(cascade.names(), ["olama", "offline"]);
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "offline");
    let cause = cascade.status()[0].last_failure.clone().unwrap().1;
    assert!(cause.to_string().contains("no provider `olama`"), "{cause}");
}

#[tokio::test]
async fn a_name_like_no_other_gets_the_list() {
    let (_, faults) = Cascade::from_config(&named(&["qqq"]));
    assert!(
        faults[0].to_string().contains("openrouter") && faults[0].to_string().contains("script:FILE"),
        "{}",
        faults[0]
    );
}

#[test]
fn a_missing_script_and_a_provider_without_a_model_are_faults_that_say_what_to_do() {
    let (_, faults) = Cascade::from_config(&named(&["script:/nowhere/at/all", "vllm"]));
    assert!(faults[0].to_string().contains("/nowhere/at/all"), "{}", faults[0]);
    assert!(faults[1].to_string().contains("model = "), "{}", faults[1]);
}

#[test]
fn addresses_that_cannot_be_posted_to_are_faults_that_do_not_repeat_them() {
    for address in [
        "",
        "api.openai.com/v1",
        "ftp://host/v1",
        "http://user:hunter2@host/v1",
        "https://host/v1?key=hunter2",
        "http://",
        "unix:/run/hunter2",
    ] {
        let mut config = named(&["mine"]);
        config.providers.insert("mine".to_owned(), endpoint(address));
        let (_, faults) = Cascade::from_config(&config);
        assert_eq!(faults.len(), 1, "{address}");
        assert!(faults[0].to_string().contains("base_url"), "{}", faults[0]);
        assert!(!faults[0].to_string().contains("hunter2"), "{}", faults[0]);
    }
}

#[test]
fn a_key_with_a_line_break_is_a_fault_that_does_not_show_it() {
    let mut config = named(&["mine"]);
    config.providers.insert(
        "mine".to_owned(),
        with_key("http://127.0.0.1:1/v1", "sk-hunter2\nX-Evil: 1"),
    );
    let (_, faults) = Cascade::from_config(&config);
    assert!(faults[0].to_string().contains("TEST_API_KEY"), "{}", faults[0]);
    assert!(!faults[0].to_string().contains("hunter2"), "{}", faults[0]);
}

#[tokio::test]
async fn an_address_with_a_slash_or_the_whole_path_is_understood() {
    let server = Server::start([Deed::Send(answer("hi"))]).await;
    for tail in ["", "/", "/chat/completions", "/chat/completions/"] {
        let config = endpoint(&format!("{}{tail}", server.base_url));
        let provider = Remote::new("mine", &config, &bounds()).unwrap();
        assert!(
            crate::model::Provider::ask(&provider, &request(), &crate::model::Meter::default())
                .await
                .is_ok(),
            "{tail}"
        );
    }
    assert!(
        server
            .seen()
            .iter()
            .all(|seen| seen.head.starts_with("POST /v1/chat/completions "))
    );
}

#[test]
fn well_known_providers_are_completed_from_table_and_environment() {
    let mut config = named(&["openai", "ollama", "groq", "mine", "offline"]);
    config.providers.insert(
        "groq".to_owned(),
        crate::config::ProviderConfig {
            base_url: String::new(),
            ..endpoint("")
        },
    );
    config.providers.insert(
        "mine".to_owned(),
        crate::config::ProviderConfig {
            key: None,
            ..with_key("http://x/v1", "")
        },
    );
    let variables = BTreeMap::from([
        ("OPENAI_API_KEY", "sk-one"),
        ("GROQ_API_KEY", " "),
        ("TEST_API_KEY", "sk-two"),
        ("OLLAMA_HOST", "0.0.0.0"),
    ]);
    let faults = complete(&mut config, &|name| {
        variables.get(name).map(|value| (*value).to_owned())
    });
    assert!(faults.is_empty(), "{faults:?}");
    let provider = |name: &str| &config.providers[name];
    assert_eq!(provider("openai").base_url, "https://api.openai.com/v1");
    assert_eq!(provider("openai").key, Some(Secret("sk-one".to_owned())));
    assert_eq!(provider("ollama").base_url, "http://127.0.0.1:11434/v1");
    assert_eq!(provider("groq").model, "test-model");
    assert_eq!(
        (provider("groq").key_variable.as_deref(), &provider("groq").key),
        (Some("GROQ_API_KEY"), &None)
    );
    assert_eq!(provider("mine").key, Some(Secret("sk-two".to_owned())));
    assert!(!config.providers.contains_key("offline"));
    assert!(Cascade::from_config(&config).1.is_empty());
}

#[test]
fn a_well_known_name_at_another_address_gets_no_well_known_key() {
    let mut config = named(&["openai"]);
    config
        .providers
        .insert("openai".to_owned(), endpoint("http://10.0.0.7:8080/v1"));
    complete(&mut config, &|_| Some("sk-real".to_owned()));
    assert_eq!(
        (
            &config.providers["openai"].key_variable,
            &config.providers["openai"].key
        ),
        (&None, &None)
    );
}

#[test]
fn a_key_comes_from_the_secret_that_is_named_else_from_the_variable_else_from_the_secret_called_like_it() {
    let vault = |name: &str| {
        let known = ["OPENAI_API_KEY", "GROQ_API_KEY", "mine"].contains(&name);
        known.then(|| format!("{name} of the vault"))
    };
    let variable = |name: &str| (name == "GROQ_API_KEY").then(|| "of the environment".to_owned());
    let mut config = named(&["openai", "groq", "gemini", "openrouter"]);
    let with = |secret: &str| crate::config::ProviderConfig {
        base_url: String::new(),
        key_secret: Some(secret.to_owned()),
        ..endpoint("")
    };
    config.providers.insert("gemini".to_owned(), with("mine"));
    config.providers.insert("openrouter".to_owned(), with("not-there"));
    let keys = known::Keys {
        variable: &variable,
        vault: &vault,
    };
    assert!(known::complete(&mut config, &keys).is_empty());
    let key = |name: &str| config.providers[name].key.as_ref().map(|key| key.0.as_str());
    assert_eq!(key("openai"), Some("OPENAI_API_KEY of the vault"));
    assert_eq!(key("groq"), Some("of the environment"));
    assert_eq!(key("gemini"), Some("mine of the vault"));
    assert_eq!(key("openrouter"), None);
}

#[tokio::test]
async fn a_provider_whose_secret_is_not_in_the_vault_names_the_command_that_sets_it() {
    let mut config = named(&["openai"]);
    config.providers.insert(
        "openai".to_owned(),
        crate::config::ProviderConfig {
            base_url: String::new(),
            key_secret: Some("work-key".to_owned()),
            ..endpoint("")
        },
    );
    complete(&mut config, &|_| Some("sk-not-this-one".to_owned()));
    let error = Cascade::from_config(&config).0.ask(&request()).await.unwrap_err();
    let text = error.attempts[0].cause.to_string();
    assert!(text.contains("passepartout-host vault set work-key"), "{text}");
}

#[tokio::test]
async fn a_well_known_provider_without_its_key_names_the_variable() {
    let mut config = named(&["openai"]);
    complete(&mut config, &|_| None);
    let error = Cascade::from_config(&config).0.ask(&request()).await.unwrap_err();
    assert_eq!(
        error.attempts[0].cause,
        ProviderError::NoKey {
            variable: "OPENAI_API_KEY".to_owned()
        }
    );
}

#[test]
fn ollama_host_is_read_as_ollama_reads_it() {
    for (host, base_url) in [
        ("", "http://127.0.0.1:11434/v1"),
        ("10.0.0.7", "http://10.0.0.7:11434/v1"),
        ("10.0.0.7:1234", "http://10.0.0.7:1234/v1"),
        (":1234", "http://127.0.0.1:1234/v1"),
        ("0.0.0.0:11434", "http://127.0.0.1:11434/v1"),
        ("[::]:11434", "http://[::1]:11434/v1"),
        ("::1", "http://[::1]:11434/v1"),
        ("http://box", "http://box:80/v1"),
        ("https://box/", "https://box:443/v1"),
        ("https://box:8443/ollama/", "https://box:8443/ollama/v1"),
        (" \"box\" ", "http://box:11434/v1"),
    ] {
        assert_eq!(known::ollama_base_url(host).as_deref(), Some(base_url), "{host}");
    }
    for host in [
        "unix:///run/ollama",
        "box:port",
        "box:99999",
        "user@box",
        "[::1",
        "http://box/?a=b",
    ] {
        assert_eq!(known::ollama_base_url(host), None, "{host}");
    }
    let mut config = named(&["ollama", "offline"]);
    let faults = complete(&mut config, &|name| {
        (name == known::OLLAMA_HOST).then(|| "user@box".to_owned())
    });
    assert!(faults[0].to_string().starts_with("OLLAMA_HOST"), "{}", faults[0]);
}

#[test]
fn every_row_of_the_table_can_be_used() {
    for row in known::KNOWN {
        let mut config = row.config();
        if config.model.is_empty() {
            config.model = "some-model".to_owned();
        }
        assert!(Remote::new(row.name, &config, &bounds()).is_ok(), "{}", row.name);
        assert_eq!(known::find(row.name), Some(row));
    }
}
