//! Reading the configuration: the environment file, `config.toml`, and the variables of the environment, in this order.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::file::{self, Others};
use super::keys::{KEYS, Key, free_setting, matches};
use super::nearest::nearest;
use super::{Config, ConfigFault, Home, JailMode, fault, rules};

/// The variables that the daemon starts with: the environment file's, below the process's own.
pub type Variables = BTreeMap<String, String>;

/// What the host adds to the settings.
const OF_THE_HOST: [&str; 4] = ["workspace", "home.private", "shell.jail", "shell.network"];

impl Config {
    /// The configuration of this home. Never fails: what can't be understood is listed in [`Config::faults`], and the
    /// safe default stands. Also returns the variables that hold, the environment file's among them, in which whoever
    /// sets the providers up finds their keys.
    pub fn load(home: Home, process: &Variables) -> (Config, Variables) {
        let mut config = Config::defaults(home);
        let mut variables = Variables::new();
        if let Err(fault) = file::check_folder(&config.home.config) {
            config.faults.push(fault);
        }
        let path = config.home.config.join("env");
        match file::read(&path, Others::Nothing) {
            Ok(text) => {
                config.sources.note(&path, text.as_deref());
                if let Some(text) = text {
                    read_env_file(&text, &path, &mut variables, &mut config.faults);
                }
            }
            Err(fault) => config.faults.push(fault),
        }
        variables.extend(process.iter().map(|(name, value)| (name.clone(), value.clone())));
        let path = config.home.config.join("config.toml");
        match file::read(&path, Others::Read) {
            Ok(text) => {
                config.sources.note(&path, text.as_deref());
                if let Some(text) = text {
                    read_file(&text, &path, &mut config);
                }
            }
            Err(fault) => config.faults.push(fault),
        }
        read_variables(&variables, &mut config);
        config.add_faults(Vec::new());
        config.finish_settings();
        let mut sources = std::mem::take(&mut config.sources);
        sources.note_rest(&config);
        config.sources = sources;
        (config, variables)
    }

    /// The skills that the operator's settings are for, by name, some more than once: what stands before the first dot, but in
    /// those that the host adds.
    pub fn settings_by_skill(&self) -> impl Iterator<Item = &str> {
        let own = self.settings.keys().filter(|key| !OF_THE_HOST.contains(&key.as_str()));
        own.filter_map(|key| Some(key.split_once('.')?.0))
    }

    fn finish_settings(&mut self) {
        let [workspace, of_home, of_shell, of_network] = OF_THE_HOST;
        let private: Vec<String> = self
            .home
            .private()
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        self.settings
            .insert(workspace.to_owned(), self.home.workspace.display().to_string());
        self.settings.insert(of_home.to_owned(), private.join("\n"));
        if let Some(patterns) = self.settings.get_mut("dispatcher.protected") {
            *patterns = rules::in_every_spelling(patterns, &self.home.workspace);
        }
        let jail = match self.shell.jail {
            JailMode::Enforced => "enforced",
            JailMode::Weak => "weak",
        };
        self.settings.insert(of_shell.to_owned(), jail.to_owned());
        self.settings
            .insert(of_network.to_owned(), self.shell.network.to_string());
    }
}

/// `NAME=value` lines; `export` in front, quotes around the value, and `#` comments are understood.
fn read_env_file(text: &str, path: &Path, variables: &mut Variables, faults: &mut Vec<ConfigFault>) {
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line).trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.split_once('=') {
            Some((name, value)) if is_variable_name(name.trim()) => {
                let value = value.trim();
                let bare = ['"', '\'']
                    .iter()
                    .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
                variables.insert(name.trim().to_owned(), bare.unwrap_or(value).to_owned());
            }
            // The line itself is not shown: it may hold a key.
            _ => faults.push(fault(
                format!("{} line {}", path.display(), at + 1),
                "is no line of the form NAME=value",
                "mend it or put a # in front",
            )),
        }
    }
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn read_file(text: &str, path: &Path, config: &mut Config) {
    let place = |at: usize| {
        format!(
            "{} line {}",
            path.display(),
            text[..at.min(text.len())].matches('\n').count() + 1
        )
    };
    match DeTable::parse(text) {
        Ok(table) => read_table(table.get_ref(), "", &place, config),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            config
                .faults
                .push(fault(place(at), error.message(), "mend the line; the file is in TOML"));
        }
    }
}

fn read_table(table: &DeTable<'_>, prefix: &str, place: &dyn Fn(usize) -> String, config: &mut Config) {
    for (key, value) in table.iter() {
        let name = format!("{prefix}{}", key.get_ref());
        let at = place(key.span().start);
        config.model.places.note(&name, &at);
        let known: Option<(&Key, Vec<&str>)> = KEYS.iter().find_map(|own| Some((own, matches(own, &name)?)));
        let set = match (known, value.get_ref()) {
            (Some((own, names)), value) => (own.set)(config, &names, value),
            (None, DeValue::Table(inner)) => {
                read_table(inner, &format!("{name}."), place, config);
                continue;
            }
            (None, value) => match free_setting(config, &name, value) {
                Some(set) => set,
                None => {
                    config
                        .faults
                        .push(fault(at, format!("there is no key `{name}`"), nearest(&name)));
                    continue;
                }
            },
        };
        if let Err(problem) = set {
            let at = super::budget::odd_price(&name, value.get_ref()).map_or(at, place);
            config
                .faults
                .push(fault(at, format!("`{name}` {problem}"), "mend the value"));
        }
    }
}

/// The variables of the original, which keep working.
fn read_variables(variables: &Variables, config: &mut Config) {
    let mut faults = Vec::new();
    let get = |name: &str| {
        variables
            .get(name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
    };
    let mut number = |name: &str, least: u64, most: u64| match get(name)?.parse::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Some(number),
        _ => {
            faults.push(fault(
                name,
                format!("is not a whole number from {least} to {most}"),
                "mend or unset the variable",
            ));
            None
        }
    };
    if let Some(seconds) = number("HEARTBEAT_INTERVAL", 1, 86_400) {
        config.cycle.heartbeat = Duration::from_secs(seconds);
    }
    if let Some(seconds) = number("MEMORY_AUTO_SAVE_INTERVAL", 1, 86_400) {
        config.cycle.auto_save = Duration::from_secs(seconds);
    }
    if let Some(lines) = number("CONTEXT_LOG_LIMIT", 0, 1_000) {
        config.cycle.log_lines = lines as usize;
    }
    config.faults.append(&mut faults);
    let list = |value: &str| -> Vec<String> {
        value
            .split([',', ' '])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let bare = |value: &str| value.trim_start_matches(':').to_uppercase();
    if let Some(target) = get("DEFAULT_ACTUATOR") {
        config.cycle.default_actuator = bare(target);
    }
    if let Some(targets) = get("SILENT_ACTUATORS") {
        config.cycle.silent_actuators = list(targets).iter().map(|target| bare(target)).collect();
    }
    if let Some(cascade) = get("PROVIDER_CASCADE") {
        config.model.cascade = list(cascade)
            .iter()
            .map(|name| name.trim_start_matches(':').to_owned())
            .collect();
        config.model.places.overrule("model.cascade", "PROVIDER_CASCADE");
    }
    if let Some(name) = get("MEMEX_ASSISTANT") {
        config.cycle.assistant = name.to_owned();
    }
    if let Some(tags) = get("PRIVACY_FILTER_TAGS") {
        config
            .settings
            .insert("dispatcher.privacy-tags".to_owned(), list(tags).join("\n"));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use std::os::unix::fs::PermissionsExt;

    use super::super::{GateInstances, JailMode, SkillLimits, TcpAuth};
    use super::*;

    fn load(file: &str, env_file: Option<(&str, u32)>, process: &[(&str, &str)]) -> Config {
        load_all(file, env_file, process).0
    }

    fn load_all(file: &str, env_file: Option<(&str, u32)>, process: &[(&str, &str)]) -> (Config, Variables) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().display().to_string();
        let home = Home::find(&|name| (name == "PASSEPARTOUT_HOME").then(|| root.clone()), None).unwrap();
        std::fs::create_dir_all(&home.config).unwrap();
        std::fs::write(home.config.join("config.toml"), file).unwrap();
        if let Some((text, mode)) = env_file {
            let path = home.config.join("env");
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let process = process
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Config::load(home, &process)
    }

    fn only_fault(config: &Config) -> String {
        assert_eq!(config.faults.len(), 1, "{:?}", config.faults);
        config.faults[0].to_string()
    }

    #[test]
    fn values_of_the_file_are_taken() {
        let config = load(
            "assistant = \"Ada\"\n[loop]\nmax_depth = 7\n[tcp]\nauth = \"none\"\n[shell]\njail = \"weak\"\n\
             [settings.dispatcher]\nnetwork.allow = [\"a.example\", \"b.example\"]\ntools.read-file = \"ask\"\n\
             [settings.mine]\nanything = 3\n[limits.policy]\nfuel = 20000\n\
             [gates]\ninstances = \"warm\"\nready = 8\n[skills]\ncode_cache_bytes = 1048576\ncompile_seconds = 5\n",
            None,
            &[],
        );
        assert_eq!(config.faults, []);
        assert_eq!((config.cycle.assistant.as_str(), config.cycle.max_depth), ("Ada", 7));
        assert_eq!(
            (config.wire.tcp_auth, config.shell.jail),
            (TcpAuth::None, JailMode::Weak)
        );
        assert_eq!(config.settings["dispatcher.network.allow"], "a.example\nb.example");
        assert_eq!(config.settings["dispatcher.tools.read-file"], "ask");
        assert_eq!(config.settings["mine.anything"], "3");
        assert_eq!(config.settings["shell.network"], "false");
        assert_eq!(config.skills.limits_of("policy").fuel, 20_000);
        assert_eq!(config.skills.limits_of("other"), SkillLimits::DEFAULT);
        assert_eq!(config.skills.gates.instances, GateInstances::Warm);
        assert_eq!((config.skills.gates.ready, config.skills.code_cache), (8, 1 << 20));
        assert_eq!(config.skills.compile.time, Duration::from_secs(5));
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_line_and_nearest_key() {
        let fault = only_fault(&load("[loop]\nmax_dept = 7\n", None, &[]));
        assert!(
            fault.contains("line 2: there is no key `loop.max_dept`; did you mean `loop.max_depth`?"),
            "{fault}"
        );
    }

    #[test]
    fn a_value_of_the_wrong_kind_or_size_is_named_and_the_safe_default_stands() {
        let config = load("[tcp]\nauth = \"nome\"\n", None, &[]);
        assert_eq!(config.wire.tcp_auth, TcpAuth::Token);
        assert!(only_fault(&config).contains("`tcp.auth` is \"nome\", and must be \"token\" or \"none\""));
        for (file, part) in [
            ("[loop]\nmax_depth = 0", "must be from 1 to 100"),
            ("[loop]\nmax_depth = \"7\"", "is a string, and must be a whole number"),
            ("gates = 3", "there is no key `gates`"),
            ("[gates]\nrequired = \"policy\"", "must be a list of strings"),
            ("= 3", "line 1"),
            (
                "[prices.\"a.b\"]\ninput = 1\noutput = 1\n[prices.c]\n",
                "line 4: `prices`",
            ),
            ("[loop\n", "line 1"),
        ] {
            let config = load(file, None, &[]);
            assert!(
                config.faults.iter().any(|fault| fault.to_string().contains(part)),
                "{file}: {:?}",
                config.faults
            );
        }
    }

    #[test]
    fn the_variables_of_the_original_work_and_stand_above_the_environment_file() {
        let file = (
            "export HEARTBEAT_INTERVAL=7\nMEMEX_ASSISTANT='Ada'\n# nothing\nOPENAI_API_KEY=\"sk-1\"\n",
            0o600,
        );
        let (config, variables) = load_all(
            "",
            Some(file),
            &[("HEARTBEAT_INTERVAL", "9"), ("PROVIDER_CASCADE", ":openai, offline")],
        );
        assert_eq!(config.faults, []);
        assert_eq!(config.cycle.heartbeat, Duration::from_secs(9));
        assert_eq!(config.cycle.assistant, "Ada");
        assert_eq!(config.model.cascade, ["openai", "offline"]);
        assert_eq!(variables["OPENAI_API_KEY"], "sk-1");
    }

    #[test]
    fn an_absolute_pattern_is_known_by_where_it_leads_and_by_how_the_workspace_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/config")).unwrap();
        std::fs::create_dir_all(root.join("real/workspace")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        let (real, link) = (root.join("real/workspace"), root.join("link/workspace"));
        let named = root.join("link").display().to_string();
        let home = Home::find(&|name| (name == "PASSEPARTOUT_HOME").then(|| named.clone()), None).unwrap();
        let (real, link, root) = (real.display(), link.display(), root.display());
        for (pattern, wanted) in [
            (
                format!("{real}/a*/b"),
                vec![format!("{real}/a*/b"), format!("{link}/a*/b")],
            ),
            (format!("{link}/a"), vec![format!("{link}/a"), format!("{real}/a")]),
            (
                format!("{root}/*/workspace/a"),
                vec![
                    format!("{root}/*/workspace/a"),
                    format!("{link}/a"),
                    format!("{real}/a"),
                ],
            ),
            (
                format!("{root}/link"),
                vec![format!("{root}/link"), format!("{root}/real")],
            ),
            ("a/b".to_owned(), vec!["a/b".to_owned()]),
        ] {
            let text = format!("[settings.dispatcher]\nprotected = [{pattern:?}]\n");
            std::fs::write(home.config.join("config.toml"), text).unwrap();
            let (config, _) = Config::load(home.clone(), &Variables::new());
            assert_eq!(config.faults, []);
            let lines: Vec<&str> = config.settings["dispatcher.protected"].lines().collect();
            assert_eq!(lines[0], pattern);
            for wanted in wanted {
                assert!(lines.contains(&wanted.as_str()), "{wanted} is not in {lines:?}");
            }
        }
    }

    #[test]
    fn an_environment_file_that_others_can_read_is_refused_and_a_bad_line_does_not_show_what_it_holds() {
        let config = load("", Some(("OPENAI_API_KEY=sk-1", 0o644)), &[]);
        assert!(only_fault(&config).contains("chmod 600"));
        let config = load("", Some(("sk-very-secret", 0o600)), &[]);
        let fault = only_fault(&config);
        assert!(fault.contains("line 1") && !fault.contains("secret"), "{fault}");
    }
}
