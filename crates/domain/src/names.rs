//! "Did you mean …?": the known name nearest to a wrong one.

/// Below this likeness a suggestion would be a guess.
const LIKENESS_MIN: f64 = 0.72;

/// The known name most like `wrong`, if one is like it at all.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    known
        .into_iter()
        .map(|name| (likeness(&wrong, &name.to_lowercase()), name))
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

/// What all names of a family begin with, such as `svc_`, makes none of them more like another.
fn likeness(one: &str, other: &str) -> f64 {
    match (one.split_once('_'), other.split_once('_')) {
        (Some((family, one)), Some((same, other))) if family == same => strsim::jaro_winkler(one, other),
        _ => strsim::jaro_winkler(one, other),
    }
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

    #[test]
    fn what_a_family_of_names_begins_with_is_no_likeness() {
        let known = || crate::settings::Settings::TABLE.iter().map(|row| row.name);
        for (wrong, expected) in [
            ("SVC_NOSUCH", None),
            ("SVC_", None),
            ("SVC_XYZZY", None),
            ("SVC_PROT", Some("SVC_PORT")),
            ("svc_hots", Some("SVC_HOST")),
            ("SVC_TIMEOT", Some("SVC_TIMEOUT")),
            ("SVC_DATABASE_POOL", Some("SVC_DATABASE_POOL_MAX")),
            ("TIMEOUT", Some("SVC_TIMEOUT")),
            ("DOCS_CHAT_THROTTLE", Some("DOCS_CHAT_THROTTLE_RATE")),
        ] {
            assert_eq!(nearest(wrong, known()), expected, "{wrong}");
        }
    }
}
