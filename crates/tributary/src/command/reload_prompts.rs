//! `tributary reload-prompts`: the standard prompts as they came with this version.

use super::Place;
use crate::terminal;
use ai::PROMPTS;
use clap::Args;
use domain::contracts::PromptStore;
use domain::prompt_record::PromptRecord;
use std::process::ExitCode;

/// Put the standard prompts back as they came with this version, as every start does. Prompts of people stay.
#[derive(Debug, Args)]
#[command(after_help = "\
Each prompt is named. One whose name a prompt of somebody's own has is left alone, and the exit code is 1.

Examples:
  tributary reload-prompts")]
pub struct ReloadPrompts;

impl ReloadPrompts {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        // Opening the records puts back what the program brings along.
        let wired = place.open().await?;
        let stored = wired.store.prompts().await?;
        wired.store.close().await;
        let held = held_names(&stored);
        for template in PROMPTS {
            let state = match held.contains(&template.name) {
                false => "as it came",
                true => "left alone: somebody has a prompt of this name; rename that one",
            };
            terminal::line(format!("{}: {state}", template.name));
        }
        Ok(if held.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// The standard prompts that are not stored as they came.
fn held_names(stored: &[PromptRecord]) -> Vec<&'static str> {
    let is_stored = |name: &str, spec| {
        stored.iter().any(|one| one.owner.is_none() && one.spec.name == name && one.spec == spec)
    };
    PROMPTS
        .iter()
        .filter(|template| !is_stored(template.name, template.spec()))
        .map(|template| template.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{PromptId, UserId};
    use domain::instant::Instant;

    #[test]
    fn a_standard_name_may_be_held_by_a_person() {
        let (at, id) = (Instant::default(), PromptId(1));
        let record = |owner, template: &ai::PromptTemplate| PromptRecord {
            id,
            owner,
            spec: template.spec(),
            date_created: at,
            date_updated: at,
        };
        let mut stored: Vec<PromptRecord> = PROMPTS.iter().map(|template| record(None, template)).collect();
        assert!(held_names(&stored).is_empty());
        stored[1].owner = Some(UserId(7));
        stored[2].spec.parts.note = "Something else.".to_owned();
        assert_eq!(held_names(&stored), [PROMPTS[1].name, PROMPTS[2].name]);
    }
}
