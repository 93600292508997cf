//! Paths into a response, and their syntax in mappings.

use syntax::json_path::JsonPath;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    Member(String),
    Index(usize),
    /// The last item of a list.
    Last,
    /// All items of a list.
    Items,
}

/// Which items of a list a path selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    First,
    All,
}

/// The path in the syntax of mappings; `$` for an empty path.
pub fn format_path(steps: &[Step], form: Form) -> String {
    let mut text = String::new();
    for step in steps {
        match (step, form) {
            (Step::Member(name), _) if is_plain(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            (Step::Member(name), _) => {
                let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
                text.push_str(&format!("['{escaped}']"));
            }
            (Step::Index(index), _) => text.push_str(&format!("[{index}]")),
            (Step::Last, _) => text.push_str("[-1]"),
            (Step::Items, Form::First) => text.push_str("[0]"),
            (Step::Items, Form::All) => text.push_str("[*]"),
        }
    }
    if text.is_empty() { "$".to_owned() } else { text }
}

/// The path, if the syntax can express it.
pub fn to_json_path(steps: &[Step], form: Form) -> Option<JsonPath> {
    JsonPath::parse(&format_path(steps, form)).ok()
}

/// The names of the members in a path.
pub fn members(steps: &[Step]) -> Vec<&str> {
    let names = steps.iter().filter_map(|step| match step {
        Step::Member(name) => Some(name.as_str()),
        Step::Index(_) | Step::Last | Step::Items => None,
    });
    names.collect()
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '@'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn member(name: &str) -> Step {
        Step::Member(name.to_owned())
    }

    #[test]
    fn writes_the_syntax_of_mappings() {
        let table = [
            (vec![], "$", "$"),
            (vec![member("a"), member("b-c")], "a.b-c", "a.b-c"),
            (vec![member("a"), Step::Items, member("b")], "a[0].b", "a[*].b"),
            (vec![member("dc.title"), Step::Items], "['dc.title'][0]", "['dc.title'][*]"),
            (vec![member("a"), member("it's")], r"a['it\'s']", r"a['it\'s']"),
            (vec![Step::Index(1), member("x")], "[1].x", "[1].x"),
            (vec![member("a"), Step::Last, member("x")], "a[-1].x", "a[-1].x"),
        ];
        for (steps, first, all) in table {
            assert_eq!(
                (format_path(&steps, Form::First).as_str(), format_path(&steps, Form::All).as_str()),
                (first, all)
            );
        }
    }

    proptest! {
        #[test]
        fn any_name_is_found_again(name in "[a-z'\"\\\\\\[\\].,=|:# é]{1,12}") {
            let item = json!({ (name.clone()): { (name.clone()): [7] } });
            let steps = [member(&name), member(&name), Step::Items];
            let path = to_json_path(&steps, Form::All).expect("a path");
            prop_assert_eq!(path.find(&item), [&json!(7)]);
        }
    }
}
