//! Sample contracts in several versions from two sources: `GET /contracts?place=dms&q=…&count=…`.

use super::words::{self, Texts};
use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub const RECORDS: &str = include_str!("../../demo/contracts.json");
const COUNT_MAX: usize = 100;

#[derive(Clone, Serialize, Deserialize)]
pub struct Contract {
    /// The source of this version.
    pub place: String,
    pub title: String,
    pub author: String,
    pub published: String,
    pub description: String,
    pub link: String,
}

#[derive(Deserialize)]
struct Asked {
    q: String,
    place: String,
    count: Option<usize>,
}

#[derive(Serialize)]
struct Answer {
    total: usize,
    contracts: Vec<Contract>,
}

pub fn records() -> anyhow::Result<Vec<Contract>> {
    Ok(serde_json::from_str(RECORDS)?)
}

pub fn router() -> anyhow::Result<Router> {
    Ok(Router::new().route("/contracts", get(search)).with_state(Arc::new(records()?)))
}

async fn search(State(contracts): State<Arc<Vec<Contract>>>, Query(asked): Query<Asked>) -> Json<Answer> {
    let mut found = words::ranked(&contracts, &asked.q, |one| Texts {
        key: "",
        title: &one.title,
        body: &one.description,
    });
    found.retain(|one| one.place == asked.place);
    let count = asked.count.unwrap_or(10).min(COUNT_MAX);
    Json(Answer { total: found.len(), contracts: found.into_iter().take(count).cloned().collect() })
}

#[cfg(test)]
mod tests {
    use super::super::providers::PLACES;
    use super::*;

    #[test]
    fn every_contract_lies_at_a_place_that_is_asked() {
        let records = records().unwrap();
        for (_, place, _) in PLACES {
            assert_eq!(records.iter().filter(|one| one.place == place).count(), 6, "{place}");
        }
        assert_eq!(records.len(), 12);
    }
}
