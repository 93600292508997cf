//! Ranks columns as candidates for a field, by their names and the shapes of their values.

use crate::fields::field::{Field, FieldCandidate, SCORE_MIN};
use crate::fields::identifier_words::{has_word, is_listed, join_words, meaningful_name, words};
use crate::fields::name_score::{NameScore, UNNAMED_URL_WEIGHT, score_name};
use crate::fields::titles::{first_word, prefer_fuller_name, shorter_body};
use crate::fields::urls::{UrlForm, destination, purpose};
use crate::fields::vocabulary::{ASIDE, COPIES, NOT_AUTHORS, TOPICS};
use crate::sample::column::Column;
use crate::sample::path::{self, Form, Step};
use crate::sample::shape::Shape;
use std::collections::HashSet;

/// The columns that may be this field, the best first.
pub fn rank(field: Field, columns: &[Column], shapes: &[Shape]) -> Vec<FieldCandidate> {
    let mut ranked: Vec<FieldCandidate> = Vec::new();
    for (place, (column, shape)) in columns.iter().zip(shapes).enumerate() {
        let members = path::members(&column.steps);
        let NameScore { score: name, matched_name } = score_name(field, &members);
        if field != Field::Url && !column.label.is_empty() {
            continue;
        }
        if field == Field::Title && name == 0.0 && score_name(Field::Body, &members).score > 0.5 {
            continue;
        }
        let url_form = match field {
            Field::Url => UrlForm::of(column, &matched_name, name),
            _ => Some(UrlForm::Whole),
        };
        let Some(url_form) = url_form else { continue };
        let own = score(field, name, shape, column, url_form);
        let score = own * context(field, &members) * inside(field, column);
        let Some(path) =
            path::to_json_path(&column.steps, form(field, &members)).filter(|_| score >= SCORE_MIN)
        else {
            continue;
        };
        let why = reason(&matched_name, name, shape, column);
        let path = path.as_str().to_owned();
        ranked.push(FieldCandidate { column: place, path, url_form, score: score.min(1.0), why });
    }
    // The sort is stable: among equals, the first column wins.
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    if field == Field::Title {
        prefer_fuller_name(&mut ranked, columns);
        if ranked.is_empty() {
            let bodies = rank(Field::Body, columns, shapes);
            // Items with neither a text nor a URL are not results.
            let is_result = || !bodies.is_empty() || !rank(Field::Url, columns, shapes).is_empty();
            let by_word = || first_word(columns, shapes).filter(|_| is_result());
            ranked.extend(shorter_body(&bodies, shapes).or_else(by_word));
        }
    }
    let mut paths = HashSet::new();
    ranked.retain(|one| paths.insert(one.path.clone()));
    ranked
}

/// A text in runs is complete only with all of them.
fn form(field: Field, members: &[&str]) -> Form {
    if members.last().is_some_and(|name| is_run(name)) { Form::All } else { field.form() }
}

fn is_run(name: &str) -> bool {
    join_words(name) == "plaintext"
}

/// Combines the score of the values with that of the name.
fn score(field: Field, name: f64, shape: &Shape, column: &Column, url_form: UrlForm) -> f64 {
    let readable = (1.0 - shape.urls) * (1.0 - shape.codes);
    // A constant value describes all results, not one.
    let same = if shape.is_constant { 0.3 } else { 1.0 };
    match field {
        Field::Title => {
            let fits = match shape.chars {
                chars if chars < 2.0 => 0.0,
                chars if chars <= 250.0 => 0.6 + 0.4 * shape.phrases,
                _ => 0.3,
            };
            let own = readable * fits * (1.0 - shape.dates);
            let both = if name > 0.0 { 0.7 * name + 0.3 * own } else { 0.45 * own * shape.phrases };
            let both = both * (1.0 - 0.3 * shape.marks);
            if own < 0.2 {
                0.0
            } else {
                both * (0.4 + 0.6 * shape.distinct) * same * (0.5 + 0.5 * shape.coverage)
            }
        }
        Field::Body => {
            // Fallback paths fill gaps, so they count little.
            let long = match shape.chars {
                chars if chars < 12.0 => 0.5,
                chars if chars < 40.0 => 0.8,
                _ => 1.0,
            };
            let own = readable * long * (0.3 + 0.7 * shape.phrases);
            let both = if name > 0.0 {
                0.65 * name + 0.35 * own
            } else {
                0.45 * own * f64::from(shape.chars > 60.0)
            };
            if own < 0.1 { 0.0 } else { both * (0.6 + 0.4 * shape.distinct) * (0.92 + 0.08 * shape.coverage) }
        }
        Field::Url => {
            let name = if name > 0.0 { name } else { UNNAMED_URL_WEIGHT };
            let kind = column.first_values().map(destination).sum::<f64>() / column.filled().max(1) as f64;
            let share = if url_form == UrlForm::Whole { shape.urls } else { url_form.weight() };
            name * share * kind * (0.3 + 0.7 * shape.distinct) * (0.92 + 0.08 * shape.coverage)
        }
        Field::Date => {
            let has_name = name > 0.0;
            // A number is a date only if its name says so; 2019 may be a count.
            let name = match (has_name, column.has_numbers) {
                (true, _) => name,
                (false, true) => 0.0,
                (false, false) => 0.3,
            };
            if shape.dates < 0.5 { 0.0 } else { name * shape.dates * (0.6 + 0.4 * shape.coverage) }
        }
        Field::Author => {
            let short = if shape.chars <= 200.0 { 1.0 } else { 0.4 };
            name * readable * short * (1.0 - 0.7 * shape.dates) * (0.6 + 0.4 * shape.coverage)
        }
    }
}

/// Weight of the ancestors of a value: the name of a journal is no title, the page of an author no URL.
fn context(field: Field, members: &[&str]) -> f64 {
    let (_, ancestors) = meaningful_name(members);
    let depth = 0.96_f64.powi(i32::try_from(members.len().saturating_sub(1)).unwrap_or(i32::MAX));
    let is_copy = ancestors.iter().any(|name| has_word(name, COPIES));
    let is_aside = match field {
        Field::Author => ancestors.iter().any(|name| has_word(name, NOT_AUTHORS)),
        Field::Date => ancestors.iter().any(|name| is_aside(name)),
        Field::Body => ancestors.iter().any(|name| is_aside(name) && !has_word(name, TOPICS)),
        Field::Title | Field::Url => ancestors.iter().any(|name| is_aside(name)),
    };
    depth * if is_copy { 0.4 } else { 1.0 } * if is_aside { 0.3 } else { 1.0 }
}

/// `sourceResource` is a resource, `leadSponsor` a sponsor: the last word counts. A name like `_source` is technical
/// and means nothing.
fn is_aside(name: &str) -> bool {
    if name.starts_with('_') {
        return false;
    }
    let words = words(name);
    let is_one = |word: &str| is_listed(word, ASIDE);
    words.last().is_some_and(|word| is_one(word)) || is_one(&words.concat())
}

/// Values in a list with several items score lower: a result has one title.
fn inside(field: Field, column: &Column) -> f64 {
    let is_run = path::members(&column.steps).last().is_some_and(|name| is_run(name));
    let is_list = column.steps.contains(&Step::Items) && !is_run;
    let is_several = is_list && column.values.iter().any(|values| values.len() > 1);
    match field {
        Field::Url if !column.label.is_empty() => purpose(&column.label),
        Field::Title | Field::Url if is_several => 0.7,
        Field::Date if is_several => 0.85,
        _ => 1.0,
    }
}

fn reason(matched_name: &str, name: f64, shape: &Shape, column: &Column) -> String {
    let by_name = match name {
        name if name >= 0.8 => format!("The name '{matched_name}' matches"),
        name if name > 0.0 => format!("The name '{matched_name}' may match"),
        _ => "The values look like it".to_owned(),
    };
    let differ = match shape.distinct {
        distinct if distinct >= 1.0 => "all different",
        distinct if distinct > 0.5 => "most of them different",
        _ => "often the same",
    };
    format!("{by_name}; {} of {} results have it, {differ}.", column.filled(), column.values.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::columns::columns;
    use serde_json::{Value, json};

    fn best(field: Field, items: &Value) -> String {
        let items: Vec<&Value> = items.as_array().expect("a list").iter().collect();
        let columns = columns(&items);
        let shapes: Vec<Shape> = columns.iter().map(Shape::of).collect();
        rank(field, &columns, &shapes).first().map(|best| best.path.clone()).unwrap_or_default()
    }

    #[test]
    fn names_and_shapes_decide() {
        for (field, items, want) in titles().into_iter().chain(urls()).chain(other_fields()) {
            assert_eq!(best(field, &items), want, "{field:?} {items}");
        }
    }

    fn two(a: Value, b: Value) -> Value {
        json!([a, b])
    }

    /// Field, items, and the expected path.
    fn titles() -> Vec<(Field, Value, &'static str)> {
        vec![
            (
                Field::Title,
                two(json!({"id": "a1", "webTitle": "One day"}), json!({"webTitle": "Two days"})),
                "webTitle",
            ),
            (
                Field::Title,
                two(json!({"journal": {"title": "J of X"}, "name": "On tea"}), json!({"name": "On milk"})),
                "name",
            ),
            (Field::Title, two(json!({"title": ["A b", "c"]}), json!({"title": ["D e"]})), "title[0]"),
            (
                Field::Title,
                two(json!({"type": "page", "x": "Some words"}), json!({"type": "page", "x": "Other words"})),
                "x",
            ),
            (Field::Title, two(json!({"title": 7}), json!({"title": 8})), ""),
            (
                Field::Title,
                two(
                    json!({"snippet": "On tea", "content": "Long enough to be read."}),
                    json!({"snippet": "On milk", "content": "Another text to be read."}),
                ),
                "snippet",
            ),
            (
                Field::Title,
                two(
                    json!({"place": "there", "guess": "tea", "content": "A drink made of leaves."}),
                    json!({"place": "here", "guess": "milk", "content": "A drink made by cows."}),
                ),
                "guess",
            ),
            (Field::Title, two(json!({"guess": "tea"}), json!({"guess": "milk"})), ""),
            (
                Field::Title,
                two(json!({"content": "A text to be read."}), json!({"content": "Another one."})),
                "",
            ),
            (
                Field::Title,
                two(
                    json!({"name": "tea", "name_with_group": "Kitchen / tea"}),
                    json!({"name": "milk", "name_with_group": "Cellar / milk"}),
                ),
                "name_with_group",
            ),
            (
                Field::Title,
                two(
                    json!({"name": "On tea", "nameFull": "ON TEA, a talk"}),
                    json!({"name": "On milk", "nameFull": ""}),
                ),
                "name",
            ),
            (
                Field::Title,
                two(
                    json!({"title": "On @@@b@@@tea@@@e@@@", "page": {"title": "On tea"}}),
                    json!({"title": "On milk", "page": {"title": "On milk"}}),
                ),
                "page.title",
            ),
        ]
    }

    fn urls() -> Vec<(Field, Value, &'static str)> {
        vec![
            (
                Field::Url,
                two(
                    json!({"url": "https://api.h/1", "html_url": "https://h/1", "avatar_url": "https://h/a.png"}),
                    json!({"url": "https://api.h/2", "html_url": "https://h/2", "avatar_url": "https://h/b.png"}),
                ),
                "html_url",
            ),
            (Field::Url, two(json!({"id": "https://h/1"}), json!({"id": "https://h/2"})), "id"),
            (
                Field::Url,
                two(
                    json!({"author": {"url": "https://h/me"}, "permalink": "/x"}),
                    json!({"permalink": "/y"}),
                ),
                "permalink",
            ),
            (Field::Url, two(json!({"link": [{"@href": "https://h/1"}]}), json!({})), "link[0].@href"),
            (
                Field::Url,
                two(
                    json!({"files": [{"url": "https://h/a.csv"}], "landing": {"page": "https://h/1"}}),
                    json!({"files": [{"url": "https://h/b.csv"}], "landing": {"page": "https://h/2"}}),
                ),
                "landing.page",
            ),
            (
                Field::Url,
                two(
                    json!({"thumburl": "https://h/1", "pageurl": "https://h/2"}),
                    json!({"thumburl": "https://h/3", "pageurl": "https://h/4"}),
                ),
                "pageurl",
            ),
        ]
    }

    fn other_fields() -> Vec<(Field, Value, &'static str)> {
        vec![
            (
                Field::Body,
                two(
                    json!({"description": "Long enough to be read.", "lang": "en"}),
                    json!({"description": "Another text to be read.", "lang": "en"}),
                ),
                "description",
            ),
            (
                Field::Body,
                two(json!({"parts": [{"snippet": "One two"}, {"snippet": "three"}]}), json!({})),
                "parts[*].snippet",
            ),
            (
                Field::Date,
                two(
                    json!({"updated_at": "2024-03-05T10:00:00Z", "created_at": "2024-03-04T10:00:00Z", "n": 2019}),
                    json!({"updated_at": "2024-03-06T10:00:00Z", "created_at": "2024-03-05T10:00:00Z", "n": 2018}),
                ),
                "created_at",
            ),
            (
                Field::Date,
                two(json!({"created": 1_709_632_800}), json!({"created": 1_709_632_801})),
                "created",
            ),
            (Field::Date, two(json!({"points": 1_709_632_800}), json!({"points": 1_709_632_801})), ""),
            (
                Field::Author,
                two(json!({"authors": [{"name": "A. B", "id": "7"}, {"name": "C. D"}]}), json!({})),
                "authors[*].name",
            ),
            (Field::Author, two(json!({"user": {"login": "bea", "id": 5}}), json!({})), "user.login"),
            (
                Field::Author,
                two(json!({"dc:creator": "Ada"}), json!({"dc:creator": "Bea"})),
                "['dc:creator']",
            ),
        ]
    }
}
