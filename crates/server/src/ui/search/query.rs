//! Parameters of URLs and forms. A field may be repeated, as checkboxes are, or contain commas.

use crate::error::ApiError;
use domain::ids::{ProviderId, SearchId};
use domain::search::LIST_MAX;
use federation::{DateFilterError, MixRequest, ResultFilter, split_authors};
use std::str::FromStr;

/// Most authors in the filter of a page. Each filter in use has a link with all the others.
const AUTHORS_MAX: usize = 50;

/// The fields of a URL or a form.
#[derive(Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    pub fn parse(text: &str) -> Self {
        Self(url::form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// The value of the field; None if it is missing or blank.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values(name).find(|text| !text.trim().is_empty())
    }

    /// All values of the field.
    pub fn list(&self, name: &str) -> Vec<&str> {
        let pieces = self.values(name).flat_map(|text| text.split(','));
        pieces.map(str::trim).filter(|piece| !piece.is_empty()).collect()
    }

    /// All values of the field, which may contain commas.
    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, text)| text.as_str())
    }

    pub fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, ApiError> {
        let read = |text: &str| text.trim().parse().map_err(|_| wrong(name));
        self.text(name).map(read).transpose()
    }

    /// The sort order, as the name of a mixer; the API calls the field `result_mixer`.
    pub fn sort(&self) -> Option<&str> {
        self.text("sort").or_else(|| self.text("result_mixer")).map(str::trim)
    }

    /// All names and values.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn is_on(&self, name: &str) -> bool {
        matches!(self.text(name), Some("true" | "1" | "on"))
    }

    fn authors(&self) -> Result<Vec<String>, ApiError> {
        let authors: Vec<String> =
            self.values("author").flat_map(split_authors).take(AUTHORS_MAX + 1).map(str::to_owned).collect();
        check_count("author", authors.len(), AUTHORS_MAX)?;
        Ok(authors)
    }

    fn ids(&self, name: &str) -> Result<Vec<ProviderId>, ApiError> {
        let read = |text: &str| text.parse().map(ProviderId).map_err(|_| wrong(name));
        let ids = self.list(name);
        check_count(name, ids.len(), LIST_MAX)?;
        ids.into_iter().map(read).collect()
    }
}

fn check_count(name: &str, count: usize, count_max: usize) -> Result<(), ApiError> {
    if count > count_max {
        return Err(ApiError::invalid_field(name, format!("At most {count_max} entries are allowed.")));
    }
    Ok(())
}

fn wrong(name: &str) -> ApiError {
    ApiError::invalid_field(name, "Enter a number.")
}

/// Which list of a search to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// The name of a mixer; None: the search's own.
    pub sort: Option<String>,
    /// From 1.
    pub page: u32,
    pub filter: ResultFilter,
    /// The best results are in the order of the second reader, if there is one.
    pub second_reader: bool,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self { sort: None, page: 1, filter: ResultFilter::default(), second_reader: false }
    }
}

impl ListQuery {
    pub fn parse(fields: &Fields) -> Result<Self, ApiError> {
        let date = fields.text("date").map(str::parse).transpose();
        let providers = fields.ids("providers")?;
        // A form keeps the excluded sources, also one that was just chosen.
        let mut not_providers = fields.ids("not_providers")?;
        not_providers.retain(|id| !providers.contains(id));
        Ok(Self {
            sort: fields.sort().map(str::to_owned),
            page: fields.number("page")?.unwrap_or(1).max(1),
            filter: ResultFilter {
                providers,
                not_providers,
                authors: fields.authors()?,
                date: date
                    .map_err(|error: DateFilterError| ApiError::invalid_field("date", error.to_string()))?,
                starred: fields.is_on("starred"),
                new: fields.is_on("new"),
            },
            second_reader: fields.is_on("second_reader"),
        })
    }

    /// The request for the list, with everything that the page shows.
    pub fn request(&self, base_url: String) -> MixRequest {
        MixRequest {
            mixer: self.sort.clone(),
            page: self.page,
            explain: Some(true),
            filter: self.filter.clone(),
            facets: true,
            base_url,
            ..MixRequest::default()
        }
    }

    /// The URL of the list.
    pub fn href(&self, search: SearchId) -> String {
        let mut pairs = url::form_urlencoded::Serializer::new(String::new());
        pairs.append_pair("search_id", &search.to_string());
        pairs.extend_pairs(self.sort.as_ref().map(|sort| ("sort", sort)));
        pairs.extend_pairs(self.filter.parameters());
        pairs.extend_pairs(self.second_reader.then_some(("second_reader", "true")));
        if self.page > 1 {
            pairs.append_pair("page", &self.page.to_string());
        }
        format!("/?{}", pairs.finish())
    }

    pub fn on_page(&self, page: u32) -> Self {
        Self { page, ..self.clone() }
    }

    /// The first page of the list in the order of a mixer.
    pub fn sorted_by(&self, mixer: &str) -> Self {
        Self { sort: Some(mixer.to_owned()), ..self.in_usual_order() }
    }

    /// The first page of the list without the second reader.
    pub fn in_usual_order(&self) -> Self {
        Self { page: 1, second_reader: false, ..self.clone() }
    }

    /// The first page of the list with another filter; the second reader has not read its results yet.
    pub fn narrowed(&self, change: impl FnOnce(&mut ResultFilter)) -> Self {
        let mut narrowed = self.in_usual_order();
        change(&mut narrowed.filter);
        narrowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ListQuery, ApiError> {
        ListQuery::parse(&Fields::parse(text))
    }

    #[test]
    fn urls_round_trip() {
        let id = SearchId(7);
        let table = [
            ("search_id=7", "/?search_id=7"),
            ("search_id=7&page=1&sort=&author=+", "/?search_id=7"),
            ("providers=1&providers=4,%202&page=3", "/?search_id=7&providers=1%2C4%2C2&page=3"),
            ("result_mixer=Stack1Mixer", "/?search_id=7&sort=Stack1Mixer"),
            (
                "sort=DateMixer&not_providers=3&starred=on",
                "/?search_id=7&sort=DateMixer&not_providers=3&starred=true",
            ),
            ("author=A.+B%26C&date=week&new=1&page=0", "/?search_id=7&author=A.+B%26C&date=week&new=true"),
            ("second_reader=true&page=2", "/?search_id=7&second_reader=true&page=2"),
            ("author=A,+B&author=C&author=", "/?search_id=7&author=A%2C+B%3BC"),
            ("author=A,+B;C", "/?search_id=7&author=A%2C+B%3BC"),
            (
                "providers=1&providers=2&not_providers=2&not_providers=3",
                "/?search_id=7&providers=1%2C2&not_providers=3",
            ),
        ];
        for (given, expected) in table {
            assert_eq!(read(given).expect("a list").href(id), expected, "{given}");
        }
        let many = "author=a&".repeat(AUTHORS_MAX + 1);
        let ids = format!("not_providers={}", "1,".repeat(LIST_MAX + 1));
        for given in [
            many.as_str(),
            ids.as_str(),
            "page=two",
            "providers=a",
            "not_providers=1,,b",
            "date=soon",
            "page=-1",
        ] {
            assert!(read(given).is_err(), "{given}");
        }
    }

    #[test]
    fn a_changed_filter_starts_at_the_first_page() {
        let third = read("page=3&sort=DateMixer").expect("a list");
        assert_eq!(
            third.narrowed(|filter| filter.starred = true).href(SearchId(1)),
            "/?search_id=1&sort=DateMixer&starred=true"
        );
        assert_eq!(third.sorted_by("Stack1Mixer").page, 1);
        assert_eq!(third.on_page(2).page, 2);
        let read = read("second_reader=true&page=3").expect("a list");
        assert_eq!(read.narrowed(|filter| filter.new = true).href(SearchId(1)), "/?search_id=1&new=true");
        assert_eq!(read.sorted_by("DateMixer").href(SearchId(1)), "/?search_id=1&sort=DateMixer");
        assert_eq!(read.on_page(2).href(SearchId(1)), "/?search_id=1&second_reader=true&page=2");
    }
}
