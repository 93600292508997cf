//! The account of a warehouse: its name, or the address at which it answers.

use crate::shared::remote_sql::site::Site;

const DOMAIN: &str = "snowflakecomputing.com";
/// The vendor's own domains.
const DOMAINS: [&str; 2] = [DOMAIN, "snowflakecomputing.cn"];

#[derive(Debug, Clone)]
pub struct Account {
    pub site: Site,
    /// In capitals and without its region, as signed tokens name it.
    pub name: String,
}

impl Account {
    /// `organisation-account`, or an address. `named` is the account when its address does not say it.
    pub fn read(url: &str, named: Option<&str>) -> Result<Self, String> {
        let url = url.trim();
        let site = match url.contains("://") {
            true => Site::read(url)?,
            false => Site::read(&address(url)?)?,
        };
        let written = if url.contains("://") { site.host() } else { url };
        let first = written.split('.').next().unwrap_or_default();
        let name = named.unwrap_or(first).trim().to_uppercase();
        Ok(Self { site, name })
    }

    /// At the vendor itself, over TLS.
    pub fn is_at_vendor(&self) -> bool {
        let origin = &self.site.origin;
        origin.scheme == "https" && DOMAINS.iter().any(|domain| Site::is_within(&origin.host, domain))
    }
}

/// Only letters, digits and `-` `_` `.` stand in a name, so that it can lead to no other place.
fn address(name: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_whole = !name.is_empty() && name.chars().all(is_name) && !name.split('.').any(str::is_empty);
    if !is_whole {
        return Err(format!("Use the account's name, organisation-account, or https://<account>.{DOMAIN}."));
    }
    let host = name.to_lowercase().replace('_', "-");
    Ok(match Site::is_within(&host, DOMAIN) {
        true => format!("https://{host}"),
        false => format!("https://{host}.{DOMAIN}"),
    })
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
            // A look-alike is a name below the domain, never a place of its own.
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
            let found = account.as_ref().map(|account| (account.site.host(), account.name.as_str()));
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
