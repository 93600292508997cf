//! Builds the result item of a summary.

use crate::check::Checked;
use domain::ai_provider::AiProvider;
use domain::instant::{self, Instant};
use domain::mixed::SUMMARY_BLOCK;
use domain::result::ResultItem;
use domain::summary::{AUTHOR, SummaryDetails};
use std::time::Duration;

/// A generated text and its origin.
pub(crate) struct Generated {
    pub text: String,
    pub provider: AiProvider,
    pub requested_model: String,
    pub fallback_engaged: bool,
    pub extractive: bool,
    /// It reached its limit of tokens or bytes.
    pub is_cut: bool,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

/// `title` is the processed query. Warnings of selection and pages precede those of the check.
pub(crate) fn summary_item(
    title: &str,
    generated: Generated,
    checked: Checked,
    mut warnings: Vec<String>,
    now: Instant,
    took: Duration,
) -> ResultItem {
    warnings.extend(checked.warnings);
    let rag_query_items = checked.sources.iter().map(|source| source.swirl_id.to_string()).collect();
    let details = SummaryDetails {
        sources: checked.sources,
        ai_model: generated.provider.spec.model.clone(),
        ai_provider: generated.provider.spec.name.clone(),
        requested_model: generated.requested_model,
        fallback_engaged: generated.fallback_engaged,
        extractive: generated.extractive,
        generation_time: instant::tenths(took),
        tokens_in: generated.tokens_in,
        tokens_out: generated.tokens_out,
        follow_ups: checked.follow_ups,
        warnings,
        grounded: checked.grounded,
        sentences: checked.sentences,
        not_found: checked.not_found,
        disagreements: checked.disagreements,
    };
    ResultItem {
        searchprovider: generated.provider.label(),
        searchprovider_rank: 1,
        title: title.to_owned(),
        body: checked.body,
        date_published: now.format("%Y-%m-%d %H:%M:%S").to_string(),
        date_retrieved: instant::display(now),
        author: AUTHOR.to_owned(),
        result_block: Some(SUMMARY_BLOCK.to_owned()),
        rag_query_items,
        additional_content: Some(Box::new(details)),
        ..ResultItem::default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::ai_provider::AiProviderSpec;
    use domain::ids::{AiProviderId, ResultId, RunNumber, SearchId, UserId};
    use domain::search::{Search, SearchSpec};
    use domain::status::SearchStatus;
    use domain::summary::{Disagreement, SourceMode, StoredSummary, SummaryRequest, SummarySource};

    pub(crate) fn search() -> Search {
        Search {
            id: SearchId(7),
            owner: UserId(1),
            spec: SearchSpec::of_query("river"),
            query_string_processed: "river".to_owned(),
            status: SearchStatus::FullResultsReady,
            notices: Vec::new(),
            time_s: 0.0,
            run: RunNumber::FIRST,
            date_created: DateTime::UNIX_EPOCH,
            date_updated: DateTime::UNIX_EPOCH,
        }
    }

    pub(crate) fn stored() -> StoredSummary {
        StoredSummary {
            search: SearchId(7),
            run: RunNumber::FIRST,
            request: SummaryRequest::default(),
            row: ResultItem { body: "A river.".to_owned(), ..ResultItem::default() },
            prompt: None,
            date_created: DateTime::UNIX_EPOCH,
        }
    }

    pub(crate) fn provider(model: &str) -> AiProvider {
        AiProvider {
            id: AiProviderId(3),
            owner: None,
            spec: AiProviderSpec {
                name: "Own".to_owned(),
                model: model.to_owned(),
                ..AiProviderSpec::default()
            },
            is_unreadable: false,
            date_created: DateTime::UNIX_EPOCH,
            date_updated: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn the_fields_of_the_row() {
        let source = SummarySource {
            n: 1,
            swirl_id: ResultId(12),
            title: "A".to_owned(),
            url: String::new(),
            searchprovider: "Rivers".to_owned(),
            cited: true,
            mode: SourceMode::Snippet,
            quote: String::new(),
            page: None,
            signal_id: None,
        };
        let checked = Checked {
            body: "It rises [1].".to_owned(),
            sources: vec![source],
            sentences: Vec::new(),
            grounded: Some(1.0),
            follow_ups: Vec::new(),
            warnings: vec!["second".to_owned()],
            not_found: true,
            disagreements: vec![Disagreement::default()],
        };
        let generated = Generated {
            text: String::new(),
            provider: provider("gpt-5"),
            requested_model: "gpt-6".to_owned(),
            fallback_engaged: true,
            extractive: false,
            is_cut: false,
            tokens_in: 10,
            tokens_out: 3,
        };
        let (now, took) = (DateTime::UNIX_EPOCH, Duration::from_millis(1240));
        let made = summary_item("river level", generated, checked, vec!["first".to_owned()], now, took);
        assert_eq!((made.author.as_str(), made.searchprovider.as_str()), (AUTHOR, "Own-gpt-5"));
        assert_eq!(
            (made.title.as_str(), made.body.as_str(), made.url.as_str()),
            ("river level", "It rises [1].", "")
        );
        assert_eq!((made.swirl_score, made.swirl_confidence_score, made.searchprovider_rank), (0.0, 0.0, 1));
        assert_eq!(made.date_published, "1970-01-01 00:00:00");
        assert_eq!(
            (made.result_block.as_deref(), made.rag_query_items.as_slice()),
            (Some("ai_summary"), ["12".to_owned()].as_slice())
        );
        let details = made.additional_content.unwrap();
        assert_eq!((details.ai_model.as_str(), details.requested_model.as_str()), ("gpt-5", "gpt-6"));
        assert_eq!(details.warnings, ["first", "second"]);
        assert!(details.not_found && details.disagreements.len() == 1);
        assert!((details.generation_time - 1.2).abs() < 1e-9);
    }
}
