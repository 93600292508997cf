//! Types and addresses from the clients of Qdrant, Pinecone, Milvus and Weaviate.

use super::{asked, object, spec};
use crate::fixture::guarded_context;
use domain::provider::ProviderSpec;
use fakes::descriptions::TypeScript;
use fakes::{milvus, pinecone, qdrant, weaviate};
use serde_json::json;

const QDRANT: &str = "
import type { paths } from \"./node_modules/@qdrant/js-client-rest/dist/types/openapi/generated_schema\";
type Route = paths[\"/collections/{collection_name}/points/query\"][\"post\"];
type Body = NonNullable<Route[\"requestBody\"]>[\"content\"][\"application/json\"];
type Parameters_ = NonNullable<Route[\"parameters\"][\"query\"]>;
type Answer = Route[\"responses\"][200][\"content\"][\"application/json\"];";

const PINECONE: &str = "
import type { QueryRequest } from \
\"./node_modules/@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/models/QueryRequest\";
import type { QueryResponse } from \
\"./node_modules/@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_data/models/QueryResponse\";
import type { IndexModel } from \
\"./node_modules/@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch/db_control/models/IndexModel\";";

const MILVUS: &str =
    "import type * as http from \"./node_modules/@zilliz/milvus2-sdk-node/dist/milvus/types/Http\";";

const WEAVIATE: &str = "
import type { paths } from \"./node_modules/weaviate-client/dist/node/esm/openapi/schema\";
type Route = paths[\"/graphql\"][\"post\"];";

#[tokio::test]
async fn qdrant_is_asked_as_qdrant_describes_it() {
    let Some(mut program) = TypeScript::given(QDRANT) else { return };
    let store = qdrant::start().await;
    let plain = spec("QdrantDB", &format!("{}-rivers", store.listener.url), qdrant::KEY, "limit_max=10");
    let filter = json!({"must": [{"key": "number", "range": {"gte": 20, "lt": 30}}]});
    let full = ProviderSpec {
        query_template_json: object(json!({"filter": filter, "with_payload": true, "score_threshold": -1.0})),
        ..plain.clone()
    };
    for spec in [plain, full] {
        for exchange in asked(spec, guarded_context()).await.exchanges() {
            let address = (exchange.method.as_str(), exchange.path.as_str());
            assert_eq!(address, ("POST", "/collections/rivers/points/query"));
            let (name, seconds) = &exchange.query[0];
            program.request("Parameters_", &json!({name: seconds.parse::<u64>().expect("a number")}));
            assert_eq!(exchange.query.len(), 1);
            program.request("Body", &exchange.body);
            program.answer("Answer", &exchange.answer);
        }
    }
    // A vector name, which this collection does not have.
    program.request("Body", &json!({"query": [0.5], "using": "title", "limit": 1, "offset": 0}));
    let read = ["/result/points/0/payload", "/result/points/0/id", "/result/points/0/score"];
    program.reads("Answer", &read.map(str::to_owned).into());
    program.check();
}

#[tokio::test]
async fn pinecone_is_asked_as_pinecone_describes_it() {
    let Some(mut program) = TypeScript::given(PINECONE) else { return };
    let store = pinecone::start().await;
    let mappings = format!("api={}", store.api.listener.url);
    let by_name = spec("PineconeDB", "rivers", pinecone::KEY, &mappings);
    let by_host = ProviderSpec {
        query_template_json: object(json!({"filter": {"number": {"$gte": 3}}})),
        ..spec("PineconeDB", &store.rivers.listener.url, pinecone::KEY, "")
    };
    let folder = "@pinecone-database/pinecone/dist/pinecone-generated-ts-fetch";
    let queries = program.source(&format!("{folder}/db_data/apis/VectorOperationsApi.js"));
    let indexes = program.source(&format!("{folder}/db_control/apis/ManageIndexesApi.js"));
    assert!(queries.contains("path: `/query`") && indexes.contains("path: `/indexes/{index_name}`"));
    let mut has_asked_for_the_host = false;
    for spec in [by_name, by_host] {
        for exchange in asked(spec, guarded_context()).await.exchanges() {
            match (exchange.method.as_str(), exchange.path.as_str()) {
                ("POST", "/query") => {
                    program.request("QueryRequest", &exchange.body);
                    program.answer("QueryResponse", &exchange.answer);
                }
                ("GET", "/indexes/rivers") => {
                    has_asked_for_the_host = true;
                    assert!(exchange.query.is_empty());
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(has_asked_for_the_host);
    program.request("QueryRequest", &json!({"vector": [0.5], "topK": 3, "namespace": "elsewhere"}));
    let read = ["/matches/0/metadata", "/matches/0/id", "/matches/0/score"];
    program.reads("QueryResponse", &read.map(str::to_owned).into());
    program.reads("IndexModel", &["/host".to_owned()].into());
    program.check();
}

#[tokio::test]
async fn milvus_is_asked_as_milvus_describes_it() {
    let Some(mut program) = TypeScript::given(MILVUS) else { return };
    let source = program.source("@zilliz/milvus2-sdk-node/dist/milvus/http/Vector.js");
    assert!(source.contains("'/vectordb/entities'") && source.contains("/search`"), "the address");
    let store = milvus::start().await;
    let spec = ProviderSpec {
        query_template_json: object(json!({"filter": "number >= 3"})),
        ..spec("Milvus", &store.listener.url, milvus::TOKEN, "collection=rivers,limit_max=10")
    };
    for mut exchange in asked(spec, guarded_context()).await.exchanges() {
        let address = (exchange.method.as_str(), exchange.path.as_str());
        assert_eq!(address, ("POST", "/v2/vectordb/entities/search"));
        program.request("http.HttpVectorSearchReq", &exchange.body);
        // Not in the type, and not read.
        assert!(exchange.answer.as_object_mut().expect("an object").remove("cost").is_some());
        program.answer("http.HttpVectorSearchResponse", &exchange.answer);
    }
    program.reads("http.HttpVectorSearchResponse", &["/code", "/data", "/message"].map(str::to_owned).into());
    program.check();
}

/// The query itself is GraphQL, which the description does not cover.
#[tokio::test]
async fn weaviate_is_asked_as_weaviate_describes_it() {
    let Some(mut program) = TypeScript::given(WEAVIATE) else { return };
    let store = weaviate::start().await;
    let spec =
        spec("Weaviate", &store.listener.url, weaviate::KEY, "class=River,fields=title published number");
    for exchange in asked(spec, guarded_context()).await.exchanges() {
        assert_eq!((exchange.method.as_str(), exchange.path.as_str()), ("POST", "/v1/graphql"));
        program.request("Route[\"parameters\"][\"body\"][\"body\"]", &exchange.body);
        program.answer("Route[\"responses\"][200][\"schema\"]", &exchange.answer);
    }
    program.check();
}
