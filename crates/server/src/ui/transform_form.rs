//! The administrator's form for Query Transforms: upload a CSV file, see its mistakes by line, try it on a query.
//! A file of the same name and type replaces what is there.

use super::frame::Frame;
use super::upload::Upload;
use crate::AppState;
use crate::auth::Admin;
use crate::changes::Changes;
use crate::error::{ApiError, Refusal};
use crate::extract::ApiQuery;
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned, edit, versioned};
use axum::extract::State;
use axum::extract::multipart::{Multipart, MultipartRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use domain::contracts::{EditableRecord, StoreError};
use domain::ids::{TransformId, UserId};
use domain::instant;
use domain::query_transform::{QueryTransform, Rules, TransformSpec, TransformType};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the form is called after an upload.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FormQuery {
    saved: Option<i64>,
    query: String,
}

#[derive(Serialize)]
struct FormPage {
    name: String,
    kind: &'static str,
    kinds: [&'static str; 3],
    is_private: bool,
    content: String,
    query: String,
    errors: Vec<String>,
    /// The reference of what was just saved, and how many rules it has.
    saved: Option<(String, usize)>,
    /// What the rules make of the query.
    preview: Option<String>,
    transforms: Vec<ShownTransform>,
}

#[derive(Serialize)]
struct ShownTransform {
    id: TransformId,
    reference: String,
    is_shared: bool,
    updated: String,
}

/// The empty form, with the transforms that are there.
pub async fn form_page(
    _admin: Admin,
    frame: Frame,
    State(state): State<Arc<AppState>>,
    ApiQuery(given): ApiQuery<FormQuery>,
) -> Result<Response, ApiError> {
    let mut page = FormPage::open(&state).await?;
    if let Some(id) = given.saved {
        let saved = match state.store.transform(TransformId(id)).await {
            Ok(saved) => saved,
            Err(StoreError::NotFound) => return page.show(&state, &frame, StatusCode::OK),
            Err(error) => return Err(error.into()),
        };
        if let Ok(rules) = saved.spec.rules() {
            page.saved = Some((saved.spec.reference(), rules.count()));
            page.try_on(&rules, given.query);
        }
    }
    page.show(&state, &frame, StatusCode::OK)
}

/// Checks the file; saves it, or with `action=preview` only tries it.
pub async fn upload(
    Admin(principal): Admin,
    changes: Changes,
    frame: Frame,
    State(state): State<Arc<AppState>>,
    links: Links,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, ApiError> {
    let form = form.map_err(|_| {
        ApiError::saying(Refusal::UnsupportedMediaType, "Send the form as multipart/form-data.")
    })?;
    let upload = Upload::read(form).await?;
    let (spec, errors) = upload.spec();
    let rules = if errors.is_empty() { spec.rules() } else { Err(errors) };
    let rules = match rules {
        Ok(rules) if upload.is_preview => rules,
        Ok(_) => {
            let saved = save(&state, &changes, principal.user, spec, upload.shared).await?;
            let query: String = url::form_urlencoded::byte_serialize(upload.query.as_bytes()).collect();
            let place = format!("{}/query_transform_form/?saved={}&query={query}", links.prefix(), saved.id);
            return Ok(Redirect::to(&place).into_response());
        }
        Err(errors) => {
            let mut page = FormPage::open(&state).await?;
            page.errors = errors.iter().map(said).collect();
            page.fill(spec, upload);
            return page.show(&state, &frame, StatusCode::BAD_REQUEST);
        }
    };
    let mut page = FormPage::open(&state).await?;
    page.try_on(&rules, upload.query.clone());
    page.fill(spec, upload);
    page.show(&state, &frame, StatusCode::OK)
}

/// A mistake for people: of the rules the line is enough.
fn said((field, sentence): (&str, &str)) -> String {
    match field {
        "config_content" | "file" => sentence.to_owned(),
        field => format!("{field}: {sentence}"),
    }
}

/// Stores the spec in the place of the one of its name and type, if there is one.
async fn save(
    state: &AppState,
    changes: &Changes,
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
            let replace = move |version, newest: QueryTransform| async move {
                let shared = shared.unwrap_or(newest.spec.shared);
                let spec = TransformSpec { shared, ..spec.clone() };
                let saved = changes.at(Some(version)).replace_transform(newest.id, spec, now).await?;
                Ok(Versioned::after(version, saved))
            };
            edit(&IfMatch::Absent, load, replace).await.map(Versioned::into_body)
        }
        None => {
            spec.shared = shared.unwrap_or(spec.shared);
            Ok(changes.store().create_transform(spec, owner, now).await?)
        }
    }
}

impl FormPage {
    async fn open(state: &AppState) -> Result<Self, ApiError> {
        let transforms = state.store.transforms().await?;
        Ok(Self {
            name: String::new(),
            kind: TransformType::default().as_str(),
            kinds: TransformType::ALL.map(TransformType::as_str),
            is_private: false,
            content: String::new(),
            query: String::new(),
            errors: Vec::new(),
            saved: None,
            preview: None,
            transforms: transforms.into_iter().map(ShownTransform::of).collect(),
        })
    }

    /// The page shows again what was sent, so that nothing is typed twice.
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

    fn show(self, state: &AppState, frame: &Frame, status: StatusCode) -> Result<Response, ApiError> {
        state.pages.show(status, "transform_form.html", frame, self)
    }
}

impl ShownTransform {
    fn of(transform: QueryTransform) -> Self {
        Self {
            id: transform.id,
            reference: transform.spec.reference(),
            is_shared: transform.spec.shared,
            updated: instant::display(transform.date_updated),
        }
    }
}
