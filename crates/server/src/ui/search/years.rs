//! Histogram of the years of publication. Each bar is a link that filters by its years.

use super::chips::years_name;
use super::query::ListQuery;
use chrono::NaiveDate;
use domain::ids::SearchId;
use domain::mixed::YearFacet;
use federation::DateFilter;
use serde::Serialize;

/// Most bars, so that each is wide enough to be hit; with more years, each bar has several.
const BARS_MAX: usize = 8;
/// Years of one bar.
const STEPS: [i32; 11] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];
/// Height of the lowest bar, in percent.
const HEIGHT_MIN: u64 = 6;

#[derive(Debug, PartialEq, Serialize)]
pub struct YearBar {
    name: String,
    count: u64,
    /// In percent of the highest bar.
    height: u64,
    href: String,
    is_on: bool,
}

/// The bars in order of time; none if there would be only one. `years` are in order.
pub fn year_bars(query: &ListQuery, search: SearchId, years: &[YearFacet]) -> Vec<YearBar> {
    let (Some(first), Some(last)) = (years.first(), years.last()) else { return Vec::new() };
    let range = |step: i32| first.year.div_euclid(step)..=last.year.div_euclid(step);
    let fits = |step: &i32| range(*step).count() <= BARS_MAX;
    let step = STEPS.into_iter().find(fits).unwrap_or(STEPS[STEPS.len() - 1]);
    let count = |place: i32| -> u64 {
        years.iter().filter(|one| one.year.div_euclid(step) == place).map(|one| one.count).sum()
    };
    let counts: Vec<(i32, u64)> = range(step).map(|place| (place * step, count(place))).collect();
    let highest = counts.iter().map(|(_, count)| *count).max().unwrap_or_default().max(1);
    if counts.len() < 2 {
        return Vec::new();
    }
    let bar = |(from, count): (i32, u64)| {
        let to = from + step - 1;
        let date =
            DateFilter::Between(NaiveDate::from_ymd_opt(from, 1, 1), NaiveDate::from_ymd_opt(to, 12, 31));
        let is_on = query.filter.date == Some(date);
        YearBar {
            name: years_name(from, to),
            count,
            height: if count == 0 { 0 } else { (count * 100 / highest).max(HEIGHT_MIN) },
            href: query.narrowed(|filter| filter.date = (!is_on).then_some(date)).href(search),
            is_on,
        }
    };
    counts.into_iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::super::query::Fields;
    use super::*;

    fn bars(query: &str, years: &[(i32, u64)]) -> Vec<YearBar> {
        let query = ListQuery::parse(&Fields::parse(query)).expect("a list");
        let years: Vec<YearFacet> =
            years.iter().map(|(year, count)| YearFacet { year: *year, count: *count }).collect();
        year_bars(&query, SearchId(7), &years)
    }

    #[test]
    fn years_become_bars() {
        let table: [(&[(i32, u64)], &str); 6] = [
            (&[], ""),
            (&[(2021, 5)], ""),
            (&[(2021, 5), (2023, 20)], "2021:5:25 2022:0:0 2023:20:100"),
            (&[(2021, 1), (2022, 1000)], "2021:1:6 2022:1000:100"),
            (
                &[(1990, 1), (2008, 1), (2021, 2)],
                "1990–1994:1:50 1995–1999:0:0 2000–2004:0:0 2005–2009:1:50 2010–2014:0:0 2015–2019:0:0 \
                 2020–2024:2:100",
            ),
            (
                &[(999, 1), (5000, 1)],
                "0–999:1:100 1000–1999:0:0 2000–2999:0:0 3000–3999:0:0 4000–4999:0:0 5000–5999:1:100",
            ),
        ];
        for (years, expected) in table {
            let shown: Vec<String> = bars("", years)
                .iter()
                .map(|bar| format!("{}:{}:{}", bar.name, bar.count, bar.height))
                .collect();
            assert_eq!(shown.join(" "), expected);
        }
        let all = bars("", &[(1, 1), (9999, 1)]);
        assert_eq!((all.len(), all[0].name.as_str(), all[4].name.as_str()), (5, "0–1999", "8000–9999"));
    }

    #[test]
    fn a_bar_toggles_its_years() {
        let years = [(2021, 5), (2022, 1)];
        let off = bars("page=2&starred=1", &years);
        assert_eq!(off[0].href, "/?search_id=7&date=2021-01-01..2021-12-31&starred=true");
        let on = bars("date=2021-01-01..2021-12-31", &years);
        assert_eq!((on[0].is_on, on[0].href.as_str(), on[1].is_on), (true, "/?search_id=7", false));
    }
}
