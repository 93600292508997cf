//! Growth of the cost of a search with the number of sources and results.

use super::Bench;
use super::series::{Series, measure, warm_up};
use super::service::Instrumentation;
use super::sources::Sources;
use super::workload::{Shape, Texts, Workload};
use serde::Serialize;
use serde_json::json;

/// Maximum number of searches per row.
const SEARCHES_MAX: u32 = 200;
/// The rows if none are named.
pub(super) const DEFAULT_SHAPES: &str = "1x10,10x10,30x10,100x10,300x10,10x100";

/// Measurements of one shape.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    shape: Shape,
    added_p50_ms: f64,
    added_p95_ms: f64,
    /// CPU time of the service alone; `None` if the system does not report it.
    cpu_ms_per_search: Option<f64>,
    /// kB are 1,000 bytes.
    response_kb: f64,
    database_kb_per_search: f64,
}

impl Row {
    fn new(shape: Shape, series: &Series, database_bytes_per_search: f64) -> Self {
        Self {
            shape,
            added_p50_ms: series.added.median,
            added_p95_ms: series.added.p95,
            cpu_ms_per_search: series.cpu_ms,
            response_kb: kilobytes(series.response_bytes),
            database_kb_per_search: kilobytes(database_bytes_per_search),
        }
    }

    fn line(&self) -> String {
        let Self {
            added_p50_ms, added_p95_ms, cpu_ms_per_search, response_kb, database_kb_per_search, ..
        } = self;
        let cpu = cpu_ms_per_search.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.1} ms"));
        format!(
            "  {:<18}{added_p50_ms:>9.1} ms{added_p95_ms:>9.1} ms{cpu:>16}{response_kb:>9.1} kB\
             {database_kb_per_search:>16.1} kB",
            self.shape.to_string()
        )
    }
}

impl Bench {
    /// Measures each shape with a new service.
    pub(super) async fn measure_growth(&self, shapes: &[Shape]) -> anyhow::Result<()> {
        let searches = self.searches.min(SEARCHES_MAX);
        let mut rows = Vec::new();
        for shape in shapes {
            rows.push(self.measure_shape(*shape, searches).await?);
        }
        let record = json!({
            "version": domain::VERSION,
            "delay_ms": self.delay_ms,
            "searches": searches,
            "rows": rows,
        });
        self.publish(&record, || table(&rows, self.delay_ms, searches))
    }

    async fn measure_shape(&self, shape: Shape, searches: u32) -> anyhow::Result<Row> {
        let folder = tempfile::tempdir()?;
        // A thousand times the same sentence is no list of results.
        let sources = Sources::start(Workload { shape, texts: Texts::Varied, ..self.workload() }).await?;
        let service = self.start_service(folder.path(), &sources, 0, Instrumentation::None).await?;
        warm_up(&service, &sources).await?;
        let before = service.client.database_bytes().await?;
        let series = measure(&service, &sources, searches).await?;
        let grown = service.client.database_bytes().await?.saturating_sub(before);
        service.node.stop().await?;
        Ok(Row::new(shape, &series, grown as f64 / f64::from(searches.max(1))))
    }
}

/// With one decimal.
pub(super) fn kilobytes(bytes: f64) -> f64 {
    (bytes / 100.0).round() / 10.0
}

fn table(rows: &[Row], delay_ms: u64, searches: u32) -> String {
    let mut lines = vec![
        format!("sources of {delay_ms} ms, varied words, {searches} searches for each row"),
        format!(
            "  {:<18}{:>12}{:>12}{:>16}{:>12}{:>19}",
            "sources x results", "added p50", "added p95", "CPU per search", "response", "database/search"
        ),
    ];
    lines.extend(rows.iter().map(Row::line));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::spread::Spread;
    use super::*;

    #[test]
    fn the_columns_are_aligned() {
        let spread = Spread { min: 1.0, median: 81.5, p95: 104.25 };
        let series = Series {
            total: spread,
            added: spread,
            cpu_ms: Some(103.0),
            context_switches: None,
            response_bytes: 84_321.0,
        };
        let large = Row::new(Shape { sources: 100, results: 10 }, &series, 2_000_060.0);
        let without_cpu =
            Row::new(Shape { sources: 1, results: 10 }, &Series { cpu_ms: None, ..series }, 20_000.0);
        let text = table(&[large, without_cpu], 100, 50);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[1..].iter().all(|line| line.len() == lines[1].len()), "{text}");
        for part in ["100 x 10", "81.5 ms", "103.0 ms", "84.3 kB", "2000.1 kB"] {
            assert!(lines[2].contains(part), "{part} in {text}");
        }
        assert!(lines[3].contains(" - "), "{text}");
    }

    #[test]
    fn the_default_rows_are_valid() {
        let shapes: Result<Vec<Shape>, _> = DEFAULT_SHAPES.split(',').map(str::parse).collect();
        assert_eq!(shapes.unwrap().len(), 6);
    }
}
