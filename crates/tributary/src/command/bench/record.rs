//! The result of `tributary bench`, as JSON and as a table.

use super::counts::Counts;
use super::process_stats::Memory;
use super::spread::Spread;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Record {
    pub version: &'static str,
    /// `SQLite` or `PostgreSQL`.
    pub database: &'static str,
    /// The database, or `NATS`.
    pub queue: &'static str,
    pub sources: u32,
    /// Of each source.
    pub results: u32,
    pub delay_ms: u64,
    pub searches: u32,
    /// Time from sending the request to the last byte of the page.
    pub total_ms: Spread,
    /// Total time minus the time of the slowest source.
    pub added_ms: Spread,
    pub ratio: f64,
    /// CPU time of the service alone; `None` if the system does not report it.
    pub cpu_ms_per_search: Option<f64>,
    pub memory_mb: Option<Memory>,
    /// kB are 1,000 bytes.
    pub database_kb_per_search: f64,
    #[serde(flatten)]
    pub counts: Counts,
    pub hanging_ratio: Option<f64>,
}

impl Record {
    pub(super) fn table(&self) -> String {
        let mut lines = vec![format!(
            "{} sources of {} ms, {} results each, {} searches",
            self.sources, self.delay_ms, self.results, self.searches
        )];
        for (name, Spread { min, median, p95 }) in [("total", self.total_ms), ("added", self.added_ms)] {
            lines
                .push(format!("  {name:<8} min {min:>7.1} ms   median {median:>7.1} ms   p95 {p95:>7.1} ms"));
        }
        lines.push(format!("  ratio    {} (total / slowest source)", self.ratio));
        if let Some(cpu) = self.cpu_ms_per_search {
            lines.push(format!("  CPU      {cpu} ms per search, service only"));
        }
        if let Some(Memory { peak_rss, pss }) = self.memory_mb {
            lines.push(format!("  memory   {peak_rss} MB peak (RSS), {pss} MB after the searches (PSS)"));
        }
        let Self { database, queue, database_kb_per_search: grown, .. } = self;
        lines.push(format!("  database {grown} kB per search, in {database}; the queue is in {queue}"));
        lines.extend(self.count_lines());
        if let Some(ratio) = self.hanging_ratio {
            lines.push(format!(
                "  hanging  {ratio} (total with a hanging source, circuit breaker open / total without)"
            ));
        }
        lines.join("\n")
    }

    /// What was counted, per search.
    fn count_lines(&self) -> Vec<String> {
        let counts = &self.counts;
        let mut lines = Vec::new();
        if let Some(count) = counts.context_switches_per_search {
            lines.push(format!("  switches {count} context switches per search, of all threads"));
        }
        let Some(instructions) = counts.instructions_per_search else { return lines };
        let millions = instructions as f64 / 1e6;
        lines.push(format!("  counted  {millions:.1} million instructions per search, in user space"));
        match (counts.allocations_per_search, counts.reallocations_per_search) {
            (Some(new), Some(resized)) => {
                lines.push(format!("           {new} allocations, {resized} reallocations"));
            }
            _ => lines.push("           allocations are not counted: the program has no symbols".to_owned()),
        }
        if let Some(statements) = counts.statements_per_search {
            let again = counts
                .reprepared_statements_per_search
                .map_or_else(String::new, |count| format!(", {count} of them compiled again"));
            lines.push(format!("           {statements} statements of the database{again}"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmeasured_values_are_omitted() {
        let spread = Spread { min: 1.0, median: 2.0, p95: 3.0 };
        let mut record = Record {
            version: "1",
            database: "PostgreSQL",
            queue: "NATS",
            sources: 10,
            results: 10,
            delay_ms: 100,
            searches: 7,
            total_ms: spread,
            added_ms: spread,
            ratio: 1.1,
            cpu_ms_per_search: None,
            memory_mb: None,
            database_kb_per_search: 56.2,
            counts: Counts::default(),
            hanging_ratio: None,
        };
        assert_eq!(record.table().lines().count(), 5, "{}", record.table());
        record.cpu_ms_per_search = Some(6.5);
        record.memory_mb = Some(Memory { peak_rss: 120.5, pss: 80.25 });
        record.counts.context_switches_per_search = Some(213.0);
        record.counts.instructions_per_search = Some(48_060_000);
        record.counts.statements_per_search = Some(29.25);
        record.hanging_ratio = Some(1.0);
        let table = record.table();
        for part in [
            "6.5 ms per search",
            "120.5 MB peak",
            "80.25 MB after",
            "database 56.2 kB per search, in PostgreSQL; the queue is in NATS\n",
            "213 context switches",
            "48.1 million",
            "no symbols",
            "29.25 statements of the database\n",
            "hanging  1 ",
        ] {
            assert!(table.contains(part), "{part} in {table}");
        }
        record.counts.allocations_per_search = Some(37_800.0);
        record.counts.reallocations_per_search = Some(6_080.0);
        record.counts.reprepared_statements_per_search = Some(2.3);
        let table = record.table();
        assert!(table.contains("37800 allocations, 6080 reallocations\n"), "{table}");
        assert!(table.contains("29.25 statements of the database, 2.3 of them compiled again\n"), "{table}");
    }
}
