//! Judges by lists of tools: what a sub-agent was given, and what it must not have.

use toolgate_exec::{Gate, Reason, Session, ToolCall, ToolDef, Verdict};

use super::tool_pattern::{BadPattern, Fit, ToolPattern};

/// The tools that may be used, before what is taken away by name.
#[derive(Clone, Debug, Default)]
pub enum ToolPolicy {
    /// These and no others.
    AllowList(Vec<ToolPattern>),
    /// All but these.
    DenyList(Vec<ToolPattern>),
    /// All of the parent's.
    #[default]
    InheritAll,
}

impl ToolPolicy {
    /// A list of the only tools that may be used.
    ///
    /// # Errors
    /// Where an entry can't be read.
    pub fn allow<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Result<Self, BadPattern> {
        patterns(entries).map(Self::AllowList)
    }

    /// A list of tools that may not be used.
    ///
    /// # Errors
    /// Where an entry can't be read.
    pub fn deny<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Result<Self, BadPattern> {
        patterns(entries).map(Self::DenyList)
    }
}

/// Reads a list of patterns.
///
/// # Errors
/// Where one of them can't be read.
pub fn patterns<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Result<Vec<ToolPattern>, BadPattern> {
    entries.into_iter().map(|e| ToolPattern::parse(e.as_ref())).collect()
}

/// Lets through the calls that a list grants and none that a list takes away; taking away wins.
///
/// A grant with an argument covers a call only if it covers all of it: `Bash(cargo *)` grants
/// `cargo build && cargo test`, and not `cargo build && rm x`, nor a command of which a part can't be
/// known. A refusal with an argument hits a call if it hits any of it, or if nobody can know.
#[derive(Clone, Debug, Default)]
pub struct ToolFilterGate {
    policy: ToolPolicy,
    except: Vec<ToolPattern>,
}

impl ToolFilterGate {
    /// A gate of a policy, minus the calls that `except` names.
    pub fn new(policy: ToolPolicy, except: Vec<ToolPattern>) -> Self {
        Self { policy, except }
    }

    fn denied_by<'a>(list: &'a [ToolPattern], call: &ToolCall) -> Option<&'a ToolPattern> {
        list.iter().find(|p| p.fits(call) != Fit::None)
    }
}

impl Gate for ToolFilterGate {
    fn name(&self) -> &'static str {
        "tools"
    }

    fn check(&self, call: &ToolCall, _: &Session) -> Verdict {
        let refuse = |code: &'static str, message: String| Verdict::deny(Reason::new(code, message));
        let taken = |p: &ToolPattern| {
            refuse("tool-taken-away", format!("`{}` is taken away by `{}`", call.tool_id, p.as_str()))
        };
        if let Some(pattern) = Self::denied_by(&self.except, call) {
            return taken(pattern);
        }
        match &self.policy {
            ToolPolicy::InheritAll => Verdict::Allow,
            ToolPolicy::DenyList(list) => Self::denied_by(list, call).map_or(Verdict::Allow, taken),
            ToolPolicy::AllowList(list) => {
                if covered(list, call) {
                    return Verdict::Allow;
                }
                let granted: Vec<_> = list.iter().map(ToolPattern::as_str).collect();
                refuse(
                    "tool-not-granted",
                    format!("`{}` is not covered by what was granted: {}", call.tool_id, granted.join(", ")),
                )
            }
        }
    }

    fn shows(&self, def: &ToolDef, _: &Session) -> bool {
        let whole = |list: &[ToolPattern]| list.iter().any(|p| *p.id() == def.id && p.is_whole_tool());
        let named = |list: &[ToolPattern]| list.iter().any(|p| *p.id() == def.id);
        !whole(&self.except)
            && match &self.policy {
                ToolPolicy::InheritAll => true,
                ToolPolicy::DenyList(list) => !whole(list),
                ToolPolicy::AllowList(list) => named(list),
            }
    }
}

/// Whether the patterns together cover a call: one of them all of it, or each of its commands one of them.
fn covered(list: &[ToolPattern], call: &ToolCall) -> bool {
    list.iter().any(|p| p.fits(call) == Fit::All) || ToolPattern::cover_each_command(list, call)
}
