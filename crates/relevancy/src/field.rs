//! The fields of a result that count, and how much.

use domain::result::ResultItem;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Title,
    Body,
    Author,
}

/// One value for each field.
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

    /// What one occurrence is worth.
    pub fn weight(self) -> f64 {
        match self {
            Self::Title => 1.5,
            Self::Body | Self::Author => 1.0,
        }
    }

    /// How far the length of a field changes the worth of an occurrence, 0 to 1. Titles and authors are short
    /// by nature, so their length says less.
    pub fn length_slope(self) -> f64 {
        match self {
            Self::Body => 0.75,
            Self::Title | Self::Author => 0.4,
        }
    }
}
