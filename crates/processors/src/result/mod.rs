//! Result processors: they work on one provider's results before they are saved.

mod automatic_payload_mapper;
mod clean_text;
mod cosine_relevancy;
mod date_finder;
mod dedupe_by_field;
mod generic;
mod len_limiting;
mod mapping;
mod redact_pii;
mod require_query_string_in_title;
pub(crate) mod shared;

use domain::ports::ResultProcessorKind;

/// All result processors, in the order of the manual.
pub const CATALOGUE: &[ResultProcessorKind] = &[
    mapping::KIND,
    generic::KIND,
    automatic_payload_mapper::KIND,
    date_finder::KIND,
    clean_text::KIND,
    len_limiting::KIND,
    require_query_string_in_title::KIND,
    dedupe_by_field::KIND,
    redact_pii::KIND,
    cosine_relevancy::KIND,
];
