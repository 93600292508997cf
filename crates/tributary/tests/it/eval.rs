//! `tributary eval`: the whole program on a collection of a few documents, and on a judged one if it is available.

use crate::program::{run, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

const TOPICS: [(&str, &[&str]); 4] = [
    (
        "tea",
        &["green leaves", "black leaves", "the kettle", "a porcelain cup", "milk and sugar", "an old garden"],
    ),
    (
        "flood",
        &[
            "the river gauge",
            "a broken dam",
            "sandbags",
            "a warning at night",
            "the lower road",
            "spring rain",
        ],
    ),
    (
        "engine",
        &["a gas turbine", "the gearbox", "oil pressure", "a cracked piston", "cold starts", "the exhaust"],
    ),
    (
        "violin",
        &["a worn bow", "gut strings", "the varnish", "an old maker", "the bridge", "a concert in winter"],
    ),
];

/// A collection of 24 documents and 8 queries in `tiny`.
fn write_collection(folder: &Path) -> PathBuf {
    let collection = folder.join("tiny");
    std::fs::create_dir(&collection).unwrap();
    let (mut docs, mut queries, mut qrels) =
        (String::new(), String::new(), "query\tdocument\tgrade\n".to_owned());
    for (topic, (name, things)) in TOPICS.iter().enumerate() {
        for (number, thing) in things.iter().enumerate() {
            let text = format!(
                "This report of the {name} society is about {thing} and what our members have seen of it in \
                 twenty years of work, with a list of all that they tried and found out."
            );
            let line = serde_json::json!({"id": format!("{name}-{number}"), "title": format!("On {thing}"), "text": text});
            docs.push_str(&format!("{line}\n"));
        }
        for number in [0, 3] {
            let query = topic * 2 + number / 3;
            queries.push_str(&format!("{query}\t{name}: {}?\n", things[number]));
            qrels.push_str(&format!("{query}\t{name}-{number}\t2\n{query}\t{name}-5\t1\n"));
        }
    }
    std::fs::write(collection.join("docs.jsonl"), docs).unwrap();
    std::fs::write(collection.join("queries.tsv"), queries).unwrap();
    std::fs::write(collection.join("qrels.tsv"), qrels).unwrap();
    collection
}

pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn figure(object: &Value, way: &str, measure: &str) -> f64 {
    let value = object[way][measure].as_f64();
    let value = value.unwrap_or_else(|| panic!("{way}.{measure} in {object}"));
    assert!((0.0..=1.0).contains(&value), "{way}.{measure} is {value}");
    value
}

/// Checks the keys and the order of the compared methods.
pub fn check(object: &Value) {
    for way in ["merged", "central_bm25", "round_robin", "rrf", "oracle"] {
        figure(object, way, "recall100");
    }
    let ndcg10 = |way| figure(object, way, "ndcg10");
    assert!(ndcg10("merged") >= ndcg10("round_robin"), "{object}");
    assert!(ndcg10("oracle") >= ndcg10("merged"), "{object}");
    let ratio = object["ratio"].as_f64().unwrap();
    assert!((ratio - ndcg10("merged") / ndcg10("central_bm25")).abs() < 0.001, "{object}");
    assert!(object["latency_ms"]["p95"].as_f64() >= object["latency_ms"]["median"].as_f64());
    assert_eq!(object["per_query"].as_array().unwrap().len() as u64, object["queries"].as_u64().unwrap());
}

/// The measures of each query, without the times.
fn by_query(object: &Value) -> Vec<Value> {
    let mut list = object["per_query"].as_array().unwrap().clone();
    list.iter_mut().for_each(|query| query["ms"] = Value::Null);
    list
}

#[test]
fn a_small_collection_is_measured_drawn_saved_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_collection(here);
    let setup = ["eval", "--collection", "tiny", "--sources", "3", "--overlap", "0.5", "--unlike"];
    let files = ["--json", "--svg", "chart.svg", "--save", "a.json", "--features", "features.tsv"];
    let ran = run(here, &[&setup[..], &files[..]].concat());
    let object = json(&ran);
    check(&object);
    assert!(text(&ran.stderr).contains("tiny: 24 documents over 3 random sources"), "{}", text(&ran.stderr));
    assert_eq!((object["queries"].as_u64(), object["copied"].as_u64()), (Some(8), Some(12)));
    let saved: Value = serde_json::from_slice(&std::fs::read(here.join("a.json")).unwrap()).unwrap();
    assert_eq!(saved, object);
    let chart = std::fs::read_to_string(here.join("chart.svg")).unwrap();
    assert!(chart.starts_with("<svg ") && chart.contains("<title") && chart.contains("central BM25"));
    let features = std::fs::read_to_string(here.join("features.tsv")).unwrap();
    let header = features.lines().next().unwrap();
    assert!(
        header.starts_with("query_id\tdoc_id\tgrade\tis_duplicate\tsource\tsource_rank\trank\tswirl_score")
    );
    assert!(header.contains("\tconfidence."), "{header}");
    let columns = header.split('\t').count();
    assert!(features.lines().count() > 8 && features.lines().all(|line| line.split('\t').count() == columns));

    // The same seed gives the same figures, another mixer gives others, and the two are compared.
    let again = json(&run(here, &[&setup[..], &["--json"]].concat()));
    assert_eq!(by_query(&again), by_query(&object));
    let mixer = ["--mixer", "RoundRobinMixer", "--save", "b.json"];
    let table = run(here, &[&setup[..], &mixer[..]].concat());
    assert!(text(&table.stdout).contains("central BM25"), "{}", text(&table.stdout));
    let files = json(&run(here, &["eval", "--compare", "a.json", "b.json", "--json"]));
    let mixers = ["--json", "--compare", "RelevancyConfidenceMixer", "RoundRobinMixer"];
    let mixers = json(&run(here, &[&setup[..], &mixers[..]].concat()));
    assert_eq!(files["queries"], 8);
    assert_eq!(files["ndcg10"], mixers["ndcg10"], "saved runs and mixers of one run say the same");
    assert_eq!(files["ndcg10"]["a"], object["merged"]["ndcg10"]);
    let said = run(here, &["eval", "--compare", "a.json", "b.json"]);
    assert!(text(&said.stdout).contains("nDCG@10"), "{}", text(&said.stdout));
}

#[test]
fn queries_and_judgements_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_collection(here);
    std::fs::write(here.join("asked.tsv"), "mine\tNOT so old: -gut strings?\n").unwrap();
    std::fs::write(here.join("judged.tsv"), "mine\tviolin-1\t3\nmine\tgone\t1\n").unwrap();
    let ran = run(
        here,
        &[
            "eval",
            "--collection",
            "tiny",
            "--sources",
            "2",
            "--snippet",
            "12",
            "--json",
            "--queries",
            "asked.tsv",
            "--judgements",
            "judged.tsv",
        ],
    );
    let object = json(&ran);
    assert_eq!(object["queries"], 1);
    assert_eq!(object["merged"]["ndcg10"], 1.0, "{object}");
    let remark = object["remarks"][0].as_str().unwrap();
    assert!(remark.contains("judged.tsv:2") && text(&ran.stderr).contains(remark), "{remark}");
}

/// Also with snippets.
#[test]
fn sources_return_as_many_results_as_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_collection(here);
    let recalls = ["1", "12"].map(|results| {
        let setup = ["eval", "--collection", "tiny", "--sources", "2", "--snippet", "12", "--json"];
        let ran = run(here, &[&setup[..], &["--results", results]].concat());
        let said = text(&ran.stderr);
        assert!(said.contains(&format!("{results} results each, snippets of 12 words")), "{said}");
        let object = json(&ran);
        assert_eq!(object["setup"]["results"].to_string(), results);
        figure(&object, "merged", "recall100")
    });
    assert!(recalls[0] < recalls[1], "{recalls:?}");
}

#[test]
fn mistakes_are_named_and_end_with_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_collection(here);
    std::fs::write(here.join("wrong.tsv"), "0\ttea-0\t1\n0\ttea-1\n0\ttea-2\tgood\n").unwrap();
    let table: &[(&[&str], i32, &[&str])] = &[
        (&[], 2, &["--collection"]),
        (&["--collection", "nowhere"], 1, &["nowhere is not a folder"]),
        (&["--collection", "tiny", "--queries", "gone.tsv"], 1, &["gone.tsv cannot be read"]),
        (
            &["--collection", "tiny", "--judgements", "wrong.tsv"],
            1,
            &["2 error(s)", "wrong.tsv:2:", "wrong.tsv:3: the grade is 'good'"],
        ),
        (&["--collection", "tiny", "--mixer", "BestMixer"], 1, &["no mixer 'BestMixer'", "RoundRobinMixer"]),
        (&["--collection", "tiny", "--sources", "25"], 1, &["use --sources 24 at most"]),
        (&["--collection", "tiny", "--sources", "101"], 2, &["1..=100"]),
        (&["--collection", "tiny", "--results", "0"], 2, &["1..=100"]),
        (&["--collection", "tiny", "--sources", "24", "--results", "50"], 1, &["are more than 1000"]),
        (&["--collection", "tiny", "--overlap", "1.5"], 2, &["must be a number from 0 to 1"]),
        (&["--collection", "tiny", "--split", "even"], 2, &["random, topical, zipf"]),
        (&["--collection", "tiny", "--sources-choice"], 1, &["8 queries are too few"]),
        (&["--collection", "tiny", "--sources-choice", "--save", "a.json"], 2, &["cannot be used with"]),
        (&["--collection", "tiny", "--svg", "no/where.svg"], 1, &["no/where.svg cannot be written"]),
        (&["--compare", "a.json", "b.json"], 1, &["a.json cannot be read", "two saved runs or two mixers"]),
        (&["--compare", "StackMixer", "RoundRobinMixer"], 1, &["no mixer 'StackMixer'"]),
        (&["--compare", "RelevancyMixer", "RoundRobinMixer"], 1, &["add --collection"]),
        (&["--compare", "a.json", "b.json", "--svg", "x.svg"], 2, &["cannot be used with"]),
    ];
    for (arguments, code, expected) in table {
        let ran = run(here, &[&["eval"], *arguments].concat());
        let said = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(*code), "{arguments:?}: {said}");
        for part in *expected {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert!(ran.stdout.is_empty(), "{arguments:?}");
    }
}

/// The collection is not part of the source tree, because its license is not stated.
#[test]
fn the_adi_collection_is_measured_if_it_is_there() {
    let adi = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/eval/collections/adi");
    let Ok(adi) = adi.canonicalize() else {
        testkit::skip("the evaluation of a collection", "the adi collection is not beside this tree");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let adi = adi.display().to_string();
    let arguments =
        ["eval", "--collection", &adi, "--split", "topical", "--sources", "5", "--overlap", "0.3"];
    let object = json(&run(folder.path(), &[&arguments[..], &["--unlike", "--json"]].concat()));
    check(&object);
    assert_eq!((object["collection"].as_str(), object["queries"].as_u64()), (Some("adi"), Some(35)));
    assert_eq!((object["documents"].as_u64(), object["copied"].as_u64()), (Some(82), Some(25)));
}
