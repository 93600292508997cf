//! The command line: one module per command.

mod audit;
mod backup;
mod bench;
mod cache;
mod canonical;
mod completions;
mod control;
mod database;
mod demo;
mod disk_forecast;
mod docs;
mod doctor;
mod eval;
pub mod exit_codes;
mod health;
mod help;
mod license;
mod load;
mod load_providers;
mod logs;
mod mcp;
mod migrate;
mod output_file;
mod providers;
mod public_address;
mod read_file;
mod reader;
mod rekey;
mod reload_prompts;
mod restore;
mod search;
mod serve;
mod settings;
mod setup;
mod support_bundle;
mod sync_providers;
mod tasks;
mod token;
mod user;

pub use help::parse;
pub(crate) use load_providers::replace_by_name;

use crate::app::{self, App, FileReaders};
use crate::{config, terminal};
use clap::{Parser, Subcommand};
use domain::ports::{UserStore, chain_with_lines};
use domain::settings::Settings;
use domain::user::User;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Federated search: one query to many sources, one ranked list of results.
#[derive(Debug, Parser)]
#[command(name = "tributary", version, max_term_width = 100, after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", exit_codes::help()))]
pub struct Cli {
    /// Settings file [default: `tributary.toml`, if it exists]
    #[arg(long, global = true, value_name = "FILE", display_order = 900)]
    config: Option<PathBuf>,
    /// Data folder (SVC_DATA_DIR).
    #[arg(long, global = true, value_name = "DIR", display_order = 901)]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  tributary demo                              run the service with sample sources, offline
  tributary serve                             run the service on http://127.0.0.1:8000
  tributary start                             run the service in the background
  tributary backup monday                     back up a running service to one file
  tributary providers add arxiv wikipedia     add bundled providers
  tributary doctor https://h.example/?q=tea   suggest a provider for a source
  tributary search \"river level\" --json       search from the command line
  tributary user add anna --admin             add an administrator
  tributary logs --level warn                 follow warnings and errors
  tributary settings                          list all settings with value and origin";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service with sample sources, offline.
    Demo(demo::Demo),
    /// Run the service.
    Serve(serve::Serve),
    /// Create the database and the administrator, add sources, try a search, and create a user.
    Setup(setup::Setup),
    /// Start services in the background.
    Start(control::Start),
    /// Stop background services.
    Stop(control::Stop),
    /// Restart background services.
    Restart(control::Restart),
    /// Show the status of background services.
    Status(control::Status),
    /// Show the status of background services continuously.
    Watch(control::Watch),
    /// Back up a running installation to one file, or verify a backup.
    Backup(backup::BackupCommand),
    /// Restore a backup.
    Restore(restore::Restore),
    /// Replace the key that encrypts credentials, while the service runs.
    Rekey(rekey::Rekey),
    /// List unfinished work, or requeue work that has lost its task.
    Tasks(tasks::TasksCommand),
    /// Show or verify the audit log.
    Audit(audit::AuditCommand),
    /// Search from the command line, without a running service.
    Search(search::Search),
    /// Serve the Model Context Protocol (MCP) on standard input and output.
    Mcp(mcp::Mcp),
    /// Load records of any kind from JSON files: providers, models, searches and more.
    #[command(after_help = load::HELP)]
    Load(load::Load),
    /// Load SearchProviders from JSON files.
    LoadProviders(load_providers::LoadProviders),
    /// Load authenticators from JSON files.
    #[command(after_help = load::AUTHENTICATORS_HELP)]
    LoadAuthenticators(load::Load),
    /// Load brandings from JSON files.
    #[command(after_help = load::BRANDING_HELP)]
    LoadBranding(load::Load),
    /// Restore the standard prompts.
    ReloadPrompts(reload_prompts::ReloadPrompts),
    /// Update the names and tags of providers from the bundled providers.
    SyncProviders(sync_providers::SyncProviders),
    /// Check the installation, or suggest a SearchProvider for a source.
    Doctor(doctor::DoctorCommand),
    /// List or add bundled providers.
    Providers(providers::Providers),
    /// Add, list, change or delete users.
    User(user::UserCommand),
    /// Add, list or revoke API tokens.
    Token(token::TokenCommand),
    /// Create license keys and licenses, or show the installed license.
    License(license::LicenseCommand),
    /// Install, show or remove the model of the second reader.
    Reader(reader::ReaderCommand),
    /// Run database migrations.
    #[command(after_help = migrate::HELP)]
    Migrate,
    /// Compact the database file.
    Database(database::DatabaseCommand),
    /// Create the vector collection of the semantic cache.
    #[command(name = "init_qdrant")]
    InitQdrant(cache::InitQdrant),
    /// Create the text storage of the semantic cache.
    #[command(name = "init_storage")]
    InitStorage(cache::InitStorage),
    /// Add sparse (BM25) vectors to the semantic cache; run once before SVC_CORPUS_HYBRID=true.
    #[command(name = "upgrade_corpus_to_hybrid")]
    UpgradeCorpusToHybrid(cache::Upgrade),
    /// Re-embed all documents of the semantic cache, after a change of the embedding model.
    #[command(name = "reindex_corpus")]
    ReindexCorpus(cache::Reindex),
    /// Delete all documents of the semantic cache, or those of one matter.
    #[command(name = "reset_semantic_cache")]
    ResetSemanticCache(cache::Reset),
    /// Merge cached documents that share a canonical URL, source and text.
    #[command(name = "dedup_signal_url_hash")]
    DedupSignalUrlHash(cache::Dedup),
    /// Delete an obsolete collection from the vector store.
    #[command(name = "drop_entity_collection")]
    DropEntityCollection(cache::DropEntities),
    /// Show pinned and elected versions, and recompute every election.
    #[command(name = "canonical_diag")]
    CanonicalDiag(canonical::Diag),
    /// Mark elections left undecided for 30 days as stale.
    #[command(name = "cleanup_stale_canonical_runs")]
    CleanupStaleCanonicalRuns(canonical::Cleanup),
    /// Check whether the local service is healthy (exit code 0 or 1).
    Health(health::Health),
    /// Show and follow the log files.
    Logs(logs::Logs),
    /// List all settings with their value and origin.
    Settings(settings::SettingsCommand),
    /// Collect versions, settings, logs, metrics and checks into one archive for support, with secrets masked.
    SupportBundle(support_bundle::SupportBundle),
    /// Generate shell completions.
    Completions(completions::Completions),
    /// Generate documentation from the program's own tables, or check that it is up to date.
    Docs(docs::Docs),
    /// Measure the latency that the service adds to its sources.
    Bench(bench::Bench),
    /// Measure the quality of merged results on a judged test collection.
    Eval(eval::Eval),
    /// Extract text from one file on standard input, within hard limits; used by the service itself.
    #[command(hide = true)]
    ReadFile,
}

impl Command {
    /// Whether the command writes files for other users: documentation, reports, public keys.
    fn writes_for_others(&self) -> bool {
        matches!(
            self,
            Self::Docs(_) | Self::Completions(_) | Self::Bench(_) | Self::Eval(_) | Self::License(_)
        )
    }
}

/// Restricts all files written from here on to the current user: they contain what people searched for and found.
fn restrict_umask() {
    #[cfg(unix)]
    {
        use rustix::fs::Mode;
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
    }
}

/// Runs the command. A failure prints one sentence to standard error and returns exit code 1.
pub fn main(cli: Cli) -> ExitCode {
    if matches!(cli.command, Command::ReadFile) {
        return read_file::run();
    }
    if !cli.command.writes_for_others() {
        restrict_umask();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            terminal::note(format!("tributary: cannot start the async runtime: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(dispatch(cli)) {
        Ok(code) => code,
        Err(error) => {
            terminal::note(format!("tributary: {}", chain_with_lines(&*error)));
            ExitCode::FAILURE
        }
    }
}

async fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    let Cli { config, data_dir, command } = cli;
    let cli = CliContext { config, data_dir };
    match command {
        Command::Demo(demo) => demo.run(&cli).await?,
        Command::Serve(serve) => serve.run(&cli).await?,
        Command::Search(search) => return search.run(&cli).await,
        Command::Mcp(mcp) => mcp.run(&cli).await?,
        Command::Load(load) => return load.run(&cli, None).await,
        Command::LoadProviders(load) => return load.run(&cli).await,
        Command::LoadAuthenticators(load) => return load.run(&cli, Some(load::Kind::Authenticator)).await,
        Command::LoadBranding(load) => return load.run(&cli, Some(load::Kind::Branding)).await,
        Command::ReloadPrompts(reload) => return reload.run(&cli).await,
        Command::SyncProviders(sync) => sync.run(&cli).await?,
        Command::Doctor(doctor) => return doctor.run(&cli).await,
        Command::Setup(setup) => return setup.run(&cli).await,
        Command::Start(start) => return start.run(&cli).await,
        Command::Stop(stop) => return stop.run(&cli).await,
        Command::Restart(restart) => return restart.run(&cli).await,
        Command::Status(status) => return status.run(&cli).await,
        Command::Watch(watch) => return watch.run(&cli).await,
        Command::Backup(backup) => backup.run(&cli).await?,
        Command::Restore(restore) => restore.run(&cli).await?,
        Command::Rekey(rekey) => rekey.run(&cli).await?,
        Command::Tasks(tasks) => return tasks.run(&cli).await,
        Command::Audit(audit) => return audit.run(&cli).await,
        Command::Completions(completions) => completions.run(),
        Command::Providers(providers) => providers.run(&cli).await?,
        Command::User(user) => user.run(&cli).await?,
        Command::Token(token) => token.run(&cli).await?,
        Command::License(license) => return license.run(&cli),
        Command::Reader(reader) => reader.run(&cli)?,
        Command::Migrate => migrate::run(&cli).await?,
        Command::Database(database) => database.run(&cli).await?,
        Command::InitQdrant(init) => init.run(&cli).await?,
        Command::InitStorage(init) => init.run(&cli).await?,
        Command::UpgradeCorpusToHybrid(upgrade) => upgrade.run(&cli).await?,
        Command::ReindexCorpus(reindex) => reindex.run(&cli).await?,
        Command::ResetSemanticCache(reset) => reset.run(&cli).await?,
        Command::DedupSignalUrlHash(dedup) => dedup.run(&cli).await?,
        Command::DropEntityCollection(drop) => drop.run(&cli).await?,
        Command::CanonicalDiag(diag) => return diag.run(&cli).await,
        Command::CleanupStaleCanonicalRuns(cleanup) => cleanup.run(&cli).await?,
        Command::Health(health) => health.run(&cli).await?,
        Command::Logs(logs) => logs.run(&cli).await?,
        Command::Settings(settings) => settings.run(&cli)?,
        Command::SupportBundle(bundle) => bundle.run(&cli).await?,
        Command::Docs(docs) => docs.run()?,
        Command::Bench(bench) => bench.run(&cli).await?,
        Command::Eval(eval) => eval.run(&cli).await?,
        Command::ReadFile => return Ok(read_file::run()),
    }
    Ok(ExitCode::SUCCESS)
}

/// The global options of the command line.
struct CliContext {
    config: Option<PathBuf>,
    data_dir: Option<PathBuf>,
}

impl CliContext {
    /// The settings, with those that a demo stored in the data folder.
    fn load_settings(&self, defaults: &[(&str, String)]) -> anyhow::Result<domain::settings::LoadedSettings> {
        let read = self.load_own_settings(defaults)?;
        let of_demo = crate::demo::settings::stored(Path::new(&read.settings.data_dir), &read.effective)?;
        if of_demo.is_empty() {
            return Ok(read);
        }
        let defaults = defaults.iter().cloned().chain(of_demo).collect::<Vec<_>>();
        self.load_own_settings(&defaults)
    }

    fn load_own_settings(
        &self,
        defaults: &[(&str, String)],
    ) -> anyhow::Result<domain::settings::LoadedSettings> {
        let mut overrides = defaults.to_vec();
        if let Some(folder) = &self.data_dir {
            overrides.push(("SVC_DATA_DIR", folder.display().to_string()));
        }
        config::load(self.config.as_deref(), &overrides)
    }

    /// Builds the service for a command that runs to completion.
    async fn open(&self) -> anyhow::Result<App> {
        App::build(self.load_settings(&[])?, FileReaders::ChildProcesses).await
    }

    /// Builds the service on an existing database; fails instead of creating one.
    async fn open_existing(&self) -> anyhow::Result<App> {
        let loaded = self.load_settings(&[])?;
        ensure_database(&loaded.settings)?;
        App::build(loaded, FileReaders::ChildProcesses).await
    }
}

/// Fails if the SQLite file is missing, so that a command with the wrong data folder or settings does not succeed on a
/// new, empty database. A database server reports such errors itself.
fn ensure_database(settings: &Settings) -> anyhow::Result<()> {
    let folder = Path::new(&settings.data_dir);
    anyhow::ensure!(
        !settings.database_url.is_empty() || folder.join(app::DATABASE_FILE).is_file(),
        "no database in {}. Set --data-dir, SVC_DATA_DIR or SVC_DATABASE_URL as for the service, or create a new \
         database with `tributary setup`{}",
        folder.display(),
        demo_hint(folder)
    );
    Ok(())
}

async fn named_user(app: &App, name: &str) -> anyhow::Result<User> {
    app.store.user_by_name(name).await.map_err(|error| match error {
        domain::ports::StoreError::NotFound => anyhow::anyhow!(
            "no user '{name}' in {}; `tributary user list` shows all users, and the first `tributary serve` creates admin{}",
            app.data_dir.display(),
            demo_hint(&app.data_dir)
        ),
        other => other.into(),
    })
}

/// A hint at the demo's data folder, if there is one inside this data folder.
fn demo_hint(data_dir: &Path) -> String {
    let demo = data_dir.join("demo");
    if !demo.join(app::DATABASE_FILE).is_file() {
        return String::new();
    }
    format!("; for the demo, use --data-dir {}", demo.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Commands without examples and arguments without help.
    fn missing_help(command: &clap::Command, under: &str) -> Vec<String> {
        let name = format!("{under} {}", command.get_name());
        let mut all: Vec<String> =
            command.get_subcommands().flat_map(|inner| missing_help(inner, &name)).collect();
        let after_help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let is_inner = under.split_whitespace().count() > 1;
        if !is_inner && !after_help.contains("Examples:\n") && !after_help.contains("Example configuration") {
            all.push(format!("{name}: no examples"));
        }
        let without_help = command.get_arguments().filter(|argument| argument.get_help().is_none());
        all.extend(without_help.map(|argument| format!("{name} {}: no help", argument.get_id())));
        all
    }

    #[test]
    fn every_command_has_examples_and_every_argument_has_help() {
        let command = Cli::command().mut_subcommand("read-file", |hidden| hidden.after_help("Examples:\n"));
        assert_eq!(missing_help(&command, ""), Vec::<String>::new());
    }

    #[test]
    fn the_demo_is_hinted_at_if_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(demo_hint(folder.path()), "");
        std::fs::create_dir(folder.path().join("demo")).unwrap();
        std::fs::write(folder.path().join("demo").join(app::DATABASE_FILE), "").unwrap();
        assert!(demo_hint(folder.path()).contains("--data-dir "));
    }
}
