//! "Did you mean …?": suggests the known name that is closest to an unknown one.

/// Below this similarity a suggestion would be a guess.
const LIKENESS_MIN: f64 = 0.72;

/// The known name most similar to `wrong`, if any is similar enough.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    known
        .into_iter()
        .map(|name| (likeness(&wrong, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The error message for an unknown name: its kind, the closest known name, and all known names.
pub fn unknown<'a>(what: &str, wrong: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let all: Vec<&str> = known.clone().into_iter().collect();
    let hint = match nearest(wrong, known) {
        Some(name) => format!(" Did you mean '{name}'?"),
        None => String::new(),
    };
    format!("Unknown {what} '{}'.{hint} Known: {}.", shorten(wrong), all.join(", "))
}

/// Ignores the prefix that all names of a family share, such as `svc_`.
fn likeness(one: &str, other: &str) -> f64 {
    match (one.split_once('_'), other.split_once('_')) {
        (Some((family, one)), Some((same, other))) if family == same => strsim::jaro_winkler(one, other),
        _ => strsim::jaro_winkler(one, other),
    }
}

/// Limits the length of a repeated wrong name.
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
