//! The files of a support bundle. Each is always written, with its content or with the reason why it is missing.

use super::archive::Archive;
use super::redaction::Redaction;
use super::{database, known, machine, metrics, other_command, tasks};
use crate::command::CliContext;
use crate::logs::{self, Excerpt, LogFile};
use crate::running_service::RunningService;
use anyhow::{anyhow, bail};
use domain::known_secrets::KnownSecrets;
use domain::ports::chain;
use domain::secret::Secret;
use domain::settings::{LoadedSettings, Settings};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use store::DatabaseFacts;

/// Maximum bytes per log, including rotated files.
pub const LOG_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Maximum bytes of the output of a service started by `tributary start`.
const OUTPUT_BYTES_MAX: usize = 256 * 1024;
/// Maximum number of such output files.
const OUTPUTS_MAX: usize = 32;
/// The commit of the build, if known.
const COMMIT: Option<&str> = option_env!("TRIBUTARY_COMMIT");

/// Collects the files.
pub struct Collector<'p> {
    cli: &'p CliContext,
    read: anyhow::Result<LoadedSettings>,
    database: anyhow::Result<DatabaseFacts>,
    /// Why commands that open the database are skipped.
    closed: Option<String>,
    redaction: Redaction,
    /// Why the redaction lacks secrets and names from the database.
    unknown: Option<String>,
    port: Option<u16>,
    token: Option<Secret>,
}

impl<'p> Collector<'p> {
    pub async fn new(cli: &'p CliContext, port: Option<u16>, token: Option<Secret>) -> Self {
        let in_one_line = |error: anyhow::Error| anyhow!(chain(&*error));
        let read = cli.load_settings(&[]).map_err(in_one_line);
        let of_token = KnownSecrets::of_texts(token.iter().map(Secret::expose));
        let mut collector = Self {
            cli,
            database: Err(anyhow!("the settings are invalid")),
            closed: None,
            redaction: Redaction::default(),
            unknown: None,
            port,
            token,
            read,
        };
        let Ok(read) = &collector.read else {
            collector.closed = Some("the settings are invalid".to_owned());
            collector.unknown.clone_from(&collector.closed);
            collector.redaction = Redaction::new(known::of_broken_settings(cli).and(of_token), []);
            return collector;
        };
        let settings = read.settings.clone();
        let data_dir = PathBuf::from(&settings.data_dir);
        let secrets = known::of_settings(&settings, &data_dir).and(of_token);
        collector.database = database::facts(&settings, &data_dir).await;
        collector.closed = database::why_closed(&settings, &data_dir, &collector.database);
        (collector.redaction, collector.unknown) = match &collector.closed {
            Some(why) => (Redaction::new(secrets, []), Some(why.clone())),
            None => database::redaction(&settings, &data_dir, secrets).await,
        };
        collector
    }

    /// The data folder, if known.
    fn data_dir(&self) -> Option<PathBuf> {
        let of_settings = self.read.as_ref().ok().map(|read| PathBuf::from(&read.settings.data_dir));
        of_settings.or_else(|| self.cli.data_dir.clone())
    }

    pub async fn collect(&self, archive: &mut Archive) -> anyhow::Result<()> {
        self.add_json(archive, "versions.json", Ok(self.versions()))?;
        self.add_json(archive, "settings.json", self.settings())?;
        self.add_json(archive, "database.json", self.database_sizes())?;
        self.add_json(archive, "services.json", self.services().await)?;
        self.add_text(archive, "doctor.txt", self.doctor().await)?;
        self.add_json(archive, "tasks.json", self.tasks().await)?;
        self.add_text(archive, "metrics.txt", self.metrics().await)?;
        self.add_logs(archive)
    }

    fn add_json(
        &self,
        archive: &mut Archive,
        name: &str,
        content: anyhow::Result<Value>,
    ) -> anyhow::Result<()> {
        let remark = content.as_ref().err().map(|why| self.missing(why));
        let mut value = content.unwrap_or_else(|why| json!({ "not_available": chain(&*why) }));
        self.redaction.value(&mut value);
        archive.add(name, &(serde_json::to_string_pretty(&value)? + "\n"), remark)
    }

    fn add_text(
        &self,
        archive: &mut Archive,
        name: &str,
        content: anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        let remark = content.as_ref().err().map(|why| self.missing(why));
        let text = content.unwrap_or_else(|why| format!("Not available: {}\n", chain(&*why)));
        archive.add(name, &self.redaction.text(&text), remark)
    }

    fn missing(&self, why: &anyhow::Error) -> String {
        format!("not available: {}", self.redaction.text(&chain(&**why)))
    }

    fn loaded_settings(&self) -> anyhow::Result<&LoadedSettings> {
        self.read.as_ref().map_err(|why| anyhow!(chain(&**why)))
    }

    fn database_facts(&self) -> anyhow::Result<&DatabaseFacts> {
        self.database.as_ref().map_err(|why| anyhow!(chain(&**why)))
    }

    fn versions(&self) -> Value {
        let settings = self.read.as_ref().ok().map(|read| &read.settings);
        let database = self.database.as_ref();
        let queue = |settings: &Settings| if settings.queue_url.is_empty() { "database" } else { "nats" };
        json!({
            "program": env!("CARGO_PKG_VERSION"),
            "commit": COMMIT,
            "is_debug_build": cfg!(debug_assertions),
            "newest_migration": store::dump::schema_version(),
            "machine": machine::facts(self.data_dir().as_deref()),
            "database": match database {
                Ok(facts) => json!({
                    "kind": facts.kind,
                    "server_version": facts.server_version,
                    "migration": facts.migration,
                }),
                Err(why) => json!({ "not_available": chain(&**why) }),
            },
            "queue": settings.map(queue),
            "features": settings.map(|settings| json!({
                "license": !settings.license.is_empty(),
                "scheduled_backups": !settings.backup_dir.is_empty(),
                "tika": !settings.tika_url.is_empty(),
                "own_pages": !settings.web_dir.is_empty(),
                "corpus_hybrid": settings.corpus_hybrid,
                "metrics_open": settings.metrics_open,
            })),
        })
    }

    fn settings(&self) -> anyhow::Result<Value> {
        let read = self.loaded_settings()?;
        let row = |row: &domain::settings::EffectiveSetting| json!({ "name": row.name, "value": row.value, "from": row.origin.as_str() });
        let rows: Vec<Value> = read.effective.iter().map(row).collect();
        Ok(json!({ "settings": rows, "remarks": read.remarks }))
    }

    fn database_sizes(&self) -> anyhow::Result<Value> {
        Ok(serde_json::to_value(self.database_facts()?)?)
    }

    /// Output of `status` and `health --ready`.
    async fn services(&self) -> anyhow::Result<Value> {
        let status = other_command::run(self.cli, &["status"]).await?;
        let port = self.port.map(|port| port.to_string());
        let mut question = vec!["health", "--ready"];
        question.extend(port.iter().flat_map(|port| ["--port", port.as_str()]));
        let health = other_command::run(self.cli, &question).await?;
        let said = format!("{}{}", health.output, health.remarks);
        Ok(json!({
            "status": format!("{}{}", status.output, status.remarks).lines().collect::<Vec<&str>>(),
            "status_exit_code": status.code,
            "ready": said.trim(),
            "ready_exit_code": health.code,
        }))
    }

    async fn doctor(&self) -> anyhow::Result<String> {
        if let Some(why) = self.would_create_key() {
            bail!(why);
        }
        let shown = other_command::run(self.cli, &["doctor", "--offline"]).await?;
        Ok(format!("{}{}", shown.output, shown.remarks))
    }

    async fn tasks(&self) -> anyhow::Result<Value> {
        match &self.closed {
            Some(why) => bail!(why.clone()),
            None => tasks::read(self.cli).await,
        }
    }

    async fn metrics(&self) -> anyhow::Result<String> {
        let settings = &self.loaded_settings()?.settings;
        let running = RunningService::find(Path::new(&settings.data_dir));
        let port = self.port.or(running.and_then(|service| service.url.port_or_known_default()));
        metrics::read(settings, port.unwrap_or(settings.port), self.token.as_ref()).await
    }

    /// Why a command that opens the database is skipped: it would create a key, and a bundle changes nothing.
    fn would_create_key(&self) -> Option<String> {
        let settings = &self.read.as_ref().ok()?.settings;
        self.database.as_ref().ok()?;
        database::why_no_key(settings, Path::new(&settings.data_dir))
    }

    fn add_logs(&self, archive: &mut Archive) -> anyhow::Result<()> {
        let Some(folder) = self.data_dir().map(|folder| logs::folder(&folder)) else {
            let why = anyhow!("the settings are invalid; name the data folder with --data-dir");
            return self.add_text(archive, "logs/missing.txt", Err(why));
        };
        for log in LogFile::all() {
            let found = logs::excerpt(&folder, log, LOG_BYTES_MAX);
            self.add_log(archive, log.file_name(), found)?;
        }
        for path in outputs(&folder) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.add_log(archive, &name, logs::excerpt_of(&path, OUTPUT_BYTES_MAX))?;
        }
        Ok(())
    }

    fn add_log(
        &self,
        archive: &mut Archive,
        name: &str,
        found: std::io::Result<Option<Excerpt>>,
    ) -> anyhow::Result<()> {
        let name = format!("logs/{name}");
        let excerpt = match found {
            Ok(Some(excerpt)) => excerpt,
            // A queue without log lines has no file.
            Ok(None) => return Ok(()),
            Err(error) => {
                return self.add_text(
                    archive,
                    &name,
                    Err(anyhow::Error::new(error).context("cannot be read")),
                );
            }
        };
        let lines: Vec<String> = excerpt.lines.iter().map(|line| self.redaction.line(line) + "\n").collect();
        let remarks = [
            excerpt.is_cut.then(|| "earlier lines are omitted".to_owned()),
            self.unknown.as_ref().map(|why| format!("names are masked only in known fields: {why}")),
        ];
        let remarks: Vec<String> = remarks.into_iter().flatten().collect();
        archive.add(
            &name,
            &lines.concat(),
            (!remarks.is_empty()).then(|| self.redaction.text(&remarks.join("; "))),
        )
    }
}

/// The newest output files of services started by `tributary start`. Regular files only: a pipe would block, and a link
/// could point to any file.
fn outputs(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Metadata of the entry itself, without following links.
        let Ok(metadata) = entry.metadata() else { continue };
        if name.starts_with("start-") && name.ends_with(".out") && metadata.is_file() {
            found.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
        }
    }
    found.sort_by(|one, other| other.cmp(one));
    let mut paths: Vec<PathBuf> = found.into_iter().take(OUTPUTS_MAX).map(|(_, path)| path).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn outputs_are_plain_files_and_not_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("elsewhere"), "planted").unwrap();
        std::os::unix::fs::symlink(path("elsewhere"), path("start-link.out")).unwrap();
        std::fs::create_dir(path("start-folder.out")).unwrap();
        std::fs::write(path("start-all.out"), "x").unwrap();
        std::fs::write(path("start-all.txt"), "x").unwrap();
        assert_eq!(outputs(folder.path()), [path("start-all.out")]);
        for number in 0..40 {
            std::fs::write(path(&format!("start-{number}.out")), "x").unwrap();
        }
        assert_eq!(outputs(folder.path()).len(), OUTPUTS_MAX);
    }
}
