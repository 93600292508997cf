//! The fields of a result, and the columns that may be one.

use crate::fields::urls::UrlForm;
use crate::sample::path::Form;

/// Minimum score of a candidate.
pub const SCORE_MIN: f64 = 0.3;

/// A field of a result that the doctor maps.
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

    /// One title, one URL, one date; but all authors and all parts of a body.
    pub fn form(self) -> Form {
        match self {
            Self::Title | Self::Url | Self::Date => Form::First,
            Self::Body | Self::Author => Form::All,
        }
    }
}

/// A column that may be the field.
#[derive(Debug, Clone)]
pub struct FieldCandidate {
    /// Index of the column.
    pub column: usize,
    pub path: String,
    /// Form of a URL; other fields are `Whole`.
    pub url_form: UrlForm,
    /// 0 to 1.
    pub score: f64,
    pub why: String,
}
