//! Embeddings of an external model, with any number of dimensions.

/// A unit vector.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalEmbedding(Vec<f32>);

impl ExternalEmbedding {
    /// `None` for a vector without a direction: empty, all zeros, or with values that are not numbers.
    pub fn of(mut vector: Vec<f32>) -> Option<Self> {
        let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        if !length.is_finite() || length <= 0.0 {
            return None;
        }
        vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
        Some(Self(vector))
    }

    /// Cosine similarity, -1 to 1; 0 for vectors of different models.
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        self.0.iter().zip(&other.0).map(|(one, other)| one * other).sum::<f32>().clamp(-1.0, 1.0)
    }
}

/// The embeddings of one provider's query and results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExternalEmbeddings {
    pub query: Option<ExternalEmbedding>,
    /// In the order of the items; a missing one is similar to nothing.
    pub items: Vec<Option<ExternalEmbedding>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(one: &[f32], other: &[f32]) -> Option<f32> {
        Some(ExternalEmbedding::of(one.to_vec())?.cosine(&ExternalEmbedding::of(other.to_vec())?))
    }

    #[test]
    fn likeness_of_directions() {
        for (one, other, expected) in [
            (&[3.0, 0.0][..], &[0.5, 0.0][..], Some(1.0)),
            (&[3.0, 0.0], &[-0.5, 0.0], Some(-1.0)),
            (&[1.0, 0.0], &[0.0, 2.0], Some(0.0)),
            (&[1.0, 0.0], &[1.0, 0.0, 0.0], Some(0.0)),
            (&[], &[1.0], None),
            (&[0.0, 0.0], &[1.0, 0.0], None),
            (&[f32::NAN, 1.0], &[1.0, 0.0], None),
            (&[f32::INFINITY, 1.0], &[1.0, 0.0], None),
        ] {
            assert_eq!(cosine(one, other), expected, "{one:?} {other:?}");
        }
    }
}
