//! `tributary settings`: lists all settings with value and origin.

use super::CliContext;
use crate::terminal;
use clap::Args;

/// List all settings with their value and origin.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary settings
  tributary settings timeout
  SVC_TIMEOUT=20 tributary settings timeout

Settings come from the environment or from `tributary.toml`, under the same name: SVC_TIMEOUT = 20. The environment takes
precedence. docs/settings.md describes every setting.")]
pub struct SettingsCommand {
    /// Only settings whose name contains this text.
    filter: Option<String>,
}

/// Maximum width of the value column.
const VALUE_WIDTH_MAX: usize = 40;

impl SettingsCommand {
    pub fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let read = cli.load_settings(&[])?;
        let wanted = self.filter.unwrap_or_default().to_uppercase();
        let rows: Vec<_> = read.effective.iter().filter(|row| row.name.contains(&wanted)).collect();
        anyhow::ensure!(
            !rows.is_empty(),
            "no setting contains '{wanted}' in its name; `tributary settings` lists all"
        );
        let width =
            |of: fn(&domain::settings::EffectiveSetting) -> usize| rows.iter().map(|row| of(row)).max();
        let name_width = width(|row| row.name.len()).unwrap_or(0);
        let value_width = width(|row| row.value.chars().count()).unwrap_or(0).clamp(5, VALUE_WIDTH_MAX);
        terminal::line(format!("{:name_width$}  {:value_width$}  from", "name", "value"));
        for row in rows {
            let (name, value, origin) = (row.name, &row.value, row.origin.as_str());
            terminal::line(format!("{name:name_width$}  {value:value_width$}  {origin}"));
        }
        for remark in &read.remarks {
            terminal::note(format!("Note: {remark}"));
        }
        Ok(())
    }
}
