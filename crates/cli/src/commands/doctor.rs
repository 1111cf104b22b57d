//! `toolgate doctor`: what this machine can enforce, shown by attacks on itself.

use std::fmt::Write as _;

use toolgate::boundary::{Level, Verdict, examine};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{DoctorReport, FindingReport};
use crate::ui::{Style, Ui};

/// Show what this machine can enforce, and prove it by small attacks
///
/// Runs hostile programs inside the boundary, each trying what the boundary promises to prevent. Exits
/// with 0 if the boundary is whole, 1 if anything is missing or broken.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {}

impl Doctor {
    pub(super) fn run(self, ui: Ui) -> Result<Exit, Failure> {
        let found = examine(&std::env::temp_dir(), Level::None).map_err(|error| {
            Failure::io("examining the boundary", std::io::Error::other(error.to_string()))
        })?;
        let exit = if found.is_whole() { Exit::Success } else { Exit::No };
        let report = DoctorReport {
            level: found.enforcement.level.as_str().to_owned(),
            landlock_abi: found.enforcement.landlock_abi,
            missing: found.enforcement.missing.iter().map(|m| m.code().to_owned()).collect(),
            findings: found
                .findings
                .iter()
                .map(|f| FindingReport {
                    name: f.name.to_owned(),
                    claim: f.claim.to_owned(),
                    verdict: verdict(f.verdict).to_owned(),
                })
                .collect(),
        };
        let human = || {
            let mut text = String::new();
            // Writing to a String can't fail.
            let level = ui.out_style(
                if found.is_whole() { Style::Strong } else { Style::Bad },
                found.enforcement.level.as_str(),
            );
            let _ = writeln!(text, "boundary: {level} (Landlock ABI {})", found.enforcement.landlock_abi);
            for missing in &found.enforcement.missing {
                let _ = writeln!(text, "  missing  {}", missing.code());
                if let Some(remedy) = missing.remedy() {
                    let _ = writeln!(text, "           {remedy}");
                }
            }
            for finding in &found.findings {
                let style = match finding.verdict {
                    Verdict::Held => Style::Faint,
                    Verdict::Skipped => Style::Note,
                    Verdict::Broken => Style::Bad,
                };
                let _ = writeln!(
                    text,
                    "  {}  {}",
                    ui.out_style(style, &format!("{:7}", verdict(finding.verdict))),
                    finding.claim
                );
            }
            text
        };
        ui.answer(report, human)?;
        Ok(exit)
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "held",
        Verdict::Broken => "BROKEN",
        Verdict::Skipped => "skipped",
    }
}
