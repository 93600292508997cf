//! The attention of a layer: each token becomes a mix of all tokens, once per head.

use super::functions::{exp, sum};
use super::vector_instructions::ARCH;
use pulp::NullaryFnOnce;

/// What the attention compares and mixes: a row per token.
pub struct Projections {
    pub queries: Vec<f32>,
    pub keys: Vec<f32>,
    pub values: Vec<f32>,
}

/// The values of all tokens, mixed for each token by how well its query fits their keys. The dimensions are divided
/// among the heads.
pub fn attend(projections: &Projections, dimensions: usize, heads: usize) -> Vec<f32> {
    let mut mixed = vec![0.0; projections.values.len()];
    ARCH.dispatch(Attend { projections, dimensions, heads, mixed: &mut mixed });
    mixed
}

struct Attend<'a> {
    projections: &'a Projections,
    dimensions: usize,
    heads: usize,
    mixed: &'a mut [f32],
}

impl NullaryFnOnce for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { projections: Projections { queries, keys, values }, dimensions, heads, mixed } = self;
        let (count, columns) = (values.len() / dimensions, dimensions / heads);
        let scale = 1.0 / (columns as f32).sqrt();
        // By dimension, then by token.
        let mut turned = vec![0.0; columns * count];
        let mut weights = vec![0.0; count];
        for head in 0..heads {
            let part = head * columns..(head + 1) * columns;
            for (token, keys) in keys.chunks_exact(dimensions).enumerate() {
                for (turned, key) in turned.chunks_exact_mut(count).zip(&keys[part.clone()]) {
                    turned[token] = *key;
                }
            }
            let rows = queries.chunks_exact(dimensions).zip(mixed.chunks_exact_mut(dimensions));
            for (query, mixed) in rows {
                let total = weigh(&query[part.clone()], &turned, scale, &mut weights);
                let mixed = &mut mixed[part.clone()];
                for (weight, values) in weights.iter().zip(values.chunks_exact(dimensions)) {
                    for (mixed, value) in mixed.iter_mut().zip(&values[part.clone()]) {
                        *mixed += weight * value;
                    }
                }
                mixed.iter_mut().for_each(|value| *value /= total);
            }
        }
    }
}

/// The weight of each token for a query, and their sum.
#[inline(always)]
fn weigh(query: &[f32], turned: &[f32], scale: f32, weights: &mut [f32]) -> f32 {
    weights.fill(0.0);
    for (number, keys) in query.iter().zip(turned.chunks_exact(weights.len())) {
        let number = number * scale;
        for (weight, key) in weights.iter_mut().zip(keys) {
            *weight += number * key;
        }
    }
    let largest = weights.iter().copied().fold(f32::MIN, f32::max);
    weights.iter_mut().for_each(|weight| *weight = exp(*weight - largest));
    sum(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_mixed_by_query_and_key() {
        // Two tokens, two heads of one dimension. The first head of the first token prefers the second token.
        let projections = Projections {
            queries: vec![100.0, 0.0, 0.0, -100.0],
            keys: vec![0.0, 0.0, 1.0, 1.0],
            values: vec![1.0, 2.0, 3.0, 6.0],
        };
        let mixed = attend(&projections, 2, 2);
        let mut pairs = mixed.iter().zip([3.0, 4.0, 2.0, 2.0]);
        assert!(pairs.all(|(found, expected)| (found - expected).abs() < 1e-6), "{mixed:?}");
    }
}
