//! The topic of a decision: its query and scope.

use crate::json::plain;
use domain::corpus::Scope;
use sha2::{Digest, Sha256};

/// The index key of a query and a scope, both of which may be too long for an index.
pub(super) fn topic(query_key: &str, scope: &Scope) -> String {
    let (key, scope) = (plain(query_key), plain(&scope.to_string()));
    let digest = Sha256::new().chain_update(key).chain_update(b"\0").chain_update(scope);
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_and_scope_has_a_topic_of_its_own() {
        let acme = Scope::parse("acme").unwrap();
        let topics =
            [topic("q", &Scope::Firm), topic("q", &acme), topic("q2", &acme), topic("", &Scope::Firm)];
        for (number, one) in topics.iter().enumerate() {
            assert_eq!(one.len(), 64);
            assert!(!topics[number + 1..].contains(one), "{number}");
        }
        assert_eq!(topics[1], topic("q", &Scope::parse("matter:acme").unwrap()));
    }
}
