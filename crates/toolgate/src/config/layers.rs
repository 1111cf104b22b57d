//! The layers of the configuration, and the one function that puts them together.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};
use toolgate_policy::decide::Policy;
use toolgate_policy::permissions::PermissionPolicy;
use toolgate_policy::rule::{RuleError, Rules};

use super::document::{self, Leaf};
use super::error::{ConfigError, ConfigErrors, Problem, Snippet};
use super::keys::{Key, Keys};
use super::paths::Surroundings;
use super::permissions::{self, PermissionsConfig};
use super::rule::Rule;
use super::rules::RuleConfig;
use super::{Config, policy, schema};

/// Who says something. Later layers go over earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The defaults.
    BuiltIn,
    /// The machine's administrator. What it sets, nobody loosens.
    Managed,
    /// The user.
    User,
    /// The project, whose file may come from anywhere.
    Project {
        /// Whether the user trusts this very text. If not, it may only tighten.
        trusted: bool,
    },
    /// A flag of this run.
    Flag,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BuiltIn => "built-in",
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project { .. } => "project",
            Self::Flag => "flag",
        })
    }
}

/// A text with what is known about it.
#[derive(Clone, Debug)]
pub struct Source {
    layer: Layer,
    name: Arc<str>,
    text: String,
    dir: Option<PathBuf>,
}

impl Source {
    /// A text of a layer. `name` is the file's path, or the flag's name.
    pub fn new(layer: Layer, name: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Self { layer, name: name.into(), text: text.into(), dir: None }
    }

    /// A flag that sets one key. The value is TOML; what is not TOML counts as a text.
    ///
    /// ```
    /// use toolgate::config::{Source, Surroundings, load};
    /// let flag = Source::flag("--timeout", "tools.shell.timeout", "5");
    /// assert_eq!(load(&[flag], &Surroundings::new("/work")).unwrap().config.tools.shell.timeout, 5);
    /// ```
    pub fn flag(name: impl Into<Arc<str>>, key: &str, value: &str) -> Self {
        // More than one line could set further keys under the name of this one.
        let value = match toml::de::DeValue::parse(value) {
            Ok(_) if !value.contains(['\n', '\r']) => value.to_owned(),
            _ => super::to_toml(&value.into()),
        };
        Self::new(Layer::Flag, name, format!("{key} = {value}"))
    }

    /// The directory that relative places in it start from.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// Whose it is.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The file's path, or the flag's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Where a value is from: `built-in`, `--timeout`, or `/home/me/.config/toolgate/toolgate.toml:3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Whose it is.
    pub layer: Layer,
    /// The file or flag; empty for the defaults.
    pub name: Arc<str>,
    /// The line, from 1; 0 where there are no lines.
    pub line: usize,
}

impl Origin {
    /// Of the defaults.
    pub fn built_in() -> Self {
        Self { layer: Layer::BuiltIn, name: "".into(), line: 0 }
    }

    fn of(source: &Source, at: usize) -> Self {
        let line = match source.layer {
            Layer::Flag | Layer::BuiltIn => 0,
            _ => Snippet::of("", &source.text, at..at).line,
        };
        Self { layer: source.layer, name: source.name.clone(), line }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.name, self.line) {
            ("", _) => self.layer.fmt(f),
            (name, 0) => f.write_str(name),
            (name, line) => write!(f, "{name}:{line}"),
        }
    }
}

/// One key, its value, and where that is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its full name: `tools.shell.timeout`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it is from: one for the whole value, or one for each entry of a list that layers add to.
    pub origins: Vec<Origin>,
    /// What others may do to it.
    pub rule: Rule,
}

/// Where the entries of one layer's permission lists stand, tool by tool.
pub type ListOrigins = BTreeMap<String, Vec<Origin>>;

/// The configuration with the origin of each value.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// By what calls are judged, as all of it says.
    pub policy: Arc<Policy>,
    /// Where the entries of each of the policy's permission lists stand.
    pub list_origins: Vec<ListOrigins>,
    /// Worked out when someone asks, where nothing was read that would need it.
    settings: OnceLock<Vec<Setting>>,
}

impl Loaded {
    /// Every key, in the order of the types.
    pub fn settings(&self) -> &[Setting] {
        self.settings
            .get_or_init(|| built_in(&Keys::new(schema())).into_iter().map(|merged| merged.setting).collect())
    }

    /// One key by its full name.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings().iter().find(|s| s.key == key)
    }
}

/// Every key as it is where nobody says anything.
fn built_in(keys: &Keys) -> Vec<Merged> {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    keys.all(&defaults).into_iter().map(Merged::default).collect()
}

/// Puts the layers together: the defaults, then `sources` in the order of their layers.
///
/// A later layer's value stands in for an earlier one's, except for lists whose rule is
/// [`Rule::Add`]: those are joined. A project's file that is not trusted, and any layer over a
/// managed key, may only tighten ([`Rule`]); anything else is an error and never a warning,
/// since a file that is half obeyed is obeyed by nobody.
///
/// # Errors
/// Everything that is wrong in any of the sources, each with its place.
pub fn load(sources: &[Source], around: &Surroundings<'_>) -> Result<Loaded, ConfigErrors> {
    if sources.is_empty() {
        // Most runs have no file at all, and need not pay for the schema that files are checked against.
        let config = Config::default();
        let policy = judged_by(&config, Rules::default(), Vec::new())?;
        return Ok(Loaded { config, policy, list_origins: Vec::new(), settings: OnceLock::new() });
    }
    let keys = Keys::new(schema());
    let mut merge = Merge {
        around,
        settings: built_in(&keys),
        rules: Rules::default(),
        lists: Vec::new(),
        list_origins: Vec::new(),
        errors: Vec::new(),
    };

    let mut sources: Vec<&Source> = sources.iter().collect();
    sources.sort_by_key(|source| source.layer);
    for source in sources {
        match document::read(&keys, &source.name, &source.text) {
            Ok(leaves) => leaves.into_iter().for_each(|leaf| merge.leaf(source, leaf)),
            Err(errors) => merge.errors.extend(errors),
        }
    }
    if !merge.errors.is_empty() {
        return Err(ConfigErrors(merge.errors));
    }
    let settings: Vec<Setting> = merge.settings.into_iter().map(|m| m.setting).collect();
    // What the schema lets through, the type takes: `every_value_that_the_schema_takes_decodes`.
    let config: Config = serde_json::from_value(nested(&settings)).map_err(|error| {
        let problem = Problem::Unusable { key: "toolgate.toml".to_owned(), why: error.to_string() };
        ConfigErrors(vec![ConfigError::new(problem, "the merged configuration", "", 0..0)])
    })?;
    let policy = judged_by(&config, merge.rules, merge.lists)?;
    Ok(Loaded { config, policy, list_origins: merge.list_origins, settings: settings.into() })
}

/// What calls are judged by, as the configuration, its rules and its lists say.
fn judged_by(
    config: &Config,
    rules: Rules,
    lists: Vec<PermissionPolicy>,
) -> Result<Arc<Policy>, ConfigErrors> {
    let policy = policy::policy(config, rules, lists).map_err(|error| {
        let problem = Problem::Unusable { key: "tools.shell.allowed_commands".to_owned(), why: error.what };
        ConfigErrors(vec![ConfigError::new(problem, "the merged configuration", "", 0..0)])
    })?;
    Ok(Arc::new(policy))
}

struct Merge<'a, 'b> {
    around: &'a Surroundings<'b>,
    settings: Vec<Merged>,
    rules: Rules,
    lists: Vec<PermissionPolicy>,
    list_origins: Vec<ListOrigins>,
    errors: Vec<ConfigError>,
}

struct Merged {
    setting: Setting,
    options: Vec<Value>,
    places: bool,
    /// What the managed file says, which bounds all others.
    managed: Option<(Value, Origin)>,
}

impl Merged {
    fn default(key: Key) -> Self {
        let origins = vec![Origin::built_in(); entries(&key.default, key.rule)];
        let setting = Setting { key: key.name, value: key.default, origins, rule: key.rule };
        Self { setting, options: key.options, places: key.places, managed: None }
    }
}

/// How many origins a value has.
fn entries(value: &Value, rule: Rule) -> usize {
    match value {
        Value::Array(list) if rule.joins() && !list.is_empty() => list.len(),
        _ => 1,
    }
}

/// What is wrong, and the part of the value that it is about.
type Wrong = (Problem, String);

impl Merge<'_, '_> {
    fn leaf(&mut self, source: &Source, mut leaf: Leaf) {
        let Some(merged) = self.settings.iter_mut().find(|m| m.setting.key == leaf.key) else { return };
        let judged = merged.judge(source, &mut leaf, self.around).map_err(|wrong| vec![wrong]);
        let read = judged.and_then(|()| match leaf.key.as_str() {
            "rule" => {
                rules(source, &leaf).map(|rules| self.rules = std::mem::take(&mut self.rules).and(rules))
            }
            "tools.permissions" => lists(source, &leaf).map(|(list, origins)| {
                self.lists.push(list);
                self.list_origins.push(origins);
            }),
            _ => Ok(()),
        });
        match read {
            Ok(()) => merged.take(source, leaf),
            Err(wrong) => self.errors.extend(wrong.into_iter().map(|(problem, part)| {
                ConfigError::new(problem, &source.name, &source.text, leaf.place(&part))
            })),
        }
    }
}

/// The rules of one layer; or all that are wrong.
fn rules(source: &Source, leaf: &Leaf) -> Result<Rules, Vec<Wrong>> {
    let layer = policy::rule_layer(source.layer);
    let mut all = Rules::default();
    let mut wrong = Vec::new();
    let count = leaf.value.as_array().map_or(0, Vec::len);
    if count > Rules::MOST {
        let why = format!("there are {count} rules, and more than {} are too many", Rules::MOST);
        return Err(vec![(Problem::Unusable { key: leaf.key.clone(), why }, leaf.key.clone())]);
    }
    for (at, entry) in leaf.value.as_array().into_iter().flatten().enumerate() {
        let part = format!("{}[{at}]", leaf.key);
        let unusable = |part: String, why| (Problem::Unusable { key: part.clone(), why }, part);
        let rule: RuleConfig = match serde_json::from_value(entry.clone()) {
            Ok(rule) => rule,
            Err(error) => {
                wrong.push(unusable(part, error.to_string()));
                continue;
            }
        };
        let origin = Origin::of(source, leaf.place(&part).start).to_string();
        match Rules::compile(&[rule.text(origin)], layer) {
            Ok(rule) => all = all.and(rule),
            Err(RuleError { key: Some((key, at)), what, .. }) => {
                wrong.push(unusable(format!("{part}.{key}[{at}]"), what));
            }
            Err(error) => wrong.push(unusable(part, error.what)),
        }
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong) }
}

/// The lists of one layer, and where each entry stands.
fn lists(source: &Source, leaf: &Leaf) -> Result<(PermissionPolicy, ListOrigins), Vec<Wrong>> {
    let unusable = |why| vec![(Problem::Unusable { key: leaf.key.clone(), why }, leaf.key.clone())];
    let config: PermissionsConfig =
        serde_json::from_value(leaf.value.clone()).map_err(|error| unusable(error.to_string()))?;
    let list = permissions::lists(&config).map_err(|error| unusable(error.to_string()))?;
    let origin =
        |tool: &str, at: usize| Origin::of(source, leaf.place(&format!("{}.{tool}[{at}]", leaf.key)).start);
    let origins = config
        .iter()
        .map(|(tool, list)| (tool.clone(), (0..list.len()).map(|at| origin(tool, at)).collect()))
        .collect();
    Ok((list, origins))
}

impl Merged {
    /// Whether this layer may say this; else the problem.
    fn judge(&self, source: &Source, leaf: &mut Leaf, around: &Surroundings<'_>) -> Result<(), Wrong> {
        let Setting { rule, value, origins, .. } = &self.setting;
        let key = leaf.key.clone();
        let entry = |at: Option<usize>| at.map_or_else(|| key.clone(), |at| format!("{key}[{at}]"));
        let unusable = |(part, why): (String, String)| (Problem::Unusable { key: key.clone(), why }, part);
        if self.places {
            leaf.value = places(leaf, around, source.dir.as_deref())
                .map_err(|(at, why)| unusable((entry(Some(at)), why)))?;
        }
        strange(leaf).map_or(Ok(()), |wrong| Err(unusable(wrong)))?;
        // Among rules a managed deny or ask is lifted by nobody's allow: the engine sees to that.
        let managed =
            self.managed.as_ref().filter(|_| source.layer > Layer::Managed && *rule != Rule::Tighten);
        if let Some((before, origin)) = managed
            && let Some(looser) = rule.loosened(before, &leaf.value, &around.start, &self.options)
        {
            let part = entry(looser.entry);
            return Err((Problem::ManagedLoosens { key, why: looser.why, before: origin.clone() }, part));
        }
        if source.layer == (Layer::Project { trusted: false })
            && let Some(looser) = rule.loosened(value, &leaf.value, &around.start, &self.options)
        {
            let before = origins.first().cloned().unwrap_or_else(Origin::built_in);
            let part = entry(looser.entry);
            return Err((Problem::ProjectLoosens { key, why: looser.why, before }, part));
        }
        Ok(())
    }

    fn take(&mut self, source: &Source, mut leaf: Leaf) {
        let origin = |at: usize| Origin::of(source, at);
        let setting = &mut self.setting;
        match (&mut setting.value, std::mem::take(&mut leaf.value)) {
            (Value::Array(list), Value::Array(more)) if setting.rule.joins() => {
                if list.is_empty() && !more.is_empty() {
                    setting.origins.clear();
                }
                let place = |at: usize| origin(leaf.place(&format!("{}[{at}]", leaf.key)).start);
                for (at, entry) in more.into_iter().enumerate() {
                    // A rule stands in its layer, also where another layer says the same.
                    if setting.rule == Rule::Tighten || !list.contains(&entry) {
                        list.push(entry);
                        setting.origins.push(place(at));
                    }
                }
            }
            (Value::Object(lists), Value::Object(more)) if setting.rule == Rule::Each => {
                if lists.is_empty() && !more.is_empty() {
                    setting.origins.clear();
                }
                for (name, more) in more {
                    let list = lists.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                    if let (Value::Array(list), Value::Array(more)) = (list, more) {
                        list.extend(more);
                    }
                }
                setting.origins.push(origin(leaf.span.start));
            }
            (value, new) => {
                *value = new;
                setting.origins = vec![origin(leaf.span.start)];
            }
        }
        if source.layer == Layer::Managed {
            self.managed = Some((self.setting.value.clone(), origin(leaf.span.start)));
        }
    }
}

/// The places of a list, absolute; or the entry that is none, and why.
fn places(leaf: &Leaf, around: &Surroundings<'_>, dir: Option<&Path>) -> Result<Value, (usize, String)> {
    let list = leaf.value.as_array().map(Vec::as_slice).unwrap_or_default();
    let place = |(at, entry): (usize, &Value)| {
        let path = around.place(entry.as_str().unwrap_or_default(), dir).map_err(|why| (at, why))?;
        // A path that is no text can't be shown, compared or written again as it is.
        path.to_str().map(Value::from).ok_or_else(|| (at, "it leads to a path that is not UTF-8".to_owned()))
    };
    list.iter().enumerate().map(place).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// What the sections themselves object to in one key: judged with all else at its default.
fn strange(leaf: &Leaf) -> Option<(String, String)> {
    let alone =
        Setting { key: leaf.key.clone(), value: leaf.value.clone(), origins: Vec::new(), rule: Rule::Never };
    let config: Config = serde_json::from_value(nested(&[alone])).ok()?;
    let of_key = |part: &str| part.strip_prefix(&leaf.key).is_some_and(|rest| rest.starts_with(['[', '.']));
    config.problems().into_iter().find(|(part, _)| of_key(part))
}

/// Keys with full names as one nested object.
fn nested(settings: &[Setting]) -> Value {
    let mut root = Map::new();
    for setting in settings {
        let mut path: Vec<&str> = setting.key.split('.').collect();
        let Some(last) = path.pop() else { continue };
        let mut at = &mut root;
        for part in path {
            let section = at.entry(part).or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(section) = section else { return Value::Null };
            at = section;
        }
        at.insert(last.to_owned(), setting.value.clone());
    }
    Value::Object(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PROJECT: Layer = Layer::Project { trusted: false };

    fn source(layer: Layer, text: &str) -> Source {
        Source::new(layer, format!("{layer}.toml"), text).dir("/repo")
    }

    fn loaded(sources: &[(Layer, &str)]) -> Result<Loaded, String> {
        let sources: Vec<_> = sources.iter().map(|(layer, text)| source(*layer, text)).collect();
        load(&sources, &Surroundings::new("/repo")).map_err(|e| e.to_string())
    }

    fn shown(loaded: &Loaded, key: &str) -> String {
        let setting = loaded.setting(key).unwrap();
        let origins: Vec<_> = setting.origins.iter().map(Origin::to_string).collect();
        format!("{} from {}", setting.value, origins.join(", "))
    }

    #[test]
    fn a_later_layer_wins_and_each_value_knows_its_line() {
        let got = loaded(&[
            (Layer::Flag, "tools.shell.timeout = 7"),
            (Layer::Managed, "[tools.shell]\nbackground_timeout_secs = 60\n"),
            (Layer::User, "[tools]\nsummarize_output = false\n[tools.shell]\ntimeout = 5\n"),
        ])
        .unwrap();
        assert_eq!(shown(&got, "tools.shell.timeout"), "7 from flag.toml");
        assert_eq!(shown(&got, "tools.shell.background_timeout_secs"), "60 from managed.toml:2");
        assert_eq!(shown(&got, "tools.summarize_output"), "false from user.toml:2");
        assert_eq!(shown(&got, "tools.enabled"), "true from built-in");
        assert_eq!(got.config.tools.shell.timeout, 7);
    }

    #[test]
    fn strict_lists_are_joined_and_no_layer_takes_an_entry_away() {
        let got = loaded(&[
            (Layer::Managed, "tools.shell.blocked_commands = ['sudo']"),
            (Layer::User, "tools.shell.blocked_commands = []"),
            (PROJECT, "[tools.shell]\nblocked_commands = [\n  'git push',\n  'sudo',\n]"),
        ])
        .unwrap();
        assert_eq!(
            shown(&got, "tools.shell.blocked_commands"),
            "[\"sudo\",\"git push\"] from managed.toml:1, project.toml:3"
        );
    }

    #[test]
    fn a_project_may_tighten_until_it_is_trusted() {
        for (text, fits) in [
            ("tools.shell.timeout = 5", true),
            ("tools.shell.timeout = 31", false),
            ("tools.shell.allow_network = false", true),
            ("tools.enabled = false", true),
            ("tools.shell.allowed_commands = ['curl']", false),
            ("tools.shell.allowed_commands = []", true),
            ("tools.shell.allowed_paths = ['src']", true),
            ("tools.shell.allowed_paths = ['/etc']", false),
            ("tools.shell.allowed_paths = ['/repo-of-another']", false),
            ("tools.shell.env_allow = ['AWS_SECRET_ACCESS_KEY']", false),
            ("tools.shell.max_background_runs = 9", false),
            ("tools.shell.confirm_patterns = ['deploy']", true),
            ("tools.shell.persist_cwd = true", true),
        ] {
            let tight = loaded(&[(PROJECT, text)]);
            assert_eq!(tight.is_ok(), fits, "{text}: {:?}", tight.err());
            assert!(loaded(&[(Layer::Project { trusted: true }, text)]).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_project_that_switches_off_cannot_be_used_to_switch_on() {
        let user = (Layer::User, "tools.shell.allow_network = false");
        assert!(loaded(&[user, (PROJECT, "tools.shell.allow_network = true")]).is_err());
        let trusted = loaded(&[user, (Layer::Project { trusted: true }, "tools.shell.allow_network = true")]);
        assert!(trusted.unwrap().config.tools.shell.allow_network);
    }

    #[test]
    fn what_is_managed_is_loosened_by_nobody() {
        let managed = (
            Layer::Managed,
            "[tools.shell]\ntimeout = 60\nallow_network = false\nallowed_commands = ['curl']",
        );
        for layer in [Layer::User, Layer::Project { trusted: true }, Layer::Flag] {
            for (text, fits) in [
                ("tools.shell.timeout = 61", false),
                ("tools.shell.timeout = 60", true),
                ("tools.shell.allow_network = true", false),
                ("tools.shell.allowed_commands = ['curl', 'wget']", false),
                ("tools.shell.allowed_commands = []", true),
                ("tools.shell.max_background_runs = 100", true),
            ] {
                let got = loaded(&[managed, (layer, text)]);
                assert_eq!(got.is_ok(), fits, "{layer}: {text}: {:?}", got.err());
            }
        }
        // The bound is what is managed, not what someone tightened it to in between.
        let got = loaded(&[
            managed,
            (Layer::User, "tools.shell.timeout = 5"),
            (Layer::Flag, "tools.shell.timeout = 50"),
        ]);
        assert_eq!(got.unwrap().config.tools.shell.timeout, 50);
    }

    #[test]
    fn a_link_out_of_the_project_is_seen_through() {
        let sources = [source(PROJECT, "tools.shell.allowed_paths = ['link/deep']")];
        let through = |path: &Path| Ok(Path::new("/etc").join(path.strip_prefix("/repo/link").unwrap()));
        let around = Surroundings { resolve: &through, ..Surroundings::new("/repo") };
        let error = load(&sources, &around).unwrap_err().to_string();
        assert!(error.contains("/etc/deep is not inside /repo"), "{error}");
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let said = loaded(&[
            (Layer::User, "[tools.shell]\ntimeout = 0\nblockd_commands = []\n"),
            (PROJECT, "[toolz]\n"),
        ]);
        let said = said.unwrap_err();
        for part in
            ["user.toml:2:11", "user.toml:3:1", "did you mean `blocked_commands`?", "project.toml:1:2"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    #[test]
    fn every_value_that_the_schema_takes_decodes() {
        let keys = Keys::new(schema()).all(&serde_json::to_value(Config::default()).unwrap());
        let config = nested(
            &keys
                .iter()
                .map(|k| Setting {
                    key: k.name.clone(),
                    value: k.default.clone(),
                    origins: vec![],
                    rule: k.rule,
                })
                .collect::<Vec<_>>(),
        );
        assert_eq!(serde_json::from_value::<Config>(config).unwrap(), Config::default());
    }

    #[test]
    fn a_flag_sets_one_key() {
        let text = |value| Source::flag("--config", "a.b", value).text;
        assert_eq!(text("5"), "a.b = 5");
        assert_eq!(text("[\"x\"]"), "a.b = [\"x\"]");
        assert_eq!(text("rm it"), "a.b = \"rm it\"");
        assert_eq!(text(""), "a.b = \"\"");
        assert_eq!(text("5\nc = 6"), "a.b = \"5\\nc = 6\"");
        assert_eq!(text("[\n5]"), "a.b = \"[\\n5]\"");
        assert_eq!(text("5 # why"), "a.b = \"5 # why\"");
    }

    fn line() -> impl Strategy<Value = String> {
        let value = prop_oneof![
            (0u64..100).prop_map(|n| n.to_string()),
            any::<bool>().prop_map(|b| b.to_string()),
            prop::collection::vec("[a-c/.]{0,3}", 0..3).prop_map(|l| format!("{l:?}")),
        ];
        let key = prop::sample::select(vec![
            "enabled",
            "shell.timeout",
            "shell.blocked_commands",
            "shell.allowed_commands",
            "shell.allowed_paths",
            "shell.allow_network",
            "shell.confirm_patterns",
            "shell.env_allow",
            "shell.max_background_runs",
            "shell.background_timeout_secs",
        ]);
        (key, value).prop_map(|(key, value)| format!("tools.{key} = {value}\n"))
    }

    proptest! {
        #[test]
        fn a_project_that_loads_is_never_looser_than_none(user in line(), project in line()) {
            let Ok(without) = loaded(&[(Layer::User, &user)]) else { return Ok(()) };
            let Ok(with) = loaded(&[(Layer::User, &user), (PROJECT, &project)]) else { return Ok(()) };
            let (a, b) = (without.config.tools, with.config.tools);
            prop_assert!(b.shell.timeout <= a.shell.timeout && b.enabled <= a.enabled);
            prop_assert!(b.shell.allow_network <= a.shell.allow_network);
            prop_assert!(b.shell.max_background_runs <= a.shell.max_background_runs);
            prop_assert!(a.shell.blocked_commands.iter().all(|c| b.shell.blocked_commands.contains(c)));
            prop_assert!(a.shell.confirm_patterns.iter().all(|c| b.shell.confirm_patterns.contains(c)));
            prop_assert!(b.shell.allowed_commands.iter().all(|c| a.shell.allowed_commands.contains(c)));
            prop_assert!(b.shell.env_allow.iter().all(|c| a.shell.env_allow.contains(c)));
            let root = [PathBuf::from("/repo")];
            let places = if a.shell.allowed_paths.is_empty() { &root[..] } else { &a.shell.allowed_paths };
            prop_assert!(b.shell.allowed_paths.iter().all(|p| places.iter().any(|a| p.starts_with(a))));
        }

        #[test]
        fn any_text_gives_a_configuration_or_errors(text in "[a-z\\[\\]=.'\"{}\n0-9 é#-]{0,80}") {
            let _ = loaded(&[(PROJECT, &text)]);
        }
    }
}
