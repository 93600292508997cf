//! Passages: the parts of a long text that are most relevant to a query.
//!
//! A text is split into overlapping windows (`windows.rs`), each window gets a score (`scores.rs`), and the best are
//! taken, as they are written in the text.

mod scores;
mod windows;

pub use scores::{EMBEDDED_MAX, term_counts};
pub use windows::{WORD_BYTES_MAX, WORD_BYTES_USUAL, WORDS_MAX};

use crate::query::Query;
use domain::rag::WindowMethod;
use scores::Scored;
use std::ops::Range;
use windows::Words;

/// Most windows that [`best_passages`] takes.
pub const PASSAGES_MAX: usize = 256;
/// Separator between passages that are not adjacent.
pub const ELLIPSIS: &str = " … ";

/// The best windows of a text, as many as fit, in the order of the text. Adjacent windows become one passage.
///
/// `fits` is called with the whole result including the next window; the first false ends it. If not even the best
/// window fits, its first words are used, as many as fit.
pub fn best_passages(
    text: &str,
    query: &Query,
    method: WindowMethod,
    window_words: usize,
    fits: &mut dyn FnMut(&str) -> bool,
) -> String {
    let words = Words::of(text);
    let best = scores::scored(&words, query, method, window_words);
    passages_of(&words, &best, fits)
}

/// Like [`best_passages`] by the words of the query, except that windows with a rating come first, the best rated
/// before the others.
pub fn best_rated_passages(
    text: &str,
    query: &Query,
    window_words: usize,
    rating: &dyn Fn(&str) -> Option<f64>,
    fits: &mut dyn FnMut(&str) -> bool,
) -> String {
    let words = Words::of(text);
    let best = scores::scored(&words, query, WindowMethod::TermCount, window_words);
    let rating_of = |scored: &Scored| rating(words.text(&scored.window)).unwrap_or(f64::NEG_INFINITY);
    let mut rated: Vec<(f64, Scored)> = best.into_iter().map(|scored| (rating_of(&scored), scored)).collect();
    rated.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let best: Vec<Scored> = rated.into_iter().map(|(_, scored)| scored).collect();
    passages_of(&words, &best, fits)
}

/// The windows of a text that are the best by the words of the query, the best first.
pub fn best_windows(text: &str, query: &Query, window_words: usize, count: usize) -> Vec<String> {
    let words = Words::of(text);
    let best = scores::scored(&words, query, WindowMethod::TermCount, window_words);
    best.iter().take(count).map(|scored| words.text(&scored.window).to_owned()).collect()
}

/// The first of these windows, as many as fit, as one text.
fn passages_of(words: &Words<'_>, best: &[Scored], fits: &mut dyn FnMut(&str) -> bool) -> String {
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut passages = String::new();
    for Scored { window, .. } in best.iter().take(PASSAGES_MAX) {
        taken.insert(taken.partition_point(|earlier| earlier.start < window.start), window.clone());
        let with_it = joined(words, &taken);
        if !fits(&with_it) {
            break;
        }
        passages = with_it;
    }
    match best.first() {
        Some(first) if passages.is_empty() => longest_that_fits(words, &first.window, fits),
        _ => passages,
    }
}

/// The best window of a text; `None` if nothing in the text is related to the query.
pub fn best_window(text: &str, query: &Query, method: WindowMethod, window_words: usize) -> Option<String> {
    let words = Words::of(text);
    let best = scores::scored(&words, query, method, window_words).into_iter().next()?;
    (best.score > 0.0).then(|| words.text(&best.window).to_owned())
}

/// The beginning of a text.
pub fn first_words(text: &str, count: usize) -> String {
    let words = Words::of(text);
    words.text(&words.window_at(0, count)).to_owned()
}

/// The number of words of a text, up to a limit.
pub fn count_words(text: &str, most: usize) -> usize {
    crate::tokens::tokens(text).take(most).count()
}

/// Windows in the order of the text; overlapping and adjacent ones are one passage.
fn joined(words: &Words<'_>, windows: &[Range<usize>]) -> String {
    let mut passages: Vec<Range<usize>> = Vec::new();
    for window in windows {
        match passages.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => passages.push(window.clone()),
        }
    }
    passages.iter().map(|passage| words.text(passage)).collect::<Vec<_>>().join(ELLIPSIS)
}

/// As many of the first words as fit, by binary search.
fn longest_that_fits(words: &Words<'_>, window: &Range<usize>, fits: &mut dyn FnMut(&str) -> bool) -> String {
    let (mut fit, mut too_many) = (window.start, window.end);
    while fit + 1 < too_many {
        let middle = fit + (too_many - fit) / 2;
        if fits(words.text(&(window.start..middle))) {
            fit = middle;
        } else {
            too_many = middle;
        }
    }
    words.text(&(window.start..fit)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;
    use proptest::prelude::*;

    const TEXT: &str = "The town lies low. Rivers rose in spring. Nobody saw it. The mayor slept well. Boats were rare. \
        River water came at night. It was cold. People ran.";

    fn words_of(text: &str) -> Vec<&str> {
        tokens(text).map(|token| token.text).collect()
    }

    #[test]
    fn the_best_window_is_found() {
        use WindowMethod::{TermCount, TermVector};
        let table = [
            // The earlier of two equally good ones.
            ("river water", TermCount, 8, Some("Boats were rare. River water came at night.")),
            ("cold water", TermCount, 8, Some("River water came at night. It was cold.")),
            ("rivers in spring", TermCount, 8, Some("The town lies low. Rivers rose in spring.")),
            ("boat", TermCount, 8, Some("Nobody saw it. The mayor slept well. Boats")),
            ("spring rivers", TermCount, 4, Some("Rivers rose in spring.")),
            ("bicycle", TermCount, 5, None),
            ("", TermCount, 5, None),
            ("", TermVector, 5, None),
            ("river", TermCount, 0, None),
            ("ships on water", TermVector, 8, Some("Boats were rare. River water came at night.")),
        ];
        for (query, method, count, expected) in table {
            assert_eq!(
                best_window(TEXT, &Query::parse(query), method, count).as_deref(),
                expected,
                "{query} {method:?} {count}"
            );
        }
        assert_eq!(best_window("", &Query::parse("river"), TermCount, 5), None);
    }

    #[test]
    fn passages_stand_in_the_order_of_the_text() {
        let within = |most: usize| move |text: &str| words_of(text).len() <= most;
        let table = [
            (100, TEXT),
            (8, "Boats were rare. River water came at night."),
            // The second best overlaps the best.
            (11, "Boats were rare. River water came at night. It was cold."),
            (
                19,
                "The town lies low. Rivers rose in spring. … Boats were rare. River water came at night. It was cold.",
            ),
            // The best does not fit as a whole.
            (3, "Boats were rare."),
            (0, ""),
        ];
        for (most, expected) in table {
            let found = best_passages(
                TEXT,
                &Query::parse("river water"),
                WindowMethod::TermCount,
                8,
                &mut within(most),
            );
            assert_eq!(found, expected, "{most}");
        }
        // Without a hit, the text is taken from its beginning.
        let start = best_passages(TEXT, &Query::parse("bicycle"), WindowMethod::TermCount, 4, &mut within(8));
        assert_eq!(start, "The town lies low. Rivers rose in spring.");
    }

    #[test]
    fn rated_windows_come_first() {
        let query = Query::parse("river water");
        let within = |most: usize| move |text: &str| words_of(text).len() <= most;
        let windows = best_windows(TEXT, &query, 4, 2);
        assert_eq!(windows, ["River water came at", "lies low. Rivers rose"]);
        let rating = |text: &str| match text {
            "People ran." => Some(-0.1),
            "The mayor slept well." => Some(0.9),
            _ => None,
        };
        for (most, expected) in [
            (4, "The mayor slept well."),
            (10, "The mayor slept well. … River water came at … People ran."),
            (0, ""),
        ] {
            let found = best_rated_passages(TEXT, &query, 4, &rating, &mut within(most));
            assert_eq!(found, expected, "{most}");
            let without = best_rated_passages(TEXT, &query, 4, &|_| None, &mut within(most));
            let plain = best_passages(TEXT, &query, WindowMethod::TermCount, 4, &mut within(most));
            assert_eq!(without, plain, "{most}");
        }
    }

    #[test]
    fn the_beginning_and_the_length_of_a_text() {
        assert_eq!(first_words(TEXT, 4), "The town lies low.");
        assert_eq!(first_words("two words", 5), "two words");
        assert_eq!((first_words("", 5), first_words(TEXT, 0)), (String::new(), String::new()));
        assert_eq!((count_words(TEXT, 3), count_words("two words", 3), count_words(" - ", 3)), (3, 2, 0));
    }

    #[test]
    fn the_number_of_passages_is_bounded() {
        let text = "river. ".repeat(3 * PASSAGES_MAX);
        let mut asked = 0;
        let found = best_passages(&text, &Query::parse("river"), WindowMethod::TermCount, 1, &mut |_| {
            asked += 1;
            true
        });
        assert_eq!((asked, words_of(&found).len()), (PASSAGES_MAX, PASSAGES_MAX));
    }

    proptest! {
        #[test]
        fn passages_are_words_of_the_text(
            text in "([a-c]{1,3}[ .!?\n]{1,2}|river |Sea\\. |\\PC){0,80}",
            query in "(river|sea|a|b c|\"x\"|-y|\\PC){0,5}",
            count in 0usize..12,
            most in 0usize..30,
            is_count in any::<bool>(),
        ) {
            let method = if is_count { WindowMethod::TermCount } else { WindowMethod::TermVector };
            if let Some(window) = best_window(&text, &Query::parse(&query), method, count) {
                prop_assert!(text.contains(&window), "{window}");
                prop_assert!(words_of(&window).len() <= count);
            }
            let mut fits = |text: &str| words_of(text).len() <= most;
            let found = best_passages(&text, &Query::parse(&query), method, count, &mut fits);
            prop_assert!(words_of(&found).len() <= most);
            let mut rest = text.as_str();
            for passage in found.split(ELLIPSIS) {
                let at = rest.find(passage);
                prop_assert!(at.is_some() || text.contains(ELLIPSIS), "{passage} in {rest}");
                rest = &rest[at.map_or(0, |at| at + passage.len())..];
            }
            prop_assert!(words_of(&first_words(&text, count)).len() <= count);
        }
    }
}
