//! Scaling: one process, web and one worker, and web and two workers, each under the same load. Sources and clients run
//! in this process, so that the CPU time of the others is that of the service alone.

use super::Bench;
use super::load::Load;
use super::nodes::Node;
use super::process_stats::cpu_of_families;
use super::servers::{Servers, ensure_empty};
use super::sources::{self, Sources};
use crate::app::{App, FileReaders};
use crate::command::CliContext;
use crate::secret_files;
use anyhow::{Context, ensure};
use domain::ports::{QueueName, TaskStore};
use domain::secret::Secret;
use domain::settings::Settings;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Clients per concurrent search: enough that two workers never find the queue empty, although a client learns of
/// results from another process with a delay.
const CLIENTS_PER_SLOT: u32 = 12;
/// Warm-up rounds per client.
const WARM_UP_ROUNDS: u32 = 2;
/// Time limit until workers send heartbeats.
const WORKERS_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const WORKER_ROLES: &str = "search,page_fetch,interactive,maintenance,corpus,health_check,beat";

/// Measurements of one deployment form.
struct Figures {
    form: &'static str,
    per_second: f64,
    /// CPU time per search, summed over the processes of the service.
    cpu_ms: f64,
    /// CPU time per search of the additional processes.
    beside_ms: f64,
}

impl Bench {
    pub(super) async fn scaling(&self, cli: &CliContext) -> anyhow::Result<()> {
        let servers = self.cluster_servers(cli)?;
        let folder = tempfile::tempdir()?;
        let sources = Sources::start(self.workload()).await?;
        let mut figures = vec![self.embedded(&folder.path().join("embedded"), &sources).await?];
        figures.extend(self.cluster(folder.path(), &servers, &sources).await?);
        let queue = servers.queue_name();
        self.publish(&self.scale_record(&figures, queue), || self.scale_table(&figures, queue))
    }

    /// Measures one process with all roles on SQLite.
    async fn embedded(&self, folder: &Path, sources: &Sources) -> anyhow::Result<Figures> {
        let settings = Settings { data_dir: folder.display().to_string(), ..Settings::default() };
        let app = App::build(settings, FileReaders::ChildProcesses).await?;
        sources.install(&app).await?;
        let users = sources::users(&app, self.scale_clients()).await?;
        app.store.close().await;
        let mut node = Node::start(&self.program()?, folder, None, &[self.concurrency_setting()])?;
        let address = node.address().await?;
        self.under_load("embedded: one process", &address, &users, &[node]).await
    }

    /// Measures web and one worker, then adds a second worker.
    async fn cluster(
        &self,
        folder: &Path,
        servers: &Servers,
        sources: &Sources,
    ) -> anyhow::Result<Vec<Figures>> {
        let key = secret_files::random_text(32);
        let own = folder.join("bench");
        let app = App::build(
            Settings {
                data_dir: own.display().to_string(),
                database_url: servers.database.clone(),
                secret_key: Secret::new(key.clone()),
                ..Settings::default()
            },
            FileReaders::ChildProcesses,
        )
        .await?;
        ensure_empty(&app).await?;
        sources.install(&app).await?;
        let users = sources::users(&app, self.scale_clients()).await?;
        let mut settings = vec![self.concurrency_setting(), ("SVC_SECRET_KEY", key)];
        settings.extend(servers.settings());
        let program = self.program()?;
        let mut web = Node::start(&program, &folder.join("web"), Some("web"), &settings)?;
        let address = web.address().await?;
        let mut nodes = vec![web];
        let mut figures = Vec::new();
        for form in ["cluster: web and 1 worker", "cluster: web and 2 workers"] {
            let name = format!("worker-{}", nodes.len());
            nodes.push(Node::start(&program, &folder.join(name), Some(WORKER_ROLES), &settings)?);
            wait_for_workers(&app, nodes.len() - 1).await?;
            figures.push(self.under_load(form, &address, &users, &nodes).await?);
        }
        drop(nodes);
        app.store.close().await;
        Ok(figures)
    }

    fn concurrency_setting(&self) -> (&'static str, String) {
        ("SVC_SEARCH_CONCURRENCY", self.concurrency.to_string())
    }

    fn scale_clients(&self) -> u32 {
        self.concurrency * CLIENTS_PER_SLOT
    }

    /// Measures under constant load, which starts before the first measured search and ends after the last. Every
    /// client is a separate user.
    async fn under_load(
        &self,
        form: &'static str,
        address: &str,
        users: &[Secret],
        nodes: &[Node],
    ) -> anyhow::Result<Figures> {
        let mut load = Load::start(address, users, self.sources)?;
        load.wait_for(self.scale_clients() * WARM_UP_ROUNDS).await?;
        let (started, cpu, beside) = (Instant::now(), cpu_of_all(nodes)?, cpu_of_families(&self.beside));
        load.wait_for(self.searches).await?;
        let took = started.elapsed();
        let cpu = cpu_of_all(nodes)?.saturating_sub(cpu);
        let beside = cpu_of_families(&self.beside).saturating_sub(beside);
        load.stop().await;
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
            "clients": self.scale_clients(),
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
            self.scale_clients(),
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

    /// The last column, if requested.
    fn beside_text(&self, text: impl FnOnce() -> String) -> String {
        if self.beside.is_empty() { String::new() } else { text() }
    }
}

/// CPU time per search relative to the first form.
fn times_embedded(row: &Figures, figures: &[Figures]) -> f64 {
    figures.first().map_or(0.0, |first| row.cpu_ms / first.cpu_ms)
}

fn cpu_of_all(nodes: &[Node]) -> anyhow::Result<Duration> {
    let cpu = |node: &Node| node.cpu()?.context("the system does not report the CPU time of a process");
    nodes.iter().map(cpu).sum()
}

async fn wait_for_workers(app: &App, count: usize) -> anyhow::Result<()> {
    let started = Instant::now();
    let since = app.clock.now() - chrono::TimeDelta::seconds(15);
    while app.store.workers(QueueName::Search, since).await?.len() < count {
        ensure!(started.elapsed() < WORKERS_MAX, "the workers did not start in time");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}
