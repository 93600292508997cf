//! Requests and responses of the connectors, checked against the vendors' machine-readable descriptions. The fakes
//! respond, so that they are checked too.

mod google;
mod microsoft;
mod search_engines;
mod storage;
mod vector_stores;

use crate::fixture::{all_services_at, guarded_context, kind, provider_spec};
use domain::ports::{NormalizedPage, PluginContext};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use domain::secret::Secret;
use fakes::access_tokens::TOKEN;
use fakes::descriptions::Recorder;
use fakes::vector_documents;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::suites::connector::{Literal, MANY, Subject};

fn spec(connector: &str, url: &str, credentials: &str, query_mappings: &str) -> ProviderSpec {
    let spec = provider_spec(connector, url, credentials, query_mappings);
    ProviderSpec { tags: vec!["model:toy".into()], ..spec }
}

fn subject(spec: ProviderSpec, context: PluginContext) -> Subject {
    Subject {
        kind: kind(&spec.connector),
        context,
        spec,
        user_token: Some(Secret::new(TOKEN)),
        reader: Some(vector_documents::embed),
        many: "river",
        date: None,
        mistakes: Vec::new(),
        literal: Literal::Found(Value::to_string),
    }
}

/// The requests for more than one page, by relevancy and by date.
async fn asked(spec: ProviderSpec, context: PluginContext) -> Arc<Recorder> {
    let recorder = Recorder::new(Arc::clone(&context.fetch));
    let subject = subject(spec, PluginContext { fetch: Arc::<Recorder>::clone(&recorder), ..context });
    for sort in [Sort::Relevancy, Sort::Date] {
        let page = subject.ask("river", sort, MANY).await.expect("an answer");
        assert!(!page.items.is_empty(), "{}", subject.kind.name);
    }
    recorder
}

/// Like [`asked`], for a service that users connect.
async fn asked_service(connector: &str, address: &str) -> Arc<Recorder> {
    asked(
        spec(connector, "", "", ""),
        PluginContext { settings: Arc::new(all_services_at(address)), ..guarded_context() },
    )
    .await
}

/// Asserts that the only result of a response has every member.
fn is_full(page: &NormalizedPage, members: &[&str]) {
    assert_eq!(page.items.len(), 1, "{page:?}");
    for name in members {
        let value = &page.items[0][name];
        let is_empty = value.is_null() || value.as_str() == Some("");
        assert!(!is_empty, "the description has nothing for {name}: {}", page.items[0]);
    }
}

/// Removes the known exceptions, each of which must occur.
fn without(pointers: BTreeSet<String>, others: &[&str]) -> BTreeSet<String> {
    for other in others {
        assert!(pointers.contains(*other), "{other} is not read any more");
    }
    pointers.into_iter().filter(|pointer| !others.contains(&pointer.as_str())).collect()
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}
