//! Access tokens of a fake cloud service: tokens with scopes, and refusals on demand.

use axum::http::HeaderMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A user who granted everything.
pub const TOKEN: &str = "person-token-5b1c";
/// A user who granted nothing that is needed.
pub const NARROW_TOKEN: &str = "narrow-token-9d2e";

pub struct AccessTokens {
    tokens: BTreeMap<String, BTreeSet<String>>,
    refusals: VecDeque<Refusal>,
    requests: usize,
    seen: Vec<String>,
}

/// A response that is sent once, whoever asks.
#[derive(Debug, Clone)]
pub struct Refusal {
    pub status: u16,
    pub retry_after: Option<u32>,
    /// The target of a redirect.
    pub location: Option<String>,
}

/// Why a request is rejected.
#[derive(Debug, Clone)]
pub enum Rejection {
    OnDemand(Refusal),
    UnknownToken,
    MissingScope(&'static str),
}

impl AccessTokens {
    pub fn new(scopes: &[&str]) -> Self {
        let scopes: BTreeSet<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let tokens = BTreeMap::from([(TOKEN.to_owned(), scopes), (NARROW_TOKEN.to_owned(), BTreeSet::new())]);
        Self { tokens, refusals: VecDeque::new(), requests: 0, seen: Vec::new() }
    }

    /// Adds a user.
    pub fn allow(&mut self, token: &str, scopes: &[&str]) {
        self.tokens.insert(token.to_owned(), scopes.iter().map(|scope| (*scope).to_owned()).collect());
    }

    /// Rejects the next request.
    pub fn refuse(&mut self, refusal: Refusal) {
        self.refusals.push_back(refusal);
    }

    pub fn requests(&self) -> usize {
        self.requests
    }

    /// The received `Authorization` headers, in order.
    pub fn seen(&self) -> &[String] {
        &self.seen
    }

    pub fn admit(&mut self, headers: &HeaderMap, scope: &'static str) -> Result<(), Rejection> {
        self.requests += 1;
        let header = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        self.seen.push(header.to_owned());
        if let Some(refusal) = self.refusals.pop_front() {
            return Err(Rejection::OnDemand(refusal));
        }
        let scopes = header.strip_prefix("Bearer ").and_then(|token| self.tokens.get(token));
        let scopes = scopes.ok_or(Rejection::UnknownToken)?;
        if scopes.contains(scope) { Ok(()) } else { Err(Rejection::MissingScope(scope)) }
    }
}
