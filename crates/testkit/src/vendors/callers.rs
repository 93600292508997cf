//! Who may call a stand-in of a service that people connect: tokens with what was agreed to, and refusals on demand.

use axum::http::HeaderMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A person who agreed to everything.
pub const TOKEN: &str = "person-token-5b1c";
/// A person who agreed to nothing that is needed.
pub const NARROW_TOKEN: &str = "narrow-token-9d2e";

pub struct Callers {
    tokens: BTreeMap<String, BTreeSet<String>>,
    refusals: VecDeque<Refusal>,
    requests: usize,
    seen: Vec<String>,
}

/// An answer that is given once, whoever asks.
#[derive(Debug, Clone)]
pub struct Refusal {
    pub status: u16,
    pub retry_after: Option<u32>,
    /// Where a redirect leads.
    pub location: Option<String>,
}

/// Why a caller is turned away.
#[derive(Debug, Clone)]
pub enum Turned {
    OnDemand(Refusal),
    UnknownToken,
    MissingScope(&'static str),
}

impl Callers {
    pub fn new(scopes: &[&str]) -> Self {
        let scopes: BTreeSet<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let tokens = BTreeMap::from([(TOKEN.to_owned(), scopes), (NARROW_TOKEN.to_owned(), BTreeSet::new())]);
        Self { tokens, refusals: VecDeque::new(), requests: 0, seen: Vec::new() }
    }

    /// One more person.
    pub fn allow(&mut self, token: &str, scopes: &[&str]) {
        self.tokens.insert(token.to_owned(), scopes.iter().map(|scope| (*scope).to_owned()).collect());
    }

    /// The next request is refused.
    pub fn refuse(&mut self, refusal: Refusal) {
        self.refusals.push_back(refusal);
    }

    pub fn requests(&self) -> usize {
        self.requests
    }

    /// The `Authorization` headers that came, in order.
    pub fn seen(&self) -> &[String] {
        &self.seen
    }

    pub fn admit(&mut self, headers: &HeaderMap, scope: &'static str) -> Result<(), Turned> {
        self.requests += 1;
        let header = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        self.seen.push(header.to_owned());
        if let Some(refusal) = self.refusals.pop_front() {
            return Err(Turned::OnDemand(refusal));
        }
        let scopes = header.strip_prefix("Bearer ").and_then(|token| self.tokens.get(token));
        let scopes = scopes.ok_or(Turned::UnknownToken)?;
        if scopes.contains(scope) { Ok(()) } else { Err(Turned::MissingScope(scope)) }
    }
}
