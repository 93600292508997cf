//! `tributary providers`: the ready sources, and adding them.

use super::{Place, named_user, replace_by_name};
use crate::ready::{self, ReadySource};
use crate::terminal;
use crate::wiring::{PLUGINS, Wired};
use clap::{Args, Subcommand};
use domain::contracts::ProviderStore;
use domain::provider::{ProviderSpec, SearchProvider};
use domain::user::Principal;

/// List the ready sources, or add them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary providers list
  tributary providers list --group science
  tributary providers add arxiv wikipedia
  tributary providers add guardian --credentials key=0123456789

A source that needs something is added without being active, and says what it needs. To add it again with
--credentials fills them in, and makes it active when nothing else is missing.")]
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
        /// Short names, as `tributary providers list` shows them.
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
        sources.retain(|source| source.spec.tags.iter().any(|tag| tag.eq_ignore_ascii_case(group)));
    }
    if json {
        let specs: Vec<_> = sources.iter().map(|source| &source.spec).collect();
        terminal::line(serde_json::to_string_pretty(&specs)?);
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
            source.spec.name
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
        let there = stored(&wired, &source.spec.name).await?;
        let is_new = there.is_none();
        if !is_new && credentials.is_none() {
            terminal::line(format!("{} is there already; nothing was changed.", source.spec.name));
            continue;
        }
        let wish = filled(source, there.map(|provider| provider.spec), credentials.as_deref());
        let now = wired.clock.now();
        let unsaved = SearchProvider::unsaved(wish.spec.clone(), owner.id, now);
        let errors = PLUGINS.check_provider(&unsaved, &transforms);
        anyhow::ensure!(errors.is_empty(), "{}: {errors}", wish.spec.name);
        let name = &wish.spec.name;
        match is_new {
            true => {
                wired.by_command().create_providers(vec![wish.spec.clone()], owner.id, now).await?;
                terminal::line(format!("Added {name}{}", outcome(&wish)));
            }
            false => {
                replace_by_name(&wired, wish.spec.clone()).await?;
                terminal::line(format!("{name} has its credentials now{}", outcome(&wish)));
            }
        }
    }
    wired.store.close().await;
    Ok(())
}

async fn stored(wired: &Wired, name: &str) -> anyhow::Result<Option<SearchProvider>> {
    Ok(wired.store.providers().await?.into_iter().find(|provider| provider.spec.name == name))
}

/// The source as it is to be stored: as somebody left it where it is there, with the credentials that are given now.
/// With them it becomes active when nothing else is missing.
fn filled(source: ReadySource, there: Option<ProviderSpec>, credentials: Option<&str>) -> ReadySource {
    let mut wish = ReadySource { spec: there.unwrap_or(source.spec), slug: source.slug };
    if let Some(given) = credentials {
        given.clone_into(&mut wish.spec.credentials);
        wish.spec.active = wish.needs().is_empty();
    }
    wish
}

/// How a sentence about the source ends: what it needs, and the next step.
fn outcome(wish: &ReadySource) -> String {
    let ReadySource { slug, spec } = wish;
    if spec.active {
        return ".".to_owned();
    }
    let step = match wish.needs().as_slice() {
        [only] if only == "credentials" => {
            format!("tributary providers add {slug} --credentials {}", spec.credentials)
        }
        [] => "activate it in the console, /admin/searchproviders/".to_owned(),
        fields => format!("fill in {} in the console, /admin/searchproviders/", fields.join(", ")),
    };
    format!(", not active: {} Next: {step}", spec.description)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `providers add` would store, and what it says of it.
    fn added(slug: &str, there: Option<ProviderSpec>, credentials: Option<&str>) -> (ReadySource, String) {
        let wish = filled(ready::find(slug).unwrap(), there, credentials);
        let sentence = outcome(&wish);
        (wish, sentence)
    }

    #[test]
    fn a_source_is_active_when_nothing_is_missing() {
        let table = [
            ("arxiv", None, true, "."),
            ("guardian", None, false, "Next: tributary providers add guardian --credentials key="),
            ("guardian", Some("key=abc"), true, "."),
            ("elasticsearch", None, false, "Next: fill in url, query_mappings, credentials in the console"),
            ("elasticsearch", Some("ApiKey=abc"), false, "Next: fill in url, query_mappings in the console"),
            ("gmail", None, false, "Next: activate it in the console"),
        ];
        for (slug, credentials, is_active, sentence) in table {
            let (wish, said) = added(slug, None, credentials);
            assert_eq!(wish.spec.active, is_active, "{slug} {credentials:?}");
            assert!(said.contains(sentence), "{slug} {credentials:?}: {said}");
        }
    }

    #[test]
    fn credentials_that_come_later_leave_the_rest_as_it_is() {
        let (first, _) = added("guardian", None, None);
        let edited = ProviderSpec { results_per_query: 25, ..first.spec };
        let (second, said) = added("guardian", Some(edited), Some("key=abc"));
        assert!(second.spec.active && said == ".", "{said}");
        assert_eq!((second.spec.results_per_query, second.spec.credentials.as_str()), (25, "key=abc"));
    }
}
