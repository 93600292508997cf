//! Fake identity provider. It checks PKCE and the client secret, and accepts codes and refresh tokens only once. It is
//! also a search provider that returns the account of the token.

use axum::Router;
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Redirect, Response};
use axum::routing::{get, post};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub const CLIENT: &str = "tributary";
pub const CLIENT_SECRET: &str = "canary-client-secret";

/// How long a token is still accepted after its end, because a request may have been sent before.
const TRANSIT_GRACE: Duration = Duration::from_secs(3);

type Fields = HashMap<String, String>;

/// How the token endpoint behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenBehavior {
    Normal,
    /// Rejects refresh tokens.
    RejectRefresh,
    Unavailable,
    /// Answers after this time.
    Slow(Duration),
}

pub struct FakeIdp {
    base: String,
    shared: Arc<IdpShared>,
    _server: JoinSet<()>,
}

struct IdpShared {
    base: String,
    key: Ed25519KeyPair,
    state: Mutex<IdpState>,
}

pub struct IdpState {
    pub behavior: TokenBehavior,
    /// Lifetime of access tokens.
    pub token_lifetime: Duration,
    /// Additional claims of ID tokens.
    pub claims: Value,
    /// Additional header fields of ID tokens.
    pub head: Value,
    /// Changes an ID token after signing.
    pub tamper: fn(String) -> String,
    /// Maps a code to account, challenge, redirect URI and nonce.
    codes: HashMap<String, (String, String, String, String)>,
    /// Maps an access token to its account and its end.
    access: HashMap<String, (String, SystemTime)>,
    refresh: HashMap<String, String>,
    pub refreshes: usize,
    /// Number of refresh tokens that were used a second time.
    pub reused: usize,
    pub revoked: Vec<String>,
    /// `Authorization` headers that the search endpoint received.
    pub received_authorization: Vec<String>,
    pub key_reads: usize,
    /// Every token that was issued.
    pub issued: Vec<String>,
    spent: Vec<String>,
    count: usize,
}

impl FakeIdp {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = IdpState {
            behavior: TokenBehavior::Normal,
            token_lifetime: Duration::from_secs(3600),
            claims: json!({}),
            head: json!({}),
            tamper: |token| token,
            codes: HashMap::new(),
            access: HashMap::new(),
            refresh: HashMap::new(),
            refreshes: 0,
            reused: 0,
            revoked: Vec::new(),
            received_authorization: Vec::new(),
            key_reads: 0,
            issued: Vec::new(),
            spent: Vec::new(),
            count: 0,
        };
        let key = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
        let shared = Arc::new(IdpShared { base: base.clone(), key, state: Mutex::new(state) });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/revoke", post(revoke))
            .route("/userinfo", get(userinfo))
            .route("/search", get(source))
            .with_state(Arc::clone(&shared));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { base, shared, _server: server }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub fn state(&self) -> MutexGuard<'_, IdpState> {
        self.shared.state.lock().unwrap()
    }

    /// How often tokens were refreshed, and how often with a refresh token that was already used.
    pub fn renewals(&self) -> (usize, usize) {
        let state = self.state();
        (state.refreshes, state.reused)
    }

    /// A token signed by the provider, with additional claims.
    pub fn signed(&self, more: &Value) -> String {
        let state = self.state();
        let mut claims = json!({"iss": self.base, "exp": now() + 300, "iat": now()});
        claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        (state.tamper)(signed(&self.shared.key, &state.head, &claims))
    }
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn signed(key: &Ed25519KeyPair, head: &Value, claims: &Value) -> String {
    let mut header = json!({"alg": "EdDSA", "kid": "hub-1", "typ": "JWT"});
    header.as_object_mut().unwrap().extend(head.as_object().unwrap().clone());
    let text = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
    let sign = encode(key.sign(text.as_bytes()));
    format!("{text}.{sign}")
}

async fn discovery(State(shared): State<Arc<IdpShared>>) -> Json<Value> {
    let at = |path: &str| format!("{}{path}", shared.base);
    Json(json!({
        "issuer": shared.base, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
        "jwks_uri": at("/keys"), "userinfo_endpoint": at("/userinfo"), "revocation_endpoint": at("/revoke"),
    }))
}

async fn keys(State(shared): State<Arc<IdpShared>>) -> Json<Value> {
    shared.state.lock().unwrap().key_reads += 1;
    let x = encode(shared.key.public_key());
    Json(json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "hub-1", "use": "sig", "x": x}]}))
}

async fn authorize(State(shared): State<Arc<IdpShared>>, Query(asked): Query<Fields>) -> Response {
    let of = |name: &str| asked.get(name).cloned().unwrap_or_default();
    let is_right = of("response_type") == "code"
        && of("client_id") == CLIENT
        && of("code_challenge_method") == "S256"
        && of("code_challenge").len() == 43
        && of("state").len() >= 40;
    if !is_right {
        return (StatusCode::BAD_REQUEST, format!("{asked:?}")).into_response();
    }
    let mut place = url::Url::parse(&of("redirect_uri")).unwrap();
    if of("account") == "nobody" {
        place.query_pairs_mut().append_pair("error", "access_denied").append_pair("state", &of("state"));
        return Redirect::to(place.as_str()).into_response();
    }
    let mut state = shared.state.lock().unwrap();
    state.count += 1;
    let code = format!("canary-code-{}", state.count);
    state.codes.insert(code.clone(), (of("account"), of("code_challenge"), of("redirect_uri"), of("nonce")));
    place.query_pairs_mut().append_pair("code", &code).append_pair("state", &of("state"));
    Redirect::to(place.as_str()).into_response()
}

async fn token(State(shared): State<Arc<IdpShared>>, Form(asked): Form<Fields>) -> Response {
    let behavior = shared.state.lock().unwrap().behavior;
    if let TokenBehavior::Slow(time) = behavior {
        tokio::time::sleep(time).await;
    }
    let of = |name: &str| asked.get(name).cloned().unwrap_or_default();
    let refuse = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({"error": error}))).into_response();
    if of("client_id") != CLIENT || of("client_secret") != CLIENT_SECRET {
        return (StatusCode::UNAUTHORIZED, Json(json!({"error": "invalid_client"}))).into_response();
    }
    let mut state = shared.state.lock().unwrap();
    let (account, nonce) = match of("grant_type").as_str() {
        "authorization_code" => {
            let Some((account, challenge, redirect_uri, nonce)) = state.codes.remove(&of("code")) else {
                return refuse("invalid_grant");
            };
            let is_right = encode(Sha256::digest(of("code_verifier"))) == challenge;
            if !is_right || of("redirect_uri") != redirect_uri {
                return refuse("invalid_grant");
            }
            (account, nonce)
        }
        "refresh_token" => {
            let given = of("refresh_token");
            state.refreshes += 1;
            match behavior {
                TokenBehavior::RejectRefresh => return refuse("invalid_grant"),
                TokenBehavior::Unavailable => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
                TokenBehavior::Normal | TokenBehavior::Slow(_) => {}
            }
            if state.spent.contains(&given) {
                state.reused += 1;
                return refuse("invalid_grant");
            }
            let Some(account) = state.refresh.remove(&given) else { return refuse("invalid_grant") };
            state.spent.push(given);
            (account, String::new())
        }
        _ => return refuse("unsupported_grant_type"),
    };
    state.count += 1;
    let (access, refresh) =
        (format!("canary-access-{}", state.count), format!("canary-refresh-{}", state.count));
    let token_lifetime = state.token_lifetime;
    // A token that is sent while it is valid may arrive a moment later.
    state
        .access
        .insert(access.clone(), (account.clone(), SystemTime::now() + token_lifetime + TRANSIT_GRACE));
    state.refresh.insert(refresh.clone(), account.clone());
    state.issued.extend([access.clone(), refresh.clone()]);
    let mut claims = json!({
        "iss": shared.base, "aud": CLIENT, "sub": format!("subject of {account}"), "exp": now() + 300,
        "nonce": nonce, "preferred_username": account, "email": format!("{account}@hub.example"),
    });
    claims.as_object_mut().unwrap().extend(state.claims.as_object().unwrap().clone());
    let id_token = (state.tamper)(signed(&shared.key, &state.head, &claims));
    Json(json!({
        "access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": token_lifetime.as_secs(),
        "scope": "files offline", "id_token": id_token,
    }))
    .into_response()
}

async fn revoke(State(shared): State<Arc<IdpShared>>, Form(asked): Form<Fields>) -> StatusCode {
    shared.state.lock().unwrap().revoked.push(asked.get("token").cloned().unwrap_or_default());
    StatusCode::OK
}

/// The account of an access token that is still valid.
fn account_of(state: &IdpState, headers: &HeaderMap) -> Option<String> {
    let header = headers.get("authorization")?.to_str().ok()?;
    let (account, end) = state.access.get(header.strip_prefix("Bearer ")?)?;
    (*end > SystemTime::now()).then(|| account.clone())
}

async fn userinfo(State(shared): State<Arc<IdpShared>>, headers: HeaderMap) -> Response {
    match account_of(&shared.state.lock().unwrap(), &headers) {
        Some(account) => Json(json!({
            "sub": format!("subject of {account}"), "email": format!("{account}@hub.example"),
        }))
        .into_response(),
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}

async fn source(State(shared): State<Arc<IdpShared>>, headers: HeaderMap) -> Response {
    let mut state = shared.state.lock().unwrap();
    let header = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    state.received_authorization.push(header.to_owned());
    match account_of(&state, &headers) {
        Some(account) => Json(json!({"total": 1, "items": [{
            "title": format!("river of {account}"), "body": "A river.", "url": format!("https://x.example/{account}"),
        }]}))
        .into_response(),
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}
