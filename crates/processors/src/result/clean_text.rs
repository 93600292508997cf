//! CleanTextResultProcessor: removes markup and symbols from titles and bodies.

use super::shared::clean_text::clean_text;
use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "CleanTextResultProcessor",
    summary: "Removes markup and most symbols from titles and bodies.",
    processor: &CleanText,
};

struct CleanText;

impl ResultProcessor for CleanText {
    fn process(&self, batch: &mut ResultBatch, _cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        Ok(clean_batch(batch))
    }
}

fn clean_batch(batch: &mut ResultBatch) -> Outcome {
    let mut changed = 0;
    for item in &mut batch.items {
        let (title, body) = (clean_text(&item.title), clean_text(&item.body));
        changed += usize::from(title != item.title || body != item.body);
        (item.title, item.body) = (title, body);
    }
    Outcome::updated(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::ResultItem;

    #[test]
    fn titles_and_bodies_are_cleaned() {
        let item = |title: &str, body: &str| ResultItem {
            title: title.to_owned(),
            body: body.to_owned(),
            author: "A & B".to_owned(),
            ..ResultItem::default()
        };
        let items = vec![item("<em>Solid</em>-state", "a....b"), item("Plain", "text.")];
        let mut batch = ResultBatch { items, ..ResultBatch::default() };
        assert_eq!(clean_batch(&mut batch), Outcome::updated(1));
        assert_eq!((batch.items[0].title.as_str(), batch.items[0].body.as_str()), ("Solid state", "a...b"));
        assert_eq!(batch.items[0].author, "A & B");
    }
}
