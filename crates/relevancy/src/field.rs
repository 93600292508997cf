//! The fields of a result that count, and their weights.

use domain::result::ResultItem;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Title,
    Body,
    Author,
}

/// One value per field.
pub type PerField<T> = [T; Field::ALL.len()];

impl Field {
    pub const ALL: [Self; 3] = [Self::Title, Self::Body, Self::Author];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Body => "body",
            Self::Author => "author",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    pub fn text(self, item: &ResultItem) -> &str {
        match self {
            Self::Title => &item.title,
            Self::Body => &item.body,
            Self::Author => &item.author,
        }
    }

    pub fn text_mut(self, item: &mut ResultItem) -> &mut String {
        match self {
            Self::Title => &mut item.title,
            Self::Body => &mut item.body,
            Self::Author => &mut item.author,
        }
    }

    /// The weight of one occurrence.
    pub fn weight(self) -> f64 {
        match self {
            Self::Title => 1.5,
            Self::Body | Self::Author => 1.0,
        }
    }

    /// How far the length of a field affects the weight of an occurrence, 0 to 1. Titles and authors are short, so
    /// their length matters less.
    pub fn length_slope(self) -> f64 {
        match self {
            Self::Body => 0.75,
            Self::Title | Self::Author => 0.4,
        }
    }
}
