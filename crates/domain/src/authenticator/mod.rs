//! Authenticators: services that sign people in, or give out people's own tokens for sources (OAuth 2.0, OIDC).

use crate::ids::{AuthenticatorId, ConnectionId, UserId};
use crate::instant::Instant;
use crate::provider_secrets::{holds_mask, keep, masked_object};
use crate::secret::Secret;
use crate::secret_binding::{self, Destinations};
use crate::unreadable_secrets::{check_replaceable, sealed_fields};
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use url::Url;

pub const IDP_CHARS_MAX: usize = 50;
pub const TEXT_CHARS_MAX: usize = 2000;
pub const CLIENT_SECRET_CHARS_MAX: usize = 4000;
/// Most entries of an object of parameters.
pub const PARAMS_MAX: usize = 50;
/// Most entries of `groups_map`.
pub const GROUPS_MAX: usize = 1000;
/// Longest life that an administrator may give a token, in seconds: ten years.
pub const EXPIRES_IN_MAX: u64 = 315_360_000;
/// What stands before the last part of every callback path.
pub const CALLBACK_FOLDER: &str = "/callback/";

/// The writable fields of an authenticator.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = AuthenticatorInput)]
pub struct AuthenticatorSpec {
    /// A short word that stands in paths and that providers name: `microsoft`.
    #[schema(example = "microsoft")]
    pub idp: String,
    /// What people read.
    #[schema(example = "Microsoft")]
    pub name: String,
    /// People may connect or sign in by it. False: nobody.
    pub active: bool,
    /// Where the service sends the browser back to: `<prefix>/callback/<word>`. Empty: `/svc/callback/<idp>-callback`.
    #[schema(example = "/svc/callback/microsoft-callback")]
    pub callback_path: String,
    /// The name under which this program is registered there.
    pub client_id: String,
    /// Write-only. Shown masked; a masked or empty text keeps the stored one.
    pub client_secret: String,
    /// How browsers reach this service, without a slash at the end. Empty: `SVC_PUBLIC_URL`, else as the browser asked.
    pub app_uri: String,
    /// Where people agree. Empty: found by `issuer`.
    pub auth_uri: String,
    /// Where codes and refresh tokens are exchanged. Empty: found by `issuer`.
    pub token_uri: String,
    /// Where tokens are taken back. Empty: found by `issuer`, else they are forgotten here only.
    pub revoke_uri: String,
    /// Tells whose account was connected. Empty: found by `issuer`, else it is not asked.
    pub user_data_url: String,
    /// Parameters of the request that tells whose account it is, such as `{"fields": "email"}`.
    pub user_data_params: BTreeMap<String, String>,
    /// Headers of the same request.
    #[schema(value_type = Object)]
    pub user_data_headers: Map<String, Value>,
    /// How that is asked: `GET` or `POST`.
    pub user_data_method: String,
    /// More parameters of the address where people agree, such as `{"prompt": "consent"}`.
    pub initiate_auth_code_flow_params: BTreeMap<String, String>,
    /// More parameters of every exchange, such as `{"resource": "https://api.example.com"}`.
    #[schema(value_type = Object)]
    pub exchange_code_params: Map<String, Value>,
    /// PKCE with S256: the code is worth nothing to who only overhears it.
    pub is_code_challenge: bool,
    /// What is asked for, parted by spaces: `openid email offline_access`.
    #[schema(example = "openid email offline_access")]
    pub scopes: String,
    /// Tokens end and are renewed. False: they are used as long as the source takes them.
    pub should_expire: bool,
    /// The client's name and secret go in a Basic header, not in the body.
    pub use_basic_auth: bool,
    /// Life of a token in seconds, where the service does not say; 0: not known.
    pub expires_in: u64,
    /// OpenID Connect: who signs. The other addresses are found by it.
    pub issuer: String,
    /// Where the keys are. Empty: found by `issuer`.
    pub jwks_uri: String,
    /// People may sign in to this service by it.
    pub sign_in: bool,
    /// The claim that names a person's groups there. Empty: groups are left alone.
    pub groups_claim: String,
    /// What the claim says to the name of a group here.
    pub groups_map: BTreeMap<String, String>,
    /// The audience of tokens that are accepted as `Authorization: Bearer`. Empty: `SVC_OIDC_API_AUDIENCE`.
    pub audience: String,
}

impl Default for AuthenticatorSpec {
    fn default() -> Self {
        Self {
            idp: String::new(),
            name: String::new(),
            active: true,
            callback_path: String::new(),
            client_id: String::new(),
            client_secret: String::new(),
            app_uri: String::new(),
            auth_uri: String::new(),
            token_uri: String::new(),
            revoke_uri: String::new(),
            user_data_url: String::new(),
            user_data_params: BTreeMap::new(),
            user_data_headers: Map::new(),
            user_data_method: "GET".to_owned(),
            initiate_auth_code_flow_params: BTreeMap::new(),
            exchange_code_params: Map::new(),
            is_code_challenge: true,
            scopes: String::new(),
            should_expire: true,
            use_basic_auth: false,
            expires_in: 0,
            issuer: String::new(),
            jwks_uri: String::new(),
            sign_in: false,
            groups_claim: String::new(),
            groups_map: BTreeMap::new(),
            audience: String::new(),
        }
    }
}

impl AuthenticatorSpec {
    /// What is known of a stored spec that cannot be read. Nobody connects or signs in by it.
    pub fn unreadable(idp: String) -> Self {
        Self { name: idp.clone(), idp, active: false, sign_in: false, ..Self::default() }
    }

    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let is_word = is_word(&self.idp) && self.idp.chars().any(|c| !c.is_ascii_digit());
        errors.check(is_word, "idp", || {
            format!("Use 1 to {IDP_CHARS_MAX} of a to z, 0 to 9, - and _, not digits alone.")
        });
        errors.check(!self.name.trim().is_empty(), "name", || "A name is needed.".to_owned());
        errors.check(!self.client_id.trim().is_empty(), "client_id", || "A client id is needed.".to_owned());
        errors.check_name("name", &self.name, crate::user::USERNAME_CHARS_MAX);
        errors.check_text("client_secret", &self.client_secret, CLIENT_SECRET_CHARS_MAX);
        for (field, text) in [
            ("client_id", &self.client_id),
            ("scopes", &self.scopes),
            ("groups_claim", &self.groups_claim),
            ("audience", &self.audience),
        ] {
            errors.check_text(field, text, TEXT_CHARS_MAX);
        }
        self.check_addresses(&mut errors);
        self.check_params(&mut errors);
        let is_method = ["GET", "POST"].contains(&self.user_data_method.as_str());
        errors.check(is_method, "user_data_method", || "Use GET or POST.".to_owned());
        errors.check(self.expires_in <= EXPIRES_IN_MAX, "expires_in", || {
            format!("Use 0 to {EXPIRES_IN_MAX} seconds.")
        });
        for field in self.masked_fields() {
            errors.add(field, "This is the mask of a secret, not the secret.");
        }
        errors
    }

    fn check_addresses(&self, errors: &mut FieldErrors) {
        let has_issuer = !self.issuer.is_empty();
        for (field, text) in [
            ("app_uri", &self.app_uri),
            ("auth_uri", &self.auth_uri),
            ("token_uri", &self.token_uri),
            ("revoke_uri", &self.revoke_uri),
            ("user_data_url", &self.user_data_url),
            ("issuer", &self.issuer),
            ("jwks_uri", &self.jwks_uri),
        ] {
            errors.check_text(field, text, TEXT_CHARS_MAX);
            errors.check(text.is_empty() || is_address(text), field, || {
                "Use an address with http or https, without a user name and without #.".to_owned()
            });
        }
        for (field, text) in [("auth_uri", &self.auth_uri), ("token_uri", &self.token_uri)] {
            errors.check(has_issuer || !text.is_empty(), field, || {
                "Give this address, or an issuer by which it is found.".to_owned()
            });
        }
        errors.check(has_issuer || !self.sign_in, "issuer", || "Signing in needs an issuer.".to_owned());
        errors
            .check(!self.app_uri.ends_with('/'), "app_uri", || "Leave out the slash at the end.".to_owned());
        let is_path = self.callback_path.is_empty() || callback_word(&self.callback_path).is_some();
        errors.check(is_path, "callback_path", || {
            "Use <prefix>/callback/<word>, as in /svc/callback/microsoft-callback.".to_owned()
        });
    }

    fn check_params(&self, errors: &mut FieldErrors) {
        let texts = |map: &Map<String, Value>| {
            map.iter().all(|(name, value)| {
                value.as_str().is_some_and(|text| text.len() <= TEXT_CHARS_MAX)
                    && name.len() <= IDP_CHARS_MAX * 2
            })
        };
        for (field, map) in [
            ("user_data_headers", &self.user_data_headers),
            ("exchange_code_params", &self.exchange_code_params),
        ] {
            errors.check(map.len() <= PARAMS_MAX && texts(map), field, || {
                format!("Use at most {PARAMS_MAX} names with texts of at most {TEXT_CHARS_MAX} characters.")
            });
        }
        for (field, map, count_max) in [
            ("user_data_params", &self.user_data_params, PARAMS_MAX),
            ("initiate_auth_code_flow_params", &self.initiate_auth_code_flow_params, PARAMS_MAX),
            ("groups_map", &self.groups_map, GROUPS_MAX),
        ] {
            let fits = map.iter().all(|(name, text)| name.len().max(text.len()) <= TEXT_CHARS_MAX);
            errors.check(map.len() <= count_max && fits, field, || {
                format!("Use at most {count_max} entries with texts of at most {TEXT_CHARS_MAX} characters.")
            });
        }
    }

    /// Where browsers come back to, below the prefix.
    pub fn callback(&self) -> String {
        if self.callback_path.is_empty() {
            format!("/svc{CALLBACK_FOLDER}{}-callback", self.idp)
        } else {
            self.callback_path.clone()
        }
    }

    /// The spec as administrators may see it.
    pub fn masked(&self) -> Self {
        Self {
            client_secret: Secret::new(self.client_secret.clone()).masked(),
            user_data_headers: masked_object(&self.user_data_headers),
            exchange_code_params: masked_object(&self.exchange_code_params),
            ..self.clone()
        }
    }

    /// The spec as it replaces the stored one, with the secrets that it keeps. An error names each field whose stored
    /// secret would be sent to another place than before, or cannot be kept because it cannot be read.
    pub fn in_place_of(self, stored: &Authenticator) -> Result<Self, FieldErrors> {
        check_replaceable(stored.is_unreadable, "client_secret", &self.client_secret)?;
        let stored = &stored.spec;
        let mut fields: Vec<&'static str> =
            self.masked_fields().into_iter().filter(|field| *field != "client_secret").collect();
        let keeps_secret = self.client_secret.is_empty() || Secret::is_masked(&self.client_secret);
        if keeps_secret && !stored.client_secret.is_empty() {
            fields.push("client_secret");
        }
        let spec = self.keeping(stored);
        let places = [stored, &spec].map(Destinations::of_authenticator);
        secret_binding::check(&places[0], &places[1], &fields)?;
        Ok(spec)
    }

    /// Masked values become what is stored under the same name; an empty client secret keeps the stored one.
    fn keeping(mut self, stored: &Self) -> Self {
        if self.client_secret.is_empty() || Secret::is_masked(&self.client_secret) {
            stored.client_secret.clone_into(&mut self.client_secret);
        }
        keep(&mut self.user_data_headers, &stored.user_data_headers);
        keep(&mut self.exchange_code_params, &stored.exchange_code_params);
        self
    }

    fn masked_fields(&self) -> Vec<&'static str> {
        let is_masked = [
            ("client_secret", Secret::is_masked(&self.client_secret)),
            ("user_data_headers", self.user_data_headers.values().any(holds_mask)),
            ("exchange_code_params", self.exchange_code_params.values().any(holds_mask)),
        ];
        is_masked.into_iter().filter(|(_, is_masked)| *is_masked).map(|(field, _)| field).collect()
    }
}

/// Masked, because it is written into the text of failures.
impl fmt::Debug for AuthenticatorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = serde_json::to_string(&self.masked()).map_err(|_| fmt::Error)?;
        write!(f, "AuthenticatorDraft {shown}")
    }
}

/// An authenticator that is saved. Its spec holds the secret.
#[derive(Debug, Clone, PartialEq)]
pub struct Authenticator {
    pub id: AuthenticatorId,
    pub spec: AuthenticatorSpec,
    /// The key does not open the stored spec: only the idp is known until it is entered again.
    pub is_unreadable: bool,
    pub date_created: Instant,
    pub date_updated: Instant,
}

impl Authenticator {
    /// The fields whose stored values are not in the spec, because they cannot be read.
    pub fn unreadable_fields(&self) -> Vec<String> {
        match self.is_unreadable {
            true => sealed_fields(&self.spec, &["idp"]),
            false => Vec::new(),
        }
    }

    /// What a partial edit begins with. Whoever enters an unreadable record again wants to use it.
    pub fn spec_to_edit(&self) -> AuthenticatorSpec {
        AuthenticatorSpec { active: self.spec.active || self.is_unreadable, ..self.spec.clone() }
    }

    /// What a provider or a path may call it: its idp, or its name.
    pub fn is_called(&self, name: &str) -> bool {
        self.spec.idp == name || self.spec.name == name
    }
}

/// The tokens of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    pub access: Secret,
    /// Empty when there is none.
    pub refresh: Secret,
    /// None: until the source says no.
    pub expires: Option<Instant>,
    pub scopes: String,
}

/// What one person connected by one authenticator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Another one after every new connecting.
    pub id: ConnectionId,
    pub user: UserId,
    pub authenticator: AuthenticatorId,
    /// One more with every renewal.
    pub version: i64,
    pub tokens: Tokens,
    /// Whose account it is there, as far as it was told.
    pub account: String,
    pub date_created: Instant,
    pub date_updated: Instant,
}

/// Why a browser was sent away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowPurpose {
    /// This person connects an account.
    Connect(UserId),
    SignIn,
}

/// A browser that was sent to a service and has not come back. It may come back to another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFlow {
    /// Of the state; the state itself is with the browser only.
    pub state_hash: String,
    pub authenticator: AuthenticatorId,
    pub purpose: FlowPurpose,
    /// Of the cookie of the browser that was sent away, for signing in.
    pub browser_hash: String,
    pub verifier: Secret,
    pub nonce: String,
    pub redirect_uri: String,
    /// A path of ours where the browser goes at the end.
    pub next: String,
    pub expires: Instant,
}

/// A person as a service vouches for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenIdentity {
    pub issuer: String,
    pub subject: String,
    /// A name for a new user; it may be taken.
    pub username: String,
    pub email: String,
    /// The groups that the person shall have here; None leaves them as they are.
    pub groups: Option<Vec<String>>,
}

/// The last part of a callback path, if it is one.
pub fn callback_word(path: &str) -> Option<&str> {
    let (prefix, word) = path.trim_end_matches('/').rsplit_once(CALLBACK_FOLDER)?;
    let is_prefix = prefix.len() > 1
        && prefix.len() <= IDP_CHARS_MAX * 2
        && prefix.starts_with('/')
        && prefix.chars().all(|c| c.is_ascii_alphanumeric() || "-_/".contains(c))
        && !prefix.contains("//");
    let is_last = !word.is_empty()
        && word.len() <= IDP_CHARS_MAX * 2
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    (is_prefix && is_last).then_some(word)
}

fn is_word(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= IDP_CHARS_MAX && text.chars().all(allowed)
}

fn is_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
            && url.username().is_empty()
            && url.password().is_none()
            && url.fragment().is_none()
    })
}

#[cfg(test)]
mod tests;
