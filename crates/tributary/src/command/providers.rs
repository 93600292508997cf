//! `tributary providers`: lists and adds bundled providers.

use super::{CliContext, named_user, replace_by_name};
use crate::app::{App, PLUGINS};
use crate::bundled_providers::{self, ReadySource};
use crate::terminal;
use clap::{Args, Subcommand};
use domain::ports::ProviderStore;
use domain::provider::{ProviderSpec, SearchProvider, is_same_name};
use domain::user::Principal;

/// List or add bundled providers.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary providers list
  tributary providers list --group science
  tributary providers add arxiv wikipedia
  tributary providers add guardian --credentials key=0123456789

A provider that needs credentials or other values is added inactive, and the output says what is missing. Adding it
again with --credentials fills them in and activates it if nothing else is missing.")]
pub struct Providers {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List bundled providers.
    List {
        /// Only providers with this tag.
        #[arg(long)]
        group: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add bundled providers by name.
    Add {
        /// Short names from `tributary providers list`.
        #[arg(required = true)]
        names: Vec<String>,
        /// Credentials to use instead of the placeholder; only with one name.
        #[arg(long)]
        credentials: Option<String>,
        /// The administrator who will own the providers.
        #[arg(long, default_value = "admin")]
        user: String,
    },
}

impl Providers {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        match self.action {
            Action::List { group, json } => list(group.as_deref(), json),
            Action::Add { names, credentials, user } => {
                anyhow::ensure!(
                    credentials.is_none() || names.len() == 1,
                    "--credentials applies to a single provider; add the others separately"
                );
                add(cli, &names, credentials, &user).await
            }
        }
    }
}

fn list(group: Option<&str>, json: bool) -> anyhow::Result<()> {
    let mut sources = bundled_providers::all()?;
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
        terminal::line(format!(
            "{:10}  {:width$}  {:25}  {}",
            source.group(),
            source.slug,
            describe_needs(source),
            source.spec.name
        ));
    }
    terminal::line(format!("{} providers. Add one with: tributary providers add <name>", sources.len()));
    Ok(())
}

/// What must be set up first, in the words of the gallery.
fn describe_needs(source: &ReadySource) -> String {
    let mut words: Vec<&str> = Vec::new();
    for need in source.setup_needs(PLUGINS.connector(&source.spec.connector)) {
        let word = match need.as_str() {
            "credentials" | "http_request_headers" => "a key",
            "authenticator" => "a connected account",
            "url" => "a URL",
            "ai_model" => "an AI model",
            _ => "details of your data",
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() { "no setup needed".to_owned() } else { format!("needs {}", words.join(", ")) }
}

pub(super) async fn add(
    cli: &CliContext,
    names: &[String],
    credentials: Option<String>,
    user: &str,
) -> anyhow::Result<()> {
    let sources: Vec<ReadySource> =
        names.iter().map(|name| bundled_providers::find(name)).collect::<anyhow::Result<_>>()?;
    let app = cli.open().await?;
    let owner = named_user(&app, user).await?;
    anyhow::ensure!(
        owner.is_admin,
        "'{user}' is not an administrator; only administrators may add providers"
    );
    let transforms = app.federation.transforms.transforms_for(&Principal::of(&owner)).await?;
    for source in sources {
        let there = stored(&app, &source.spec.name).await?;
        let is_new = there.is_none();
        if !is_new && credentials.is_none() {
            terminal::line(format!("{} already exists; nothing was changed.", source.spec.name));
            continue;
        }
        let source = filled(source, there.map(|provider| provider.spec), credentials.as_deref());
        let now = app.clock.now();
        let unsaved = SearchProvider::unsaved(source.spec.clone(), owner.id, now);
        let errors = PLUGINS.check_provider(&unsaved, &transforms);
        anyhow::ensure!(errors.is_empty(), "{}: {errors}", source.spec.name);
        let name = &source.spec.name;
        if is_new {
            app.by_command().create_providers(vec![source.spec.clone()], owner.id, now).await?;
            terminal::line(format!("Added {name}{}", outcome(&source)));
        } else {
            replace_by_name(&app, source.spec.clone()).await?;
            terminal::line(format!("Set the credentials of {name}{}", outcome(&source)));
        }
    }
    app.store.close().await;
    Ok(())
}

async fn stored(app: &App, name: &str) -> anyhow::Result<Option<SearchProvider>> {
    Ok(app.store.providers().await?.into_iter().find(|provider| is_same_name(&provider.spec.name, name)))
}

/// The provider to store: the existing record or the bundled one, with the new credentials. It becomes active if
/// nothing else is missing.
fn filled(source: ReadySource, there: Option<ProviderSpec>, credentials: Option<&str>) -> ReadySource {
    let mut source = ReadySource { spec: there.unwrap_or(source.spec), slug: source.slug };
    if let Some(given) = credentials {
        given.clone_into(&mut source.spec.credentials);
        source.spec.active = source.needs().is_empty();
    }
    source
}

/// The end of the message about a provider: what it needs, and the next step.
fn outcome(source: &ReadySource) -> String {
    let ReadySource { slug, spec } = source;
    if spec.active {
        return ".".to_owned();
    }
    let step = match source.needs().as_slice() {
        [only] if only == "credentials" => {
            format!("tributary providers add {slug} --credentials {}", spec.credentials)
        }
        [] => "activate it in the console at /admin/searchproviders/".to_owned(),
        fields => format!("fill in {} in the console at /admin/searchproviders/", fields.join(", ")),
    };
    format!(", not active: {} Next: {step}", spec.description)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `providers add` would store and print.
    fn added(slug: &str, there: Option<ProviderSpec>, credentials: Option<&str>) -> (ReadySource, String) {
        let source = filled(bundled_providers::find(slug).unwrap(), there, credentials);
        let sentence = outcome(&source);
        (source, sentence)
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
            let (source, said) = added(slug, None, credentials);
            assert_eq!(source.spec.active, is_active, "{slug} {credentials:?}");
            assert!(said.contains(sentence), "{slug} {credentials:?}: {said}");
        }
    }

    #[test]
    fn the_list_says_what_a_source_needs() {
        for (slug, expected) in [
            ("arxiv", "no setup needed"),
            ("microsoft-learn", "no setup needed"),
            ("guardian", "needs a key"),
            ("brave-search", "needs a key"),
            ("gmail", "needs a connected account"),
            ("gen-ai", "needs an AI model"),
            ("file-system", "needs a URL"),
            ("searxng", "needs a URL"),
        ] {
            assert_eq!(describe_needs(&bundled_providers::find(slug).unwrap()), expected, "{slug}");
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
