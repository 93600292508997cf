//! A Qdrant collection: its vector configuration, points and indexes.

use super::super::fake_server;
use super::refusal::{Refused, invalid, known, wrong};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The name of the vector in a collection with one unnamed vector.
pub(super) const ONE: &str = "";
const SIZE_MAX: u64 = 65_536;

#[derive(Debug, Clone, Default)]
pub struct Collection {
    /// Dimensions by vector name.
    dense: BTreeMap<String, usize>,
    /// Whether IDF is applied, by vector name.
    sparse: BTreeMap<String, bool>,
    /// By field, with their kind.
    indexes: BTreeMap<String, String>,
    /// In the order of ids: numbers first.
    points: BTreeMap<(u64, String), Point>,
}

#[derive(Debug, Clone)]
pub struct Point {
    pub(super) id: Value,
    pub(super) dense: BTreeMap<String, Vec<f32>>,
    pub(super) sparse: BTreeMap<String, BTreeMap<u32, f32>>,
    pub(super) payload: Value,
}

impl Point {
    pub(super) fn of(id: Value, vector: Vec<f32>, payload: Value) -> Self {
        Self { id, dense: BTreeMap::from([(ONE.to_owned(), vector)]), sparse: BTreeMap::new(), payload }
    }
}

/// A vector of a request, checked against its collection.
pub(super) enum Vector {
    Dense(Vec<f32>),
    Sparse(BTreeMap<u32, f32>),
}

fn size(params: &Value, place: &str) -> Result<usize, Refused> {
    known(params, &["size", "distance", "on_disk", "hnsw_config", "quantization_config", "datatype"])?;
    let size =
        params["size"].as_u64().ok_or_else(|| wrong("Format error in JSON body: missing field `size`"))?;
    if !(1..=SIZE_MAX).contains(&size) {
        return Err(invalid(&format!("{place}.size: value {size} invalid, must be from 1 to {SIZE_MAX}")));
    }
    if params["distance"] != "Cosine" {
        return Err(wrong("this fake supports Cosine only"));
    }
    Ok(usize::try_from(size).expect("a small number"))
}

impl Collection {
    /// With one unnamed vector.
    pub(super) fn of(size: usize) -> Self {
        Self { dense: BTreeMap::from([(ONE.to_owned(), size)]), ..Self::default() }
    }

    /// By the body of the request that creates it.
    pub(super) fn configured(body: &Value) -> Result<Self, Refused> {
        let more = ["on_disk_payload", "hnsw_config", "optimizers_config", "strict_mode_config"];
        known(body, &[&["vectors", "sparse_vectors"], &more[..]].concat())?;
        let mut collection = Self::default();
        match &body["vectors"] {
            Value::Null => {}
            one if one.get("size").is_some_and(Value::is_number) => {
                collection.dense.insert(ONE.to_owned(), size(one, "vectors")?);
            }
            several => {
                let several =
                    several.as_object().ok_or_else(|| wrong("Format error in JSON body: vectors"))?;
                for (name, params) in several {
                    let size = size(params, &format!("vectors.{name}"))?;
                    collection.dense.insert(name.clone(), size);
                }
            }
        }
        for (name, params) in body["sparse_vectors"].as_object().into_iter().flatten() {
            known(params, &["index", "modifier"])?;
            let is_weighed = match params["modifier"].as_str() {
                None | Some("none") => false,
                Some("idf") => true,
                Some(_) => return Err(wrong("Format error in JSON body: unknown variant of modifier")),
            };
            collection.sparse.insert(name.clone(), is_weighed);
        }
        Ok(collection)
    }

    pub(super) fn points(&self) -> impl Iterator<Item = &Point> {
        self.points.values()
    }

    pub(super) fn points_mut(&mut self) -> impl Iterator<Item = &mut Point> {
        self.points.values_mut()
    }

    pub(super) fn keep(&mut self, point: Point) {
        self.points.insert(order(&point.id), point);
    }

    pub(super) fn drop(&mut self, id: &Value) {
        self.points.remove(&order(id));
    }

    /// Whether IDF is applied to this vector.
    pub(super) fn is_weighed(&self, name: &str) -> bool {
        self.sparse.get(name).copied().unwrap_or_default()
    }

    pub(super) fn shown(&self) -> Value {
        let params = |size: &usize| json!({"size": size, "distance": "Cosine"});
        let dense = match self.dense.get(ONE) {
            Some(size) => params(size),
            None => self.dense.iter().map(|(name, size)| (name.clone(), params(size))).collect(),
        };
        let mut all = json!({"vectors": dense, "shard_number": 1});
        if !self.sparse.is_empty() {
            let modifier = |is_weighed: bool| if is_weighed { json!({"modifier": "idf"}) } else { json!({}) };
            let sparse: Map<String, Value> =
                self.sparse.iter().map(|(name, is_weighed)| (name.clone(), modifier(*is_weighed))).collect();
            all["sparse_vectors"] = Value::Object(sparse);
        }
        let schema: Map<String, Value> =
            self.indexes.iter().map(|(name, kind)| (name.clone(), json!({"data_type": kind}))).collect();
        let count = self.points.len();
        json!({"status": "green", "points_count": count, "config": {"params": all}, "payload_schema": schema})
    }

    pub(super) fn index(&mut self, body: &Value) -> Result<(), Refused> {
        known(body, &["field_name", "field_schema"])?;
        let kinds = ["keyword", "integer", "float", "bool", "datetime", "uuid"];
        let kind = body["field_schema"].as_str().filter(|kind| kinds.contains(kind));
        match (body["field_name"].as_str(), kind) {
            (Some(name), Some(kind)) => _ = self.indexes.insert(name.to_owned(), kind.to_owned()),
            _ => return Err(wrong("Format error in JSON body: field_name and field_schema are needed")),
        }
        Ok(())
    }

    pub(super) fn has_index(&self, field: &str) -> bool {
        self.indexes.contains_key(field)
    }

    /// A named vector.
    pub(super) fn vector(&self, name: &str, value: &Value) -> Result<Vector, Refused> {
        if self.sparse.contains_key(name) {
            return sparse(value).map(Vector::Sparse);
        }
        let Some(size) = self.dense.get(name) else {
            return Err(wrong(&format!("Wrong input: Not existing vector name error: {name}")));
        };
        if value.is_object() {
            return Err(wrong("Wrong input: Conversion between sparse and regular vectors failed"));
        }
        let vector =
            fake_server::vector(Some(value)).ok_or_else(|| wrong("Format error in JSON body: vector"))?;
        if vector.len() == *size {
            return Ok(Vector::Dense(vector));
        }
        let got = vector.len();
        Err(wrong(&format!("Wrong input: Vector dimension error: expected dim: {size}, got {got}")))
    }
}

fn sparse(value: &Value) -> Result<BTreeMap<u32, f32>, Refused> {
    known(value, &["indices", "values"]).map_err(|_| wrong("Wrong input: Wrong usage of sparse vectors"))?;
    let indices = value["indices"].as_array().into_iter().flatten();
    let indices: Option<Vec<u32>> = indices.map(|index| u32::try_from(index.as_u64()?).ok()).collect();
    let indices = indices.ok_or_else(|| wrong("Format error in JSON body: indices"))?;
    let values =
        fake_server::vector(value.get("values")).ok_or_else(|| wrong("Format error in JSON body: values"))?;
    if indices.len() != values.len() {
        return Err(invalid("values: must be the same length as indices"));
    }
    let count = indices.len();
    let vector: BTreeMap<u32, f32> = indices.into_iter().zip(values).collect();
    if vector.len() == count { Ok(vector) } else { Err(invalid("indices: must be unique")) }
}

/// Numbers come before strings.
pub(super) fn order(id: &Value) -> (u64, String) {
    (id.as_u64().unwrap_or(u64::MAX), id.as_str().unwrap_or_default().to_owned())
}
