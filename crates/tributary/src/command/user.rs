//! `tributary user`: people.

use super::{Place, beside_the_demo, named_user};
use crate::wiring::Wired;
use crate::{keys, terminal};
use clap::{Args, Subcommand};
use domain::contracts::{EditableRecord, UserStore, VersionStore};
use domain::user::{GroupSpec, User, UserSpec};
use std::io::Read;

/// Add, list, change or delete people.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary user add anna --email anna@example.org --group research
  tributary user add root --admin --password-stdin < password.txt
  tributary user password anna
  tributary user list")]
pub struct UserCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Add a person; without --password-stdin a password is made and printed once.
    Add {
        /// The name to sign in with: letters, digits and @ . + - _
        username: String,
        /// An address of mail.
        #[arg(long, default_value = "")]
        email: String,
        /// A group to join; it is made if it is not there. May be repeated.
        #[arg(long = "group", value_name = "NAME")]
        groups: Vec<String>,
        /// May administer the service.
        #[arg(long)]
        admin: bool,
        /// Read the password from standard input, 8 to 256 characters.
        #[arg(long)]
        password_stdin: bool,
    },
    /// List all people.
    List,
    /// Set a new password; without --password-stdin one is made and printed once.
    Password {
        /// Whose password it is.
        username: String,
        /// Read the password from standard input, 8 to 256 characters.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Delete a person, with searches, results and tokens.
    Delete {
        /// Who is deleted.
        username: String,
    },
}

/// Most users that a list prints.
const LIST_MAX: u64 = 10_000;

impl UserCommand {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = match self.action {
            Action::Add { .. } => place.open().await?,
            _ => place.open_existing().await?,
        };
        match self.action {
            Action::Add { username, email, groups, admin, password_stdin } => {
                let (password, made) = password(password_stdin)?;
                let spec = UserSpec { username, password: Some(password), email, groups, is_admin: admin };
                add(&wired, spec, made).await?;
            }
            Action::List => list(&wired).await?,
            Action::Password { username, password_stdin } => {
                let user = named_user(&wired, &username).await?;
                let (password, made) = password(password_stdin)?;
                change_password(&wired, &user, password, made).await?;
            }
            Action::Delete { username } => {
                let user = named_user(&wired, &username).await?;
                wired.by_command().delete_user(user.id).await?;
                terminal::line(format!("User {username} was deleted."));
            }
        }
        wired.store.close().await;
        Ok(())
    }
}

/// The password, and whether it was made here.
fn password(from_stdin: bool) -> anyhow::Result<(String, bool)> {
    if !from_stdin {
        return Ok((keys::random_text(16), true));
    }
    let mut text = String::new();
    std::io::stdin().take(4096).read_to_string(&mut text)?;
    Ok((text.trim_end_matches(['\r', '\n']).to_owned(), false))
}

async fn add(wired: &Wired, spec: UserSpec, made: bool) -> anyhow::Result<()> {
    let errors = spec.check(true);
    anyhow::ensure!(errors.is_empty(), "{errors}");
    let password = spec.password.clone().unwrap_or_default();
    let now = wired.clock.now();
    for name in &spec.groups {
        match wired.by_command().create_group(GroupSpec { name: name.clone() }, now).await {
            Ok(_) | Err(domain::contracts::StoreError::Taken(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let user = wired.by_command().create_user(spec, server::password::hash(&password)?, now).await?;
    terminal::line(format!("User {} was added with id {}.", user.username, user.id));
    if made {
        terminal::line(format!("Password: {password}"));
    }
    Ok(())
}

async fn change_password(wired: &Wired, user: &User, password: String, made: bool) -> anyhow::Result<()> {
    let spec = UserSpec {
        username: user.username.clone(),
        password: Some(password.clone()),
        email: user.email.clone(),
        groups: user.groups.clone(),
        is_admin: user.is_admin,
    };
    let errors = spec.check(false);
    anyhow::ensure!(errors.is_empty(), "{errors}");
    let hash = server::password::hash(&password)?;
    // Hashing takes a while: only the password changes, whatever was changed meanwhile.
    let version = wired.store.version(&EditableRecord::User(user.id)).await?;
    let User { username, email, groups, is_admin, .. } = wired.store.user(user.id).await?;
    let spec = UserSpec { username, password: None, email, groups, is_admin };
    let at_version = wired.by_command().if_version(version);
    at_version.replace_user(user.id, spec, Some(hash), wired.clock.now()).await?;
    server::password::forget_initial(&wired.data_dir, &user.username);
    terminal::line(format!("The password of {} was changed.", user.username));
    if made {
        terminal::line(format!("Password: {password}"));
    }
    Ok(())
}

async fn list(wired: &Wired) -> anyhow::Result<()> {
    let people = wired.store.users(0, LIST_MAX).await?.items;
    if people.is_empty() {
        let folder = wired.data_dir.display();
        terminal::note(format!("There is no user in {folder} yet; `tributary setup` creates admin"));
        terminal::note(format!("and prints the password{}.", beside_the_demo(&wired.data_dir)));
    }
    for user in people {
        let role = if user.is_admin { "admin" } else { "user" };
        let User { id, username, email, .. } = &user;
        terminal::line(format!("{id:>5}  {username:20}  {role:5}  {email}  {}", user.groups.join(",")));
    }
    Ok(())
}
