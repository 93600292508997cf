//! What vector stores say about a result beside its fields: how similar it is by each metric, and its id.

use crate::fixture::{answer, connector, context, kind, provider, provider_spec, query};
use domain::ports::{NormalizedPage, ProviderQuery};
use domain::provider::ProviderSpec;
use serde_json::{Value, json};

fn spec(connector: &str, query_mappings: &str) -> ProviderSpec {
    let url = match connector {
        "QdrantDB" => "https://store.example-rivers",
        "PineconeDB" => "rivers-x1.svc.pinecone.io",
        _ => "https://store.example",
    };
    let collection = if connector == "Milvus" { "collection=rivers" } else { "" };
    provider_spec(connector, url, "key-12345", &[collection, query_mappings].join(","))
}

/// The page of a store that responds to every query with this body.
async fn answered(spec: ProviderSpec, body: &Value) -> NormalizedPage {
    let store = connector(spec, &context(answer("application/json", body.to_string())));
    let query = ProviderQuery { vector: Some(&[1.0]), ..query("x") };
    let prepared = store.prepare(&query).expect("a question");
    prepared.execute().await.expect("an answer").normalize().expect("a page")
}

/// A response with one result for each score.
fn scored(connector: &str, scores: &[f64]) -> Value {
    let rows = |key: &str| scores.iter().map(|score| json!({"id": 7, key: score})).collect::<Vec<_>>();
    match connector {
        "QdrantDB" => json!({"result": {"points": rows("score")}}),
        "PineconeDB" => json!({"matches": rows("score")}),
        _ => json!({"code": 0, "data": rows("distance")}),
    }
}

/// The nearest result comes first. With the Euclidean metric its score is the lowest, and a distance.
#[tokio::test]
async fn the_nearest_result_is_the_most_similar() {
    let table: [(&str, &[f64], &[f64]); 4] = [
        ("", &[0.9, 0.1], &[0.9, 0.1]),
        ("distance=cosine", &[0.9, -0.1], &[0.9, -0.1]),
        ("distance=dot", &[7.5, 2.0], &[7.5, 2.0]),
        ("distance=l2", &[0.0, 1.0, 3.0], &[1.0, 0.5, 0.25]),
    ];
    for connector in ["QdrantDB", "PineconeDB", "Milvus"] {
        for (mapping, scores, expected) in table {
            let page = answered(spec(connector, mapping), &scored(connector, scores)).await;
            let found: Vec<f64> = page.items.iter().filter_map(|item| item["similarity"].as_f64()).collect();
            assert_eq!(found, expected, "{connector} {mapping}");
        }
        let errors = (kind(connector).check)(&provider(spec(connector, "distance=far")));
        let fields: Vec<&str> = errors.iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["query_mappings"], "{connector}: {errors}");
    }
}

/// Older servers call every primary key `id`, newer ones by its own name.
#[tokio::test]
async fn the_primary_key_of_milvus_is_the_id() {
    for (mapping, entity, id) in [
        ("", json!({"id": 7}), json!(7)),
        ("id=doc_id", json!({"doc_id": "a-7"}), json!("a-7")),
        ("id=doc_id", json!({"doc_id": "a-7", "id": "its own field"}), json!("a-7")),
        ("id=doc_id", json!({"id": "a-7"}), json!("a-7")),
        ("", json!({"doc_id": "a-7"}), Value::Null),
    ] {
        let page = answered(spec("Milvus", mapping), &json!({"code": 0, "data": [entity]})).await;
        assert_eq!(page.items[0]["id"], id, "{mapping} {entity}");
    }
    let errors = (kind("Milvus").check)(&provider(spec("Milvus", "id=doc-id")));
    assert!(errors.to_string().contains("id may contain only"), "{errors}");
}
