//! `tributary doctor` without a source: every part of the installation, a line each, with the next step.

use super::{Place, disk_forecast, public_address};
use crate::backup::BackupState;
use crate::unreadable_records::unreadable_records;
use crate::wiring::{self, Wired};
use crate::{keys, terminal};
use clap::Args;
use corpus::upkeep::{Agreement, Repair};
use domain::contracts::{
    AuditStore, Clock, ConnectorErrorKind, ProviderStore, QueueName, Store, SystemClock, UserStore,
};
use domain::corpus::CONNECTOR_NAME;
use domain::license::LicenseStatus;
use domain::provider::SearchProvider;
use domain::result::ProviderFault;
use domain::search::Sort;
use domain::settings::Settings;
use domain::user::Principal;
use futures_util::StreamExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Below this the disk is nearly full; a search may fail below the second.
const FREE_LOW_BYTES: u64 = 1024 * 1024 * 1024;
const FREE_MIN_BYTES: u64 = 64 * 1024 * 1024;
/// Providers that are asked at once.
const ASKED_AT_ONCE: usize = 8;
/// Workers give a sign of life more often than this.
const HEARD_WITHIN: Duration = Duration::from_secs(60);

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

/// What to examine.
#[derive(Debug, Args)]
pub struct Installation {
    /// Without a source: ask no provider.
    #[arg(long)]
    offline: bool,
    /// Without a source: what every active provider is asked.
    #[arg(long, value_name = "QUERY", default_value = "test")]
    test_query: String,
    /// Without a source: put right what does not agree in the semantic cache. What would be removed is told first.
    #[arg(long)]
    repair: bool,
    /// With --repair: do not ask.
    #[arg(long, requires = "repair")]
    yes: bool,
}

impl Installation {
    /// Examines the installation and prints what was found. 1 when something failed.
    pub async fn examine(&self, place: &Place) -> ExitCode {
        let findings = self.findings(place).await;
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
        terminal::line(format!("{} checks, {warned} warnings, {failed} failures.", findings.len()));
        if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    async fn findings(&self, place: &Place) -> Vec<Finding> {
        let read = match place.read(&[]) {
            Ok(read) => read,
            Err(error) => {
                let lines = format!("{error:#}").replace('\n', " ");
                return vec![fail(
                    "settings",
                    format!("{lines} Correct them; `tributary settings` shows all."),
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
        if !can_write {
            return findings;
        }
        let database = database(&read.settings, &data_dir).await;
        let is_usable = database.verdict == Verdict::Ok;
        findings.push(database);
        if !is_usable {
            return findings;
        }
        match Wired::open(read).await {
            Ok(wired) => {
                findings.extend(self.inside(&wired).await);
                wired.store.close().await;
            }
            Err(error) => findings.push(fail("database", format!("it cannot be used: {error:#}"))),
        }
        findings
    }

    /// Checks that need the running service.
    async fn inside(&self, wired: &Wired) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Err(error) = wired.store.ping().await {
            findings.push(fail("database", format!("it does not answer: {error}")));
        }
        findings.push(disk_of_database(wired).await);
        findings.push(queue(wired).await);
        match wired.store.users(0, 1).await {
            Ok(users) if users.total == 0 => {
                findings.push(warn("people", "there is no user yet; run: tributary setup".to_owned()));
            }
            Ok(users) => findings.push(ok("people", format!("{} users", users.total))),
            Err(error) => findings.push(fail("people", error.to_string())),
        }
        findings.push(audit(wired).await);
        findings.push(license(wired));
        findings.extend(self.cache(wired).await);
        match unreadable_records(&*wired.store).await {
            Ok(records) => findings.extend(records.iter().map(|record| fail("secrets", record.to_string()))),
            Err(error) => findings.push(fail("secrets", error.to_string())),
        }
        match wired.store.providers().await {
            Ok(providers) => findings.extend(self.providers(wired, providers).await),
            Err(error) => findings.push(fail("providers", error.to_string())),
        }
        findings
    }

    /// Records, vectors and texts of the semantic cache, compared, and put right when that is wanted.
    async fn cache(&self, wired: &Wired) -> Vec<Finding> {
        match self.compare_and_repair(wired).await {
            Ok(agreement) => compared(&agreement),
            Err(error) => vec![fail("cache", format!("it cannot be compared: {error:#}"))],
        }
    }

    async fn compare_and_repair(&self, wired: &Wired) -> anyhow::Result<Agreement> {
        let found = wired.corpus.agree(Repair::Nothing).await?;
        if !self.repair {
            return Ok(found);
        }
        if let Some(removals) = removals(&found) {
            let question = format!("Repair the semantic cache? {removals}.");
            if !(self.yes || terminal::confirm(&question)?) {
                return Ok(found);
            }
        }
        Ok(wired.corpus.agree(Repair::All).await?)
    }

    async fn providers(&self, wired: &Wired, all: Vec<SearchProvider>) -> Vec<Finding> {
        // One whose secrets cannot be read is named already, and is not asked.
        let active = all.into_iter().filter(|one| one.spec.active && !one.unreadable.is_any());
        // Without a license the cache says nothing to anybody, and that is as it should be.
        let is_closed =
            |one: &SearchProvider| one.spec.connector == CONNECTOR_NAME && !wired.license.opens_cache();
        let (closed, active): (Vec<_>, Vec<_>) = active.partition(is_closed);
        let mut findings: Vec<Finding> = closed
            .iter()
            .map(|one| ok("provider", format!("{}: not asked; it needs a license", one.spec.name)))
            .collect();
        if active.is_empty() {
            let next = "no provider is active; run: tributary providers add wikipedia";
            findings.push(warn("providers", next.to_owned()));
        } else if self.offline {
            findings.push(ok("providers", format!("{} are active; not asked (--offline)", active.len())));
        } else {
            let asked = futures_util::stream::iter(active)
                .map(|provider| async move { self.ask(wired, &provider).await })
                .buffered(ASKED_AT_ONCE);
            findings.extend(asked.collect::<Vec<Finding>>().await);
        }
        findings
    }

    async fn ask(&self, wired: &Wired, provider: &SearchProvider) -> Finding {
        let name = &provider.spec.name;
        let owner = match wired.store.user(provider.owner).await {
            Ok(owner) => Principal::of(&owner),
            Err(error) => return fail("provider", format!("{name}: its owner: {error}")),
        };
        let test = wired.federation.test_provider(provider, &owner, &self.test_query, Sort::default()).await;
        let (found, retrieved, time) = match test {
            Err(error) => return fail("provider", format!("{name}: {error}")),
            Ok(test) => match test.error {
                Some(fault) => return fail("provider", format!("{name}: {}", explained(&fault))),
                None => (test.found, test.retrieved, test.time),
            },
        };
        match retrieved {
            0 => warn("provider", format!("{name}: answers, but has nothing for '{}'", self.test_query)),
            _ => ok("provider", format!("{name}: {retrieved} of {found} in {time:.1} s")),
        }
    }
}

/// What went wrong with a source and what to do about it, as one sentence.
fn explained(fault: &ProviderFault) -> String {
    let told = fault.message.trim_end_matches('.');
    match ConnectorErrorKind::of_code(&fault.code) {
        Some(kind) => format!("{told}; {}", kind.advice()),
        None => told.to_owned(),
    }
}

fn data_folder(data_dir: &Path) -> Vec<Finding> {
    let shown = data_dir.display();
    if !data_dir.exists() {
        return vec![warn("data folder", format!("{shown} is not there yet; run: tributary setup"))];
    }
    if let Err(error) = tempfile::NamedTempFile::new_in(data_dir) {
        return vec![fail(
            "data folder",
            format!("{shown} cannot be written to: {error}; give it to this user"),
        )];
    }
    let mut findings = vec![match open_to_others(data_dir) {
        None => ok("data folder", format!("{shown} can be written to")),
        Some(name) => warn(
            "data folder",
            format!("others on this machine can read {name} in {shown}; run: chmod -R go-rwx {shown}"),
        ),
    }];
    findings.push(match rustix::fs::statvfs(data_dir) {
        Ok(disk) => free_space(disk.f_bavail.saturating_mul(disk.f_frsize)),
        Err(error) => warn("disk", format!("the free space cannot be told: {error}")),
    });
    findings
}

/// A file of the data folder that is not for others, and that others can reach and read.
fn open_to_others(data_dir: &Path) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let allows = |path: &Path, bits: u32| {
            std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & bits != 0)
        };
        let mut private = [wiring::DATABASE_FILE, keys::KEY_FILE, keys::PASSWORD_FILE].into_iter();
        private.find(|name| allows(data_dir, 0o001) && allows(&data_dir.join(name), 0o004))
    }
    #[cfg(not(unix))]
    {
        let _unused = data_dir;
        None
    }
}

fn free_space(bytes: u64) -> Finding {
    let sentence = format!("{} MiB are free", bytes / 1024 / 1024);
    match bytes {
        0..FREE_MIN_BYTES => fail("disk", sentence + "; make space now"),
        FREE_MIN_BYTES..FREE_LOW_BYTES => warn("disk", sentence + "; make space soon"),
        _ => ok("disk", sentence),
    }
}

/// The last scheduled backup, where there should be one.
fn backups(settings: &Settings) -> Option<Finding> {
    let next = "look for 'scheduled backup' in `tributary logs` of the process with the role beat";
    Some(match BackupState::of(settings, &SystemClock) {
        BackupState::Off => return None,
        BackupState::Unknown(why) => {
            warn("backups", format!("the folder of scheduled backups cannot be read: {why} (SVC_BACKUP_DIR)"))
        }
        BackupState::Late(None) => {
            warn("backups", format!("there is no scheduled backup in {} yet; {next}", settings.backup_dir))
        }
        BackupState::Late(Some(last)) => {
            let hours = last.age(SystemClock.now()).as_secs() / 3600;
            warn("backups", format!("the last scheduled backup is {hours} hours old; {next}"))
        }
        BackupState::Fresh(last) => ok("backups", format!("the last one is {}", last.path.display())),
    })
}

fn outbound_limits(settings: &Settings) -> Finding {
    match wiring::context(&Arc::new(settings.clone()), Arc::new(SystemClock)) {
        Ok(_) => {
            let count = settings.outbound_allow.len();
            ok("outbound", format!("private addresses are closed, {count} exceptions (SVC_OUTBOUND_ALLOW)"))
        }
        Err(error) => fail("outbound", format!("{error:#}")),
    }
}

/// The service's own certificate, if it has one.
async fn tls(settings: &Settings) -> Option<Finding> {
    match server::ReloadingAcceptor::load(settings).await {
        Ok(None) => None,
        Ok(Some(_)) => Some(ok("tls", "the certificate and its key can be used".to_owned())),
        Err(error) => Some(fail("tls", error.to_string())),
    }
}

async fn database(settings: &Settings, data_dir: &Path) -> Finding {
    let url = match wiring::database_url(settings, data_dir) {
        Ok(url) => url,
        Err(error) => return fail("database", format!("{error:#}")),
    };
    let kind = if url.expose().starts_with("sqlite") { "SQLite" } else { "PostgreSQL" };
    let newest = store::copy::schema_version();
    match store::copy::target_state(&url).await {
        Err(error) => fail("database", format!("{kind}: {error}; look at SVC_DATABASE_URL and the server")),
        Ok(state) => match state.schema {
            None => warn("database", format!("{kind}: it is empty; run: tributary setup")),
            Some(schema) if schema < newest => {
                warn("database", format!("{kind}: schema {schema} of {newest}; run: tributary migrate"))
            }
            Some(schema) if schema > newest => {
                fail("database", format!("{kind}: schema {schema} is of a newer version of the program"))
            }
            Some(schema) => ok("database", format!("{kind}: reachable, schema {schema}")),
        },
    }
}

async fn disk_of_database(wired: &Wired) -> Finding {
    match server::storage_forecast(&*wired.store).await {
        Ok(forecast) => match disk_forecast::sentence(&forecast, wired.settings.default_retention) {
            (sentence, false) => ok("size", sentence),
            (sentence, true) => warn("size", sentence),
        },
        Err(error) => fail("size", error.to_string()),
    }
}

async fn audit(wired: &Wired) -> Finding {
    match wired.store.verify_audit().await {
        Ok(report) if report.ok => ok("audit", report.detail),
        Ok(report) => fail("audit", format!("{} Somebody may hide something; keep a copy", report.detail)),
        Err(error) => fail("audit", format!("the log cannot be read: {error}")),
    }
}

fn license(wired: &Wired) -> Finding {
    let report = wired.license.report();
    match report.status {
        LicenseStatus::None => ok("license", "there is none; the semantic cache is closed".to_owned()),
        LicenseStatus::Valid => ok("license", report.message),
        LicenseStatus::Expiring => warn("license", report.message + " Ask its issuer for another"),
        LicenseStatus::Expired | LicenseStatus::Invalid => fail("license", report.message),
    }
}

/// What a repair of the semantic cache removes; None: nothing.
fn removals(found: &Agreement) -> Option<String> {
    let [vectors, missing, surplus] = found.removals().map(|difference| difference.count);
    let parts = [
        (missing, "documents lose the reference to their text, which is not in this folder or bucket"),
        (surplus, "texts that belong to no document are deleted"),
        (vectors, "documents that are not there lose their vectors"),
    ];
    let said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn compared(found: &Agreement) -> Vec<Finding> {
    let Agreement { documents, indexed, pieces, with_body, bodies, .. } = found;
    let held = match found.vectors {
        Some(vectors) => format!("{vectors} vectors"),
        None => "no vectors (SVC_QDRANT_MODE=disabled)".to_owned(),
    };
    let figures = format!(
        "{documents} documents, {indexed} with text, {pieces} pieces, {held}, {with_body} kept texts in {bodies} files"
    );
    if found.is_whole() {
        return vec![ok("cache", format!("records, vectors and texts agree: {figures}"))];
    }
    let (judge, end): (fn(_, _) -> _, _) = match found.is_repaired {
        true => (warn, "; put right"),
        false => (fail, "; run: tributary doctor --repair"),
    };
    let mut findings = vec![warn("cache", figures)];
    for (difference, sentence) in [
        (&found.vectors_missing, "documents lack vectors"),
        (&found.vectors_surplus, "documents that are not there have vectors"),
        (&found.bodies_missing, "documents lack their text"),
        (&found.bodies_surplus, "texts belong to no document"),
    ] {
        let (count, named) = (difference.count, difference.named.join(", "));
        if count > 0 {
            findings.push(judge("cache", format!("{count} {sentence} ({named}){end}")));
        }
    }
    let recorded = found.pieces_recorded;
    if recorded != *pieces {
        let sentence = format!("{recorded} pieces are among the records instead of {pieces}");
        findings.push(fail("cache", sentence + "; run: tributary reset_semantic_cache"));
    }
    findings
}

async fn queue(wired: &Wired) -> Finding {
    if let Err(error) = wired.queue.reachable().await {
        return fail("queue", error.to_string());
    }
    let (mut silent, mut waiting) = (Vec::new(), 0);
    for queue in QueueName::ALL {
        match (wired.queue.workers(queue, HEARD_WITHIN).await, wired.queue.depth(queue).await) {
            (Ok(workers), Ok(depth)) => {
                waiting += depth;
                if workers.is_empty() {
                    silent.push(queue.as_str());
                }
            }
            (Err(error), _) | (_, Err(error)) => return fail("queue", error.to_string()),
        }
    }
    match silent.is_empty() {
        true => ok("queue", format!("every queue has a worker; {waiting} tasks wait")),
        false => warn(
            "queue",
            format!(
                "no worker was heard of for {}; {waiting} tasks wait; run: tributary start",
                silent.join(", ")
            ),
        ),
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
