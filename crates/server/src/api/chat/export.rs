//! Export of a chat as a file.

use super::access::{messages_of, own_chat};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery};
use crate::state::AppState;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use domain::chat::ChatMessage;
use domain::ids::ChatId;
use rag::chat::export::{FontFolders, PdfError, html, markdown, pdf};
use rag::chat::in_reading_order;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Pdf,
    Html,
    Md,
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ExportQuery {
    /// `pdf`, `html` or `md`.
    #[param(inline)]
    format: Format,
}

/// A chat as PDF, HTML or Markdown. A PDF in Chinese, Thai or another script that the program has no font of needs one
/// on the server. A chat of a script without a font, or of one such as Devanagari, is refused, and the response names
/// the scripts. Symbols that no font has are written in plain characters or by their code point, such as `[U+1F680]`.
/// HTML and Markdown support everything.
#[utoipa::path(get, path = "/svc/chat/{id}/export/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat."), ExportQuery),
    responses((status = 200, description = "The file.", content((Vec<u8> = "application/pdf"), (String = "text/html"), (String = "text/markdown"))),
    (status = 400, description = "Another format.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 422, description = "The PDF does not support one of its scripts, or the chat is too long for a PDF.", body = ErrorBody)))]
pub async fn export_chat(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiQuery(query): ApiQuery<ExportQuery>,
) -> Result<Response, ApiError> {
    let chat = own_chat(&state, &caller.principal, ChatId(id)).await?;
    let messages = messages_of(&state, &chat).await?;
    let messages: Vec<ChatMessage> = messages.into_iter().map(in_reading_order).collect();
    let (bytes, kind, ending) = match query.format {
        Format::Md => (markdown(&chat, &messages).into_bytes(), "text/markdown; charset=utf-8", "md"),
        Format::Html => (html(&chat, &messages).into_bytes(), "text/html; charset=utf-8", "html"),
        Format::Pdf => {
            // Setting a long chat takes time, and fonts are files.
            let made =
                tokio::task::spawn_blocking(move || pdf(&chat, &messages, &FontFolders::of_system())).await;
            let file = made
                .map_err(ApiError::internal)?
                .map_err(|error: PdfError| ApiError::with_detail(ErrorCode::Impossible, error.to_string()))?;
            (file, "application/pdf", "pdf")
        }
    };
    let name = format!("attachment; filename=\"chat-{id}.{ending}\"");
    Ok(([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, name)], bytes)
        .into_response())
}
