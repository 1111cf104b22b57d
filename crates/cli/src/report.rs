//! Every JSON form that `--json` gives, in this one place.
//!
//! Each is one object on one line with `"version": 1`. Fields may be added; a change of what one
//! means, or its removal, makes a new version.

mod outputs;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate::exec::{Reason, ToolOutput};

pub(crate) use outputs::*;

use crate::exit::Exit;

/// The version of all forms.
pub(crate) const VERSION: u32 = 1;

/// A form with its version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Versioned<T> {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// The form itself.
    #[serde(flatten)]
    pub(crate) body: T,
}

impl<T> Versioned<T> {
    /// The current version of a form.
    pub(crate) fn new(body: T) -> Self {
        Self { version: VERSION, body }
    }
}

/// What `run`, `call` and `exec` give, and every verb that fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallReport {
    /// What came of it: tells our own refusals from a command's exit status of the same number.
    pub(crate) status: CallStatus,
    /// The exit code of this process.
    pub(crate) exit_code: u8,
    /// What the call gave; with an error, what it had given by then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) output: Option<ToolOutput>,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) error: Option<ErrorReport>,
}

impl CallReport {
    /// A call that ran to its end.
    pub(crate) fn completed(exit: Exit, output: ToolOutput) -> Self {
        Self { status: CallStatus::Completed, exit_code: exit.code(), output: Some(output), error: None }
    }

    /// A text without a call of ours.
    pub(crate) fn nothing_to_run() -> Self {
        Self { status: CallStatus::NothingToRun, exit_code: Exit::Success.code(), output: None, error: None }
    }
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CallStatus {
    /// It ran to its end, whatever its exit status.
    Completed,
    /// There was nothing of ours in the text.
    NothingToRun,
    /// A rule forbids it.
    Refused,
    /// It needs an approval that nobody gave.
    Unapproved,
    /// It ran out of time.
    TimedOut,
    /// It was stopped by a signal.
    Cancelled,
    /// It could not be done.
    Failed,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ErrorReport {
    /// A stable kebab-case code.
    pub(crate) code: String,
    /// What was being done and what went wrong.
    pub(crate) message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) hints: Vec<String>,
    /// The reasons of a refusal or question.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) reasons: Vec<Reason>,
    /// What is wrong with the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) problems: Vec<ProblemReport>,
}

/// One thing that is wrong with a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProblemReport {
    /// What.
    pub(crate) message: String,
    /// Where.
    pub(crate) place: PlaceReport,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) hint: Option<String>,
}

/// A place in a file; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlaceReport {
    /// The file, or the flag.
    pub(crate) file: String,
    /// The line.
    pub(crate) line: usize,
    /// The character in the line.
    pub(crate) column: usize,
}

/// What `tools` gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolsReport {
    /// The tools a model may be shown.
    pub(crate) tools: Vec<ToolReport>,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolReport {
    /// Its id.
    pub(crate) id: String,
    /// What it does.
    pub(crate) description: String,
    /// The fence tag that calls it, where one does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) fence: Option<String>,
    /// What it can do at all.
    pub(crate) capabilities: Vec<String>,
    /// The JSON Schema of its parameters.
    pub(crate) schema: Value,
    /// The JSON Schema of its structured result, where it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) output_schema: Option<Value>,
}

/// What `parse` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ParseReport {
    /// `complete`, or `unknown` where any of the text is not understood for certain.
    pub(crate) parse: String,
    /// Why it is unknown: a stable code.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) reason: Option<String>,
    /// Where reading stopped, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) at: Option<[u32; 2]>,
    /// Every command word that could run.
    pub(crate) programs: Vec<ProgramReport>,
    /// Every redirection.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) redirections: Vec<RedirectionReport>,
}

/// A command word: a program, a builtin or a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProgramReport {
    /// Its name; null if it is known only when it runs.
    pub(crate) name: Option<String>,
    /// Whether it is known only when it runs.
    pub(crate) dynamic: bool,
    /// The bytes of the command word.
    pub(crate) span: [u32; 2],
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RedirectionReport {
    /// Its text.
    pub(crate) text: String,
    /// Its bytes.
    pub(crate) span: [u32; 2],
}

/// What `check` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VerdictReport {
    /// `allow`, `ask` or `deny`.
    pub(crate) verdict: String,
    /// `complete`, or `unknown` where any of the text is not understood for certain.
    pub(crate) parse: String,
    /// The programs that could run, by name, those inside wrappers and code strings included.
    pub(crate) programs: Vec<String>,
    /// What it would do.
    pub(crate) effects: Vec<EffectReport>,
    /// Why it is not simply allowed, or what allowing it rests on.
    pub(crate) reasons: Vec<ReasonReport>,
}

/// One thing that a command would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EffectReport {
    /// What kind of thing: `read`, `net send`, `unknown` …
    pub(crate) kind: String,
    /// On what, where that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) target: Option<String>,
    /// The bytes it is about.
    pub(crate) span: [u32; 2],
}

/// One reason of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReasonReport {
    /// What this reason alone asks for.
    pub(crate) verdict: String,
    /// A stable kebab-case code; see `toolgate explain`.
    pub(crate) code: String,
    /// One sentence.
    pub(crate) message: String,
    /// The bytes it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) span: Option<[u32; 2]>,
    /// The rule that says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) rule: Option<String>,
    /// The layer of policy it comes from.
    pub(crate) source: String,
    /// The smallest grant that would lift it; absent for a hard rule.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) grant: Option<String>,
    /// What can be done in its place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) instead: Option<String>,
}

/// What `grants list`, `add` and `revoke` give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GrantsReport {
    /// The grants.
    pub(crate) grants: Vec<GrantReport>,
}

/// One grant; what `grants show` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GrantReport {
    /// Its id.
    pub(crate) id: String,
    /// `session`, `project` or `user`.
    pub(crate) scope: String,
    /// The project it is kept for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) project: Option<String>,
    /// The tool it is for.
    pub(crate) tool: String,
    /// The command, or the parameters of the call.
    pub(crate) command: String,
    /// The effects it may have.
    pub(crate) may: Vec<String>,
    /// The directory it must run in or below; absent where that is any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) within: Option<String>,
    /// When it was given, in seconds of Unix time.
    pub(crate) created: u64,
    /// When it ends.
    pub(crate) expires: u64,
    /// Whether it has ended.
    pub(crate) ended: bool,
}

/// What `filter` gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FilterReport {
    /// The text for the model.
    pub(crate) text: String,
    /// The exit status, as given.
    pub(crate) exit: i32,
    /// What was saved.
    pub(crate) stats: Value,
}

/// What `doctor` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DoctorReport {
    /// `full`, `full-no-proc`, `landlock` or `none`.
    pub(crate) level: String,
    /// The version of the kernel's Landlock interface; 0 is none.
    pub(crate) landlock_abi: u32,
    /// What was asked for and is not in force, by code.
    pub(crate) missing: Vec<String>,
    /// What became of each attack.
    pub(crate) findings: Vec<FindingReport>,
}

/// What became of one attack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FindingReport {
    /// The attack's name.
    pub(crate) name: String,
    /// What the boundary promises about it.
    pub(crate) claim: String,
    /// `held`, `BROKEN` or `skipped`.
    pub(crate) verdict: String,
}

/// What `policy test` gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyTestReport {
    /// Cases in all.
    pub(crate) total: usize,
    /// Allowed where that is not accepted: a failure of security.
    pub(crate) miss: Vec<String>,
    /// Denied where that is not accepted.
    pub(crate) overblock: Vec<String>,
    /// Asked about where only allow is accepted.
    pub(crate) overask: Vec<String>,
    /// Asked about where only deny is accepted.
    pub(crate) softer: Vec<String>,
}

/// What `policy diff` gives: commands that two profiles judge differently.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyDiffReport {
    /// Commands in all.
    pub(crate) total: usize,
    /// Those that differ.
    pub(crate) changed: Vec<ChangedReport>,
}

/// One command that two profiles judge differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangedReport {
    /// The command.
    pub(crate) command: String,
    /// What the first says.
    pub(crate) before: String,
    /// What the second says.
    pub(crate) after: String,
}

/// What `policy check` gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyCheckReport {
    /// Whether there is nothing to tell.
    pub(crate) ok: bool,
    /// The profile in force, where the configuration can be read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) profile: Option<String>,
    /// How many rules there are.
    pub(crate) rules: usize,
    /// How many entries of lists.
    pub(crate) entries: usize,
    /// What is wrong, or can never have an effect.
    pub(crate) findings: Vec<PolicyFindingReport>,
}

/// One thing that `policy check` tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyFindingReport {
    /// The file and line.
    pub(crate) at: String,
    /// What.
    pub(crate) message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) hint: Option<String>,
}

/// What `policy coverage` gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyCoverageReport {
    /// Calls in all.
    pub(crate) calls: usize,
    /// Every rule and list entry.
    pub(crate) parts: Vec<CoveredReport>,
}

/// What one rule or list entry did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoveredReport {
    /// `rule`, `list`, `blocked` or `confirmed`.
    pub(crate) kind: String,
    /// Its name; an entry's text.
    pub(crate) name: String,
    /// `allow`, `ask` or `deny`.
    pub(crate) action: String,
    /// Whose it is, for a rule.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) layer: Option<String>,
    /// The file and line, or the key.
    pub(crate) origin: String,
    /// Calls that it is about.
    pub(crate) calls: usize,
    /// Those of them that would be judged otherwise without it, for a rule.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) decided: Option<usize>,
    /// Why it can never fire, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) never: Option<String>,
}

/// What `config show` gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConfigReport {
    /// Every key.
    pub(crate) settings: Vec<SettingReport>,
    /// Every file that was looked for.
    pub(crate) files: Vec<FileReport>,
}

/// One key of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SettingReport {
    /// Its full name.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: Value,
    /// Where it is from: one for the value, or one for each entry of a list that layers add to.
    pub(crate) origins: Vec<OriginReport>,
}

/// Where a value is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OriginReport {
    /// `built-in`, `managed`, `user`, `project` or `flag`.
    pub(crate) layer: String,
    /// The file, or the flag.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) name: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) line: Option<usize>,
}

/// A configuration file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileReport {
    /// `managed`, `user` or `project`.
    pub(crate) layer: String,
    /// Its path.
    pub(crate) path: String,
    /// Whether it is there.
    pub(crate) found: bool,
    /// Whether the user trusts it, for a project's file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) trusted: Option<bool>,
}

/// What `config check` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CheckReport {
    /// Whether nothing is wrong.
    pub(crate) ok: bool,
    /// The files that were read.
    pub(crate) files: Vec<FileReport>,
    /// What is wrong.
    pub(crate) problems: Vec<ProblemReport>,
}

/// What `config schema` gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SchemaReport {
    /// The JSON Schema of `toolgate.toml`.
    pub(crate) schema: Value,
}

/// What `config trust` gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrustReport {
    /// The project's file.
    pub(crate) path: String,
    /// Whether it is trusted now.
    pub(crate) trusted: bool,
    /// The project's other files, of which the same is true.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) also: Vec<String>,
}

/// What `completions` and `man` give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextReport {
    /// The script or page.
    pub(crate) text: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::DeserializeOwned;
    use serde_json::json;
    use std::fmt::Debug;
    use toolgate::exec::{ExitStatus, Truncation};

    pub(super) fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(body: T) {
        let report = Versioned::new(body);
        let text = serde_json::to_string(&report).unwrap();
        assert!(text.starts_with("{\"version\":1,") && !text.contains('\n'), "{text}");
        assert_eq!(serde_json::from_str::<Versioned<T>>(&text).unwrap(), report);
    }

    #[test]
    fn every_form_is_one_line_and_comes_back_as_it_was() {
        let place = PlaceReport { file: "a.toml".into(), line: 3, column: 1 };
        let problem = ProblemReport { message: "m".into(), place, hint: Some("h".into()) };
        let file =
            FileReport { layer: "project".into(), path: "/p".into(), found: true, trusted: Some(false) };
        let output = ToolOutput::new("bash", "a\nb")
            .with_exit(ExitStatus::Signal(9))
            .with_truncation(Some(Truncation { total_bytes: 3, dropped_bytes: 2, dropped_lines: 1 }));
        let error = ErrorReport {
            code: "a-code".into(),
            message: "m".into(),
            hints: vec!["h".into()],
            reasons: vec![
                Reason::new("a-code", "m").span(1..2).rule("r").source("user").grant("g").hint("h"),
            ],
            problems: vec![problem.clone()],
        };
        for status in [
            CallStatus::Completed,
            CallStatus::NothingToRun,
            CallStatus::Refused,
            CallStatus::Unapproved,
            CallStatus::TimedOut,
            CallStatus::Cancelled,
            CallStatus::Failed,
        ] {
            let (output, error) = (Some(output.clone()), Some(error.clone()));
            round_trip(CallReport { status, exit_code: 137, output, error });
        }
        round_trip(CallReport { status: CallStatus::Failed, exit_code: 0, output: None, error: None });
        round_trip(VerdictReport {
            verdict: "ask".into(),
            parse: "complete".into(),
            programs: vec!["rm".into()],
            effects: vec![EffectReport { kind: "delete".into(), target: Some("x".into()), span: [3, 4] }],
            reasons: vec![ReasonReport {
                verdict: "ask".into(),
                code: "loses-work".into(),
                message: "m".into(),
                span: Some([3, 4]),
                rule: Some("r".into()),
                source: "profile".into(),
                grant: Some("g".into()),
                instead: Some("i".into()),
            }],
        });
        round_trip(ParseReport {
            parse: "complete".into(),
            reason: Some("r".into()),
            at: Some([1, 2]),
            programs: vec![ProgramReport { name: None, dynamic: true, span: [0, 3] }],
            redirections: vec![RedirectionReport { text: ">x".into(), span: [4, 6] }],
        });
        round_trip(ToolsReport {
            tools: vec![ToolReport {
                id: "bash".into(),
                description: "d".into(),
                fence: Some("bash".into()),
                capabilities: vec!["reads".into()],
                schema: json!({"type": "object"}),
                output_schema: Some(json!({})),
            }],
        });
        let finding =
            PolicyFindingReport { at: "a.toml:1".into(), message: "m".into(), hint: Some("h".into()) };
        round_trip(PolicyCheckReport {
            ok: false,
            profile: Some("default".into()),
            rules: 1,
            entries: 2,
            findings: vec![finding],
        });
        round_trip(PolicyCoverageReport {
            calls: 3,
            parts: vec![CoveredReport {
                kind: "rule".into(),
                name: "n".into(),
                action: "deny".into(),
                layer: Some("user".into()),
                origin: "a.toml:1".into(),
                calls: 2,
                decided: Some(1),
                never: Some("w".into()),
            }],
        });
        round_trip(ConfigReport {
            settings: vec![SettingReport {
                key: "tools.enabled".into(),
                value: json!(true),
                origins: vec![OriginReport { layer: "user".into(), name: Some("/u".into()), line: Some(2) }],
            }],
            files: vec![file.clone()],
        });
        round_trip(CheckReport { ok: false, files: vec![file], problems: vec![problem] });
        round_trip(SchemaReport { schema: json!({"type": "object"}) });
        round_trip(TrustReport { path: "/p".into(), trusted: true, also: vec!["/q".into()] });
        round_trip(TextReport { text: "t".into() });
    }
}
