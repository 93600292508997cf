//! One layer of the model: attention, then two products for each token.

use super::functions::{LayerNorm, apply_gelu};
use super::heads::{Projections, attend};
use super::matrix::{Linear, Tokens};

/// The weights of a layer.
pub struct Layer {
    pub query: Linear,
    pub key: Linear,
    pub value: Linear,
    pub output: Linear,
    pub attention_norm: LayerNorm,
    pub inner: Linear,
    pub outer: Linear,
    pub norm: LayerNorm,
}

impl Layer {
    /// Changes the tokens of a text, a row of `dimensions` each.
    pub fn apply(&self, states: &mut [f32], dimensions: usize, heads: usize) {
        let tokens = Tokens::nearest(states, dimensions);
        let projections = Projections {
            queries: self.query.apply(&tokens),
            keys: self.key.apply(&tokens),
            values: self.value.apply(&tokens),
        };
        let mixed = attend(&projections, dimensions, heads);
        add(states, &self.output.apply(&Tokens::nearest(&mixed, dimensions)));
        self.attention_norm.apply(states);

        let mut inner = self.inner.apply(&Tokens::nearest(states, dimensions));
        apply_gelu(&mut inner);
        add(states, &self.outer.apply(&Tokens::nearest(&inner, self.inner.biases.len())));
        self.norm.apply(states);
    }
}

fn add(states: &mut [f32], more: &[f32]) {
    for (state, more) in states.iter_mut().zip(more) {
        *state += more;
    }
}
