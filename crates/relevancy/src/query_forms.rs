//! A query for results in several languages: each result is read in its own, if the query does not show one.

use crate::language::Language;
use crate::query::Query;
use domain::result::ResultItem;
use std::borrow::Cow;

/// Most languages other than that of the query in one list of results; results in further ones are read in that of the
/// query.
pub const FORMS_MAX: usize = 4;

impl Query {
    /// The query for a long text, such as that of a page.
    pub fn for_text(&self, text: &str) -> Cow<'_, Self> {
        match Language::of_text(text) {
            Some(language) if self.is_language_assumed && language != self.language => {
                Cow::Owned(self.in_language(language))
            }
            _ => Cow::Borrowed(self),
        }
    }
}

/// The forms of a query for a list of results, each prepared when the first result needs it.
#[derive(Debug)]
pub struct QueryForms<'q> {
    query: &'q Query,
    others: Vec<Query>,
}

impl<'q> QueryForms<'q> {
    pub fn of(query: &'q Query) -> Self {
        Self { query, others: Vec::new() }
    }

    /// The query for the next result of the list.
    pub fn for_result(&mut self, item: &ResultItem) -> &Query {
        if !self.query.is_language_assumed {
            return self.query;
        }
        let language = Language::of_result(item, self.query.language);
        if language == self.query.language {
            return self.query;
        }
        let known = self.others.iter().position(|form| form.language == language);
        let place = known.unwrap_or(self.others.len());
        if known.is_none() && place < FORMS_MAX {
            self.others.push(self.query.in_language(language));
        }
        self.others.get(place).unwrap_or(self.query)
    }
}

/// Which of several results is in which language, other than that of the query.
#[derive(Debug, Default)]
pub struct ResultLanguages {
    /// In the order of the results; shorter if the rest is in the language of the query.
    places: Vec<Option<u8>>,
    languages: Vec<Language>,
}

impl ResultLanguages {
    /// Nothing is examined if the query shows its language.
    pub fn of<'i>(query: &Query, items: impl Iterator<Item = &'i ResultItem>) -> Self {
        let mut found = Self::default();
        if !query.is_language_assumed {
            return found;
        }
        for (number, item) in items.enumerate() {
            let language = Language::of_result(item, query.language);
            if language != query.language
                && let Some(place) = found.place(language)
            {
                found.places.resize(number, None);
                found.places.push(Some(place));
            }
        }
        found
    }

    fn place(&mut self, language: Language) -> Option<u8> {
        let known = self.languages.iter().position(|known| *known == language);
        let place = known.unwrap_or(self.languages.len());
        if known.is_none() {
            if place == FORMS_MAX {
                return None;
            }
            self.languages.push(language);
        }
        u8::try_from(place).ok()
    }

    /// The other languages, each with its number.
    pub fn languages(&self) -> impl Iterator<Item = (u8, Language)> {
        (0..).zip(self.languages.iter().copied())
    }

    /// Whether this result is in this one of the other languages; `None`: in that of the query.
    pub fn is_in(&self, result: usize, language: Option<u8>) -> bool {
        self.places.get(result).copied().flatten() == language
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(body: &str) -> ResultItem {
        ResultItem { body: body.to_owned(), ..ResultItem::default() }
    }

    const GERMAN: &str = "Der Fluss stieg in der Nacht und die Häuser standen im Wasser.";
    const FRENCH: &str = "La rivière est montée dans la nuit et les maisons sont sous les eaux.";
    const ENGLISH: &str = "The river rose in the night and the boats were on the water.";

    #[test]
    fn results_are_sorted_by_language_if_the_query_shows_none() {
        let items = [ENGLISH, GERMAN, FRENCH, GERMAN, ENGLISH].map(item);
        let query = Query::parse_by_language(Language::ENGLISH, "Flüsse Hochwasser");
        assert!(query.is_language_assumed);
        let found = ResultLanguages::of(&query, items.iter());
        let german = (0, Language::named("german"));
        assert_eq!(found.languages().collect::<Vec<_>>(), [german, (1, Language::named("french"))]);
        let places: Vec<Option<u8>> = (0..5)
            .map(|result| {
                [None, Some(0), Some(1)].into_iter().find(|place| found.is_in(result, *place)).unwrap()
            })
            .collect();
        assert_eq!(places, [None, Some(0), Some(1), Some(0), None]);
        let query = Query::parse_by_language(Language::ENGLISH, "the mill by the river");
        assert!(!query.is_language_assumed);
        assert_eq!(ResultLanguages::of(&query, items.iter()).languages().count(), 0);
    }

    #[test]
    fn the_number_of_languages_is_bounded() {
        let texts = [
            GERMAN,
            FRENCH,
            "El agua llega a los pueblos que no tienen pozo y es de todos.",
            "Il fiume è salito nella notte e le case sono nell'acqua con gli alberi.",
            "De rivier steeg in de nacht en het water stond in een van de huizen.",
        ];
        let items = texts.map(item);
        let query = Query::parse_by_language(Language::ENGLISH, "rivières");
        let found = ResultLanguages::of(&query, items.iter());
        assert_eq!(found.languages().count(), FORMS_MAX);
        assert!(found.is_in(4, None));
        let mut forms = QueryForms::of(&query);
        for round in 0..2 {
            for (place, item) in items.iter().enumerate() {
                let expected = if place < FORMS_MAX {
                    Language::of_result(item, query.language)
                } else {
                    query.language
                };
                assert_eq!(forms.for_result(item).language, expected, "{round} {place}");
            }
        }
        assert_eq!(forms.others.len(), FORMS_MAX);
    }

    #[test]
    fn a_form_finds_what_its_query_does_not() {
        for (language, query, word) in [
            ("german", "Flüsse", "fluss"),
            ("french", "journaux", "journal"),
            ("spanish", "camiones", "camión"),
        ] {
            let query = Query::parse_by_language(Language::ENGLISH, query);
            assert_eq!(query.find(word), None, "{word}");
            assert!(query.in_language(Language::named(language)).find(word).is_some(), "{word}");
        }
    }

    #[test]
    fn a_form_has_the_terms_of_its_query() {
        for (language, query, word) in [
            ("german", "Flüsse Hochwasser", "fluss"),
            ("french", "journaux", "journal"),
            ("spanish", "camiones", "camión"),
        ] {
            let query = Query::parse_by_language(Language::ENGLISH, query);
            let form = query.in_language(Language::named(language));
            assert_eq!(form.find(word).and_then(crate::TermMatch::term), Some(0), "{word}");
            assert!(form.may_match(word), "{word}");
            for text in [GERMAN, FRENCH, ENGLISH] {
                let expected = Language::of_text(text).unwrap();
                assert_eq!(query.for_text(text).language, expected, "{text}");
                assert_eq!(QueryForms::of(&query).for_result(&item(text)).language, expected, "{text}");
                assert_eq!(Query::parse(word).for_text(text).language, Language::ENGLISH, "it is set");
            }
            let words = |query: &Query| {
                query.terms.iter().map(|term| (term.word.clone(), term.group)).collect::<Vec<_>>()
            };
            assert_eq!(words(&form), words(&query));
        }
    }
}
