//! The error of a summary for which no result is good enough.

use super::candidates::{ComparedScore, ScoreKind, ThresholdOrigin};
use super::selected::Selection;
use crate::error::SummaryError;
use domain::summary::SummaryFault;

/// Why no result was selected.
pub(crate) fn nothing_relevant(selection: &Selection) -> SummaryError {
    let mut message = match selection.best {
        _ if !selection.unknown.is_empty() => "None of the requested results can be used.".to_owned(),
        Some(best) => not_passed(&best),
        None => "The search has no results to answer from.".to_owned(),
    };
    for more in &selection.messages {
        message.push(' ');
        message.push_str(more);
    }
    SummaryError::of(SummaryFault::NoRelevantResults, message)
}

/// Why the best result did not pass, with the threshold that it was compared with.
fn not_passed(best: &ComparedScore) -> String {
    let ComparedScore { score, kind, confidence, threshold, origin } = *best;
    let whose = match origin {
        ThresholdOrigin::Settings => " (SVC_RAG_SCORE_INCLUSION_THRESHOLD)",
        ThresholdOrigin::Provider => " (the threshold of its source)",
        ThresholdOrigin::BuiltIn => "",
    };
    match kind {
        ScoreKind::Answerability => format!(
            "No result is likely enough to contain an answer: the best probability is {score:.3} \
             (swirl_confidence_score {confidence:.2}), and more than {threshold} is needed{whose}."
        ),
        ScoreKind::Field(field) => format!(
            "No result is relevant enough: the best {} is {score:.2}, and more than {threshold} is needed{whose}.",
            field.as_str()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::rag::InclusionField;

    #[test]
    fn the_error_explains_why_nothing_is_relevant() {
        let field = ScoreKind::Field(InclusionField::Confidence);
        let of = |best: Option<(f64, ScoreKind, f64, ThresholdOrigin)>, unknown: Vec<i64>| {
            let best = best.map(|(score, kind, threshold, origin)| ComparedScore {
                score,
                kind,
                confidence: 0.313,
                threshold,
                origin,
            });
            nothing_relevant(&Selection { best, unknown, ..Selection::default() }).to_string()
        };
        assert_eq!(of(None, vec![]), "The search has no results to answer from.");
        let named = of(Some((0.421, field, 1.1, ThresholdOrigin::Provider)), vec![]);
        assert_eq!(
            named,
            "No result is relevant enough: the best swirl_confidence_score is 0.42, and more than 1.1 is needed (the \
             threshold of its source)."
        );
        let named = of(Some((0.421, ScoreKind::Answerability, 0.7, ThresholdOrigin::Settings)), vec![]);
        for part in ["0.421", "0.31", "more than 0.7 is needed", "SVC_RAG_SCORE_INCLUSION_THRESHOLD"] {
            assert!(named.contains(part), "{part}: {named}");
        }
        assert!(of(None, vec![9]).starts_with("None of the requested results"));
    }
}
