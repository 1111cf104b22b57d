//! The section `[policy]`, and the policy that a whole configuration amounts to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_policy::decide::Policy;
use toolgate_policy::permissions::{BlockList, ConfirmList, PermissionPolicy};
use toolgate_policy::profile::Profile;
use toolgate_policy::rule::{Layer as RuleLayer, RuleError, RuleText, Rules};

use super::{Config, Layer};

/// By what calls are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PolicyConfig {
    /// What is allowed, asked about and denied where no rule says otherwise.
    #[schemars(extend("x-project" = "stricter"))]
    pub profile: ProfileName,
}

/// A profile by its name.
// The laxest first: a project may only go on in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProfileName {
    /// For a throw-away machine: secrets, guards and the loss of everything stay closed.
    Open,
    /// For one person who watches: work in the workspace is free, loss and the unknown are asked about.
    #[default]
    Default,
    /// For unattended or untrusted work: reading is free, everything else is asked about or denied.
    Strict,
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Open => Profile::Open,
            ProfileName::Default => Profile::Default,
            ProfileName::Strict => Profile::Strict,
        }
    }
}

/// The layer of the rule language that a layer of the configuration is.
pub(super) fn rule_layer(layer: Layer) -> RuleLayer {
    match layer {
        Layer::BuiltIn | Layer::Managed => RuleLayer::Managed,
        Layer::User => RuleLayer::User,
        Layer::Project { trusted: true } => RuleLayer::TrustedProject,
        Layer::Project { trusted: false } => RuleLayer::Project,
        Layer::Flag => RuleLayer::Session,
    }
}

/// Puts together what the keys of a configuration say and what its layers say each for themselves.
///
/// The one place where a policy is made of a configuration: the pipeline, `check` and every verb about the
/// policy judge by it.
pub(super) fn policy(
    config: &Config,
    rules: Rules,
    lists: Vec<PermissionPolicy>,
) -> Result<Policy, RuleError> {
    let shell = &config.tools.shell;
    let allowed: Vec<RuleText> = shell.allowed_commands.iter().map(|entry| allowing(entry)).collect();
    Ok(Policy {
        profile: config.policy.profile.into(),
        rules: Rules::compile(&allowed, RuleLayer::User)?.and(rules),
        blocked: BlockList::of(&shell.blocked_commands),
        confirmed: ConfirmList::new(&shell.confirm_patterns),
        lists,
    })
}

/// Why an entry of `allowed_commands` can't be used.
pub(super) fn bad_allowed_command(entry: &str) -> Option<String> {
    let error = Rules::compile(&[allowing(entry)], RuleLayer::User).err()?;
    Some(format!(
        "{}; an entry is a program, or a program and its first words: `curl`, `git push`",
        error.what
    ))
}

/// The rule that an entry of `allowed_commands` stands for: it lifts what a profile asks or denies, and
/// nothing that is hard or blocked.
fn allowing(entry: &str) -> RuleText {
    let mut words = entry.split_whitespace().map(str::to_owned);
    RuleText {
        name: entry.to_owned(),
        origin: "tools.shell.allowed_commands".to_owned(),
        action: "allow".to_owned(),
        why: "it is on the list of allowed commands".to_owned(),
        program: words.by_ref().take(1).collect(),
        args: words.collect(),
        ..RuleText::default()
    }
}
