//! DateFinderResultProcessor: takes the date of an undated result from its body.

use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
use domain::result::{DATE_UNKNOWN, ResultItem};
use regex::Regex;
use std::sync::LazyLock;
use syntax::dates::parse_date;
use syntax::highlights::unmarked;

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "DateFinderResultProcessor",
    summary: "Takes the date of an undated result from its body.",
    processor: &DateFinder,
};

struct DateFinder;

impl ResultProcessor for DateFinder {
    fn process(&self, batch: &mut ResultBatch, _cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        Ok(Outcome::updated(find_dates(&mut batch.items)))
    }
}

/// Sets the date of every undated result whose body contains one, and returns their number.
fn find_dates(items: &mut [ResultItem]) -> usize {
    let mut found = 0;
    for item in items {
        if item.date_published != DATE_UNKNOWN && !item.date_published.is_empty() {
            continue;
        }
        if let Some(date) = find_date(&unmarked(&item.body)) {
            item.date_published = date;
            found += 1;
        }
    }
    found
}

/// Numbers such as `3/4/2021` with a four-digit year, or a capitalized month such as `Mar 4, 2021`.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and every test of this file compiles it")]
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    let month = "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?\
                 |Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
    let pattern = format!(r"\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{4}}\b|\b(?:{month})\.? \d{{1,2}}, \d{{4}}\b");
    Regex::new(&pattern).expect("a valid pattern")
});

/// The first date in a text.
fn find_date(text: &str) -> Option<String> {
    DATE.find_iter(text).find_map(|found| parse_date(found.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_date() {
        let table = [
            ("Posted 3/4/2021 by me, edited 5/6/2022", Some("2021-03-04 00:00:00")),
            ("on 04.03.2021.", Some("2021-04-03 00:00:00")),
            ("12-31-1999", Some("1999-12-31 00:00:00")),
            ("Mar 4, 2021 ... text", Some("2021-03-04 00:00:00")),
            ("September 30, 2020", Some("2020-09-30 00:00:00")),
            ("Sept. 3, 2020", Some("2020-09-03 00:00:00")),
            ("99/99/2021 then 1/2/2020", Some("2020-01-02 00:00:00")),
            ("5-6-21", None),
            ("mar 4, 2021", None),
            ("version 1.2.20210", None),
            ("2021-03-04", None),
            ("", None),
        ];
        for (text, want) in table {
            assert_eq!(find_date(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn marks_do_not_part_a_date() {
        let body = "on <em>May</em> 6, <em>2022</em>".to_owned();
        let mut items = [ResultItem { body, ..ResultItem::default() }];
        assert_eq!(find_dates(&mut items), 1);
        assert_eq!(items[0].date_published, "2022-05-06 00:00:00");
    }

    #[test]
    fn a_date_of_the_source_stays() {
        let item = |date: &str| ResultItem {
            title: "3/4/2021".to_owned(),
            body: "on 5/6/2021".to_owned(),
            date_published: date.to_owned(),
            ..ResultItem::default()
        };
        let mut items = [item(DATE_UNKNOWN), item(""), item("Spring 2022"), item("2020-01-01 00:00:00")];
        assert_eq!(find_dates(&mut items), 2);
        let dates = items.map(|item| item.date_published);
        assert_eq!(
            dates,
            ["2021-05-06 00:00:00", "2021-05-06 00:00:00", "Spring 2022", "2020-01-01 00:00:00"]
        );
    }
}
