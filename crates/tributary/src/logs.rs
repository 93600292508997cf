//! Where log lines go: standard error, and `logs/django.log` in the data folder.

use anyhow::Context;
use domain::settings::Settings;
use std::path::Path;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// The name that the interface gives to the log of the API server; see docs/quirks.md.
const API_LOG: &str = "django.log";

/// Starts logging. The guard writes what is left when it is dropped.
pub fn start(settings: &Settings, data_dir: &Path) -> anyhow::Result<WorkerGuard> {
    let folder = data_dir.join("logs");
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let filter = |level: &str| {
        EnvFilter::try_new(level).with_context(|| format!("SVC_LOG_LEVEL '{level}' is not a filter"))
    };
    let (file, guard) = tracing_appender::non_blocking(tracing_appender::rolling::never(&folder, API_LOG));
    let file_layer = match settings.log_format.as_str() {
        "json" => fmt::layer().json().with_writer(file).boxed(),
        _ => fmt::layer().with_ansi(false).with_writer(file).boxed(),
    };
    let screen =
        fmt::layer().with_target(false).with_writer(std::io::stderr).with_ansi(crate::terminal::is_watched());
    tracing_subscriber::registry()
        .with(file_layer.with_filter(filter(&settings.log_level)?))
        .with(screen.with_filter(filter("warn")?))
        .try_init()
        .context("logging was started twice")?;
    Ok(guard)
}
