//! The provider doctor on the sample responses of the ready sources: without hints it must find what their authors
//! mapped.

use crate::program::{run, text};
use crate::ready_sources::{answer, context, map_results, over_http, provider};
use domain::provider::ProviderSpec;
use federation::CpuPool;
use provider_doctor::{Diagnosis, DiagnosisInput, Doctor};
use serde_json::Value;
use std::collections::BTreeSet;
use syntax::result_mappings::{ResultMapping, TemplatePart};
use tributary::app::PLUGINS;
use tributary::bundled_providers::ReadySource;

/// How many sources must be right in title, url and body.
const RIGHT_MIN: usize = 39;

async fn diagnose(source: &ReadySource) -> Diagnosis {
    let (_, body) = answer(&source.slug);
    let sample = Some(Value::String(String::from_utf8(body).unwrap()));
    let doctor = Doctor::new(context(), PLUGINS.read_answer, CpuPool::new());
    let input = DiagnosisInput { sample, ..DiagnosisInput::default() };
    doctor.diagnose(input).await.unwrap_or_else(|errors| panic!("{}: {errors}", source.slug))
}

/// The first result of the sample response with another configuration.
async fn first_result(source: &ReadySource, spec: ProviderSpec) -> domain::result::ResultItem {
    let changed = ReadySource { slug: source.slug.clone(), spec };
    map_results(&changed).await.into_iter().next().unwrap_or_default()
}

/// The fields of the doctor's first result that differ from the author's, each with the found and the expected value.
async fn differences(source: &ReadySource, diagnosis: &Diagnosis) -> Vec<String> {
    let ours = ProviderSpec {
        response_mappings: diagnosis.provider.response_mappings.clone(),
        result_mappings: diagnosis.provider.result_mappings.clone(),
        ..source.spec.clone()
    };
    let (ours, theirs) = (first_result(source, ours).await, first_result(source, source.spec.clone()).await);
    let mut misses = Vec::new();
    for (field, ours, theirs) in [
        ("title", &ours.title, &theirs.title),
        ("body", &ours.body, &theirs.body),
        ("url", &ours.url, &theirs.url),
    ] {
        let is_right =
            ours == theirs || field == "url" && is_right_by_template(source, diagnosis, ours, theirs).await;
        if !is_right {
            misses.push(format!("{field}: {ours:.60} instead of {theirs:.60}"));
        }
    }
    misses
}

/// A URL that the author builds from a template is matched by one of the values in it, by the same URL with a value in
/// the place of a placeholder, or by the statement that the results have no URL.
async fn is_right_by_template(source: &ReadySource, diagnosis: &Diagnosis, ours: &str, theirs: &str) -> bool {
    let mappings = source.spec.result_mappings.parsed().unwrap();
    let template = mappings.mappings.iter().find_map(|mapping| match mapping {
        ResultMapping::Template { key, parts } if key == "url" => Some(parts),
        _ => None,
    });
    let Some(parts) = template else { return false };
    if ours.is_empty() {
        let says_so = diagnosis.warnings.iter().any(|warning| warning.contains("No URL"));
        return says_so && !has_address(&first_item(source));
    }
    if fills_blank(theirs, ours) {
        return true;
    }
    for part in parts {
        if let TemplatePart::Value(value) = part {
            let alone = format!("url={}", value.path.as_str());
            let spec = ProviderSpec { result_mappings: alone.into(), ..source.spec.clone() };
            if first_result(source, spec).await.url == ours {
                return true;
            }
        }
    }
    false
}

/// True if the text has a word in the place of a placeholder such as `<your-domain>`, and is otherwise the same.
fn fills_blank(theirs: &str, ours: &str) -> bool {
    let Some((before, rest)) = theirs.split_once('<') else { return false };
    let Some((_, after)) = rest.split_once('>') else { return false };
    let filled = ours.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    filled.is_some_and(|word| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '-'))
}

/// The first result as the source sent it.
fn first_item(source: &ReadySource) -> Value {
    let (kind, body) = answer(&source.slug);
    let answer = (PLUGINS.read_answer)(Some(kind), &body).unwrap();
    let mappings = source.spec.response_mappings.parsed().unwrap();
    let list = mappings.results.as_ref().map_or(&answer, |path| path.find(&answer)[0]).clone();
    list.as_array().map_or(list.clone(), |items| items[0].clone())
}

fn has_address(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with("http://") || text.starts_with("https://"),
        Value::Array(list) => list.iter().any(has_address),
        Value::Object(object) => object.values().any(has_address),
        _ => false,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn most_sample_responses_are_mapped_without_hints() {
    let (mut right, mut wrong) = (0, Vec::new());
    let sources = over_http();
    for source in &sources {
        let diagnosis = diagnose(source).await;
        let misses = differences(source, &diagnosis).await;
        if misses.is_empty() {
            right += 1;
        } else {
            wrong.push(format!("{}: {}", source.slug, misses.join("; ")));
        }
    }
    eprintln!("{right} of {} are right in title, url and body", sources.len());
    wrong.iter().for_each(|line| eprintln!("  {line}"));
    assert!(right >= RIGHT_MIN, "{right} of {} are right:\n{}", sources.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_proposal_can_be_saved() {
    for source in over_http() {
        let spec = diagnose(&source).await.provider;
        let proposed = provider(&ReadySource { slug: source.slug.clone(), spec });
        let errors = PLUGINS.check_provider(&proposed, &BTreeSet::new());
        assert!(errors.is_empty(), "{}: {errors}", source.slug);
    }
}

#[test]
fn the_program_prints_a_provider_and_its_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let sample = r#"{"total": 9, "items": [{"name": "On tea", "link": "https://h.example/1"}, {"name": "On milk", "link": "https://h.example/2"}]}"#;
    std::fs::write(folder.path().join("answer.json"), sample).unwrap();
    let command = "curl 'https://h.example/s?w=tea&api_key=canary' -H 'Accept: application/json'";
    for arguments in [
        vec!["doctor", "answer.json", "--name", "Tea"],
        vec!["doctor", command, "--sample", "answer.json", "--query", "tea", "--name", "Tea"],
        vec![
            "doctor",
            "--sample",
            "answer.json",
            "--query",
            "tea",
            "--name",
            "Tea",
            "--",
            "curl",
            "https://h.example/s?w=tea",
            "-H",
            "X-Api-Key: canary",
        ],
    ] {
        let output = run(folder.path(), &arguments);
        let (said, remarks) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {remarks}");
        let provider: ProviderSpec = serde_json::from_str(&said).unwrap();
        assert_eq!(provider.name, "Tea");
        assert_eq!(provider.response_mappings, "RESULTS=items,FOUND=total");
        assert_eq!(provider.result_mappings, "title=name,url=link");
        assert!(remarks.contains("title") && remarks.contains('%'), "{remarks}");
        assert!(!said.contains("canary") && !remarks.contains("canary"), "{said} {remarks}");
        if arguments.len() > 5 {
            assert!(provider.query_template.ends_with("w={query_string}"), "{}", provider.query_template);
        }
    }
    let whole = run(folder.path(), &["doctor", "answer.json", "--json"]);
    let whole: Value = serde_json::from_str(&text(&whole.stdout)).unwrap();
    assert_eq!(whole["results_path"], "items");
    for (arguments, part) in [
        (vec!["doctor", "missing.json"], "missing.json"),
        (vec!["doctor", "curl 'https://h.example/"], "not closed"),
        (vec!["doctor", "one", "two"], "curl"),
        (vec!["doctor", "http://127.0.0.1:1/?q=x"], "connection refused"),
    ] {
        let output = run(folder.path(), &arguments);
        assert!(!output.status.success() && text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
}
