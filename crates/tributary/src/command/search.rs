//! `tributary search`: shows progress per source, then the mixed results.

use super::{CliContext, named_user};
use crate::app::App;
use crate::terminal;
use crate::workers::searches_running_max;
use clap::Args;
use domain::mixed::MixedResponse;
use domain::ports::QueueName;
use domain::result::ResultSet;
use domain::search::SearchSpec;
use federation::MixRequest;
use std::process::ExitCode;
use std::sync::Arc;
use syntax::display::without_direction_controls;
use syntax::highlights::plain;
use tasks::{Worker, WorkerConfig};
use tokio::sync::watch;
use tokio::task::JoinSet;

const RESULTS_DEFAULT: u32 = 10;

/// Search from the command line, directly on the data folder, without a running service.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary search \"river level\"
  tributary search \"river level\" --providers library,tickets
  tributary search \"river level\" --json | jq .results[0]")]
pub struct Search {
    /// The query.
    query: String,
    /// Comma-separated provider names, ids or tags.
    #[arg(long, value_delimiter = ',')]
    providers: Vec<String>,
    /// Print the results as JSON, as returned by the API.
    #[arg(long)]
    json: bool,
    /// Number of results.
    #[arg(long, default_value_t = RESULTS_DEFAULT)]
    results: u32,
    /// Mixer that orders the results.
    #[arg(long, default_value = domain::search::DEFAULT_MIXER)]
    mixer: String,
    /// User to search as.
    #[arg(long, default_value = "admin")]
    user: String,
}

impl Search {
    /// A search of the administrator in the default sources.
    pub fn of(query: String) -> Self {
        Self {
            query,
            providers: Vec::new(),
            json: false,
            results: RESULTS_DEFAULT,
            mixer: domain::search::DEFAULT_MIXER.to_owned(),
            user: "admin".to_owned(),
        }
    }

    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let app = cli.open_existing().await?;
        let owner = named_user(&app, &self.user).await?;
        let spec = SearchSpec {
            query_string: self.query,
            searchprovider_list: self.providers.iter().map(|text| text.as_str().into()).collect(),
            results_requested: self.results,
            result_mixer: self.mixer,
            ..SearchSpec::default()
        };
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        running.spawn(worker(&app).serve(stopped));
        let search = app.federation.searches.create(owner.id, spec).await?;
        let mut running_search = app.federation.waiter.follow_to_end(search);
        while let Some(set) = running_search.next_provider().await {
            terminal::note(progress_line(&set));
        }
        let mut ended = running_search.end().await?;
        let (scheme, host, port) = (app.settings.scheme(), &app.settings.host, app.settings.port);
        let request =
            MixRequest { base_url: format!("{scheme}://{host}:{port}/svc"), ..MixRequest::default() };
        let mixed = app.federation.mixer.mix_ended(&mut ended, &request).await?;
        let _worker_has_gone = stop.send(true);
        while running.join_next().await.is_some() {}
        app.store.close().await;
        if self.json {
            terminal::line(serde_json::to_string_pretty(&mixed)?);
        } else {
            show(&mixed);
        }
        Ok(if ended.search.status.is_ready() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn worker(app: &App) -> Worker {
    let config = WorkerConfig {
        queue: QueueName::Search,
        concurrency: app.settings.search_concurrency,
        running_max: searches_running_max(&app.settings),
        lease: app.settings.task_lease.0,
        grace: app.settings.stop_grace.0,
    };
    Worker::new(config, Arc::clone(&app.queue), Arc::clone(&app.clock), app.registry.clone())
}

fn progress_line(set: &ResultSet) -> String {
    let ResultSet { provider_name: name, retrieved, found, time_s, .. } = set;
    match &set.error {
        None => format!("  {name}: {retrieved} of {found} in {time_s:.1} s"),
        Some(fault) if set.status.has_responded() => {
            format!("  {name}: {retrieved} of {found}, then: {} ({time_s:.1} s)", fault.message)
        }
        Some(fault) => format!("  {name}: {} ({time_s:.1} s)", fault.message),
    }
}

fn show(mixed: &MixedResponse) {
    for item in &mixed.results {
        let date = item.date_published.split(' ').next().unwrap_or_default();
        terminal::line(format!("{:>3}. {}", item.swirl_rank, one_line(&plain(&item.title), 100)));
        let facts = format!("{:.2}  {}  {date}", item.swirl_confidence_score, item.searchprovider);
        terminal::line(format!("     {facts}"));
        terminal::line(format!("     {}", one_line(&item.url, 200)));
        if !item.body.is_empty() {
            terminal::line(format!("     {}", one_line(&plain(&item.body), 160)));
        }
    }
    let counts = &mixed.info.completeness;
    let results = &mixed.info.results;
    terminal::line(format!(
        "{} of {} results in {:.1} s; {} of {} sources responded.",
        results.retrieved,
        results.retrieved_total,
        results.federation_time,
        counts.answered + counts.partial,
        counts.asked
    ));
    if counts.answered < counts.asked || results.retrieved == 0 {
        mixed.notices.iter().filter(|notice| notice.kind.explains_absence()).for_each(terminal::note);
    }
}

/// The text on one line, without control characters and at most `chars_max` long.
fn one_line(text: &str, chars_max: usize) -> String {
    let text = without_direction_controls(text);
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(chars_max).collect();
    if text.chars().count() > chars_max { format!("{plain}…") } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line_and_is_not_turned_round() {
        assert_eq!(one_line("a\nb\u{1b}[2J \u{202e}c\u{2066}", 20), "a b [2J c");
        assert_eq!(one_line("abc", 2), "ab…");
    }
}
