//! The sample newsroom: an RSS feed in XML, `GET /newsroom.rss?q=…&count=…&sort=date`.

use super::words::{self, Texts};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use chrono::DateTime;
use serde::Deserialize;
use std::fmt::Write;
use std::sync::Arc;

const RECORDS: &str = include_str!("../../demo/newsroom.json");
const COUNT_MAX: usize = 100;

#[derive(Deserialize)]
struct Post {
    guid: i64,
    title: String,
    author: String,
    updated: String,
    category: String,
    description: String,
    link: String,
}

#[derive(Deserialize)]
struct Asked {
    q: String,
    count: Option<usize>,
    sort: Option<String>,
}

pub fn router() -> anyhow::Result<Router> {
    let posts: Vec<Post> = serde_json::from_str(RECORDS)?;
    Ok(Router::new().route("/newsroom.rss", get(search)).with_state(Arc::new(posts)))
}

async fn search(State(posts): State<Arc<Vec<Post>>>, Query(asked): Query<Asked>) -> impl IntoResponse {
    let mut found = words::ranked(&posts, &asked.q, |post| Texts {
        key: "",
        title: &post.title,
        body: &post.description,
    });
    if asked.sort.as_deref() == Some("date") {
        found.sort_by_key(|post| std::cmp::Reverse(DateTime::parse_from_rfc2822(&post.updated).ok()));
    }
    let count = asked.count.unwrap_or(10).min(COUNT_MAX);
    ([(CONTENT_TYPE, "application/rss+xml; charset=utf-8")], feed(&found, count))
}

fn feed(found: &[&Post], count: usize) -> String {
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"><channel>\
         <title>Riverbend newsroom</title><total>{}</total>\n",
        found.len()
    );
    for post in found.iter().take(count) {
        let item = [
            ("title", &post.title),
            ("link", &post.link),
            ("author", &post.author),
            ("pubDate", &post.updated),
            ("category", &post.category),
            ("description", &post.description),
            ("guid", &post.guid.to_string()),
        ];
        xml.push_str("<item>");
        for (name, text) in item {
            let _strings_take_all = write!(xml, "<{name}>{}</{name}>", escaped(text));
        }
        xml.push_str("</item>\n");
    }
    xml.push_str("</channel></rss>\n");
    xml
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
