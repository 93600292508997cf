//! The sources: parts of the collection, each with its own engine, served over HTTP on loopback.

use crate::eval::collection::Collection;
use crate::eval::duplicates::make_duplicates;
use crate::eval::ranking::{Engine, Hit, Index};
use crate::eval::setup::Setup;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use domain::provider::ProviderSpec;
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A document in a source.
#[derive(Debug)]
struct Stored {
    document: usize,
    /// The edited text of a duplicate; `None` for an original.
    edited: Option<String>,
}

#[derive(Debug)]
pub struct Source {
    pub name: String,
    /// Maximum number of results for a query.
    results_max: usize,
    number: usize,
    stored: Vec<Stored>,
    index: Index,
}

/// All sources over one collection.
#[derive(Debug)]
pub struct Sources {
    collection: Arc<Collection>,
    pub all: Vec<Source>,
    /// Number of duplicated documents.
    pub copied: usize,
    /// Maximum number of words in a body.
    snippet: Option<usize>,
}

impl Sources {
    pub fn of(collection: Arc<Collection>, setup: &Setup) -> Self {
        let texts: Vec<String> = collection.documents.iter().map(|document| document.whole()).collect();
        let homes = setup.split.homes(&texts, setup.sources, setup.seed);
        let bodies: Vec<&str> = collection.documents.iter().map(|document| document.text.as_str()).collect();
        let copies = make_duplicates(&bodies, &homes, setup.sources, setup.overlap, setup.seed);
        let copied = copies.len();
        let mut stored: Vec<Vec<Stored>> = (0..setup.sources).map(|_| Vec::new()).collect();
        for (document, home) in homes.iter().enumerate() {
            stored[*home].push(Stored { document, edited: None });
        }
        for copy in copies {
            stored[copy.source].push(Stored { document: copy.document, edited: Some(copy.text) });
        }
        let all = stored
            .into_iter()
            .enumerate()
            .map(|(number, stored)| Source::new(&collection, number, stored, setup))
            .collect();
        Self { collection, all, copied, snippet: setup.snippet }
    }

    /// The results of each source as documents of the collection, best first.
    pub fn lists(&self, query: &str) -> Vec<Vec<usize>> {
        let list = |source: &Source| {
            source.search(query).iter().map(|hit| source.stored[hit.place].document).collect()
        };
        self.all.iter().map(list).collect()
    }

    /// Serves all sources until `running` is dropped, and returns their SearchProviders.
    pub async fn serve(self: &Arc<Self>, running: &mut JoinSet<()>) -> anyhow::Result<Vec<ProviderSpec>> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let router = Router::new().route("/source/{number}", get(answer)).with_state(Arc::clone(self));
        running.spawn(async move {
            let _until_the_end = axum::serve(listener, router).await;
        });
        Ok(self.all.iter().map(|source| source.provider(address)).collect())
    }

    fn answer(&self, source: &Source, query: &str) -> Value {
        let hits = source.search(query);
        let items: Vec<Value> = hits.iter().map(|hit| self.item(source, *hit)).collect();
        json!({ "total": items.len(), "items": items })
    }

    fn item(&self, source: &Source, hit: Hit) -> Value {
        let stored = &source.stored[hit.place];
        let document = &self.collection.documents[stored.document];
        let text = stored.edited.as_deref().unwrap_or(&document.text);
        let body = match self.snippet {
            Some(words_max) => text.split_whitespace().take(words_max).collect::<Vec<_>>().join(" "),
            None => text.to_owned(),
        };
        let mut item =
            json!({ "title": document.title, "body": body, "url": source.url(stored), "score": hit.score });
        for (key, value) in [("author", &document.author), ("date", &document.date_published)] {
            if !value.is_empty() {
                item[key] = json!(value);
            }
        }
        item
    }
}

impl Source {
    fn new(collection: &Collection, number: usize, stored: Vec<Stored>, setup: &Setup) -> Self {
        let text = |stored: &Stored| {
            let document = &collection.documents[stored.document];
            let body = stored.edited.as_deref().unwrap_or(&document.text);
            format!("{} {body}", document.title).into()
        };
        let index = Index::build(Engine::of_source(number, setup.unlike), stored.iter().map(text));
        let name = format!("Source {}", number + 1);
        Self { name, results_max: setup.results, number, stored, index }
    }

    fn search(&self, query: &str) -> Vec<Hit> {
        self.index.search(query, self.results_max)
    }

    /// The URL of a document in this source; a duplicate has a different host and path.
    fn url(&self, stored: &Stored) -> String {
        let folder = if stored.edited.is_some() { "mirror" } else { "documents" };
        format!("https://source{}.example/{folder}/{}", self.number + 1, stored.document)
    }

    fn provider(&self, address: SocketAddr) -> ProviderSpec {
        ProviderSpec {
            name: self.name.clone(),
            url: format!("http://{address}/source/{}", self.number),
            response_mappings: "FOUND=total,RESULTS=items".into(),
            result_mappings:
                "title=title,body=body,url=url,author=author,date_published=date,score,NO_PAYLOAD".into(),
            results_per_query: self.results_max as u32,
            ..ProviderSpec::default()
        }
    }
}

/// The document behind a URL of a source.
pub fn document_of(url: &str) -> Option<usize> {
    url.strip_prefix("https://source")
        .and_then(|rest| rest.rsplit('/').next())
        .and_then(|place| place.parse().ok())
}

#[derive(Deserialize)]
struct Asked {
    q: String,
}

async fn answer(
    State(sources): State<Arc<Sources>>,
    Path(number): Path<usize>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, StatusCode> {
    let source = sources.all.get(number).ok_or(StatusCode::NOT_FOUND)?;
    Ok(Json(sources.answer(source, &asked.q)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::collection::Document;
    use crate::eval::split::Split;

    fn sources(snippet: Option<usize>, results: usize) -> Sources {
        let document = |number: usize| Document {
            id: format!("d{number}"),
            title: format!("Tea {number}"),
            text: format!("the {number} th text about hot tea with milk and sugar in a cup"),
            author: if number == 0 { "A. Writer".to_owned() } else { String::new() },
            ..Document::default()
        };
        let collection = Collection { documents: (0..40).map(document).collect(), ..Collection::default() };
        let split = Split::Random;
        let setup = Setup { sources: 4, results, split, overlap: 0.5, unlike: true, snippet, seed: 1 };
        Sources::of(Arc::new(collection), &setup)
    }

    #[test]
    fn every_document_stands_somewhere_and_half_of_them_twice() {
        let sources = sources(None, 10);
        let mut originals: Vec<usize> = Vec::new();
        for stored in sources.all.iter().flat_map(|source| &source.stored).filter(|one| one.edited.is_none())
        {
            originals.push(stored.document);
        }
        originals.sort_unstable();
        assert_eq!(originals, (0..40).collect::<Vec<_>>());
        assert_eq!(
            (sources.copied, sources.all.iter().map(|source| source.stored.len()).sum::<usize>()),
            (20, 60)
        );
    }

    #[test]
    fn answers_are_bounded_and_lead_back_to_their_documents() {
        let sources = sources(Some(3), 7);
        for source in &sources.all {
            let provider = source.provider(SocketAddr::from(([127, 0, 0, 1], 1)));
            assert_eq!(provider.results_per_query, 7);
            let answer = sources.answer(source, "hot tea");
            let items = answer["items"].as_array().unwrap();
            assert_eq!(items.len(), 7);
            for (item, hit) in items.iter().zip(source.search("hot tea")) {
                let document = document_of(item["url"].as_str().unwrap());
                assert_eq!(document, Some(source.stored[hit.place].document));
                assert_eq!(item["body"].as_str().unwrap().split(' ').count(), 3);
                assert_eq!(item.get("author").is_some(), document == Some(0));
            }
        }
        assert_eq!(sources.lists("hot tea").len(), 4);
        assert_eq!(document_of("https://elsewhere.example/7"), None);
    }
}
