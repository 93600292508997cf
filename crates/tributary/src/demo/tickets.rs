//! The sample tickets: a JSON API, `GET /tickets?q=…&count=…&sort=created`.

use super::words::{self, Texts};
use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const RECORDS: &str = include_str!("../../demo/tickets.json");
const COUNT_MAX: usize = 100;

#[derive(Clone, Serialize, Deserialize)]
struct Ticket {
    key: String,
    title: String,
    description: String,
    reporter: String,
    status: String,
    component: String,
    created: String,
    votes: i64,
    link: String,
}

#[derive(Deserialize)]
struct Asked {
    q: String,
    count: Option<usize>,
    sort: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    total: usize,
    tickets: Vec<Ticket>,
}

pub fn router() -> anyhow::Result<Router> {
    let tickets: Vec<Ticket> = serde_json::from_str(RECORDS)?;
    Ok(Router::new().route("/tickets", get(search)).with_state(Arc::new(tickets)))
}

async fn search(State(tickets): State<Arc<Vec<Ticket>>>, Query(asked): Query<Asked>) -> Json<Answer> {
    let mut found = words::ranked(&tickets, &asked.q, |ticket| Texts {
        key: &ticket.key,
        title: &ticket.title,
        body: &ticket.description,
    });
    if asked.sort.as_deref() == Some("created") {
        found.sort_by(|a, b| b.created.cmp(&a.created));
    }
    let count = asked.count.unwrap_or(10).min(COUNT_MAX);
    Json(Answer { total: found.len(), tickets: found.into_iter().take(count).cloned().collect() })
}
