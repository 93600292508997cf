//! RequireQueryStringInTitleResultProcessor: drops results whose title does not contain the words of the query in
//! sequence. Runs after mapping.

use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
use syntax::highlights::unmarked;
use syntax::query_string::{Conjunction, Expression, Item, tag_of, words_of};
use syntax::strip_html::strip_markup;

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "RequireQueryStringInTitleResultProcessor",
    summary: "Drops results whose title lacks the query. Runs after mapping.",
    processor: &RequireQueryStringInTitle,
};

/// Hyphens, and what is part of a word only behind a tag.
const SEPARATORS: [char; 5] = ['-', '\u{2010}', '\u{2011}', '/', '_'];

struct RequireQueryStringInTitle;

impl ResultProcessor for RequireQueryStringInTitle {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        Ok(require(batch, cx.query))
    }
}

fn require(batch: &mut ResultBatch, query: &str) -> Outcome {
    let condition = Condition::of(&Expression::parse(query));
    let before = batch.items.len();
    batch.items.retain(|item| condition.holds(&words(&strip_markup(&unmarked(&item.title)))));
    Outcome::deleted(before - batch.items.len())
}

/// What a title must contain: one of the alternatives. Nothing is required if there are none.
#[derive(Debug, Default)]
struct Condition {
    alternatives: Vec<Vec<Required>>,
}

#[derive(Debug)]
enum Required {
    /// These words in sequence.
    Sequence(Vec<String>),
    Group(Condition),
}

impl Condition {
    fn of(expression: &Expression<&str>) -> Self {
        let alternatives = expression.alternatives.iter().map(requirements);
        Self { alternatives: alternatives.filter(|required| !required.is_empty()).collect() }
    }

    fn holds(&self, title: &[String]) -> bool {
        let has = |required: &Required| match required {
            Required::Sequence(wanted) => contains(title, wanted),
            Required::Group(inner) => inner.holds(title),
        };
        self.alternatives.is_empty() || self.alternatives.iter().any(|required| required.iter().all(has))
    }
}

/// The words up to a group are one sequence. Negated words, operators and tags are left out.
fn requirements(conjunction: &Conjunction<&str>) -> Vec<Required> {
    let mut found = Vec::new();
    let mut sequence = Vec::new();
    let mut operands = conjunction.operands.iter().peekable();
    while let Some(operand) = operands.next() {
        if operand.is_negated() {
            continue;
        }
        match &operand.item {
            Item::Word(word) => {
                let is_before_value = operands.peek().is_some_and(|next| !next.is_spaced);
                match tag_of(word) {
                    Some((_, "")) if is_before_value => {}
                    Some((_, value)) if !value.is_empty() => sequence.extend(words(value)),
                    _ => sequence.extend(words(word)),
                }
            }
            Item::Phrase(phrase) => sequence.extend(words(phrase)),
            Item::Group(inner) => {
                found.extend(sequence_of(&mut sequence));
                found.push(Required::Group(Condition::of(inner)));
            }
        }
    }
    found.extend(sequence_of(&mut sequence));
    found
}

fn sequence_of(words: &mut Vec<String>) -> Option<Required> {
    (!words.is_empty()).then(|| Required::Sequence(std::mem::take(words)))
}

/// Whether the words stand in the title in sequence. The first word may be the end of a word of the title, and the last
/// one its beginning.
fn contains(title: &[String], wanted: &[String]) -> bool {
    let wanted_text = wanted.join(" ");
    title.windows(wanted.len()).any(|window| window.join(" ").contains(&wanted_text))
}

/// The words in lower case, with their signs: `c++` is not `c`.
fn words(text: &str) -> Vec<String> {
    let cleaned = words_of(&text.replace(SEPARATORS, " ")).to_lowercase();
    let words = cleaned.split(' ').map(|word| word.trim_end_matches(['?', ':', '\'', '’']));
    words.filter(|word| word.contains(char::is_alphanumeric)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::ResultItem;
    use proptest::prelude::*;

    fn is_kept(query: &str, title: &str) -> bool {
        let items = vec![ResultItem { title: title.to_owned(), ..ResultItem::default() }];
        let mut batch = ResultBatch { items, ..ResultBatch::default() };
        require(&mut batch, query);
        batch.items.len() == 1
    }

    #[test]
    fn the_words_stand_in_the_title() {
        let table = [
            ("solid state", "Solid-State stuff", true),
            ("solid state", "State solid", false),
            ("solid state", "A <em>solid</em> <em>state</em> battery", true),
            ("solid state", "Solid and state", false),
            ("solid state", "Solid", false),
            ("solid state", "", false),
            ("\"solid state\"", "New solid state disks", true),
            ("solid state NOT disk", "Solid state", true),
            ("solid -disk state", "Solid state", true),
            ("Ångström", "THE ÅNGSTRÖM EXPONENT", true),
            ("elon musk", "Elon Musks", true),
            ("solid AND -\"disk drive\" (state)", "Solid state", true),
            ("“solid state” not", "Solid state", false),
            ("हिन्दी", "हिन्दी भाषा", true),
            ("C++", "Electric cars", false),
            ("C++", "Learn C in a week", false),
            ("C++", "Learn <em>C</em>++, again", true),
            ("C++", "<b>Learn</b> C&#43;&#43;", true),
            ("AT&T", "The AT&T breakup", true),
            ("AT&T", "At the station", false),
            ("copper OR tin", "Tin mines", true),
            ("copper OR tin", "Zinc mines", false),
            ("(copper OR tin) mines", "Tin: the mines", true),
            ("(copper OR tin) mines", "Tin", false),
            ("news:rates title:\"interest rates\"", "Rates, interest rates", true),
            ("10:30 train", "The 10:30 train", true),
            ("Dune: Part Two", "Dune - Part Two", true),
            ("doi:10.1000/182", "Notes on doi:10.1000/182", true),
            ("news:fed/ecb", "Talks: fed/ecb", true),
            ("what is a name?", "What is a name", true),
            ("river's end", "A River's End?", true),
            ("-all", "Anything", true),
            ("", "Anything", true),
        ];
        for (query, title, want) in table {
            assert_eq!(is_kept(query, title), want, "{query} in {title}");
        }
    }

    #[test]
    fn the_count_is_told() {
        let items = ["Solid state", "Other", ""]
            .map(|title| ResultItem { title: title.to_owned(), ..ResultItem::default() });
        let mut batch = ResultBatch { items: items.to_vec(), ..ResultBatch::default() };
        assert_eq!(require(&mut batch, "solid"), Outcome::deleted(2));
    }

    proptest! {
        #[test]
        fn a_title_holds_itself(title in "[a-c&.+#-]{1,6}( [a-c]{1,6}){0,4}") {
            prop_assert!(is_kept(&title.replace('-', " "), &title));
        }

        #[test]
        fn never_panics(query in "\\PC{0,40}", title in "\\PC{0,60}") {
            is_kept(&query, &title);
        }
    }
}
