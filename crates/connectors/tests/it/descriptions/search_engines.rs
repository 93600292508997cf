//! Types and addresses from the clients of Elasticsearch, OpenSearch, Meilisearch and Typesense.

use super::{asked, object, spec};
use crate::fixture::guarded_context;
use domain::provider::ProviderSpec;
use fakes::descriptions::{Exchange, TypeScript};
use fakes::elastic::{self, Elastic, Flavour};
use fakes::meilisearch::Meilisearch;
use fakes::typesense::Typesense;
use serde_json::json;

const ELASTIC: &str = "
import type * as types from \"./node_modules/@elastic/elasticsearch/lib/api/types\";
type Request = types.SearchRequest;
type Answer = types.SearchResponse<Record<string, unknown>>;";

const OPEN_SEARCH: &str = "
import type * as types from \"./node_modules/@opensearch-project/opensearch/api/_core/search\";
import type * as core from \"./node_modules/@opensearch-project/opensearch/api/_types/_core.search\";
type Request = types.Search_RequestBody;
type Answer = Omit<core.SearchResult, \"hits\"> & { hits: core.HitsMetadata<any> };";

const MEILISEARCH: &str = "
import type { SearchParams, SearchResponse } from \"./node_modules/meilisearch/dist/index\";
type Request = SearchParams & { q?: string | null };
type Answer = SearchResponse<Record<string, any>>;";

const TYPESENSE: &str = "
import type { MultiSearchRequestsWithoutUnionSchema } from \"./node_modules/typesense/lib/Typesense/Types\";
import type { SearchResponse } from \"./node_modules/typesense/lib/Typesense/Documents\";
type Document_ = { id: string; title: string; url: string; published: string; day: number };
type Request = MultiSearchRequestsWithoutUnionSchema<Document_, string>;
type Answer = { results: SearchResponse<Document_>[] };";

const HITS: [&str; 3] = ["/hits/total", "/hits/hits/0/_id", "/hits/hits/0/_source"];

async fn check(mut program: TypeScript, specs: Vec<ProviderSpec>, address: &str, reads: &[&str]) {
    for spec in specs {
        for Exchange { method, path, query, body, answer } in asked(spec, guarded_context()).await.exchanges()
        {
            assert_eq!((method.as_str(), path.as_str(), query.len()), ("POST", address, 0), "{query:?}");
            program.request("Request", &body);
            program.answer("Answer", &answer);
        }
    }
    program.reads("Answer", &reads.iter().map(|read| (*read).to_owned()).collect());
    program.check();
}

#[tokio::test]
async fn elastic_is_asked_as_elastic_describes_it() {
    let Some(program) = TypeScript::given(ELASTIC) else { return };
    assert!(program.source("@elastic/elasticsearch/lib/api/api/search.js").contains("/_search`"));
    let server = Elastic::start(Flavour::Elasticsearch).await;
    let mappings = "index_name=rivers,default_field=title,sort_by_date=published";
    let spec = ProviderSpec {
        query_template: "index='{index_name}', query={'query_string': {'query': '{query_string}', \
                         'default_field': '{default_field}', 'default_operator': 'and'}}, size=100"
            .into(),
        ..spec("Elastic", &format!("hosts='{}'", server.listener.url), elastic::CREDENTIALS, mappings)
    };
    check(program, vec![spec], "/rivers/_search", &HITS).await;
}

#[tokio::test]
async fn open_search_is_asked_as_open_search_describes_it() {
    let Some(program) = TypeScript::given(OPEN_SEARCH) else { return };
    let server = Elastic::start(Flavour::OpenSearch).await;
    let mappings = "index_name=rivers,default_field=title,sort_by_date=day";
    let plain = ProviderSpec {
        query_template_json: object(json!({
            "query": {"multi_match": {"query": "{query_string}", "fields": ["{default_field}"], "operator": "and"}},
            "highlight": {"fields": {"title": {}}},
        })),
        ..spec("OpenSearch", &server.listener.url, elastic::CREDENTIALS, mappings)
    };
    check(program, vec![plain], "/rivers/_search", &HITS).await;
}

#[tokio::test]
async fn meilisearch_is_asked_as_meilisearch_describes_it() {
    let Some(program) = TypeScript::given(MEILISEARCH) else { return };
    let server = Meilisearch::start().await;
    let spec = crate::search_engines::meilisearch_spec(&server);
    check(program, vec![spec], "/indexes/rivers/search", &["/hits", "/estimatedTotalHits"]).await;
}

#[tokio::test]
async fn typesense_is_asked_as_typesense_describes_it() {
    let Some(program) = TypeScript::given(TYPESENSE) else { return };
    let server = Typesense::start().await;
    let spec = spec(
        "Typesense",
        &server.listener.url,
        "key=typesense-key-8d20",
        "index_name=rivers,default_field=title,sort_by_date=day",
    );
    let reads = ["/results/0/found", "/results/0/hits/0/document", "/results/0/hits/0/text_match"];
    let more = ["/results/0/hits/0/highlight", "/results/0/hits/0/highlights"];
    check(program, vec![spec], "/multi_search", &[&reads[..], &more].concat()).await;
}
