//! One record into the store, with the checks that the API makes.

use super::super::load_providers::{mistakes, replace_by_name, unmasked};
use super::Kind;
use crate::wiring::Wired;
use domain::ai_provider::AiProviderSpec;
use domain::audit::{Action, Author};
use domain::authenticator::AuthenticatorSpec;
use domain::branding::{BRANDINGS_MAX, BrandingSpec};
use domain::contracts::{AuditStore, Store, StoreError};
use domain::prompt_record::{OWN_MAX, PromptSpec};
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
    /// Something is wrong with the record, in words for people.
    Refused(String),
    /// The others would not be loaded either.
    Broken(anyhow::Error),
}

/// What became of a record, and its name.
type Stored = Result<(Outcome, String), NotLoaded>;

pub struct Storing<'a> {
    pub wired: &'a Wired,
    /// Whose the records will be.
    pub owner: User,
    /// A record of the same name is replaced, not passed over.
    pub replace: bool,
}

impl Storing<'_> {
    pub async fn store(&self, kind: Kind, record: Value) -> Stored {
        if kind.is_for_administrators() && !self.owner.is_admin {
            let (many, name) = (kind.many(), &self.owner.username);
            return refused(format!("'{name}' is not an administrator; {many} are theirs to add"));
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
        let (changes, now) = (self.changes(), self.wired.clock.now());
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
        let (changes, now) = (self.changes(), self.wired.clock.now());
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
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let spec = spec.checked()?;
        if spec.shared && !self.owner.is_admin {
            return refused("only administrators share prompts".to_owned());
        }
        let name = spec.name.clone();
        let all = changes.prompts().await?;
        match all.iter().find(|one| one.spec.name == name) {
            None => {
                if all.iter().filter(|one| one.owner == Some(self.owner.id)).count() >= OWN_MAX {
                    let person = &self.owner.username;
                    return refused(format!("{person} has {OWN_MAX} prompts, which is the most"));
                }
                changes.create_prompt(spec, Some(self.owner.id), now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace && there.is_editable_by(&Principal::of(&self.owner)) => {
                changes.replace_prompt(there.id, spec, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(there) if self.replace && there.owner.is_none() => refused(format!(
                "'{name}' is a standard prompt and cannot be changed; give this one a name of your own"
            )),
            Some(_) if self.replace => refused(format!("the prompt '{name}' is another's")),
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn ai_provider(&self, spec: AiProviderSpec) -> Stored {
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let there = changes.ai_providers().await?.into_iter().find(|one| one.spec.name == spec.name.trim());
        let spec = match &there {
            Some(there) if self.replace => spec.in_place_of(there)?,
            _ => spec,
        };
        let spec = spec.checked()?;
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
            spec = unmasked(self.wired, spec).await??;
        }
        let mut errors = mistakes(self.wired, &self.owner, &spec).await?;
        let (name, now) = (spec.name.clone(), self.wired.clock.now());
        if errors.is_empty() {
            let unsaved = SearchProvider::unsaved(spec.clone(), self.owner.id, now);
            errors = self.wired.federation.check_in_force(&unsaved);
        }
        let spec = errors.into_result(spec)?;
        match self.changes().create_providers(vec![spec.clone()], self.owner.id, now).await {
            Ok(_) => Ok((Outcome::Added, name)),
            Err(StoreError::Taken(_)) if self.replace => {
                replace_by_name(self.wired, spec).await?;
                Ok((Outcome::Replaced, name))
            }
            Err(StoreError::Taken(_)) => Ok((Outcome::AlreadyThere, name)),
            Err(error) => Err(error.into()),
        }
    }

    async fn branding(&self, spec: BrandingSpec) -> Stored {
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let spec = spec.check().into_result(spec)?;
        let name = spec.name.clone();
        let all = changes.brandings().await?;
        match all.iter().find(|one| one.spec.name == name) {
            None if all.len() >= BRANDINGS_MAX => {
                refused(format!("at most {BRANDINGS_MAX} brandings are kept; delete one first"))
            }
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

    /// A search has no name of its own: each one is added.
    async fn search(&self, spec: SearchSpec) -> Stored {
        let made = self.wired.federation.create(self.owner.id, spec).await?;
        Ok((Outcome::Added, format!("{} '{}'", made.id.0, made.spec.query_string)))
    }

    /// The records for changes, which the audit log calls by what they are.
    fn changes(&self) -> Arc<dyn Store> {
        let author = Author::command_line(self.wired.clock.now());
        self.wired.store.on_behalf_of(author.calling_edits(Action::Replaced))
    }
}

fn refused(sentence: String) -> Stored {
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

/// A step that the providers' own command shares. A record that the store refuses is refused here too.
impl From<anyhow::Error> for NotLoaded {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<StoreError>() {
            Ok(error) => error.into(),
            Err(other) => Self::Broken(other),
        }
    }
}
