//! Upload form for query transforms: reports errors by line and previews the rules on a query. A file with the same
//! name and type replaces the existing transform.

use super::admin::ConsoleFrame;
use super::page_context::PageContext;
use super::upload::Upload;
use crate::audit::AuditedStore;
use crate::auth::Admin;
use crate::error::{ApiError, ErrorCode};
use crate::extract::ApiQuery;
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, edit, versioned};
use crate::state::AppState;
use axum::extract::State;
use axum::extract::multipart::{Multipart, MultipartRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use domain::ids::{TransformId, UserId};
use domain::instant;
use domain::ports::{EditableRecord, StoreError};
use domain::query_transform::{QueryTransform, Rules, TransformSpec, TransformType};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Query parameters of the form after an upload.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FormQuery {
    saved: Option<i64>,
    query: String,
}

/// The page of the console that the form belongs to.
const CONSOLE_SLUG: &str = "querytransforms";

#[derive(Serialize)]
struct FormPage {
    frame: ConsoleFrame,
    name: String,
    kind: &'static str,
    kinds: [&'static str; 3],
    is_private: bool,
    content: String,
    query: String,
    errors: Vec<String>,
    /// The reference of the transform that was just saved, and the number of its rules.
    saved: Option<(String, usize)>,
    /// The query after the rules were applied.
    preview: Option<String>,
    transforms: Vec<TransformView>,
}

#[derive(Serialize)]
struct TransformView {
    id: TransformId,
    reference: String,
    is_shared: bool,
    updated: String,
}

/// The empty form, with the existing transforms.
pub async fn form_page(
    _admin: Admin,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    ApiQuery(query): ApiQuery<FormQuery>,
) -> Result<Response, ApiError> {
    let mut page = FormPage::open(&state).await?;
    if let Some(id) = query.saved {
        let saved = match state.store.transform(TransformId(id)).await {
            Ok(saved) => saved,
            Err(StoreError::NotFound) => return page.show(&state, &context, StatusCode::OK),
            Err(error) => return Err(error.into()),
        };
        if let Ok(rules) = saved.spec.rules() {
            page.saved = Some((saved.spec.reference(), rules.count()));
            page.try_on(&rules, query.query);
        }
    }
    page.show(&state, &context, StatusCode::OK)
}

/// Checks the file; saves it, or only previews it with `action=preview`.
pub async fn upload(
    Admin(principal): Admin,
    audited: AuditedStore,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    links: Links,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, ApiError> {
    let form = form.map_err(|_| {
        ApiError::with_detail(ErrorCode::UnsupportedMediaType, "Send the form as multipart/form-data.")
    })?;
    let upload = Upload::read(form).await?;
    let (spec, errors) = upload.spec();
    let rules = if errors.is_empty() { spec.rules() } else { Err(errors) };
    let rules = match rules {
        Ok(rules) if upload.is_preview => rules,
        Ok(_) => {
            let saved = save(&state, &audited, principal.user, spec, upload.shared).await?;
            let query: String = url::form_urlencoded::byte_serialize(upload.query.as_bytes()).collect();
            let place = format!("{}/query_transform_form/?saved={}&query={query}", links.prefix(), saved.id);
            return Ok(Redirect::to(&place).into_response());
        }
        Err(errors) => {
            let mut page = FormPage::open(&state).await?;
            page.errors = errors.iter().map(|(field, sentence)| error_line(field, sentence)).collect();
            page.fill(spec, upload);
            return page.show(&state, &context, StatusCode::BAD_REQUEST);
        }
    };
    let mut page = FormPage::open(&state).await?;
    page.try_on(&rules, upload.query.clone());
    page.fill(spec, upload);
    page.show(&state, &context, StatusCode::OK)
}

/// An error for users; for rules, the line number is enough.
fn error_line(field: &str, sentence: &str) -> String {
    match field {
        "config_content" | "file" => sentence.to_owned(),
        field => format!("{field}: {sentence}"),
    }
}

/// Stores the spec, replacing an existing one with the same name and type.
async fn save(
    state: &AppState,
    audited: &AuditedStore,
    owner: UserId,
    mut spec: TransformSpec,
    shared: Option<bool>,
) -> Result<QueryTransform, ApiError> {
    let all = state.store.transforms().await?;
    let existing = all.into_iter().find(|one| one.spec.reference() == spec.reference());
    let now = state.clock.now();
    match existing {
        Some(existing) => {
            let record = EditableRecord::Transform(existing.id);
            let spec = &spec;
            let load = || versioned(state, record.clone(), state.store.transform(existing.id));
            let replace = move |Versioned { version, body: newest }: Versioned<QueryTransform>| async move {
                let shared = shared.unwrap_or(newest.spec.shared);
                let spec = TransformSpec { shared, ..spec.clone() };
                let saved = audited.at(Some(version)).replace_transform(newest.id, spec, now).await?;
                Ok(Versioned::after(version, saved))
            };
            edit(&IfMatch::Absent, load, replace).await.map(Versioned::into_body)
        }
        None => {
            spec.shared = shared.unwrap_or(spec.shared);
            Ok(audited.store().create_transform(spec, owner, now).await?)
        }
    }
}

impl FormPage {
    async fn open(state: &AppState) -> Result<Self, ApiError> {
        let frame = ConsoleFrame::of(CONSOLE_SLUG).ok_or_else(|| ApiError::of(ErrorCode::NotFound))?;
        let transforms = state.store.transforms().await?;
        Ok(Self {
            frame,
            name: String::new(),
            kind: TransformType::default().as_str(),
            kinds: TransformType::ALL.map(TransformType::as_str),
            is_private: false,
            content: String::new(),
            query: String::new(),
            errors: Vec::new(),
            saved: None,
            preview: None,
            transforms: transforms.into_iter().map(TransformView::of).collect(),
        })
    }

    /// Fills the form with the submitted values.
    fn fill(&mut self, spec: TransformSpec, upload: Upload) {
        self.name = spec.name;
        self.kind = spec.qrx_type.as_str();
        self.content = spec.config_content;
        self.is_private = upload.shared == Some(false);
        self.query = upload.query;
    }

    fn try_on(&mut self, rules: &Rules, query: String) {
        if !query.trim().is_empty() {
            self.preview = Some(rules.apply(&query).query);
        }
        self.query = query;
    }

    fn show(self, state: &AppState, context: &PageContext, status: StatusCode) -> Result<Response, ApiError> {
        state.templates.render_page(status, "transform_form.html", context, self)
    }
}

impl TransformView {
    fn of(transform: QueryTransform) -> Self {
        Self {
            id: transform.id,
            reference: transform.spec.reference(),
            is_shared: transform.spec.shared,
            updated: instant::display(transform.date_updated),
        }
    }
}
