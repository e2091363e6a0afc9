//! What the operator set for this gate, as values. A setting that can't be understood never means less protection.

use crate::path::{Place, Roots};

/// Which commands pass although no person was asked about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unasked {
    /// None: where there may be no jail (`shell.jail` is `weak`), this gate would be the only wall.
    Nothing,
    /// What is shown to read the workspace and no more.
    #[default]
    Reads,
    /// That, and what is shown to write inside the workspace and no more (`dispatcher.writes` is `pass`).
    Writes,
}

/// The settings a decision depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub(crate) roots: Roots,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) privacy_tags: Vec<String>,
    /// Which commands pass unasked.
    pub(crate) unasked: Unasked,
    pub(crate) tool: Option<String>,
    pub(crate) target: Option<String>,
    /// Whether the jail of commands has no network (`shell.network` is `false`), and surely holds them.
    pub(crate) offline: bool,
    /// Nobody would carry the action out, so that permitting it for good would do nothing.
    pub(crate) of_nobody: bool,
}

impl Settings {
    /// Reads the settings through `get`. `target` is the action's target, `tool` the tool that it is for, if it
    /// is for one.
    ///
    /// Lists are lines, or separated by commas. Without `dispatcher.privacy-tags` the tag is `@personal`.
    pub fn read(get: impl Fn(&str) -> Option<String>, target: &str, tool: Option<&str>) -> Settings {
        let list = |key: &str| -> Option<Vec<String>> {
            let text = get(key)?;
            Some(
                text.split(['\n', ','])
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                    .map(str::to_owned)
                    .collect(),
            )
        };
        let lines = |key: &str| -> Vec<String> {
            let text = get(key).unwrap_or_default();
            text.lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let weak = get("shell.jail").as_deref() == Some("weak");
        Settings {
            roots: Roots {
                workspace: get("workspace")
                    .filter(|path| path.starts_with('/'))
                    .map(|path| Place::absolute(&path)),
                private: lines("home.private").iter().map(|path| Place::absolute(path)).collect(),
                protected: lines("dispatcher.protected"),
            },
            allowed_hosts: list("dispatcher.network.allow").unwrap_or_default(),
            privacy_tags: list("dispatcher.privacy-tags").unwrap_or_else(|| vec!["@personal".to_owned()]),
            unasked: match get("dispatcher.writes").as_deref() {
                _ if weak => Unasked::Nothing,
                Some("pass") => Unasked::Writes,
                _ => Unasked::Reads,
            },
            offline: !weak && get("shell.network").as_deref() == Some("false"),
            tool: tool.and_then(|name| get(&format!("dispatcher.tools.{}", name.to_lowercase()))),
            target: get(&format!("dispatcher.targets.{}", target.to_lowercase())),
            of_nobody: get("action.of-nobody").is_some(),
        }
    }
}
