//! The alerts and the dashboard of `deploy/`: every metric that they name exists in a real scrape.

use crate::app_harness::licensed;
use crate::rag_fixture::RagFixture;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::source::{Behavior, Source};

/// Operators of PromQL, which are neither functions nor metrics.
const WORDS: [&str; 5] = ["and", "or", "unless", "bool", "offset"];
/// The metric that Prometheus itself records for a target.
const OF_PROMETHEUS: &str = "up";
/// Metrics that exist only with NATS, after a backup, after the first run of a schedule, or after a day.
const OF_OTHERS: [&str; 5] = [
    "tributary_nats_up",
    "tributary_backup_last_success_timestamp_seconds",
    "tributary_scheduler_last_run_timestamp_seconds",
    "tributary_database_growth_per_day_bytes",
    "tributary_database_full_in_days",
];
/// Keywords that precede a list of labels.
const BEFORE_LABELS: [&str; 6] = ["by", "on", "without", "ignoring", "group_left", "group_right"];

pub fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(path)).unwrap()
}

fn rules() -> Vec<Value> {
    let file: Value = serde_norway::from_str(&file("prometheus/rules.yaml")).unwrap();
    let groups = file["groups"].as_array().unwrap().iter();
    groups.flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

/// The alerting rules; the others are recording rules.
pub fn alerts() -> Vec<Value> {
    rules().into_iter().filter(|rule| rule.get("alert").is_some()).collect()
}

fn panels() -> Vec<Value> {
    let dashboard: Value = serde_json::from_str(&file("grafana/tributary.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    panels.filter(|panel| panel["type"] != "row").cloned().collect()
}

/// The metrics and labels that an expression names.
#[derive(Debug, Default, PartialEq)]
struct MetricNames {
    figures: BTreeSet<String>,
    labels: BTreeSet<String>,
}

impl MetricNames {
    fn of(expression: &str) -> Self {
        let mut named = Self::default();
        let mut rest = expression;
        let mut labels_until = None;
        while let Some(first) = rest.chars().next() {
            let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let word_end = rest.find(|c: char| !in_word(c)).unwrap_or(rest.len());
            if first == '"' {
                rest = rest[1..].split_once('"').expect("a quote ends").1;
            } else if first == '[' {
                rest = rest.split_once(']').expect("a range ends").1;
            } else if word_end > 0 {
                let (word, after) = rest.split_at(word_end);
                rest = after;
                let next = after.trim_start();
                if BEFORE_LABELS.contains(&word) {
                    labels_until = Some(')');
                } else if labels_until.is_some() {
                    named.labels.insert(word.to_owned());
                } else if first.is_alphabetic() && !WORDS.contains(&word) && !next.starts_with('(') {
                    // An aggregation may have its labels before its parentheses.
                    let is_aggregation =
                        BEFORE_LABELS.iter().any(|before| next.starts_with(&format!("{before} (")));
                    if !is_aggregation || word.contains('_') {
                        named.figures.insert(word.to_owned());
                    }
                }
            } else {
                labels_until = match (first, labels_until) {
                    ('{', None) => Some('}'),
                    (end, Some(until)) if end == until => None,
                    (_, still) => still,
                };
                rest = &rest[first.len_utf8()..];
            }
        }
        named
    }
}

#[test]
fn expressions_are_read() {
    let named = |text| {
        let MetricNames { figures, labels } = MetricNames::of(text);
        let join = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(" ");
        (join(figures), join(labels))
    };
    let table = [
        ("max by (queue) (a_depth{queue!=\"totals\"}) > 50", "a_depth", "queue"),
        ("rate(x_total[5m]) / sum(y_total)", "x_total y_total", ""),
        (
            "histogram_quantile(0.95, sum by (le, p) (rate(d_bucket[$__rate_interval]))) > 2e3",
            "d_bucket",
            "le p",
        ),
        ("(m > 1) and on (job, i) b_info{x=\"not_a_figure\"}", "b_info m", "i job x"),
        ("max(e) > 0 or time() - up", "e up", ""),
        ("t:errors:ratio_rate5m > 0.1 <= 1 unless on () t:away", "t:away t:errors:ratio_rate5m", ""),
    ];
    for (text, figures, labels) in table {
        assert_eq!(named(text), (figures.to_owned(), labels.to_owned()), "{text}");
    }
}

/// The names of all scraped series and their labels.
fn scraped(texts: &[String]) -> MetricNames {
    let mut named =
        MetricNames { labels: ["job", "instance"].map(str::to_owned).into(), ..MetricNames::default() };
    for line in texts.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_at(line.find(['{', ' ']).unwrap());
        named.figures.insert(name.to_owned());
        for label in rest.split("=\"").filter_map(|part| part.rsplit(['{', ',']).next()) {
            if !label.is_empty() && label.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                named.labels.insert(label.to_owned());
            }
        }
    }
    named
}

/// Checks the text with promtool. Its style warnings (status 3) are ignored.
fn check_classic(text: &str) {
    let mut command = Command::new("promtool");
    command.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut promtool) = command.spawn() else {
        testkit::skip("the format of the metrics", "promtool is not installed");
        return;
    };
    promtool.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3)), "promtool refuses: {said}\n{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_metric_exists() {
    let it = RagFixture::with(licensed).await;
    let bad = Source::start().await;
    bad.reply(Behavior::status(500));
    it.app.provider("Bad", &bad).await;
    let answer = it.app.admin.get("/svc/search/?qs=river+mill&rag=true").await;
    assert_eq!(answer.body["info"]["ai"], json!({"status": "ok"}), "{answer:?}");
    let app = it.app;
    let mut texts = Vec::new();
    for path in ["/svc/metrics/tasks/", "/metrics/"] {
        texts.push(app.admin.get(path).await.body.as_str().unwrap().to_owned());
    }
    app.stop().await;
    texts.iter().for_each(|text| check_classic(text));
    let there = scraped(&texts);
    let recorded = rules().into_iter().filter_map(|rule| rule["record"].as_str().map(str::to_owned));
    let others = [OF_PROMETHEUS].into_iter().chain(OF_OTHERS).map(str::to_owned);
    let known: BTreeSet<String> = there.figures.iter().cloned().chain(recorded).chain(others).collect();
    for (series, _) in crate::alert_faults::table()["healthy"].as_object().unwrap() {
        let name = series.split('{').next().unwrap();
        assert!(known.contains(name), "{name} of the faults is in no scrape");
    }
    assert!(there.figures.len() > 30 && there.labels.len() > 8, "{there:?}");

    let (rules, panels) = (rules(), panels());
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions: Vec<&str> =
        rules.iter().chain(targets).map(|place| place["expr"].as_str().unwrap()).collect();
    assert!(expressions.len() > 30, "{}", expressions.len());
    let mut used = BTreeSet::new();
    for expression in expressions {
        let named = MetricNames::of(expression);
        assert!(!named.figures.is_empty(), "{expression}");
        for figure in &named.figures {
            assert!(known.contains(figure), "{figure} of {expression} is in no scrape");
        }
        for label in &named.labels {
            assert!(there.labels.contains(label), "{label} of {expression} is in no scrape");
        }
        used.extend(named.figures);
    }
    // Conversely, every scraped metric is shown somewhere. `_sum` and `_count` belong to their buckets.
    let is_shown = |figure: &&String| {
        !used.contains(*figure) && !figure.ends_with("_sum") && !figure.ends_with("_count")
    };
    let unseen: Vec<&String> = there.figures.iter().filter(is_shown).collect();
    assert!(unseen.is_empty(), "neither alert nor panel: {unseen:?}");
}

#[test]
fn alerts_have_the_limits_of_the_interface() {
    let rules = alerts();
    let mut names = BTreeSet::new();
    for rule in &rules {
        let text = |place: &Value| place.as_str().is_some_and(|text| !text.is_empty());
        let name = rule["alert"].as_str().unwrap();
        assert!(names.insert(name), "{name} is listed twice");
        assert!(["warning", "critical"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{name}");
        assert!(text(&rule["for"]), "{name}");
        assert!(text(&rule["annotations"]["summary"]) && text(&rule["annotations"]["description"]), "{name}");
    }
    for (figure, limit, severity) in [
        ("tasks_queue_depth", "> 50", "warning"),
        ("tasks_queue_depth", "> 200", "critical"),
        ("tasks_queue_workers", "== 0", "critical"),
        ("tributary_search_duration_seconds_bucket", "> 20", "warning"),
        ("tributary_provider_duration_seconds_bucket", "> 5", "warning"),
        ("tributary_provider_duration_seconds_bucket", "> 10", "critical"),
        ("tributary_provider_errors_total", "> 0.05", "critical"),
        ("process_resident_memory_bytes", "> 2147483648", "warning"),
        ("process_resident_memory_bytes", "> 4294967296)", "critical"),
        ("tributary_answer_duration_seconds_bucket", "> 5", "warning"),
        ("tributary_answer_duration_seconds_bucket", "> 15", "critical"),
        ("tributary_disk_free_bytes", "> 0.8", "warning"),
        ("tributary_disk_free_bytes", "> 0.95", "critical"),
        ("tributary_license_days_left", "< 30", "warning"),
        ("tributary_license_days_left", "< 0", "critical"),
        ("tributary_license_state", "> 0", "critical"),
        ("tasks_metrics_collection_error", "> 0", "critical"),
    ] {
        let is_it = |rule: &&Value| {
            // What follows excludes causes that have their own alerts.
            let expression = rule["expr"].as_str().unwrap().split(" unless ").next().unwrap();
            let has_limit = expression.ends_with(limit) || expression.contains(&format!("{limit} "));
            expression.contains(figure) && has_limit && rule["labels"]["severity"] == severity
        };
        assert_eq!(rules.iter().filter(is_it).count(), 1, "{figure} {limit} {severity}");
    }
}

#[test]
fn panels_are_complete() {
    let mut places = BTreeSet::new();
    for panel in panels() {
        let title = panel["title"].as_str().unwrap();
        assert!(places.insert(panel["gridPos"].to_string()), "{title} overlaps another panel");
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{title}");
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty(), "{title}");
        let ref_ids: BTreeSet<&str> = targets.iter().map(|one| one["refId"].as_str().unwrap()).collect();
        assert_eq!(ref_ids.len(), targets.len(), "{title}");
        assert!(!panel["fieldConfig"]["defaults"]["unit"].as_str().unwrap().is_empty(), "{title}");
    }
}
