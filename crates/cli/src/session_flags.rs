//! The flags that `run`, `call` and `exec` share: where, and with what approval.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::Value;
use toolgate::approval::{Approver, YesToAll};
use toolgate::config::{Source, to_toml};
use toolgate::exec::{CallContext, NetworkScope, SkillTrustLevel};
use toolgate::gates::AutonomyLevel;

use crate::ask::Person;
use crate::failure::Failure;

/// Where a call runs, with what approval, and how far it is trusted.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SessionFlags {
    /// Run in this directory
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Approve beforehand what would be asked
    ///
    /// Answers every question with yes. What a rule forbids stays forbidden.
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,

    /// Say how far the source of the call is trusted
    ///
    /// Whoever types a command vouches for it. For what comes from elsewhere say `quarantined`: it
    /// can read, and nothing more.
    #[arg(long, value_name = "LEVEL", default_value = "trusted", value_parser = trust())]
    pub(crate) trust: SkillTrustLevel,

    /// Say how much is left to the agent
    ///
    /// With `read-only`, tools that only read. Supervised, the policy decides and a person answers
    /// its questions.
    #[arg(long, value_name = "LEVEL", default_value = "supervised", value_parser = autonomy())]
    pub(crate) autonomy: AutonomyLevel,

    /// Refuse what can change anything: the agent looks and plans
    #[arg(long)]
    pub(crate) plan: bool,

    /// Say what of the network the call may reach: deny, allow, or only:HOST,…
    ///
    /// Without it, what `sandbox.network` says: closed unless you open it. Where the boundary is enforced,
    /// the kernel keeps it closed whatever the command is called. `only` can't be enforced yet and is
    /// refused.
    #[arg(long, value_name = "SCOPE", value_parser = network)]
    pub(crate) network: Option<NetworkScope>,

    /// Say what boundary commands run in
    ///
    /// Without it, what `sandbox.preset` says: workspace-write unless you change it.
    #[arg(long, value_name = "PRESET")]
    pub(crate) sandbox: Option<Preset>,

    /// Let commands write in this directory as well
    #[arg(long, value_name = "DIR")]
    pub(crate) writable: Vec<PathBuf>,

    /// Run with less of the boundary than was asked for, where this machine can't give all of it
    ///
    /// What was really enforced is in every result. Questions are then asked as if nothing were enforced.
    #[arg(long)]
    pub(crate) degrade: bool,
}

/// A boundary by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Preset {
    /// Everything but secrets can be read, nothing changed.
    ReadOnly,
    /// As read-only, but the workspace can be changed.
    WorkspaceWrite,
    /// The host's files; only the process tree is bounded.
    Open,
}

impl Preset {
    fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Open => "open",
        }
    }
}

impl SessionFlags {
    /// Those of someone who only looks.
    pub(crate) fn plain() -> Self {
        Self {
            cwd: None,
            yes: false,
            trust: SkillTrustLevel::Trusted,
            autonomy: AutonomyLevel::Supervised,
            plan: false,
            network: None,
            sandbox: None,
            writable: Vec::new(),
            degrade: false,
        }
    }

    /// The directory that calls start in: absolute, and there.
    pub(crate) fn start(&self) -> Result<PathBuf, Failure> {
        start_dir(self.cwd.as_deref())
    }

    /// What the flags set of the configuration, but for [`SessionFlags::writable`].
    pub(crate) fn settings(&self) -> Vec<Source> {
        let mut set = Vec::new();
        if let Some(preset) = self.sandbox {
            set.push(Source::flag("--sandbox", "sandbox.preset", preset.as_str()));
        }
        match &self.network {
            Some(NetworkScope::Deny) => set.push(Source::flag("--network", "sandbox.network", "deny")),
            Some(NetworkScope::Allow) => set.push(Source::flag("--network", "sandbox.network", "allow")),
            _ => {}
        }
        if self.degrade {
            set.push(Source::flag("--degrade", "sandbox.degrade", "true"));
        }
        set
    }

    /// The setting that lets commands write where they may by `configured` and where the flags say.
    pub(crate) fn writable(&self, configured: &[PathBuf]) -> Result<Option<Source>, Failure> {
        if self.writable.is_empty() {
            return Ok(None);
        }
        let mut all: Vec<PathBuf> = configured.to_vec();
        for dir in &self.writable {
            all.push(real_dir(dir, || format!("letting commands write in {}", dir.display()))?);
        }
        let texts = all.iter().map(|dir| {
            let text = dir.to_str().map(Value::from);
            text.ok_or_else(|| Failure::Usage {
                message: format!("--writable {}: the path is not UTF-8", dir.display()),
                hint: None,
            })
        });
        let list = Value::Array(texts.collect::<Result<_, _>>()?);
        Ok(Some(Source::flag("--writable", "sandbox.writable", &to_toml(&list))))
    }

    /// The context of a call that starts in `start`.
    pub(crate) fn context(&self, start: &Path) -> CallContext {
        CallContext::new().cwd(start)
    }

    /// Who answers questions: `--yes`, else the person at the terminal.
    pub(crate) fn approver<'a>(&self, person: &'a Person) -> &'a dyn Approver {
        if self.yes { &YesToAll } else { person }
    }
}

fn network(text: &str) -> Result<NetworkScope, String> {
    match text.split_once(':') {
        None if text == "deny" => Ok(NetworkScope::Deny),
        None if text == "allow" => Ok(NetworkScope::Allow),
        Some(("only", hosts)) if !hosts.trim().is_empty() => Ok(NetworkScope::only(hosts.split(','))),
        _ => Err("expected deny, allow or only:HOST,…".to_owned()),
    }
}

// Both name their values, so that help and completions list them.

fn trust() -> impl TypedValueParser<Value = SkillTrustLevel> {
    PossibleValuesParser::new(SkillTrustLevel::ALL.map(SkillTrustLevel::as_str))
        .try_map(|name| name.parse::<SkillTrustLevel>())
}

fn autonomy() -> impl TypedValueParser<Value = AutonomyLevel> {
    let names = AutonomyLevel::ALL.iter().map(|level| level.as_str());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<AutonomyLevel>())
}

/// The absolute path of the directory to start in.
pub(crate) fn start_dir(flag: Option<&Path>) -> Result<PathBuf, Failure> {
    real_dir(flag.unwrap_or(Path::new(".")), || match flag {
        Some(dir) => format!("changing to {}", dir.display()),
        None => "finding the current directory".to_owned(),
    })
}

/// The absolute path of a directory that must be there.
fn real_dir(dir: &Path, doing: impl Fn() -> String) -> Result<PathBuf, Failure> {
    let real = std::fs::canonicalize(dir).map_err(|error| Failure::io(doing(), error))?;
    if real.is_dir() { Ok(real) } else { Err(Failure::io(doing(), std::io::ErrorKind::NotADirectory.into())) }
}
