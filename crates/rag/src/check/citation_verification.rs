//! Measures how well the cited passages support each sentence, by words and by meaning.

use super::{citation_syntax, sanitize};
use crate::facts::{ClaimFacts, Facts, SourceFacts, SourceParts};
use crate::prompt::PromptSource;
use crate::prompt::language::language_of;
use crate::sentences::{Sentence, sentences};
use domain::summary::GroundedSentence;
use relevancy::Language;
use relevancy::embedder::{Embedding, embed};
use relevancy::tokens::{lower, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use syntax::strip_html::readable;

/// Minimum support of a grounded sentence.
pub(super) const SUPPORT_MIN: f64 = 0.35;
/// Weight of word overlap; the rest is the weight of semantic similarity.
const WORDS_WEIGHT: f64 = 0.6;
/// Numbers and dates weigh more than words.
const FACT_WEIGHT: f64 = 2.0;
/// Maximum support of a sentence that differs from its sources in a number, a date, a name or a negation.
const DIFFERING_MAX: f64 = 0.2;
/// Title, author and date support a sentence with so many words if they have nearly all of them.
const FIELDS_SHARE_MIN: f64 = 0.8;
const FIELDS_WORDS_MIN: usize = 3;
/// Minimum share of the words of a sentence in another one that may deny it.
const DENIAL_SHARED_MIN: f64 = 0.5;
/// Maximum number of sentences that are checked.
pub(super) const SENTENCES_MAX: usize = 200;
/// Maximum number of passages compared per source.
pub(super) const PASSAGES_MAX: usize = 600;
/// Maximum length of a quote in characters.
const QUOTE_CHARS_MAX: usize = 400;
/// Maximum length in words of headings and lines that introduce a list; they need no source.
const HEADING_WORDS_MAX: usize = 10;

/// The sources, each indexed when it is first cited.
pub(super) struct Support<'a> {
    sources: &'a [PromptSource],
    indexed: BTreeMap<u32, IndexedSource<'a>>,
    /// By source, the passage that supports the first sentence that cites it.
    quotes: BTreeMap<u32, Quote>,
    /// The sentences that differ from their sources in a fact.
    differing: BTreeSet<String>,
}

/// A part of the passages of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Quote {
    pub text: String,
    /// In the passages, in bytes.
    pub offset: usize,
}

struct IndexedSource<'a> {
    language: Language,
    sentences: Vec<SourceSentence>,
    passages: Vec<Passage<'a>>,
    /// Title, author and date.
    fields: SourceSentence,
}

struct SourceSentence {
    /// Stems without stop words, numbers and dates.
    stems: BTreeSet<String>,
    facts: SourceFacts,
}

/// A sentence, or two adjacent ones.
struct Passage<'a> {
    text: &'a str,
    /// In the passages, in bytes.
    offset: usize,
    /// Its sentences.
    sentences: Range<usize>,
    embedding: Embedding,
}

impl<'a> Support<'a> {
    pub fn of(sources: &'a [PromptSource]) -> Self {
        Self { sources, indexed: BTreeMap::new(), quotes: BTreeMap::new(), differing: BTreeSet::new() }
    }

    /// The sentences of a text with normalized citations.
    pub fn sentences(&mut self, body: &str) -> Vec<GroundedSentence> {
        let claims = claims(body);
        claims.into_iter().map(|claim| self.grounded(claim)).collect()
    }

    /// The passage that supports the first sentence that cites this source; empty if there is none.
    pub fn quote(&self, n: u32) -> Quote {
        self.quotes.get(&n).cloned().unwrap_or_default()
    }

    /// Whether a sentence has a number, a date or a name that its sources do not have, or denies what they say.
    pub fn is_differing(&self, sentence: &str) -> bool {
        self.differing.contains(sentence)
    }

    fn grounded(&mut self, text: String) -> GroundedSentence {
        let is_known = |n: &u32| self.sources.iter().any(|source| source.n == *n);
        let cites: Vec<u32> = citation_syntax::cites(&text).into_iter().filter(is_known).collect();
        cites.iter().for_each(|n| self.index(*n));
        let bare = citation_syntax::without(&text);
        let embedding = embed(&bare);
        let cited: Vec<Comparison<'_>> = cites
            .iter()
            .filter_map(|n| Comparison::of(*n, self.indexed.get(n)?, &bare, &embedding))
            .collect();
        let mut support = cited.iter().map(|one| one.support).fold(0.0, f64::max);
        let is_differing = support >= SUPPORT_MIN && differs(&cited);
        if is_differing {
            support = support.min(DIFFERING_MAX);
        } else {
            let good = cited.iter().filter(|one| one.best_support >= SUPPORT_MIN);
            let quotes: Vec<(u32, Quote)> = good.map(|one| (one.n, one.quote())).collect();
            for (n, quote) in quotes {
                self.quotes.entry(n).or_insert(quote);
            }
        }
        if is_differing {
            self.differing.insert(text.clone());
        }
        GroundedSentence { text, cites, support: rounded(support) }
    }

    fn index(&mut self, n: u32) {
        if let Some(source) = self.sources.iter().find(|source| source.n == n) {
            self.indexed.entry(n).or_insert_with(|| index_source(source));
        }
    }
}

/// A sentence and a source that it cites.
struct Comparison<'a> {
    n: u32,
    source: &'a IndexedSource<'a>,
    stems: BTreeSet<String>,
    facts: ClaimFacts<'a>,
    /// By the best passage, or by the fields of the source.
    support: f64,
    best: &'a Passage<'a>,
    /// By the best passage alone.
    best_support: f64,
}

impl<'a> Comparison<'a> {
    fn of(n: u32, source: &'a IndexedSource<'a>, sentence: &'a str, embedding: &Embedding) -> Option<Self> {
        let facts = ClaimFacts::read(source.language, sentence);
        let stems = stems(source.language, sentence, &facts.facts);
        let mut best: Option<(f64, &Passage<'_>)> = None;
        for passage in &source.passages {
            let found = support(&stems, &facts, embedding, source, passage);
            // Among equals the shorter one wins, which precedes its pairs.
            if best.is_none_or(|(known, _)| found > known + 1e-9) {
                best = Some((found, passage));
            }
        }
        let (best_support, best) = best?;
        let by_fields = shared_words(&stems, &facts, &[&source.fields]);
        let is_of_fields = by_fields >= FIELDS_SHARE_MIN && stems.len() + facts.count() >= FIELDS_WORDS_MIN;
        let support = if is_of_fields { best_support.max(by_fields) } else { best_support };
        Some(Self { n, source, stems, facts, support, best, best_support })
    }

    fn quote(&self) -> Quote {
        let text = self.best.text.chars().take(QUOTE_CHARS_MAX).collect();
        Quote { text, offset: self.best.offset }
    }

    /// The sentences of the source that share at least this many words, and those next to its best passage.
    fn near(&self, words_min: usize) -> impl Iterator<Item = &'a SourceFacts> {
        let Range { start, end } = self.best.sentences;
        let neighbors = start.saturating_sub(1)..end + 1;
        let is_near = move |(place, one): (usize, &'a SourceSentence)| {
            let shared = one.stems.intersection(&self.stems).count();
            (shared >= words_min || neighbors.contains(&place)).then_some(&one.facts)
        };
        self.source.sentences.iter().enumerate().filter_map(is_near)
    }
}

/// Whether a sentence has a number, a date or a name that none of the sources has, or is denied by one of them.
fn differs(cited: &[Comparison<'_>]) -> bool {
    let Some(first) = cited.first() else { return false };
    let fields = || cited.iter().map(|one| &one.source.fields.facts);
    let sentences = cited.iter().flat_map(|one| &one.source.sentences).map(|one| &one.facts);
    let words_min = (first.stems.len() as f64 * DENIAL_SHARED_MIN).ceil().max(1.0) as usize;
    let parts = SourceParts {
        near: cited.iter().flat_map(|one| one.near(1)).chain(fields()).collect(),
        all: sentences.chain(fields()).collect(),
        related: cited.iter().flat_map(|one| one.near(words_min)).collect(),
    };
    !first.facts.mismatches(&parts).is_empty()
}

/// Rounds to four digits.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

fn index_source(source: &PromptSource) -> IndexedSource<'_> {
    let text = source.passages.as_str();
    let language = language_of(text, Language::ENGLISH);
    let found = sentences(text, PASSAGES_MAX / 2);
    let passage = |text, offset, sentences| Passage { text, offset, sentences, embedding: embed(text) };
    let mut passages: Vec<Passage<'_>> =
        found.iter().enumerate().map(|(place, one)| passage(one.text, one.start, place..place + 1)).collect();
    for (place, pair) in found.windows(2).enumerate() {
        if let [first, second] = pair
            && first.run == second.run
        {
            let end = second.start + second.text.len();
            passages.push(passage(&text[first.start..end], first.start, place..place + 2));
        }
    }
    let sentence = |text: &str| {
        let facts = SourceFacts::read(language, text);
        SourceSentence { stems: stems(language, text, &facts.facts), facts }
    };
    let item = &source.source.item;
    let fields = format!("{}\n{}\n{}", readable(&item.title), item.author, item.date_published);
    IndexedSource {
        language,
        sentences: found.iter().map(|one| sentence(one.text)).collect(),
        passages,
        fields: sentence(&fields),
    }
}

/// The stems of a text without stop words, and without its numbers and dates.
fn stems(language: Language, text: &str, facts: &Facts) -> BTreeSet<String> {
    let words = tokens(text).filter(|token| !facts.covers(token.start));
    let words = words.map(|token| lower(token.text).into_owned()).filter(|word| !language.is_stopword(word));
    words.map(|word| language.stem(&word).into_owned()).collect()
}

fn support(
    stems: &BTreeSet<String>,
    facts: &ClaimFacts<'_>,
    embedding: &Embedding,
    source: &IndexedSource<'_>,
    passage: &Passage<'_>,
) -> f64 {
    let parts = source.sentences.get(passage.sentences.clone()).unwrap_or_default();
    let words = shared_words(stems, facts, &parts.iter().collect::<Vec<_>>());
    // Without an embedding, as for unknown languages, only the words count.
    if embedding.is_zero() || passage.embedding.is_zero() {
        return words;
    }
    let meaning = f64::from(embedding.cosine(&passage.embedding)).max(0.0);
    WORDS_WEIGHT * words + (1.0 - WORDS_WEIGHT) * meaning
}

/// The share of the words, numbers and dates of a sentence that these parts of a source have.
fn shared_words(stems: &BTreeSet<String>, facts: &ClaimFacts<'_>, parts: &[&SourceSentence]) -> f64 {
    let found = stems.iter().filter(|stem| parts.iter().any(|part| part.stems.contains(*stem))).count();
    // A number alone does not make two sentences say the same.
    let is_related = found > 0 || stems.is_empty();
    let said = || facts.said_by(&parts.iter().map(|part| &part.facts).collect::<Vec<_>>());
    let said = if is_related { said() } else { 0 };
    let all = stems.len() as f64 + FACT_WEIGHT * facts.count() as f64;
    if all > 0.0 { (found as f64 + FACT_WEIGHT * said as f64) / all } else { 0.0 }
}

/// The sentences that claim something, with the citations that follow them.
fn claims(body: &str) -> Vec<String> {
    let mut claims = Vec::new();
    let mut is_code = false;
    for line in body.lines() {
        let is_fence = sanitize::is_fence(line);
        is_code ^= is_fence;
        let text = without_list_mark(line);
        if is_code || is_fence || announces(line, text) {
            continue;
        }
        for place in places(text) {
            let claim = text[place].trim();
            if citation_syntax::without(claim).contains(char::is_alphanumeric) && claims.len() < SENTENCES_MAX
            {
                claims.push(claim.to_owned());
            }
        }
    }
    claims
}

/// The positions of the sentences of a line. Leading citations belong to the previous sentence.
fn places(text: &str) -> Vec<Range<usize>> {
    let shadow = shadow(text);
    let mut places: Vec<Range<usize>> = Vec::new();
    for Sentence { mut start, text: found, .. } in sentences(&shadow, SENTENCES_MAX) {
        let end = start + found.len();
        let mut citations = citation_length(&text.as_bytes()[start..]);
        if let Some(before) = places.last_mut() {
            while citations > 0 {
                start += citations;
                before.end = start;
                citations = citation_length(&text.as_bytes()[start..]);
            }
        }
        if start < end {
            places.push(start..end);
        }
    }
    places
}

/// Whether a line is a heading or introduces a list.
fn announces(line: &str, text: &str) -> bool {
    let is_short = tokens(text).take(HEADING_WORDS_MAX + 1).count() <= HEADING_WORDS_MAX;
    let is_heading = line.trim_start().starts_with('#') || text.trim_end_matches(['*', '_']).ends_with(':');
    is_heading && is_short && citation_syntax::cites(text).is_empty()
}

fn without_list_mark(line: &str) -> &str {
    let mut text = line.trim();
    loop {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = digits.strip_prefix(['.', ')']).filter(|_| digits.len() < text.len());
        let marked = text.strip_prefix(['-', '*', '+', '>', '#', '•', '|']);
        match marked.or(numbered).filter(|rest| rest.starts_with([' ', '#', '>', '-'])) {
            Some(rest) => text = rest.trim_start(),
            None => return text,
        }
    }
}

/// Replaces citations after a full stop, and the spaces before them, with closing brackets of the same length, so that
/// they belong to the sentence that ends there.
fn shadow(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut after_stop = false;
    while at < bytes.len() {
        let blank = text.as_bytes()[at..].iter().take_while(|byte| **byte == b' ').count();
        let mark = citation_length(&text.as_bytes()[at + blank..]);
        if after_stop && mark > 0 {
            bytes[at..at + blank + mark].fill(b']');
            at += blank + mark;
            continue;
        }
        let here = text.as_bytes()[at];
        after_stop = matches!(here, b'.' | b'!' | b'?')
            || (after_stop && matches!(here, b'"' | b'\'' | b')' | b'*' | b'_'));
        at += 1;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Length in bytes of a citation at the start.
fn citation_length(bytes: &[u8]) -> usize {
    let digits = match bytes {
        [b'[', rest @ ..] => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    if digits > 0 && bytes.get(digits + 1) == Some(&b']') { digits + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::urls::tests::sources;
    use super::*;

    #[test]
    fn claims_of_an_answer() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("It rose [1]. It fell [2].", &["It rose [1].", "It fell [2]."]),
            (
                "It rose. [1] It fell.[2][3] Then nothing.",
                &["It rose. [1]", "It fell.[2][3]", "Then nothing."],
            ),
            ("# A heading\n\nThe points are:\n- It rose [1].\n2. It fell", &["It rose [1].", "It fell"]),
            ("## It rose [1]", &["It rose [1]"]),
            ("```\nlet x = 1;\n```\nIt rose.", &["It rose."]),
            ("He said \"It rose.\" [1] Then left.", &["He said \"It rose.\" [1]", "Then left."]),
            ("| It rose [1] | 5 |\n|---|---|", &["It rose [1] | 5 |"]),
            ("[1]", &[]),
            ("水位が上がった。[1]次に下がった。[2]", &["水位が上がった。[1]", "次に下がった。[2]"]),
        ];
        for (body, expected) in table {
            assert_eq!(claims(body), *expected, "{body}");
        }
        let many = "It rose. ".repeat(SENTENCES_MAX + 9);
        assert_eq!(claims(&many).len(), SENTENCES_MAX);
    }

    #[test]
    fn support_is_for_what_the_sources_say() {
        let texts = [
            (
                "",
                "The Elbe rose by two metres in August 2002. Dresden was flooded, and thousands left their homes. \
                 Trains did not run for weeks.",
            ),
            ("", "Der Fluss stieg in der Nacht um zwei Meter, und die Häuser am Ufer standen unter Wasser."),
        ];
        let sources = sources(&texts);
        let mut support = Support::of(&sources);
        for (sentence, is_supported) in [
            ("The Elbe rose by two metres in August 2002 [1].", true),
            ("In 2002 the Elbe flooded Dresden [1].", true),
            ("Thousands of people had to leave their homes [1].", true),
            ("Am Ufer stand Wasser in jedem Haus [2].", true),
            ("The Elbe rose by two metres in August 2002.", false),
            ("The mayor resigned over a bribery scandal [1].", false),
            ("Quarterly revenue grew by 12 percent [1].", false),
            ("Please reset your password on our new portal [1].", false),
            ("The Elbe rose by two metres in August 2002 [2].", false),
        ] {
            let found = support.sentences(sentence);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].support >= SUPPORT_MIN, is_supported, "{found:?}");
            assert!((0.0..=1.0).contains(&found[0].support));
        }
        let first = Quote { text: "The Elbe rose by two metres in August 2002.".to_owned(), offset: 0 };
        assert_eq!(support.quote(1), first);
        assert!(support.quote(2).text.starts_with("Der Fluss stieg"));
        assert_eq!(support.quote(3), Quote::default());
        let mut later = Support::of(&sources);
        later.sentences("Dresden was flooded [1].");
        assert_eq!(later.quote(1).offset, 44);
    }

    #[test]
    fn fields_support_who_wrote_it_and_differing_facts_do_not() {
        let mut sources =
            sources(&[("", "The dam was built in 1932. It holds four million tonnes of water.")]);
        let item = &mut sources[0].source.item;
        (item.title, item.author) = ("Notes on <em>dams</em>".to_owned(), "Tobias Krahn".to_owned());
        item.date_published = "2026-01-20 00:00:00".to_owned();
        let mut support = Support::of(&sources);
        for (sentence, is_supported, is_differing) in [
            ("Tobias Krahn: Notes on dams (2026-01-20) [1]", true, false),
            ("Anna Lindqvist: Notes on dams (2026-01-20) [1]", false, false),
            ("The dam was built in 1932 [1].", true, false),
            ("The dam was built in 1847 [1].", false, true),
            ("The dam was not built in 1932 [1].", false, true),
            ("The dam holds 4,000,000 tonnes of water [1].", true, false),
            ("Cheese is blue in 1932 [1].", false, false),
        ] {
            let found = support.sentences(sentence).remove(0);
            assert_eq!(found.support >= SUPPORT_MIN, is_supported, "{found:?}");
            assert_eq!(support.is_differing(&found.text), is_differing, "{found:?}");
        }
        assert_eq!(support.quote(1).text, "The dam was built in 1932.", "fields are not quoted");
    }
}
