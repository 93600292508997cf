//! What the sources of a benchmark return: how many sources, how many results of each, after which time.

use domain::provider::RESULTS_PER_QUERY_MAX;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Maximum number of sources. Each is a listener of this process.
pub(super) const SOURCES_MAX: u32 = 1000;

/// Number of sources and of results per source, written as `10x100`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Shape {
    pub sources: u32,
    /// Of each source.
    pub results: u32,
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (sources, results) =
            text.split_once(['x', '×']).ok_or("write sources x results, such as 10x100")?;
        let number = |text: &str, name: &str, most: u32| match text.trim().parse() {
            Ok(number) if (1..=most).contains(&number) => Ok(number),
            _ => Err(format!("'{text}' is not a number of {name} from 1 to {most}")),
        };
        Ok(Self {
            sources: number(sources, "sources", SOURCES_MAX)?,
            results: number(results, "results", RESULTS_PER_QUERY_MAX)?,
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} x {}", self.sources, self.results)
    }
}

/// How much the texts of results have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Texts {
    /// The same sentence with other numbers: the most work for the detection of duplicates.
    Similar,
    /// Other words in each result.
    Varied,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Workload {
    pub shape: Shape,
    /// Response time of each source.
    pub delay: Duration,
    pub texts: Texts,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_limits() {
        for text in ["10x100", "10×100", " 10 x 100 "] {
            assert_eq!(text.parse(), Ok(Shape { sources: 10, results: 100 }), "{text}");
        }
        for (text, expected) in [
            ("10", "such as 10x100"),
            ("0x10", "'0' is not a number of sources from 1 to 1000"),
            ("1001x10", "'1001' is not a number of sources"),
            ("10x0", "'0' is not a number of results from 1 to 1000"),
            ("10x1001", "'1001' is not a number of results"),
            ("10x10x10", "'10x10' is not a number of results"),
        ] {
            let error = text.parse::<Shape>().unwrap_err();
            assert!(error.contains(expected), "'{expected}' in '{error}'");
        }
        assert_eq!(Shape { sources: 10, results: 100 }.to_string(), "10 x 100");
    }
}
