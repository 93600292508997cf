//! Users, groups, tokens, and permissions.

use crate::ids::{GroupId, TokenId, UserId};
use crate::ownership::Owned;
use crate::password::check_password;
use crate::provider::SearchProvider;
use crate::query_transform::QueryTransform;
use crate::validation::FieldErrors;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub const USERNAME_CHARS_MAX: usize = 150;
pub const EMAIL_CHARS_MAX: usize = 254;
pub const LABEL_CHARS_MAX: usize = 200;
/// The label of a token from a sign-in. A new password revokes the tokens with this label.
pub const LOGIN_LABEL: &str = "login";
/// Maximum number of tokens of one user.
pub const TOKENS_PER_USER_MAX: u64 = 100;
/// The group whose members decide which version counts.
pub const CURATORS: &str = "curators";

/// A user account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct User {
    pub id: UserId,
    pub username: String,
    pub email: String,
    pub is_admin: bool,
    /// Names of the groups the user belongs to.
    pub groups: Vec<String>,
    pub date_created: DateTime<Utc>,
    pub date_updated: DateTime<Utc>,
}

/// The writable fields of a user.
#[derive(Debug, Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = UserInput)]
pub struct UserSpec {
    /// The name to sign in with: letters, digits and `@ . + - _`.
    pub username: String,
    /// 8 to 256 characters, neither a common password nor the user name. Write-only. Required for a new user; omitted
    /// later, it keeps the stored one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// Email address; may be empty.
    pub email: String,
    /// Names of the groups that the user belongs to.
    pub groups: Vec<String>,
    /// True: may see and change everything in the console.
    pub is_admin: bool,
}

impl UserSpec {
    /// Checks a new user, who needs a password.
    pub fn check_new(&self) -> FieldErrors {
        let mut errors = self.check_change();
        errors.check(self.password.is_some(), "password", || "A password is needed.".to_owned());
        self.check_email(&mut errors);
        errors
    }

    /// Checks the change of a stored user. The email address of a sign-in elsewhere may be any text; it can be kept.
    pub fn check_change_of(&self, stored: &User) -> FieldErrors {
        let mut errors = self.check_change();
        if self.email != stored.email {
            self.check_email(&mut errors);
        }
        errors
    }

    fn check_email(&self, errors: &mut FieldErrors) {
        errors.check(self.email.is_empty() || is_mail_address(&self.email), "email", || {
            "Use an address such as ann@example.org, or none.".to_owned()
        });
    }

    /// Checks the change of a user. Without a password, the stored one is kept.
    pub fn check_change(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let name_ok = self.username.chars().all(|c| c.is_alphanumeric() || "@.+-_".contains(c));
        errors.check(!self.username.is_empty(), "username", || "A user name is needed.".to_owned());
        errors.check(name_ok, "username", || "Use letters, digits and @ . + - _ only.".to_owned());
        errors.check_text("username", &self.username, USERNAME_CHARS_MAX);
        errors.check_name("email", &self.email, EMAIL_CHARS_MAX);
        crate::search::check_list(&mut errors, "groups", &self.groups);
        if let Some(password) = &self.password {
            check_password(&mut errors, password, &self.username);
        }
        errors
    }
}

/// A name, `@` and a host, without blanks. Whether mail arrives there is not known.
fn is_mail_address(text: &str) -> bool {
    let has_parts = text.rsplit_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    has_parts && !text.contains(char::is_whitespace)
}

/// A group of users; providers with `shared` false are visible to members of their groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Group {
    pub id: GroupId,
    pub name: String,
    pub date_created: DateTime<Utc>,
}

/// The writable fields of a group.
#[derive(Debug, Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = GroupInput)]
pub struct GroupSpec {
    /// The name of the group, such as `engineering`. Unique.
    pub name: String,
}

impl GroupSpec {
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(!self.name.trim().is_empty(), "name", || "A name is needed.".to_owned());
        errors.check_name("name", &self.name, USERNAME_CHARS_MAX);
        errors
    }
}

/// An API token for display: never the token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ApiToken {
    pub id: TokenId,
    /// User name of its owner.
    pub user: String,
    pub label: String,
    /// The first characters, for recognition.
    pub prefix: String,
    pub expires: Option<DateTime<Utc>>,
    pub last_used: Option<DateTime<Utc>>,
    pub date_created: DateTime<Utc>,
}

/// The writable fields of a token.
#[derive(Debug, Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = TokenInput)]
pub struct TokenSpec {
    /// What it is for, such as `nightly export`.
    pub label: String,
    /// When it expires; empty: never.
    pub expires: Option<DateTime<Utc>>,
}

/// Who makes a request, with their permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub user: UserId,
    pub username: String,
    pub is_admin: bool,
    pub groups: Vec<String>,
}

impl Principal {
    pub fn of(user: &User) -> Self {
        Self {
            user: user.id,
            username: user.username.clone(),
            is_admin: user.is_admin,
            groups: user.groups.clone(),
        }
    }

    /// Whether the record belongs to the user, which administrators do not get around.
    pub fn owns(&self, record: &impl Owned) -> bool {
        self.user.owns(record)
    }

    /// The only rule of provider visibility: own, shared, or by group; administrators see all.
    pub fn may_see(&self, provider: &SearchProvider) -> bool {
        self.is_admin
            || self.owns(provider)
            || provider.spec.shared
            || provider.spec.groups.iter().any(|group| self.groups.contains(group))
    }

    /// A query transform may be used by its owner, or by all users if it is shared; administrators may use all.
    pub fn may_use(&self, transform: &QueryTransform) -> bool {
        self.is_admin || self.owns(transform) || transform.spec.shared
    }

    /// May pin, approve and reject versions: administrators and curators.
    pub fn may_curate(&self) -> bool {
        self.is_admin || self.groups.iter().any(|group| group == CURATORS)
    }

    /// Only administrators and owners may see even the masked credentials, and may change the provider.
    pub fn may_edit(&self, provider: &SearchProvider) -> bool {
        self.is_admin || self.owns(provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_email_is_an_address_and_a_stored_one_can_be_kept() {
        let of = |email: &str| UserSpec {
            username: "ann".to_owned(),
            password: Some("long enough".to_owned()),
            email: email.to_owned(),
            ..UserSpec::default()
        };
        let table = [
            ("", true),
            ("ann@example.org", true),
            ("ann@localhost", true),
            ("\"a@b\"@example.org", true),
            ("no mail", false),
            ("ann", false),
            ("@example.org", false),
            ("ann@", false),
            ("ann @example.org", false),
        ];
        for (email, is_fine) in table {
            assert_eq!(of(email).check_new().is_empty(), is_fine, "{email:?}");
            let stored = User {
                id: UserId(1),
                username: "ann".to_owned(),
                email: email.to_owned(),
                is_admin: false,
                groups: Vec::new(),
                date_created: DateTime::UNIX_EPOCH,
                date_updated: DateTime::UNIX_EPOCH,
            };
            assert!(of(email).check_change_of(&stored).is_empty(), "{email:?} is kept");
            let other = User { email: "other@example.org".to_owned(), ..stored };
            assert_eq!(of(email).check_change_of(&other).is_empty(), is_fine, "{email:?}");
        }
    }
}
