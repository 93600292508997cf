//! The running service: HTTP listener, workers, scheduler and graceful shutdown.

use crate::app::App;
use crate::backup::BackupSchedule;
use crate::running_service::RunningService;
use crate::secret_files;
use crate::trace_export::RunningExport;
use crate::workers::workers;
use anyhow::{Context, bail};
use domain::password::INITIAL_ADMIN;
use domain::ports::{QueueName, StoreError, TaskStore, UserStore, chain};
use domain::settings::Settings;
use domain::user::UserSpec;
use server::ReloadingAcceptor;
use std::collections::BTreeSet;
use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::Instrument;

/// A role that a process may have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Web,
    Queue(QueueName),
    /// The scheduler.
    Beat,
}

impl Role {
    pub fn all() -> BTreeSet<Self> {
        QueueName::ALL.into_iter().map(Self::Queue).chain([Self::Web, Self::Beat]).collect()
    }

    pub fn parse(text: &str) -> anyhow::Result<Self> {
        match text.trim() {
            "web" => Ok(Self::Web),
            "beat" => Ok(Self::Beat),
            name => match QueueName::parse(name) {
                Some(queue) => Ok(Self::Queue(queue)),
                None => {
                    bail!("'{name}' is not a role; use web, beat or a queue: {}", queue_names().join(", "))
                }
            },
        }
    }
}

fn queues_of(roles: &BTreeSet<Role>) -> BTreeSet<QueueName> {
    let queue = |role: &Role| if let Role::Queue(queue) = role { Some(*queue) } else { None };
    roles.iter().filter_map(queue).collect()
}

fn queue_names() -> Vec<&'static str> {
    QueueName::ALL.into_iter().map(QueueName::as_str).collect()
}

/// A service that runs until it is stopped.
pub struct Service {
    /// The address of the HTTP listener: the web role, or health and metrics only.
    pub address: Option<SocketAddr>,
    stop: watch::Sender<bool>,
    running: JoinSet<()>,
    /// Tasks that support the others and end last.
    background: JoinSet<()>,
    trace_export: Option<RunningExport>,
    app: App,
    has_clients: bool,
    _lock: Option<File>,
}

impl Service {
    /// Starts the roles. When this returns, every startup step has succeeded or failed.
    pub async fn start(app: App, roles: &BTreeSet<Role>) -> anyhow::Result<Self> {
        let lock = share_data_folder(&app).await?;
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        for worker in workers(&app, &queues_of(roles), roles.contains(&Role::Web)) {
            running.spawn(worker.serve(stopped.clone()));
        }
        if roles.contains(&Role::Beat) {
            let span = tracing::info_span!("scheduler", queue = "beats");
            running.spawn(app.scheduler().await?.serve(stopped.clone()).instrument(span.clone()));
            if let Some(backups) = BackupSchedule::of(&app) {
                running.spawn(backups.serve(stopped.clone()).instrument(span));
            }
        }
        let mut address = None;
        if let Some((port, option, router)) = listener_config(&app, roles) {
            let tls = ReloadingAcceptor::load(&app.settings).await?;
            let host = app.settings.host.as_str();
            let listener = TcpListener::bind((host, port)).await.with_context(|| {
                format!(
                    "cannot listen on {host}:{port}; choose another port with {option}, or another address \
                     with SVC_HOST"
                )
            })?;
            let local = listener.local_addr()?;
            address = Some(local);
            if roles.contains(&Role::Web) {
                record_address(&app, local);
            }
            running.spawn(serve_http(listener, tls, router, stopped, Arc::clone(&app.settings)));
        }
        let mut background = spawn_background(&app);
        if roles.contains(&Role::Queue(QueueName::Corpus)) {
            background.spawn(crate::corpus::startup::run(&app));
        }
        let trace_export = app.trace_export.as_ref().and_then(|export| export.start(app.clock.now()));
        let has_clients = roles.contains(&Role::Web);
        Ok(Self { address, stop, running, background, trace_export, app, has_clients, _lock: lock })
    }

    /// The base URL of the HTTP listener.
    pub fn url(&self) -> Option<String> {
        self.address.map(|address| format!("{}://{address}", self.app.settings.scheme()))
    }

    pub fn app(&self) -> &App {
        &self.app
    }

    /// Reports not ready to load balancers and keeps serving for `SVC_DRAIN`. Returns at once without the web role.
    pub async fn drain(&self) {
        self.app.state.begin_drain();
        if self.has_clients {
            tokio::time::sleep(self.app.settings.drain.0).await;
        }
    }

    /// Stops claiming tasks and accepting connections, waits for running work, and closes the database.
    pub async fn stop(mut self) {
        self.app.state.begin_drain();
        let _nobody_runs = self.stop.send(true);
        while self.running.join_next().await.is_some() {}
        if let Some(export) = self.trace_export.take() {
            export.stop().await;
        }
        self.app.authenticators.settle().await;
        self.background.shutdown().await;
        crate::license_monitor::record_day(&self.app.license, &*self.app.store).await;
        self.app.store.close().await;
    }
}

/// Starts the background tasks of every process: relay of search progress, polling of watched searches, license check.
pub(crate) fn spawn_background(app: &App) -> JoinSet<()> {
    let mut background = JoinSet::new();
    let federation = Arc::clone(&app.federation);
    background.spawn(async move { federation.waiter.poll_watched_searches().await });
    background.spawn(crate::license_monitor::watch(app));
    if let Some(relay) = app.relay.clone() {
        let federation = Arc::clone(&app.federation);
        background.spawn(async move { federation.progress.relay(&*relay).await });
    }
    background
}

/// The port, how to set it, and the router for a process with these roles; `None` if it serves no HTTP.
fn listener_config(app: &App, roles: &BTreeSet<Role>) -> Option<(u16, &'static str, axum::Router)> {
    let (settings, state) = (&app.settings, Arc::clone(&app.state));
    if roles.contains(&Role::Web) {
        return Some((settings.port, "--port or SVC_PORT", server::router(state)));
    }
    let port = settings.monitor_port;
    (port != 0).then(|| (port, "SVC_MONITOR_PORT", server::monitoring_router(state)))
}

/// Records the address for commands that look for the service.
fn record_address(app: &App, address: SocketAddr) {
    let recorded = RunningService::this_process(app.settings.scheme(), address)
        .and_then(|service| service.write(&app.data_dir));
    if let Err(error) = recorded {
        tracing::warn!("cannot record the address of the service: {}", chain(&*error));
    }
}

/// Serves HTTP until stopped, then lets open requests finish. Requests that exceed `SVC_STOP_GRACE` are aborted, so
/// that no client can block the shutdown.
async fn serve_http(
    listener: TcpListener,
    tls: Option<ReloadingAcceptor>,
    router: axum::Router,
    mut stopped: watch::Receiver<bool>,
    settings: Arc<Settings>,
) {
    let grace = settings.stop_grace.0;
    let mut stop = stopped.clone();
    let until_stopped = async move {
        let _stop = stop.wait_for(|stop| *stop).await;
    };
    let until_grace_ends = async move {
        drop(stopped.wait_for(|stop| *stop).await);
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        () = server::serve(listener, tls, router, &settings, until_stopped) => {}
        () = until_grace_ends => tracing::warn!("shutdown grace period over; open requests were aborted"),
    }
}

/// Locked by every service that runs on an SQLite data folder.
pub const SERVE_LOCK: &str = "serve.lock";

/// With SQLite, the first process on a data folder releases the tasks that a crash left leased, so that they resume at
/// once. PostgreSQL may be shared, so there the leases decide.
async fn share_data_folder(app: &App) -> anyhow::Result<Option<File>> {
    if !app.is_embedded() {
        return Ok(None);
    }
    let path = app.data_dir.join(SERVE_LOCK);
    let file = File::create(&path).with_context(|| format!("{} cannot be created", path.display()))?;
    if file.try_lock().is_ok() {
        let freed = app.store.release_all_tasks().await?;
        if freed > 0 {
            tracing::info!("resuming {freed} tasks of an earlier run");
        }
        file.unlock()?;
    }
    file.lock_shared()?;
    Ok(Some(file))
}

/// Creates the user `admin` if there are no users. Returns the password if it was generated.
pub async fn ensure_admin(app: &App) -> anyhow::Result<Option<String>> {
    if app.store.users(0, 1).await?.total > 0 {
        return Ok(None);
    }
    let given = app.settings.admin_password.expose().to_owned();
    let made = given.is_empty();
    let password = if made { secret_files::random_text(16) } else { given };
    let spec = UserSpec {
        username: INITIAL_ADMIN.to_owned(),
        password: Some(password.clone()),
        is_admin: true,
        ..UserSpec::default()
    };
    let errors = spec.check_new();
    anyhow::ensure!(errors.is_empty(), "SVC_ADMIN_PASSWORD: {errors}");
    if made {
        let path = app.data_dir.join(secret_files::PASSWORD_FILE);
        let _may_not_exist = std::fs::remove_file(&path);
        secret_files::write_private(&path, &password)?;
    }
    let hash = server::password::hash(&password)?;
    match app.by_command().create_user(spec, hash, app.clock.now()).await {
        Ok(_) => Ok(made.then_some(password)),
        Err(StoreError::Taken(_)) => Ok(None), // another process was first
        Err(error) => Err(error.into()),
    }
}
