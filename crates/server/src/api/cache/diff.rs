//! GET: differences between two versions.

use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiPath;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use corpus::canonical::{Diff, DiffOp, DiffPiece};
use domain::corpus::Signal;
use domain::ids::SignalId;
use serde::Serialize;
use std::sync::Arc;

/// The edits that turn the text on the left into the one on the right.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TextDifference)]
pub struct DiffView {
    left: SideView,
    right: SideView,
    /// Words only on the right.
    added: usize,
    /// Words only on the left.
    removed: usize,
    same: usize,
    /// The texts are longer than what is compared, or have more differences than are listed.
    truncated: bool,
    /// In the order of the texts.
    pieces: Vec<PieceView>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TextSide)]
struct SideView {
    signal_id: SignalId,
    title: String,
    /// Such as `v2` or `final`; may be empty.
    version_label: String,
    /// As the source reported it; otherwise `unknown`.
    date: String,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TextPiece)]
struct PieceView {
    /// `same`, `added` or `removed`.
    #[schema(example = "same")]
    op: &'static str,
    text: String,
}

impl From<Signal> for SideView {
    fn from(signal: Signal) -> Self {
        let Signal { signal_id, title, version_label, date_published: date, .. } = signal;
        Self { signal_id, title, version_label, date }
    }
}

impl From<Diff> for DiffView {
    fn from(diff: Diff) -> Self {
        let Diff { left, right, added, removed, same, truncated, pieces } = diff;
        let piece = |DiffPiece { op, text }| PieceView { op: DiffOp::as_str(op), text };
        Self {
            left: left.into(),
            right: right.into(),
            added,
            removed,
            same,
            truncated,
            pieces: pieces.into_iter().map(piece).collect(),
        }
    }
}

/// Differences between the texts of two documents of the semantic cache, by words.
#[utoipa::path(get, path = "/svc/cache/{id}/diff/{other}/", tag = "cache", params(
    ("id" = i64, Path, description = "`signal_id` of the document on the left."),
    ("other" = i64, Path, description = "`signal_id` of the document on the right.")), responses(
    (status = 200, description = "The difference.", body = DiffView),
    (status = 402, description = "`cache_unlicensed`: the license does not include the cache.", body = ErrorBody),
    (status = 404, description = "One of them is unknown, or not visible to you.", body = ErrorBody)))]
pub async fn read_difference(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath((left, right)): ApiPath<(i64, i64)>,
) -> Result<Json<DiffView>, ApiError> {
    let diff = state.corpus.diff_of(&caller.principal, SignalId(left), SignalId(right)).await?;
    Ok(Json(diff.into()))
}
