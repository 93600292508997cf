//! `tributary load-providers --url`: loads providers into a running service, through its API.

use super::credentials::{Given, authorization};
use super::input::{Input, read_inputs};
use super::json_files;
use super::report::Tally;
use super::service::{KnownProvider, Rejection, RemoteService};
use crate::terminal;
use anyhow::{Context, ensure};
use clap::Args;
use domain::provider::name_key;
use domain::secret::Secret;
use std::convert::Infallible;
use std::path::PathBuf;
use url::{Host, Url};

#[derive(Debug, Args)]
pub struct RemoteOptions {
    /// Load into the running service at this address, through its API, instead of the data folder.
    #[arg(long, value_name = "URL")]
    url: Option<Url>,
    /// With --url: file with the password of --user. Otherwise TRIBUTARY_PASSWORD, or a prompt.
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with = "token")]
    password_file: Option<PathBuf>,
    /// With --url: an administrator's API token, instead of user and password. Others on this machine can see it while
    /// the command runs, unlike TRIBUTARY_TOKEN.
    #[arg(long, requires = "url", value_parser = secret)]
    token: Option<Secret>,
    /// With --url: PEM file with the authorities to trust instead of those of the system.
    #[arg(long, value_name = "FILE", requires = "url")]
    ca_file: Option<PathBuf>,
}

fn secret(text: &str) -> Result<Secret, Infallible> {
    Ok(Secret::new(text))
}

impl RemoteOptions {
    pub fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// Loads the records of the files. Nothing is sent if one of them is invalid.
    pub async fn load(
        &self,
        url: &Url,
        user: &str,
        files: &[PathBuf],
        replace: bool,
    ) -> anyhow::Result<Tally> {
        check_url(url)?;
        let mut tally = Tally::default();
        let inputs = match read_inputs(&json_files(files)?) {
            Ok(inputs) => inputs,
            Err(faults) => {
                faults.iter().for_each(terminal::note);
                terminal::note("Nothing was sent.");
                tally.failed = faults.len();
                return Ok(tally);
            }
        };
        let given = Given { user, token: self.token.as_ref(), password_file: self.password_file.as_deref() };
        let service = RemoteService::connect(url, authorization(&given)?, self.ca_file.clone()).await?;
        let mut known = service.providers().await?;
        let count = inputs.len();
        for (position, input) in inputs.into_iter().enumerate() {
            let there = known.remove(&name_key(&input.spec.name));
            let outcome = send(&service, &input, there, replace).await;
            let outcome = outcome.with_context(|| {
                format!("{}: stopped with {} of {count} records not sent", input.label, count - position)
            });
            match outcome {
                Ok(outcome) => tally.count(&input, outcome),
                Err(error) => {
                    tally.show();
                    return Err(error);
                }
            }
        }
        Ok(tally)
    }
}

enum Outcome {
    Added,
    Replaced,
    Taken(KnownProvider),
    Rejected(Rejection),
}

async fn send(
    service: &RemoteService,
    input: &Input,
    there: Option<KnownProvider>,
    replace: bool,
) -> anyhow::Result<Outcome> {
    let (sent, outcome) = match there {
        None => (service.create(&input.record).await?, Outcome::Added),
        Some(known) if replace => (service.replace(known.id, &input.record).await?, Outcome::Replaced),
        Some(known) => return Ok(Outcome::Taken(known)),
    };
    Ok(sent.map_or_else(Outcome::Rejected, |()| outcome))
}

impl Tally {
    fn count(&mut self, input: &Input, outcome: Outcome) {
        let Input { label, spec, .. } = input;
        match outcome {
            Outcome::Added => self.added(spec),
            Outcome::Replaced => self.replaced(spec),
            Outcome::Taken(known) => self.taken(label, spec, &known.url),
            Outcome::Rejected(rejection) => self.failed(format!("{label} ({}): {rejection}", spec.name)),
        }
    }
}

/// The password is sent to this URL, so it must be what it seems to be.
fn check_url(url: &Url) -> anyhow::Result<()> {
    ensure!(matches!(url.scheme(), "http" | "https"), "--url starts with http:// or https://");
    ensure!(url.host().is_some(), "--url has no host");
    let has_login = !url.username().is_empty() || url.password().is_some();
    ensure!(!has_login, "--url contains a user or a password; use --user and --password-file");
    ensure!(url.query().is_none() && url.fragment().is_none(), "--url ends with its path");
    if url.scheme() == "http" && !is_loopback(url) {
        terminal::note(
            "Warning: the credentials are sent without encryption; use https:// if the service has it.",
        );
    }
    Ok(())
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_checked_before_a_password_goes_there() {
        for (url, is_fine) in [
            ("http://127.0.0.1:8000", true),
            ("https://search.example/", true),
            ("https://search.example/inner/", true),
            ("ftp://search.example/", false),
            ("data:text", false),
            ("https://admin:hunter2@search.example/", false),
            ("https://search.example/?next=1", false),
            ("https://search.example/#top", false),
        ] {
            let checked = check_url(&Url::parse(url).unwrap());
            assert_eq!(checked.is_ok(), is_fine, "{url}: {checked:?}");
            assert!(!format!("{checked:?}").contains("hunter2"));
        }
        for (url, is_local) in [
            ("http://127.0.0.1:8000", true),
            ("http://[::1]:8000", true),
            ("http://localhost", true),
            ("http://10.0.0.1", false),
            ("http://localhost.example", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), is_local, "{url}");
        }
    }
}
