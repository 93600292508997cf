//! The results of a run, and their JSON form for `--json` and `--save`.

use crate::eval::measure::mean;
use crate::eval::pairs::Pairs;
use crate::eval::run::{Outcome, Way};
use crate::eval::setup::Setup;
use crate::eval::significance::{Comparison, compare};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The configuration of a run.
#[derive(Debug, Clone)]
pub struct About {
    pub collection: String,
    pub documents: usize,
    /// Number of duplicated documents.
    pub copied: usize,
    pub setup: Setup,
    pub mixer: String,
    /// Whether duplicates stay visible in groups; only then can pairs be counted.
    pub groups: bool,
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct Report {
    pub about: About,
    pub outcomes: Vec<Outcome>,
}

impl Report {
    pub fn ndcg10(&self, way: Way) -> f64 {
        mean(self.outcomes.iter().map(|outcome| outcome.scores(way).ndcg10))
    }

    pub fn recall100(&self, way: Way) -> f64 {
        mean(self.outcomes.iter().map(|outcome| outcome.scores(way).recall100))
    }

    /// nDCG of the merged list relative to the central index; `None` if that is zero.
    pub fn ratio(&self) -> Option<f64> {
        let central = self.ndcg10(Way::CentralBm25);
        (central > 0.0).then(|| self.ndcg10(Way::Merged) / central)
    }

    pub fn duplicate_rate(&self) -> f64 {
        mean(self.outcomes.iter().map(|outcome| outcome.scores(Way::Merged).duplicates10))
    }

    pub fn pairs(&self) -> Option<Pairs> {
        let mut all = Pairs::default();
        self.outcomes.iter().for_each(|outcome| all.add(outcome.pairs));
        self.about.groups.then_some(all)
    }

    /// A percentile of the latency, in milliseconds.
    pub fn latency_ms(&self, share: f64) -> f64 {
        let mut times: Vec<Duration> = self.outcomes.iter().map(|outcome| outcome.took).collect();
        times.sort_unstable();
        let place = (times.len().saturating_sub(1) as f64 * share).round() as usize;
        times.get(place).copied().unwrap_or_default().as_secs_f64() * 1000.0
    }

    /// Compares the merged list with another method by nDCG@10.
    pub fn against(&self, way: Way) -> Comparison {
        let series =
            |way: Way| self.outcomes.iter().map(|outcome| outcome.scores(way).ndcg10).collect::<Vec<_>>();
        compare(&series(Way::Merged), &series(way), self.about.setup.seed)
    }

    pub fn json(&self) -> Value {
        let About { collection, documents, copied, setup, mixer, remarks, .. } = &self.about;
        let mut object = Map::new();
        object.insert("collection".to_owned(), json!(collection));
        object.insert("documents".to_owned(), json!(documents));
        object.insert("copied".to_owned(), json!(copied));
        object.insert("queries".to_owned(), json!(self.outcomes.len()));
        object.insert("mixer".to_owned(), json!(mixer));
        object.insert("setup".to_owned(), json!(setup));
        for way in Way::ALL {
            let means =
                json!({ "ndcg10": rounded(self.ndcg10(way)), "recall100": rounded(self.recall100(way)) });
            object.insert(way.key().to_owned(), means);
        }
        object.insert("ratio".to_owned(), json!(self.ratio().map(rounded)));
        object.insert("duplicate_rate".to_owned(), json!(rounded(self.duplicate_rate())));
        object.insert("duplicate_pairs".to_owned(), json!(self.pairs().map(pairs_json)));
        let latency = json!({ "median": tenth(self.latency_ms(0.5)), "p95": tenth(self.latency_ms(0.95)) });
        object.insert("latency_ms".to_owned(), latency);
        let others = [Way::CentralBm25, Way::RoundRobin, Way::Rrf, Way::Oracle];
        let against: Map<String, Value> = others
            .into_iter()
            .map(|way| (way.key().to_owned(), comparison_json(&self.against(way))))
            .collect();
        object.insert("against".to_owned(), Value::Object(against));
        object.insert("remarks".to_owned(), json!(remarks));
        object.insert("per_query".to_owned(), self.outcomes.iter().map(query_json).collect());
        Value::Object(object)
    }
}

fn query_json(outcome: &Outcome) -> Value {
    let mut object = Map::new();
    object.insert("id".to_owned(), json!(outcome.query));
    for way in Way::ALL {
        let scores = outcome.scores(way);
        let scores = json!({ "ndcg10": fine(scores.ndcg10), "recall100": fine(scores.recall100) });
        object.insert(way.key().to_owned(), scores);
    }
    object.insert("ms".to_owned(), json!(tenth(outcome.took.as_secs_f64() * 1000.0)));
    Value::Object(object)
}

fn pairs_json(pairs: Pairs) -> Value {
    json!({
        "planted": pairs.planted,
        "found": pairs.found,
        "wrong": pairs.wrong,
        "precision": pairs.precision().map(rounded),
        "recall": pairs.recall().map(rounded),
    })
}

pub fn comparison_json(comparison: &Comparison) -> Value {
    json!({
        "difference": rounded(comparison.difference),
        "p": rounded(comparison.p),
        "wins": comparison.wins,
        "ties": comparison.ties,
        "losses": comparison.losses,
    })
}

/// Rounds to four decimals, more precise than the noise of any collection.
pub fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Rounds to enough decimals to compare runs query by query.
fn fine(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
pub mod samples {
    use super::*;
    use crate::eval::measure::Scores;

    fn scores(ndcg10: f64, recall100: f64) -> Scores {
        Scores { ndcg10, recall100, duplicates10: 0.1 }
    }

    fn outcome(query: &str, merged: f64, central: f64, ms: u64) -> Outcome {
        Outcome {
            query: query.to_owned(),
            took: Duration::from_millis(ms),
            merged: vec![scores(merged, 0.8)],
            others: [scores(central, 0.7), scores(0.2, 0.6), scores(0.1, 0.6), scores(0.9, 0.8)],
            pairs: Pairs { planted: 2, found: 1, wrong: 0 },
        }
    }

    /// A report of two queries.
    pub fn report() -> Report {
        let about = About {
            collection: "tea & <co>".to_owned(),
            documents: 40,
            copied: 12,
            setup: Setup { overlap: 0.3, ..Setup::default() },
            mixer: "RelevancyConfidenceMixer".to_owned(),
            groups: true,
            remarks: vec!["Query '7' truncated to 2048 characters.".to_owned()],
        };
        Report { about, outcomes: vec![outcome("1", 0.5, 0.4, 10), outcome("2", 0.7, 0.6, 30)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_has_the_figures() {
        let object = samples::report().json();
        assert_eq!(object["merged"], json!({"ndcg10": 0.6, "recall100": 0.8}));
        assert_eq!(object["central_bm25"], json!({"ndcg10": 0.5, "recall100": 0.7}));
        assert_eq!(object["round_robin"], json!({"ndcg10": 0.2, "recall100": 0.6}));
        assert_eq!(object["rrf"]["ndcg10"], 0.1);
        assert_eq!(object["oracle"]["ndcg10"], 0.9);
        assert_eq!(object["ratio"], 1.2);
        assert_eq!(object["duplicate_rate"], 0.1);
        assert_eq!(object["duplicate_pairs"]["recall"], 0.5);
        assert_eq!(object["latency_ms"], json!({"median": 30.0, "p95": 30.0}));
        assert_eq!(object["against"]["central_bm25"]["wins"], 2);
        assert_eq!(object["setup"]["split"], "random");
        assert_eq!(object["per_query"][1]["merged"]["ndcg10"], 0.7);
    }

    #[test]
    fn undefined_values_are_null() {
        let mut report = samples::report();
        report.about.groups = false;
        report.outcomes.iter_mut().for_each(|outcome| outcome.others[0].ndcg10 = 0.0);
        let object = report.json();
        assert_eq!((&object["duplicate_pairs"], &object["ratio"]), (&Value::Null, &Value::Null));
    }
}
