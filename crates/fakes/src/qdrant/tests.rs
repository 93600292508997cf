//! The fake is as strict as the original.

use super::*;

fn ask(collections: &mut Collections, route: &str, body: Value) -> Step {
    let mut request = FakeRequest::of(route, body);
    request.query = vec![("wait".to_owned(), "true".to_owned())];
    step(collections, &request)
}

fn ids(result: &Value) -> Vec<u64> {
    result["points"].as_array().unwrap().iter().map(|point| point["id"].as_u64().unwrap()).collect()
}

#[test]
fn points_are_kept_found_and_dropped() {
    let mut all = Collections::default();
    let vectors = json!({"vectors": {"size": 2, "distance": "Cosine"}});
    ask(&mut all, "PUT /collections/c", vectors.clone()).unwrap();
    assert_eq!(ask(&mut all, "PUT /collections/c", vectors).unwrap_err().0, 409);
    let point = |id: u64, x: f32, kind: &str| json!({"id": id, "vector": [x, 1.0], "payload": {"kind": kind, "n": id}});
    let points = json!({"points": [point(1, 0.0, "a"), point(2, 1.0, "b"), point(3, 9.0, "a")]});
    ask(&mut all, "PUT /collections/c/points", points).unwrap();
    let query = |filter: Value| json!({"query": [1.0, 0.0], "limit": 9, "filter": filter});
    let table = [
        (json!(null), vec![3, 2, 1]),
        (json!({"must": [{"key": "kind", "match": {"value": "a"}}]}), vec![3, 1]),
        (json!({"must_not": [{"key": "kind", "match": {"any": ["a", "c"]}}]}), vec![2]),
        (json!({"should": [{"has_id": [1]}, {"key": "n", "range": {"gte": 3, "lt": 4}}]}), vec![3, 1]),
        (json!({"must": [{"key": "missing", "match": {"value": 1}}]}), vec![]),
    ];
    for (filter, want) in table {
        let found = ask(&mut all, "POST /collections/c/points/query", query(filter.clone())).unwrap();
        assert_eq!(ids(&found), want, "{filter}");
    }
    let page = ask(&mut all, "POST /collections/c/points/scroll", json!({"limit": 2})).unwrap();
    assert_eq!((ids(&page), &page["next_page_offset"]), (vec![1, 2], &json!(3)));
    let rest = ask(&mut all, "POST /collections/c/points/scroll", json!({"limit": 2, "offset": 3})).unwrap();
    assert_eq!((ids(&rest), &rest["next_page_offset"]), (vec![3], &Value::Null));
    let operations =
        json!({"operations": [{"upsert": {"points": [point(1, 5.0, "b")]}}, {"delete": {"points": [3]}}]});
    ask(&mut all, "POST /collections/c/points/batch", operations).unwrap();
    let filter = json!({"filter": {"must": [{"key": "kind", "match": {"value": "b"}}]}});
    assert_eq!(ask(&mut all, "POST /collections/c/points/count", filter.clone()).unwrap()["count"], 2);
    ask(&mut all, "POST /collections/c/points/delete", filter).unwrap();
    assert_eq!(ask(&mut all, "GET /collections/c", Value::Null).unwrap()["points_count"], 0);
}

#[test]
fn what_is_wrong_is_refused() {
    let mut all = Collections::default();
    all.all.insert("c".to_owned(), Collection::of(2));
    let table = [
        ("POST /collections/d/points/query", json!({"query": [1, 2]}), 404),
        ("POST /collections/c/points/query", json!({"query": [1, 2, 3]}), 400),
        ("POST /collections/c/points/query", json!({"vector": [1, 2]}), 400),
        ("POST /collections/c/points/query", json!({"query": [1, 2], "limit": 0}), 422),
        ("PUT /collections/c/points", json!({"points": [{"id": "x", "vector": [1, 2]}]}), 400),
        ("PUT /collections/c/points", json!({"points": [{"id": 1, "vector": [1]}]}), 400),
        ("PUT /collections/e", json!({"vectors": {"size": 0, "distance": "Cosine"}}), 422),
        ("GET /collections/c/points/query", Value::Null, 404),
    ];
    for (route, body, status) in table {
        assert_eq!(ask(&mut all, route, body.clone()).unwrap_err().0, status, "{route} {body}");
    }
}

/// A collection `c` with named vectors.
fn named() -> Collections {
    let mut all = Collections { is_strict: true, ..Collections::default() };
    let body = json!({
        "vectors": {"dense": {"size": 2, "distance": "Cosine"}},
        "sparse_vectors": {"words": {"modifier": "idf"}},
    });
    ask(&mut all, "PUT /collections/c", body).unwrap();
    all
}

#[test]
fn words_are_weighed_by_how_rare_they_are() {
    let mut all = named();
    let point = |id: u64, indices: &[u32]| {
        let values = vec![1.0; indices.len()];
        json!({"id": id, "vector": {"dense": [1.0, 0.0], "words": {"indices": indices, "values": values}}})
    };
    let points = json!({"points": [point(1, &[7]), point(2, &[7]), point(3, &[9]), point(4, &[])]});
    ask(&mut all, "PUT /collections/c/points", points).unwrap();
    let query = json!({"query": {"indices": [7, 9], "values": [1.0, 1.0]}, "using": "words"});
    let found = ask(&mut all, "POST /collections/c/points/query", query).unwrap();
    assert_eq!(ids(&found), [3, 2, 1], "without a word in common nothing is found");
    let rarity = |with: f64| (1.0 + (4.0 - with + 0.5) / (with + 0.5)).ln();
    let scores: Vec<f64> =
        found["points"].as_array().unwrap().iter().map(|point| point["score"].as_f64().unwrap()).collect();
    for (score, expected) in scores.iter().zip([rarity(1.0), rarity(2.0), rarity(2.0)]) {
        assert!((score - expected).abs() < 1e-9, "{scores:?}");
    }
}

#[test]
fn names_and_indexes_are_checked() {
    let mut all = named();
    let ours = json!({"points": [{"id": 1, "vector": {"dense": [1, 0]}, "payload": {"acl": ["a"], "x": 1}}]});
    ask(&mut all, "PUT /collections/c/points", ours).unwrap();
    let words = |indices: Value, values: Value| json!({"points": [{"id": 1, "vector": {"words": {"indices": indices, "values": values}}}]});
    let acl = |name: &str| json!({"filter": {"must": [{"key": name, "match": {"any": ["a"]}}]}});
    let table = [
        ("PUT /collections/c/points", json!({"points": [{"id": 1, "vector": [1, 0]}]}), 400),
        ("PUT /collections/c/points", json!({"points": [{"id": 1, "vector": {"other": [1, 0]}}]}), 400),
        ("PUT /collections/c/points", json!({"points": [{"id": 1, "vector": {"dense": [1, 0, 0]}}]}), 400),
        ("PUT /collections/c/points", words(json!([1, 1]), json!([1, 1])), 422),
        ("PUT /collections/c/points", words(json!([1]), json!([1, 1])), 422),
        ("PUT /collections/c/points", words(json!([-1]), json!([1])), 400),
        ("POST /collections/c/points/query", json!({"query": [1, 0]}), 400),
        ("POST /collections/c/points/query", json!({"query": [1, 0], "using": "words"}), 400),
        (
            "POST /collections/c/points/query",
            json!({"query": {"indices": [1], "values": [1]}, "using": "dense"}),
            400,
        ),
        (
            "POST /collections/c/points/query",
            json!({"query": {"indices": [1], "values": [1]}, "using": "sparse"}),
            400,
        ),
        ("POST /collections/c/points/count", acl("acl"), 400),
        ("POST /collections/c/points/delete", acl("acl"), 400),
        ("POST /collections/c/points/payload", json!({"payload": {"acl": []}}), 400),
        ("PUT /collections/c/index", json!({"field_name": "acl", "field_schema": "words"}), 400),
        ("PUT /collections/d/index", json!({"field_name": "acl", "field_schema": "keyword"}), 404),
    ];
    for (route, body, status) in table {
        assert_eq!(ask(&mut all, route, body.clone()).unwrap_err().0, status, "{route} {body}");
    }
    ask(&mut all, "PUT /collections/c/index", json!({"field_name": "acl", "field_schema": "keyword"}))
        .unwrap();
    assert_eq!(ask(&mut all, "POST /collections/c/points/count", acl("acl")).unwrap()["count"], 1);
    let body = json!({"payload": {"acl": ["b"]}, "filter": acl("acl")["filter"]});
    ask(&mut all, "POST /collections/c/points/payload", body).unwrap();
    assert_eq!(all.payloads("c"), [json!({"acl": ["b"], "x": 1})]);
    let shown = ask(&mut all, "GET /collections/c", Value::Null).unwrap();
    assert_eq!(shown["config"]["params"]["vectors"]["dense"]["size"], 2);
    assert_eq!(shown["config"]["params"]["sparse_vectors"]["words"]["modifier"], "idf");
    assert_eq!(shown["payload_schema"]["acl"]["data_type"], "keyword");
}

#[test]
fn what_nobody_waits_for_is_seen_later() {
    let mut all = named();
    let point = |id: u64| json!({"points": [{"id": id, "vector": {"dense": [1, 0]}}]});
    let unawaited = step(&mut all, &FakeRequest::of("PUT /collections/c/points", point(1))).unwrap();
    assert_eq!(unawaited["status"], "acknowledged");
    let count = |all: &mut Collections| ask(all, "POST /collections/c/points/count", json!({})).unwrap();
    assert_eq!(count(&mut all)["count"], 0);
    ask(&mut all, "PUT /collections/c/points", point(2)).unwrap();
    assert_eq!(count(&mut all)["count"], 2);
}
