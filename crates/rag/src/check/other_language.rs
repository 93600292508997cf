//! Sentences in another language than the sources that they cite. Neither their words nor their meaning can be compared
//! with the sources, so they count neither as supported nor as unsupported.

use super::citation_verification::SUPPORT_MIN;
use crate::prompt::PromptSource;
use domain::summary::GroundedSentence;
use relevancy::Language;

/// Drops the sentences that cannot be checked, and returns their number. One that is supported all the same stays: by
/// its names and numbers.
pub(super) fn drop_unchecked(
    sentences: &mut Vec<GroundedSentence>,
    body: &str,
    sources: &[PromptSource],
) -> usize {
    let Some(own) = Language::of_text(body) else { return 0 };
    let is_other = |n: &u32| {
        let source = sources.iter().find(|source| source.n == *n);
        source.and_then(|source| Language::of_text(&source.passages)).is_some_and(|language| language != own)
    };
    let before = sentences.len();
    sentences
        .retain(|one| one.support >= SUPPORT_MIN || one.cites.is_empty() || !one.cites.iter().all(is_other));
    before - sentences.len()
}

pub(super) fn warning(count: usize) -> String {
    match count {
        1 => "A sentence of this answer could not be checked, because the sources that it cites are in another \
              language. Check it before you rely on it."
            .to_owned(),
        _ => format!(
            "{count} sentences of this answer could not be checked, because the sources that they cite are in another \
             language. Check them before you rely on them."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::super::urls::tests::sources;

    const ELBE: &str =
        "The Elbe rose by nine metres in August 2002. Dresden was flooded, and the people left the city.";

    #[test]
    fn an_answer_in_another_language_is_not_called_unsupported() {
        let sources = sources(&[("https://a.example/elbe", ELBE)]);
        let checked = check("Der Fluss ist in jenem Sommer sehr stark angestiegen [1].", &sources);
        assert_eq!((checked.sentences.len(), checked.warnings.len()), (0, 1), "{checked:?}");
        assert!(checked.warnings[0].starts_with("A sentence of this answer could not be checked"));
        let both = "Der Fluss ist in jenem Sommer sehr stark angestiegen [1]. Viele Menschen sind aus der Stadt geflohen [1].";
        let checked = check(both, &sources);
        assert!(checked.warnings[0].starts_with("2 sentences of this answer"), "{:?}", checked.warnings);
    }

    #[test]
    fn claims_without_a_source_and_in_its_language_are_checked() {
        let sources = sources(&[("https://a.example/elbe", ELBE)]);
        for (written, warning) in [
            ("Der Bürgermeister ist auf den Mars geflogen.", "Only 0 of 1 sentences"),
            ("The mayor has left for the planet Mars [1].", "Only 0 of 1 sentences"),
        ] {
            let checked = check(written, &sources);
            assert_eq!(checked.sentences.len(), 1, "{written}");
            assert!(checked.warnings[0].starts_with(warning), "{:?}", checked.warnings);
        }
        let named = check("Die Elbe stieg im August 2002 in Dresden um neun Meter [1].", &sources);
        assert_eq!(named.sentences.len() + named.warnings.len(), 1, "supported by its names, or not checked");
    }
}
