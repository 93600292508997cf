//! The doctor over the recorded answers of the ready sources: told nothing, it must find what their authors mapped.

use crate::program::{run, text};
use crate::ready_sources::{answer, mapped, provider, toolbox};
use domain::notation::response_mappings::ResponseMappings;
use domain::notation::result_mappings::{ResultMapping, ResultMappings, TemplatePart};
use domain::provider::ProviderDraft;
use federation::doctor::{Case, Diagnosis, Doctor};
use serde_json::Value;
use std::collections::BTreeSet;
use tributary::ready::{self, ReadySource};
use tributary::wiring::CATALOGUES;

/// How many sources must be right in title, url and body.
const RIGHT_MIN: usize = 35;

async fn examined(source: &ReadySource) -> Diagnosis {
    let (_, body) = answer(&source.slug);
    let sample = Some(Value::String(String::from_utf8(body).unwrap()));
    let doctor = Doctor::new(toolbox(), CATALOGUES.read_answer);
    let case = Case { sample, ..Case::default() };
    doctor.examine(case).await.unwrap_or_else(|errors| panic!("{}: {errors}", source.slug))
}

/// The first result of the source's answer by other mappings.
async fn first(source: &ReadySource, draft: ProviderDraft) -> domain::result::ResultItem {
    let changed = ReadySource { slug: source.slug.clone(), draft };
    mapped(&changed).await.into_iter().next().unwrap_or_default()
}

/// How the doctor's first result compares with the author's.
#[derive(Default)]
struct Verdict {
    /// The fields that are wrong, each with what it took and what is right.
    misses: Vec<String>,
    /// The fields that are right by a value in the author's template of a title or a body.
    inside: usize,
}

async fn judged(source: &ReadySource, diagnosis: &Diagnosis) -> Verdict {
    let ours = ProviderDraft {
        response_mappings: diagnosis.provider.response_mappings.clone(),
        result_mappings: diagnosis.provider.result_mappings.clone(),
        ..source.draft.clone()
    };
    let (ours, theirs) = (first(source, ours).await, first(source, source.draft.clone()).await);
    let mut verdict = Verdict::default();
    for (field, ours, theirs) in [
        ("title", &ours.title, &theirs.title),
        ("body", &ours.body, &theirs.body),
        ("url", &ours.url, &theirs.url),
    ] {
        if ours == theirs {
            continue;
        }
        match is_right_by_template(source, diagnosis, field, ours).await {
            true => verdict.inside += usize::from(field != "url"),
            false => verdict.misses.push(format!("{field}: {ours:.60} instead of {theirs:.60}")),
        }
    }
    verdict
}

/// The doctor proposes paths, not templates: a template of the author is met by one of the values in it. One
/// of the url is also met by saying that the results hold no address at all.
async fn is_right_by_template(source: &ReadySource, diagnosis: &Diagnosis, field: &str, ours: &str) -> bool {
    let mappings = ResultMappings::parse(&source.draft.result_mappings).unwrap();
    let template = mappings.mappings.iter().find_map(|mapping| match mapping {
        ResultMapping::Template { key, parts } if key == field => Some(parts),
        _ => None,
    });
    let Some(parts) = template else { return false };
    if ours.is_empty() {
        let says_so = diagnosis.warnings.iter().any(|warning| warning.contains("No web address"));
        return field == "url" && says_so && !has_address(&first_item(source));
    }
    for part in parts {
        if let TemplatePart::Value(value) = part {
            let alone = format!("{field}={}", value.path.as_str());
            let draft = ProviderDraft { result_mappings: alone, ..source.draft.clone() };
            let item = first(source, draft).await;
            let value = match field {
                "title" => item.title,
                "body" => item.body,
                _ => item.url,
            };
            if value == ours {
                return true;
            }
        }
    }
    false
}

/// The first result as the source sent it.
fn first_item(source: &ReadySource) -> Value {
    let (kind, body) = answer(&source.slug);
    let answer = (CATALOGUES.read_answer)(Some(kind), &body).unwrap();
    let mappings = ResponseMappings::parse(&source.draft.response_mappings).unwrap();
    let list = mappings.results.map_or(&answer, |path| path.find(&answer)[0]).clone();
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
async fn most_recorded_answers_are_read_right_without_being_told() {
    let (mut right, mut inside, mut wrong) = (0, 0, Vec::new());
    let sources = ready::all().unwrap();
    for source in &sources {
        let diagnosis = examined(source).await;
        let verdict = judged(source, &diagnosis).await;
        if verdict.misses.is_empty() {
            right += 1;
            inside += usize::from(verdict.inside > 0);
        } else {
            wrong.push(format!("{}: {}", source.slug, verdict.misses.join("; ")));
        }
    }
    eprintln!(
        "{right} of {} are right in title, url and body, {inside} of them by a value inside a template",
        sources.len()
    );
    wrong.iter().for_each(|line| eprintln!("  {line}"));
    assert!(right >= RIGHT_MIN, "{right} of {} are right:\n{}", sources.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_proposal_can_be_saved() {
    for source in ready::all().unwrap() {
        let draft = examined(&source).await.provider;
        let proposed = provider(&ReadySource { slug: source.slug.clone(), draft });
        let errors = CATALOGUES.check_provider(&proposed, &BTreeSet::new());
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
        let provider: ProviderDraft = serde_json::from_str(&said).unwrap();
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
