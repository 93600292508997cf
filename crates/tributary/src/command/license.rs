//! `tributary license`: keys, licenses, and whether one can be believed.

use super::Place;
use crate::license::{self, PRIVATE_FILE, PUBLIC_FILE};
use crate::terminal;
use anyhow::{Context, bail};
use chrono::{Months, NaiveDate};
use clap::{Args, Subcommand};
use domain::contracts::{Clock, SystemClock};
use domain::license::{IssuerKey, LICENSE_BYTES_MAX, LicenseReport, LicenseStatus, LicenseTerms};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Make keys and licenses, or look at one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary license keygen --out keys
  tributary license issue --key keys/private.pem --owner \"Delta Ltd\" --cache --expiration 2027-12-31 > license.json
  tributary license verify license.json --public-key keys/public.pem
  SVC_LICENSE=\"$(cat license.json)\" SVC_LICENSE_PUBLIC_KEY=keys/public.pem tributary license show")]
pub struct LicenseCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make the key of an issuer: private.pem, which signs licenses, and public.pem, which checks them.
    Keygen {
        /// The folder for both files; it is made if it is not there. What is in it is not overwritten.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Print a license as JSON, for SVC_LICENSE.
    Issue(Issue),
    /// Check a license: exit code 0 when it can be used, 1 when not.
    Verify(Verify),
    /// Show how the license of this installation stands.
    Show {
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct Issue {
    /// The private key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Whose license it is.
    #[arg(long, value_name = "NAME")]
    owner: String,
    /// With the semantic cache.
    #[arg(long)]
    cache: bool,
    /// The last day of the semantic cache; without it, that of the license.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day, requires = "cache")]
    cache_expiration: Option<NaiveDate>,
    /// The last day of the license; without it, this day in a year.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    expiration: Option<NaiveDate>,
}

#[derive(Debug, Args)]
struct Verify {
    /// A file with the license, or - for standard input; without it, SVC_LICENSE.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The issuer's public key, as text or as a file; without it, as the service finds it.
    #[arg(long, value_name = "KEY")]
    public_key: Option<String>,
}

/// Longest name of an owner, in characters.
const OWNER_CHARS_MAX: usize = 200;
/// How long a license lasts when nothing is said.
const YEAR: Months = Months::new(12);

impl LicenseCommand {
    pub fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Keygen { out } => {
                license::make_keys(&out)?;
                let file = |name: &str| out.join(name).display().to_string();
                terminal::line(format!("{} signs licenses: keep it secret.", file(PRIVATE_FILE)));
                terminal::line(format!(
                    "{} checks them: set SVC_LICENSE_PUBLIC_KEY to it where the service runs.",
                    file(PUBLIC_FILE)
                ));
                Ok(ExitCode::SUCCESS)
            }
            Action::Issue(issue) => issue.run(),
            Action::Verify(verify) => verify.run(place),
            Action::Show { json } => show(place, json),
        }
    }
}

impl Issue {
    fn run(self) -> anyhow::Result<ExitCode> {
        let owner = self.owner.trim();
        anyhow::ensure!(!owner.is_empty(), "--owner is empty");
        anyhow::ensure!(
            owner.chars().count() <= OWNER_CHARS_MAX,
            "--owner is longer than {OWNER_CHARS_MAX} characters"
        );
        let today = SystemClock.now().date_naive();
        let in_a_year = today.checked_add_months(YEAR).context("the clock stands too late")?;
        let terms = LicenseTerms {
            owner: owner.to_owned(),
            issued: today,
            expiration: self.expiration.unwrap_or(in_a_year),
            cache: self.cache,
            cache_expiration: self.cache_expiration,
        };
        let text = terms.issue(&license::signing_key(&self.key)?);
        for (what, last) in
            [("license", Some(terms.expiration)), ("part for the cache", terms.cache_expiration)]
        {
            if let Some(last) = last.filter(|last| *last < today) {
                terminal::note(format!("Warning: the {what} expired on {last} already."));
            }
        }
        terminal::line(text);
        Ok(ExitCode::SUCCESS)
    }
}

impl Verify {
    fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let settings = place.read(&[])?.settings;
        let text = match &self.file {
            None => settings.license.expose().to_owned(),
            Some(path) => read_license(path)?,
        };
        let issuer = match &self.public_key {
            Some(given) => Some(license::given_key(given).context("--public-key")?),
            None => license::issuer(&settings, Path::new(&settings.data_dir))?,
        };
        let report = looked_at(&text, issuer);
        describe(&report);
        Ok(code(&report))
    }
}

fn show(place: &Place, json: bool) -> anyhow::Result<ExitCode> {
    let settings = place.read(&[])?.settings;
    let issuer = license::issuer(&settings, Path::new(&settings.data_dir))?;
    let report = looked_at(settings.license.expose(), issuer);
    match json {
        true => terminal::line(serde_json::to_string_pretty(&report)?),
        false => describe(&report),
    }
    Ok(ExitCode::SUCCESS)
}

fn looked_at(text: &str, issuer: Option<IssuerKey>) -> LicenseReport {
    LicenseReport::of(text, issuer, SystemClock.now().date_naive())
}

fn describe(report: &LicenseReport) {
    terminal::line(format!("status      {}", report.status.as_str()));
    if let (Some(expiration), Some(days)) = (report.expiration, report.days_left) {
        terminal::line(format!("owner       {}", report.owner));
        terminal::line(format!("expiration  {expiration} ({days} days left)"));
        terminal::line(format!("cache       {}", if report.cache { "yes" } else { "no" }));
        if let Some(last) = report.cache_expiration {
            terminal::line(format!("            until {last}"));
        }
        for (name, value) in &report.features {
            terminal::line(format!("feature     {name}: {value}"));
        }
    }
    terminal::line(&report.message);
}

/// A license that does not hold is a failure.
fn code(report: &LicenseReport) -> ExitCode {
    match report.status {
        LicenseStatus::Valid | LicenseStatus::Expiring => ExitCode::SUCCESS,
        LicenseStatus::None | LicenseStatus::Expired | LicenseStatus::Invalid => ExitCode::FAILURE,
    }
}

fn read_license(path: &Path) -> anyhow::Result<String> {
    // One byte more than a license may have, so that a longer one is seen to be too long.
    let bytes_max = LICENSE_BYTES_MAX as u64 + 1;
    let mut text = String::new();
    let read = match path.to_str() {
        Some("-") => std::io::stdin().lock().take(bytes_max).read_to_string(&mut text),
        _ => match std::fs::File::open(path) {
            Ok(file) => file.take(bytes_max).read_to_string(&mut text),
            Err(error) => bail!("{} cannot be read: {error}", path.display()),
        },
    };
    read.with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(text)
}

fn day(text: &str) -> Result<NaiveDate, String> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| "write a day as 2027-12-31".to_owned())
}
