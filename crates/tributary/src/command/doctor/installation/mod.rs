//! Checks of the installation: one line per check, with the next step if something is wrong.

use crate::app::{self, App, FileReaders, PLUGINS};
use crate::backup::BackupState;
use crate::command::cache::counted;
use crate::command::{CliContext, disk_forecast, public_address};
use crate::unreadable_records::unreadable_records;
use crate::{second_reader, secret_files, terminal};
use clap::Args;
use corpus::maintenance::{ReconcileReport, Repair};
use domain::ports::{
    AuditStore, Clock, ConnectorErrorKind, HealthStore, ProviderStore, QueueName, ResultOrigin, SystemClock,
    UserStore, chain_with_lines,
};
use domain::provider::SearchProvider;
use domain::result::ProviderError;
use domain::search::Sort;
use domain::settings::Settings;
use domain::user::Principal;
use futures_util::StreamExt;
use license::LicenseStatus;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Thresholds of free disk space: warning, and failure because searches may fail.
const FREE_LOW_BYTES: u64 = 1024 * 1024 * 1024;
const FREE_MIN_BYTES: u64 = 64 * 1024 * 1024;
/// Providers probed concurrently.
const CONCURRENT_PROBES: usize = 8;
/// Workers send heartbeats more often than this.
const HEARTBEAT_MAX_AGE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Warn,
    Fail,
}

#[derive(Debug)]
struct Finding {
    verdict: Verdict,
    part: &'static str,
    sentence: String,
}

/// Options of the installation checks.
#[derive(Debug, Args)]
pub struct Installation {
    /// Installation check: do not probe providers.
    #[arg(long)]
    offline: bool,
    /// Installation check: query for probing every active provider.
    #[arg(long, value_name = "QUERY", default_value = "test")]
    test_query: String,
    /// Installation check: repair inconsistencies of the semantic cache. Asks before removing anything.
    #[arg(long)]
    repair: bool,
    /// With --repair: do not ask for confirmation.
    #[arg(long, requires = "repair")]
    yes: bool,
}

impl Installation {
    /// Runs all checks and prints the findings. Returns exit code 1 if one failed.
    pub async fn examine(&self, cli: &CliContext) -> ExitCode {
        let findings = self.findings(cli).await;
        for Finding { verdict, part, sentence } in &findings {
            let word = match verdict {
                Verdict::Ok => "ok",
                Verdict::Warn => "warn",
                Verdict::Fail => "fail",
            };
            terminal::line(format!("{word:4}  {part:11}  {sentence}"));
        }
        let count = |wanted| findings.iter().filter(|finding| finding.verdict == wanted).count();
        let (warned, failed) = (count(Verdict::Warn), count(Verdict::Fail));
        let [checks, warnings, failures] =
            [(findings.len(), "check"), (warned, "warning"), (failed, "failure")]
                .map(|(count, noun)| counted(count, noun));
        terminal::line(format!("{checks}, {warnings}, {failures}."));
        if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    async fn findings(&self, cli: &CliContext) -> Vec<Finding> {
        let read = match cli.load_settings(&[]) {
            Ok(read) => read,
            Err(error) => {
                let lines = format!("{error:#}").replace('\n', " ");
                return vec![fail(
                    "settings",
                    format!("{lines} Correct them; `tributary settings` lists all settings."),
                )];
            }
        };
        let mut findings = vec![ok("settings", format!("{} settings are valid", Settings::TABLE.len()))];
        findings.extend(read.remarks.iter().map(|remark| warn("settings", remark.clone())));
        let data_dir = PathBuf::from(&read.settings.data_dir);
        let folder = data_folder(&data_dir);
        let can_write = folder.iter().all(|finding| finding.verdict != Verdict::Fail);
        findings.extend(folder);
        findings.extend(backups(&read.settings));
        findings.push(outbound_limits(&read.settings));
        findings.extend(public_address::warning(&read.settings).map(|sentence| warn("address", sentence)));
        findings.extend(tls(&read.settings).await);
        findings.extend(second_reader(&read.settings));
        if !can_write {
            return findings;
        }
        let database = database(&read.settings, &data_dir).await;
        let is_usable = database.verdict == Verdict::Ok;
        findings.push(database);
        if !is_usable {
            return findings;
        }
        match App::build(read, FileReaders::ChildProcesses).await {
            Ok(app) => {
                findings.extend(self.check_service(&app).await);
                app.store.close().await;
            }
            Err(error) => {
                findings.push(fail("database", format!("cannot be used: {}", chain_with_lines(&*error))))
            }
        }
        findings
    }

    /// Checks that need the built service.
    async fn check_service(&self, app: &App) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Err(error) = app.store.ping().await {
            findings.push(fail("database", format!("no response: {error}")));
        }
        findings.push(disk_of_database(app).await);
        findings.push(queue(app).await);
        match app.store.users(0, 1).await {
            Ok(users) if users.total == 0 => {
                findings.push(warn("users", "no users yet; run: tributary setup".to_owned()));
            }
            Ok(users) => findings.push(ok("users", counted(users.total, "user"))),
            Err(error) => findings.push(fail("users", error.to_string())),
        }
        findings.push(audit(app).await);
        findings.push(license(app));
        findings.extend(self.cache(app).await);
        match unreadable_records(&*app.store).await {
            Ok(records) => findings.extend(records.iter().map(|record| fail("secrets", record.to_string()))),
            Err(error) => findings.push(fail("secrets", error.to_string())),
        }
        match app.store.providers().await {
            Ok(providers) => findings.extend(self.providers(app, providers).await),
            Err(error) => findings.push(fail("providers", error.to_string())),
        }
        findings
    }

    /// Compares records, vectors and texts of the semantic cache, and repairs them if requested.
    async fn cache(&self, app: &App) -> Vec<Finding> {
        match self.compare_and_repair(app).await {
            Ok(report) => cache_findings(&report),
            Err(error) => vec![fail("cache", format!("cannot be checked: {}", chain_with_lines(&*error)))],
        }
    }

    async fn compare_and_repair(&self, app: &App) -> anyhow::Result<ReconcileReport> {
        let found = app.corpus.reconcile(Repair::Nothing).await?;
        if !self.repair {
            return Ok(found);
        }
        if let Some(removals) = removals(&found) {
            let question = format!("Repair the semantic cache? {removals}.");
            if !(self.yes || terminal::confirm(&question)?) {
                return Ok(found);
            }
        }
        Ok(app.corpus.reconcile(Repair::All).await?)
    }

    async fn providers(&self, app: &App, all: Vec<SearchProvider>) -> Vec<Finding> {
        // Providers with unreadable secrets are already reported, and are not probed.
        let active = all.into_iter().filter(|one| one.spec.active && !one.unreadable.is_any());
        // Without a license, the cache returns nothing by design.
        let is_closed =
            |one: &SearchProvider| PLUGINS.is_from(ResultOrigin::Corpus, one) && !app.license.opens_cache();
        let (closed, active): (Vec<_>, Vec<_>) = active.partition(is_closed);
        let mut findings: Vec<Finding> = closed
            .iter()
            .map(|one| ok("provider", format!("{}: not probed; it needs a license", one.spec.name)))
            .collect();
        if active.is_empty() {
            let next = "no active providers; run: tributary providers add wikipedia";
            findings.push(warn("providers", next.to_owned()));
        } else if self.offline {
            findings.push(ok("providers", format!("{} active; not probed (--offline)", active.len())));
        } else {
            let asked = futures_util::stream::iter(active)
                .map(|provider| async move { self.probe(app, &provider).await })
                .buffered(CONCURRENT_PROBES);
            findings.extend(asked.collect::<Vec<Finding>>().await);
        }
        findings
    }

    async fn probe(&self, app: &App, provider: &SearchProvider) -> Finding {
        let name = &provider.spec.name;
        let owner = match app.store.user(provider.owner).await {
            Ok(owner) => Principal::of(&owner),
            Err(error) => return fail("provider", format!("{name}: owner: {error}")),
        };
        let test = app.federation.prober.probe(provider, &owner, &self.test_query, Sort::default()).await;
        let (found, retrieved, time) = match test {
            Err(error) => return fail("provider", format!("{name}: {error}")),
            Ok(test) => match test.error {
                Some(fault) => return fail("provider", format!("{name}: {}", explain(&fault))),
                None => (test.found, test.retrieved, test.time),
            },
        };
        match retrieved {
            0 => warn("provider", format!("{name}: responds, but has no results for '{}'", self.test_query)),
            _ => ok("provider", format!("{name}: {retrieved} of {found} in {time:.1} s")),
        }
    }
}

/// The error of a source with advice, as one sentence.
fn explain(fault: &ProviderError) -> String {
    let message = fault.message.trim_end_matches('.');
    match ConnectorErrorKind::of_code(&fault.code) {
        Some(kind) => format!("{message}; {}", kind.advice()),
        None => message.to_owned(),
    }
}

fn data_folder(data_dir: &Path) -> Vec<Finding> {
    let shown = data_dir.display();
    if !data_dir.exists() {
        return vec![warn("data folder", format!("{shown} does not exist yet; run: tributary setup"))];
    }
    if let Err(error) = tempfile::NamedTempFile::new_in(data_dir) {
        return vec![fail(
            "data folder",
            format!("{shown} is not writable: {error}; change its owner to this user"),
        )];
    }
    let mut findings = vec![match readable_by_others(data_dir) {
        None => ok("data folder", format!("{shown} is writable")),
        Some(name) => warn(
            "data folder",
            format!("other users can read {name} in {shown}; run: chmod -R go-rwx {shown}"),
        ),
    }];
    findings.push(match rustix::fs::statvfs(data_dir) {
        Ok(disk) => free_space(disk.f_bavail.saturating_mul(disk.f_frsize)),
        Err(error) => warn("disk", format!("cannot determine the free space: {error}")),
    });
    findings
}

/// A private file in the data folder that other users can read.
fn readable_by_others(data_dir: &Path) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let allows = |path: &Path, bits: u32| {
            std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & bits != 0)
        };
        let mut private =
            [app::DATABASE_FILE, secret_files::KEY_FILE, secret_files::PASSWORD_FILE].into_iter();
        private.find(|name| allows(data_dir, 0o001) && allows(&data_dir.join(name), 0o004))
    }
    #[cfg(not(unix))]
    {
        let _unused = data_dir;
        None
    }
}

fn free_space(bytes: u64) -> Finding {
    let sentence = format!("{} MiB free", bytes / 1024 / 1024);
    match bytes {
        0..FREE_MIN_BYTES => fail("disk", sentence + "; free disk space now"),
        FREE_MIN_BYTES..FREE_LOW_BYTES => warn("disk", sentence + "; free disk space soon"),
        _ => ok("disk", sentence),
    }
}

/// The latest scheduled backup, if backups are scheduled.
fn backups(settings: &Settings) -> Option<Finding> {
    let next = "search for 'scheduled backup' in `tributary logs` of the process with the role beat";
    Some(match BackupState::of(settings, &SystemClock) {
        BackupState::Off => return None,
        BackupState::Unknown(why) => {
            warn("backups", format!("the backup folder cannot be read: {why} (SVC_BACKUP_DIR)"))
        }
        BackupState::Late(None) => {
            warn("backups", format!("no scheduled backup in {} yet; {next}", settings.backup_dir))
        }
        BackupState::Late(Some(last)) => {
            let hours = last.age(SystemClock.now()).as_secs() / 3600;
            warn("backups", format!("the latest scheduled backup is {} old; {next}", counted(hours, "hour")))
        }
        BackupState::Fresh(last) => ok("backups", format!("the latest is {}", last.path.display())),
    })
}

fn outbound_limits(settings: &Settings) -> Finding {
    match app::context(settings, Arc::new(SystemClock), FileReaders::ChildProcesses) {
        Ok(_) => {
            let exceptions = counted(settings.outbound_allow.len(), "exception");
            ok("outbound", format!("private addresses are blocked, {exceptions} (SVC_OUTBOUND_ALLOW)"))
        }
        Err(error) => fail("outbound", format!("{error:#}")),
    }
}

/// The service's own certificate, if it has one.
async fn tls(settings: &Settings) -> Option<Finding> {
    match server::ReloadingAcceptor::load(settings).await {
        Ok(None) => None,
        Ok(Some(_)) => Some(ok("tls", "the certificate and its key are valid".to_owned())),
        Err(error) => Some(fail("tls", error.to_string())),
    }
}

/// The model of the second reader, if it is on.
fn second_reader(settings: &Settings) -> Option<Finding> {
    let next = "run: tributary reader install PATH, or set SVC_SECOND_READER=false";
    settings.second_reader.then(|| match second_reader::load(Path::new(&settings.data_dir)) {
        Ok(Some(_)) => ok("reader", "the model of the second reader is installed".to_owned()),
        Ok(None) => warn("reader", format!("the second reader has no model; {next}")),
        Err(error) => warn("reader", format!("the second reader cannot be used: {error:#}; {next}")),
    })
}

async fn database(settings: &Settings, data_dir: &Path) -> Finding {
    let url = match app::database_url(settings, data_dir) {
        Ok(url) => url,
        Err(error) => return fail("database", format!("{error:#}")),
    };
    let kind = if url.expose().starts_with("sqlite") { "SQLite" } else { "PostgreSQL" };
    let newest = store::dump::schema_version();
    match store::dump::target_state(&url).await {
        Err(error) => fail("database", format!("{kind}: {error}; check SVC_DATABASE_URL and the server")),
        Ok(state) => match state.schema {
            None => warn("database", format!("{kind}: empty; run: tributary setup")),
            Some(schema) if schema < newest => {
                warn("database", format!("{kind}: schema {schema} of {newest}; run: tributary migrate"))
            }
            Some(schema) if schema > newest => {
                fail("database", format!("{kind}: schema {schema} was made by a newer version"))
            }
            Some(schema) => ok("database", format!("{kind}: reachable, schema {schema}")),
        },
    }
}

async fn disk_of_database(app: &App) -> Finding {
    match server::storage_forecast(&*app.store).await {
        Ok(forecast) => {
            let found = disk_forecast::describe(&forecast, app.settings.default_retention);
            if found.is_warning { warn("size", found.sentence) } else { ok("size", found.sentence) }
        }
        Err(error) => fail("size", error.to_string()),
    }
}

async fn audit(app: &App) -> Finding {
    match app.store.verify_audit().await {
        Ok(report) if report.ok => ok("audit", report.detail),
        Ok(report) => {
            fail("audit", format!("{} The log may have been tampered with; keep a copy", report.detail))
        }
        Err(error) => fail("audit", format!("the audit log cannot be read: {error}")),
    }
}

fn license(app: &App) -> Finding {
    let report = app.license.report();
    match report.status {
        LicenseStatus::None => ok("license", "no license; the semantic cache is disabled".to_owned()),
        LicenseStatus::Valid => ok("license", report.message),
        LicenseStatus::Expiring => warn("license", report.message + " Ask its issuer for a renewal"),
        LicenseStatus::Expired | LicenseStatus::Invalid => fail("license", report.message),
    }
}

/// What a repair of the semantic cache would remove; `None` if nothing.
fn removals(found: &ReconcileReport) -> Option<String> {
    let [vectors, missing, surplus] = found.removals().map(|difference| difference.count);
    let parts = [
        (missing, "documents lose the reference to their text, which is missing from this folder or bucket"),
        (surplus, "texts that belong to no document are deleted"),
        (vectors, "deleted documents lose their vectors"),
    ];
    let said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn cache_findings(found: &ReconcileReport) -> Vec<Finding> {
    let ReconcileReport { documents, indexed, pieces, with_body, bodies, .. } = found;
    let held = match found.vectors {
        Some(vectors) => format!("{vectors} vectors"),
        None => "no vectors (SVC_QDRANT_MODE=disabled)".to_owned(),
    };
    let figures = format!(
        "{documents} documents, {indexed} with text, {pieces} chunks, {held}, {with_body} stored texts in {bodies} files"
    );
    if found.is_whole() {
        return vec![ok("cache", format!("records, vectors and texts are consistent: {figures}"))];
    }
    let (judge, end): (fn(_, _) -> _, _) =
        if found.is_repaired { (warn, "; repaired") } else { (fail, "; run: tributary doctor --repair") };
    let mut findings = vec![warn("cache", figures)];
    for (difference, sentence) in [
        (&found.vectors_missing, "documents have no vectors"),
        (&found.vectors_surplus, "deleted documents have vectors"),
        (&found.bodies_missing, "documents have no text"),
        (&found.bodies_surplus, "texts belong to no document"),
    ] {
        let (count, named) = (difference.count, difference.named.join(", "));
        if count > 0 {
            findings.push(judge("cache", format!("{count} {sentence} ({named}){end}")));
        }
    }
    let recorded = found.pieces_recorded;
    if recorded != *pieces {
        let sentence = format!("{recorded} chunks are recorded instead of {pieces}");
        findings.push(fail("cache", sentence + "; run: tributary reset_semantic_cache"));
    }
    findings
}

async fn queue(app: &App) -> Finding {
    if let Err(error) = app.queue.reachable().await {
        return fail("queue", error.to_string());
    }
    let (mut silent, mut waiting) = (Vec::new(), 0);
    for queue in QueueName::ALL {
        match (app.queue.workers(queue, HEARTBEAT_MAX_AGE).await, app.queue.depth(queue).await) {
            (Ok(workers), Ok(depth)) => {
                waiting += depth;
                if workers.is_empty() {
                    silent.push(queue.as_str());
                }
            }
            (Err(error), _) | (_, Err(error)) => return fail("queue", error.to_string()),
        }
    }
    let waiting = counted(waiting, "task");
    if silent.is_empty() {
        ok("queue", format!("every queue has a worker; {waiting} waiting"))
    } else {
        warn(
            "queue",
            format!("no active worker for {}; {waiting} waiting; run: tributary start", silent.join(", ")),
        )
    }
}

fn ok(part: &'static str, sentence: String) -> Finding {
    Finding { verdict: Verdict::Ok, part, sentence }
}

fn warn(part: &'static str, sentence: String) -> Finding {
    Finding { verdict: Verdict::Warn, part, sentence }
}

fn fail(part: &'static str, sentence: String) -> Finding {
    Finding { verdict: Verdict::Fail, part, sentence }
}

#[cfg(test)]
mod tests;
