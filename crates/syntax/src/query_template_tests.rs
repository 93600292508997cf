//! Tests of query templates: what is bound, what is refused, and which URLs have a fixed path.

use super::*;
use proptest::prelude::*;

struct Case {
    template: &'static str,
    mappings: &'static str,
    is_by_date: bool,
    page: u32,
}

fn bound(case: &Case, query: &str) -> Result<String, SyntaxError> {
    let mappings = QueryMappings::parse(case.mappings).expect("mappings");
    let credentials = [("key".to_owned(), Secret::new("k{query_string}&"))];
    let binding = Binding {
        url: "http://s/{place}",
        mappings: &mappings,
        credentials: &credentials,
        query,
        sort_snippet: if case.is_by_date { mappings.date_sort() } else { mappings.relevancy_sort() },
        page: case.page,
    };
    bind(case.template, &binding)
}

#[test]
fn binds() {
    let table = [
        ("{url}?q={query_string}", "place=a", false, 0, "http://s/a?q=solid+state"),
        ("{url}?a=1&q={query_string}", "place=a,DATE_SORT=s=d", true, 0, "http://s/a?a=1&s=d&q=solid+state"),
        ("{url}?a=1&q={query_string}", "place=a,DATE_SORT=s=d", false, 0, "http://s/a?a=1&q=solid+state"),
        (
            "{url}?a=1&q={query_string}",
            "place=a,DATE_SORT=s=d,PAGE=start=RESULT_INDEX",
            true,
            1,
            "http://s/a?a=1&s=d&start=11&q=solid+state",
        ),
        // Without another parameter the snippet goes to the end.
        ("{url}?q={query_string}", "place=a,RELEVANCY_SORT=s=r", false, 0, "http://s/a?q=solid+state&s=r"),
        ("{url}/{query_string}", "place=a,PAGE=p=RESULT_PAGE", false, 2, "http://s/a/solid+state?p=3"),
        // A mapping may hold placeholders; a credential never does.
        ("{url}?q={q}", "place=a,q=all:{query_string}", false, 0, "http://s/a?q=all:solid+state"),
        ("{url}?k={key}", "place=a", false, 0, "http://s/a?k=k{query_string}&"),
        ("{url}?q={query_string}*", "place=a", false, 0, "http://s/a?q=solid+state*"),
        ("{url}?q=%22{query_string|jql}%22", "place=a", false, 0, "http://s/a?q=%22solid+state%22"),
    ];
    for (template, mappings, is_by_date, page, want) in table {
        let case = Case { template, mappings, is_by_date, page };
        assert_eq!(bound(&case, "solid state").as_deref(), Ok(want), "{template}");
    }
}

#[test]
fn a_query_is_never_read_as_a_template() {
    let case = Case { template: "{url}?q={query_string}", mappings: "place=a", is_by_date: true, page: 0 };
    assert_eq!(
        bound(&case, "{key} {url} {query_string} a&b=c~").as_deref(),
        Ok("http://s/a?q=%7Bkey%7D+%7Burl%7D+%7Bquery_string%7D+a%26b%3Dc~")
    );
}

/// The filter is applied first, then the encoding.
#[test]
fn a_filter_quotes_the_query() {
    for (template, mappings) in [
        ("{url}?jql=text%20~%20%22{query_string|jql}%22&x={query_string}", "place=a"),
        ("{url}?jql={jql}&x={query_string}", "place=a,jql=text%20~%20%22{query_string|jql}%22"),
    ] {
        let case = Case { template, mappings, is_by_date: false, page: 0 };
        assert_eq!(
            bound(&case, "a\" \\").as_deref(),
            Ok("http://s/a?jql=text%20~%20%22a%5C%22+%5C%5C%22&x=a%22+%5C"),
            "{template}"
        );
    }
}

#[test]
fn an_unknown_filter_is_refused() {
    for (template, mappings) in
        [("{url}?q={query_string|sql}", "place=a"), ("{url}?q={q}", "place=a,q={query_string|sql}")]
    {
        let case = Case { template, mappings, is_by_date: false, page: 0 };
        let error = bound(&case, "a").expect_err("an unknown filter");
        assert!(error.message().contains("'sql'") && error.message().contains("jql, cql"), "{error}");
        let mappings = QueryMappings::parse(mappings).expect("mappings");
        let binding = Binding {
            url: "http://s/",
            mappings: &mappings,
            credentials: &[],
            query: "a",
            sort_snippet: None,
            page: 0,
        };
        assert_eq!(bind_text(template, &binding, QueryEncoding::Raw), Err(error));
    }
}

#[test]
fn a_query_behind_the_path_cannot_change_it() {
    for (template, expected) in [
        ("{url}?q={query_string}", true),
        ("{url}/{query_string}", false),
        ("{url}/{query_string}?q={query_string}", false),
        ("http://{query_string}/?a=b", false),
        ("{url}?k={key}&q={query_string}", true),
        ("{url}#{query_string}", false),
        ("{url}?q={query_string|jql}", true),
        ("{url}/{query_string|jql}", false),
        ("{url}?all", true),
        // Only the name of the value has the mark.
        ("http://s/{k?}/{query_string}", false),
    ] {
        let mappings = QueryMappings::parse("place=a").expect("mappings");
        let credentials = ["key", "k?"].map(|name| (name.to_owned(), Secret::new("k")));
        let binding = Binding {
            url: "http://s/{place}",
            mappings: &mappings,
            credentials: &credentials,
            query: "a",
            sort_snippet: None,
            page: 0,
        };
        let found = bind_url(template, &binding).expect("bound");
        assert_eq!(found.has_fixed_path, expected, "{template}");
        assert_eq!(found.has_credentials, template.contains("{k"), "{template}");
    }
}

#[test]
fn parts_of_a_path_that_climb_are_counted() {
    let table = [
        ("http://s/a/../x", 1),
        ("http://s/./%2E%2e/.%2e", 3),
        ("http://s/a..b/...?q=/../", 0),
        ("http://s/a\\..#/../", 1),
        ("", 0),
    ];
    for (address, count) in table {
        assert_eq!(dot_segments(address), count, "{address}");
    }
}

#[test]
fn a_body_keeps_what_it_does_not_know() {
    let mappings = QueryMappings::parse("f=title,q=all:{query_string}").expect("mappings");
    let credentials = [("key".to_owned(), Secret::new("hush"))];
    let query = "solid \"state\" {f}";
    let binding = Binding {
        url: "http://s/",
        mappings: &mappings,
        credentials: &credentials,
        query,
        sort_snippet: None,
        page: 0,
    };
    let table = [
        ("*{query_string}*", QueryEncoding::Form, "*solid+%22state%22+%7Bf%7D*"),
        ("*{query_string}*", QueryEncoding::Raw, "*solid \"state\" {f}*"),
        ("{f} {q}", QueryEncoding::Raw, "title all:solid \"state\" {f}"),
        ("{query_string|jql}", QueryEncoding::Form, "solid+%5C%22state%5C%22+%7Bf%7D"),
        ("{query_string|jql}", QueryEncoding::Raw, "solid \\\"state\\\" {f}"),
        ("{url}{key} {0} { {} }{", QueryEncoding::Raw, "http://s/{key} {0} { {} }{"),
    ];
    for (template, encoding, want) in table {
        assert_eq!(bind_text(template, &binding, encoding).as_deref(), Ok(want), "{template}");
    }
    let long = "{query_string}".repeat(BOUND_BYTES_MAX / 16);
    let error = bind_text(&long, &binding, QueryEncoding::Raw).expect_err("too long");
    assert!(error.message().contains("too long"));
}

#[test]
fn names_what_is_left() {
    let case = Case { template: "{url}?x={nix}&q={query_string}", mappings: "", is_by_date: true, page: 0 };
    let error = bound(&case, "q").expect_err("unbound");
    assert!(error.message().contains("{place}") && error.message().contains("{nix}"), "{error}");
    let case = Case { template: "{url}?x={", mappings: "place=a", is_by_date: true, page: 0 };
    assert!(bound(&case, "q").is_err());
}

#[test]
fn growth_is_bounded() {
    let mappings: String = (0..60).map(|i| format!("k{i}={{k{}}}{{k{}}},", i + 1, i + 1)).collect();
    let mappings = QueryMappings::parse(&mappings).expect("mappings");
    let binding =
        Binding { url: "", mappings: &mappings, credentials: &[], query: "", sort_snippet: None, page: 0 };
    assert!(bind("{k0}", &binding).expect_err("too long").message().contains("too long"));
    let query = "é".repeat(2048);
    let binding = Binding { query: &query, mappings: &QueryMappings::default(), ..binding };
    assert!(bind(&"{query_string}".repeat(4), &binding).is_ok());
    assert!(
        bind(&"{query_string}".repeat(6), &binding).expect_err("too long").message().contains("too long")
    );
}

proptest! {
    #[test]
    fn no_query_changes_a_fixed_path(
        template in "(https?://)?([a-c.:@/?#&=\\\\ ]|\\{k\\?\\}|\\{query_string(\\|jql)?\\}|\\{url\\}|%2e|\\.\\./){1,12}",
        query in "[a.?#/@:%\\\\ ]{0,6}",
        key in "[a.?#/@:%]{0,3}",
    ) {
        let mappings = QueryMappings::parse("PAGE=p=RESULT_PAGE").expect("mappings");
        let credentials = [("k?".to_owned(), Secret::new(key))];
        let bound = |query: &str| {
            let binding = Binding {
                url: "http://s.example/x", mappings: &mappings, credentials: &credentials, query,
                sort_snippet: None, page: 0,
            };
            bind_url(&template, &binding)
        };
        if let (Ok(one), Ok(other)) = (bound(&query), bound("x"))
            && one.has_fixed_path
        {
            prop_assert!(other.has_fixed_path);
            prop_assert_eq!(dot_segments(&one.text), dot_segments(&other.text));
            let [one, other] = [one, other].map(|bound| url::Url::parse(&bound.text));
            prop_assert_eq!(one.is_ok(), other.is_ok());
            if let (Ok(one), Ok(other)) = (one, other) {
                prop_assert!(one.scheme() == other.scheme() && one.host() == other.host());
                prop_assert!(one.port() == other.port() && one.path() == other.path());
                prop_assert!(one.username() == other.username() && one.password() == other.password());
            }
        }
    }

    #[test]
    fn never_panics(template in "[{}a&=é]{0,40}|.{0,40}", query in ".{0,40}") {
        let mappings = QueryMappings::parse("a={a},PAGE=p=RESULT_PAGE").expect("mappings");
        let binding = Binding {
            url: "u{a}", mappings: &mappings, credentials: &[], query: &query, sort_snippet: None, page: 1,
        };
        let _ = bind(&template, &binding);
        for encoding in [QueryEncoding::Raw, QueryEncoding::Form] {
            let _ = bind_text(&template, &binding, encoding);
        }
    }
}
