//! What is asked of an answer, in one form, and which answers serve it.

use domain::answer::{AnswerWish, INSTRUCTIONS_CHARS_MAX, StoredAnswer};
use domain::search::Search;
use std::collections::BTreeSet;

/// Most results that a wish may name.
pub const ITEMS_MAX: usize = 500;

/// The same wish in one form: trimmed, cut, each number once, in order.
pub(crate) fn settled(wish: &AnswerWish) -> AnswerWish {
    let items: BTreeSet<i64> = wish.items.iter().copied().take(ITEMS_MAX).collect();
    let instructions: String = wish.instructions.trim().chars().take(INSTRUCTIONS_CHARS_MAX).collect();
    AnswerWish {
        items: items.into_iter().collect(),
        instructions: instructions.trim_end().to_owned(),
        prompt: wish.prompt.trim().to_owned(),
        ai_provider: wish.ai_provider,
        instead_of: wish.instead_of,
    }
}

/// Whether an answer to `made` is one to `wanted`. Who names no results means all of them. One that is being made is
/// another one than any that is stored.
pub(crate) fn serves(made: &AnswerWish, wanted: &AnswerWish) -> bool {
    made.instructions == wanted.instructions
        && made.prompt == wanted.prompt
        && made.ai_provider == wanted.ai_provider
        && made.items == wanted.items
}

/// Whether a stored answer is the answer of this run of the search to this wish, and not the one it is to replace.
pub(crate) fn is_answer_to(stored: &StoredAnswer, search: &Search, wanted: &AnswerWish) -> bool {
    let is_refused = wanted.instead_of == Some(stored.row.swirl_id);
    stored.run == search.run && !is_refused && serves(&stored.wish, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::{search, stored};
    use domain::ids::{AiProviderId, ResultId};

    fn wish(items: &[i64], instructions: &str) -> AnswerWish {
        AnswerWish { items: items.to_vec(), instructions: instructions.to_owned(), ..AnswerWish::default() }
    }

    #[test]
    fn one_form() {
        let given = AnswerWish { prompt: " company_style ".to_owned(), ..wish(&[3, 1, 3], "  short ") };
        let made = settled(&given);
        assert_eq!((made.items.as_slice(), made.instructions.as_str()), ([1, 3].as_slice(), "short"));
        assert_eq!(made.prompt, "company_style");
        let long = settled(&wish(&[], &"é".repeat(INSTRUCTIONS_CHARS_MAX + 1)));
        assert_eq!(long.instructions.chars().count(), INSTRUCTIONS_CHARS_MAX);
        let many: Vec<i64> = (0..=ITEMS_MAX as i64).collect();
        assert_eq!(settled(&wish(&many, "")).items.len(), ITEMS_MAX);
    }

    #[test]
    fn which_answers_serve() {
        let other = AnswerWish { ai_provider: Some(AiProviderId(2)), ..wish(&[], "") };
        let prompt = AnswerWish { prompt: "p".to_owned(), ..wish(&[], "") };
        let table = [
            (wish(&[], ""), wish(&[], ""), true),
            (wish(&[1, 2], ""), wish(&[], ""), false),
            (wish(&[1, 2], ""), wish(&[1, 2], ""), true),
            (wish(&[], ""), wish(&[1], ""), false),
            (wish(&[1], ""), wish(&[1, 2], ""), false),
            (wish(&[], ""), wish(&[], "short"), false),
            (wish(&[], ""), other, false),
            (wish(&[], ""), prompt, false),
        ];
        for (made, wanted, expected) in table {
            assert_eq!(serves(&made, &wanted), expected, "{made:?} {wanted:?}");
        }
    }

    #[test]
    fn a_stored_answer_may_be_refused() {
        let mut kept = stored();
        kept.row.swirl_id = ResultId(5);
        for (instead_of, expected) in [(None, true), (Some(4), true), (Some(5), false)] {
            let instead_of = instead_of.map(ResultId);
            let wanted = settled(&AnswerWish { instead_of, ..kept.wish.clone() });
            assert_eq!(is_answer_to(&kept, &search(), &wanted), expected, "{instead_of:?}");
            assert!(serves(&kept.wish, &wanted), "one that is being made is another one");
        }
    }
}
