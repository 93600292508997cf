//! Snowflake account: its name, or its address.

use crate::shared::remote_sql::base_url::BaseUrl;
use api_auth::host::is_within;
use syntax::error::SyntaxError;

const DOMAIN: &str = "snowflakecomputing.com";
/// Snowflake's own domains.
const DOMAINS: [&str; 2] = [DOMAIN, "snowflakecomputing.cn"];

#[derive(Debug, Clone)]
pub struct Account {
    pub base_url: BaseUrl,
    /// In upper case and without the region, as signed tokens name it.
    pub name: String,
}

impl Account {
    /// Parses `organization-account` or a URL. `named` is the account if the URL does not contain it.
    pub fn read(url: &str, named: Option<&str>) -> Result<Self, SyntaxError> {
        let url = url.trim();
        let base_url =
            if url.contains("://") { BaseUrl::parse(url)? } else { BaseUrl::parse(&address(url)?)? };
        let written = if url.contains("://") { base_url.host() } else { url };
        let first = written.split('.').next().unwrap_or_default();
        let name = named.unwrap_or(first).trim().to_uppercase();
        Ok(Self { base_url, name })
    }

    /// Whether the address is Snowflake's own, over TLS.
    pub fn is_at_vendor(&self) -> bool {
        let origin = &self.base_url.origin;
        origin.scheme == "https" && DOMAINS.iter().any(|domain| is_within(&origin.host, domain))
    }
}

/// The restricted character set of a name prevents it from pointing to another host.
fn address(name: &str) -> Result<String, SyntaxError> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_whole = !name.is_empty() && name.chars().all(is_name) && !name.split('.').any(str::is_empty);
    if !is_whole {
        return Err(
            format!("Use the account's name, organization-account, or https://<account>.{DOMAIN}.").into()
        );
    }
    let host = name.to_lowercase().replace('_', "-");
    Ok(if is_within(&host, DOMAIN) { format!("https://{host}") } else { format!("https://{host}.{DOMAIN}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_one_place() {
        let table = [
            ("MyOrg-My_Account", None, Some(("myorg-my-account.snowflakecomputing.com", "MYORG-MY_ACCOUNT"))),
            ("xy12345.eu-central-1", None, Some(("xy12345.eu-central-1.snowflakecomputing.com", "XY12345"))),
            ("xy.snowflakecomputing.com", None, Some(("xy.snowflakecomputing.com", "XY"))),
            ("https://xy.snowflakecomputing.com", None, Some(("xy.snowflakecomputing.com", "XY"))),
            ("http://127.0.0.1:9", Some("river"), Some(("127.0.0.1", "RIVER"))),
            // A look-alike is a name below the domain, never a host of its own.
            (
                "snowflakecomputing.com.evil",
                None,
                Some(("snowflakecomputing.com.evil.snowflakecomputing.com", "SNOWFLAKECOMPUTING")),
            ),
            ("evil.example/", None, None),
            ("evil.example#", None, None),
            ("evil.example?x=", None, None),
            ("user@evil.example", None, None),
            ("a..b", None, None),
            ("https://u:p@xy.snowflakecomputing.com", None, None),
            ("", None, None),
        ];
        for (url, named, want) in table {
            let account = Account::read(url, named).ok();
            let found = account.as_ref().map(|account| (account.base_url.host(), account.name.as_str()));
            assert_eq!(found, want, "{url}");
        }
        for (url, want) in [
            ("river", true),
            ("https://river.snowflakecomputing.cn", true),
            ("http://river.snowflakecomputing.com", false),
            ("https://snowflakecomputing.com.evil.example", false),
            ("https://evilsnowflakecomputing.com", false),
        ] {
            assert_eq!(Account::read(url, None).expect("an account").is_at_vendor(), want, "{url}");
        }
    }
}
