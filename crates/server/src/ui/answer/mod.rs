//! The summary card of the search page: the form to request a summary, and the stored summary.

mod view;

pub use view::AnswerView;

use crate::error::ApiError;
use crate::state::AppState;
use domain::ids::{ResultId, SearchId, UserId};
use serde::Serialize;

/// In templates: `card`.
#[derive(Serialize)]
pub struct AnswerCard {
    pub search_id: SearchId,
    /// Whether the search has finished; only then a summary can be requested.
    pub is_final: bool,
    /// Whether a model is available.
    pub can_ask: bool,
    /// Names of the selectable prompts.
    pub prompts: Vec<String>,
    pub instructions_max: usize,
    /// Time limit of a summary, in seconds.
    pub time_max: u64,
    pub answer: Option<AnswerView>,
    /// The user's rating: 1, -1, or 0.
    pub rating: i8,
    /// None without a summary.
    pub basis: Option<AnswerBasis>,
}

/// The results that the summary was made from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerBasis {
    pub used: usize,
    /// All results of the search.
    pub all: usize,
    /// The results of the filtered list, if another summary can be made from them; else empty.
    pub filtered: Vec<ResultId>,
}

/// Names of the active prompts with one of the tags that the user may choose.
pub async fn prompts_for(state: &AppState, user: UserId, tags: &[&str]) -> Result<Vec<String>, ApiError> {
    let records = state.store.prompts().await?.into_iter();
    let has_tag = |own: &[String]| own.iter().any(|tag| tags.contains(&tag.as_str()));
    let fits = records.filter(|one| one.spec.active && one.is_for(Some(user)) && has_tag(&one.spec.tags));
    Ok(fits.map(|record| record.spec.name).collect())
}

#[cfg(test)]
mod tests;
