//! Parses the `multipart/form-data` of the query transform form.

use crate::error::{ApiError, ErrorCode};
use axum::extract::multipart::{Multipart, MultipartError};
use axum::http::StatusCode;
use bytes::Bytes;
use domain::query_transform::{LineError, TransformSpec, TransformType};
use domain::search::QUERY_CHARS_MAX;
use domain::validation::FieldErrors;

/// The submitted fields. Unknown fields are ignored.
#[derive(Debug, Default)]
pub struct Upload {
    file: Bytes,
    /// The rules as text, if no file is sent.
    config_content: String,
    name: String,
    content_type: String,
    pub query: String,
    /// None if the field is missing.
    pub shared: Option<bool>,
    /// Preview only; nothing is saved.
    pub is_preview: bool,
}

impl Upload {
    pub async fn read(mut form: Multipart) -> Result<Self, ApiError> {
        let mut upload = Self::default();
        while let Some(field) = form.next_field().await.map_err(refusal)? {
            let name = field.name().unwrap_or_default().to_owned();
            let bytes = field.bytes().await.map_err(refusal)?;
            if name == "file" {
                upload.file = bytes;
                continue;
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match name.as_str() {
                "name" => upload.name = text.trim().to_owned(),
                "content_type" => upload.content_type = text,
                "config_content" => upload.config_content = text,
                "query" => upload.query = text,
                "shared" => upload.shared = Some(text.trim() != "false"),
                "action" => upload.is_preview = text.trim() == "preview",
                _ => {}
            }
        }
        Ok(upload)
    }

    /// The transform that the form describes, and its errors except those in the rules.
    pub fn spec(&self) -> (TransformSpec, FieldErrors) {
        let mut errors = FieldErrors::default();
        let kind = TransformType::parse(&self.content_type);
        errors.check(kind.is_some(), "content_type", || {
            format!("Use one of {}.", TransformType::ALL.map(TransformType::as_str).join(", "))
        });
        let (content, mistake) = self.content();
        if let Some(mistake) = mistake {
            errors.add("file", mistake.to_string());
        }
        let spec = TransformSpec {
            name: self.name.clone(),
            qrx_type: kind.unwrap_or_default(),
            config_content: content,
            ..TransformSpec::default()
        };
        errors.merge(spec.check());
        errors.check_text("query", &self.query, QUERY_CHARS_MAX);
        (spec, errors)
    }

    /// The rules. A file takes precedence over the text field.
    fn content(&self) -> (String, Option<LineError>) {
        if self.file.is_empty() {
            return (self.config_content.clone(), None);
        }
        match std::str::from_utf8(&self.file) {
            Ok(text) => (text.to_owned(), None),
            Err(error) => {
                let before = &self.file[..error.valid_up_to()];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                let mistake = LineError::new(line, "The file is not UTF-8 text.");
                (String::from_utf8_lossy(&self.file).into_owned(), Some(mistake))
            }
        }
    }
}

fn refusal(error: MultipartError) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::of(ErrorCode::TooLarge),
        _ => ApiError::with_detail(ErrorCode::Malformed, "The form is incomplete or cannot be read."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upload(file: &[u8]) -> Upload {
        Upload {
            file: Bytes::copy_from_slice(file),
            name: "phones".to_owned(),
            content_type: "rewrite".to_owned(),
            ..Upload::default()
        }
    }

    #[test]
    fn specs_of_forms() {
        let bag = Upload { content_type: "synonym bag".to_owned(), ..upload(b"a,b") };
        let (spec, errors) = bag.spec();
        assert!(errors.is_empty(), "{errors}");
        assert_eq!((spec.qrx_type, spec.config_content.as_str()), (TransformType::Bag, "a,b"));
        let text = Upload { config_content: "c,d".to_owned(), ..upload(b"") };
        assert_eq!(text.spec().0.config_content, "c,d");
        let cases = [
            (Upload { name: String::new(), ..upload(b"a,b") }, "name"),
            (Upload { content_type: "magic".to_owned(), ..upload(b"a,b") }, "content_type"),
            (Upload { query: "q".repeat(QUERY_CHARS_MAX + 1), ..upload(b"a,b") }, "query"),
            (upload(b"a,b\nc,\xff"), "file"),
        ];
        for (upload, field) in cases {
            let (_, errors) = upload.spec();
            let fields: Vec<&str> = errors.iter().map(|(field, _)| field).collect();
            assert_eq!(fields, [field]);
        }
        let (_, errors) = upload(b"a,b\nc,\xff").spec();
        assert_eq!(errors.to_string(), "file: line 2: The file is not UTF-8 text.");
    }
}
