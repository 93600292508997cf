//! The title where names alone do not settle it: the fuller of two names, or what stands for a title that is missing.

use super::address::Spelling;
use super::columns::Column;
use super::fields::{Field, Ranked, SCORE_MIN, rank};
use super::hearing::named;
use super::path::{self, Step};
use super::shape::Shape;
use super::vocabulary::NOT_TITLES;
use super::words::{has_word, words};

/// Longest name that is taken for a fuller one, in bytes.
const NAME_BYTES_MAX: usize = 200;
/// Longest text that stands for a title, in characters.
const TITLE_CHARS_MAX: f64 = 120.0;

/// Where nothing is a title, the shorter of two texts stands for it.
pub fn shorter_body(columns: &[Column], shapes: &[Shape]) -> Option<Ranked> {
    let bodies = rank(Field::Body, columns, shapes);
    let chars = |one: &Ranked| shapes[one.column].chars;
    let shortest = bodies.iter().min_by(|a, b| chars(a).total_cmp(&chars(b)))?;
    let longest = bodies.iter().map(chars).fold(0.0, f64::max);
    let is_title = chars(shortest) <= TITLE_CHARS_MAX && chars(shortest) * 1.5 <= longest;
    is_title.then(|| Ranked {
        score: SCORE_MIN,
        why: "Nothing is called a title; it is the shortest text.".to_owned(),
        ..shortest.clone()
    })
}

/// Where no text stands for a title either, the first member that every result fills with a word of its own does.
/// What has neither a text nor an address beside it is no result.
pub fn first_word(columns: &[Column], shapes: &[Shape]) -> Option<Ranked> {
    let is_result = [Field::Body, Field::Url].iter().any(|field| !rank(*field, columns, shapes).is_empty());
    let is_word = |(column, shape): (&Column, &Shape)| {
        let members = path::members(&column.steps);
        let [own] = members.as_slice() else { return false };
        let is_plain = shape.urls == 0.0 && shape.codes == 0.0 && shape.dates == 0.0;
        let is_own = column.values.len() > 1 && shape.coverage * shape.distinct >= 1.0;
        is_plain && is_own && named(Field::Body, &members).score == 0.0 && !has_word(own, NOT_TITLES)
    };
    let place = columns.iter().zip(shapes).position(is_word).filter(|_| is_result)?;
    let path = path::checked(&columns[place].steps, Field::Title.form())?.as_str().to_owned();
    let why = "Nothing is called a title; it is the first word that each result has for itself.".to_owned();
    Some(Ranked { column: place, path, spelling: Spelling::Whole, score: SCORE_MIN, why })
}

/// `name_with_group` says more than `name`: of two forms of a name, the one that holds the other.
pub fn prefer_fuller_name(ranked: &mut [Ranked], columns: &[Column]) {
    let steps = |one: &Ranked| columns[one.column].steps.split_last();
    let Some((Step::Member(name), parent)) = ranked.first().and_then(steps) else { return };
    if !has_word(name, "name") {
        return;
    }
    let short = &columns[ranked[0].column].values;
    let is_fuller = |one: &Ranked| {
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
        // It says no less than the other, so that it is as sure.
        ranked[place].score = ranked[0].score;
        ranked[..=place].rotate_right(1);
    }
}
