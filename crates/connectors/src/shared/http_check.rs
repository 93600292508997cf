//! Validation of providers that are queried over HTTP.

use super::check::{Notations, add_error, read_notations, require_results};
use domain::ports::{ConnectorError, Origin};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use syntax::error::SyntaxError;
use syntax::query_filter::QueryPlace;
use syntax::query_template::{Binding, bind_part, bind_url, placeholders};
use url::Url;

/// The error of a template that would write credentials into a URL of another origin than that of `url`.
pub const CREDENTIALS_ELSEWHERE: &str =
    "Credentials are sent only to the host of url, and this is another one.";

/// All errors in the provider's mappings, credentials and address, and what could be parsed.
pub fn check(provider: &SearchProvider) -> (Notations, FieldErrors) {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    require_results(&notations, &mut errors);
    let spec = &provider.spec;
    for (field, text) in [("url", &spec.url), ("query_template", &spec.query_template)] {
        for name in placeholders(text).into_iter().filter(|name| !is_known(name, field, provider, &notations))
        {
            if name == "url" && field == "query_template" {
                errors.add("url", "An address is needed: query_template uses {url}.");
            } else if let Some(Err(error)) = QueryPlace::of(name) {
                errors.add(field, error);
            } else {
                errors.add(field, format!("Nothing is known for {{{name}}}: it must be url, query_string, or a key of query_mappings or credentials."));
            }
        }
    }
    if errors.is_empty() {
        match [probe(provider, &notations, "one"), probe(provider, &notations, "another")] {
            [Ok(one), Ok(another)] if one != another => {
                errors.add("query_template", "The query must not be a part of the host.");
            }
            [Err(error), _] | [_, Err(error)] => add_error(&mut errors, error),
            _ => {}
        }
    }
    (notations, errors)
}

/// Parses an http or https URL without a login.
pub fn web_address(text: &str) -> Result<Url, SyntaxError> {
    let url = Url::parse(text)
        .map_err(|error| SyntaxError::new(format!("The address is not valid: {error}.")).caused_by(error))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("The address must begin with http:// or https://.".into());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("Put the user and the password into credentials, not into the address.".into());
    }
    Ok(url)
}

/// Whether two addresses are known to have the same origin without parsing them: both begin with the same scheme, host
/// and port, written with nothing that a parser would remove, decode or take for a login.
pub fn has_same_authority(one: &str, other: &str) -> bool {
    plain_authority(one).is_some_and(|authority| plain_authority(other) == Some(authority))
}

/// The text up to the end of the host and the port; `None` if they are not written plainly.
fn plain_authority(text: &str) -> Option<&str> {
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme))?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
    let length = rest.bytes().take_while(|byte| is_plain(*byte)).count();
    let ends = rest.as_bytes().get(length).is_none_or(|byte| matches!(byte, b'/' | b'?' | b'#'));
    (length > 0 && ends).then(|| &text[..text.len() - rest.len() + length])
}

/// A binding of the template without a query.
pub fn sample_binding<'a>(
    provider: &'a SearchProvider,
    notations: &'a Notations,
    query: &'a str,
) -> Binding<'a> {
    Binding {
        url: provider.spec.url.trim(),
        mappings: &notations.query_mappings,
        credentials: notations.credentials.pairs(),
        query,
        sort_snippet: notations.query_mappings.relevancy_sort(),
        page: 0,
    }
}

fn is_known(name: &str, field: &str, provider: &SearchProvider, notations: &Notations) -> bool {
    let is_builtin = matches!(QueryPlace::of(name), Some(Ok(_)))
        || (name == "url" && field == "query_template" && !provider.spec.url.is_empty());
    is_builtin
        || notations.query_mappings.get(name).is_some()
        || notations.credentials.pairs().iter().any(|(key, _)| key == name)
}

/// The origin that a query would be sent to.
fn probe(provider: &SearchProvider, notations: &Notations, query: &str) -> Result<Origin, ConnectorError> {
    let spec = &provider.spec;
    let binding = sample_binding(provider, notations, query);
    let template_error = |error| ConnectorError::of_syntax("query_template", error);
    let bound = bind_url(&spec.query_template, &binding).map_err(template_error)?;
    let has_url = !spec.url.trim().is_empty();
    let field = if has_url { "url" } else { "query_template" };
    let address = |text: &str| {
        web_address(&without_blanks_to_fill(text)).map_err(|error| ConnectorError::of_syntax(field, error))
    };
    let url = address(&bound.text)?;
    if bound.has_credentials && has_url {
        let own = address(&bind_part("{url}", &binding).map_err(template_error)?)?;
        if own.origin() != url.origin() {
            return Err(ConnectorError::in_field("query_template", CREDENTIALS_ELSEWHERE));
        }
    }
    Origin::trusted(&url).ok_or_else(|| ConnectorError::in_field(field, "The address has no host."))
}

/// Replaces placeholders of sample configurations such as `<your-domain>`, so that they can be saved before they are
/// filled in.
pub fn without_blanks_to_fill(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let Some((_, after)) = after.split_once('>') else { break };
        out.push_str(before);
        out.push_str("blank");
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::provider::ProviderSpec;
    use proptest::prelude::*;

    #[test]
    fn addresses_of_one_origin_are_known_by_their_beginning() {
        let page = "https://h.example:8443/s?q=x";
        for (other, expected) in [
            ("https://h.example:8443", true),
            ("https://h.example:8443/", true),
            ("https://h.example:8443?k", true),
            ("https://h.example:8443#k", true),
            ("http://h.example:8443/s", false),
            ("https://h.example/s", false),
            ("https://h.example:8443.evil.example/", false),
            ("https://h.example:8443@evil.example/", false),
            ("https://h.example:8443\\@evil.example/", false),
            ("https://h.example:8443\t.evil.example/", false),
            ("https:///h.example:8443/", false),
            (" https://h.example:8443/", false),
            ("", false),
        ] {
            assert_eq!(has_same_authority(page, other), expected, "{other}");
            assert_eq!(has_same_authority(other, page), expected, "{other}");
        }
        for odd in ["", "https://", "https:///x", "https://ü.example/", "https://a@b/", "ftp://h/"] {
            assert!(!has_same_authority(odd, odd), "{odd}");
        }
    }

    proptest! {
        #[test]
        fn a_parser_finds_the_same_origin(
            begin in "(https?:)?/{0,3}[aB1.:@\\\\%\t-]{0,6}",
            ends in prop::array::uniform2("[a.:@/?#\\\\\t ]{0,6}"),
        ) {
            let texts = ends.map(|end| format!("{begin}{end}"));
            if has_same_authority(&texts[0], &texts[1]) {
                let [one, other] = texts.map(|text| web_address(&text).ok().map(|url| url.origin()));
                prop_assert_eq!(one, other);
            }
        }
    }

    fn fields(spec: ProviderSpec) -> Vec<String> {
        let provider = SearchProvider::unsaved(spec, Default::default(), Default::default());
        check(&provider).1.into_map().into_keys().collect()
    }

    fn spec(url: &str, query_template: &str) -> ProviderSpec {
        ProviderSpec { url: url.into(), query_template: query_template.into(), ..ProviderSpec::default() }
    }

    fn plain() -> ProviderSpec {
        spec("https://h/s", "{url}?q={query_string}")
    }

    #[test]
    fn each_mistake_names_its_field() {
        let table = [
            (plain(), vec![]),
            (spec("", "https://h/s?q={query_string}"), vec![]),
            (spec("https://<your-domain>.example.net/s?f=*all", "{url}&q='{query_string}'"), vec![]),
            (spec("", "{url}?q={query_string}"), vec!["url"]),
            (spec("", "{url}?q={word}"), vec!["query_template", "url"]),
            (spec("ftp://h/", "{url}?q={query_string}"), vec!["url"]),
            (spec("h/s", "{url}?q={query_string}"), vec!["url"]),
            (spec("https://u:p@h/", "{url}?q={query_string}"), vec!["url"]),
            (spec("https://h/{place}", "{url}?q={query_string}"), vec!["url"]),
            (spec("https://h/", "{url}?k={key}&q={query_string}"), vec!["query_template"]),
            (spec("https://h/", "{url}?q={query_string"), vec!["query_template"]),
            (spec("https://h/", "{url}?q=%22{query_string|jql}%22"), vec![]),
            (spec("https://h/", "{url}?q=%22{query_string|sql}%22"), vec!["query_template"]),
            (spec("https://h/?q={query_string|}", "{url}"), vec!["url"]),
            (spec("", "https://{query_string}.example/"), vec!["query_template"]),
            (ProviderSpec { query_mappings: "=x".into(), ..plain() }, vec!["query_mappings"]),
            (ProviderSpec { query_mappings: "PROMPT='{x}'".into(), ..plain() }, vec![]),
            (
                ProviderSpec {
                    query_mappings: "jql={query_string|sql}".into(),
                    ..spec("https://h/", "{url}?q={jql}")
                },
                vec!["query_template"],
            ),
            (ProviderSpec { response_mappings: "RESULT_S=x".into(), ..plain() }, vec!["response_mappings"]),
            (ProviderSpec { response_mappings: "FOUND=total".into(), ..plain() }, vec!["response_mappings"]),
            (ProviderSpec { result_mappings: "title=a b".into(), ..plain() }, vec!["result_mappings"]),
            (
                ProviderSpec {
                    credentials: "key=k".into(),
                    ..spec("https://h/", "{url}?k={key}&q={query_string}")
                },
                vec![],
            ),
            (
                ProviderSpec {
                    credentials: "key=k".into(),
                    ..spec("https://h/", "https://h/s?k={key}&q={query_string}")
                },
                vec![],
            ),
            (
                ProviderSpec {
                    credentials: "key=k".into(),
                    ..spec("https://h/", "https://other/?k={key}&q={query_string}")
                },
                vec!["query_template"],
            ),
            (
                ProviderSpec {
                    credentials: "key=k".into(),
                    ..spec("", "https://h/s?k={key}&q={query_string}")
                },
                vec![],
            ),
        ];
        for (spec, want) in table {
            assert_eq!(fields(spec.clone()), want, "{} {}", spec.url, spec.query_template);
        }
    }

    #[test]
    fn credentials_are_read_when_they_are_saved() {
        let table = [
            ("HTTPNo('a','b')", "", vec!["credentials"]),
            ("HTTPDigestAuth('a','b')", "", vec![]),
            ("bearer=x,verify_certs=false,ca_certs=/a.pem", "", vec![]),
            ("bearer=x,verify_certs=perhaps", "", vec!["credentials"]),
            ("bearer={credentials}", "session['token']", vec![]),
            ("bearer={credentials}", "", vec!["eval_credentials"]),
            ("bearer=x", "session['token'] or exit()", vec!["eval_credentials"]),
        ];
        for (credentials, eval_credentials, want) in table {
            let spec = ProviderSpec {
                credentials: credentials.into(),
                eval_credentials: eval_credentials.into(),
                ..plain()
            };
            assert_eq!(fields(spec), want, "{credentials} {eval_credentials}");
        }
    }
}
