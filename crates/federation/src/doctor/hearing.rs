//! What the name of a value says of it: how well it fits a field.

use super::fields::Field;
use super::vocabulary::{
    AUTHORS, BODIES, DATES, NOT_AUTHORS, NOT_BODIES, NOT_DATES, NOT_TITLES, NOT_URLS, PAGES, PERSON_PARTS,
    TITLES, TOPIC_PARTS, TOPIC_WEIGHT, TOPICS, URLS,
};
use super::words::{fit, has_word, joined, speaking};

/// What an address weighs whose name says nothing.
pub const ADDRESS_UNNAMED: f64 = 0.35;
/// How the names of addresses end.
const ADDRESS_ENDINGS: [&str; 4] = ["url", "link", "uri", "href"];

/// How well a name fits, and the name that was heard.
pub struct Named {
    pub score: f64,
    pub said: String,
}

pub fn named(field: Field, members: &[&str]) -> Named {
    let (name, ancestors) = speaking(members);
    let own = members.last().copied().unwrap_or_default();
    let (table, unlike) = tables(field);
    let of = |name: &str| {
        let fit = fit(name, table);
        let is_exact = table.iter().any(|(known, _)| *known == joined(name));
        if !is_exact && has_word(name, unlike) { fit * 0.4 } else { fit }
    };
    let mut best = Named { score: of(name), said: name.to_owned() };
    // `#text` is what XML calls the content of an element, not a name.
    let direct = if own.starts_with('#') { 0.0 } else { of(own) * 0.9 };
    if direct > best.score {
        best = Named { score: direct, said: own.to_owned() };
    }
    if field == Field::Author
        && let Some(part) = PERSON_PARTS.iter().find(|(part, _)| *part == joined(own))
    {
        for &ancestor in ancestors {
            let score = of(ancestor) * part.1;
            if score > best.score {
                best = Named { score, said: format!("{ancestor} … {own}") };
            }
        }
    }
    if field == Field::Body && best.score < TOPIC_WEIGHT {
        let is_part = has_word(own, TOPIC_PARTS);
        if let Some(topic) = ancestors.iter().find(|name| is_part && has_word(name, TOPICS)) {
            best = Named { score: TOPIC_WEIGHT, said: (*topic).to_owned() };
        }
    }
    if field == Field::Url {
        hear_address(members, &mut best);
    }
    best
}

/// `landing.page` is heard as `landingPage`, and `viewlink` by its ending. What stands before the ending says for
/// whom an address is: a `webUrl` is for people, an `apiUrl` is not.
fn hear_address(members: &[&str], best: &mut Named) {
    let own = members.last().copied().unwrap_or_default();
    let whole = joined(own);
    if let [.., parent, own] = members {
        let pair = format!("{}{whole}", joined(parent));
        if let Some((_, weight)) = URLS.iter().find(|(known, weight)| *known == pair && *weight > best.score)
        {
            *best = Named { score: *weight, said: format!("{parent}.{own}") };
        }
    }
    if URLS.iter().any(|(known, _)| *known == whole) {
        return;
    }
    let stem = ADDRESS_ENDINGS.iter().find_map(|ending| whole.strip_suffix(ending));
    if best.score == 0.0 && stem.is_some() {
        best.score = 0.7;
    }
    let is_one_of = |list: &str| {
        let stands_in =
            |stem: &str| list.split(' ').any(|word| stem.starts_with(word) || stem.ends_with(word));
        has_word(own, list) || stem.is_some_and(stands_in)
    };
    if is_one_of(NOT_URLS) {
        // The tables have weighed a name that they know.
        let is_weighed = has_word(own, NOT_URLS) && fit(own, URLS) > 0.0;
        best.score = best.score.max(ADDRESS_UNNAMED) * if is_weighed { 1.0 } else { 0.4 };
    } else if is_one_of(PAGES) {
        best.score = (best.score * 1.1).clamp(0.85, 1.0);
    }
}

/// The names of a field with their weight, and words that speak against it.
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
    fn addresses_for_people_are_heard_first() {
        let weight = |members: &[&str]| named(Field::Url, members).score;
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
    fn the_content_of_an_element_is_no_text_by_name() {
        assert_eq!(named(Field::Body, &["identifier", "#text"]).score, 0.0);
        assert!(named(Field::Body, &["identifier", "text"]).score > 0.5);
        assert_eq!(named(Field::Body, &["summary", "#text"]).said, "summary");
    }
}
