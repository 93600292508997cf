//! The fields of a result that are scored.

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
}
