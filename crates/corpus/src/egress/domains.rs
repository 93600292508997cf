//! Classifies recipients as internal or external. Takes addresses and returns only domains.

use super::public_suffix;
use std::collections::BTreeSet;
use url::Host;

/// Most domains of one message that are kept.
const DOMAINS_MAX: usize = 100;

/// Tenant domains that the public suffix list does not know; longest first.
const TENANTS: [&str; 3] = [".mail.onmicrosoft.com", ".onmicrosoft.com", ".onmicrosoft.us"];

/// Internal domains, including their subdomains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InternalDomains(BTreeSet<String>);

impl InternalDomains {
    /// The organization's domains, and the registrable domains of the person's own addresses.
    pub fn new<'a>(organisation: &[String], own: impl IntoIterator<Item = &'a str>) -> Self {
        let said =
            organisation.iter().filter_map(|domain| normalised(domain.trim_start_matches(['@', '*', '.'])));
        Self(said.chain(own.into_iter().filter_map(|address| registrable(&domain_of(address)?))).collect())
    }

    /// The external registrable domains of these recipients, sorted and unique. None: no external recipient. The
    /// sender's domain is internal as well.
    pub fn outside(&self, senders: &[String], recipients: &[String]) -> Option<Vec<String>> {
        let own = Self::new(&[], senders.iter().map(String::as_str));
        let domains = recipients.iter().filter_map(|address| domain_of(address));
        let outside = domains.filter(|domain| !self.holds(domain) && !own.holds(domain));
        let mut kept: BTreeSet<String> = outside.filter_map(|domain| registrable(&domain)).collect();
        while kept.len() > DOMAINS_MAX {
            kept.pop_last();
        }
        (!kept.is_empty()).then(|| kept.into_iter().collect())
    }

    fn holds(&self, domain: &str) -> bool {
        self.0.iter().any(|own| {
            domain.strip_suffix(own.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}

/// Parses the addresses of a header such as `"Reed, Ann" <ann@a.example>, Team: bo@b.example;`.
pub fn addresses(header: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut plain, mut inside) = (String::new(), None::<String>);
    let mut end = |plain: &mut String, inside: &mut Option<String>| {
        let address = inside.take().unwrap_or_else(|| plain.trim().to_owned());
        plain.clear();
        if address.contains('@') {
            found.push(address);
        }
    };
    let (mut is_quoted, mut comments, mut is_angled) = (false, 0_u32, false);
    let mut chars = header.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if is_quoted || comments > 0 => {
                chars.next();
            }
            '"' if comments == 0 => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' => comments += 1,
            ')' if comments > 0 => comments -= 1,
            _ if comments > 0 => {}
            '<' => {
                is_angled = true;
                inside = Some(String::new());
            }
            '>' => is_angled = false,
            _ if is_angled => inside.get_or_insert_default().push(c),
            ',' | ';' => end(&mut plain, &mut inside),
            // The text before it is a group name.
            ':' => plain.clear(),
            _ => plain.push(c),
        }
    }
    end(&mut plain, &mut inside);
    // Unclosed quotes or comments must not hide an address, so the marks are ignored.
    if is_quoted || comments > 0 {
        return addresses(&header.replace(['"', '(', ')'], " "));
    }
    found
}

/// The lowercase domain of an address. None if it is not an address, such as a directory name.
fn domain_of(address: &str) -> Option<String> {
    let (_, domain) = address.trim().rsplit_once('@')?;
    normalised(domain.trim_end_matches('>'))
}

fn normalised(domain: &str) -> Option<String> {
    let domain = domain.trim().trim_end_matches('.');
    // An IP address is in brackets.
    let domain = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(domain);
    let host = domain.strip_prefix("IPv6:").map_or_else(|| domain.to_owned(), |rest| format!("[{rest}]"));
    match Host::parse(&host).ok()? {
        Host::Domain(domain) => Some(domain.to_ascii_lowercase()).filter(|domain| !domain.is_empty()),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
}

/// The public suffix and one label. Names without one, such as host names, are kept as they are.
fn registrable(domain: &str) -> Option<String> {
    let is_number = domain.parse::<std::net::IpAddr>().is_ok();
    let found = match tenant(domain) {
        Some(tenant) => Some(tenant),
        None if is_number => None,
        None => public_suffix::registrable(domain),
    };
    Some(found.unwrap_or(domain).to_owned()).filter(|domain| !domain.is_empty())
}

/// The tenant's label and the tenant domain.
fn tenant(domain: &str) -> Option<&str> {
    let label_end = TENANTS.iter().find_map(|end| domain.strip_suffix(end))?.len();
    let start = domain[..label_end].rfind('.').map_or(0, |dot| dot + 1);
    Some(&domain[start..]).filter(|_| label_end > start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn only_domains_outside_come_out() {
        let inside = InternalDomains::new(
            &texts(&["Firm.example", "@law.firm.co.uk", "*.sister.example", ""]),
            ["ann@mail.home.example", "ann@ten.onmicrosoft.com", "not an address"],
        );
        let table: [(&[&str], &[&str]); 13] = [
            (&["bo@firm.example", "cy@sub.firm.example", "di@home.example", "ed@sister.example"], &[]),
            (&["bo@otherfirm.example"], &["otherfirm.example"]),
            (&["bo@Mail.Client.CO.UK", "cy@client.co.uk", "di@client.co.uk."], &["client.co.uk"]),
            (&["bo@firm.co.uk", "cy@x.law.firm.co.uk"], &["firm.co.uk"]),
            (&["b@z.example", "a@a.example"], &["a.example", "z.example"]),
            (&["bo@sender.example", "cy@deep.sender.example"], &[]),
            (&["bo@bücher.example"], &["xn--bcher-kva.example"]),
            (&["bo@[192.0.2.7]", "bo@[IPv6:2001:db8::1]"], &["192.0.2.7", "2001:db8::1"]),
            (&["/O=FIRM/CN=BO", "", "@", "bo@", "bo"], &[]),
            (&["\"a@b.example\"@c.example"], &["c.example"]),
            (&["bo@localhost"], &["localhost"]),
            (&["bo@other.onmicrosoft.com", "cy@ten.onmicrosoft.com"], &["other.onmicrosoft.com"]),
            (
                &["bo@a.b.mail.onmicrosoft.com", "cy@onmicrosoft.com"],
                &["b.mail.onmicrosoft.com", "onmicrosoft.com"],
            ),
        ];
        for (given, expected) in table {
            let found = inside.outside(&texts(&["Ann <x@mail.sender.example>"]), &texts(given));
            let expected = (!expected.is_empty()).then(|| texts(expected));
            assert_eq!(found, expected, "{given:?}");
        }
    }

    #[test]
    fn domains_are_bounded() {
        let many: Vec<String> = (0..3 * DOMAINS_MAX).map(|n| format!("a@d{n:04}.example")).collect();
        let found = InternalDomains::default().outside(&[], &many).unwrap();
        assert_eq!((found.len(), found[0].as_str()), (DOMAINS_MAX, "d0000.example"));
    }

    #[test]
    fn headers_are_taken_apart() {
        let table: [(&str, &[&str]); 10] = [
            ("", &[]),
            ("bo@b.example", &["bo@b.example"]),
            ("Bo <bo@b.example>, cy@c.example", &["bo@b.example", "cy@c.example"]),
            (r#""Reed, Bo <x@x.example>" <bo@b.example>"#, &["bo@b.example"]),
            (r#""a \" b, y@y.example" <bo@b.example>"#, &["bo@b.example"]),
            ("bo@b.example (home, z@z.example), cy@c.example", &["bo@b.example", "cy@c.example"]),
            (
                "Team: bo@b.example, Cy <cy@c.example>;, di@d.example",
                &["bo@b.example", "cy@c.example", "di@d.example"],
            ),
            ("undisclosed-recipients:;", &[]),
            (r#""Reed, Bo <bo@b.example>, cy@c.example"#, &["bo@b.example", "cy@c.example"]),
            ("Bo (home <bo@b.example>, cy@c.example", &["bo@b.example", "cy@c.example"]),
        ];
        for (header, expected) in table {
            assert_eq!(addresses(header), texts(expected), "{header}");
        }
    }
}
