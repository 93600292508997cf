//! Which path of the items is the title, the body, the url, the date, the author: judged by its name and by
//! the shape of its values. No source is known by name.

use super::address::{Spelling, destination, purpose};
use super::columns::Column;
use super::hearing::{ADDRESS_UNNAMED, Named, named};
use super::path::{self, Form, Step};
use super::shape::Shape;
use super::titles::{first_word, prefer_fuller_name, shorter_body};
use super::vocabulary::{ASIDE, COPIES, NOT_AUTHORS, TOPICS};
use super::words::{has_word, is_listed, joined, speaking, words};
use std::collections::HashSet;

/// Below this nothing is proposed.
pub const SCORE_MIN: f64 = 0.3;

/// A field of a result that the doctor fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Title,
    Body,
    Url,
    Date,
    Author,
}

impl Field {
    pub const ALL: [Self; 5] = [Self::Title, Self::Body, Self::Url, Self::Date, Self::Author];

    /// The key in `result_mappings`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Body => "body",
            Self::Url => "url",
            Self::Date => "date_published",
            Self::Author => "author",
        }
    }

    /// One title, one address, one date; but all authors and all pieces of a body.
    pub fn form(self) -> Form {
        match self {
            Self::Title | Self::Url | Self::Date => Form::First,
            Self::Body | Self::Author => Form::All,
        }
    }
}

/// A column that may be a field.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// Its place among the columns.
    pub column: usize,
    pub path: String,
    /// How an address is written; other fields are whole.
    pub spelling: Spelling,
    /// 0 to 1.
    pub score: f64,
    pub why: String,
}

/// The columns that may be this field, the best first.
pub fn rank(field: Field, columns: &[Column], shapes: &[Shape]) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = Vec::new();
    for (place, (column, shape)) in columns.iter().zip(shapes).enumerate() {
        let members = path::members(&column.steps);
        let Named { score: name, said } = named(field, &members);
        if field != Field::Url && !column.label.is_empty() {
            continue;
        }
        if field == Field::Title && name == 0.0 && named(Field::Body, &members).score > 0.5 {
            continue;
        }
        let spelling = match field {
            Field::Url => Spelling::of(column, &said, name),
            _ => Some(Spelling::Whole),
        };
        let Some(spelling) = spelling else { continue };
        let own = score(field, name, shape, column, spelling);
        let score = own * context(field, &members) * inside(field, column);
        let Some(path) = path::checked(&column.steps, form(field, &members)).filter(|_| score >= SCORE_MIN)
        else {
            continue;
        };
        let why = reason(&said, name, shape, column);
        let path = path.as_str().to_owned();
        ranked.push(Ranked { column: place, path, spelling, score: score.min(1.0), why });
    }
    // The sort is stable: of equals, the one that stands first in the items.
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    if field == Field::Title {
        prefer_fuller_name(&mut ranked, columns);
        if ranked.is_empty() {
            ranked.extend(shorter_body(columns, shapes).or_else(|| first_word(columns, shapes)));
        }
    }
    let mut paths = HashSet::new();
    ranked.retain(|one| paths.insert(one.path.clone()));
    ranked
}

/// A text in runs is whole only with all of them.
fn form(field: Field, members: &[&str]) -> Form {
    if members.last().is_some_and(|name| is_run(name)) { Form::All } else { field.form() }
}

fn is_run(name: &str) -> bool {
    joined(name) == "plaintext"
}

/// What the values say, joined with what the name says.
fn score(field: Field, name: f64, shape: &Shape, column: &Column, spelling: Spelling) -> f64 {
    let readable = (1.0 - shape.urls) * (1.0 - shape.codes);
    // A word that every result repeats tells of all of them.
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
            // Where it is empty another path stands in, so that gaps count little.
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
            let name = if name > 0.0 { name } else { ADDRESS_UNNAMED };
            let kind = column.firsts().map(destination).sum::<f64>() / column.filled().max(1) as f64;
            let share = if spelling == Spelling::Whole { shape.urls } else { spelling.weight() };
            name * share * kind * (0.3 + 0.7 * shape.distinct) * (0.92 + 0.08 * shape.coverage)
        }
        Field::Date => {
            let is_told = name > 0.0;
            // A number is a date only when its name says so; 2019 may be a count.
            let name = match (is_told, column.has_numbers) {
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

/// What stands around a value: the name of a journal is no title, the page of an author no url.
fn context(field: Field, members: &[&str]) -> f64 {
    let (_, ancestors) = speaking(members);
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

/// `sourceResource` is a resource, `leadSponsor` a sponsor: the last word says what it is. A name like `_source`
/// is the machine's own and says nothing.
fn is_aside(name: &str) -> bool {
    if name.starts_with('_') {
        return false;
    }
    let words = words(name);
    let is_one = |word: &str| is_listed(word, ASIDE);
    words.last().is_some_and(|word| is_one(word)) || is_one(&words.concat())
}

/// What stands in a list of several tells of several things; a result has one title.
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

fn reason(said: &str, name: f64, shape: &Shape, column: &Column) -> String {
    let heard = match name {
        name if name >= 0.8 => format!("The name '{said}' says so"),
        name if name > 0.0 => format!("The name '{said}' may say so"),
        _ => "Its values look like it".to_owned(),
    };
    let differ = match shape.distinct {
        distinct if distinct >= 1.0 => "all different",
        distinct if distinct > 0.5 => "most of them different",
        _ => "often the same",
    };
    format!("{heard}; {} of {} results have it, {differ}.", column.filled(), column.values.len())
}

#[cfg(test)]
mod tests {
    use super::super::columns::columns;
    use super::*;
    use serde_json::{Value, json};

    fn best(field: Field, items: &Value) -> String {
        let items: Vec<&Value> = items.as_array().expect("a list").iter().collect();
        let columns = columns(&items);
        let shapes: Vec<Shape> = columns.iter().map(Shape::of).collect();
        rank(field, &columns, &shapes).first().map(|best| best.path.clone()).unwrap_or_default()
    }

    #[test]
    fn names_and_shapes_decide() {
        for (field, items, want) in titles().into_iter().chain(addresses()).chain(other_fields()) {
            assert_eq!(best(field, &items), want, "{field:?} {items}");
        }
    }

    fn two(a: Value, b: Value) -> Value {
        json!([a, b])
    }

    /// A field, items, and the path that is right.
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
                    json!({"name": "tea", "name_with_shelf": "Kitchen / tea"}),
                    json!({"name": "milk", "name_with_shelf": "Cellar / milk"}),
                ),
                "name_with_shelf",
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

    fn addresses() -> Vec<(Field, Value, &'static str)> {
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
