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
    /// The name, if the path is that of a member of the root.
    pub fn as_member(&self) -> Option<&str> {
        match self.steps.as_slice() {
            [Step::Member(name)] => Some(name),
            _ => None,
        }
    }

    /// The member of the root where the path begins.
    pub fn first_member(&self) -> Option<&str> {
        match self.steps.first() {
            Some(Step::Member(name)) => Some(name),
            _ => None,
        }
    }

    /// Removes the values at this path, and the objects and lists that are empty then. One of several items of a list
    /// stays, so that the others keep their places.
    pub fn remove(&self, root: &mut Value) {
        remove(&self.steps, root);
    }

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

/// Removes what the steps find in a value; the caller removes the value itself if it is empty then.
fn remove(steps: &[Step], value: &mut Value) {
    match steps {
        [] => {}
        [Step::Member(name), rest @ ..] => {
            let Some(object) = value.as_object_mut() else { return };
            let Some(member) = object.get_mut(name) else { return };
            remove(rest, member);
            if rest.is_empty() || is_hollow(member) {
                object.shift_remove(name);
            }
        }
        [step, rest @ ..] => match value {
            Value::Array(list) => {
                let is_whole = matches!(step, Step::All) || list.len() == 1;
                if !is_whole {
                    return;
                }
                list.iter_mut().for_each(|item| remove(rest, item));
                list.retain(|item| !rest.is_empty() && !is_hollow(item));
            }
            single if rest.is_empty() => *single = Value::Null,
            single => remove(rest, single),
        },
    }
}

fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
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
#[path = "json_path_tests.rs"]
mod tests;
