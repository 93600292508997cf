//! The running service: doors, workers, and how they stop.

use crate::backup::BackupSchedule;
use crate::keys;
use crate::wiring::Wired;
use crate::workers::workers;
use anyhow::{Context, bail};
use domain::contracts::{QueueName, StoreError, TaskStore, UserStore};
use domain::password::INITIAL_ADMIN;
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

/// The parts of the service that one process may play.
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
    /// Where it listens: the doors of the web role, or those of health and metrics alone.
    pub address: Option<SocketAddr>,
    stop: watch::Sender<bool>,
    running: JoinSet<()>,
    /// What serves the others, until nothing runs any more.
    background: JoinSet<()>,
    wired: Wired,
    has_clients: bool,
    _alone: Option<File>,
}

impl Service {
    /// Starts the roles. Everything that can fail at start has failed or succeeded when this returns.
    pub async fn start(wired: Wired, roles: &BTreeSet<Role>) -> anyhow::Result<Self> {
        let alone = share_data_folder(&wired).await?;
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        for worker in workers(&wired, &queues_of(roles), roles.contains(&Role::Web)) {
            running.spawn(worker.serve(stopped.clone()));
        }
        if roles.contains(&Role::Beat) {
            let span = tracing::info_span!("scheduler", queue = "beats");
            running.spawn(wired.scheduler().await?.serve(stopped.clone()).instrument(span.clone()));
            if let Some(backups) = BackupSchedule::of(&wired) {
                running.spawn(backups.serve(stopped.clone()).instrument(span));
            }
        }
        let mut address = None;
        if let Some((port, setting, router)) = doors_of(&wired, roles) {
            let tls = ReloadingAcceptor::load(&wired.settings).await?;
            let host = wired.settings.host.as_str();
            let listener = TcpListener::bind((host, port))
                .await
                .with_context(|| format!("{host}:{port} cannot be listened on; set SVC_HOST or {setting}"))?;
            address = Some(listener.local_addr()?);
            running.spawn(doors(listener, tls, router, stopped, Arc::clone(&wired.settings)));
        }
        let mut background = exchange(&wired);
        if roles.contains(&Role::Queue(QueueName::Corpus)) {
            background.spawn(crate::cache::tend(&wired));
        }
        let has_clients = roles.contains(&Role::Web);
        Ok(Self { address, stop, running, background, wired, has_clients, _alone: alone })
    }

    /// Where it listens, with its scheme.
    pub fn url(&self) -> Option<String> {
        self.address.map(|address| format!("{}://{address}", self.wired.settings.scheme()))
    }

    pub fn wired(&self) -> &Wired {
        &self.wired
    }

    /// Tells load balancers to leave and serves on until they have. Who serves no clients has nothing to wait for.
    pub async fn drain(&self) {
        self.wired.state.send_clients_away();
        if self.has_clients {
            tokio::time::sleep(self.wired.settings.drain.0).await;
        }
    }

    /// Stops claiming and accepting, waits for what runs, closes the database.
    pub async fn stop(mut self) {
        self.wired.state.send_clients_away();
        let _nobody_runs = self.stop.send(true);
        while self.running.join_next().await.is_some() {}
        self.wired.authenticators.settle().await;
        self.background.shutdown().await;
        crate::license::keep_day(&self.wired.license, &*self.wired.store).await;
        self.wired.store.close().await;
    }
}

/// Tells other processes what happens to searches here, hears it from them, and looks after searches that are followed.
pub(crate) fn exchange(wired: &Wired) -> JoinSet<()> {
    let mut background = JoinSet::new();
    let federation = Arc::clone(&wired.federation);
    background.spawn(async move { federation.look_out().await });
    background.spawn(crate::license::watch(wired));
    if let Some(relay) = wired.relay.clone() {
        let federation = Arc::clone(&wired.federation);
        background.spawn(async move { federation.events().exchange(&*relay).await });
    }
    background
}

/// Which doors a process with these roles has, on which port, and which setting names it.
fn doors_of(wired: &Wired, roles: &BTreeSet<Role>) -> Option<(u16, &'static str, axum::Router)> {
    let (settings, state) = (&wired.settings, Arc::clone(&wired.state));
    if roles.contains(&Role::Web) {
        return Some((settings.port, "SVC_PORT", server::router(state)));
    }
    let port = settings.monitor_port;
    (port != 0).then(|| (port, "SVC_MONITOR_PORT", server::monitoring_router(state)))
}

/// Serves until stopped, then ends what runs. What does not end within `SVC_STOP_GRACE` is cut off:
/// one client that never ends its request must not hold the process.
async fn doors(
    listener: TcpListener,
    tls: Option<ReloadingAcceptor>,
    router: axum::Router,
    mut stopped: watch::Receiver<bool>,
    settings: Arc<Settings>,
) {
    let grace = settings.stop_grace.0;
    let mut told = stopped.clone();
    let until_stopped = async move {
        let _stop = told.wait_for(|stop| *stop).await;
    };
    let until_too_late = async move {
        drop(stopped.wait_for(|stop| *stop).await);
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        () = server::serve(listener, tls, router, &settings, until_stopped) => {}
        () = until_too_late => tracing::warn!("stopped with requests still open; they are cut off"),
    }
}

/// Every service that runs on a data folder, in the embedded form, holds this file of it.
pub const SERVE_LOCK: &str = "serve.lock";

/// In the embedded form, the first process on a data folder frees the tasks that a crash left held,
/// so that they go on at once and not when their leases end. PostgreSQL may be shared: leases decide there.
async fn share_data_folder(wired: &Wired) -> anyhow::Result<Option<File>> {
    if !wired.is_embedded() {
        return Ok(None);
    }
    let path = wired.data_dir.join(SERVE_LOCK);
    let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    if file.try_lock().is_ok() {
        let freed = wired.store.release_all_tasks().await?;
        if freed > 0 {
            tracing::info!("{freed} tasks of an earlier run go on");
        }
        file.unlock()?;
    }
    file.lock_shared()?;
    Ok(Some(file))
}

/// Creates the user `admin` when there is no user yet. The password, if it was made here.
pub async fn ensure_admin(wired: &Wired) -> anyhow::Result<Option<String>> {
    if wired.store.users(0, 1).await?.total > 0 {
        return Ok(None);
    }
    let given = wired.settings.admin_password.expose().to_owned();
    let made = given.is_empty();
    let password = if made { keys::random_text(16) } else { given };
    let spec = UserSpec {
        username: INITIAL_ADMIN.to_owned(),
        password: Some(password.clone()),
        is_admin: true,
        ..UserSpec::default()
    };
    let errors = spec.check(true);
    anyhow::ensure!(errors.is_empty(), "SVC_ADMIN_PASSWORD: {errors}");
    if made {
        let path = wired.data_dir.join(keys::PASSWORD_FILE);
        let _an_old_one = std::fs::remove_file(&path);
        keys::write_private(&path, &password)?;
    }
    let hash = server::password::hash(&password)?;
    match wired.by_command().create_user(spec, hash, wired.clock.now()).await {
        Ok(_) => Ok(made.then_some(password)),
        Err(StoreError::Taken(_)) => Ok(None), // another process was first
        Err(error) => Err(error.into()),
    }
}
