//! The first steps of a new installation: sources, a search, a user.

use super::questions::{self, SourceChoice};
use crate::app::App;
use crate::command::{CliContext, doctor, load_providers, named_user, providers, search, user};
use crate::terminal;
use domain::ready_source::ReadySource;
use std::io::stderr;
use std::process::ExitCode;

#[derive(Debug, Default, PartialEq)]
pub struct FirstSteps {
    /// Names of bundled providers.
    pub sources: Vec<String>,
    /// The request of a source that the doctor examines.
    pub url: Option<String>,
    pub query: Option<String>,
    pub user: Option<String>,
}

impl FirstSteps {
    /// Returns the exit code of the search.
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        if !self.sources.is_empty() {
            providers::add(cli, &self.sources, None, "admin").await?;
        }
        if let Some(request) = &self.url {
            add_suggested(cli, request).await?;
        }
        if let Some(name) = self.user {
            user::add_with_new_password(cli, name).await?;
        }
        match self.query {
            Some(query) => search::Search::of(query).run(cli).await,
            None => Ok(ExitCode::SUCCESS),
        }
    }
}

/// Asks for each step on the terminal, and takes it. A step that fails is reported, and the next one follows.
pub async fn ask(cli: &CliContext) -> anyhow::Result<ExitCode> {
    let choice = questions::ask_sources(&mut std::io::stdin().lock(), &mut stderr())?;
    let (sources, url) = match choice {
        SourceChoice::Bundled(names) => (names, None),
        SourceChoice::Request(request) => (Vec::new(), Some(request)),
    };
    attempt(cli, FirstSteps { sources, url, ..FirstSteps::default() }).await;
    let query = questions::ask_query(&mut std::io::stdin().lock(), &mut stderr())?;
    attempt(cli, FirstSteps { query, ..FirstSteps::default() }).await;
    let user = questions::ask_user(&mut std::io::stdin().lock(), &mut stderr())?;
    attempt(cli, FirstSteps { user, ..FirstSteps::default() }).await;
    Ok(ExitCode::SUCCESS)
}

async fn attempt(cli: &CliContext, steps: FirstSteps) {
    if let Err(error) = steps.run(cli).await {
        terminal::note(format!("{error:#}"));
    }
}

/// Adds the provider that the doctor suggests. It becomes active if nothing is missing.
async fn add_suggested(cli: &CliContext, request: &str) -> anyhow::Result<()> {
    let spec = doctor::suggest(cli, request).await?;
    let mut source = ReadySource { slug: String::new(), spec };
    let needs = source.needs();
    source.spec.active = needs.is_empty();
    let app = cli.open().await?;
    store(&app, &source).await?;
    app.store.close().await;
    let name = &source.spec.name;
    if needs.is_empty() {
        terminal::line(format!("Added {name}."));
    } else {
        let fields = needs.join(", ");
        terminal::line(format!(
            "Added {name}, not active. Next: fill in {fields} in the console at /admin/searchproviders/"
        ));
    }
    Ok(())
}

async fn store(app: &App, source: &ReadySource) -> anyhow::Result<()> {
    let owner = named_user(app, "admin").await?;
    let errors = load_providers::validate(app, &owner, &source.spec).await?;
    anyhow::ensure!(errors.is_empty(), "{}: {errors}", source.spec.name);
    app.by_command().create_providers(vec![source.spec.clone()], owner.id, app.clock.now()).await?;
    Ok(())
}
