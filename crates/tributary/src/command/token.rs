//! `tributary token`: API tokens.

use super::{Place, named_user};
use crate::terminal;
use chrono::TimeDelta;
use clap::{Args, Subcommand};
use domain::contracts::{StoreError, TokenStore};
use domain::ids::TokenId;
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
    /// Make a token for a person; it is printed once and kept as a hash only.
    Add {
        /// Whose token it is.
        username: String,
        /// What it is for, so that it is recognised later.
        #[arg(long, default_value = "")]
        label: String,
        /// It expires after this many days; without it, never.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
        days: Option<u32>,
    },
    /// List tokens; they are recognised by their first characters.
    List,
    /// Revoke a token by its id.
    Revoke {
        /// Its id, as `tributary token list` shows it.
        id: i64,
    },
}

/// Longest life of a token that expires: a hundred years.
const DAYS_MAX: i64 = 36_500;
/// Most tokens that a list prints.
const LIST_MAX: u64 = 10_000;

impl TokenCommand {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open_existing().await?;
        let now = wired.clock.now();
        match self.action {
            Action::Add { username, label, days } => {
                let user = named_user(&wired, &username).await?;
                let expires = days.map(|days| now + TimeDelta::days(i64::from(days)));
                let made = server::token::make();
                let spec = TokenSpec { label, expires };
                wired.by_command().create_token(user.id, spec, made.hash, made.prefix, now).await?;
                terminal::line(made.token.expose());
            }
            Action::List => {
                for token in wired.store.tokens(None, 0, LIST_MAX).await?.items {
                    let until = token.expires.map_or("never".to_owned(), |time| time.to_rfc3339());
                    terminal::line(format!(
                        "{:>5}  {:20}  {}…  expires {until}  {}",
                        token.id, token.user, token.prefix, token.label
                    ));
                }
            }
            Action::Revoke { id } => {
                wired.by_command().delete_token(TokenId(id)).await.map_err(|error| match error {
                    StoreError::NotFound => {
                        anyhow::anyhow!("there is no token {id}; `tributary token list` shows all")
                    }
                    other => other.into(),
                })?;
                terminal::line(format!("Token {id} was revoked."));
            }
        }
        wired.store.close().await;
        Ok(())
    }
}
