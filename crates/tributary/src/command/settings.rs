//! `tributary settings`: what is in force, and why.

use super::Place;
use crate::terminal;
use clap::Args;

/// Print every setting, its value, and where it came from.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary settings
  tributary settings timeout
  SVC_TIMEOUT=20 tributary settings timeout

A setting is given in the environment, or in `tributary.toml` under the same name: SVC_TIMEOUT = 20. The environment
stands above the file. docs/settings.md tells what each one means.")]
pub struct SettingsCommand {
    /// Only settings whose name contains this text.
    filter: Option<String>,
}

/// One long value must not push the last column of all others out of sight.
const VALUE_WIDTH_MAX: usize = 40;

impl SettingsCommand {
    pub fn run(self, place: &Place) -> anyhow::Result<()> {
        let read = place.read(&[])?;
        let wanted = self.filter.unwrap_or_default().to_uppercase();
        let rows: Vec<_> = read.in_force.iter().filter(|row| row.name.contains(&wanted)).collect();
        anyhow::ensure!(
            !rows.is_empty(),
            "there is no setting with '{wanted}' in its name; `tributary settings` shows all"
        );
        let width = |of: fn(&domain::settings::SettingInForce) -> usize| rows.iter().map(|row| of(row)).max();
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
