//! The table of figures in the README, generated from the measurements in `docs/figures.json`.

mod comparison;
mod record;
mod table;
#[cfg(test)]
mod tests;

pub use comparison::RecordedCounts;

use crate::docs::Document;
use anyhow::Context;
use record::{Machine, Measurement, Record};
use std::path::Path;
use table::{Bound, FIGURES, Figure};

pub const RECORD: &str = "docs/figures.json";
const README: &str = "README.md";
const BEGIN: &str = "<!-- Figures: made by `tributary docs --figures` from docs/figures.json. -->\n";
const END: &str = "<!-- End of the figures. -->\n";

const UNDISTURBED: &str =
    "\nUndisturbed: with real-time priority, on cores that are kept awake, as in `scripts/figures.sh`.\n";

/// The generated README. Fails if a figure has no origin or exceeds its bound.
pub fn readme(root: &Path) -> anyhow::Result<Document> {
    let read = |path: &str| {
        let path = root.join(path);
        std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
    };
    let record = Record::parse(&read(RECORD)?).context(RECORD)?;
    Ok(Document { path: README, text: insert(&read(README)?, &section(&record))? })
}

/// Inserts the section between the two markers.
fn insert(readme: &str, section: &str) -> anyhow::Result<String> {
    let begin = readme.find(BEGIN).with_context(|| format!("{README} has no line '{}'", BEGIN.trim()))?;
    let (head, rest) = readme.split_at(begin + BEGIN.len());
    let end = rest.find(END).with_context(|| format!("{README} has no line '{}'", END.trim()))?;
    Ok(format!("{head}\n{section}\n{}", &rest[end..]))
}

/// The table, and the machines below it.
fn section(record: &Record) -> String {
    let mut machines: Vec<&Machine> = Vec::new();
    let mut text =
        "| Figure | Measured | Goal | How | Commit, date, machine |\n|---|---|---|---|---|\n".to_owned();
    let rows = FIGURES.iter().filter_map(|figure| Some((figure, record.figures.get(figure.id)?)));
    for (figure, measurement) in rows {
        let known = machines.iter().position(|machine| **machine == measurement.machine);
        let machine = known.unwrap_or(machines.len());
        if known.is_none() {
            machines.push(&measurement.machine);
        }
        text += &row(figure, measurement, &machine_label(machine));
    }
    text += UNDISTURBED;
    for (number, Machine { cores, memory, cpu, os }) in machines.iter().enumerate() {
        let name = machine_label(number);
        text += &format!("\nMachine {name}: {cores} cores; memory: {memory}; CPU: {cpu}; system: {os}.\n");
    }
    text
}

fn row(figure: &Figure, measurement: &Measurement, machine: &str) -> String {
    let min = measurement.min.map(|min| format!(" (min {})", amount(figure, min))).unwrap_or_default();
    let goal = match figure.goal {
        Some(goal) if goal.holds(measurement.value) => bound(figure, goal),
        Some(goal) => format!("{}, missed", bound(figure, goal)),
        None => String::new(),
    };
    let Measurement { commit, date, .. } = measurement;
    format!(
        "| {} | {}{min} | {goal} | {} | {}, {date}, {machine} |\n",
        figure.title,
        amount(figure, measurement.value),
        measurement.method.as_deref().unwrap_or(figure.method),
        commit.get(..7).unwrap_or(commit)
    )
}

fn amount(figure: &Figure, value: f64) -> String {
    format!("{value:.*} {}", figure.decimals, figure.unit).trim_end().to_owned()
}

fn bound(figure: &Figure, bound: Bound) -> String {
    let (sign, value) = match bound {
        Bound::AtMost(value) => ('≤', value),
        Bound::AtLeast(value) => ('≥', value),
    };
    format!("{sign} {value} {}", figure.unit).trim_end().to_owned()
}

/// A, B, C and so on.
fn machine_label(number: usize) -> String {
    u8::try_from(number)
        .ok()
        .and_then(|number| b'A'.checked_add(number))
        .map_or_else(|| number.to_string(), |c| char::from(c).to_string())
}
