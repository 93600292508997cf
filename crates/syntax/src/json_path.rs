//! Paths into a response: the JSONPath dialect of the mappings.
//!
//! | Form | Finds |
//! |---|---|
//! | `a.b`, `a[b]`, `a['b c']`, `a.['b']` | a member of an object; nothing for a list |
//! | `a[0]`, `a[-1]`, `a[1:3]` | items of a list; a single value counts as a list of one |
//! | `a[*]` | all items of a list; a single value counts as a list of one |
//! | a leading `$` | the root; optional |

use crate::error::SyntaxError;
use serde_json::Value;
use std::str::FromStr;

/// Maximum length of a path, in characters.
pub const PATH_CHARS_MAX: usize = 1024;
/// Maximum number of steps of a path.
pub const STEPS_MAX: usize = 64;

/// A parsed path with its original text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath {
    text: String,
    steps: Vec<Step>,
}

/// The values that a path finds.
#[derive(Debug, PartialEq)]
pub enum Matches<'a> {
    /// At the end of a path of members, as most are.
    Single(Option<&'a Value>),
    All(Vec<&'a Value>),
}

/// Up to this number of members, each name is compared, which takes less time than a hash.
const COMPARED_MEMBERS_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Index(i64),
    Slice(Option<i64>, Option<i64>),
    All,
}

impl JsonPath {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let text = text.trim();
        let failed = |reason: &str| {
            let shown: String = text.chars().take(100).collect();
            SyntaxError::new(format!("'{shown}' is not a path: {reason}."))
        };
        if text.chars().count() > PATH_CHARS_MAX {
            return Err(failed(&format!("it is longer than {PATH_CHARS_MAX} characters")));
        }
        let steps = steps(text).map_err(|reason| failed(reason.message()).caused_by(reason))?;
        if steps.len() > STEPS_MAX {
            return Err(failed(&format!("it has more than {STEPS_MAX} steps")));
        }
        Ok(Self { text: text.to_owned(), steps })
    }

    /// The original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// All values at this path. Every step visits each value of the previous step once.
    pub fn find<'a>(&self, root: &'a Value) -> Vec<&'a Value> {
        match self.locate(root) {
            Matches::Single(value) => value.into_iter().collect(),
            Matches::All(values) => values,
        }
    }

    /// Like [`JsonPath::find`], without a list for a single value.
    pub fn locate<'a>(&self, root: &'a Value) -> Matches<'a> {
        // Most paths only name members, so that each step finds one value or none.
        let mut value = root;
        for (number, step) in self.steps.iter().enumerate() {
            let Step::Member(name) = step else {
                return Matches::All(Self::find_all(&self.steps[number..], value));
            };
            let Some(member) = member(value, name) else { return Matches::Single(None) };
            value = member;
        }
        Matches::Single(Some(value))
    }

    fn find_all<'a>(steps: &[Step], root: &'a Value) -> Vec<&'a Value> {
        let mut current = vec![root];
        for step in steps {
            let mut next = Vec::new();
            for value in current {
                step.apply(value, &mut next);
            }
            current = next;
        }
        current
    }
}

impl FromStr for JsonPath {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

impl JsonPath {
    /// All values at this path, to be changed or removed.
    pub fn find_mut<'a>(&self, root: &'a mut Value) -> Vec<&'a mut Value> {
        let mut current = vec![root];
        for step in &self.steps {
            let mut next = Vec::new();
            for value in current {
                step.apply_mut(value, &mut next);
            }
            current = next;
        }
        current
    }
}

impl Step {
    fn apply_mut<'a>(&self, value: &'a mut Value, found: &mut Vec<&'a mut Value>) {
        match self {
            Self::Member(name) => found.extend(value.as_object_mut().and_then(|object| object.get_mut(name))),
            Self::All => found.extend(items_mut(value)),
            Self::Index(index) => {
                let list = items_mut(value);
                found.extend(position(*index, list.len()).and_then(|at| list.get_mut(at)));
            }
            Self::Slice(from, to) => {
                let list = items_mut(value);
                let bound = |index: i64| edge(index, list.len());
                let (from, to) = (from.map_or(0, bound), to.map_or(list.len(), bound));
                found.extend(list.get_mut(from..to.max(from)).unwrap_or_default());
            }
        }
    }

    fn apply<'a>(&self, value: &'a Value, found: &mut Vec<&'a Value>) {
        match self {
            Self::Member(name) => found.extend(member(value, name)),
            Self::All => found.extend(items(value)),
            Self::Index(index) => {
                let list = items(value);
                found.extend(position(*index, list.len()).and_then(|at| list.get(at)));
            }
            Self::Slice(from, to) => {
                let list = items(value);
                let bound = |index: i64| edge(index, list.len());
                let (from, to) = (from.map_or(0, bound), to.map_or(list.len(), bound));
                found.extend(list.get(from..to.max(from)).unwrap_or_default());
            }
        }
    }
}

/// The member of an object with this name.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let object = value.as_object()?;
    if object.len() > COMPARED_MEMBERS_MAX {
        return object.get(name);
    }
    object.iter().find(|(key, _)| key.as_str() == name).map(|(_, member)| member)
}

/// The items of a list; any other value is a list of one, and null an empty list.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(list) => list,
        Value::Null => &[],
        single => std::slice::from_ref(single),
    }
}

fn items_mut(value: &mut Value) -> &mut [Value] {
    match value {
        Value::Array(list) => list,
        Value::Null => &mut [],
        single => std::slice::from_mut(single),
    }
}

/// The position of an index, counted from the end if it is negative.
fn position(index: i64, length: usize) -> Option<usize> {
    let distance = usize::try_from(index.unsigned_abs()).ok()?;
    if index >= 0 { Some(distance) } else { length.checked_sub(distance) }
}

/// The bound of a slice, clamped to the list.
fn edge(index: i64, length: usize) -> usize {
    position(index, length).unwrap_or(0).min(length)
}

fn steps(text: &str) -> Result<Vec<Step>, SyntaxError> {
    let mut steps = Vec::new();
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    let mut wants_name = rest.len() == text.len() && !rest.starts_with('[');
    while wants_name || !rest.is_empty() {
        if wants_name {
            let name;
            (name, rest) = split_name(rest)?;
            steps.push(Step::Member(name.to_owned()));
            wants_name = false;
        } else if let Some(inside) = rest.strip_prefix('[') {
            let step;
            (step, rest) = bracket(inside)?;
            steps.push(step);
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = after;
            wants_name = !rest.starts_with('[');
        } else {
            return Err(unexpected(rest).into());
        }
    }
    Ok(steps)
}

fn split_name(text: &str) -> Result<(&str, &str), SyntaxError> {
    let end = text.find(|c| !is_name_char(c)).unwrap_or(text.len());
    if end == 0 { Err(unexpected(text).into()) } else { Ok(text.split_at(end)) }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '@')
}

/// The step inside brackets, and the rest after the closing one.
fn bracket(inside: &str) -> Result<(Step, &str), SyntaxError> {
    let inside = inside.trim_start();
    if let Some(quote) = inside.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let (name, after) = quoted(&inside[1..], quote)?;
        let rest = after.trim_start().strip_prefix(']').ok_or("']' is missing")?;
        return Ok((Step::Member(name), rest));
    }
    let (word, rest) = inside.split_once(']').ok_or("']' is missing")?;
    let word = word.trim();
    if word == "*" {
        return Ok((Step::All, rest));
    }
    if let Some((from, to)) = word.split_once(':') {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text
                .parse::<i64>()
                .map(Some)
                .map_err(|error| SyntaxError::new(format!("'[{word}]' is not a range")).caused_by(error)),
        };
        return Ok((Step::Slice(number(from)?, number(to)?), rest));
    }
    if let Ok(index) = word.parse() {
        return Ok((Step::Index(index), rest));
    }
    if word.is_empty() || !word.chars().all(is_name_char) {
        let reason = format!("'[{word}]' is not an index, '*' or a name; write ['{word}'] for a name");
        return Err(reason.into());
    }
    Ok((Step::Member(word.to_owned()), rest))
}

/// A quoted name (a backslash escapes the next character), and the rest after its closing quote.
fn quoted(text: &str, quote: char) -> Result<(String, &str), SyntaxError> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, next)| next)),
            c if c == quote => return Ok((name, &text[index + c.len_utf8()..])),
            c => name.push(c),
        }
    }
    Err("a quote is not closed".into())
}

fn unexpected(rest: &str) -> String {
    match rest.chars().next() {
        Some('*') => "write [*] for all items".to_owned(),
        Some(c) => format!("'{c}' is not expected; put a name with such a character in quotes, like ['a b']"),
        None => "a name is missing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn finds() {
        let root = json!({
            "_source": {"to": "x"}, "@attr": {"total-count": 3}, "one": {"b": 1}, "nothing": null, "text": "word",
            "list": [{"n": 1, "m": [1, 2]}, {"n": 2}, {"n": 3, "m": [4]}], "og:type": "page", "it's": 1, "a2": [[5]],
        });
        let cases: &[(&str, &str)] = &[
            ("_source.to", r#"["x"]"#),
            ("$._source.to", r#"["x"]"#),
            ("$['_source']['to']", r#"["x"]"#),
            (" @attr.total-count ", "[3]"),
            ("list[0].n", "[1]"),
            ("list[-1].n", "[3]"),
            ("list[3].n", "[]"),
            ("list[-4].n", "[]"),
            ("list[1:].n", "[2,3]"),
            ("list[:-1].n", "[1,2]"),
            ("list[2:1]", "[]"),
            ("list[-9:9].n", "[1,2,3]"),
            ("list[*].n", "[1,2,3]"),
            ("list[*].m[*]", "[1,2,4]"),
            ("list.n", "[]"),
            ("one[*].b", "[1]"),
            ("one[0].b", "[1]"),
            ("one[1].b", "[]"),
            ("one[b]", "[1]"),
            ("text[0]", r#"["word"]"#),
            ("nothing", "[null]"),
            ("nothing[*]", "[]"),
            ("nothing[0]", "[]"),
            ("['og:type']", r#"["page"]"#),
            ("$.['og:type']", r#"["page"]"#),
            (r"['it\'s']", "[1]"),
            ("[\"it's\"]", "[1]"),
            ("a2[0][0]", "[5]"),
            ("missing.deeper[*].x", "[]"),
        ];
        for (path, want) in cases {
            let parsed = JsonPath::parse(path).unwrap_or_else(|error| panic!("{error}"));
            let found = parsed.find(&root).into_iter();
            assert_eq!(Value::from_iter(found.cloned()).to_string(), *want, "{path}");
            let mut changed = root.clone();
            let taken = parsed.find_mut(&mut changed).into_iter().map(Value::take);
            assert_eq!(Value::from_iter(taken).to_string(), *want, "{path}");
        }
        assert_eq!(JsonPath::parse("$").expect("the whole").find(&root), [&root]);
    }

    #[test]
    fn members_are_found_in_small_and_large_objects() {
        for count in [0, 1, COMPARED_MEMBERS_MAX, COMPARED_MEMBERS_MAX + 1, 50] {
            let root: Value = (0..count).map(|number| (format!("m{number}"), Value::from(number))).collect();
            for number in 0..=count {
                let path = JsonPath::parse(&format!("m{number}")).expect("a path");
                assert_eq!(
                    path.locate(&root),
                    Matches::Single(root.get(format!("m{number}"))),
                    "{number} of {count}"
                );
            }
        }
        let root = json!({"a": [1, 2]});
        let all = JsonPath::parse("a[*]").expect("a path");
        assert_eq!(all.locate(&root), Matches::All(vec![&json!(1), &json!(2)]));
    }

    #[test]
    fn refuses() {
        for path in [
            "", " ", ".", "a.", "a b", "a:b", "a#", "a[", "a[']", "a['x'", "a[]", "a[x y]", "a..b", "a.*",
            "*", "$x", "a]",
        ] {
            assert!(JsonPath::parse(path).is_err(), "{path}");
        }
        assert!(JsonPath::parse("a b").expect_err("a space").message().contains("'a b'"));
    }

    #[test]
    fn size_is_bounded() {
        assert!(JsonPath::parse(&"x".repeat(PATH_CHARS_MAX)).is_ok());
        assert!(JsonPath::parse(&"x".repeat(PATH_CHARS_MAX + 1)).is_err());
        assert!(JsonPath::parse(&"[0]".repeat(STEPS_MAX)).is_ok());
        assert!(JsonPath::parse(&"[0]".repeat(STEPS_MAX + 1)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[a\\[\\]\\.\\*'\"\\\\:0-9$é -]{0,30}|.{0,30}") {
            let root = json!({"a": [1, {"a": [2, "x"]}], "é": null});
            if let Ok(path) = JsonPath::parse(&text) {
                let _ = path.find(&root);
            }
        }
    }
}
