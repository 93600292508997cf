//! Logging: one file per part of the service in `<data>/logs/`, and warnings on standard error.
//!
//! | Module | Content |
//! |---|---|
//! | `files` | names of the log files, and which queue writes to which |
//! | `route` | routing of lines to files, one line per event |
//! | `screen` | output on standard error, one line per event |
//! | `json` | format of JSON lines |
//! | `queue` | queue of lines, and the thread that writes them in batches |
//! | `rotation` | rotation of files that several processes share |
//! | `line`, `tail`, `follow` | reading log files, for `tributary logs` |
//! | `excerpt` | last lines, for a support bundle |

mod excerpt;
mod files;
mod follow;
mod json;
mod line;
mod queue;
mod rotation;
mod route;
mod screen;
mod tail;

pub use excerpt::{Excerpt, excerpt, excerpt_of};
pub use files::LogFile;
pub use follow::LogFollower;
pub use line::{Line, LineFilter};

use anyhow::{Context, bail};
use domain::settings::Settings;
use json::JsonLine;
use queue::{LineQueue, QueueLimits, WriterThread};
use rotation::{Limits, LogFiles};
use route::{Route, Routed, tagged_line};
use screen::screen_line;
use std::path::{Path, PathBuf};
use tracing::Level;
use tracing_subscriber::filter::{FilterExt, LevelFilter, filter_fn};
use tracing_subscriber::fmt::time::SystemTime;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

const BYTES_PER_MB: u64 = 1024 * 1024;
/// Target of the startup error, which goes to the file only; the command prints it itself.
pub const START_FAILED: &str = "tributary::start_failed";
/// Our own crates. The level applies to them; other crates log at most at `info`, because more may contain headers and
/// URLs with secrets.
const CRATES: [&str; 21] = [
    "ai",
    "api_auth",
    "connectors",
    "corpus",
    "domain",
    "extraction",
    "federation",
    "license",
    "mcp",
    "mixers",
    "outbound",
    "page_fetch",
    "processors",
    "provider_doctor",
    "rag",
    "relevancy",
    "server",
    "store",
    "syntax",
    "tasks",
    "tributary",
];

/// Guard of the log writers; flushes on drop.
pub struct Logging {
    /// For the files and for standard error.
    threads: [WriterThread; 2],
}

impl Drop for Logging {
    fn drop(&mut self) {
        let lost: u64 = self.threads.iter().map(WriterThread::dropped_lines).sum();
        if lost > 0 {
            crate::terminal::note(format!("{lost} log lines were dropped, because the disk was too slow."));
        }
    }
}

/// The folder of the log files.
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("logs")
}

/// Starts logging.
pub fn start(settings: &Settings, data_dir: &Path) -> anyhow::Result<Logging> {
    let folder = folder(data_dir);
    let limits =
        Limits { bytes_max: u64::from(settings.log_max_mb) * BYTES_PER_MB, files: settings.log_files };
    let files = LogFiles::open(&folder, limits)
        .with_context(|| format!("the log folder {} cannot be used", folder.display()))?;
    let waiting = QueueLimits::default();
    let (file, file_thread) =
        queue::start("log-files", files, waiting, tagged_line).context("the thread of the log files")?;
    let (screen, screen_thread) = queue::start("log-screen", std::io::stderr(), waiting, screen_line)
        .context("the thread of standard error")?;
    // Spans carry ids and the log file, so they are enabled at every level.
    let spans = filter_fn(|metadata| metadata.is_span() && *metadata.level() <= Level::INFO)
        .with_max_level_hint(LevelFilter::INFO);
    let shown = EnvFilter::try_new(format!("warn,{MUTE},{START_FAILED}=off"))
        .context("the filter of standard error")?;
    let screen =
        fmt::layer().with_target(false).with_writer(screen).with_ansi(crate::terminal::is_interactive());
    tracing_subscriber::registry()
        .with(file_layer(&settings.log_format, file).with_filter(filter(settings)?.or(spans)))
        .with(screen.with_filter(shown))
        .try_init()
        .context("logging is already started")?;
    Ok(Logging { threads: [file_thread, screen_thread] })
}

fn file_layer(format: &str, file: LineQueue) -> Box<dyn Layer<Registry> + Send + Sync> {
    match format {
        "json" => {
            let layer = fmt::layer().json().with_current_span(false).with_writer(file);
            let layer = layer.map_event_format(|format| Routed(JsonLine::new(format, SystemTime)));
            layer.and_then(Route).boxed()
        }
        _ => {
            let layer = fmt::layer().with_ansi(false).with_writer(file);
            layer.map_event_format(Routed).and_then(Route).boxed()
        }
    }
}

/// Muted crates: a driver that logs database errors with parts of the query, and an SDK that warns about client errors.
/// Both are reported to the caller.
const MUTE: &str = "tiberius=off,rmcp=error";

/// The filter from `SVC_LOG_LEVEL` and `SVC_LOG_DEBUG`.
fn filter(settings: &Settings) -> anyhow::Result<EnvFilter> {
    let text = settings.log_level.trim();
    let directives = match text.parse::<LevelFilter>() {
        Ok(level) => {
            let of_others = level.min(LevelFilter::INFO);
            let of_crates = CRATES.map(|krate| format!("{krate}={level}"));
            format!("{of_others},{MUTE},{}", of_crates.join(","))
        }
        Err(_) => text.to_owned(),
    };
    let mut filter = EnvFilter::try_new(directives)
        .with_context(|| format!("SVC_LOG_LEVEL '{text}' is neither a level nor a filter"))?;
    for name in settings.log_debug.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let krate = name.split("::").next().unwrap_or_default();
        if !CRATES.contains(&krate) {
            bail!("SVC_LOG_DEBUG: '{name}' is not a crate of the program; use {}", CRATES.join(", "));
        }
        let directive = format!("{name}=trace").parse();
        filter = filter.add_directive(directive.with_context(|| format!("SVC_LOG_DEBUG: '{name}'"))?);
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::time::Duration;
    use tracing_subscriber::fmt::MakeWriter;

    fn with(level: &str, debug: &[&str]) -> anyhow::Result<String> {
        let settings = Settings {
            log_level: level.to_owned(),
            log_debug: debug.iter().map(|&name| name.to_owned()).collect(),
            ..Settings::default()
        };
        filter(&settings).map(|filter| filter.to_string())
    }

    #[test]
    fn a_level_applies_to_our_own_crates() {
        let trace = with("trace", &[]).unwrap();
        assert!(trace.contains("server=trace") && trace.contains("info"), "{trace}");
        assert!(!trace.split(',').any(|directive| directive == "trace"), "{trace}");
        assert!(MUTE.split(',').all(|directive| trace.contains(directive)), "{trace}");
        let warn = with("warn", &[]).unwrap();
        assert!(!warn.contains("info"), "others are not louder than asked for: {warn}");
        assert!(with("info,hyper=debug", &[]).unwrap().contains("hyper=debug"), "a filter is taken as it is");
        assert!(with("inf=o=", &[]).is_err());
    }

    #[test]
    fn crates_may_log_at_trace() {
        let found = with("warn", &["federation", " outbound::client ", ""]).unwrap();
        assert!(found.contains("federation=trace") && found.contains("outbound::client=trace"), "{found}");
        let refused = with("warn", &["hyper"]).unwrap_err().to_string();
        assert!(refused.contains("'hyper' is not a crate of the program"), "{refused}");
    }

    #[test]
    fn processes_that_share_a_folder_lose_and_tear_no_line_of_a_burst() {
        const THREADS: usize = 3;
        const LINES: usize = 500;
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { bytes_max: 4096, files: 1000 };
        let (gather_for, end_wait_max) = (Duration::from_millis(1), Duration::from_secs(20));
        let waiting = QueueLimits { gather_for, end_wait_max, ..QueueLimits::default() };
        let open = || LogFiles::open(folder.path(), limits).unwrap();
        let processes =
            ["one", "two"].map(|name| (name, queue::start(name, open(), waiting, tagged_line).unwrap()));
        let log = |queue: &LineQueue, line: &str| {
            let tagged = format!("{}{line} end\n", LogFile::Corpus.tag());
            queue.make_writer().write_all(tagged.as_bytes()).unwrap();
        };
        std::thread::scope(|scope| {
            for (name, (queue, _)) in &processes {
                for thread in 0..THREADS {
                    scope.spawn(move || {
                        for line in 0..LINES {
                            log(queue, &format!("{name} {thread} {line}"));
                            // Several batches, so that the processes write in turn.
                            if line % 50 == 0 {
                                std::thread::sleep(2 * gather_for);
                            }
                        }
                    });
                }
            }
        });
        drop(processes);
        // Nobody else writes: a file that is full by now is rotated for certain.
        let (mut last, line) = (open(), format!("{}{}\n", LogFile::Corpus.tag(), "last".repeat(1000)));
        last.write_all(line.as_bytes()).and_then(|()| last.flush()).unwrap();
        let path = folder.path().join(LogFile::Corpus.file_name());
        let read = |number: u32| std::fs::read_to_string(rotation::generation(&path, number)).ok();
        let oldest_first: Vec<String> = (0..limits.files).rev().filter_map(read).collect();
        assert!(oldest_first.len() > 1, "no file was rotated");
        let lines: Vec<&str> = oldest_first.iter().flat_map(|text| text.lines()).collect();
        assert_eq!(lines.len(), 2 * THREADS * LINES + 1);
        for (name, thread) in ["one", "two"].iter().flat_map(|name| (0..THREADS).map(move |n| (name, n))) {
            let prefix = format!("{name} {thread} ");
            let numbers = lines.iter().filter_map(|line| line.strip_prefix(&prefix)?.strip_suffix(" end"));
            let expected: Vec<String> = (0..LINES).map(|line| line.to_string()).collect();
            assert!(numbers.eq(expected.iter().map(String::as_str)), "the lines of {prefix}");
        }
    }

    #[test]
    fn every_crate_is_named() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut there: Vec<String> = std::fs::read_dir(crates)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| !["fakes", "testkit"].contains(&name.as_str()))
            .collect();
        there.sort();
        assert_eq!(there, CRATES);
    }
}
