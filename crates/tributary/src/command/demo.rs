//! `tributary demo`: the whole service with sample sources, offline.

use super::Place;
use super::serve::until_told_to_stop;
use crate::demo::Samples;
use crate::service::{Role, Service, ensure_admin};
use crate::wiring::Wired;
use crate::{cache_source, demo, keys, logs, terminal};
use anyhow::Context;
use clap::Args;
use domain::contracts::{Clock, SystemClock};
use domain::settings::{SettingInForce, SettingOrigin};
use std::path::{Path, PathBuf};

/// Run the service with three sample sources of an invented company. Needs no network.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary demo
  tributary demo --port 9000                         when 8000 is taken
  tributary search sediment --data-dir ./data/demo   another command on its data

It prints the password of admin. What it keeps is in ./data/demo; delete that folder to begin anew.")]
pub struct Demo {
    /// The port (SVC_PORT); 0 takes a free one.
    #[arg(long)]
    port: Option<u16>,
}

const DATA_DIR: &str = "./data/demo";
/// On, as in every environment that is shipped; whoever sets it otherwise is heard.
const ELECTS: &str = "SVC_CANONICAL_AUTO_ELECT_ENABLED";
const QUERIES: [&str; 3] = ["flood warning", "battery life", "sediment"];
/// It finds a document in four versions.
const VERSIONS_QUERY: &str = "gauge hosting agreement";

impl Demo {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let mut given: Vec<(&str, String)> =
            self.port.iter().map(|port| ("SVC_PORT", port.to_string())).collect();
        given.push(("SVC_DATA_DIR", DATA_DIR.to_owned()));
        let mut read = place.read(&given)?;
        let is_unset = |row: &SettingInForce| row.name == ELECTS && row.origin == SettingOrigin::Default;
        if read.in_force.iter().any(is_unset) {
            given.push((ELECTS, "True".to_owned()));
            read = place.read(&given)?;
        }
        if read.settings.license.is_empty() {
            let today = SystemClock.now().date_naive();
            given.extend(demo::license::settings(&PathBuf::from(&read.settings.data_dir), today)?);
            read = place.read(&given)?;
        }
        let _written_at_the_end = logs::start(&read.settings, &PathBuf::from(&read.settings.data_dir))?;
        let wired = Wired::open(read).await?;
        let password = admin_password(&wired).await?;
        let samples = Samples::start(&wired.data_dir).await?;
        demo::install(&wired, &samples).await?;
        cache_source::ensure(&wired).await?;
        demo::versions::ensure_curator(&wired, &password).await?;
        demo::versions::keep(&wired).await?;
        let folder = wired.data_dir.clone();
        let service = Service::start(wired, &Role::all()).await?;
        let url = service.url().context("the demo has a web role")?;
        welcome(&url, &password, &folder);
        until_told_to_stop().await?;
        service.stop().await;
        drop(samples);
        Ok(())
    }
}

/// The demo's password is kept in its data folder, so that every start can print it.
async fn admin_password(wired: &Wired) -> anyhow::Result<String> {
    if let Some(made) = ensure_admin(wired).await? {
        return Ok(made);
    }
    let given = wired.settings.admin_password.expose();
    if !given.is_empty() {
        return Ok(given.to_owned());
    }
    let file = wired.data_dir.join(keys::PASSWORD_FILE);
    Ok(std::fs::read_to_string(file).map_or("(as you set it)".to_owned(), |text| text.trim().to_owned()))
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
    terminal::line("With &rag=true at the end of the address the answer comes too, picked from the sources.");
    terminal::line("");
    terminal::line(format!("In the browser: {url}/   API: {url}/svc/api/docs/"));
    let curator = demo::versions::CURATOR;
    terminal::line(format!("Versions: search for “{VERSIONS_QUERY}”, then open {url}/review/"));
    terminal::line(format!("User {curator} was given the same password, and decides which version counts."));
    terminal::line(format!("From the command line: tributary search sediment --data-dir {folder}"));
    terminal::line("Ctrl-C stops it.");
}
