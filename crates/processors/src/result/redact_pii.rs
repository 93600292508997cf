//! RedactPIIResultProcessor: replaces personal data in results before they are saved.

use crate::pii::redact_item;
use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "RedactPIIResultProcessor",
    summary: "Replaces personal data in results by its kind, such as [EMAIL_ADDRESS]. Runs after mapping and before relevancy.",
    processor: &RedactPii,
};

struct RedactPii;

impl ResultProcessor for RedactPii {
    fn process(&self, batch: &mut ResultBatch, _cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        Ok(redact(batch))
    }
}

fn redact(batch: &mut ResultBatch) -> Outcome {
    let mut changed = 0;
    for item in &mut batch.items {
        changed += usize::from(redact_item(item));
    }
    Outcome::updated(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::ResultItem;

    #[test]
    fn only_what_is_personal_changes() {
        let items = ["Mail ada@byron.example", "<b>Plain</b> 2021-03-04"]
            .map(|title| ResultItem { title: title.to_owned(), ..ResultItem::default() });
        let mut batch = ResultBatch { items: items.to_vec(), ..ResultBatch::default() };
        assert_eq!(redact(&mut batch), Outcome::updated(1));
        assert_eq!(batch.items[0].title, "Mail [EMAIL_ADDRESS]");
        assert_eq!(batch.items[1].title, "<b>Plain</b> 2021-03-04");
    }
}
