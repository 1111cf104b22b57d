//! `toolgate config show`: the merged configuration, and where each value is from.

use std::fmt::Write as _;

use serde_json::Value;
use toolgate::config::{Loaded, Origin, Rule, Setting, to_toml};

use crate::commands::Globals;
use crate::config_files;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::{ConfigReport, OriginReport, SettingReport};
use crate::session_flags::start_dir;
use crate::ui::{Style, Ui};

/// Print the configuration that counts here
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// Say where each value is from
    #[arg(long)]
    origin: bool,
}

impl Show {
    pub(super) fn run(self, ui: Ui, globals: &Globals) -> Result<Exit, Failure> {
        let (loaded, found) = config_files::read(&start_dir(None)?, &globals.config)?;
        let report = ConfigReport {
            settings: loaded.settings().iter().map(report).collect(),
            files: found.iter().map(config_files::Found::report).collect(),
        };
        ui.answer(report, || text(ui, &loaded, self.origin))?;
        Ok(Exit::Success)
    }
}

fn report(setting: &Setting) -> SettingReport {
    let origins = setting.origins.iter().map(|origin| OriginReport {
        layer: origin.layer.to_string(),
        name: (!origin.name.is_empty()).then(|| origin.name.to_string()),
        line: (origin.line > 0).then_some(origin.line),
    });
    SettingReport { key: setting.key.clone(), value: setting.value.clone(), origins: origins.collect() }
}

/// The configuration as a `toolgate.toml` would say it.
fn text(ui: Ui, loaded: &Loaded, origin: bool) -> String {
    // Lines with what is said about each; the notes stand in one column.
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut last = "";
    for setting in loaded.settings() {
        let (section, key) = setting.key.rsplit_once('.').unwrap_or(("", &setting.key));
        if section != last {
            if !lines.is_empty() {
                lines.push(Default::default());
            }
            lines.push((format!("[{section}]"), String::new()));
            last = section;
        }
        let from = |at: usize| setting.origins.get(at).map(ToString::to_string).unwrap_or_default();
        match &setting.value {
            // A list that several layers added to says for each entry who did.
            Value::Array(list) if origin && setting.rule.joins() && !list.is_empty() => {
                lines.push((format!("{key} = ["), String::new()));
                lines.extend(
                    list.iter().enumerate().map(|(at, v)| (format!("    {},", to_toml(v)), from(at))),
                );
                lines.push(("]".to_owned(), String::new()));
            }
            // What layers say each for themselves is from all of them.
            value if setting.rule == Rule::Each => {
                let origins: Vec<String> = setting.origins.iter().map(Origin::to_string).collect();
                lines.push((format!("{key} = {}", to_toml(value)), origins.join(", ")));
            }
            value => lines.push((format!("{key} = {}", to_toml(value)), from(0))),
        }
    }
    /// Longer lines have their note right behind them.
    const WIDEST_COLUMN: usize = 48;
    let width =
        lines.iter().map(|(l, _)| l.chars().count()).filter(|w| *w <= WIDEST_COLUMN).max().unwrap_or(0);
    let mut text = String::new();
    for (line, note) in lines {
        // Writing to a String can't fail.
        let _ = match origin && !note.is_empty() {
            true => writeln!(text, "{line:width$}  {}", ui.out_style(Style::Faint, &format!("# {note}"))),
            false => writeln!(text, "{line}"),
        };
    }
    text
}
