//! Scores how well the name of a value matches a field.

use crate::fields::field::Field;
use crate::fields::identifier_words::{has_word, join_words, match_weight, meaningful_name};
use crate::fields::vocabulary::{
    AUTHORS, BODIES, DATES, NOT_AUTHORS, NOT_BODIES, NOT_DATES, NOT_TITLES, NOT_URLS, PAGES, PERSON_PARTS,
    TITLES, TOPIC_PARTS, TOPIC_WEIGHT, TOPICS, URLS,
};

/// Weight of a URL whose name says nothing.
pub const UNNAMED_URL_WEIGHT: f64 = 0.35;
/// Suffixes of the names of URLs.
const URL_SUFFIXES: [&str; 4] = ["url", "link", "uri", "href"];

/// The score of a name, and the part that matched.
pub struct NameScore {
    pub score: f64,
    pub matched_name: String,
}

pub fn score_name(field: Field, members: &[&str]) -> NameScore {
    let (name, ancestors) = meaningful_name(members);
    let own = members.last().copied().unwrap_or_default();
    let (table, negative_words) = tables(field);
    let of = |name: &str| {
        let weight = match_weight(name, table);
        let is_exact = table.iter().any(|(known, _)| *known == join_words(name));
        if !is_exact && has_word(name, negative_words) { weight * 0.4 } else { weight }
    };
    let mut best = NameScore { score: of(name), matched_name: name.to_owned() };
    // `#text` is the content of an XML element, not a name.
    let direct = if own.starts_with('#') { 0.0 } else { of(own) * 0.9 };
    if direct > best.score {
        best = NameScore { score: direct, matched_name: own.to_owned() };
    }
    if field == Field::Author
        && let Some(part) = PERSON_PARTS.iter().find(|(part, _)| *part == join_words(own))
    {
        for &ancestor in ancestors {
            let score = of(ancestor) * part.1;
            if score > best.score {
                best = NameScore { score, matched_name: format!("{ancestor} … {own}") };
            }
        }
    }
    if field == Field::Body && best.score < TOPIC_WEIGHT {
        let is_part = has_word(own, TOPIC_PARTS);
        if let Some(topic) = ancestors.iter().find(|name| is_part && has_word(name, TOPICS)) {
            best = NameScore { score: TOPIC_WEIGHT, matched_name: (*topic).to_owned() };
        }
    }
    if field == Field::Url {
        score_url_name(members, &mut best);
    }
    best
}

/// Scores the name of a URL: `landing.page` as `landingPage`, `viewlink` by its suffix. The part before the suffix
/// names the audience: a `webUrl` is for people, an `apiUrl` is not.
fn score_url_name(members: &[&str], best: &mut NameScore) {
    let own = members.last().copied().unwrap_or_default();
    let whole = join_words(own);
    if let [.., parent, own] = members {
        let pair = format!("{}{whole}", join_words(parent));
        if let Some((_, weight)) = URLS.iter().find(|(known, weight)| *known == pair && *weight > best.score)
        {
            *best = NameScore { score: *weight, matched_name: format!("{parent}.{own}") };
        }
    }
    if URLS.iter().any(|(known, _)| *known == whole) {
        return;
    }
    let stem = URL_SUFFIXES.iter().find_map(|ending| whole.strip_suffix(ending));
    if best.score == 0.0 && stem.is_some() {
        best.score = 0.7;
    }
    let is_one_of = |list: &str| {
        let stands_in =
            |stem: &str| list.split(' ').any(|word| stem.starts_with(word) || stem.ends_with(word));
        has_word(own, list) || stem.is_some_and(stands_in)
    };
    if is_one_of(NOT_URLS) {
        // The tables already have a weight for a name that they know.
        let is_weighed = has_word(own, NOT_URLS) && match_weight(own, URLS) > 0.0;
        best.score = best.score.max(UNNAMED_URL_WEIGHT) * if is_weighed { 1.0 } else { 0.4 };
    } else if is_one_of(PAGES) {
        best.score = (best.score * 1.1).clamp(0.85, 1.0);
    }
}

/// The names of a field with their weights, and words that count against it.
fn tables(field: Field) -> (&'static [(&'static str, f64)], &'static str) {
    match field {
        Field::Title => (TITLES, NOT_TITLES),
        Field::Body => (BODIES, NOT_BODIES),
        Field::Url => (URLS, NOT_URLS),
        Field::Date => (DATES, NOT_DATES),
        Field::Author => (AUTHORS, NOT_AUTHORS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_for_people_score_higher() {
        let weight = |members: &[&str]| score_name(Field::Url, members).score;
        for (better, worse) in [
            (["links", "web"], ["links", "api"]),
            (["links", "html"], ["urls", "raw"]),
            (["x", "fullurl"], ["x", "editurl"]),
            (["x", "pageUrl"], ["x", "trailerUrl"]),
            (["x", "pageUrl"], ["x", "someUrl"]),
            (["landing", "page"], ["x", "page"]),
            (["x", "someUrl"], ["x", "thumburl"]),
            (["x", "detailPath"], ["x", "path"]),
        ] {
            assert!(weight(&better) > weight(&worse), "{better:?} {worse:?}");
        }
    }

    #[test]
    fn the_name_of_element_content_is_ignored() {
        assert_eq!(score_name(Field::Body, &["identifier", "#text"]).score, 0.0);
        assert!(score_name(Field::Body, &["identifier", "text"]).score > 0.5);
        assert_eq!(score_name(Field::Body, &["summary", "#text"]).matched_name, "summary");
    }
}
