//! Numbers that are written in words, in English, German, French and Spanish.

use relevancy::Language;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The place of German among the languages.
const GERMAN_PLACE: usize = 1;
/// Maximum number of parts of a German number.
const GERMAN_DEPTH_MAX: u8 = 4;

/// The part that a word has in a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NumberWord {
    /// Below 1000, or a whole German number.
    Value(f64),
    /// It multiplies what precedes it.
    Scale(f64),
    Ordinal(f64),
}

/// The words of the four languages.
static WORDS: LazyLock<[HashMap<&'static str, NumberWord>; 4]> = LazyLock::new(|| {
    [
        words(ENGLISH, ENGLISH_SCALES, ENGLISH_ORDINALS),
        words(GERMAN, GERMAN_SCALES, GERMAN_ORDINALS),
        words(FRENCH, FRENCH_SCALES, FRENCH_ORDINALS),
        words(SPANISH, SPANISH_SCALES, SPANISH_ORDINALS),
    ]
});

type Rows = &'static [(f64, &'static str)];

fn words(values: Rows, scales: Rows, ordinals: Rows) -> HashMap<&'static str, NumberWord> {
    let each = |rows: Rows, of: fn(f64) -> NumberWord| {
        rows.iter().flat_map(move |(value, words)| words.split(' ').map(move |word| (word, of(*value))))
    };
    each(ordinals, NumberWord::Ordinal)
        .chain(each(scales, NumberWord::Scale))
        .chain(each(values, NumberWord::Value))
        .collect()
}

/// A word of a language; of English if it is another one.
pub(super) fn number_word(language: Language, word: &str) -> Option<NumberWord> {
    let place = match language.known().map_or("en", |known| known.code) {
        "de" => GERMAN_PLACE,
        "fr" => 2,
        "es" => 3,
        _ => 0,
    };
    let found = WORDS[place].get(word).copied();
    match found {
        None if place == GERMAN_PLACE => german_compound(word, GERMAN_DEPTH_MAX).map(NumberWord::Value),
        found => found,
    }
}

/// `fünfunddreißig`, `neununddreißigtausend`.
fn german_compound(word: &str, depth: u8) -> Option<f64> {
    if let Some(NumberWord::Value(value)) = WORDS[GERMAN_PLACE].get(word) {
        return Some(*value);
    }
    let depth = depth.checked_sub(1)?;
    for (name, scale) in [("tausend", 1_000.0), ("hundert", 100.0)] {
        if let Some((before, after)) = word.split_once(name) {
            let before = if before.is_empty() { 1.0 } else { german_compound(before, depth)? };
            let after = after.strip_prefix("und").unwrap_or(after);
            let after = if after.is_empty() { 0.0 } else { german_compound(after, depth)? };
            return Some(before * scale + after);
        }
    }
    let (units, tens) = word.split_once("und")?;
    let units = if units == "ein" { 1.0 } else { german_compound(units, depth)? };
    let tens = german_compound(tens, depth)?;
    (units < 10.0 && (20.0..100.0).contains(&tens)).then_some(units + tens)
}

const ENGLISH: &[(f64, &str)] = &[
    (0.0, "zero"),
    (1.0, "one"),
    (2.0, "two"),
    (3.0, "three"),
    (4.0, "four"),
    (5.0, "five"),
    (6.0, "six"),
    (7.0, "seven"),
    (8.0, "eight"),
    (9.0, "nine"),
    (10.0, "ten"),
    (11.0, "eleven"),
    (12.0, "twelve"),
    (13.0, "thirteen"),
    (14.0, "fourteen"),
    (15.0, "fifteen"),
    (16.0, "sixteen"),
    (17.0, "seventeen"),
    (18.0, "eighteen"),
    (19.0, "nineteen"),
    (20.0, "twenty"),
    (30.0, "thirty"),
    (40.0, "forty"),
    (50.0, "fifty"),
    (60.0, "sixty"),
    (70.0, "seventy"),
    (80.0, "eighty"),
    (90.0, "ninety"),
];
const ENGLISH_SCALES: &[(f64, &str)] = &[
    (12.0, "dozen"),
    (100.0, "hundred"),
    (1e3, "thousand"),
    (1e6, "million millions"),
    (1e9, "billion billions"),
    (1e12, "trillion"),
];
const ENGLISH_ORDINALS: &[(f64, &str)] = &[
    (1.0, "first"),
    (2.0, "second"),
    (3.0, "third"),
    (4.0, "fourth"),
    (5.0, "fifth"),
    (6.0, "sixth"),
    (7.0, "seventh"),
    (8.0, "eighth"),
    (9.0, "ninth"),
    (10.0, "tenth"),
    (11.0, "eleventh"),
    (12.0, "twelfth"),
    (13.0, "thirteenth"),
    (14.0, "fourteenth"),
    (15.0, "fifteenth"),
    (16.0, "sixteenth"),
    (17.0, "seventeenth"),
    (18.0, "eighteenth"),
    (19.0, "nineteenth"),
    (20.0, "twentieth"),
    (30.0, "thirtieth"),
    (100.0, "hundredth"),
];
const GERMAN: &[(f64, &str)] = &[
    (0.0, "null"),
    (1.0, "eins"),
    (2.0, "zwei"),
    (3.0, "drei"),
    (4.0, "vier"),
    (5.0, "fünf"),
    (6.0, "sechs"),
    (7.0, "sieben"),
    (8.0, "acht"),
    (9.0, "neun"),
    (10.0, "zehn"),
    (11.0, "elf"),
    (12.0, "zwölf"),
    (13.0, "dreizehn"),
    (14.0, "vierzehn"),
    (15.0, "fünfzehn"),
    (16.0, "sechzehn"),
    (17.0, "siebzehn"),
    (18.0, "achtzehn"),
    (19.0, "neunzehn"),
    (20.0, "zwanzig"),
    (30.0, "dreißig dreissig"),
    (40.0, "vierzig"),
    (50.0, "fünfzig"),
    (60.0, "sechzig"),
    (70.0, "siebzig"),
    (80.0, "achtzig"),
    (90.0, "neunzig"),
];
const GERMAN_SCALES: &[(f64, &str)] = &[
    (12.0, "dutzend"),
    (100.0, "hundert"),
    (1e3, "tausend"),
    (1e6, "million millionen mio"),
    (1e9, "milliarde milliarden mrd"),
];
const GERMAN_ORDINALS: &[(f64, &str)] = &[
    (1.0, "erste ersten erster erstes"),
    (2.0, "zweite zweiten zweiter zweites"),
    (3.0, "dritte dritten dritter drittes"),
    (4.0, "vierte vierten vierter viertes"),
    (5.0, "fünfte fünften fünfter"),
    (6.0, "sechste sechsten sechster"),
    (7.0, "siebte siebten siebter"),
    (8.0, "achte achten achter"),
    (9.0, "neunte neunten neunter"),
    (10.0, "zehnte zehnten zehnter"),
];
const FRENCH: &[(f64, &str)] = &[
    (2.0, "deux"),
    (3.0, "trois"),
    (4.0, "quatre"),
    (5.0, "cinq"),
    (6.0, "six"),
    (7.0, "sept"),
    (8.0, "huit"),
    (9.0, "neuf"),
    (10.0, "dix"),
    (11.0, "onze"),
    (12.0, "douze"),
    (13.0, "treize"),
    (14.0, "quatorze"),
    (15.0, "quinze"),
    (16.0, "seize"),
    (20.0, "vingt vingts"),
    (30.0, "trente"),
    (40.0, "quarante"),
    (50.0, "cinquante"),
    (60.0, "soixante"),
];
const FRENCH_SCALES: &[(f64, &str)] = &[
    (12.0, "douzaine"),
    (100.0, "cent cents"),
    (1e3, "mille"),
    (1e6, "million millions"),
    (1e9, "milliard milliards"),
];
const FRENCH_ORDINALS: &[(f64, &str)] = &[
    (1.0, "premier première"),
    (2.0, "deuxième"),
    (3.0, "troisième"),
    (4.0, "quatrième"),
    (5.0, "cinquième"),
];
const SPANISH: &[(f64, &str)] = &[
    (2.0, "dos"),
    (3.0, "tres"),
    (4.0, "cuatro"),
    (5.0, "cinco"),
    (6.0, "seis"),
    (7.0, "siete"),
    (8.0, "ocho"),
    (9.0, "nueve"),
    (10.0, "diez"),
    (11.0, "once"),
    (12.0, "doce"),
    (13.0, "trece"),
    (14.0, "catorce"),
    (15.0, "quince"),
    (16.0, "dieciséis"),
    (17.0, "diecisiete"),
    (18.0, "dieciocho"),
    (19.0, "diecinueve"),
    (20.0, "veinte"),
    (30.0, "treinta"),
    (40.0, "cuarenta"),
    (50.0, "cincuenta"),
    (60.0, "sesenta"),
    (70.0, "setenta"),
    (80.0, "ochenta"),
    (90.0, "noventa"),
    (100.0, "cien ciento"),
    (200.0, "doscientos doscientas"),
    (300.0, "trescientos trescientas"),
    (400.0, "cuatrocientos cuatrocientas"),
    (500.0, "quinientos quinientas"),
    (600.0, "seiscientos seiscientas"),
    (700.0, "setecientos setecientas"),
    (800.0, "ochocientos ochocientas"),
    (900.0, "novecientos novecientas"),
];
const SPANISH_SCALES: &[(f64, &str)] = &[(12.0, "docena"), (1e3, "mil"), (1e6, "millón millones")];
const SPANISH_ORDINALS: &[(f64, &str)] = &[
    (1.0, "primer primero primera"),
    (2.0, "segundo segunda"),
    (3.0, "tercer tercero tercera"),
    (4.0, "cuarto cuarta"),
    (5.0, "quinto quinta"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_four_languages() {
        for (language, word, expected) in [
            ("english", "twelve", Some(NumberWord::Value(12.0))),
            ("english", "thousand", Some(NumberWord::Scale(1e3))),
            ("english", "third", Some(NumberWord::Ordinal(3.0))),
            ("english", "once", None),
            ("german", "fünfunddreißig", Some(NumberWord::Value(35.0))),
            ("german", "neununddreißigtausend", Some(NumberWord::Value(39_000.0))),
            ("german", "hundertzwanzig", Some(NumberWord::Value(120.0))),
            ("german", "freund", None),
            ("german", "hundertwasser", None),
            ("french", "vingt", Some(NumberWord::Value(20.0))),
            ("spanish", "doscientas", Some(NumberWord::Value(200.0))),
            ("klingon", "two", Some(NumberWord::Value(2.0))),
        ] {
            assert_eq!(number_word(Language::named(language), word), expected, "{word} in {language}");
        }
    }
}
