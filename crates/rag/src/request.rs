//! Normalization of summary requests, and which summaries serve them.

use domain::search::Search;
use domain::summary::{INSTRUCTIONS_CHARS_MAX, StoredSummary, SummaryRequest};
use std::collections::BTreeSet;

/// Maximum number of results in a request.
pub const ITEMS_MAX: usize = 500;

/// Trims and truncates texts; sorts and deduplicates numbers.
pub(crate) fn normalized(request: &SummaryRequest) -> SummaryRequest {
    let items: BTreeSet<i64> = request.items.iter().copied().take(ITEMS_MAX).collect();
    let instructions: String = request.instructions.trim().chars().take(INSTRUCTIONS_CHARS_MAX).collect();
    SummaryRequest {
        items: items.into_iter().collect(),
        instructions: instructions.trim_end().to_owned(),
        prompt: request.prompt.trim().to_owned(),
        ai_provider: request.ai_provider,
        instead_of: request.instead_of,
    }
}

/// Whether a summary for `made` also serves `wanted`. No items means all results. `instead_of` does not matter for a
/// generation in progress.
pub(crate) fn is_equivalent(made: &SummaryRequest, wanted: &SummaryRequest) -> bool {
    made.instructions == wanted.instructions
        && made.prompt == wanted.prompt
        && made.ai_provider == wanted.ai_provider
        && made.items == wanted.items
}

/// Whether a stored summary serves a request for this run of the search and is not the one to replace.
pub(crate) fn serves_request(stored: &StoredSummary, search: &Search, wanted: &SummaryRequest) -> bool {
    let is_refused = wanted.instead_of == Some(stored.row.swirl_id);
    stored.run == search.run && !is_refused && is_equivalent(&stored.request, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary_item::tests::{search, stored};
    use domain::ids::{AiProviderId, ResultId};

    fn request(items: &[i64], instructions: &str) -> SummaryRequest {
        SummaryRequest {
            items: items.to_vec(),
            instructions: instructions.to_owned(),
            ..SummaryRequest::default()
        }
    }

    #[test]
    fn one_form() {
        let given =
            SummaryRequest { prompt: " company_style ".to_owned(), ..request(&[3, 1, 3], "  short ") };
        let made = normalized(&given);
        assert_eq!((made.items.as_slice(), made.instructions.as_str()), ([1, 3].as_slice(), "short"));
        assert_eq!(made.prompt, "company_style");
        let long = normalized(&request(&[], &"é".repeat(INSTRUCTIONS_CHARS_MAX + 1)));
        assert_eq!(long.instructions.chars().count(), INSTRUCTIONS_CHARS_MAX);
        let many: Vec<i64> = (0..=ITEMS_MAX as i64).collect();
        assert_eq!(normalized(&request(&many, "")).items.len(), ITEMS_MAX);
    }

    #[test]
    fn which_answers_serve() {
        let other = SummaryRequest { ai_provider: Some(AiProviderId(2)), ..request(&[], "") };
        let prompt = SummaryRequest { prompt: "p".to_owned(), ..request(&[], "") };
        let table = [
            (request(&[], ""), request(&[], ""), true),
            (request(&[1, 2], ""), request(&[], ""), false),
            (request(&[1, 2], ""), request(&[1, 2], ""), true),
            (request(&[], ""), request(&[1], ""), false),
            (request(&[1], ""), request(&[1, 2], ""), false),
            (request(&[], ""), request(&[], "short"), false),
            (request(&[], ""), other, false),
            (request(&[], ""), prompt, false),
        ];
        for (made, wanted, expected) in table {
            assert_eq!(is_equivalent(&made, &wanted), expected, "{made:?} {wanted:?}");
        }
    }

    #[test]
    fn a_stored_answer_may_be_refused() {
        let mut kept = stored();
        kept.row.swirl_id = ResultId(5);
        for (instead_of, expected) in [(None, true), (Some(4), true), (Some(5), false)] {
            let instead_of = instead_of.map(ResultId);
            let wanted = normalized(&SummaryRequest { instead_of, ..kept.request.clone() });
            assert_eq!(serves_request(&kept, &search(), &wanted), expected, "{instead_of:?}");
            assert!(is_equivalent(&kept.request, &wanted), "one that is being made is another one");
        }
    }
}
