//! `tributary settings`: what is in force, and why.

use super::Place;
use crate::terminal;
use clap::Args;

/// Print every setting, its value, and where it came from.
#[derive(Debug, Args)]
pub struct SettingsCommand {
    /// Only settings whose name contains this text.
    filter: Option<String>,
}

impl SettingsCommand {
    pub fn run(self, place: &Place) -> anyhow::Result<()> {
        let read = place.read(&[])?;
        let wanted = self.filter.unwrap_or_default().to_uppercase();
        let rows: Vec<_> = read.in_force.iter().filter(|row| row.name.contains(&wanted)).collect();
        let width = |of: fn(&domain::settings::SettingInForce) -> usize| rows.iter().map(|row| of(row)).max();
        let name_width = width(|row| row.name.len()).unwrap_or(0);
        let value_width = width(|row| row.value.chars().count()).unwrap_or(0).max(5);
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
