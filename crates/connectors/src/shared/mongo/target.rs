//! The address of a collection: `database:collection` with the connection string in the credentials, or
//! `mongodb://host:port/database:collection` with `user:password` in the credentials.

use crate::shared::dsn;
use domain::ports::ConnectorError;
use domain::secret::Secret;
use mongodb::options::ConnectionString;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use syntax::credentials::SourceCredentials;

const SCHEMES: [&str; 2] = ["mongodb://", "mongodb+srv://"];
const NEEDED: &str = "Use database:collection and put the connection string into credentials, \
                      or use mongodb://host:27017/database:collection.";
/// Longest name of a database or collection.
const NAME_BYTES_MAX: usize = 255;

#[derive(Debug, Clone)]
pub struct CollectionTarget {
    pub database: String,
    pub collection: String,
    /// The connection string with its login.
    pub address: Secret,
    /// The server for display; a connection string from the credentials is not shown.
    pub shown: String,
}

impl CollectionTarget {
    pub fn of(url: &str, credentials: &SourceCredentials) -> Result<Self, ConnectorError> {
        let url = url.trim();
        let scheme = SCHEMES.into_iter().find(|scheme| url.starts_with(scheme));
        let (path, address, shown) = match scheme {
            Some(scheme) => from_address(scheme, &url[scheme.len()..], credentials)?,
            None => (url, from_credentials(credentials)?, "the MongoDB server".to_owned()),
        };
        let (database, collection) =
            path.split_once(':').ok_or_else(|| ConnectorError::in_field("url", NEEDED))?;
        if !is_name(database, "/\\. \"$*<>:|?") || !is_name(collection, "$") {
            return Err(ConnectorError::in_field("url", NEEDED));
        }
        let field = if scheme.is_some() { "url" } else { "credentials" };
        // Error messages of the driver may repeat parts of the connection string.
        ConnectionString::parse(address.expose()).map_err(|_| {
            let sentence = "The connection string is not valid: mongodb://user:password@host:27017/?option=value, \
                            with special characters percent-encoded.";
            ConnectorError::in_field(field, sentence)
        })?;
        Ok(Self { database: database.to_owned(), collection: collection.to_owned(), address, shown })
    }
}

fn from_credentials(credentials: &SourceCredentials) -> Result<Secret, ConnectorError> {
    match credentials {
        SourceCredentials::Plain(text) if SCHEMES.iter().any(|scheme| text.expose().starts_with(scheme)) => {
            Ok(text.clone())
        }
        _ => Err(ConnectorError::in_field(
            "credentials",
            "Credentials are a connection string: mongodb://user:password@host/.",
        )),
    }
}

/// The path of the address, the connection string with the login, and the hosts.
fn from_address<'u>(
    scheme: &str,
    rest: &'u str,
    credentials: &SourceCredentials,
) -> Result<(&'u str, Secret, String), ConnectorError> {
    let (hosts, rest) = rest.split_once('/').ok_or_else(|| ConnectorError::in_field("url", NEEDED))?;
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    if hosts.contains('@') {
        let sentence = "Put the user and the password into credentials, as user:password.";
        return Err(ConnectorError::in_field("url", sentence));
    }
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let login = match (credentials, dsn::login(credentials)) {
        (SourceCredentials::None, _) => String::new(),
        (_, Some((user, password))) => format!("{}:{}@", encoded(&user), encoded(password.expose())),
        _ => return Err(ConnectorError::in_field("credentials", "Credentials are user:password.")),
    };
    let address = Secret::new(format!("{scheme}{login}{hosts}/?{options}"));
    Ok((path, address, hosts.to_owned()))
}

fn is_name(name: &str, refused: &str) -> bool {
    !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && !name.chars().any(|c| c == '\0' || refused.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, credentials: &str) -> Result<(String, String, String), &'static str> {
        let credentials = SourceCredentials::parse(&Secret::new(credentials)).expect("credentials");
        let target = CollectionTarget::of(url, &credentials).map_err(|error| {
            assert!(!error.message.contains("hush"), "{error}");
            error.field.expect("a field")
        })?;
        Ok((target.database, target.collection, target.address.expose().to_owned()))
    }

    #[test]
    fn both_forms_are_read() {
        let found = |address: &str| Ok(("films".to_owned(), "movies.new".to_owned(), address.to_owned()));
        let long = format!("films:{}", "x".repeat(NAME_BYTES_MAX + 1));
        let table = [
            ("films:movies.new", "mongodb://u:p@h:1/?tls=true", found("mongodb://u:p@h:1/?tls=true")),
            (
                "films:movies.new",
                "mongodb+srv://u:p@h.example.org/",
                found("mongodb+srv://u:p@h.example.org/"),
            ),
            (
                "mongodb://h:1/films:movies.new?tls=true",
                "u:p@/?",
                found("mongodb://u:p%40%2F%3F@h:1/?tls=true"),
            ),
            ("mongodb://a:1,b:2/films:movies.new", "", found("mongodb://a:1,b:2/?")),
            ("mongodb://u:hush@h/films:movies", "u:p", Err("url")),
            ("mongodb://h/films", "u:p", Err("url")),
            ("mongodb://h", "u:p", Err("url")),
            ("mongodb://h/films:movies", "bearer=x", Err("credentials")),
            ("mongodb://h/films:movies?tls=perhaps", "u:p", Err("url")),
            ("films:movies", "u:hush", Err("credentials")),
            ("films:movies", "mongodb://u:hush@", Err("credentials")),
            ("fi$lms:movies", "mongodb://u:p@h/", Err("url")),
            ("films:$cmd", "mongodb://u:p@h/", Err("url")),
            ("films:", "mongodb://u:p@h/", Err("url")),
            (&long, "mongodb://u:p@h/", Err("url")),
        ];
        for (url, credentials, want) in table {
            assert_eq!(of(url, credentials), want, "{url} {credentials}");
        }
    }
}
