//! MongoDB clients: one per server of a connection string, each limited to that server, so that a server cannot
//! redirect to an address that the guarded client has not checked.

use domain::ports::{AddressResolver, ConnectorError, ConnectorErrorKind, Origin};
use domain::secret::Secret;
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

/// Most connection strings with open clients, and how long an unused one is kept.
const ADDRESSES_MAX: u64 = 200;
const ADDRESS_IDLE: Duration = Duration::from_secs(300);
/// Most servers of one connection string that are tried.
pub const SERVERS_MAX: usize = 8;
/// Connections to one server, and how long an idle one is kept.
const CONNECTIONS_MAX: u32 = 8;
const CONNECTION_IDLE: Duration = Duration::from_secs(60);
/// Time to open a connection before the next server is tried.
const CONNECT_TIME: Duration = Duration::from_secs(5);
const PORT: u16 = 27017;

/// Clients outlive the search that opened them. The key is a hash of the connection string, which contains the login.
static CLIENTS: LazyLock<Cache<[u8; 32], Arc<Vec<Server>>>> =
    LazyLock::new(|| Cache::builder().max_capacity(ADDRESSES_MAX).time_to_idle(ADDRESS_IDLE).build());

pub struct Server {
    pub client: Client,
    pub uses_tls: bool,
    /// The last connection failure reported by the driver.
    failures: watch::Sender<Option<Error>>,
}

impl Server {
    /// Resolves when the server cannot be reached. The driver itself would retry until its timeout.
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

/// The clients of a connection string. Each server is checked by the guarded client first.
pub async fn connect(
    address: &Secret,
    resolver: &dyn AddressResolver,
) -> Result<Arc<Vec<Server>>, ConnectorError> {
    let key: [u8; 32] = Sha256::digest(address.expose()).into();
    if let Some(servers) = CLIENTS.get(&key) {
        return Ok(servers);
    }
    let options = ClientOptions::parse(address.expose()).await.map_err(|error| unresolved(&error))?;
    let mut servers = Vec::new();
    for host in options.hosts.iter().take(SERVERS_MAX) {
        let ServerAddress::Tcp { host: name, port } = host else {
            return Err(wrong("A server must be given by its host, not by a socket file."));
        };
        let port = port.unwrap_or(PORT);
        let origin = Origin { scheme: "mongodb".to_owned(), host: name.clone(), port, is_trusted: true };
        resolver.admit(&origin).await?;
        servers.push(server(&options, host)?);
    }
    let servers = Arc::new(servers);
    CLIENTS.insert(key, Arc::clone(&servers));
    Ok(servers)
}

fn server(options: &ClientOptions, host: &ServerAddress) -> Result<Server, ConnectorError> {
    let (failures, _) = watch::channel(None);
    let sender = failures.clone();
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
            sender.send_replace(Some(event.failure));
        }
    }));
    let uses_tls = matches!(options.tls, Some(Tls::Enabled(_)));
    let client = Client::with_options(options).map_err(|error| match *error.kind {
        ErrorKind::InvalidTlsConfig { .. } => {
            let message = "the TLS files of the connection string cannot be read";
            ConnectorError::new(ConnectorErrorKind::Untrusted, message)
        }
        _ => wrong("The options of the connection string contradict each other."),
    })?;
    Ok(Server { client, uses_tls, failures })
}

fn unresolved(error: &Error) -> ConnectorError {
    match *error.kind {
        ErrorKind::DnsResolve { .. } => {
            let message = "the servers of the connection string cannot be resolved";
            ConnectorError::new(ConnectorErrorKind::Unavailable, message)
        }
        _ => wrong("The connection string is not valid."),
    }
}

fn wrong(sentence: &str) -> ConnectorError {
    ConnectorError::in_field("credentials", sentence)
}
