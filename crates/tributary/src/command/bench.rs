//! `tributary bench`: what the service adds to the time of its sources.

use crate::service::{Role, Service, ensure_admin};
use crate::terminal;
use crate::wiring::Wired;
use anyhow::{Context, ensure};
use axum::routing::get;
use axum::{Json, Router};
use clap::Args;
use domain::contracts::{Fetch, HttpMethod, HttpRequest, Origin, ProviderStore, TokenStore, UserStore};
use domain::ids::ProviderId;
use domain::provider::ProviderDraft;
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::TokenDraft;
use outbound::{Gate, GateLimits};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use url::Url;

/// Measure what the service adds to the time of its sources: local sources answer after a fixed delay,
/// `qs` is asked again and again, and the medians are compared.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary bench
  tributary bench --hanging
  tributary bench --sources 100 --searches 20 --json")]
pub struct Bench {
    /// Number of sources.
    #[arg(long, default_value_t = 10)]
    sources: u32,
    /// How long each source takes to answer.
    #[arg(long, default_value_t = 100)]
    delay_ms: u64,
    /// Number of searches, one after the other.
    #[arg(long, default_value_t = 100)]
    searches: u32,
    /// Add a source that never answers, open its breaker, and measure what it costs the others.
    #[arg(long)]
    hanging: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Searches before the measured ones, so that connections and caches are warm.
const WARM_UP: u32 = 5;
const RESULTS_PER_SOURCE: usize = 10;

/// The slowest answer of the current search, as the sources themselves measured it, in microseconds.
#[derive(Default)]
struct Slowest(AtomicU64);

impl Bench {
    pub async fn run(self) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let slowest = Arc::new(Slowest::default());
        let mut running = JoinSet::new();
        let sources = self.start_sources(Arc::clone(&slowest), &mut running).await?;
        let settings =
            Settings { port: 0, data_dir: folder.path().display().to_string(), ..Settings::default() };
        let wired = Wired::open(settings).await?;
        let token = self.prepare(&wired, &sources).await?;
        let service = Service::start(wired, &Role::all()).await?;
        let address = service.address.context("the bench has a web role")?;
        let client = Client::new(&format!("http://{address}"), token)?;

        let figures = self.measure(&client, &slowest).await?;
        let hanging = match self.hanging {
            true => {
                let hanging = Hanging::start(&mut running).await?;
                let id = hanging.add(service.wired()).await?;
                while service.wired().federation.source_state(id).is_none_or(|state| state.state == "closed")
                {
                    client.search(self.sources).await?;
                }
                Some(self.measure(&client, &slowest).await?)
            }
            false => None,
        };
        service.stop().await;
        self.report(&figures, hanging.as_ref());
        Ok(())
    }

    /// Searches one after the other; the first ones only warm up.
    async fn measure(&self, client: &Client, slowest: &Slowest) -> anyhow::Result<Figures> {
        let mut figures = Figures::default();
        let mut cpu_before = Duration::ZERO;
        for number in 0..WARM_UP + self.searches {
            if number == WARM_UP {
                cpu_before = cpu_time();
            }
            slowest.0.store(0, Ordering::Relaxed);
            let started = Instant::now();
            client.search(self.sources).await?;
            let total = started.elapsed();
            let source = Duration::from_micros(slowest.0.load(Ordering::Relaxed));
            if number >= WARM_UP {
                figures.totals.push(total);
                figures.added.push(total.saturating_sub(source));
            }
        }
        figures.cpu = cpu_time().saturating_sub(cpu_before) / self.searches.max(1);
        figures.totals.sort();
        figures.added.sort();
        Ok(figures)
    }

    async fn start_sources(
        &self,
        slowest: Arc<Slowest>,
        running: &mut JoinSet<()>,
    ) -> anyhow::Result<Vec<String>> {
        let delay = Duration::from_millis(self.delay_ms);
        let mut urls = Vec::new();
        for source in 0..self.sources {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            urls.push(format!("http://{}/", listener.local_addr()?));
            let slowest = Arc::clone(&slowest);
            let answer = Arc::new(answer(source));
            let app = Router::new().route(
                "/",
                get(move || async move {
                    let started = Instant::now();
                    tokio::time::sleep(delay).await;
                    let took = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
                    slowest.0.fetch_max(took, Ordering::Relaxed);
                    Json(Value::clone(&answer))
                }),
            );
            running.spawn(async move {
                let _until_the_end = axum::serve(listener, app).await;
            });
        }
        Ok(urls)
    }

    async fn prepare(&self, wired: &Wired, sources: &[String]) -> anyhow::Result<Secret> {
        ensure_admin(wired).await?;
        let admin = wired.store.user_by_name("admin").await?;
        let now = wired.clock.now();
        let draft = |(number, url): (usize, &String)| ProviderDraft {
            name: format!("Source {number}"),
            url: url.clone(),
            response_mappings: "FOUND=total,RESULTS=items".to_owned(),
            result_mappings: "title=title,body=body,url=url,date_published=date".to_owned(),
            ..ProviderDraft::default()
        };
        let drafts = sources.iter().enumerate().map(draft).collect();
        wired.store.create_providers(drafts, admin.id, now).await?;
        let made = server::token::make();
        wired.store.create_token(admin.id, TokenDraft::default(), made.hash, made.prefix, now).await?;
        Ok(made.token)
    }

    fn report(&self, figures: &Figures, hanging: Option<&Figures>) {
        let (total, added) = (share(&figures.totals, 0.5), share(&figures.added, 0.5));
        let ratio = rounded(total / (total - added));
        let hanging_ratio = hanging.map(|with| rounded(share(&with.totals, 0.5) / total));
        if self.json {
            return terminal::line(json!({
                "sources": self.sources,
                "delay_ms": self.delay_ms,
                "searches": self.searches,
                "total_ms": { "median": total, "p95": share(&figures.totals, 0.95) },
                "added_ms": { "median": added, "p95": share(&figures.added, 0.95) },
                "ratio": ratio,
                "cpu_ms_per_search": ms(figures.cpu),
                "hanging_ratio": hanging_ratio,
            }));
        }
        terminal::line(format!(
            "{} sources of {} ms, {} searches",
            self.sources, self.delay_ms, self.searches
        ));
        terminal::line(format!(
            "  total    median {total:>7.1} ms   p95 {:>7.1} ms",
            share(&figures.totals, 0.95)
        ));
        terminal::line(format!(
            "  added    median {added:>7.1} ms   p95 {:>7.1} ms",
            share(&figures.added, 0.95)
        ));
        terminal::line(format!("  ratio    {ratio} (total / slowest source)"));
        terminal::line(format!("  CPU      {} ms per search, sources and client included", ms(figures.cpu)));
        if let Some(ratio) = hanging_ratio {
            terminal::line(format!(
                "  hanging  {ratio} (total with a source that hangs, its breaker open / without)"
            ));
        }
    }
}

/// Sorted times of a series of searches, and the CPU time of one.
#[derive(Default)]
struct Figures {
    totals: Vec<Duration>,
    added: Vec<Duration>,
    cpu: Duration,
}

/// Milliseconds with one decimal.
fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}

/// The time that this share of the searches did not exceed.
fn share(sorted: &[Duration], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    ms(sorted.get((last as f64 * share).round() as usize).copied().unwrap_or_default())
}

fn rounded(ratio: f64) -> f64 {
    (ratio * 1000.0).round() / 1000.0
}

/// A source that takes requests and never answers.
struct Hanging {
    url: String,
}

impl Hanging {
    async fn start(running: &mut JoinSet<()>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}/", listener.local_addr()?);
        running.spawn(async move {
            let mut open = Vec::new();
            while let Ok((connection, _)) = listener.accept().await {
                open.push(connection);
            }
        });
        Ok(Self { url })
    }

    /// Adds it as a provider that is given a quarter of a second.
    async fn add(&self, wired: &Wired) -> anyhow::Result<ProviderId> {
        let admin = wired.store.user_by_name("admin").await?;
        let usage = json!({"swirl": {"connector_use": {"timeout": 0.25}}});
        let draft = ProviderDraft {
            name: "Hanging".to_owned(),
            url: self.url.clone(),
            config: serde_json::from_value(usage)?,
            ..ProviderDraft::default()
        };
        let added = wired.store.create_providers(vec![draft], admin.id, wired.clock.now()).await?;
        Ok(added.first().context("one was added")?.id)
    }
}

/// What one source answers: ten short texts, alike but not the same.
fn answer(source: u32) -> Value {
    const TEXT: &str = "The river rose by two metres in a night and the level sensor at the old bridge reported every \
                        minute of it, which let the wardens close the lower road well before the water came.";
    let item = |number: usize| {
        json!({
            "title": format!("River report {number} of station {source}"),
            "body": format!("{TEXT} Station {source}, report {number}."),
            "url": format!("https://station{source}.example/report/{number}"),
            "date": "2024-05-01",
        })
    };
    let items: Vec<Value> = (0..RESULTS_PER_SOURCE).map(item).collect();
    json!({ "total": items.len(), "items": items })
}

/// A client of the service, through the gate like everything that goes out.
struct Client {
    gate: Gate,
    request: HttpRequest,
}

impl Client {
    fn new(base: &str, token: Secret) -> anyhow::Result<Self> {
        let url = Url::parse(&format!("{base}/svc/search/?qs=river+level"))?;
        let limits = GateLimits {
            connect: Duration::from_secs(3),
            read: Duration::from_secs(60),
            body_bytes_max: 64 * 1024 * 1024,
            redirects_max: 0,
            allow: Vec::new(),
        };
        let request = HttpRequest {
            method: HttpMethod::Get,
            origin: Origin::of(&url, true).context("the address has a port")?,
            url,
            headers: Vec::new(),
            secret_headers: vec![(
                "Authorization".to_owned(),
                Secret::new(format!("Token {}", token.expose())),
            )],
            body: None,
            secrets: Vec::new(),
            time_max: Duration::from_secs(60),
            tls: None,
        };
        Ok(Self { gate: Gate::new(limits)?, request })
    }

    async fn search(&self, sources: u32) -> anyhow::Result<()> {
        let response = self.gate.fetch(&self.request).await?;
        ensure!(response.status == 200, "the service answered {}", response.status);
        let body: Value = serde_json::from_slice(&response.body)?;
        let answered = body["info"]["completeness"]["answered"].as_u64();
        ensure!(answered == Some(u64::from(sources)), "only {answered:?} of {sources} sources answered");
        Ok(())
    }
}

/// CPU time of this process so far; zero where the system does not tell.
fn cpu_time() -> Duration {
    const TICKS_PER_SECOND: u64 = 100; // what Linux reports in, on every machine it runs on
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
    let ticks: u64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}
