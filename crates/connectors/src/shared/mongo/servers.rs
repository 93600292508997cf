//! The servers of one connection address, each with a driver of its own that speaks to it and to no other: a server
//! cannot send a reader where the guarded client was not asked.

use crate::shared::check::config_error;
use domain::contracts::{ConnectorError, ConnectorErrorKind, Dial, Origin};
use domain::secret::Secret;
use domain::validation::FieldErrors;
use moka::sync::Cache;
use mongodb::Client;
use mongodb::error::{Error, ErrorKind};
use mongodb::event::EventHandler;
use mongodb::event::sdam::SdamEvent;
use mongodb::options::{ClientOptions, ReadPreference, SelectionCriteria, ServerAddress, Tls};
use sha2::{Digest, Sha256};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::watch;

/// Addresses whose connections are kept, and how long after the last question.
const PLACES_MAX: u64 = 200;
const PLACE_IDLE: Duration = Duration::from_secs(300);
/// Servers of one address that are asked, one after the other, until one answers.
pub const SERVERS_MAX: usize = 8;
/// Connections to one server, and how long an idle one stays.
const CONNECTIONS_MAX: u32 = 8;
const CONNECTION_IDLE: Duration = Duration::from_secs(60);
/// Time to open a connection before the next server is tried.
const CONNECT_TIME: Duration = Duration::from_secs(5);
const PORT: u16 = 27017;

/// Connections outlive the search that opened them. Found by a hash of the address, which holds the login.
static KEPT: LazyLock<Cache<[u8; 32], Arc<Vec<Server>>>> =
    LazyLock::new(|| Cache::builder().max_capacity(PLACES_MAX).time_to_idle(PLACE_IDLE).build());

pub struct Server {
    pub client: Client,
    pub is_sealed: bool,
    /// The last failure of the driver to reach the server.
    failures: watch::Sender<Option<Error>>,
}

impl Server {
    /// Ends when the server cannot be reached. The driver itself would go on trying until its time is over.
    pub async fn failure(&self) -> Error {
        let mut failures = self.failures.subscribe();
        loop {
            let changed = failures.changed().await;
            if let Some(error) = failures.borrow_and_update().clone() {
                return error;
            }
            if changed.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// The servers of an address. Each passes the guarded client before a connection is opened.
pub async fn at(address: &Secret, dial: &dyn Dial) -> Result<Arc<Vec<Server>>, ConnectorError> {
    let key: [u8; 32] = Sha256::digest(address.expose()).into();
    if let Some(kept) = KEPT.get(&key) {
        return Ok(kept);
    }
    let options = ClientOptions::parse(address.expose()).await.map_err(|error| unresolved(&error))?;
    let mut servers = Vec::new();
    for host in options.hosts.iter().take(SERVERS_MAX) {
        let ServerAddress::Tcp { host: name, port } = host else {
            return Err(wrong("A server is reached by its host, not by a file."));
        };
        let port = port.unwrap_or(PORT);
        let origin = Origin { scheme: "mongodb".to_owned(), host: name.clone(), port, is_trusted: true };
        dial.admit(&origin).await?;
        servers.push(server(&options, host)?);
    }
    let servers = Arc::new(servers);
    KEPT.insert(key, Arc::clone(&servers));
    Ok(servers)
}

fn server(options: &ClientOptions, host: &ServerAddress) -> Result<Server, ConnectorError> {
    let (failures, _) = watch::channel(None);
    let heard = failures.clone();
    let mut options = options.clone();
    options.hosts = vec![host.clone()];
    if options.load_balanced != Some(true) {
        options.direct_connection = Some(true);
    }
    options.app_name = Some(domain::SERVICE_NAME.to_owned());
    options.max_pool_size = Some(options.max_pool_size.unwrap_or(CONNECTIONS_MAX).min(CONNECTIONS_MAX));
    options.min_pool_size = None;
    options.max_idle_time = Some(CONNECTION_IDLE);
    options.connect_timeout = Some(options.connect_timeout.unwrap_or(CONNECT_TIME).min(CONNECT_TIME));
    options.selection_criteria.get_or_insert_with(|| {
        SelectionCriteria::ReadPreference(ReadPreference::SecondaryPreferred { options: None })
    });
    options.sdam_event_handler = Some(EventHandler::callback(move |event| {
        if let SdamEvent::ServerHeartbeatFailed(event) = event {
            heard.send_replace(Some(event.failure));
        }
    }));
    let is_sealed = matches!(options.tls, Some(Tls::Enabled(_)));
    let client = Client::with_options(options).map_err(|error| match *error.kind {
        ErrorKind::InvalidTlsConfig { .. } => {
            let message = "the files of the connection address for TLS cannot be read";
            ConnectorError::new(ConnectorErrorKind::Untrusted, message)
        }
        _ => wrong("The options of the connection address do not go together."),
    })?;
    Ok(Server { client, is_sealed, failures })
}

fn unresolved(error: &Error) -> ConnectorError {
    match *error.kind {
        ErrorKind::DnsResolve { .. } => {
            let message = "the servers of the connection address cannot be found by their domain";
            ConnectorError::new(ConnectorErrorKind::Unavailable, message)
        }
        _ => wrong("The connection address cannot be read."),
    }
}

fn wrong(sentence: &str) -> ConnectorError {
    config_error(&FieldErrors::one("credentials", sentence.to_owned()))
}
