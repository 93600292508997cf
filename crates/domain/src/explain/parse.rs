//! Reads a saved `explain`. A key whose value has not the form that a search writes is kept as it is.

use super::serialize::{
    BOOSTS, CONFIDENCE, EVIDENCE, FILE_SYSTEM, HITS, NEGATED, PERSONAL, QUERY_LENGTH_ADJUST,
    RESULT_LENGTH_ADJUST, SCORE, STEMS,
};
use super::{
    Explain, Field, FieldSimilarities, LengthAdjusts, NamedNumbers, NegatedWords, PerField, ScoreParts,
};
use super::{TOTAL, WordHits};
use serde::de::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

type Object = Map<String, Value>;

impl<'de> Deserialize<'de> for Explain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Object::deserialize(deserializer).map(Self::from)
    }
}

impl From<Object> for Explain {
    fn from(map: Object) -> Self {
        let mut explain = Self::default();
        for (key, value) in map {
            if explain.read(&key, &value).is_none() {
                explain.other.insert(key, value);
            }
        }
        explain
    }
}

impl Explain {
    /// `None` if the value has another form.
    fn read(&mut self, key: &str, value: &Value) -> Option<()> {
        match key {
            NEGATED => self.negated = Some(negated(value)?),
            STEMS => self.stems = Some(value.as_str()?.into()),
            HITS => self.hits = Some(hits(value)?),
            BOOSTS => self.is_file_system = (value == FILE_SYSTEM).then_some(true)?,
            SCORE => self.score = Some(score(value)?),
            EVIDENCE => self.evidence = numbers(value)?,
            CONFIDENCE => self.confidence = numbers(value)?,
            PERSONAL => {
                let effects: Vec<_> = Deserialize::deserialize(value).ok()?;
                self.personal = (!effects.is_empty()).then_some(effects)?;
            }
            _ => self.similarities[Field::named(key)? as usize] = Some(similarities(value)?),
        }
        Some(())
    }
}

fn negated(value: &Value) -> Option<NegatedWords> {
    let (field, words) = only(value.as_object()?)?;
    Some(NegatedWords { field: Field::named(field)?, words: words.as_str()?.to_owned() })
}

fn only(object: &Object) -> Option<(&String, &Value)> {
    let mut entries = object.iter();
    let first = entries.next()?;
    entries.next().is_none().then_some(first)
}

fn similarities(value: &Value) -> Option<FieldSimilarities> {
    let (mut found, mut result_length, mut query_length) = (FieldSimilarities::default(), None, None);
    for (key, value) in value.as_object()? {
        let number = value.as_f64()?;
        match key.as_str() {
            RESULT_LENGTH_ADJUST => result_length = Some(number),
            QUERY_LENGTH_ADJUST => query_length = Some(number),
            _ => found.by_match.push((key.clone(), number)),
        }
    }
    found.adjusts = match (result_length, query_length) {
        (Some(result_length), Some(query_length)) => Some(LengthAdjusts { result_length, query_length }),
        (None, None) => None,
        _ => return None,
    };
    Some(found)
}

fn hits(value: &Value) -> Option<PerField<Vec<WordHits>>> {
    let fields = value.as_object()?;
    let mut hits: PerField<Vec<WordHits>> = Default::default();
    for field in Field::ALL {
        let words = fields.get(field.name())?.as_object()?.iter();
        hits[field as usize] =
            words.map(|(word, positions)| word_hits(word, positions)).collect::<Option<_>>()?;
    }
    (fields.len() == hits.len()).then_some(hits)
}

fn word_hits(word: &str, positions: &Value) -> Option<WordHits> {
    let position = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let positions = positions.as_array()?.iter().map(position).collect::<Option<_>>()?;
    Some(WordHits { word: word.to_owned(), term: None, positions })
}

fn score(value: &Value) -> Option<ScoreParts> {
    let parts = value.as_object()?;
    let number = |name: &str| parts.get(name)?.as_f64();
    let [title, body, author] = Field::ALL.map(|field| number(field.name()));
    let score = ScoreParts { fields: [title?, body?, author?], total: number(TOTAL)? };
    (parts.len() == score.fields.len() + 1).then_some(score)
}

fn numbers(value: &Value) -> Option<NamedNumbers> {
    let named = |(name, value): (&String, &Value)| Some((Cow::Owned(name.clone()), value.as_f64()?));
    let numbers: NamedNumbers = value.as_object()?.iter().map(named).collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(numbers)
}
