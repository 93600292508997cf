//! Advice on a query that found little: another spelling, and the language that it seems to be in.

use serde::Serialize;

/// A query that may have been meant. It never runs by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct DidYouMean {
    /// The query with other words in place of the unknown ones.
    #[schema(example = "flood warning")]
    pub query_string: String,
    /// The replaced words, in the order of the query.
    pub words: Vec<ReplacedWord>,
}

/// A word of a query, and the word that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ReplacedWord {
    #[schema(example = "flod")]
    pub word: String,
    #[schema(example = "flood")]
    pub replacement: String,
}

/// The query seems to be in another language than the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct LanguageHint {
    /// The English name of the language that the query seems to be in.
    #[schema(example = "german")]
    pub query: String,
    /// The English name of the language of most results; omitted if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "english")]
    pub results: Option<String>,
}

/// What may help with a query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryAdvice {
    pub did_you_mean: Option<DidYouMean>,
    pub language_hint: Option<LanguageHint>,
}
