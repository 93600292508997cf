//! Tests of pairs and pools. Cost is counted, not timed.

use super::pair_check::{BODY_WORDS_MIN, NUMBERS_FOR_ONE_OTHER, PART_SHARE_MIN, TITLE_EXTRA_WORDS_MAX};
use super::*;
use crate::embedder::{DIMENSIONS, Embedding, embed};
use proptest::prelude::*;

const MINIMUM: f64 = 0.95;

/// As if the model knew no word, so that the words decide.
fn by_words(_: &str) -> Embedding {
    Embedding::ZERO
}

fn same(a: (&str, &str), b: (&str, &str)) -> bool {
    let sameness = Sameness { minimum: MINIMUM, embed: &embed };
    let (a, b) = (Text::of(a.0, a.1, None), Text::of(b.0, b.1, None));
    assert_eq!(sameness.holds(&a, &b), sameness.holds(&b, &a), "{a:?} {b:?}");
    sameness.holds(&a, &b)
}

const TITLE: &str = "Sensors in the river";
const BODY: &str = "Three gauges at the lower bridge measure the level of the river every hour. They send it to the \
    office of the town, where a warning goes out when the water rises above 240 centimetres within a day.";

#[test]
fn copies_are_the_same_document() {
    let marked = BODY.replace("river", "<em>river</em>");
    let replaced = BODY.replace("every hour", "each hour").replace("goes out", "is given");
    let half: String = BODY.split_inclusive(' ').take(18).collect();
    let middle: String = BODY.split_inclusive(' ').skip(9).take(20).collect();
    let cut = format!("{half}...");
    let more = format!("{BODY} Published with the permission of the authors.");
    let table = [
        (TITLE, BODY),
        ("SENSORS IN THE RIVER!", BODY),
        ("Reprint: Sensors in the river", BODY),
        ("Sensors in the river | Town News", BODY),
        ("", BODY),
        (TITLE, marked.as_str()),
        (TITLE, replaced.as_str()),
        (TITLE, cut.as_str()),
        (TITLE, middle.as_str()),
        (TITLE, more.as_str()),
    ];
    for (title, body) in table {
        assert!(same((TITLE, BODY), (title, body)), "{title}: {body}");
    }
}

#[test]
fn documents_of_one_kind_are_not() {
    let other_number = BODY.replace("240", "260");
    let other_text =
        "A new book about the rivers of the north was shown at the fair by its two authors this spring.";
    let long_title = format!("{TITLE}, {}", "more ".repeat(TITLE_EXTRA_WORDS_MAX + 1));
    let table = [
        ("Sensors in the lake", BODY),
        ("Sensors in the river 2", BODY),
        ("Sensors in the river, part II", BODY),
        ("River", BODY),
        ("Sensors in the old river", BODY),
        (long_title.as_str(), BODY),
        (TITLE, other_number.as_str()),
        (TITLE, other_text),
        (TITLE, ""),
        (TITLE, "Three gauges at the lower bridge"),
        ("", ""),
    ];
    for (title, body) in table {
        assert!(!same((TITLE, BODY), (title, body)), "{title}: {body}");
    }
    // A title word that only its own body contains is a topic of the document.
    let of_lake = format!("{BODY} The lake is not measured.");
    assert!(!same((TITLE, BODY), ("Sensors in the river and lake", &of_lake)));
    assert!(!same(
        ("river number 1", "A text about river, the 1th of its kind."),
        ("river bank number 1", "A text about river bank, the 1th of its kind."),
    ));
    // A number that was left out says nothing.
    assert!(same((TITLE, BODY), (TITLE, &BODY.replace("above 240 centimetres", "too high"))));
}

#[test]
fn short_texts_are_the_same_if_their_words_are() {
    let seven = "one two three four five six seven";
    assert_eq!(seven.split(' ').count(), BODY_WORDS_MIN - 1);
    let table = [
        (("Algorithm 12: Bessel function", ""), ("ALGORITHM 12 - Bessel function", ""), true),
        (("Algorithm 12: Bessel function", ""), ("Algorithm 13: Bessel function", ""), false),
        (("Handbook, 2nd edition", ""), ("Handbook, 3rd edition", ""), false),
        (("Remark on rivers", ""), ("Remarks on rivers", ""), false),
        (("Rivers", seven), ("Rivers", &seven.replace("seven", "seventh")), false),
        (("Rivers", seven), ("Rivers", &seven.to_uppercase()), true),
        (("", ""), ("", ""), false),
        (("...", "—"), ("...", "—"), false),
    ];
    for (a, b, expected) in table {
        assert_eq!(same(a, b), expected, "{a:?} {b:?}");
    }
}

#[test]
fn a_title_alone_of_another_day_is_another_document() {
    let sameness = Sameness { minimum: MINIMUM, embed: &embed };
    let table = [
        (Some("2024-05-01"), Some("2024-05-08"), false),
        (Some("2024-05-01"), Some("2024-05-01"), true),
        (Some("2024-05-01"), None, true),
    ];
    for (a, b, expected) in table {
        let short = |day| Text::of("Minutes of the council", "", day);
        assert_eq!(sameness.holds(&short(a), &short(b)), expected, "{a:?} {b:?}");
        let long = |day| Text::of(TITLE, BODY, day);
        assert!(sameness.holds(&long(a), &long(b)));
    }
}

#[test]
fn a_short_passage_is_not_the_document() {
    let whole = text(5, 100, 5_000);
    let first = |words: usize| whole.split_inclusive(' ').take(words).collect::<String>();
    let sameness = Sameness { minimum: MINIMUM, embed: &by_words };
    let least = (100.0 * PART_SHARE_MIN).round() as usize;
    for (words, expected) in [(least, true), (least - 1, false)] {
        let part = first(words);
        let (a, b) = (Text::of(TITLE, &whole, None), Text::of(TITLE, &part, None));
        assert_eq!(sameness.holds(&a, &b), expected, "{words} words");
    }
}

#[test]
fn one_of_many_numbers_may_be_another() {
    let sameness = Sameness { minimum: MINIMUM, embed: &by_words };
    for (count, expected) in [(NUMBERS_FOR_ONE_OTHER, true), (NUMBERS_FOR_ONE_OTHER - 1, false)] {
        let table: Vec<String> = (0..count).map(|row| format!("{} holds {row} of", word(row * 31))).collect();
        let table = format!("{} {}", table.join(" "), text(9, 20, 5_000));
        let (a, b) = (Text::of(TITLE, &table, None), table.replace(" 3 ", " 333 "));
        assert_eq!(sameness.holds(&a, &Text::of(TITLE, &b, None)), expected, "{count} numbers");
    }
}

#[test]
fn the_setting_counts() {
    let edited =
        BODY.replace("every hour", "all the time").replace("the office of the town", "our small cabin");
    let texts = || (Text::of(TITLE, BODY, None), Text::of(TITLE, &edited, None));
    let holds = |minimum, cosine: Option<f32>| {
        let embed = |text: &str| {
            let Some(cosine) = cosine.map(|cosine| if text.contains("cabin") { cosine } else { 1.0 }) else {
                return Embedding::ZERO;
            };
            let mut numbers = [0.0; DIMENSIONS];
            numbers[..2].copy_from_slice(&[cosine, (1.0 - cosine * cosine).sqrt()]);
            Embedding::of_slice(&numbers).unwrap()
        };
        let (a, b) = texts();
        Sameness { minimum, embed: &embed }.holds(&a, &b)
    };
    assert!(holds(0.95, Some(0.96)) && !holds(0.95, Some(0.85)));
    assert!(holds(0.9, Some(0.9)) && !holds(0.97, Some(1.0)), "then more words must be shared");
    assert!(holds(0.95, None), "the words decide");
    let (a, _) = texts();
    assert!(Sameness { minimum: 1.0, embed: &by_words }.holds(&a, &a));
}

fn found(texts: &[(String, String)], minimum: f64) -> Groups {
    let texts: Vec<Text<'_>> = texts.iter().map(|(title, body)| Text::of(title, body, None)).collect();
    groups(&texts, &Sameness { minimum, embed: &by_words })
}

#[test]
fn every_member_is_alike_to_the_best() {
    // Each differs from the previous one in two words, the last from the first in most.
    let words: Vec<String> = (0..40)
        .map(|word| format!("w{}", char::from(b'a' + word % 26)).repeat(1 + usize::from(word / 26)))
        .collect();
    let chain = |step: usize| {
        let changed = words
            .iter()
            .enumerate()
            .map(|(place, word)| if place < 2 * step { format!("x{word}") } else { word.clone() });
        ("Chain".to_owned(), changed.collect::<Vec<_>>().join(" "))
    };
    let texts: Vec<(String, String)> = (0..10).map(chain).collect();
    let groups = found(&texts, MINIMUM);
    assert_eq!(&groups.best[..5], &[None, Some(0), Some(0), Some(0), Some(0)]);
    assert_eq!(groups.best[5], None, "the first is too far");
}

/// A pool of `count` results, and the limits of entries and pairs per result.
fn cost(pool: impl Fn(usize) -> (String, String)) -> [Groups; 2] {
    [1_000, 10_000].map(|count| {
        let texts: Vec<(String, String)> = (0..count).map(&pool).collect();
        found(&texts, MINIMUM)
    })
}

fn word(number: usize) -> String {
    let characters = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or_default());
    [number, number / 26, number / 676, number / 17_576].map(characters).iter().collect()
}

/// Meaningless words from a small generator.
fn text(seed: usize, words: usize, vocabulary: usize) -> String {
    let mut state = seed as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        word(usize::try_from(state >> 33).unwrap_or_default() % vocabulary)
    };
    (0..words).map(|_| next()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_cost_grows_with_the_pool_and_not_with_its_square() {
    let boilerplate = text(0, 63, 5_000);
    let identical = |_: usize| ("Same title".to_owned(), boilerplate.clone());
    let nearly =
        |number: usize| ("Same title".to_owned(), format!("{boilerplate} {}", text(number, 3, 5_000)));
    // Nine tenths of every result are the same.
    let shared =
        |number: usize| (text(number, 4, 5_000), format!("{boilerplate} {}", text(number + 7, 7, 5_000)));
    let same_title = |number: usize| ("Home".to_owned(), text(number, 60, 5_000));
    let ordinary = |number: usize| (text(number, 10, 5_000), text(number + 99, 60, 5_000));
    // So few words that all shingles are everywhere.
    let poor = |number: usize| (text(number, 5, 12), text(number + 99, 60, 12));
    let pools: [(&str, [Groups; 2]); 6] = [
        ("identical", cost(identical)),
        ("nearly", cost(nearly)),
        ("shared", cost(shared)),
        ("same title", cost(same_title)),
        ("ordinary", cost(ordinary)),
        ("poor", cost(poor)),
    ];
    let each_max = (SKETCH_KEYS_MAX + 2) * usize::from(LEADERS_PER_KEY_MAX);
    for (name, [small, large]) in pools {
        eprintln!(
            "{name}: {} and {} pairs, {} and {} entries",
            small.compared, large.compared, small.looked_at, large.looked_at
        );
        assert!(large.looked_at <= 10_000 * each_max && large.compared <= 10_000 * CANDIDATES_MAX, "{name}");
        // If hardly any key is common, the smaller pool does not reach the limits above.
        if name != "poor" {
            assert!(large.compared <= 12 * small.compared.max(1_000), "{name}: pairs");
            assert!(large.looked_at <= 12 * small.looked_at.max(10_000), "{name}: entries");
        }
        let grouped = large.best.iter().flatten().count();
        match name {
            "identical" | "nearly" => assert_eq!((grouped, large.compared), (9_999, 9_999), "{name}"),
            _ => assert_eq!(grouped, 0, "{name}"),
        }
    }
}

#[test]
fn copies_are_found_among_boilerplate() {
    let boilerplate = text(0, 63, 5_000);
    let shared =
        |number: usize| (text(number, 4, 5_000), format!("{boilerplate} {}", text(number + 7, 7, 5_000)));
    let mut texts: Vec<(String, String)> = (0..2_000).map(shared).collect();
    texts.extend((0..2_000).map(|number| {
        let (title, body) = shared(number);
        (format!("Reprint: {title}"), body)
    }));
    let best = found(&texts, MINIMUM).best;
    let right = (0..2_000).filter(|number| best[2_000 + number] == Some(*number)).count();
    assert!(right >= 1_900, "{right} of 2000");
    assert_eq!(best.iter().flatten().count(), right);
}

fn small_pool() -> impl Strategy<Value = Vec<(String, String)>> {
    // Few words, so that texts are often near duplicates.
    let text = |words| {
        prop::collection::vec(0..6_usize, words)
            .prop_map(|words| words.into_iter().map(word).collect::<Vec<_>>().join(" "))
    };
    prop::collection::vec((text(0..3), text(0..14)), 0..30)
}

proptest! {
    #[test]
    fn any_pool(texts in small_pool(), minimum in 0.0..=1.0_f64) {
        let groups = found(&texts, minimum);
        prop_assert_eq!(groups.best.len(), texts.len());
        // The best of a group comes before it, and is in no other group.
        for (place, best) in groups.best.iter().enumerate() {
            if let Some(best) = best {
                prop_assert!(*best < place && groups.best[*best].is_none());
            }
        }
        // The remaining ones are not grouped again.
        let stay = |(text, best): (&(String, String), &Option<usize>)| best.is_none().then(|| text.clone());
        let left: Vec<(String, String)> = texts.iter().zip(&groups.best).filter_map(stay).collect();
        prop_assert_eq!(found(&left, minimum).best.iter().flatten().count(), 0);
    }

    #[test]
    fn the_check_of_a_pair_has_no_side(texts in small_pool()) {
        let texts: Vec<Text<'_>> = texts.iter().map(|(title, body)| Text::of(title, body, None)).collect();
        let sameness = Sameness { minimum: MINIMUM, embed: &by_words };
        for pair in texts.windows(2) {
            prop_assert_eq!(sameness.holds(&pair[0], &pair[1]), sameness.holds(&pair[1], &pair[0]));
        }
    }
}
