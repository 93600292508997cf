//! One module for each fuzz target: `check` reads some bytes and asserts properties that hold for any input.

pub mod answer;
pub mod aws_frames;
pub mod clean;
pub mod credentials;
pub mod csv;
pub mod dates;
pub mod digest_challenge;
pub mod doctor_request;
pub mod dsn;
mod extracted;
pub mod html;
pub mod json_body;
pub mod json_path;
pub mod jwt;
pub mod mail;
pub mod mcp_reply;
pub mod model_stream;
pub mod office_xml;
pub mod package;
pub mod pdf_cmap;
mod pdf_file;
pub mod pdf_operators;
pub mod query_mappings;
pub mod query_string;
pub mod query_template;
pub mod query_transform;
pub mod response_mappings;
pub mod result_mappings;
pub mod tds;

/// Panics if a parser violates a property on this input.
pub type Check = fn(&[u8]);

/// The check of each target, by name.
pub const CHECKS: &[(&str, Check)] = &[
    ("answer", answer::check),
    ("aws_frames", aws_frames::check),
    ("clean", clean::check),
    ("credentials", credentials::check),
    ("csv", csv::check),
    ("dates", dates::check),
    ("digest_challenge", digest_challenge::check),
    ("doctor_request", doctor_request::check),
    ("dsn", dsn::check),
    ("html", html::check),
    ("json_body", json_body::check),
    ("json_path", json_path::check),
    ("jwt", jwt::check),
    ("mail", mail::check),
    ("mcp_reply", mcp_reply::check),
    ("model_stream", model_stream::check),
    ("office_xml", office_xml::check),
    ("package", package::check),
    ("pdf_cmap", pdf_cmap::check),
    ("pdf_operators", pdf_operators::check),
    ("query_mappings", query_mappings::check),
    ("query_string", query_string::check),
    ("query_template", query_template::check),
    ("query_transform", query_transform::check),
    ("response_mappings", response_mappings::check),
    ("result_mappings", result_mappings::check),
    ("tds", tds::check),
];

/// The valid UTF-8 at the start of the bytes.
fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}
