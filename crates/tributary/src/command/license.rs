//! `tributary license`: keys, licenses, and whether one can be believed.

use super::CliContext;
use crate::license_keys::{self, PRIVATE_FILE, PUBLIC_FILE};
use crate::terminal;
use anyhow::{Context, bail};
use chrono::{Months, NaiveDate};
use clap::{Args, Subcommand};
use domain::ports::{Clock, SystemClock};
use license::{IssuerKey, LICENSE_BYTES_MAX, LicenseReport, LicenseStatus, LicenseTerms};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Create license keys and licenses, or show the installed license.
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
    /// Create an issuer's key pair: private.pem to sign licenses and public.pem to verify them.
    Keygen {
        /// Folder for both files; created if needed. Existing files are not overwritten.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Issue a license and print it as JSON for SVC_LICENSE.
    Issue(Issue),
    /// Verify a license: exit code 0 if it is valid, 1 otherwise.
    Verify(Verify),
    /// Show the license of this installation.
    Show {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
struct Issue {
    /// The private key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Name of the licensee.
    #[arg(long, value_name = "NAME")]
    owner: String,
    /// Include the semantic cache.
    #[arg(long)]
    cache: bool,
    /// Last day of the semantic cache [default: the last day of the license]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day, requires = "cache")]
    cache_expiration: Option<NaiveDate>,
    /// Last day of the license [default: one year from today]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    expiration: Option<NaiveDate>,
}

#[derive(Debug, Args)]
struct Verify {
    /// License file, or - for standard input [default: SVC_LICENSE]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The issuer's public key, as text or file [default: as configured for the service]
    #[arg(long, value_name = "KEY")]
    public_key: Option<String>,
}

/// Maximum length of `--owner`, in characters.
const OWNER_CHARS_MAX: usize = 200;
/// Default duration of a license.
const YEAR: Months = Months::new(12);

impl LicenseCommand {
    pub fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Keygen { out } => {
                license_keys::generate_keys(&out)?;
                let file = |name: &str| out.join(name).display().to_string();
                terminal::line(format!("{} signs licenses; keep it secret.", file(PRIVATE_FILE)));
                terminal::line(format!(
                    "{} verifies them; set SVC_LICENSE_PUBLIC_KEY to it for the service.",
                    file(PUBLIC_FILE)
                ));
                Ok(ExitCode::SUCCESS)
            }
            Action::Issue(issue) => issue.run(),
            Action::Verify(verify) => verify.run(cli),
            Action::Show { json } => show(cli, json),
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
        let in_a_year = today.checked_add_months(YEAR).context("the system clock is out of range")?;
        let terms = LicenseTerms {
            owner: owner.to_owned(),
            issued: today,
            expiration: self.expiration.unwrap_or(in_a_year),
            cache: self.cache,
            cache_expiration: self.cache_expiration,
        };
        let text = terms.issue(&license_keys::signing_key(&self.key)?);
        for (what, last) in
            [("license", Some(terms.expiration)), ("part for the cache", terms.cache_expiration)]
        {
            if let Some(last) = last.filter(|last| *last < today) {
                terminal::note(format!("Warning: the {what} already expired on {last}."));
            }
        }
        terminal::line(text);
        Ok(ExitCode::SUCCESS)
    }
}

impl Verify {
    fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let settings = cli.load_settings(&[])?.settings;
        let text = match &self.file {
            None => settings.license.expose().to_owned(),
            Some(path) => read_license(path)?,
        };
        let issuer = match &self.public_key {
            Some(given) => Some(license_keys::parse_key(given).context("--public-key")?),
            None => license_keys::issuer(&settings, Path::new(&settings.data_dir))?,
        };
        let report = looked_at(&text, issuer);
        describe(&report);
        Ok(code(&report))
    }
}

fn show(cli: &CliContext, json: bool) -> anyhow::Result<ExitCode> {
    let settings = cli.load_settings(&[])?.settings;
    let issuer = license_keys::issuer(&settings, Path::new(&settings.data_dir))?;
    let report = looked_at(settings.license.expose(), issuer);
    if json {
        terminal::line(serde_json::to_string_pretty(&report)?);
    } else {
        describe(&report);
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

/// Failure for an invalid or expired license.
fn code(report: &LicenseReport) -> ExitCode {
    match report.status {
        LicenseStatus::Valid | LicenseStatus::Expiring => ExitCode::SUCCESS,
        LicenseStatus::None | LicenseStatus::Expired | LicenseStatus::Invalid => ExitCode::FAILURE,
    }
}

fn read_license(path: &Path) -> anyhow::Result<String> {
    // Read one byte more than the maximum, to detect a license that is too long.
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

fn day(text: &str) -> anyhow::Result<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").context("use the form 2027-12-31")
}
