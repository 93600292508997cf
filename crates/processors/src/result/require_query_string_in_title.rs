//! RequireQueryStringInTitleResultProcessor: drops results whose title does not contain the words of the query in
//! sequence. Runs after mapping.

use super::shared::clean_text::clean_text;
use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
use syntax::query_string::terms;

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "RequireQueryStringInTitleResultProcessor",
    summary: "Drops results whose title lacks the query. Runs after mapping.",
    processor: &RequireQueryStringInTitle,
};

struct RequireQueryStringInTitle;

impl ResultProcessor for RequireQueryStringInTitle {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        Ok(require(batch, cx.query))
    }
}

fn require(batch: &mut ResultBatch, query: &str) -> Outcome {
    let wanted = wanted(query);
    let before = batch.items.len();
    // Both have single spaces, so a match is a sequence of whole words.
    batch.items.retain(|item| words(&item.title).contains(&wanted));
    Outcome::deleted(before - batch.items.len())
}

/// The words of the query, without quotes, operators and negated words.
fn wanted(query: &str) -> String {
    let terms = terms(query);
    let wanted = terms.iter().filter(|term| !term.is_negated).map(|term| term.text);
    words(&wanted.collect::<Vec<_>>().join(" "))
}

/// The words in lower case, separated by single spaces.
fn words(text: &str) -> String {
    let text = clean_text(text).to_lowercase();
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    words.collect::<Vec<_>>().join(" ")
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
        fn a_title_holds_itself(title in "[a-c&.-]{1,6}( [a-c]{1,6}){0,4}") {
            prop_assert!(is_kept(&title.replace('-', " "), &title));
        }

        #[test]
        fn never_panics(query in "\\PC{0,40}", title in "\\PC{0,60}") {
            is_kept(&query, &title);
        }
    }
}
