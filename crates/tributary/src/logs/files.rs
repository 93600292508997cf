//! The log files: their names, and which queue writes to which.

use std::str::FromStr;

/// One log file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogFile {
    /// API server, authentication, startup, database.
    Api,
    /// The part of a search that concerns one provider.
    Search,
    /// A search as a whole: selection, waiting, ranking, storing.
    SearchOrchestrator,
    Interactive,
    PageFetch,
    Maintenance,
    HealthCheck,
    Corpus,
    /// The scheduler.
    Beats,
}

/// File, short name, value of the span field `queue`, file name. The interface prescribes the name of the first one;
/// see docs/quirks.md.
const ROWS: [(LogFile, &str, &str, &str); 9] = [
    (LogFile::Api, "django", "", "django.log"),
    (LogFile::Search, "search", "search", "tasks-search-worker.log"),
    (
        LogFile::SearchOrchestrator,
        "search-orchestrator",
        "search_orchestrator",
        "tasks-search-orchestrator-worker.log",
    ),
    (LogFile::Interactive, "interactive", "interactive", "tasks-interactive-worker.log"),
    (LogFile::PageFetch, "pagefetch", "page_fetch", "tasks-pagefetch-worker.log"),
    (LogFile::Maintenance, "maintenance", "maintenance", "tasks-maintenance-worker.log"),
    (LogFile::HealthCheck, "healthcheck", "health_check", "tasks-healthcheck-worker.log"),
    (LogFile::Corpus, "corpus", "corpus", "tasks-corpus-worker.log"),
    (LogFile::Beats, "beats", "beats", "tasks-beats.log"),
];

/// Tag of the first file. Tags are ASCII characters, so that a tagged line is still text.
const FIRST_TAG: u8 = b'A';

impl LogFile {
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.0)
    }

    /// The name for display and options.
    pub fn short_name(self) -> &'static str {
        ROWS[self as usize].1
    }

    /// The file name.
    pub fn file_name(self) -> &'static str {
        ROWS[self as usize].3
    }

    /// The log file for spans with this `queue`.
    pub fn of_queue(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.2 == name && !name.is_empty()).map(|row| row.0)
    }

    /// The prefix of a line on its way to the writer.
    pub(super) fn tag(self) -> char {
        char::from(FIRST_TAG + self as u8)
    }

    pub(super) fn of_tag(tag: u8) -> Option<Self> {
        ROWS.get(usize::from(tag.checked_sub(FIRST_TAG)?)).map(|row| row.0)
    }
}

impl FromStr for LogFile {
    type Err = UnknownLogFile;

    /// Parses a short name, a file name, or anything in between.
    fn from_str(text: &str) -> Result<Self, UnknownLogFile> {
        let short = text.trim().trim_end_matches(".log").trim_start_matches("tasks-");
        let short = short.trim_end_matches("-worker");
        ROWS.iter()
            .find(|row| row.1 == short)
            .map(|row| row.0)
            .ok_or_else(|| UnknownLogFile { name: text.to_owned() })
    }
}

/// No log file has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no log file '{name}'; use {}", ROWS.map(|row| row.1).join(", "))]
pub struct UnknownLogFile {
    name: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::QueueName;

    #[test]
    fn rows_are_in_enum_order() {
        for (position, file) in LogFile::all().enumerate() {
            assert_eq!(file as usize, position);
            assert_eq!(LogFile::of_tag(u8::try_from(file.tag()).unwrap()), Some(file));
            assert_eq!(file.file_name().parse(), Ok(file));
            assert_eq!(file.short_name().parse(), Ok(file));
        }
        assert_eq!(LogFile::of_tag(b'J'), None);
        assert_eq!(LogFile::of_tag(b'!'), None);
        assert_eq!("search-worker".parse(), Ok(LogFile::Search));
        assert!("swirl".parse::<LogFile>().unwrap_err().to_string().contains("use django, search,"));
    }

    #[test]
    fn every_queue_has_its_file() {
        let mut files: Vec<LogFile> =
            QueueName::ALL.iter().map(|queue| LogFile::of_queue(queue.as_str()).unwrap()).collect();
        files.sort();
        files.dedup();
        assert_eq!(files.len(), QueueName::ALL.len());
        assert_eq!(LogFile::of_queue("search_orchestrator"), Some(LogFile::SearchOrchestrator));
        assert_eq!(LogFile::of_queue("beats"), Some(LogFile::Beats));
        assert_eq!(LogFile::of_queue(""), None);
    }
}
