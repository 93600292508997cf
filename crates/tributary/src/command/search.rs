//! `tributary search`: progress per source while it runs, then the mixed list.

use super::{Place, named_user};
use crate::terminal;
use crate::wiring::Wired;
use crate::workers::searches_running_max;
use clap::Args;
use domain::contracts::QueueName;
use domain::ids::SearchId;
use domain::mixed::MixedResponse;
use domain::notation::marks::plain;
use domain::result::ResultSet;
use domain::search::{ProviderRef, SearchSpec};
use federation::{MixRequest, SearchEvent};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tasks::{Worker, WorkerConfig};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Search from the command line, on the data folder itself: no server needs to run.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary search \"river level\"
  tributary search \"river level\" --providers library,tickets
  tributary search \"river level\" --json | jq .results[0]")]
pub struct Search {
    /// The query.
    query: String,
    /// Comma list of provider names, ids or tags.
    #[arg(long, value_delimiter = ',')]
    providers: Vec<String>,
    /// Print the mixed results response as JSON.
    #[arg(long)]
    json: bool,
    /// Number of results.
    #[arg(long, default_value_t = 10)]
    results: u32,
    /// The mixer that orders the results.
    #[arg(long, default_value = domain::search::DEFAULT_MIXER)]
    mixer: String,
    /// The user who searches.
    #[arg(long, default_value = "admin")]
    user: String,
}

/// How long the last lines of progress may take after the search has ended.
const LAST_LINES: Duration = Duration::from_millis(200);
/// How much longer than its query processors and sources a search may take.
const GRACE: Duration = Duration::from_secs(5);

impl Search {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let wired = place.open().await?;
        let owner = named_user(&wired, &self.user).await?;
        let spec = SearchSpec {
            query_string: self.query,
            searchprovider_list: self.providers.into_iter().map(ProviderRef::Text).collect(),
            results_requested: self.results,
            result_mixer: self.mixer,
            ..SearchSpec::default()
        };
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        running.spawn(worker(&wired).serve(stopped));
        let search = wired.federation.create(owner.id, spec).await?;
        let mut progress = JoinSet::new();
        progress.spawn(show_progress(Arc::clone(&wired.federation), search.id));
        let at_most = wired.federation.time_max(&search) + GRACE;
        let search = wired.federation.wait(search.id, at_most).await?;
        let (scheme, host, port) = (wired.settings.scheme(), &wired.settings.host, wired.settings.port);
        let request =
            MixRequest { base_url: format!("{scheme}://{host}:{port}/svc"), ..MixRequest::default() };
        let mixed = wired.federation.mix(&search, &request).await?;
        // When a running service took the search, nobody here tells of its end.
        let _last_lines_or_none = tokio::time::timeout(LAST_LINES, progress.join_next()).await;
        let _worker_has_gone = stop.send(true);
        while running.join_next().await.is_some() {}
        wired.store.close().await;
        match self.json {
            true => terminal::line(serde_json::to_string_pretty(&mixed)?),
            false => show(&mixed),
        }
        Ok(if search.status.is_ready() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn worker(wired: &Wired) -> Worker {
    let config = WorkerConfig {
        queue: QueueName::Search,
        concurrency: wired.settings.search_concurrency,
        running_max: searches_running_max(&wired.settings),
        lease: wired.settings.task_lease.0,
        grace: wired.settings.stop_grace.0,
    };
    Worker::new(config, Arc::clone(&wired.queue), Arc::clone(&wired.clock), wired.registry.clone())
}

async fn show_progress(federation: Arc<federation::Federation>, id: SearchId) {
    let mut events = federation.events().subscribe(id);
    loop {
        match events.recv().await {
            Ok(SearchEvent::Provider(_, set)) => terminal::note(progress_line(&set)),
            Ok(SearchEvent::Status(status)) if status.is_final() => return,
            Ok(SearchEvent::Status(_) | SearchEvent::Changed) => {}
            Err(_closed_or_late) => return,
        }
    }
}

fn progress_line(set: &ResultSet) -> String {
    let ResultSet { provider_name: name, retrieved, found, time_s, .. } = set;
    match &set.error {
        None => format!("  {name}: {retrieved} of {found} in {time_s:.1} s"),
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
    let counts = mixed.info.completeness;
    let results = &mixed.info.results;
    terminal::line(format!(
        "{} of {} results in {:.1} s; {} of {} sources answered.",
        results.retrieved, results.retrieved_total, results.federation_time, counts.answered, counts.asked
    ));
    if counts.answered < counts.asked || results.retrieved == 0 {
        let said = |line: &&String| ["Error:", "Timeout:", "No "].iter().any(|word| line.contains(word));
        mixed.messages.iter().filter(said).for_each(terminal::note);
    }
}

/// One line of text for a terminal: no control characters, not longer than `chars_max`.
fn one_line(text: &str, chars_max: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(chars_max).collect();
    if text.chars().count() > chars_max { format!("{plain}…") } else { plain }
}
