//! Well-known providers: where they are, which variable holds their key, which model is asked when none is named.
//!
//! One table, so that `PROVIDER_CASCADE=openai,ollama` is all the configuration some people need.

use std::net::IpAddr;

use crate::config::{ConfigFault, Dialect, KeyPlace, ModelConfig, ProviderConfig, Secret};

/// One well-known provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name in the cascade.
    pub name: &'static str,
    /// Up to and without `/chat/completions` or `/messages`.
    pub base_url: &'static str,
    /// What it speaks.
    pub dialect: Dialect,
    /// The environment variable that holds its key; none where it needs no key.
    pub key_variable: Option<&'static str>,
    /// The model asked when none is named; none where it depends on what the person has loaded.
    pub model: Option<&'static str>,
}

/// The variable that says where Ollama is, as its own programs read it.
pub const OLLAMA_HOST: &str = "OLLAMA_HOST";

/// The table.
pub const KNOWN: &[Known] = &[
    // platform.openai.com/docs/api-reference/chat, …/docs/models
    Known {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        dialect: Dialect::OpenAi,
        key_variable: Some("OPENAI_API_KEY"),
        model: Some("gpt-5-mini"),
    },
    // platform.claude.com/docs/en/api/messages, …/docs/en/about-claude/models; the name without a date is kept pointing at
    // the newest of its version
    Known {
        name: "anthropic",
        base_url: "https://api.anthropic.com/v1",
        dialect: Dialect::Anthropic,
        key_variable: Some("ANTHROPIC_API_KEY"),
        model: Some("claude-sonnet-4-5"),
    },
    // openrouter.ai/docs/quickstart; `openrouter/auto` lets OpenRouter choose the model
    Known {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        dialect: Dialect::OpenAi,
        key_variable: Some("OPENROUTER_API_KEY"),
        model: Some("openrouter/auto"),
    },
    // console.groq.com/docs/openai, …/docs/models
    Known {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        dialect: Dialect::OpenAi,
        key_variable: Some("GROQ_API_KEY"),
        model: Some("openai/gpt-oss-120b"),
    },
    // ai.google.dev/gemini-api/docs/openai; the name without a version is kept pointing at the newest one
    Known {
        name: "gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        dialect: Dialect::OpenAi,
        key_variable: Some("GEMINI_API_KEY"),
        model: Some("gemini-flash-latest"),
    },
    // docs.ollama.com/openai; `llama3.2` is the model of its own first example
    Known {
        name: "ollama",
        base_url: "http://127.0.0.1:11434/v1",
        dialect: Dialect::OpenAi,
        key_variable: None,
        model: Some("llama3.2"),
    },
    // llama.cpp, tools/server/README.md: port 8080; it serves the one model it was started with, whatever the name
    Known {
        name: "llamacpp",
        base_url: "http://127.0.0.1:8080/v1",
        dialect: Dialect::OpenAi,
        key_variable: None,
        model: Some("default"),
    },
    // docs.vllm.ai/en/latest/serving/openai_compatible_server: port 8000; knows only the name it was started with
    Known {
        name: "vllm",
        base_url: "http://127.0.0.1:8000/v1",
        dialect: Dialect::OpenAi,
        key_variable: None,
        model: None,
    },
    // lmstudio.ai/docs/developer/openai-compat: port 1234; the name of the model that is loaded
    Known {
        name: "lmstudio",
        base_url: "http://127.0.0.1:1234/v1",
        dialect: Dialect::OpenAi,
        key_variable: None,
        model: None,
    },
];

/// The well-known provider of this name.
pub fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

impl Known {
    /// Its configuration as the table has it, without a key. The model is empty where the person has to name it.
    pub fn config(&self) -> ProviderConfig {
        ProviderConfig {
            base_url: self.base_url.to_owned(),
            dialect: Some(self.dialect),
            model: self.model.unwrap_or_default().to_owned(),
            key_variable: self.key_variable.map(str::to_owned),
            ..ProviderConfig::default()
        }
    }
}

/// Where keys come from.
pub struct Keys<'a> {
    /// Looks a variable up in the environment file and the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Looks a secret up in the vault.
    pub vault: &'a dyn Fn(&str) -> Option<String>,
}

impl Keys<'_> {
    /// The key of a provider: the secret that it names and no other; else its variable, which is closer at hand than
    /// the vault; else the secret that is called like the variable.
    fn of(&self, provider: &ProviderConfig) -> Option<(Secret, KeyPlace)> {
        let there = |value: &String| !value.trim().is_empty();
        let in_vault = |name: &String| Some(((self.vault)(name).filter(there)?, KeyPlace::Vault));
        let in_variable = |name: &String| Some(((self.variable)(name).filter(there)?, KeyPlace::Variable));
        let (key, place) = match (&provider.key_secret, &provider.key_variable) {
            (Some(name), _) => in_vault(name),
            (None, Some(name)) => in_variable(name).or_else(|| in_vault(name)),
            (None, None) => None,
        }?;
        Some((Secret(key), place))
    }
}

/// Completes the providers of the cascade from the table, the environment and the vault: adds the well-known ones that
/// are not configured, fills in what those that are leave blank, reads keys, and puts Ollama where `OLLAMA_HOST` says,
/// unless the file says otherwise.
pub fn complete(config: &mut ModelConfig, keys: &Keys<'_>) -> Vec<ConfigFault> {
    let variable = keys.variable;
    let mut faults = Vec::new();
    let names: Vec<String> = config.names().into_iter().cloned().collect();
    for name in &names {
        let Some(known) = find(name) else { continue };
        let own = config.providers.entry(name.clone()).or_default();
        if own.base_url.is_empty() {
            own.base_url = known.base_url.to_owned();
            // Only where it is the well-known server itself: another one may want no key, and must not get this one.
            if own.key_variable.is_none() && own.key_secret.is_none() {
                own.key_variable = known.key_variable.map(str::to_owned);
            }
            if let Some(host) = (name == "ollama").then(|| variable(OLLAMA_HOST)).flatten() {
                match ollama_base_url(&host) {
                    Some(base_url) => own.base_url = base_url,
                    None => faults.push(ConfigFault {
                        place: OLLAMA_HOST.to_owned(),
                        problem: format!("`{host}` is no address"),
                        remedy: "write it as host:port or as http://host:port".to_owned(),
                    }),
                }
            }
        }
        own.dialect.get_or_insert(known.dialect);
        if own.model.is_empty() {
            own.model = known.model.unwrap_or_default().to_owned();
        }
    }
    for provider in config.providers.values_mut().filter(|provider| provider.key.is_none()) {
        (provider.key, provider.key_place) = keys.of(provider).unzip();
    }
    faults
}

/// The base URL that a value of `OLLAMA_HOST` means, by Ollama's own rules: host, port, scheme or path may be missing;
/// an address that listens everywhere is reached on loopback.
pub fn ollama_base_url(host: &str) -> Option<String> {
    let host = host.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest, default_port) = match host.split_once("://") {
        Some(("http", rest)) => ("http", rest, 80),
        Some(("https", rest)) => ("https", rest, 443),
        Some(_) => return None,
        None => ("http", host, 11434),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    if authority.contains(['@', '?', '#', ' ']) || path.contains(['?', '#', ' ']) {
        return None;
    }
    let (name, port) = split_port(authority, default_port)?;
    let name = match name.parse::<IpAddr>() {
        Ok(ip) if ip.is_unspecified() && ip.is_ipv4() => "127.0.0.1".to_owned(),
        Ok(ip) if ip.is_unspecified() => "[::1]".to_owned(),
        Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
        Ok(ip) => ip.to_string(),
        Err(_) if name.is_empty() => "127.0.0.1".to_owned(),
        Err(_) => name.to_owned(),
    };
    let path = path.trim_matches('/');
    let slash = if path.is_empty() { "" } else { "/" };
    Some(format!("{scheme}://{name}:{port}{slash}{path}/v1"))
}

fn split_port(authority: &str, default_port: u16) -> Option<(&str, u16)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (name, rest) = rest.split_once(']')?;
        return match rest.strip_prefix(':') {
            Some(port) => Some((name, port.parse().ok()?)),
            None => rest.is_empty().then_some((name, default_port)),
        };
    }
    if authority.parse::<IpAddr>().is_ok() {
        return Some((authority, default_port));
    }
    match authority.split_once(':') {
        Some((name, port)) => Some((name, port.parse().ok()?)),
        None => Some((authority, default_port)),
    }
}
