//! The features and grade of every merged result, as a table for fitting.

use crate::eval::collection::{Document, Query};
use crate::eval::sources::document_of;
use anyhow::Context;
use domain::explain::Explain;
use domain::result::ResultItem;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};
use std::path::Path;

const COLUMNS: &str =
    "query_id\tdoc_id\tgrade\tis_duplicate\tsource\tsource_rank\trank\tswirl_score\tswirl_confidence_score";

/// Buffers rows in a temporary file until all columns are known.
pub struct Features {
    waiting: BufWriter<File>,
    names: BTreeSet<String>,
}

impl Features {
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self { waiting: BufWriter::new(tempfile::tempfile()?), names: BTreeSet::new() })
    }

    /// Adds the merged results of one query, best first.
    pub fn add(
        &mut self,
        query: &Query,
        merged: &[ResultItem],
        documents: &[Document],
    ) -> anyhow::Result<()> {
        let mut above = HashSet::new();
        for item in merged {
            let Some(place) = document_of(&item.url) else { continue };
            let Some(document) = documents.get(place) else { continue };
            let fixed = [
                cell(&query.id),
                cell(&document.id),
                query.grades.get(&place).copied().unwrap_or_default().to_string(),
                u8::from(!above.insert(place)).to_string(),
                cell(&item.searchprovider),
                item.searchprovider_rank.to_string(),
                item.swirl_rank.to_string(),
                item.swirl_score.to_string(),
                item.swirl_confidence_score.to_string(),
            ];
            let numbers = item.explain.as_deref().map(numbers).unwrap_or_default();
            self.names.extend(numbers.keys().cloned());
            serde_json::to_writer(&mut self.waiting, &(fixed.join("\t"), numbers))?;
            self.waiting.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes the table.
    pub fn finish(self, path: &Path) -> anyhow::Result<()> {
        let mut waiting = self.waiting.into_inner()?;
        waiting.rewind()?;
        let file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
        let mut table = BufWriter::new(file);
        let header: String = self.names.iter().map(|name| format!("\t{name}")).collect();
        writeln!(table, "{COLUMNS}{header}")?;
        for line in BufReader::new(waiting).lines() {
            let (fixed, numbers): (String, BTreeMap<String, f64>) = serde_json::from_str(&line?)?;
            let value = |name| numbers.get(name).map_or_else(String::new, f64::to_string);
            let values: String = self.names.iter().map(|name| format!("\t{}", value(name))).collect();
            writeln!(table, "{fixed}{values}")?;
        }
        Ok(table.flush()?)
    }
}

/// Numbers by qualified name, such as `evidence.coverage`.
fn numbers(explain: &Explain) -> BTreeMap<String, f64> {
    let named = [("confidence", &explain.confidence), ("evidence", &explain.evidence)];
    let numbers = named.into_iter().flat_map(|(object, numbers)| {
        numbers.iter().map(move |(name, number)| (format!("{object}.{}", cell(name)), number))
    });
    numbers.collect()
}

/// The text without tabs and line breaks.
fn cell(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::collection::Grades;
    use serde_json::{Value, json};

    #[test]
    fn every_number_has_its_column() {
        let query = Query { id: "q\t1".to_owned(), text: "tea".to_owned(), grades: Grades::from([(1, 2)]) };
        let document = |id: &str| Document { id: id.to_owned(), ..Document::default() };
        let item = |place: usize, explain: Value| ResultItem {
            swirl_rank: 1,
            swirl_score: 12.5,
            swirl_confidence_score: 0.75,
            searchprovider: "Source 3".to_owned(),
            searchprovider_rank: 4,
            url: format!("https://source3.example/documents/{place}"),
            explain: serde_json::from_value(explain).unwrap(),
            ..ResultItem::default()
        };
        let mut features = Features::new().unwrap();
        let merged = [
            item(1, json!({"stems": "tea", "confidence": {"coverage": 0.5}})),
            item(0, json!({"confidence": {"coverage": 0.25}, "evidence": {"cosine": 0.125}})),
            item(1, Value::Null),
        ];
        features.add(&query, &merged, &[document("a"), document("b")]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("features.tsv");
        features.finish(&path).unwrap();
        let expected = format!(
            "{COLUMNS}\tconfidence.coverage\tevidence.cosine\n\
             q 1\tb\t2\t0\tSource 3\t4\t1\t12.5\t0.75\t0.5\t\n\
             q 1\ta\t0\t0\tSource 3\t4\t1\t12.5\t0.75\t0.25\t0.125\n\
             q 1\tb\t2\t1\tSource 3\t4\t1\t12.5\t0.75\t\t\n"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }
}
