//! One record into the store, with the checks that the API makes.

use super::super::load_providers::{mistakes, replace_by_name, unmasked};
use super::Kind;
use crate::wiring::Wired;
use domain::ai_provider::AiProviderDraft;
use domain::audit::{Action, Author};
use domain::authenticator::AuthenticatorDraft;
use domain::branding::{BRANDINGS_MAX, BrandingDraft};
use domain::contracts::{AuditStore, Store, StoreError};
use domain::prompt_record::{OWN_MAX, PromptDraft};
use domain::provider::{ProviderDraft, SearchProvider};
use domain::query_transform::TransformDraft;
use domain::search::SearchDraft;
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

    async fn authenticator(&self, draft: AuthenticatorDraft) -> Stored {
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let there = changes.authenticators().await?.into_iter().find(|one| one.draft.idp == draft.idp);
        let draft = match &there {
            Some(there) if self.replace => draft.in_place_of(there)?,
            _ => draft,
        };
        let draft = draft.check().into_result(draft)?;
        let name = draft.idp.clone();
        match there {
            None => {
                changes.create_authenticator(draft, now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_authenticator(there.id, draft, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn query_transform(&self, draft: TransformDraft) -> Stored {
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let draft = draft.checked()?;
        let name = draft.reference();
        match changes.transforms().await?.into_iter().find(|one| one.draft.reference() == name) {
            None => {
                changes.create_transform(draft, self.owner.id, now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_transform(there.id, draft, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn prompt(&self, draft: PromptDraft) -> Stored {
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let draft = draft.checked()?;
        if draft.shared && !self.owner.is_admin {
            return refused("only administrators share prompts".to_owned());
        }
        let name = draft.name.clone();
        let all = changes.prompts().await?;
        match all.iter().find(|one| one.draft.name == name) {
            None => {
                if all.iter().filter(|one| one.owner == Some(self.owner.id)).count() >= OWN_MAX {
                    let person = &self.owner.username;
                    return refused(format!("{person} has {OWN_MAX} prompts, which is the most"));
                }
                changes.create_prompt(draft, Some(self.owner.id), now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace && there.is_editable_by(&Principal::of(&self.owner)) => {
                changes.replace_prompt(there.id, draft, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(there) if self.replace && there.owner.is_none() => refused(format!(
                "'{name}' is a standard prompt and cannot be changed; give this one a name of your own"
            )),
            Some(_) if self.replace => refused(format!("the prompt '{name}' is another's")),
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn ai_provider(&self, draft: AiProviderDraft) -> Stored {
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let there = changes.ai_providers().await?.into_iter().find(|one| one.draft.name == draft.name.trim());
        let draft = match &there {
            Some(there) if self.replace => draft.in_place_of(there)?,
            _ => draft,
        };
        let draft = draft.checked()?;
        let name = draft.name.clone();
        match there {
            None => {
                changes.create_ai_provider(draft, Some(self.owner.id), now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_ai_provider(there.id, draft, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    async fn search_provider(&self, mut draft: ProviderDraft) -> Stored {
        if self.replace {
            draft = unmasked(self.wired, draft).await??;
        }
        let mut errors = mistakes(self.wired, &self.owner, &draft).await?;
        let (name, now) = (draft.name.clone(), self.wired.clock.now());
        if errors.is_empty() {
            let unsaved = SearchProvider::unsaved(draft.clone(), self.owner.id, now);
            errors = self.wired.federation.check_in_force(&unsaved);
        }
        let draft = errors.into_result(draft)?;
        match self.changes().create_providers(vec![draft.clone()], self.owner.id, now).await {
            Ok(_) => Ok((Outcome::Added, name)),
            Err(StoreError::Taken(_)) if self.replace => {
                replace_by_name(self.wired, draft).await?;
                Ok((Outcome::Replaced, name))
            }
            Err(StoreError::Taken(_)) => Ok((Outcome::AlreadyThere, name)),
            Err(error) => Err(error.into()),
        }
    }

    async fn branding(&self, draft: BrandingDraft) -> Stored {
        let (changes, now) = (self.changes(), self.wired.clock.now());
        let draft = draft.check().into_result(draft)?;
        let name = draft.name.clone();
        let all = changes.brandings().await?;
        match all.iter().find(|one| one.draft.name == name) {
            None if all.len() >= BRANDINGS_MAX => {
                refused(format!("at most {BRANDINGS_MAX} brandings are kept; delete one first"))
            }
            None => {
                changes.create_branding(draft, now).await?;
                Ok((Outcome::Added, name))
            }
            Some(there) if self.replace => {
                changes.replace_branding(there.id, draft, now).await?;
                Ok((Outcome::Replaced, name))
            }
            Some(_) => Ok((Outcome::AlreadyThere, name)),
        }
    }

    /// A search has no name of its own: each one is added.
    async fn search(&self, draft: SearchDraft) -> Stored {
        let made = self.wired.federation.create(self.owner.id, draft).await?;
        Ok((Outcome::Added, format!("{} '{}'", made.id.0, made.draft.query_string)))
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
