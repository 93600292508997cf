//! Names of the months.

use super::words::Word;

/// English, German, French, Spanish and Italian names of the months; without accents, in lower case.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janner", "janvier", "enero", "gennaio"],
    &["february", "feb", "februar", "fevrier", "febrero", "febbraio"],
    &["march", "mar", "marz", "mrz", "mars", "marzo"],
    &["april", "apr", "avril", "abril", "aprile"],
    &["may", "mai", "mayo", "maggio"],
    &["june", "jun", "juni", "juin", "junio", "giugno"],
    &["july", "jul", "juli", "juillet", "julio", "luglio"],
    &["august", "aug", "aout", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "dez", "decembre", "diciembre", "dicembre"],
];

/// 1 to 12
pub fn month_of(word: &Word) -> Option<u32> {
    let plain: String = word.text.chars().map(plain).collect();
    let place = MONTHS.iter().position(|names| names.contains(&plain.as_str()))?;
    u32::try_from(place + 1).ok()
}

fn plain(c: char) -> char {
    match c {
        'ä' => 'a',
        'é' => 'e',
        'û' => 'u',
        other => other,
    }
}
