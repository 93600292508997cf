//! Authenticators: services that sign users in, or issue users' own tokens for sources (OAuth 2.0, OIDC).

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
/// Maximum number of entries of an object of parameters.
pub const PARAMS_MAX: usize = 50;
/// Maximum number of entries of `groups_map`.
pub const GROUPS_MAX: usize = 1000;
/// Maximum configurable lifetime of a token, in seconds: ten years.
pub const EXPIRES_IN_MAX: u64 = 315_360_000;
/// Methods of the request for the account.
pub const USER_DATA_METHODS: [&str; 2] = ["GET", "POST"];
/// The part of every callback path before its last segment.
pub const CALLBACK_FOLDER: &str = "/callback/";

/// The writable fields of an authenticator.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = AuthenticatorInput)]
pub struct AuthenticatorSpec {
    /// A short identifier for paths and providers, such as `microsoft`.
    #[schema(example = "microsoft")]
    pub idp: String,
    /// The display name.
    #[schema(example = "Microsoft")]
    pub name: String,
    /// Users may connect or sign in with it. False: nobody.
    pub active: bool,
    /// Where the service sends the browser back: `<prefix>/callback/<word>`. Empty: `/svc/callback/<idp>-callback`.
    #[schema(example = "/svc/callback/microsoft-callback")]
    pub callback_path: String,
    /// The client id under which this service is registered there.
    pub client_id: String,
    /// Write-only. Shown masked; a masked or empty text keeps the stored one.
    pub client_secret: String,
    /// The URL by which browsers reach this service, without a trailing slash. Empty: `SVC_PUBLIC_URL`, else as in the
    /// browser's request.
    pub app_uri: String,
    /// The authorization endpoint. Empty: discovered by `issuer`.
    pub auth_uri: String,
    /// The token endpoint. Empty: discovered by `issuer`.
    pub token_uri: String,
    /// The revocation endpoint. Empty: discovered by `issuer`, else tokens are only deleted here.
    pub revoke_uri: String,
    /// The endpoint that reports whose account was connected. Empty: discovered by `issuer`, else it is not requested.
    pub user_data_url: String,
    /// Parameters of the request for the account, such as `{"fields": "email"}`.
    pub user_data_params: BTreeMap<String, String>,
    /// Headers of the request for the account.
    #[schema(value_type = Object)]
    pub user_data_headers: Map<String, Value>,
    /// Method of the request for the account: `GET` or `POST`.
    pub user_data_method: String,
    /// Additional parameters of the authorization request, such as `{"prompt": "consent"}`.
    pub initiate_auth_code_flow_params: BTreeMap<String, String>,
    /// Additional parameters of every token request, such as `{"resource": "https://api.example.com"}`.
    #[schema(value_type = Object)]
    pub exchange_code_params: Map<String, Value>,
    /// PKCE with S256: an intercepted code is worthless.
    pub is_code_challenge: bool,
    /// Requested scopes, separated by spaces: `openid email offline_access`.
    #[schema(example = "openid email offline_access")]
    pub scopes: String,
    /// Tokens expire and are renewed. False: they are used as long as the source accepts them.
    pub should_expire: bool,
    /// Client id and secret are sent in a Basic header, not in the body.
    pub use_basic_auth: bool,
    /// Lifetime of a token in seconds, if the service does not report it; 0: unknown.
    pub expires_in: u64,
    /// The OpenID Connect issuer. Other endpoints are discovered by it.
    pub issuer: String,
    /// The URL of the signing keys. Empty: discovered by `issuer`.
    pub jwks_uri: String,
    /// Users may sign in to this service with it.
    pub sign_in: bool,
    /// The claim with the user's groups. Empty: groups are not changed.
    pub groups_claim: String,
    /// Maps a value of the claim to the name of a group.
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
    /// The readable part of a stored spec that cannot be decrypted. It is inactive.
    pub fn unreadable(idp: String) -> Self {
        Self { name: idp.clone(), idp, active: false, sign_in: false, ..Self::default() }
    }

    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let is_word = is_word(&self.idp) && self.idp.chars().any(|c| !c.is_ascii_digit());
        errors.check(is_word, "idp", || {
            format!("Use 1 to {IDP_CHARS_MAX} characters of a to z, 0 to 9, - and _, not digits alone.")
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
        let is_method = USER_DATA_METHODS.contains(&self.user_data_method.as_str());
        errors.check(is_method, "user_data_method", || "Use GET or POST.".to_owned());
        errors.check(self.expires_in <= EXPIRES_IN_MAX, "expires_in", || {
            format!("Use 0 to {EXPIRES_IN_MAX} seconds.")
        });
        for field in self.masked_fields() {
            errors.add(field, "This is a masked secret, not the secret itself.");
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
                "Use an http or https URL without a user name and without #.".to_owned()
            });
        }
        for (field, text) in [("auth_uri", &self.auth_uri), ("token_uri", &self.token_uri)] {
            errors.check(has_issuer || !text.is_empty(), field, || {
                "Enter this URL, or an issuer for its discovery.".to_owned()
            });
        }
        errors.check(has_issuer || !self.sign_in, "issuer", || "Signing in needs an issuer.".to_owned());
        errors.check(!self.app_uri.ends_with('/'), "app_uri", || "Remove the slash at the end.".to_owned());
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

    /// The callback path below the prefix.
    pub fn callback(&self) -> String {
        if self.callback_path.is_empty() {
            format!("/svc{CALLBACK_FOLDER}{}-callback", self.idp)
        } else {
            self.callback_path.clone()
        }
    }

    /// The spec as shown to administrators.
    pub fn masked(&self) -> Self {
        Self {
            client_secret: Secret::new(self.client_secret.clone()).masked(),
            user_data_headers: masked_object(&self.user_data_headers),
            exchange_code_params: masked_object(&self.exchange_code_params),
            ..self.clone()
        }
    }

    /// The spec that replaces the stored one, with the secrets that it keeps. The errors name each field whose stored
    /// secret would be sent to a different destination, or cannot be kept because it cannot be decrypted.
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

    /// Replaces masked values by the stored ones of the same name; an empty client secret keeps the stored one.
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

/// Masked, because it appears in error messages.
impl fmt::Debug for AuthenticatorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = serde_json::to_string(&self.masked()).map_err(|_| fmt::Error)?;
        write!(f, "AuthenticatorDraft {shown}")
    }
}

/// A stored authenticator. Its spec contains the secret.
#[derive(Debug, Clone, PartialEq)]
pub struct Authenticator {
    pub id: AuthenticatorId,
    pub spec: AuthenticatorSpec,
    /// The stored spec cannot be decrypted: only the idp is known until it is entered again.
    pub is_unreadable: bool,
    pub date_created: Instant,
    pub date_updated: Instant,
}

impl Authenticator {
    /// The fields whose stored values are missing from the spec because they cannot be decrypted.
    pub fn unreadable_fields(&self) -> Vec<String> {
        if self.is_unreadable { sealed_fields(&self.spec, &["idp"]) } else { Vec::new() }
    }

    /// The starting point of a partial edit. An unreadable record that is entered again becomes active.
    pub fn spec_to_edit(&self) -> AuthenticatorSpec {
        AuthenticatorSpec { active: self.spec.active || self.is_unreadable, ..self.spec.clone() }
    }

    /// Whether a provider or a path refers to it by this text: its idp or its name.
    pub fn is_called(&self, name: &str) -> bool {
        self.spec.idp == name || self.spec.name == name
    }
}

/// The tokens of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    pub access: Secret,
    /// Empty if there is none.
    pub refresh: Secret,
    /// None: until the source rejects it.
    pub expires: Option<Instant>,
    pub scopes: String,
}

/// A user's connection to an authenticator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Changes with every new connection.
    pub id: ConnectionId,
    pub user: UserId,
    pub authenticator: AuthenticatorId,
    /// Increases with every renewal.
    pub version: i64,
    pub tokens: Tokens,
    /// The connected account, as far as the service reports it.
    pub account: String,
    pub date_created: Instant,
    pub date_updated: Instant,
}

/// Why a browser was sent away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowPurpose {
    /// This user connects an account.
    Connect(UserId),
    SignIn,
}

/// A browser that was sent to a service and has not returned. It may return to another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFlow {
    /// Hash of the state; the state itself is only in the browser.
    pub state_hash: String,
    pub authenticator: AuthenticatorId,
    pub purpose: FlowPurpose,
    /// Hash of the cookie of the browser that was sent away, for signing in.
    pub browser_hash: String,
    pub verifier: Secret,
    pub nonce: String,
    pub redirect_uri: String,
    /// The local path to which the browser goes in the end.
    pub next: String,
    pub expires: Instant,
}

/// A user as confirmed by a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenIdentity {
    pub issuer: String,
    pub subject: String,
    /// A name for a new user; it may be in use.
    pub username: String,
    pub email: String,
    /// The groups of the user here; None leaves them unchanged.
    pub groups: Option<Vec<String>>,
}

/// The last segment of a callback path, if it is one.
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
