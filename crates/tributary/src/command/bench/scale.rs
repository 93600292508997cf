//! How the service grows: the program as one process, as web and one worker, as web and two workers, each under the
//! same load. Sources and clients are in this process, so that the CPU time of the others is the service's alone.

use super::Bench;
use super::client::Client;
use super::nodes::Node;
use super::process_stats::cpu_of_families;
use super::sources::{self, Slowest};
use crate::command::Place;
use crate::keys;
use crate::wiring::Wired;
use anyhow::{Context, ensure};
use domain::contracts::{QueueName, TaskStore, UserStore};
use domain::secret::Secret;
use domain::settings::Settings;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Clients for each search that one process runs at once: enough that two workers never find the queue empty,
/// although a client hears of its results late when they are made in another process.
const CLIENTS_PER_PLACE: u32 = 12;
/// Rounds of the clients before the measured searches.
const WARM_UP_ROUNDS: u32 = 2;
/// How long one search may take before the bench gives up.
const SEARCH_MAX: Duration = Duration::from_secs(60);
/// How long workers may take until they are heard of.
const WORKERS_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const WORKER_ROLES: &str = "search,page_fetch,interactive,maintenance,corpus,health_check,beat";

/// One form under load.
struct Figures {
    form: &'static str,
    per_second: f64,
    /// CPU time of one search, over the processes of the service.
    cpu_ms: f64,
    /// The same over the processes beside.
    beside_ms: f64,
}

/// Where the cluster keeps its records and tasks.
struct Servers {
    database: Secret,
    queue: Secret,
}

impl Bench {
    pub(super) async fn scaling(&self, place: &Place) -> anyhow::Result<()> {
        let servers = self.servers(place)?;
        let folder = tempfile::tempdir()?;
        let mut running = JoinSet::new();
        let slowest = Arc::new(Slowest::default());
        let urls = sources::start(self.sources, self.delay(), &slowest, &mut running).await?;
        let mut figures = vec![self.embedded(&folder.path().join("embedded"), &urls).await?];
        figures.extend(self.cluster(folder.path(), &servers, &urls).await?);
        let queue = if servers.queue.is_empty() { "PostgreSQL" } else { "NATS" };
        self.publish(&self.scale_record(&figures, queue), || self.scale_table(&figures, queue))
    }

    fn servers(&self, place: &Place) -> anyhow::Result<Servers> {
        let mut given = Vec::new();
        for (name, url) in [("SVC_DATABASE_URL", &self.database_url), ("SVC_QUEUE_URL", &self.queue_url)] {
            given.extend(url.iter().map(|url| (name, url.clone())));
        }
        let settings = place.read(&given)?.settings;
        ensure!(
            settings.database_url.expose().starts_with("postgres"),
            "a cluster needs PostgreSQL; give an empty database with --database-url or SVC_DATABASE_URL"
        );
        Ok(Servers { database: settings.database_url, queue: settings.queue_url })
    }

    /// One process with every role, on an SQLite file.
    async fn embedded(&self, folder: &Path, urls: &[String]) -> anyhow::Result<Figures> {
        let settings = Settings { data_dir: folder.display().to_string(), ..Settings::default() };
        let wired = Wired::open(settings).await?;
        sources::install(&wired, urls).await?;
        let users = sources::users(&wired, self.clients()).await?;
        wired.store.close().await;
        let mut node = Node::start(&self.program()?, folder, None, &[self.places()])?;
        let address = node.address().await?;
        self.under_load("embedded: one process", (&address, &users), &[node]).await
    }

    /// Web and one worker; then a second worker comes.
    async fn cluster(
        &self,
        folder: &Path,
        servers: &Servers,
        urls: &[String],
    ) -> anyhow::Result<Vec<Figures>> {
        let key = keys::random_text(32);
        let own = folder.join("bench");
        let wired = Wired::open(Settings {
            data_dir: own.display().to_string(),
            database_url: servers.database.clone(),
            secret_key: Secret::new(key.clone()),
            ..Settings::default()
        })
        .await?;
        ensure!(
            wired.store.users(0, 1).await?.total == 0,
            "the database has users already; give an empty one, because it is filled with searches"
        );
        sources::install(&wired, urls).await?;
        let users = sources::users(&wired, self.clients()).await?;
        let settings = [
            self.places(),
            ("SVC_DATABASE_URL", servers.database.expose().to_owned()),
            ("SVC_QUEUE_URL", servers.queue.expose().to_owned()),
            ("SVC_SECRET_KEY", key),
        ];
        let program = self.program()?;
        let mut web = Node::start(&program, &folder.join("web"), Some("web"), &settings)?;
        let address = web.address().await?;
        let mut nodes = vec![web];
        let mut figures = Vec::new();
        for form in ["cluster: web and 1 worker", "cluster: web and 2 workers"] {
            let name = format!("worker-{}", nodes.len());
            nodes.push(Node::start(&program, &folder.join(name), Some(WORKER_ROLES), &settings)?);
            workers_are_there(&wired, nodes.len() - 1).await?;
            figures.push(self.under_load(form, (&address, &users), &nodes).await?);
        }
        drop(nodes);
        wired.store.close().await;
        Ok(figures)
    }

    fn places(&self) -> (&'static str, String) {
        ("SVC_SEARCH_CONCURRENCY", self.concurrency.to_string())
    }

    fn clients(&self) -> u32 {
        self.concurrency * CLIENTS_PER_PLACE
    }

    /// The load goes on from before the first measured search until after the last, so that what is under way at
    /// both ends is alike. Every client is a user of its own.
    async fn under_load(
        &self,
        form: &'static str,
        (address, users): (&str, &[Secret]),
        nodes: &[Node],
    ) -> anyhow::Result<Figures> {
        let (ended, mut searches) = mpsc::channel(self.clients() as usize);
        let mut clients = JoinSet::new();
        for user in users {
            let client = Client::new(address, user.clone())?;
            let (ended, sources) = (ended.clone(), self.sources);
            clients.spawn(async move {
                while ended.send(client.search(sources).await.map(drop)).await.is_ok() {}
            });
        }
        drop(ended);
        wait_for(&mut searches, self.clients() * WARM_UP_ROUNDS).await?;
        let (started, cpu, beside) = (Instant::now(), cpu_of_all(nodes)?, cpu_of_families(&self.beside));
        wait_for(&mut searches, self.searches).await?;
        let took = started.elapsed();
        let cpu = cpu_of_all(nodes)?.saturating_sub(cpu);
        let beside = cpu_of_families(&self.beside).saturating_sub(beside);
        clients.shutdown().await;
        let each = |time: Duration| time.as_secs_f64() * 1000.0 / f64::from(self.searches);
        let per_second = f64::from(self.searches) / took.as_secs_f64();
        Ok(Figures { form, per_second, cpu_ms: each(cpu), beside_ms: each(beside) })
    }

    fn scale_record(&self, figures: &[Figures], queue: &str) -> Value {
        let row = |row: &Figures| {
            json!({
                "form": row.form,
                "searches_per_second": row.per_second,
                "cpu_ms_per_search": row.cpu_ms,
                "times_embedded": times_embedded(row, figures),
                "beside_cpu_ms_per_search": (!self.beside.is_empty()).then_some(row.beside_ms),
            })
        };
        json!({
            "sources": self.sources,
            "delay_ms": self.delay_ms,
            "searches": self.searches,
            "clients": self.clients(),
            "concurrency": self.concurrency,
            "queue": queue,
            "forms": figures.iter().map(row).collect::<Vec<_>>(),
        })
    }

    fn scale_table(&self, figures: &[Figures], queue: &str) -> String {
        let mut text = format!(
            "{} sources of {} ms; {} clients; each process runs {} searches at once; {} searches for each form; \
             the cluster's queue is in {queue}\n  {:<28}{:>12}{:>16}{:>16}{}",
            self.sources,
            self.delay_ms,
            self.clients(),
            self.concurrency,
            self.searches,
            "form",
            "searches/s",
            "CPU per search",
            "times embedded",
            self.beside_text(|| format!("{:>12}", "beside"))
        );
        for row in figures {
            text += &format!(
                "\n  {:<28}{:>12.1}{:>13.1} ms{:>16.2}{}",
                row.form,
                row.per_second,
                row.cpu_ms,
                times_embedded(row, figures),
                self.beside_text(|| format!("{:>9.1} ms", row.beside_ms))
            );
        }
        text
    }

    /// The last column, when somebody asked for it.
    fn beside_text(&self, text: impl FnOnce() -> String) -> String {
        if self.beside.is_empty() { String::new() } else { text() }
    }
}

/// The CPU time of a search in this form, in searches of the first form.
fn times_embedded(row: &Figures, figures: &[Figures]) -> f64 {
    figures.first().map_or(0.0, |first| row.cpu_ms / first.cpu_ms)
}

fn cpu_of_all(nodes: &[Node]) -> anyhow::Result<Duration> {
    let cpu = |node: &Node| node.cpu()?.context("the system does not report the CPU time of a process");
    nodes.iter().map(cpu).sum()
}

/// Waits until so many searches have ended; the first that failed ends the bench.
async fn wait_for(searches: &mut mpsc::Receiver<anyhow::Result<()>>, count: u32) -> anyhow::Result<()> {
    for _ in 0..count {
        let ended = tokio::time::timeout(SEARCH_MAX, searches.recv()).await;
        ended.context("no search ended in time")?.context("the clients are gone")??;
    }
    Ok(())
}

async fn workers_are_there(wired: &Wired, count: usize) -> anyhow::Result<()> {
    let started = Instant::now();
    let since = wired.clock.now() - chrono::TimeDelta::seconds(15);
    while wired.store.workers(QueueName::Search, since).await?.len() < count {
        ensure!(started.elapsed() < WORKERS_MAX, "the workers do not start");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}
