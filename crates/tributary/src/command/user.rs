//! `tributary user`: manages users.

use super::{CliContext, demo_hint, named_user};
use crate::app::App;
use crate::{secret_files, terminal};
use clap::{Args, Subcommand};
use domain::ports::{EditableRecord, UserStore, VersionStore};
use domain::user::{GroupSpec, User, UserSpec};
use std::io::Read;

/// Add, list, change or delete users.
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
    /// Add a user; without --password-stdin a password is generated and printed once.
    Add {
        /// User name: alphanumeric characters and @ . + - _
        username: String,
        /// Email address.
        #[arg(long, default_value = "")]
        email: String,
        /// Group to join; created if it does not exist. May be repeated.
        #[arg(long = "group", value_name = "NAME")]
        groups: Vec<String>,
        /// Make the user an administrator.
        #[arg(long)]
        admin: bool,
        /// Read the password from standard input, 8 to 256 characters.
        #[arg(long)]
        password_stdin: bool,
    },
    /// List all users.
    List,
    /// Set a new password; without --password-stdin one is generated and printed once.
    Password {
        /// User name.
        username: String,
        /// Read the password from standard input, 8 to 256 characters.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Delete a user, with searches, results and tokens.
    Delete {
        /// User name.
        username: String,
    },
}

/// Maximum number of listed users.
const LIST_MAX: u64 = 10_000;

impl UserCommand {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = match self.action {
            Action::Add { .. } => cli.open().await?,
            _ => cli.open_existing().await?,
        };
        match self.action {
            Action::Add { username, email, groups, admin, password_stdin } => {
                let password = password(password_stdin)?;
                let text = Some(password.text.clone());
                let spec = UserSpec { username, password: text, email, groups, is_admin: admin };
                add(&app, spec, &password).await?;
            }
            Action::List => list(&app).await?,
            Action::Password { username, password_stdin } => {
                let user = named_user(&app, &username).await?;
                change_password(&app, &user, &password(password_stdin)?).await?;
            }
            Action::Delete { username } => {
                let user = named_user(&app, &username).await?;
                app.by_command().delete_user(user.id).await?;
                terminal::line(format!("User {username} deleted."));
            }
        }
        app.store.close().await;
        Ok(())
    }
}

/// Adds a user with a generated password, which is printed.
pub(super) async fn add_with_new_password(cli: &CliContext, username: String) -> anyhow::Result<()> {
    let app = cli.open().await?;
    let password = password(false)?;
    let spec = UserSpec { username, password: Some(password.text.clone()), ..UserSpec::default() };
    add(&app, spec, &password).await?;
    app.store.close().await;
    Ok(())
}

struct NewPassword {
    text: String,
    /// Then it is shown.
    is_generated: bool,
}

impl NewPassword {
    fn show_generated(&self) {
        if self.is_generated {
            terminal::line(format!("Password: {}", self.text));
        }
    }
}

fn password(from_stdin: bool) -> anyhow::Result<NewPassword> {
    if !from_stdin {
        return Ok(NewPassword { text: secret_files::random_text(16), is_generated: true });
    }
    let mut text = String::new();
    std::io::stdin().take(4096).read_to_string(&mut text)?;
    let text = text.trim_end_matches(['\r', '\n']).to_owned();
    Ok(NewPassword { text, is_generated: false })
}

async fn add(app: &App, spec: UserSpec, password: &NewPassword) -> anyhow::Result<()> {
    let errors = spec.check_new();
    anyhow::ensure!(errors.is_empty(), "{errors}");
    let now = app.clock.now();
    for name in &spec.groups {
        match app.by_command().create_group(GroupSpec { name: name.clone() }, now).await {
            Ok(_) | Err(domain::ports::StoreError::Taken(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let user = app.by_command().create_user(spec, server::password::hash(&password.text)?, now).await?;
    terminal::line(format!("User {} added with id {}.", user.username, user.id));
    password.show_generated();
    Ok(())
}

async fn change_password(app: &App, user: &User, password: &NewPassword) -> anyhow::Result<()> {
    let spec = UserSpec {
        username: user.username.clone(),
        password: Some(password.text.clone()),
        email: user.email.clone(),
        groups: user.groups.clone(),
        is_admin: user.is_admin,
    };
    let errors = spec.check_change();
    anyhow::ensure!(errors.is_empty(), "{errors}");
    let hash = server::password::hash(&password.text)?;
    // Hashing takes a while; set only the password, in case other fields changed meanwhile.
    let version = app.store.version(&EditableRecord::User(user.id)).await?;
    let User { username, email, groups, is_admin, .. } = app.store.user(user.id).await?;
    let spec = UserSpec { username, password: None, email, groups, is_admin };
    let at_version = app.by_command().if_version(version);
    at_version.replace_user(user.id, spec, Some(hash), app.clock.now()).await?;
    server::password::forget_initial(&app.data_dir, &user.username);
    terminal::line(format!("Password of {} changed.", user.username));
    password.show_generated();
    Ok(())
}

async fn list(app: &App) -> anyhow::Result<()> {
    let people = app.store.users(0, LIST_MAX).await?.items;
    if people.is_empty() {
        let folder = app.data_dir.display();
        terminal::note(format!("No users in {folder} yet; `tributary setup` creates admin"));
        terminal::note(format!("and prints the password{}.", demo_hint(&app.data_dir)));
    }
    for user in people {
        let role = if user.is_admin { "admin" } else { "user" };
        let User { id, username, email, .. } = &user;
        terminal::line(format!("{id:>5}  {username:20}  {role:5}  {email}  {}", user.groups.join(",")));
    }
    Ok(())
}
