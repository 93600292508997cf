//! A service that gives out tokens, strict about what it is asked: PKCE, its client's secret, codes and refresh tokens
//! that work once. It is a source as well, which tells whose token it was asked with.

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

/// How long a request may be on its way.
const ON_ITS_WAY: Duration = Duration::from_secs(3);

type Fields = HashMap<String, String>;

/// How the place for tokens behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Fine,
    /// Refresh tokens are not taken any more.
    Over,
    Away,
    /// It takes its time.
    Slow(Duration),
}

pub struct Hub {
    base: String,
    desk: Arc<Desk>,
    _server: JoinSet<()>,
}

struct Desk {
    base: String,
    key: Ed25519KeyPair,
    book: Mutex<Book>,
}

pub struct Book {
    pub mood: Mood,
    /// Life of access tokens.
    pub life: Duration,
    /// What ID tokens say beside the usual.
    pub claims: Value,
    /// What stands in the head of ID tokens beside the usual.
    pub head: Value,
    /// Changes an ID token after it was signed.
    pub tamper: fn(String) -> String,
    /// Code to account, challenge, redirect URI and nonce.
    codes: HashMap<String, (String, String, String, String)>,
    /// Access token to account and end.
    access: HashMap<String, (String, SystemTime)>,
    refresh: HashMap<String, String>,
    pub refreshes: usize,
    /// Refresh tokens that were used a second time.
    pub reused: usize,
    pub revoked: Vec<String>,
    /// `Authorization` headers of the source.
    pub asked_with: Vec<String>,
    pub key_reads: usize,
    /// Every token that was ever given.
    pub given: Vec<String>,
    spent: Vec<String>,
    count: usize,
}

impl Hub {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let book = Book {
            mood: Mood::Fine,
            life: Duration::from_secs(3600),
            claims: json!({}),
            head: json!({}),
            tamper: |token| token,
            codes: HashMap::new(),
            access: HashMap::new(),
            refresh: HashMap::new(),
            refreshes: 0,
            reused: 0,
            revoked: Vec::new(),
            asked_with: Vec::new(),
            key_reads: 0,
            given: Vec::new(),
            spent: Vec::new(),
            count: 0,
        };
        let key = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
        let desk = Arc::new(Desk { base: base.clone(), key, book: Mutex::new(book) });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/revoke", post(revoke))
            .route("/userinfo", get(userinfo))
            .route("/search", get(source))
            .with_state(Arc::clone(&desk));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { base, desk, _server: server }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.desk.book.lock().unwrap()
    }

    /// How often tokens were renewed, and how often by a refresh token that was used before.
    pub fn renewals(&self) -> (usize, usize) {
        let book = self.book();
        (book.refreshes, book.reused)
    }

    /// The person at the browser is `account` and agrees; where the browser is sent.
    pub async fn agree(&self, auth_url: &str, account: &str) -> String {
        let client = crate::app_harness::Client::new("", None);
        let answer = crate::app_harness::Answer::of(
            client.request(reqwest::Method::GET, &format!("{auth_url}&account={account}")),
        );
        let answer = answer.await;
        assert_eq!(answer.status, 303, "{answer:?}");
        answer.header("location").to_owned()
    }

    /// A token that the hub signs, with these claims beside the usual.
    pub fn signed(&self, more: &Value) -> String {
        let book = self.book();
        let mut claims = json!({"iss": self.base, "exp": now() + 300, "iat": now()});
        claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        (book.tamper)(signed(&self.desk.key, &book.head, &claims))
    }
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

fn coded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn signed(key: &Ed25519KeyPair, head: &Value, claims: &Value) -> String {
    let mut header = json!({"alg": "EdDSA", "kid": "hub-1", "typ": "JWT"});
    header.as_object_mut().unwrap().extend(head.as_object().unwrap().clone());
    let text = format!("{}.{}", coded(header.to_string()), coded(claims.to_string()));
    let sign = coded(key.sign(text.as_bytes()));
    format!("{text}.{sign}")
}

async fn discovery(State(desk): State<Arc<Desk>>) -> Json<Value> {
    let at = |path: &str| format!("{}{path}", desk.base);
    Json(json!({
        "issuer": desk.base, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
        "jwks_uri": at("/keys"), "userinfo_endpoint": at("/userinfo"), "revocation_endpoint": at("/revoke"),
    }))
}

async fn keys(State(desk): State<Arc<Desk>>) -> Json<Value> {
    desk.book.lock().unwrap().key_reads += 1;
    let x = coded(desk.key.public_key());
    Json(json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "hub-1", "use": "sig", "x": x}]}))
}

async fn authorize(State(desk): State<Arc<Desk>>, Query(asked): Query<Fields>) -> Response {
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
    let mut book = desk.book.lock().unwrap();
    book.count += 1;
    let code = format!("canary-code-{}", book.count);
    book.codes.insert(code.clone(), (of("account"), of("code_challenge"), of("redirect_uri"), of("nonce")));
    place.query_pairs_mut().append_pair("code", &code).append_pair("state", &of("state"));
    Redirect::to(place.as_str()).into_response()
}

async fn token(State(desk): State<Arc<Desk>>, Form(asked): Form<Fields>) -> Response {
    let mood = desk.book.lock().unwrap().mood;
    if let Mood::Slow(time) = mood {
        tokio::time::sleep(time).await;
    }
    let of = |name: &str| asked.get(name).cloned().unwrap_or_default();
    let refuse = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({"error": error}))).into_response();
    if of("client_id") != CLIENT || of("client_secret") != CLIENT_SECRET {
        return (StatusCode::UNAUTHORIZED, Json(json!({"error": "invalid_client"}))).into_response();
    }
    let mut book = desk.book.lock().unwrap();
    let (account, nonce) = match of("grant_type").as_str() {
        "authorization_code" => {
            let Some((account, challenge, redirect_uri, nonce)) = book.codes.remove(&of("code")) else {
                return refuse("invalid_grant");
            };
            let is_right = coded(Sha256::digest(of("code_verifier"))) == challenge;
            if !is_right || of("redirect_uri") != redirect_uri {
                return refuse("invalid_grant");
            }
            (account, nonce)
        }
        "refresh_token" => {
            let given = of("refresh_token");
            book.refreshes += 1;
            match mood {
                Mood::Over => return refuse("invalid_grant"),
                Mood::Away => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
                Mood::Fine | Mood::Slow(_) => {}
            }
            if book.spent.contains(&given) {
                book.reused += 1;
                return refuse("invalid_grant");
            }
            let Some(account) = book.refresh.remove(&given) else { return refuse("invalid_grant") };
            book.spent.push(given);
            (account, String::new())
        }
        _ => return refuse("unsupported_grant_type"),
    };
    book.count += 1;
    let (access, refresh) =
        (format!("canary-access-{}", book.count), format!("canary-refresh-{}", book.count));
    let life = book.life;
    // A token that is sent while it is valid may arrive a moment later.
    book.access.insert(access.clone(), (account.clone(), SystemTime::now() + life + ON_ITS_WAY));
    book.refresh.insert(refresh.clone(), account.clone());
    book.given.extend([access.clone(), refresh.clone()]);
    let mut claims = json!({
        "iss": desk.base, "aud": CLIENT, "sub": format!("subject of {account}"), "exp": now() + 300,
        "nonce": nonce, "preferred_username": account, "email": format!("{account}@hub.example"),
    });
    claims.as_object_mut().unwrap().extend(book.claims.as_object().unwrap().clone());
    let id_token = (book.tamper)(signed(&desk.key, &book.head, &claims));
    Json(json!({
        "access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": life.as_secs(),
        "scope": "files offline", "id_token": id_token,
    }))
    .into_response()
}

async fn revoke(State(desk): State<Arc<Desk>>, Form(asked): Form<Fields>) -> StatusCode {
    desk.book.lock().unwrap().revoked.push(asked.get("token").cloned().unwrap_or_default());
    StatusCode::OK
}

/// Whose token it is, if it has not ended.
fn account_of(book: &Book, headers: &HeaderMap) -> Option<String> {
    let header = headers.get("authorization")?.to_str().ok()?;
    let (account, end) = book.access.get(header.strip_prefix("Bearer ")?)?;
    (*end > SystemTime::now()).then(|| account.clone())
}

async fn userinfo(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Response {
    match account_of(&desk.book.lock().unwrap(), &headers) {
        Some(account) => Json(json!({
            "sub": format!("subject of {account}"), "email": format!("{account}@hub.example"),
        }))
        .into_response(),
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}

async fn source(State(desk): State<Arc<Desk>>, headers: HeaderMap) -> Response {
    let mut book = desk.book.lock().unwrap();
    let header = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    book.asked_with.push(header.to_owned());
    match account_of(&book, &headers) {
        Some(account) => Json(json!({"total": 1, "items": [{
            "title": format!("river of {account}"), "body": "A river.", "url": format!("https://x.example/{account}"),
        }]}))
        .into_response(),
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}
