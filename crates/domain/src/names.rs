//! "Did you mean …?": the known name nearest to a wrong one.

/// Below this likeness a suggestion would be a guess.
const LIKENESS_MIN: f64 = 0.72;

/// The known name most like `wrong`, if one is like it at all.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&wrong, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The sentence for an unknown name: what it is, the nearest known one, and all known ones.
pub fn unknown<'a>(what: &str, wrong: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let all: Vec<&str> = known.clone().into_iter().collect();
    let hint = match nearest(wrong, known) {
        Some(name) => format!(" Did you mean '{name}'?"),
        None => String::new(),
    };
    format!("Unknown {what} '{}'.{hint} Known: {}.", shorten(wrong), all.join(", "))
}

/// A wrong name is repeated to its author, but not without limit.
fn shorten(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_name() {
        let known = ["RequestsGet", "RequestsPost", "Sqlite3"];
        assert_eq!(nearest("RequestGet", known), Some("RequestsGet"));
        assert_eq!(nearest("sqlite", known), Some("Sqlite3"));
        assert_eq!(nearest("Zebra", known), None);
        assert_eq!(
            unknown("connector", "RequestGet", known),
            "Unknown connector 'RequestGet'. Did you mean 'RequestsGet'? Known: RequestsGet, RequestsPost, Sqlite3."
        );
    }
}
