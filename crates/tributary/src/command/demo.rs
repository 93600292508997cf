//! `tributary demo`: runs the service with sample sources, offline.

use super::CliContext;
use super::serve::wait_for_stop_signal;
use crate::app::{App, FileReaders};
use crate::corpus::provider as corpus_provider;
use crate::demo::Samples;
use crate::demo::settings::ELECTS;
use crate::service::{Role, Service, ensure_admin};
use crate::{demo, logs, secret_files, terminal};
use anyhow::Context;
use clap::Args;
use domain::ports::{Clock, SystemClock};
use domain::settings::{EffectiveSetting, SettingOrigin};
use std::path::{Path, PathBuf};

/// Run the service with three sample sources of a fictional company. Needs no network.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary demo
  tributary demo --port 9000                         use another port than 8000
  tributary search sediment --data-dir ./data/demo   search the demo's data

It prints the password of admin. Its data is in ./data/demo; delete that folder to start over.")]
pub struct Demo {
    /// Port (SVC_PORT); 0 picks a free one.
    #[arg(long)]
    port: Option<u16>,
}

const DATA_DIR: &str = "./data/demo";
const QUERIES: [&str; 3] = ["flood warning", "battery life", "sediment"];
/// Finds a document in four versions.
const VERSIONS_QUERY: &str = "gauge hosting agreement";

impl Demo {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let mut given: Vec<(&str, String)> =
            self.port.iter().map(|port| ("SVC_PORT", port.to_string())).collect();
        given.push(("SVC_DATA_DIR", DATA_DIR.to_owned()));
        let mut read = cli.load_own_settings(&given)?;
        let is_unset = |row: &EffectiveSetting| row.name == ELECTS && row.origin == SettingOrigin::Default;
        if read.effective.iter().any(is_unset) {
            given.push((ELECTS, "True".to_owned()));
            read = cli.load_own_settings(&given)?;
        }
        if read.settings.license.is_empty() {
            let today = SystemClock.now().date_naive();
            given.extend(demo::license::settings(&PathBuf::from(&read.settings.data_dir), today)?);
            read = cli.load_own_settings(&given)?;
        }
        let _written_at_the_end = logs::start(&read.settings, &PathBuf::from(&read.settings.data_dir))?;
        let app = App::build(read, FileReaders::ChildProcesses).await?;
        demo::settings::write(&app.data_dir, &given)?;
        let password = admin_password(&app).await?;
        let samples = Samples::start(&app.data_dir).await?;
        demo::install(&app, &samples).await?;
        corpus_provider::ensure(&app).await?;
        demo::versions::ensure_curator(&app, &password).await?;
        demo::versions::seed(&app).await?;
        let folder = app.data_dir.clone();
        let service = Service::start(app, &Role::all()).await?;
        let url = service.url().context("the demo has no listener")?;
        welcome(&url, &password, &folder);
        wait_for_stop_signal().await?;
        service.stop().await;
        drop(samples);
        Ok(())
    }
}

/// The demo's password, stored in its data folder so that every start can print it.
async fn admin_password(app: &App) -> anyhow::Result<String> {
    if let Some(made) = ensure_admin(app).await? {
        return Ok(made);
    }
    let given = app.settings.admin_password.expose();
    if !given.is_empty() {
        return Ok(given.to_owned());
    }
    let file = app.data_dir.join(secret_files::PASSWORD_FILE);
    Ok(std::fs::read_to_string(file).map_or("(as set by you)".to_owned(), |text| text.trim().to_owned()))
}

fn welcome(url: &str, password: &str, folder: &Path) {
    let folder = folder.display();
    terminal::line(format!("{} {} demo on {url}", domain::SERVICE_NAME, domain::VERSION));
    terminal::line(format!("User admin, password {password}"));
    terminal::line("");
    terminal::line("Three searches to try:");
    for query in QUERIES {
        let encoded = query.replace(' ', "+");
        terminal::line(format!("  curl -u admin:{password} '{url}/svc/search/?qs={encoded}'"));
    }
    terminal::line("Append &rag=true to also get an extractive AI summary.");
    terminal::line("");
    terminal::line(format!("In the browser: {url}/   API: {url}/svc/api/docs/"));
    let curator = demo::versions::CURATOR;
    terminal::line(format!("Versions: search for “{VERSIONS_QUERY}”, then open {url}/review/"));
    terminal::line(format!("User {curator} has the same password and may decide which version counts."));
    terminal::line(format!("From the command line: tributary search sediment --data-dir {folder}"));
    terminal::line("Press Ctrl-C to stop.");
}
