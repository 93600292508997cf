//! Ranking preferences of a user: sources and domains that are raised, lowered or blocked.

use crate::ids::ProviderId;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use url::{Host, Url};

/// Maximum number of domains, and of sources, in the preferences of one user.
pub const PREFERENCES_MAX: usize = 500;
/// Maximum length of a domain, in characters.
pub const DOMAIN_CHARS_MAX: usize = 253;
const RAISED: f64 = 1.25;
const LOWERED: f64 = 0.75;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Preferences {
    pub domains: Vec<DomainPreference>,
    pub sources: Vec<SourcePreference>,
}

/// A domain includes its subdomains. If several match, the longest one applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = DomainWish)]
pub struct DomainPreference {
    #[schema(example = "example.org")]
    pub domain: String,
    #[serde(rename = "wish")]
    pub preference: Preference,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SourceWish)]
pub struct SourcePreference {
    pub provider_id: ProviderId,
    #[serde(rename = "wish")]
    pub preference: Preference,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Wish)]
pub enum Preference {
    /// Scores and confidences × 1.25.
    Raise,
    /// Scores and confidences × 0.75.
    Lower,
    /// Not shown; a source is not queried unless it is named.
    Block,
}

impl Preference {
    /// None: blocked.
    pub fn factor(self) -> Option<f64> {
        match self {
            Self::Raise => Some(RAISED),
            Self::Lower => Some(LOWERED),
            Self::Block => None,
        }
    }
}

impl Preferences {
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty() && self.sources.is_empty()
    }

    /// Normalizes domains. Errors name the position of the entry.
    pub fn checked(mut self) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        for (field, count) in [("domains", self.domains.len()), ("sources", self.sources.len())] {
            errors.check(count <= PREFERENCES_MAX, field, || {
                format!("At most {PREFERENCES_MAX} entries are allowed.")
            });
        }
        let mut seen = HashSet::new();
        for (place, preference) in self.domains.iter_mut().enumerate().take(PREFERENCES_MAX) {
            let field = format!("domains[{place}].domain");
            match domain_of(&preference.domain) {
                Some(domain) => preference.domain = domain,
                None => errors.add(&field, "A domain such as example.org is needed."),
            }
            errors.check(seen.insert(preference.domain.clone()), &field, || {
                "This entry is listed twice.".to_owned()
            });
        }
        let mut seen = HashSet::new();
        for (place, preference) in self.sources.iter().enumerate().take(PREFERENCES_MAX) {
            let field = format!("sources[{place}].provider_id");
            errors.check(seen.insert(preference.provider_id), &field, || {
                "This entry is listed twice.".to_owned()
            });
        }
        errors.into_result(self)
    }

    pub fn of_source(&self, provider: ProviderId) -> Option<Preference> {
        self.sources
            .iter()
            .find(|preference| preference.provider_id == provider)
            .map(|preference| preference.preference)
    }

    /// The domain that applies to a URL, with its preference.
    pub fn of_url(&self, url: &str) -> Option<&DomainPreference> {
        if self.domains.is_empty() {
            return None;
        }
        let url = Url::parse(url.trim()).ok()?;
        let host = url.host_str()?.trim_end_matches('.').to_lowercase();
        let fits = |domain: &str| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.domains
            .iter()
            .filter(|preference| fits(&preference.domain))
            .max_by_key(|preference| preference.domain.len())
    }
}

/// The host of a pasted text: `Example.org`, `www.example.org` unchanged, or a whole URL.
fn domain_of(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > DOMAIN_CHARS_MAX {
        return None;
    }
    let url = if text.contains("://") {
        Url::parse(text)
    } else {
        Url::parse(&format!("https://{}/", text.trim_end_matches('/')))
    };
    let url =
        url.ok().filter(|url| url.username().is_empty() && url.path() == "/" || text.contains("://"))?;
    match url.host()? {
        Host::Domain(domain) => {
            let domain = domain.trim_end_matches('.').to_lowercase();
            let is_name = |part: &str| {
                !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            };
            domain.split('.').all(is_name).then_some(domain)
        }
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(domain: &str, preference: Preference) -> DomainPreference {
        DomainPreference { domain: domain.to_owned(), preference }
    }

    #[test]
    fn domains_take_one_form() {
        let cases = [
            ("Example.ORG", Some("example.org")),
            (" example.org. ", Some("example.org")),
            ("https://www.example.org/a?b", Some("www.example.org")),
            ("example.org/", Some("example.org")),
            ("münchen.example", Some("xn--mnchen-3ya.example")),
            ("127.0.0.1", Some("127.0.0.1")),
            ("localhost", Some("localhost")),
            ("", None),
            ("example.org/path", None),
            ("user@example.org", None),
            ("two words", None),
            ("*.example.org", None),
            ("a..b", None),
        ];
        for (text, expected) in cases {
            assert_eq!(domain_of(text).as_deref(), expected, "{text}");
        }
        assert_eq!(domain_of(&"a".repeat(DOMAIN_CHARS_MAX + 1)), None);
    }

    #[test]
    fn the_longest_domain_decides() {
        let preferences = Preferences {
            domains: vec![
                domain("example.org", Preference::Lower),
                domain("news.example.org", Preference::Raise),
            ],
            sources: Vec::new(),
        };
        let cases = [
            ("https://example.org/a", Some(Preference::Lower)),
            ("https://WWW.example.org/a", Some(Preference::Lower)),
            ("https://a.news.example.org./a", Some(Preference::Raise)),
            ("https://notexample.org/", None),
            ("https://example.org.evil.example/", None),
            ("example.org", None),
            ("", None),
        ];
        for (url, expected) in cases {
            assert_eq!(preferences.of_url(url).map(|preference| preference.preference), expected, "{url}");
        }
    }

    #[test]
    fn mistakes_are_named_by_their_place() {
        let source = |id| SourcePreference { provider_id: ProviderId(id), preference: Preference::Block };
        let twice = Preferences {
            domains: vec![
                domain("a.example", Preference::Raise),
                domain("A.example", Preference::Lower),
                domain("!", Preference::Block),
            ],
            sources: vec![source(1), source(1)],
        };
        let fields: Vec<String> = twice.checked().expect_err("mistakes").into_map().into_keys().collect();
        assert_eq!(fields, ["domains[1].domain", "domains[2].domain", "sources[1].provider_id"]);
        let many =
            |count: i64| Preferences { domains: Vec::new(), sources: (0..count).map(source).collect() };
        assert!(many(PREFERENCES_MAX as i64).checked().is_ok());
        assert!(many(PREFERENCES_MAX as i64 + 1).checked().is_err());
    }
}
