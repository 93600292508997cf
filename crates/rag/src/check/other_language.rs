//! Sentences in another language than the sources that they cite. Neither their words nor their meaning can be compared
//! with the sources, so they count neither as supported nor as unsupported.
//!
//! That would excuse any sentence, so its language and that of all its sources have to be certain: a word such as "war"
//! is in the stopwords of another language, but alone it does not make an English sentence German. A text in another
//! script needs no stopwords: most of its characters are of a script of which the source has hardly any.

use super::citation_verification::SUPPORT_MIN;
use super::other_script;
use crate::prompt::PromptSource;
use domain::summary::GroundedSentence;
use relevancy::Language;
use relevancy::tokens::{lower, tokens};
use std::collections::HashSet;

/// Number of different words that make the language of a sentence certain: stopwords that the other language does not
/// have.
const WORDS_MIN: usize = 4;
/// The same for a source, which is longer and was not written by a model.
const SOURCE_WORDS_MIN: usize = 3;
/// The same for a sentence of an answer that has many words of the same language.
const WORDS_MIN_IN_ANSWER: usize = 2;
const ANSWER_WORDS_MIN: usize = 6;
/// A text may have as many times fewer stopwords that only the other language has: names and titles.
const FEWER: usize = 4;
/// Maximum number of words of a text that are read.
const TEXT_WORDS_MAX: usize = 200;

/// Drops the sentences that cannot be checked, and returns their number. One that is supported all the same stays: by
/// its names and numbers.
pub(super) fn drop_unchecked(
    sentences: &mut Vec<GroundedSentence>,
    body: &str,
    sources: &[PromptSource],
) -> usize {
    let before = sentences.len();
    sentences.retain(|one| {
        let is_foreign = |n: &u32| {
            let source = sources.iter().find(|source| source.n == *n);
            source.is_some_and(|source| {
                are_in_different_languages(&one.text, body, &source.passages)
                    || other_script::are_in_different_scripts(&one.text, &source.passages)
            })
        };
        one.support >= SUPPORT_MIN || one.cites.is_empty() || !one.cites.iter().all(is_foreign)
    });
    before - sentences.len()
}

/// Whether a sentence of an answer is certainly in another language than a source.
fn are_in_different_languages(sentence: &str, answer: &str, source: &str) -> bool {
    let (Some(own), Some(other)) = (Language::of_text(sentence), Language::of_text(source)) else {
        return false;
    };
    let is_certain = |text: &str, words_min: usize| is_certainly(text, own, other, words_min);
    own != other
        && is_certainly(source, other, own, SOURCE_WORDS_MIN)
        && (is_certain(sentence, WORDS_MIN)
            || (is_certain(sentence, WORDS_MIN_IN_ANSWER) && is_certain(answer, ANSWER_WORDS_MIN)))
}

/// Whether a text has so many different stopwords that only the first of two languages has, and hardly any that only the
/// second one has.
fn is_certainly(text: &str, language: Language, other: Language, words_min: usize) -> bool {
    let (mut words, mut others) = (HashSet::new(), 0);
    for token in tokens(text).take(TEXT_WORDS_MAX) {
        let word = lower(token.text);
        match (language.is_stopword(&word), other.is_stopword(&word)) {
            // English words do not count, although other languages have them too.
            (true, false) if Language::is_stopword_anywhere(&word) => {
                words.insert(word.into_owned());
            }
            (false, true) => others += 1,
            _ => {}
        }
    }
    words.len() >= words_min && others * FEWER <= words.len()
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
    use super::*;

    const ELBE: &str =
        "The Elbe rose by nine metres in August 2002. Dresden was flooded, and the people left the city.";
    const CARROW: &str = "Carrow Water was founded in 1820. It was the largest of the mills in the valley.";
    const FLUSS: &str =
        "Der Fluss ist in jenem Sommer gestiegen, und viele Menschen sind aus der Stadt geflohen.";

    const YIBEI: &str = "宜北河在那年夏天上涨了九米。城里的人都离开了，火车停开了好几个星期。";

    #[test]
    fn an_answer_in_another_language_is_not_called_unsupported() {
        let sources = sources(&[("https://a.example/elbe", ELBE)]);
        let checked = check("Der Fluss ist in jenem Sommer sehr stark angestiegen [1].", &sources);
        assert_eq!((checked.sentences.len(), checked.warnings.len()), (0, 1), "{checked:?}");
        assert_eq!(checked.grounded, None, "nothing was checked");
        assert!(checked.warnings[0].starts_with("A sentence of this answer could not be checked"));
        let both = "Der Fluss ist in jenem Sommer sehr stark angestiegen [1]. Viele Menschen sind aus der Stadt geflohen [1].";
        let checked = check(both, &sources);
        assert!(checked.warnings[0].starts_with("2 sentences of this answer"), "{:?}", checked.warnings);
        // A short sentence of an answer whose language is certain.
        let checked = check(&format!("{both} Sie kamen nicht mehr [1]."), &sources);
        assert!(checked.warnings[0].starts_with("3 sentences of this answer"), "{:?}", checked.warnings);
    }

    /// Their words have no blanks between them, and there are no stopwords of most of these languages.
    #[test]
    fn an_answer_in_another_script_is_not_called_unsupported() {
        let sources = sources(&[("https://a.example/elbe", ELBE), ("", FLUSS), ("", YIBEI)]);
        for written in [
            "那年夏天河水上涨得非常厉害，许多人逃离了城市[1]。",
            "Elbe河在2002年夏天上涨了九米[1][2]。",
            "その夏、川の水位は大きく上昇し、多くの人が街を離れた[1]。",
            "그해 여름 강물이 크게 불어나 많은 사람들이 도시를 떠났다 [1].",
            "ในฤดูร้อนปีนั้นแม่น้ำสูงขึ้นมากและผู้คนจำนวนมากหนีออกจากเมือง [1]",
            "उस गर्मी में नदी का जलस्तर बहुत बढ़ गया और लोग शहर छोड़कर चले गए [1]।",
            "באותו קיץ עלה הנהר מאוד ואנשים רבים עזבו את העיר [1].",
            "The river rose in that summer, and many people have left the town for good [3].",
        ] {
            let checked = check(written, &sources);
            assert_eq!((checked.sentences.len(), checked.grounded), (0, None), "{written}: {checked:?}");
            assert_eq!(checked.warnings.len(), 1, "{written}: {checked:?}");
            assert!(checked.warnings[0].contains("could not be checked"), "{written}: {checked:?}");
        }
        let both = "那年夏天河水上涨得非常厉害[1]。许多人因此逃离了这座城市[1]。";
        let checked = check(both, &sources);
        assert!(checked.warnings[0].starts_with("2 sentences of this answer"), "{:?}", checked.warnings);
    }

    #[test]
    fn a_name_in_another_script_does_not_excuse_a_sentence() {
        let mixed = format!("{ELBE} {YIBEI}");
        let sources = sources(&[("", ELBE), ("", YIBEI), ("", &mixed), ("", "1847, 12 %")]);
        for written in [
            // An English sentence with names.
            "The mayor of 鄭州市金水区 has left for the planet Mars [1].",
            "War ruined 重慶市 and 成都市 [1].",
            "那年[1].",
            // The source is in its script, or has enough of it to be compared.
            "昨日股票价格暴跌，投资者损失惨重[2]。",
            "昨日股票价格暴跌，投资者损失惨重[3]。",
            "昨日股票价格暴跌，投资者损失惨重[1][2]。",
            // A source of numbers is in no script.
            "昨日股票价格暴跌，投资者损失惨重[4]。",
            // No source at all.
            "昨日股票价格暴跌，投资者损失惨重。",
        ] {
            let checked = check(written, &sources);
            let excused = checked.warnings.iter().any(|warning| warning.contains("could not be checked"));
            assert!(!excused && checked.grounded.is_some(), "{written}: {checked:?}");
            assert_eq!(checked.sentences.len(), 1, "{written}: {checked:?}");
        }
        let quoted = check("宜北河在那年夏天上涨了九米[2]。", &sources);
        assert_eq!(quoted.grounded, Some(1.0), "{quoted:?}");
    }

    /// Words such as "war", "die", "care" and "sale" are stopwords of other languages.
    #[test]
    fn a_few_words_do_not_excuse_a_sentence() {
        let sources = sources(&[("", CARROW), ("", ELBE), ("", FLUSS)]);
        for written in [
            "War in 1847 ruined Carrow Water [1].",
            "MIT war men die in Carrow Water [1].",
            "Health care sale in Carrow Water ended [1].",
            "Van want deur ruined Carrow Water [1].",
            "Come in per capita terms, Carrow Water collapsed [1].",
            "War in 1847 ruined Carrow Water [1]. War in 1848 ruined Dresden [2].",
            // One of the sources is in its language.
            "Der Bürgermeister ist auf den Mars geflogen, und er war nicht allein [2][3].",
            // The language of the answer does not excuse an English sentence.
            "Der Fluss ist in jenem Sommer gestiegen, und die Menschen sind geflohen [3]. War ruined Carrow Water [1].",
        ] {
            let checked = check(written, &sources);
            let excused = checked.warnings.iter().any(|warning| warning.contains("could not be checked"));
            assert!(!excused && checked.grounded.is_some(), "{written}: {checked:?}");
            assert!(!checked.sentences.is_empty(), "{written}: {checked:?}");
        }
    }

    #[test]
    fn claims_without_a_source_and_in_its_language_are_checked() {
        let sources = sources(&[("https://a.example/elbe", ELBE)]);
        for written in
            ["Der Bürgermeister ist auf den Mars geflogen.", "The mayor has left for the planet Mars [1]."]
        {
            let checked = check(written, &sources);
            assert_eq!((checked.sentences.len(), checked.grounded), (1, Some(0.0)), "{written}");
            let warning = &checked.warnings[0];
            assert!(warning.starts_with("The cited sources support only 0 of 1 sentences"), "{warning}");
        }
        let named = check("Die Elbe stieg im August 2002 in Dresden um neun Meter [1].", &sources);
        assert_eq!(named.sentences.len() + named.warnings.len(), 1, "supported by its names, or not checked");
    }

    #[test]
    fn similar_languages_are_told_apart_by_their_own_words() {
        let [danish, norwegian, english, german] =
            ["danish", "norwegian", "english", "german"].map(Language::named);
        for (text, language, other, expected) in [
            ("Der Fluss ist in jenem Sommer nicht gestiegen", german, english, true),
            ("Das Buch \"The Lord of the Rings\" ist sehr gut", german, english, false),
            ("War in 1847 and man", german, english, false),
            // Most stopwords of both are the same.
            ("Det er ikke som vi har sagt", danish, norwegian, false),
            ("", german, english, false),
        ] {
            assert_eq!(is_certainly(text, language, other, WORDS_MIN), expected, "{text}");
        }
        let late = "x ".repeat(TEXT_WORDS_MAX) + FLUSS;
        assert!(is_certainly(FLUSS, german, english, WORDS_MIN));
        assert!(!is_certainly(&late, german, english, WORDS_MIN));
    }
}
