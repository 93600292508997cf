//! What one result tells without the others, read when its provider's answer arrives.

use crate::explain::{self, Noted, Reading};
use crate::field::Field;
use crate::highlights::marked;
use crate::hits::{FieldReading, Hits};
use crate::query::Query;
use crate::repetition::repetition;
use crate::targets::{Asked, Similarities};
use domain::notation::marks::plain;
use domain::notation::markup::readable;
use domain::result::ResultItem;

/// Reads one result: makes its texts readable, marks the query's words in title and body, and notes in `explain` what
/// it tells without the others.
pub fn prepare(asked: &Asked<'_>, item: &mut ResultItem) {
    read(asked, item);
}

/// Notes that a result comes from a file system: where its title, a name of a file, tells nothing, its body weighs as
/// much as a title. After [`prepare`].
pub fn mark_file_system(item: &mut ResultItem) {
    explain::mark_file_system(item.explain.get_or_insert_default());
}

/// The words of a result that a reader model is given: title and body without marks.
pub fn text_of(item: &ResultItem) -> String {
    format!("{} {}", plain(&item.title), plain(&item.body))
}

/// Reads a result again whose texts were changed after it was scored. Its scores stay.
pub fn find_again(asked: &Asked<'_>, item: &mut ResultItem) {
    let Some(old) = item.explain.clone() else { return };
    read(asked, item);
    let new = item.explain.take().unwrap_or_default();
    item.explain = Some(explain::found_again(old, new));
}

/// Reads a result that was scored before. Its explanation may name more stems than the query: those that the source
/// highlighted.
pub(crate) fn read_again(query: &Query, asked: &Asked<'_>, item: &mut ResultItem) -> Noted {
    let stems = item.explain.as_ref().and_then(explain::stems).unwrap_or_default();
    let wider = query.clone().with_highlighted_stems(stems);
    match wider == *query {
        true => read(asked, item),
        false => read(&Asked::of(&wider, asked.scale), item),
    }
}

fn read(asked: &Asked<'_>, item: &mut ResultItem) -> Noted {
    let query = asked.query;
    let texts = Field::ALL.map(|field| readable(field.text(item)));
    let readings = texts.each_ref().map(|text| FieldReading::of(query, text));
    let looks = [Field::Title, Field::Body].map(|field| {
        let place = field as usize;
        asked.look(&texts[place], &readings[place])
    });
    let place = Asked::place(&looks[0], &looks[1]);
    let cosine = asked.cosine(&place);
    let similarities = Field::ALL.map(|field| {
        let (place, reading) = (field as usize, &readings[field as usize]);
        match looks.get(place) {
            Some(look) => asked.similarities(&texts[place], reading, look),
            // The author is no part of the whole, so it is read only when something in it matched.
            None if reading.matches.is_empty() => Similarities::new(),
            None => asked.similarities(&texts[place], reading, &asked.look(&texts[place], reading)),
        }
    });
    let changed = Field::ALL.map(|field| {
        let place = field as usize;
        let text = &texts[place];
        let marked = if field == Field::Author { None } else { marked(query, text, &readings[place]) };
        marked.or_else(|| (**text != *field.text(item)).then(|| text.clone().into_owned()))
    });
    let said_before =
        repetition([Field::Title, Field::Body].map(|field| readings[field as usize].tokens.as_slice()));
    let reading = Reading { cosine, repetition: said_before };
    let noted = Noted { hits: Hits::of(query, readings), reading };
    drop(texts);
    item.embedding = Some(place.as_slice().into());
    for (field, text) in Field::ALL.into_iter().zip(changed) {
        if let Some(text) = text {
            *field.text_mut(item) = text;
        }
    }
    let mut notes = explain::prepared(query, &noted, similarities);
    if item.explain.as_ref().is_some_and(explain::is_file_system) {
        explain::mark_file_system(&mut notes);
    }
    item.explain = Some(notes);
    noted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::scale::Scale;
    use domain::notation::marks::unmarked;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn item(title: &str, body: &str, author: &str) -> ResultItem {
        let [title, body, author] = [title, body, author].map(str::to_owned);
        ResultItem { title, body, author, ..ResultItem::default() }
    }

    #[test]
    fn texts_become_readable_and_marked() {
        let (query, scale) = (Query::parse("solid"), Scale::default());
        let mut one = item("<b>Solid</b>-state", "a &lt;b&gt; solid &amp; old ", "<i>Solid</i> &eacute;");
        prepare(&Asked::of(&query, &scale), &mut one);
        assert_eq!(one.title, "<em>Solid</em>-state");
        assert_eq!(one.body, "a &lt;b> <em>solid</em> & old");
        assert_eq!(one.author, "Solid é", "the author is cleaned only");
        let notes = Value::from(one.explain.clone().unwrap_or_default());
        assert_eq!(notes["hits"]["body"], json!({"solid": [2]}));
        assert_eq!(notes["lengths"], json!({"title": 2, "body": 4, "author": 2}));
        assert!(notes["cosine"].as_f64().is_some_and(|cosine| cosine > 0.2), "{notes}");
        let again = one.clone();
        prepare(&Asked::of(&query, &scale), &mut one);
        assert_eq!(one, again);
    }

    #[test]
    fn texts_that_changed_are_read_again_and_scores_stay() {
        let (query, scale) = (Query::parse("river"), Scale::default());
        let asked = Asked::of(&query, &scale);
        let mut one = item("the river", "", "");
        find_again(&asked, &mut one);
        assert_eq!(one.explain, None, "what was never read is left alone");
        prepare(&asked, &mut one);
        mark_file_system(&mut one);
        one.title = "a long river".to_owned();
        find_again(&asked, &mut one);
        let notes = Value::from(one.explain.clone().unwrap_or_default());
        assert_eq!(
            (&notes["hits"]["title"], &notes["lengths"]["title"]),
            (&json!({"river": [2]}), &json!(3))
        );
        assert_eq!((one.title.as_str(), &notes["boosts"]), ("a long <em>river</em>", &json!("FILE_SYSTEM")));
    }

    proptest! {
        #[test]
        fn texts_of_all_scripts_are_read_without_a_wrong_boundary(
            query in "(Straße|été|東京|كتاب|🚀|river|e\u{301}| |\"|-|\\PC){0,8}",
            texts in prop::array::uniform3(
                "(straße |ÉTÉ |l’été|東京タワー|か\u{3099}|هذا الكتاب|🚀|👩🏽\u{200d}🚀|rivers |e\u{301}|7 |<em>|&lt;|[.!?]|\n|\\PC){0,24}",
            ),
        ) {
            for language in ["english", "german", "french", "arabic", "klingon"] {
                let query = Query::parse_in(Language::named(language), &query);
                let scale = Scale::default();
                let mut one = item(&texts[0], &texts[1], &texts[2]);
                prepare(&Asked::of(&query, &scale), &mut one);
                for field in Field::ALL {
                    prop_assert_eq!(unmarked(field.text(&one)), readable(&texts[field as usize]));
                }
                let noted = explain::read_prepared(one.explain.as_ref().expect("notes"), &query);
                prop_assert!(noted.is_some());
                let once = one.clone();
                prepare(&Asked::of(&query, &scale), &mut one);
                prop_assert_eq!(once, one);
            }
        }
    }
}
