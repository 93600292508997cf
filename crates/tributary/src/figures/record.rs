//! The measurements in `docs/figures.json`, each with commit, date and machine.

use super::table::{Bound, FIGURES, Figure};
use anyhow::{Context, ensure};
use chrono::NaiveDate;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// By the id of the figure.
    pub figures: BTreeMap<String, Measurement>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    pub value: f64,
    /// The minimum of the series, if `value` is its median.
    pub min: Option<f64>,
    /// The method, if it differs from that of the table.
    pub method: Option<String>,
    pub commit: String,
    pub date: String,
    pub machine: Machine,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    pub cores: u32,
    pub memory: String,
    pub cpu: String,
    pub os: String,
}

impl Record {
    /// Parses and validates the record; the error lists all problems.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let record: Self = serde_json::from_str(text)
            .context("the record of the figures cannot be read; measure them with scripts/figures.sh")?;
        let mut mistakes = Vec::new();
        for figure in FIGURES {
            match record.figures.get(figure.id) {
                Some(measurement) => mistakes.extend(measurement.mistakes(figure)),
                None => mistakes.push(format!("{} was never measured", figure.id)),
            }
        }
        let is_known = |id: &str| FIGURES.iter().any(|figure| figure.id == id);
        let unknown = record.figures.keys().filter(|id| !is_known(id));
        mistakes.extend(unknown.map(|id| format!("{id} is not a figure of the README")));
        ensure!(
            mistakes.is_empty(),
            "{} error(s) in the record of the figures: {}. Measure again with scripts/figures.sh, or fix \
             the regression",
            mistakes.len(),
            mistakes.join("; ")
        );
        Ok(record)
    }
}

impl Measurement {
    fn mistakes(&self, figure: &Figure) -> Vec<String> {
        let id = figure.id;
        let mut found = Vec::new();
        let is_number = self.value.is_finite() && self.value >= 0.0;
        if !is_number {
            found.push(format!("{id} is {}, which is not a valid measurement", self.value));
        }
        if self.min.is_some_and(|min| min > self.value) {
            found.push(format!("{id} has a minimum above its median"));
        }
        match figure.bound() {
            Some(Bound::AtMost(most)) if is_number && self.value > most => {
                found.push(format!("{id} is {}, more than {most}", self.value));
            }
            Some(Bound::AtLeast(least)) if is_number && self.value < least => {
                found.push(format!("{id} is {}, less than {least}", self.value));
            }
            _ => {}
        }
        if !is_commit(&self.commit) {
            found.push(format!("{id} names the commit '{}', which is not 7 to 40 hex digits", self.commit));
        }
        if !is_date(&self.date) {
            found.push(format!("{id} has the date '{}', which is not like 2026-11-15", self.date));
        }
        let Machine { cores, memory, cpu, os } = &self.machine;
        if *cores == 0 || [memory, cpu, os].iter().any(|text| text.trim().is_empty()) {
            found.push(format!("{id} does not name its machine"));
        }
        found
    }
}

fn is_commit(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (7..=40).contains(&text.len()) && text.bytes().all(is_digit)
}

fn is_date(text: &str) -> bool {
    text.len() == "2026-11-15".len() && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}
