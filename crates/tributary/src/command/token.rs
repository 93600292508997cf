//! `tributary token`: manages API tokens.

use super::{CliContext, named_user};
use crate::terminal;
use chrono::TimeDelta;
use clap::{Args, Subcommand};
use domain::ids::TokenId;
use domain::owner_scope::OwnerScope;
use domain::ports::{StoreError, TokenStore};
use domain::user::TokenSpec;

/// Add, list or revoke API tokens.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary token add anna --label laptop --days 90
  tributary token list
  tributary token revoke 3")]
pub struct TokenCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a token for a user; it is printed once and stored only as a hash.
    Add {
        /// Owner of the token.
        username: String,
        /// Label to recognize the token by.
        #[arg(long, default_value = "")]
        label: String,
        /// Days until the token expires [default: never]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
        days: Option<u32>,
    },
    /// List tokens with their first characters.
    List,
    /// Revoke a token by its id.
    Revoke {
        /// Id from `tributary token list`.
        id: i64,
    },
}

/// Maximum of `--days`: a hundred years.
const DAYS_MAX: i64 = 36_500;
/// Maximum number of listed tokens.
const LIST_MAX: u64 = 10_000;

impl TokenCommand {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open_existing().await?;
        let now = app.clock.now();
        match self.action {
            Action::Add { username, label, days } => {
                let user = named_user(&app, &username).await?;
                let expires = days.map(|days| now + TimeDelta::days(i64::from(days)));
                let made = server::token::make();
                let spec = TokenSpec { label, expires };
                app.by_command().create_token(user.id, spec, made.hash, made.prefix, now).await?;
                terminal::line(made.token.expose());
            }
            Action::List => {
                for token in app.store.tokens(OwnerScope::Everyone, 0, LIST_MAX).await?.items {
                    let until = token.expires.map_or("never".to_owned(), |time| time.to_rfc3339());
                    terminal::line(format!(
                        "{:>5}  {:20}  {}…  expires {until}  {}",
                        token.id, token.user, token.prefix, token.label
                    ));
                }
            }
            Action::Revoke { id } => {
                app.by_command().delete_token(TokenId(id)).await.map_err(|error| match error {
                    StoreError::NotFound => {
                        anyhow::anyhow!("no token {id}; `tributary token list` shows all")
                    }
                    other => other.into(),
                })?;
                terminal::line(format!("Token {id} revoked."));
            }
        }
        app.store.close().await;
        Ok(())
    }
}
