//! Compares two runs, or two mixers of one run, query by query.

use crate::eval::measure::mean;
use crate::eval::report::{comparison_json, rounded};
use crate::eval::run::Outcome;
use crate::eval::significance::{Comparison, ROUNDS, compare};
use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The scores of the merged list of each query.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub name: String,
    /// nDCG@10 and recall@100, by query.
    by_query: BTreeMap<String, [f64; 2]>,
    /// The configuration of a saved run.
    about: Option<Value>,
}

/// One metric of both series.
#[derive(Debug, Clone)]
pub struct Measured {
    pub key: &'static str,
    pub label: &'static str,
    pub means: [f64; 2],
    pub comparison: Comparison,
}

#[derive(Debug, Clone)]
pub struct Compared {
    pub names: [String; 2],
    pub queries: usize,
    /// Number of queries that only one of them has.
    pub left_out: usize,
    pub measures: Vec<Measured>,
    /// Reasons why the two may not be comparable.
    pub remarks: Vec<String>,
    seed: u64,
}

/// The fields of a saved run that are used.
#[derive(Deserialize)]
struct Saved {
    collection: Value,
    setup: Value,
    mixer: String,
    per_query: Vec<SavedQuery>,
}

#[derive(Deserialize)]
struct SavedQuery {
    id: String,
    merged: SavedScores,
}

#[derive(Deserialize)]
struct SavedScores {
    ndcg10: f64,
    recall100: f64,
}

impl Series {
    /// Reads a run saved with `--save` or printed by `--json`.
    pub fn saved(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(path).with_context(|| {
            format!("{} cannot be read; --compare takes two saved runs or two mixers", path.display())
        })?;
        let saved: Saved = serde_json::from_slice(&text).with_context(|| {
            format!("{} is not a saved run; create one with `tributary eval … --save FILE`", path.display())
        })?;
        let scores = |query: SavedQuery| (query.id, [query.merged.ndcg10, query.merged.recall100]);
        Ok(Self {
            name: format!("{} ({})", path.display(), saved.mixer),
            by_query: saved.per_query.into_iter().map(scores).collect(),
            about: Some(json!({ "collection": saved.collection, "setup": saved.setup })),
        })
    }

    /// One of the mixers of a run, by index.
    pub fn of_mixer(name: &str, place: usize, outcomes: &[Outcome]) -> Self {
        let scores = |outcome: &Outcome| {
            let scores = outcome.merged.get(place).copied().unwrap_or_default();
            (outcome.query.clone(), [scores.ndcg10, scores.recall100])
        };
        Self { name: name.to_owned(), by_query: outcomes.iter().map(scores).collect(), about: None }
    }
}

impl Compared {
    pub fn of(a: &Series, b: &Series, seed: u64) -> anyhow::Result<Self> {
        let both: Vec<(&[f64; 2], &[f64; 2])> =
            a.by_query.iter().filter_map(|(query, own)| Some((own, b.by_query.get(query)?))).collect();
        ensure!(!both.is_empty(), "{} and {} have no query in common", a.name, b.name);
        let measured = |place: usize, key, label| {
            let first: Vec<f64> = both.iter().map(|(a, _)| a[place]).collect();
            let second: Vec<f64> = both.iter().map(|(_, b)| b[place]).collect();
            let means = [mean(first.iter().copied()), mean(second.iter().copied())];
            Measured { key, label, means, comparison: compare(&first, &second, seed) }
        };
        let mut remarks = Vec::new();
        if a.about != b.about {
            remarks.push(
                "The two runs have different configurations, so the difference is not due to the order alone.".to_owned(),
            );
        }
        Ok(Self {
            names: [a.name.clone(), b.name.clone()],
            queries: both.len(),
            left_out: a.by_query.len() + b.by_query.len() - 2 * both.len(),
            measures: vec![measured(0, "ndcg10", "nDCG@10"), measured(1, "recall100", "recall@100")],
            remarks,
            seed,
        })
    }

    pub fn json(&self) -> Value {
        let mut object = json!({
            "a": self.names[0],
            "b": self.names[1],
            "queries": self.queries,
            "left_out": self.left_out,
            "rounds": ROUNDS,
            "seed": self.seed,
            "remarks": self.remarks,
        });
        for Measured { key, means, comparison, .. } in &self.measures {
            let mut measured = comparison_json(comparison);
            measured["a"] = json!(rounded(means[0]));
            measured["b"] = json!(rounded(means[1]));
            object[*key] = measured;
        }
        object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::report::samples;

    fn saved(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) -> Series {
        let mut object = samples::report().json();
        change(&mut object);
        let path = folder.join(name);
        std::fs::write(&path, object.to_string()).unwrap();
        Series::saved(&path).unwrap()
    }

    #[test]
    fn saved_runs_are_compared_query_by_query() {
        let folder = tempfile::tempdir().unwrap();
        let a = saved(folder.path(), "a.json", |_| {});
        let b = saved(folder.path(), "b.json", |object| {
            object["per_query"][0]["merged"]["ndcg10"] = json!(0.1);
            object["per_query"][1]["id"] = json!("3");
        });
        let compared = Compared::of(&a, &b, 1).unwrap();
        assert_eq!((compared.queries, compared.left_out, compared.remarks.len()), (1, 2, 0));
        let object = compared.json();
        assert_eq!(
            object["ndcg10"],
            json!({"difference": 0.4, "p": 1.0, "wins": 1, "ties": 0, "losses": 0, "a": 0.5, "b": 0.1})
        );
        assert_eq!(object["recall100"]["ties"], 1);
        let elsewhere = saved(folder.path(), "c.json", |object| object["setup"]["sources"] = json!(50));
        assert_eq!(Compared::of(&a, &elsewhere, 1).unwrap().remarks.len(), 1);
    }

    #[test]
    fn incomparable_runs_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let a = saved(folder.path(), "a.json", |_| {});
        let none = saved(folder.path(), "b.json", |object| object["per_query"] = json!([]));
        assert!(Compared::of(&a, &none, 1).unwrap_err().to_string().contains("no query in common"));
        let path = folder.path().join("other.json");
        assert!(Series::saved(&path).unwrap_err().to_string().contains("two saved runs or two mixers"));
        std::fs::write(&path, "{}").unwrap();
        assert!(Series::saved(&path).unwrap_err().to_string().contains("is not a saved run"));
    }

    #[test]
    fn mixers_of_one_run_are_compared() {
        let mut outcomes = samples::report().outcomes;
        outcomes.iter_mut().for_each(|outcome| outcome.merged.push(outcome.others[1]));
        let series = |place| Series::of_mixer("x", place, &outcomes);
        let compared = Compared::of(&series(0), &series(1), 1).unwrap();
        assert!((compared.measures[0].comparison.difference - 0.4).abs() < 1e-12);
    }
}
