//! The command line: one file per command.

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
mod installation;
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

pub(crate) use load_providers::replace_by_name;

use crate::wiring::{self, Wired};
use crate::{given, terminal};
use clap::{Parser, Subcommand};
use domain::contracts::UserStore;
use domain::settings::Settings;
use domain::user::User;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One query to many sources at once; one honest, ranked answer.
#[derive(Debug, Parser)]
#[command(name = "tributary", version, max_term_width = 100, after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", exit_codes::help()))]
pub struct Cli {
    /// The settings file; without it `tributary.toml` is read if it is there.
    #[arg(long, global = true, value_name = "FILE", display_order = 900)]
    config: Option<PathBuf>,
    /// The data folder (SVC_DATA_DIR).
    #[arg(long, global = true, value_name = "DIR", display_order = 901)]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  tributary demo                              the whole service with sample sources, offline
  tributary serve                             the service on http://127.0.0.1:8000
  tributary start                             the same in the background
  tributary backup monday                     everything in one file, while it runs
  tributary providers add arxiv wikipedia     add ready sources
  tributary doctor https://h.example/?q=tea   propose a provider for a source
  tributary search \"river level\" --json       search from the command line
  tributary user add anna --admin             add a person
  tributary logs --level warn                 what went wrong, as it happens
  tributary settings                          every setting, its value, and where it came from";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service with sample sources, offline, in a demo data folder.
    Demo(demo::Demo),
    /// Run the service.
    Serve(serve::Serve),
    /// Create the database and the administrator, and add ready sources.
    Setup(setup::Setup),
    /// Start services in the background.
    Start(control::Start),
    /// Stop services that were started in the background.
    Stop(control::Stop),
    /// Stop services, then start them again.
    Restart(control::Restart),
    /// Show which services run.
    Status(control::Status),
    /// Show which services run, again and again.
    Watch(control::Watch),
    /// Write everything into one file, while the service runs; or check such a file.
    Backup(backup::BackupCommand),
    /// Put a backup in place.
    Restore(restore::Restore),
    /// Replace the key of the sealed credentials, while the service runs.
    Rekey(rekey::Rekey),
    /// List the work that has not ended, or give work that has lost its task one again.
    Tasks(tasks::TasksCommand),
    /// Show who changed what, or verify that the log of it is whole.
    Audit(audit::AuditCommand),
    /// Search from the command line, without a running server.
    Search(search::Search),
    /// Serve the tools for models (Model Context Protocol) on standard input and output.
    Mcp(mcp::Mcp),
    /// Add records of every kind from JSON files: sources, models, searches and more.
    #[command(after_help = load::HELP)]
    Load(load::Load),
    /// Add SearchProviders from JSON files.
    LoadProviders(load_providers::LoadProviders),
    /// Add authenticators from JSON files.
    #[command(after_help = load::HELP_OF_AUTHENTICATORS)]
    LoadAuthenticators(load::Load),
    /// Add brandings from JSON files.
    #[command(after_help = load::HELP_OF_BRANDING)]
    LoadBranding(load::Load),
    /// Put the standard prompts back as they came.
    ReloadPrompts(reload_prompts::ReloadPrompts),
    /// Give sources the names and tags that the ready sources have now.
    SyncProviders(sync_providers::SyncProviders),
    /// Examine the installation, or propose a SearchProvider for a source.
    Doctor(doctor::DoctorCommand),
    /// List the ready sources, or add them.
    Providers(providers::Providers),
    /// Add, list, change or delete people.
    User(user::UserCommand),
    /// Add, list or revoke API tokens.
    Token(token::TokenCommand),
    /// Make keys and licenses, or look at one.
    License(license::LicenseCommand),
    /// Bring the database to this version's form.
    #[command(after_help = migrate::HELP)]
    Migrate,
    /// Give the free space of the database back to the disk.
    Database(database::DatabaseCommand),
    /// Make the collection of vectors of the semantic cache.
    #[command(name = "init_qdrant")]
    InitQdrant(cache::InitQdrant),
    /// Make the place of the semantic cache's texts.
    #[command(name = "init_storage")]
    InitStorage(cache::InitStorage),
    /// Give the vectors of the semantic cache their words, once.
    #[command(name = "upgrade_corpus_to_hybrid")]
    UpgradeCorpusToHybrid(cache::Upgrade),
    /// Read all pieces of the semantic cache again, after another reader model was chosen.
    #[command(name = "reindex_corpus")]
    ReindexCorpus(cache::Reindex),
    /// Remove documents from the semantic cache, all or those of a matter.
    #[command(name = "reset_semantic_cache")]
    ResetSemanticCache(cache::Reset),
    /// Join records of the semantic cache that are equal in address, source and text.
    #[command(name = "dedup_signal_url_hash")]
    DedupSignalUrlHash(cache::Dedup),
    /// Remove a collection of earlier days from the vector store.
    #[command(name = "drop_entity_collection")]
    DropEntityCollection(cache::DropEntities),
    /// Show which versions are pinned and elected, and compute every election again.
    #[command(name = "canonical_diag")]
    CanonicalDiag(canonical::Diag),
    /// Make elections stale that nobody decided for long.
    #[command(name = "cleanup_stale_canonical_runs")]
    CleanupStaleCanonicalRuns(canonical::Cleanup),
    /// Ask the service of this machine whether it lives: exit code 0, or 1.
    Health(health::Health),
    /// Show the last lines of all log files, then follow them.
    Logs(logs::Logs),
    /// Print every setting, its value, and where it came from.
    Settings(settings::SettingsCommand),
    /// Write versions, settings, logs, metrics and checks into one file for whoever helps you, with secrets masked.
    SupportBundle(support_bundle::SupportBundle),
    /// Print completions for a shell.
    Completions(completions::Completions),
    /// Write the documents that are made from the program's own tables, or check that they are fresh.
    Docs(docs::Docs),
    /// Measure what the service adds to the time of its sources.
    Bench(bench::Bench),
    /// Measure how well results are merged, on a judged collection.
    Eval(eval::Eval),
    /// Read one file from standard input, within hard limits, for a service that runs.
    #[command(hide = true)]
    ReadFile,
}

impl Command {
    /// What it writes is meant to be read by others: documents, reports, the public half of a key.
    fn writes_for_others(&self) -> bool {
        matches!(
            self,
            Self::Docs(_) | Self::Completions(_) | Self::Bench(_) | Self::Eval(_) | Self::License(_)
        )
    }
}

/// The database, the logs and all else that is written from here on is for the user of this program alone: it holds what
/// people searched for and found.
fn keep_from_others() {
    #[cfg(unix)]
    {
        use rustix::fs::Mode;
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
    }
}

/// Does what was asked. A failure is one sentence on standard error and exit code 1.
pub fn main(cli: Cli) -> ExitCode {
    if matches!(cli.command, Command::ReadFile) {
        return read_file::run();
    }
    if !cli.command.writes_for_others() {
        keep_from_others();
    }
    wiring::read_files_by_this_program();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            terminal::note(format!("tributary: the runtime cannot be started: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(dispatch(cli)) {
        Ok(code) => code,
        Err(error) => {
            terminal::note(format!("tributary: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    let Cli { config, data_dir, command } = cli;
    let place = Place { config, data_dir };
    match command {
        Command::Demo(demo) => demo.run(&place).await?,
        Command::Serve(serve) => serve.run(&place).await?,
        Command::Search(search) => return search.run(&place).await,
        Command::Mcp(mcp) => mcp.run(&place).await?,
        Command::Load(load) => return load.run(&place, None).await,
        Command::LoadProviders(load) => return load.run(&place).await,
        Command::LoadAuthenticators(load) => return load.run(&place, Some(load::Kind::Authenticator)).await,
        Command::LoadBranding(load) => return load.run(&place, Some(load::Kind::Branding)).await,
        Command::ReloadPrompts(reload) => return reload.run(&place).await,
        Command::SyncProviders(sync) => sync.run(&place).await?,
        Command::Doctor(doctor) => return doctor.run(&place).await,
        Command::Setup(setup) => setup.run(&place).await?,
        Command::Start(start) => return start.run(&place).await,
        Command::Stop(stop) => return stop.run(&place).await,
        Command::Restart(restart) => return restart.run(&place).await,
        Command::Status(status) => return status.run(&place).await,
        Command::Watch(watch) => return watch.run(&place).await,
        Command::Backup(backup) => backup.run(&place).await?,
        Command::Restore(restore) => restore.run(&place).await?,
        Command::Rekey(rekey) => rekey.run(&place).await?,
        Command::Tasks(tasks) => return tasks.run(&place).await,
        Command::Audit(audit) => return audit.run(&place).await,
        Command::Completions(completions) => completions.run(),
        Command::Providers(providers) => providers.run(&place).await?,
        Command::User(user) => user.run(&place).await?,
        Command::Token(token) => token.run(&place).await?,
        Command::License(license) => return license.run(&place),
        Command::Migrate => migrate::run(&place).await?,
        Command::Database(database) => database.run(&place).await?,
        Command::InitQdrant(init) => init.run(&place).await?,
        Command::InitStorage(init) => init.run(&place).await?,
        Command::UpgradeCorpusToHybrid(upgrade) => upgrade.run(&place).await?,
        Command::ReindexCorpus(reindex) => reindex.run(&place).await?,
        Command::ResetSemanticCache(reset) => reset.run(&place).await?,
        Command::DedupSignalUrlHash(dedup) => dedup.run(&place).await?,
        Command::DropEntityCollection(drop) => drop.run(&place).await?,
        Command::CanonicalDiag(diag) => return diag.run(&place).await,
        Command::CleanupStaleCanonicalRuns(cleanup) => cleanup.run(&place).await?,
        Command::Health(health) => health.run(&place).await?,
        Command::Logs(logs) => logs.run(&place).await?,
        Command::Settings(settings) => settings.run(&place)?,
        Command::SupportBundle(bundle) => bundle.run(&place).await?,
        Command::Docs(docs) => docs.run()?,
        Command::Bench(bench) => bench.run(&place).await?,
        Command::Eval(eval) => eval.run(&place).await?,
        Command::ReadFile => return Ok(read_file::run()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Where settings and data are, as the command line says.
struct Place {
    config: Option<PathBuf>,
    data_dir: Option<PathBuf>,
}

impl Place {
    fn read(&self, defaults: &[(&str, String)]) -> anyhow::Result<domain::settings::ReadSettings> {
        let mut overrides = defaults.to_vec();
        if let Some(folder) = &self.data_dir {
            overrides.push(("SVC_DATA_DIR", folder.display().to_string()));
        }
        given::read(self.config.as_deref(), &overrides)
    }

    /// The service on this data folder, for a command that ends by itself.
    async fn open(&self) -> anyhow::Result<Wired> {
        Wired::open(self.read(&[])?).await
    }

    /// The same, for a command that looks at what is there: where nothing is, it makes nothing.
    async fn open_existing(&self) -> anyhow::Result<Wired> {
        let read = self.read(&[])?;
        ensure_database(&read.settings)?;
        Wired::open(read).await
    }
}

/// A file of SQLite must be there; a server says by itself what it lacks. A command that was given another folder, or not the
/// settings of the service, would work on a new and empty database and succeed.
fn ensure_database(settings: &Settings) -> anyhow::Result<()> {
    let folder = Path::new(&settings.data_dir);
    anyhow::ensure!(
        !settings.database_url.is_empty() || folder.join(wiring::DATABASE_FILE).is_file(),
        "there is no database in {}. Name its folder with --data-dir or SVC_DATA_DIR, or its address with \
         SVC_DATABASE_URL, as the service has it; `tributary setup` makes a new one{}",
        folder.display(),
        beside_the_demo(folder)
    );
    Ok(())
}

async fn named_user(wired: &Wired, name: &str) -> anyhow::Result<User> {
    wired.store.user_by_name(name).await.map_err(|error| match error {
        domain::contracts::StoreError::NotFound => anyhow::anyhow!(
            "there is no user '{name}' in {}; `tributary user list` shows all, the first `tributary serve` creates admin{}",
            wired.data_dir.display(),
            beside_the_demo(&wired.data_dir)
        ),
        other => other.into(),
    })
}

/// Where the demo's data is, for somebody who started it here and now asks the folder around it.
fn beside_the_demo(data_dir: &Path) -> String {
    let demo = data_dir.join("demo");
    if !demo.join(wiring::DATABASE_FILE).is_file() {
        return String::new();
    }
    format!("; the demo's own data is reached with --data-dir {}", demo.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// What the help of a command lacks: examples, where it does something itself, and a word about each argument.
    fn lacks(command: &clap::Command, under: &str) -> Vec<String> {
        let name = format!("{under} {}", command.get_name());
        let mut all: Vec<String> = command.get_subcommands().flat_map(|inner| lacks(inner, &name)).collect();
        let told = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let is_inner = under.split_whitespace().count() > 1;
        if !is_inner && !told.contains("Examples:\n") && !told.contains("Example configuration") {
            all.push(format!("{name}: no examples"));
        }
        let without_words = command.get_arguments().filter(|argument| argument.get_help().is_none());
        all.extend(without_words.map(|argument| format!("{name} {}: no words", argument.get_id())));
        all
    }

    #[test]
    fn every_command_has_examples_and_every_argument_words() {
        let command = Cli::command().mut_subcommand("read-file", |hidden| hidden.after_help("Examples:\n"));
        assert_eq!(lacks(&command, ""), Vec::<String>::new());
    }

    #[test]
    fn the_demo_is_pointed_to_where_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(beside_the_demo(folder.path()), "");
        std::fs::create_dir(folder.path().join("demo")).unwrap();
        std::fs::write(folder.path().join("demo").join(wiring::DATABASE_FILE), "").unwrap();
        assert!(beside_the_demo(folder.path()).contains("--data-dir "));
    }
}
