//! Prepares one result for scoring when its provider's response arrives.

use crate::explain::{self, ResultNotes, TextEvidence};
use crate::highlights::marked;
use crate::hits::{FieldReading, Hits};
use crate::query::Query;
use crate::repetition::repetition;
use crate::similarity::hash_tokens;
use crate::targets::{MatchTargets, Similarities};
use domain::explain::{Explain, Field};
use domain::result::ResultItem;
use std::sync::Arc;
use syntax::highlights::plain;
use syntax::strip_html::readable;

/// Reads one result: cleans its texts, highlights the query's words in title and body, and notes in `explain` what is
/// known without the others.
pub fn prepare(match_targets: &MatchTargets<'_>, item: &mut ResultItem) {
    let is_file_system = item.explain.take().is_some_and(|explain| explain.is_file_system);
    let explain = Explain { is_file_system, ..read(match_targets, item) };
    item.explain = Some(Box::new(explain));
}

/// Notes that a result comes from a file system: if its title, a file name, has no match, its body has the weight of a
/// title. Call after [`prepare`].
pub fn mark_file_system(item: &mut ResultItem) {
    item.explain.get_or_insert_default().is_file_system = true;
}

/// The text of a result for embedding: title and body without highlights.
pub fn text_of(item: &ResultItem) -> String {
    format!("{} {}", plain(&item.title), plain(&item.body))
}

/// Reads a result again whose texts were changed after scoring. Its scores stay.
pub fn find_again(match_targets: &MatchTargets<'_>, item: &mut ResultItem) {
    let Some(old) = item.explain.take() else { return };
    let new = Explain { is_file_system: old.is_file_system, ..read(match_targets, item) };
    item.explain = Some(explain::found_again(old, Box::new(new)));
}

/// Reads a result that was scored before. Its explanation may name more stems than the query: those that the source
/// highlighted.
pub(crate) fn prepare_again(query: &Query, match_targets: &MatchTargets<'_>, item: &mut ResultItem) {
    let stems = item.explain.as_ref().and_then(|explain| explain.stems.clone());
    let wider = query.clone().with_highlighted_stems(stems.as_deref().unwrap_or_default());
    if wider == *query {
        prepare(match_targets, item);
    } else {
        prepare(&MatchTargets::of(&wider, match_targets.config), item);
    }
}

/// The explanation of the first step.
fn read(match_targets: &MatchTargets<'_>, item: &mut ResultItem) -> Explain {
    let query = match_targets.query;
    let texts = Field::ALL.map(|field| readable(item.text(field)));
    let readings = texts.each_ref().map(|text| FieldReading::of(query, text));
    // Not a list of both: they are large and would be copied.
    let match_text =
        |field: Field| match_targets.match_text(&texts[field as usize], &readings[field as usize]);
    let title = match_text(Field::Title);
    let body = match_text(Field::Body);
    let text_matches = [&title, &body];
    let embedding = MatchTargets::combined_embedding(&title, &body);
    let cosine = match_targets.cosine(&embedding);
    let similarities = Field::ALL.map(|field| {
        let (place, reading) = (field as usize, &readings[field as usize]);
        match text_matches.get(place) {
            Some(text_match) => match_targets.similarities(&texts[place], reading, text_match),
            // The author is not part of the whole, so it is read only if something in it matched.
            None if reading.matches.is_empty() => Similarities::new(),
            None => match_targets.similarities(
                &texts[place],
                reading,
                &match_targets.match_text(&texts[place], reading),
            ),
        }
    });
    let changed = Field::ALL.map(|field| {
        let place = field as usize;
        let text = &texts[place];
        let marked = if field == Field::Author { None } else { marked(query, text, &readings[place]) };
        marked.or_else(|| (**text != *item.text(field)).then(|| text.clone().into_owned()))
    });
    let title_and_body = [Field::Title, Field::Body].map(|field| {
        let place = field as usize;
        (&*texts[place], readings[place].tokens.as_slice())
    });
    let said_before = repetition(title_and_body);
    let shown = [Field::Title, Field::Body]
        .map(|field| changed[field as usize].as_deref().unwrap_or(item.text(field)));
    let hashed_words = hash_tokens(title_and_body, shown);
    let reading = TextEvidence { cosine, repetition: said_before };
    let result_notes = ResultNotes { hits: Hits::of(query, readings), reading };
    drop(texts);
    item.embedding = Some(embedding.as_slice().into());
    item.hashed_words = Some(Arc::new(hashed_words));
    for (field, text) in Field::ALL.into_iter().zip(changed) {
        if let Some(text) = text {
            *item.text_mut(field) = text;
        }
    }
    explain::prepared(match_targets.stems(), result_notes, similarities)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ScoringConfig;
    use crate::language::Language;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use syntax::highlights::unmarked;

    fn item(title: &str, body: &str, author: &str) -> ResultItem {
        let [title, body, author] = [title, body, author].map(str::to_owned);
        ResultItem { title, body, author, ..ResultItem::default() }
    }

    #[test]
    fn texts_become_readable_and_marked() {
        let (query, config) = (Query::parse("solid"), ScoringConfig::default());
        let mut one = item("<b>Solid</b>-state", "a &lt;b&gt; solid &amp; old ", "<i>Solid</i> &eacute;");
        prepare(&MatchTargets::of(&query, &config), &mut one);
        assert_eq!(one.title, "<em>Solid</em>-state");
        assert_eq!(one.body, "a &lt;b> <em>solid</em> & old");
        assert_eq!(one.author, "Solid é", "the author is cleaned only");
        let notes = Value::from(one.explain.clone().unwrap_or_default());
        assert_eq!(notes["hits"]["body"], json!({"solid": [2]}));
        let notes = one.explain.as_ref().and_then(|explain| explain.notes).unwrap_or_default();
        assert_eq!(notes.lengths, [2, 4, 2]);
        assert!(notes.cosine > 0.2, "{notes:?}");
        let again = one.clone();
        prepare(&MatchTargets::of(&query, &config), &mut one);
        assert_eq!(one, again);
    }

    #[test]
    fn texts_that_changed_are_read_again_and_scores_stay() {
        let (query, config) = (Query::parse("river"), ScoringConfig::default());
        let match_targets = MatchTargets::of(&query, &config);
        let mut one = item("the river", "", "");
        find_again(&match_targets, &mut one);
        assert_eq!(one.explain, None, "what was never read is left alone");
        prepare(&match_targets, &mut one);
        mark_file_system(&mut one);
        one.title = "a long river".to_owned();
        find_again(&match_targets, &mut one);
        let notes = Value::from(one.explain.clone().unwrap_or_default());
        assert_eq!(notes["hits"]["title"], json!({"river": [2]}));
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
                let config = ScoringConfig::default();
                let mut one = item(&texts[0], &texts[1], &texts[2]);
                prepare(&MatchTargets::of(&query, &config), &mut one);
                for field in Field::ALL {
                    prop_assert_eq!(unmarked(one.text(field)), readable(&texts[field as usize]));
                }
                prop_assert!(one.explain.as_ref().is_some_and(|explain| explain.notes.is_some()));
                let once = one.clone();
                prepare(&MatchTargets::of(&query, &config), &mut one);
                prop_assert_eq!(once, one);
            }
        }
    }
}
