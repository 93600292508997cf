//! `tributary reload-prompts`: restores the standard prompts of this version.

use super::CliContext;
use crate::terminal;
use ai::PROMPTS;
use clap::Args;
use domain::ports::PromptStore;
use domain::prompt::PromptRecord;
use std::process::ExitCode;

/// Restore the standard prompts of this version, as every start does. Users' own prompts are kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Prints the result for each prompt. If a user's prompt has the name of a standard prompt, it is kept, and the exit code is 1.

Examples:
  tributary reload-prompts")]
pub struct ReloadPrompts;

impl ReloadPrompts {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        // Opening the store restores the standard prompts.
        let app = cli.open().await?;
        let stored = app.store.prompts().await?;
        app.store.close().await;
        let held = taken_names(&stored);
        for template in PROMPTS {
            let state = if held.contains(&template.name) {
                "not loaded: a user has a prompt with this name; rename that one"
            } else {
                "restored"
            };
            terminal::line(format!("{}: {state}", template.name));
        }
        Ok(if held.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// The standard prompts whose names are taken by users' prompts.
fn taken_names(stored: &[PromptRecord]) -> Vec<&'static str> {
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
        assert!(taken_names(&stored).is_empty());
        stored[1].owner = Some(UserId(7));
        stored[2].spec.parts.note = "Something else.".to_owned();
        assert_eq!(taken_names(&stored), [PROMPTS[1].name, PROMPTS[2].name]);
    }
}
