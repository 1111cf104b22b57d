//! What of a command's output is shown and what becomes of the rest, as the configuration says it.

use toolgate::config::Loaded;
use toolgate::filter::Catalog;
use toolgate::output::{Filters, GainLog, Outputs, ReadBy, SecretValues};

use crate::config_files::home_dir;
use crate::failure::Failure;
use crate::state::state_dir;

/// How much of an output is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shown {
    /// What a model needs: filtered, and no more than the configured characters.
    #[default]
    Distilled,
    /// As it is, but no more than the configured characters.
    Cut,
    /// As it is, all of it. Secrets are masked in any case.
    Whole,
}

/// The handles that the shell and the layers share.
#[derive(Clone, Debug)]
pub(crate) struct Distil {
    pub(crate) secrets: SecretValues,
    pub(crate) filters: Option<Filters>,
    pub(crate) outputs: Outputs,
    pub(crate) shown: Shown,
}

impl Distil {
    /// As the configuration says it, with these rules.
    pub(crate) fn new(loaded: &Loaded, catalog: Option<Catalog>, shown: Shown) -> Result<Self, Failure> {
        let secrets = SecretValues::new();
        let outputs = outputs(loaded).secrets(secrets.clone());
        let filters = match (shown, catalog) {
            (Shown::Distilled, Some(catalog)) => Some(filters(loaded, catalog)?),
            _ => None,
        };
        Ok(Self { secrets, filters, outputs, shown })
    }
}

/// The store of outputs. Nothing is opened yet.
pub(crate) fn outputs(loaded: &Loaded) -> Outputs {
    let section = &loaded.config.tools.overflow;
    let state = state_dir().map(|dir| dir.join("outputs"));
    let mut settings = section.settings(home_dir().as_deref(), state.clone().unwrap_or_default());
    if state.is_none() && section.dir.as_os_str().is_empty() {
        settings.dir = None;
    }
    // Whoever runs this binary reads on by running it again.
    Outputs::new(settings).read_by(ReadBy::Command)
}

fn filters(loaded: &Loaded, catalog: Catalog) -> Result<Filters, Failure> {
    let mut filters = Filters::new(catalog);
    if let Some(log) = gain_log() {
        filters = filters.gain(log);
    }
    let patterns = &loaded.config.tools.filters.security.extra_patterns;
    filters.always_show(patterns).map_err(|error| Failure::Usage {
        message: format!("`tools.filters.security.extra_patterns` can't be used: {error}"),
        hint: None,
    })
}

/// The record of what filters saved.
pub(crate) fn gain_log() -> Option<GainLog> {
    Some(GainLog::new(state_dir()?.join("gain.jsonl")))
}
