//! Requests that RequestsGet builds: addresses, headers, and where credentials may go.

use crate::fixture::{answer, connector, context, query, request};
use domain::ports::{Connector, ConnectorErrorKind, ProviderQuery};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use domain::secret::Secret;

fn built_by(spec: ProviderSpec) -> Box<dyn Connector> {
    connector(spec, &context(answer("application/json", "[]")))
}

fn paged() -> ProviderSpec {
    ProviderSpec {
        url: "https://api.example/v1".into(),
        query_template: "{url}?cx={cx}&key={key}&q={query_string}".into(),
        query_mappings: "cx=<code>,DATE_SORT=sort=date,PAGE=start=RESULT_INDEX,NOT_CHAR=-".into(),
        credentials: "key=s3cret <x>".into(),
        ..ProviderSpec::default()
    }
}

#[test]
fn addresses_are_bound_sorted_and_paged() {
    let connector = built_by(paged());
    assert_eq!((connector.pages(10), connector.pages(25)), (1, 3));
    let capability = connector.capability();
    assert!(capability.page && capability.date_sort && capability.not);
    let asked = ProviderQuery { sort: Sort::Date, page: 2, ..query("solid {key} & state") };
    let request = request(connector.prepare(&asked).expect("a query"));
    let want = "https://api.example/v1?cx=%3Ccode%3E&key=s3cret%20%3Cx%3E&sort=date&start=21\
                &q=solid+%7Bkey%7D+%26+state";
    assert_eq!(request.url.as_str(), want);
    assert!(request.origin.is_of(&request.url) && request.origin.is_trusted);
}

fn worked(url: &str, template: &str, mappings: &str) -> ProviderSpec {
    ProviderSpec {
        url: url.into(),
        query_template: template.into(),
        query_mappings: mappings.into(),
        ..ProviderSpec::default()
    }
}

/// Values, sorting and paging, in one table.
#[test]
fn worked_examples() {
    use Sort::{Date, Relevancy};
    let (one, two) = ("{url}?q={query_string}", "{url}?a=1&q={query_string}");
    let (place, solr) = ("https://u/", "https://u/{collection}/select?wt=json");
    let dated = "DATE_SORT=s=d,PAGE=start=RESULT_INDEX";
    let both = "DATE_SORT=s=d,RELEVANCY_SORT=s=r";
    let books = "collection=books,PAGE=start=RESULT_ZERO_INDEX";
    let table = [
        ("https://u", two, dated, Date, 0, "https://u/?a=1&s=d&start=1&q=solid+state"),
        ("https://u", two, dated, Relevancy, 2, "https://u/?a=1&start=21&q=solid+state"),
        (place, one, "", Date, 0, "https://u/?q=solid+state"),
        // Without another parameter, a snippet is appended.
        (place, one, "RELEVANCY_SORT=sort=1", Relevancy, 0, "https://u/?q=solid+state&sort=1"),
        (place, one, "PAGE=p=PAGE_INDEX", Relevancy, 1, "https://u/?q=solid+state&p=2"),
        (place, two, "PAGE=p=RESULT_PAGE", Relevancy, 1, "https://u/?a=1&p=2&q=solid+state"),
        (place, "{url}?q={query_string}&x=1", both, Relevancy, 0, "https://u/?q=solid+state&s=r&x=1"),
        // Placeholders in the url are bound too.
        (
            solr,
            "{url}&q={query_string}",
            books,
            Relevancy,
            1,
            "https://u/books/select?wt=json&start=10&q=solid+state",
        ),
    ];
    for (url, template, mappings, sort, page, want) in table {
        let asked = ProviderQuery { sort, page, ..query("solid state") };
        let built = built_by(worked(url, template, mappings)).prepare(&asked).expect("a query");
        assert_eq!(request(built).url.as_str(), want, "{template} {mappings}");
    }
}

#[test]
fn pages_are_counted_by_ten() {
    for (mappings, wanted, want) in [
        ("", 100, 1),
        ("PAGE=start=RESULT_INDEX", 5, 1),
        ("PAGE=start=RESULT_INDEX", 10, 1),
        ("PAGE=start=RESULT_INDEX", 11, 2),
        ("PAGE=start=RESULT_ZERO_INDEX", 100, 10),
    ] {
        let connector = built_by(worked("https://u/", "{url}?q={query_string}", mappings));
        assert_eq!(connector.pages(wanted), want, "{mappings} {wanted}");
    }
}

#[test]
fn a_secret_in_the_address_is_never_shown() {
    let request = request(built_by(paged()).prepare(&query("x")).expect("a query"));
    assert!(request.shown_url().contains("key=••••&"), "{}", request.shown_url());
    assert!(!request.shown_url().contains("s3cret"));
    assert!(!format!("{:?}", built_by(paged())).contains("s3cret"));
}

#[test]
fn credentials_ride_in_secret_headers() {
    let spec = ProviderSpec {
        url: "https://api.example/v1".into(),
        credentials: "bearer=t0ken".into(),
        http_request_headers: [("Accept", "text/json"), ("X-Team", "rivers")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        ..ProviderSpec::default()
    };
    let request = request(built_by(spec).prepare(&query("x")).expect("a query"));
    assert_eq!(request.headers, [("Accept".to_owned(), "text/json".to_owned())]);
    let want = [
        ("X-Team".to_owned(), Secret::new("rivers")),
        ("Authorization".to_owned(), Secret::new("Bearer t0ken")),
    ];
    assert_eq!(request.secret_headers, want);
}

#[test]
fn credentials_belong_to_the_providers_own_origin() {
    let spec = ProviderSpec {
        url: "https://own.example/".into(),
        query_template: "https://other.example/?q={query_string}".into(),
        ..ProviderSpec::default()
    };
    let request = request(built_by(spec).prepare(&query("x")).expect("a query"));
    assert_eq!(request.origin.host, "own.example");
    assert!(!request.origin.is_of(&request.url));

    let spec = ProviderSpec {
        query_template: "http://127.0.0.1:9/s/{query_string}?a=1".into(),
        ..ProviderSpec::default()
    };
    let request = crate::fixture::request(built_by(spec).prepare(&query("a/../b")).expect("a query"));
    assert_eq!((request.origin.host.as_str(), request.origin.port), ("127.0.0.1", 9));
    assert_eq!(request.url.path(), "/s/a%2F..%2Fb");
}

#[test]
fn credentials_in_an_address_go_nowhere_else() {
    let context = context(answer("application/json", "[]"));
    let kind = connectors::CATALOGUE.iter().find(|kind| kind.name == "RequestsGet").expect("a kind");
    for (url, template, is_sent) in [
        ("https://own.example/", "https://other.example/?k={key}&q={query_string}", false),
        ("https://own.example/", "https://own.example:444/?k={key}&q={query_string}", false),
        ("https://own.example/", "http://own.example/?k={key}&q={query_string}", false),
        ("https://own.example/", "https://own.example/s?k={key}&q={query_string}", true),
        ("", "https://own.example/s?k={key}&q={query_string}", true),
    ] {
        let spec = ProviderSpec { credentials: "key=s3cret".into(), ..worked(url, template, "") };
        let provider = crate::fixture::provider(spec);
        assert_eq!((kind.check)(&provider).is_empty(), is_sent, "{template}");
        // A provider saved in another way fails when it is queried.
        let connector = (kind.build)(&provider, &context).expect("a connector");
        let error = connector.prepare(&query("x")).err().map(|error| error.kind);
        assert_eq!(error, (!is_sent).then_some(ConnectorErrorKind::ConfigInvalid), "{template}");
    }
}

#[test]
fn a_query_cannot_change_the_host() {
    let context = context(answer("application/json", "[]"));
    let spec = ProviderSpec {
        url: "https://own.example".into(),
        query_template: "{url}{query_string}".into(),
        ..ProviderSpec::default()
    };
    let kind = connectors::CATALOGUE.iter().find(|kind| kind.name == "RequestsGet").expect("a kind");
    let provider = crate::fixture::provider(spec);
    assert!(!(kind.check)(&provider).is_empty());
    // A provider saved in another way fails when it is queried.
    let connector = (kind.build)(&provider, &context).expect("a connector");
    let error = connector.prepare(&query(".evil.example")).expect_err("another host");
    assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
}

#[test]
fn a_url_without_a_path_may_be_paged() {
    let spec = ProviderSpec {
        url: "https://own.example".into(),
        query_template: "{url}/{query_string}".into(),
        query_mappings: "PAGE=p=RESULT_PAGE".into(),
        ..ProviderSpec::default()
    };
    let request = request(built_by(spec).prepare(&query("x")).expect("a query"));
    assert_eq!(request.url.as_str(), "https://own.example/x?p=1");
}
