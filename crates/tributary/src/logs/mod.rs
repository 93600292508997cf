//! Where log lines go: one file for each part of the service in `<data>/logs/`, warnings to standard error as well.
//!
//! | Module | What lives there |
//! |---|---|
//! | `files` | the names of the log files, and which queue writes where |
//! | `route` | how a line finds its file, and keeps to one line |
//! | `screen` | what the screen shows, one line for each event |
//! | `rotation` | files that begin anew when they are full, shared by processes |
//! | `line`, `tail`, `follow` | reading them again, for `tributary logs` |
//! | `excerpt` | their last lines, for a support bundle |

mod excerpt;
mod files;
mod follow;
mod line;
mod rotation;
mod route;
mod screen;
mod tail;

pub use excerpt::{Excerpt, excerpt, excerpt_of};
pub use files::LogFile;
pub use follow::Followed;
pub use line::{Line, Wanted};

use anyhow::{Context, bail};
use domain::settings::Settings;
use rotation::{Limits, LogFiles};
use route::{Route, Routed};
use screen::OneLine;
use std::path::{Path, PathBuf};
use tracing::Level;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{FilterExt, LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

/// Lines that wait for the disk or the screen. What comes when they are that many is lost, and counted.
const WAITING_LINES_MAX: usize = 16_384;
const BYTES_PER_MB: u64 = 1024 * 1024;
/// Why the service did not start is for the file; the command says it on the screen itself.
pub const START_FAILED: &str = "tributary::start_failed";
/// Our own crates. A level applies to them; the crates of others say no more than `info`, because what they say
/// beyond that may hold headers and addresses with secrets.
const CRATES: [&str; 17] = [
    "ai",
    "answers",
    "connectors",
    "corpus",
    "domain",
    "extraction",
    "federation",
    "mcp",
    "mixers",
    "outbound",
    "page_fetch",
    "processors",
    "relevancy",
    "server",
    "store",
    "tasks",
    "tributary",
];

/// Keeps the writers of the log. Dropped, it writes what is left.
pub struct Logging {
    lost: [ErrorCounter; 2],
    _file: WorkerGuard,
    _screen: WorkerGuard,
}

impl Drop for Logging {
    fn drop(&mut self) {
        let lost: usize = self.lost.iter().map(ErrorCounter::dropped_lines).sum();
        if lost > 0 {
            crate::terminal::note(format!("{lost} log lines were lost: the disk was too slow for them."));
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
    let (file, file_guard) = beside(files);
    let (screen, screen_guard) = beside(OneLine(std::io::stderr()));
    let lost = [file.error_counter(), screen.error_counter()];
    // Spans carry the ids and the way to the file, so they are kept whatever the level is.
    let spans = filter_fn(|metadata| metadata.is_span() && *metadata.level() <= Level::INFO)
        .with_max_level_hint(LevelFilter::INFO);
    let shown =
        EnvFilter::try_new(format!("warn,{MUTE},{START_FAILED}=off")).context("the filter of the screen")?;
    let screen = fmt::layer().with_target(false).with_writer(screen).with_ansi(crate::terminal::is_watched());
    tracing_subscriber::registry()
        .with(file_layer(&settings.log_format, file).with_filter(filter(settings)?.or(spans)))
        .with(screen.with_filter(shown))
        .try_init()
        .context("logging was started twice")?;
    Ok(Logging { lost, _file: file_guard, _screen: screen_guard })
}

/// A writer on a thread of its own: who logs never waits.
fn beside(writer: impl std::io::Write + Send + 'static) -> (NonBlocking, WorkerGuard) {
    NonBlockingBuilder::default().buffered_lines_limit(WAITING_LINES_MAX).lossy(true).finish(writer)
}

fn file_layer(format: &str, file: NonBlocking) -> Box<dyn Layer<Registry> + Send + Sync> {
    match format {
        "json" => {
            let layer = fmt::layer().json().with_current_span(false).with_writer(file);
            layer.map_event_format(Routed).and_then(Route).boxed()
        }
        _ => {
            let layer = fmt::layer().with_ansi(false).with_writer(file);
            layer.map_event_format(Routed).and_then(Route).boxed()
        }
    }
}

/// A driver that logs what a database answers, the words of a query with it: the connector tells it to who asked. And
/// an SDK that warns of every mistake of a client: the client is told.
const MUTE: &str = "tiberius=off,rmcp=error";

/// What `SVC_LOG_LEVEL` and `SVC_LOG_DEBUG` let through.
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
            bail!("SVC_LOG_DEBUG: '{name}' is not a part of the program; use {}", CRATES.join(", "));
        }
        let directive = format!("{name}=trace").parse();
        filter = filter.add_directive(directive.with_context(|| format!("SVC_LOG_DEBUG: '{name}'"))?);
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn parts_of_the_program_may_say_everything() {
        let found = with("warn", &["federation", " outbound::client ", ""]).unwrap();
        assert!(found.contains("federation=trace") && found.contains("outbound::client=trace"), "{found}");
        let refused = with("warn", &["hyper"]).unwrap_err().to_string();
        assert!(refused.contains("'hyper' is not a part of the program"), "{refused}");
    }

    #[test]
    fn every_crate_is_named() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut there: Vec<String> = std::fs::read_dir(crates)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name != "testkit")
            .collect();
        there.sort();
        assert_eq!(there, CRATES);
    }
}
