//! Stores one record with the same validation as the API.

use super::super::load_providers::{replace_by_name, unmasked, validate};
use super::Kind;
use crate::app::App;
use ai::apis::check_address;
use domain::ai_provider::AiProviderSpec;
use domain::audit::{Action, Author};
use domain::authenticator::AuthenticatorSpec;
use domain::branding::{BRANDINGS_MAX, BrandingSpec};
use domain::ports::{AuditStore, AuditedRecords, StoreError};
use domain::prompt::{OWN_MAX, PromptSpec};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::query_transform::TransformSpec;
use domain::search::SearchSpec;
use domain::user::{Principal, User};
use domain::validation::FieldErrors;
use federation::FederationError;
use serde_json::Value;
use std::sync::Arc;

pub enum Outcome {
    Added,
    Replaced,
    AlreadyThere,
}

pub enum NotLoaded {
    /// The record is invalid; the message says why.
    Refused(String),
    /// A failure that affects all records.
    Broken(anyhow::Error),
}

/// The outcome for a record, with its name.
type Stored = Result<(Outcome, String), NotLoaded>;

pub struct Storing<'a> {
    pub app: &'a App,
    /// The owner of the records.
    pub owner: User,
    /// Whether records with the same name are replaced instead of skipped.
    pub replace: bool,
}

impl Storing<'_> {
    pub async fn store(&self, kind: Kind, record: Value) -> Stored {
        if kind.is_for_administrators() && !self.owner.is_admin {
            let (many, name) = (kind.many(), &self.owner.username);
            return rejected(format!("'{name}' is not an administrator; only administrators may add {many}"));
        }
        match kind {
            Kind::Authenticator => self.authenticator(server::read_record(record)?).await,
            Kind::QueryTransform => self.query_transform(server::read_record(record)?).await,
            Kind::Prompt => self.prompt(server::read_record(record)?).await,
            Kind::AiProvider => self.ai_provider(server::read_record(record)?).await,
            Kind::SearchProvider => self.search_provider(server::read_record(record)?).await,
            Kind::Branding => self.branding(server::read_record(record)?).await,
            Kind::Search => self.search(server::read_record(record)?).await,
        }
    }

    async fn authenticator(&self, spec: AuthenticatorSpec) -> Stored {
        let (changes, now) = (self.changes(), self.app.clock.now());
        let there = changes.authenticators().await?.into_iter().find(|one| one.spec.idp == spec.idp);
        let spec = match &there {
            Some(there) if self.replace => spec.in_place_of(there)?,
            _ => spec,
        };
        let spec = spec.check().into_result(spec)?;
        let name = spec.idp.clone();
        match there {
            None => {
                changes.create_authenticator(spec, now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_authenticator(there.id, spec, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn query_transform(&self, spec: TransformSpec) -> Stored {
        let (changes, now) = (self.changes(), self.app.clock.now());
        let spec = spec.checked()?;
        let name = spec.reference();
        match changes.transforms().await?.into_iter().find(|one| one.spec.reference() == name) {
            None => {
                changes.create_transform(spec, self.owner.id, now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_transform(there.id, spec, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn prompt(&self, spec: PromptSpec) -> Stored {
        let (changes, now) = (self.changes(), self.app.clock.now());
        let spec = spec.checked()?;
        if spec.shared && !self.owner.is_admin {
            return rejected("only administrators may share prompts".to_owned());
        }
        let name = spec.name.clone();
        let all = changes.prompts().await?;
        match all.iter().find(|one| one.spec.name == name) {
            None => {
                if all.iter().filter(|one| one.owner == Some(self.owner.id)).count() >= OWN_MAX {
                    let person = &self.owner.username;
                    return rejected(format!("{person} already has {OWN_MAX} prompts, the maximum"));
                }
                changes.create_prompt(spec, Some(self.owner.id), now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace && there.is_editable_by(&Principal::of(&self.owner)) => {
                changes.replace_prompt(there.id, spec, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(there) if self.replace && there.owner.is_none() => {
                rejected(format!("'{name}' is a standard prompt and cannot be changed; use another name"))
            }
            Some(_) if self.replace => rejected(format!("the prompt '{name}' belongs to another user")),
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn ai_provider(&self, spec: AiProviderSpec) -> Stored {
        let (changes, now) = (self.changes(), self.app.clock.now());
        let there = changes.ai_providers().await?.into_iter().find(|one| one.spec.name == spec.name.trim());
        let spec = match &there {
            Some(there) if self.replace => spec.in_place_of(there)?,
            _ => spec,
        };
        let spec = spec.checked()?;
        let spec = check_address(&spec).into_result(spec)?;
        let name = spec.name.clone();
        match there {
            None => {
                changes.create_ai_provider(spec, Some(self.owner.id), now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_ai_provider(there.id, spec, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn search_provider(&self, mut spec: ProviderSpec) -> Stored {
        if self.replace {
            spec = unmasked(self.app, spec).await??;
        }
        let mut errors = validate(self.app, &self.owner, &spec).await?;
        let (name, now) = (spec.name.clone(), self.app.clock.now());
        if errors.is_empty() {
            let unsaved = SearchProvider::unsaved(spec.clone(), self.owner.id, now);
            errors = self.app.federation.prober.check_against_installation(&unsaved);
        }
        let spec = errors.into_result(spec)?;
        match self.changes().create_providers(vec![spec.clone()], self.owner.id, now).await {
            Ok(_) => Ok((Outcome::Added, name)),
            Err(StoreError::Taken(_)) if self.replace => {
                replace_by_name(self.app, spec).await?;
                Ok((Outcome::Replaced, name))
            }
            Err(StoreError::Taken(_)) => Ok((Outcome::AlreadyThere, name)),
            Err(error) => Err(error.into()),
        }
    }

    async fn branding(&self, spec: BrandingSpec) -> Stored {
        let (changes, now) = (self.changes(), self.app.clock.now());
        let spec = spec.check().into_result(spec)?;
        let name = spec.name.clone();
        let all = changes.brandings().await?;
        match all.iter().find(|one| one.spec.name == name) {
            None if all.len() >= BRANDINGS_MAX => rejected(format!(
                "there are already {BRANDINGS_MAX} brandings, the maximum; delete one first"
            )),
            None => {
                changes.create_branding(spec, now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_branding(there.id, spec, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    /// Searches have no name, so each one is added.
    async fn search(&self, spec: SearchSpec) -> Stored {
        let made = self.app.federation.searches.create(self.owner.id, spec).await?;
        Ok((Outcome::Added, format!("{} '{}'", made.id.0, made.spec.query_string)))
    }

    /// The store for changes, recorded in the audit log.
    fn changes(&self) -> Arc<dyn AuditedRecords> {
        let author = Author::command_line(self.app.clock.now());
        self.app.store.on_behalf_of(author.with_edit_action(Action::Replaced))
    }
}

fn rejected(sentence: String) -> Stored {
    Err(NotLoaded::Refused(sentence))
}

impl From<FieldErrors> for NotLoaded {
    fn from(errors: FieldErrors) -> Self {
        Self::Refused(errors.to_string())
    }
}

impl From<StoreError> for NotLoaded {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Taken(_) | StoreError::UnknownReference(_) => Self::Refused(error.to_string()),
            other => Self::Broken(other.into()),
        }
    }
}

impl From<FederationError> for NotLoaded {
    fn from(error: FederationError) -> Self {
        match error {
            FederationError::Invalid(errors) => errors.into(),
            FederationError::Store(error) => error.into(),
            FederationError::TooManyWaiting { .. }
            | FederationError::QueueFull { .. }
            | FederationError::TooManyKept { .. } => Self::Refused(error.to_string()),
            other => Self::Broken(other.into()),
        }
    }
}

/// From steps shared with `load-providers`: a rejection by the store is a rejection of the record.
impl From<anyhow::Error> for NotLoaded {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<StoreError>() {
            Ok(error) => error.into(),
            Err(other) => Self::Broken(other),
        }
    }
}
