//! The values that the items of a list have at one path.

use crate::sample::path::Step;

/// Most items that are examined.
pub const ITEMS_MAX: usize = 25;

/// The values at one path, per item.
#[derive(Debug, Clone, Default)]
pub struct Column {
    pub steps: Vec<Step>,
    /// The values of each item; empty if it has none.
    pub values: Vec<Vec<String>>,
    /// True if there is a number among them.
    pub has_numbers: bool,
    /// Label of the links at this position of a list; empty for other columns.
    pub label: String,
}

impl Column {
    /// Number of items with a value.
    pub fn filled(&self) -> usize {
        self.values.iter().filter(|values| !values.is_empty()).count()
    }

    /// True if the path leads into the objects of a list.
    pub fn is_inside_list(&self) -> bool {
        self.steps
            .windows(2)
            .any(|pair| matches!(pair, [Step::Items | Step::Index(_) | Step::Last, Step::Member(_)]))
    }

    /// The first value of each item that has one.
    pub fn first_values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(|values| values.first()).map(String::as_str)
    }

    /// The joined values of each item that has some.
    pub fn texts(&self) -> Vec<String> {
        self.values.iter().filter(|values| !values.is_empty()).map(|values| values.join(" ")).collect()
    }
}
