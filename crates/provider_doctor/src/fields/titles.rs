//! Chooses a title if names are not decisive: the longer of two names, or a substitute.

use crate::fields::field::{Field, FieldCandidate, SCORE_MIN};
use crate::fields::identifier_words::{has_word, words};
use crate::fields::name_score::score_name;
use crate::fields::urls::UrlForm;
use crate::fields::vocabulary::NOT_TITLES;
use crate::sample::column::Column;
use crate::sample::path::{self, Step};
use crate::sample::shape::Shape;

/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 200;
/// Longest text that is used as a title, in characters.
const TITLE_CHARS_MAX: f64 = 120.0;

/// Without a title, the shorter of two texts is used.
pub fn shorter_body(bodies: &[FieldCandidate], shapes: &[Shape]) -> Option<FieldCandidate> {
    let chars = |one: &FieldCandidate| shapes[one.column].chars;
    let shortest = bodies.iter().min_by(|a, b| chars(a).total_cmp(&chars(b)))?;
    let longest = bodies.iter().map(chars).fold(0.0, f64::max);
    let is_title = chars(shortest) <= TITLE_CHARS_MAX && chars(shortest) * 1.5 <= longest;
    is_title.then(|| FieldCandidate {
        score: SCORE_MIN,
        why: "No name matches a title; this is the shortest text.".to_owned(),
        ..shortest.clone()
    })
}

/// Otherwise, the first member with a distinct word in every result is used.
pub fn first_word(columns: &[Column], shapes: &[Shape]) -> Option<FieldCandidate> {
    let is_word = |(column, shape): (&Column, &Shape)| {
        let members = path::members(&column.steps);
        let [own] = members.as_slice() else { return false };
        let is_plain = shape.urls == 0.0 && shape.codes == 0.0 && shape.dates == 0.0;
        let is_own = column.values.len() > 1 && shape.coverage * shape.distinct >= 1.0;
        is_plain && is_own && score_name(Field::Body, &members).score == 0.0 && !has_word(own, NOT_TITLES)
    };
    let place = columns.iter().zip(shapes).position(is_word)?;
    let path = path::to_json_path(&columns[place].steps, Field::Title.form())?.as_str().to_owned();
    let why = "No name matches a title; this is the first word that is distinct in each result.".to_owned();
    Some(FieldCandidate { column: place, path, url_form: UrlForm::Whole, score: SCORE_MIN, why })
}

/// Prefers `name_with_group` to `name`: of two names, the one that contains the other.
pub fn prefer_fuller_name(ranked: &mut [FieldCandidate], columns: &[Column]) {
    let steps = |one: &FieldCandidate| columns[one.column].steps.split_last();
    let Some((Step::Member(name), parent)) = ranked.first().and_then(steps) else { return };
    if !has_word(name, "name") {
        return;
    }
    let short = &columns[ranked[0].column].values;
    let is_fuller = |one: &FieldCandidate| {
        let Some((Step::Member(other), beside)) = steps(one) else { return false };
        let rows = short.iter().zip(&columns[one.column].values);
        other != name
            && beside == parent
            && words(other).starts_with(&words(name))
            && rows.clone().all(|(short, full)| match (short.first(), full.first()) {
                (Some(short), Some(full)) => full.contains(short.as_str()) && full.len() <= NAME_BYTES_MAX,
                (short, _) => short.is_none(),
            })
    };
    if let Some(place) = ranked.iter().position(is_fuller) {
        // It contains the other, so it is as reliable.
        ranked[place].score = ranked[0].score;
        ranked[..=place].rotate_right(1);
    }
}
