//! `tributary providers`: the ready sources, and adding them.

use super::{Place, named_user};
use crate::ready::{self, ReadySource};
use crate::terminal;
use crate::wiring::CATALOGUES;
use clap::{Args, Subcommand};
use domain::contracts::StoreError;
use domain::provider::SearchProvider;
use domain::user::Principal;

/// List the ready sources, or add them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary providers list
  tributary providers list --group science
  tributary providers add arxiv wikipedia
  tributary providers add guardian --credentials key=0123456789")]
pub struct Providers {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the sources that are ready to be added.
    List {
        /// Only sources with this tag.
        #[arg(long)]
        group: Option<String>,
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add ready sources by name.
    Add {
        #[arg(required = true)]
        names: Vec<String>,
        /// The credentials to use instead of the placeholder; only with one name.
        #[arg(long)]
        credentials: Option<String>,
        /// The administrator who will own them.
        #[arg(long, default_value = "admin")]
        user: String,
    },
}

impl Providers {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        match self.action {
            Action::List { group, json } => list(group.as_deref(), json),
            Action::Add { names, credentials, user } => {
                anyhow::ensure!(
                    credentials.is_none() || names.len() == 1,
                    "--credentials belong to one source; add the others by themselves"
                );
                add(place, &names, credentials, &user).await
            }
        }
    }
}

fn list(group: Option<&str>, json: bool) -> anyhow::Result<()> {
    let mut sources = ready::all()?;
    if let Some(group) = group {
        sources.retain(|source| source.draft.tags.iter().any(|tag| tag.eq_ignore_ascii_case(group)));
    }
    if json {
        let drafts: Vec<_> = sources.iter().map(|source| &source.draft).collect();
        terminal::line(serde_json::to_string_pretty(&drafts)?);
        return Ok(());
    }
    let width = sources.iter().map(|source| source.slug.len()).max().unwrap_or(0);
    for source in &sources {
        let key = if source.needs_filling() { "needs a key or address" } else { "no key" };
        terminal::line(format!(
            "{:10}  {:width$}  {:22}  {}",
            source.group(),
            source.slug,
            key,
            source.draft.name
        ));
    }
    terminal::line(format!("{} sources. Add one with: tributary providers add <name>", sources.len()));
    Ok(())
}

pub(super) async fn add(
    place: &Place,
    names: &[String],
    credentials: Option<String>,
    user: &str,
) -> anyhow::Result<()> {
    let sources: Vec<ReadySource> =
        names.iter().map(|name| ready::find(name)).collect::<anyhow::Result<_>>()?;
    let wired = place.open().await?;
    let owner = named_user(&wired, user).await?;
    anyhow::ensure!(owner.is_admin, "'{user}' is not an administrator; providers are theirs to add");
    let transforms = wired.federation.transforms_for(&Principal::of(&owner)).await?;
    for source in sources {
        let mut draft = source.draft.clone();
        if let Some(given) = &credentials {
            draft.credentials.clone_from(given);
            draft.active = true;
        }
        let now = wired.clock.now();
        let errors =
            CATALOGUES.check_provider(&SearchProvider::unsaved(draft.clone(), owner.id, now), &transforms);
        anyhow::ensure!(errors.is_empty(), "{}: {errors}", draft.name);
        match wired.by_command().create_providers(vec![draft], owner.id, now).await {
            Ok(_) if source.needs_filling() && credentials.is_none() => terminal::line(format!(
                "Added {}, not active: {} Fill in its credentials, then activate it.",
                source.draft.name, source.draft.description
            )),
            Ok(_) => terminal::line(format!("Added {}.", source.draft.name)),
            Err(StoreError::Taken(_)) => terminal::line(format!("{} is there already.", source.draft.name)),
            Err(error) => return Err(error.into()),
        }
    }
    wired.store.close().await;
    Ok(())
}
