//! `toolgate filter test`: whether filter rules do what their examples say.

use std::path::PathBuf;

use toolgate::config::{ConfigError, ConfigErrors, Layer};
use toolgate::filter::{Origin, test_rules};

use crate::commands::Globals;
use crate::config_files::{self, Found};
use crate::exit::Exit;
use crate::failure::{Failure, problems};
use crate::filter_rules;
use crate::report::{RuleFileReport, RuleReport, RulesReport};
use crate::session_flags::start_dir;
use crate::ui::{Ui, visible};

/// Check filter rules, and run their examples
///
/// Those of the user and the project, trusted or not, or of one file. Exits with 1 where a file is wrong or
/// an example does not hold; the place is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Check this file instead, as if it were the user's
    file: Option<PathBuf>,
}

impl Test {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let start = start_dir(None)?;
        let files = match &self.file {
            Some(path) => vec![Found::named(path, Layer::User)?],
            None => {
                let (loaded, _) = config_files::read(&start, &globals.config)?;
                filter_rules::find(&start, &loaded)?
            }
        };
        let mut report = RulesReport { ok: true, files: Vec::new() };
        let mut human = String::new();
        for file in &files {
            let Some(text) = &file.text else { continue };
            let (tested, errors) = tested(file, text);
            report.ok &= errors.0.is_empty();
            human.push_str(&told(&tested, &errors));
            report.files.push(tested);
        }
        if report.files.is_empty() {
            human.push_str("there are no filter rules of yours or of this project\n");
        }
        let exit = if report.ok { Exit::Success } else { Exit::No };
        ui.answer(report, || human)?;
        Ok(exit)
    }
}

fn tested(file: &Found, text: &str) -> (RuleFileReport, ConfigErrors) {
    let (origin, used) = match file.layer {
        Layer::Project { trusted } => (Origin::Project, trusted),
        _ => (Origin::User, true),
    };
    let name = file.path.display().to_string();
    let (mut rules, mut errors) = (Vec::new(), Vec::new());
    match test_rules(text, origin) {
        Ok(tested) => {
            for rule in tested {
                let hold = rule.examples - rule.failures.len();
                rules.push(RuleReport { name: rule.name, examples: rule.examples, hold });
                errors.extend(rule.failures.iter().map(|error| ConfigError::in_filters(&name, text, error)));
            }
        }
        Err(error) => errors.push(ConfigError::in_filters(&name, text, &error)),
    }
    let errors = ConfigErrors(errors);
    (RuleFileReport { path: name, used, rules, problems: problems(&errors) }, errors)
}

fn told(file: &RuleFileReport, errors: &ConfigErrors) -> String {
    let not_used = if file.used { "" } else { "  (not used until trusted: `toolgate config trust`)" };
    let mut text = format!("{}{not_used}\n", visible(&file.path));
    for rule in &file.rules {
        text.push_str(&format!(
            "  {}  {} of {} examples hold\n",
            visible(&rule.name),
            rule.hold,
            rule.examples
        ));
    }
    for error in &errors.0 {
        text.push_str(&format!("\n{error}\n"));
    }
    text
}
