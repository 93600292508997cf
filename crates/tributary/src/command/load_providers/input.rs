//! The records for a remote service, read and checked before anything is sent.

use super::{misspelled_fields, parse_records};
use crate::command::load::read_within;
use crate::terminal;
use domain::provider::{ProviderSpec, name_key};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

/// Maximum number of records of one call: each is one request.
const RECORDS_MAX: usize = 10_000;
/// Maximum total size of the files of one call, which are in memory at once.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// A record with its file and position.
pub struct Input {
    pub label: String,
    pub spec: ProviderSpec,
    pub record: Value,
}

/// All records, or every reason why they cannot be sent.
pub fn read_inputs(files: &[PathBuf]) -> Result<Vec<Input>, Vec<String>> {
    let (mut inputs, mut faults) = (Vec::new(), Vec::new());
    let mut bytes_left = BYTES_MAX;
    for file in files {
        let shown = file.display();
        let records = match read_within(file, &mut bytes_left).and_then(|text| parse_records(&text)) {
            Ok(records) => records,
            Err(error) => {
                faults.push(format!("{shown}: {error:#}"));
                continue;
            }
        };
        if inputs.len() + records.len() > RECORDS_MAX {
            faults.push(format!("{shown}: at most {RECORDS_MAX} records can be sent at once"));
            break;
        }
        for (position, record) in records.into_iter().enumerate() {
            let label = format!("{shown}, record {}", position + 1);
            match checked(record) {
                Ok((spec, record)) => inputs.push(Input { label, spec, record }),
                Err(fault) => faults.push(format!("{label}{fault}")),
            }
        }
    }
    faults.extend(repeated_names(&inputs));
    if !faults.is_empty() {
        return Err(faults);
    }
    for Input { label, record, .. } in &inputs {
        misspelled_fields(record).iter().for_each(|remark| terminal::note(format!("{label}: {remark}")));
    }
    Ok(inputs)
}

/// Checks what does not depend on the service: its version, its connectors and its records.
fn checked(record: Value) -> Result<(ProviderSpec, Value), String> {
    let spec: ProviderSpec = server::read_record(record.clone()).map_err(|errors| format!(": {errors}"))?;
    let errors = spec.check();
    if errors.is_empty() { Ok((spec, record)) } else { Err(format!(" ({}): {errors}", spec.name)) }
}

/// A name that occurs twice: the second record would replace the first.
fn repeated_names(inputs: &[Input]) -> Vec<String> {
    let mut first = BTreeMap::new();
    let mut faults = Vec::new();
    for Input { label, spec, .. } in inputs {
        let name = &spec.name;
        match first.entry(name_key(name)) {
            Entry::Occupied(other) => {
                faults.push(format!("{label} ({name}): {} has the same name", other.get()));
            }
            Entry::Vacant(place) => {
                place.insert(label);
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<PathBuf> = (0..texts.len()).map(|n| folder.path().join(format!("{n}.json"))).collect();
        for (file, text) in files.iter().zip(texts) {
            std::fs::write(file, text).unwrap();
        }
        let read = read_inputs(&files);
        read.map(|inputs| inputs.into_iter().map(|input| input.spec.name).collect())
            .map_err(|faults| faults.join("; "))
    }

    #[test]
    fn every_fault_is_named() {
        assert_eq!(read(&[r#"{"name": "A"}"#, r#"[{"name": "B", "id": 7}]"#]).unwrap(), ["A", "B"]);
        let broken = [
            "{",
            r#"[{"name": "A"}, 7, {"name": " "}, {"name": "C", "active": "yes"}]"#,
            r#"[{"name": "a"}, {"name": "D", "results_per_query": 0}]"#,
        ];
        let faults = read(&broken).unwrap_err();
        for fault in [
            "0.json: not valid JSON",
            "1.json, record 2: body: A JSON object is needed",
            "1.json, record 3 ( ): name: A name is needed",
            "1.json, record 4: active: ",
            "2.json, record 2 (D): results_per_query: Use 1 to 1000",
        ] {
            assert!(faults.contains(fault), "{fault}: {faults}");
        }
        assert!(
            faults.contains("2.json, record 1 (a): ") && faults.contains("has the same name"),
            "{faults}"
        );
    }

    #[test]
    fn the_number_of_records_is_limited() {
        let records = |count: usize| {
            let all: Vec<String> = (0..count).map(|n| format!("{{\"name\":\"{n}\"}}")).collect();
            format!("[{}]", all.join(","))
        };
        assert_eq!(read(&[&records(RECORDS_MAX)]).unwrap().len(), RECORDS_MAX);
        assert!(
            read(&[&records(RECORDS_MAX), r#"{"name": "one more"}"#]).unwrap_err().contains("at most 10000")
        );
    }
}
