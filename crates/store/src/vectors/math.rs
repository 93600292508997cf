//! Vector arithmetic that the vector stores share.

/// The vector with unit length. A zero vector stays zero.
pub(super) fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 || !length.is_finite() {
        return vec![0.0; vector.len()];
    }
    vector.iter().map(|value| (f64::from(*value) / length) as f32).collect()
}

/// Inverse document frequency of a word in `with` of `all` chunks.
pub(super) fn rarity(with: usize, all: usize) -> f32 {
    let (with, all) = (with as f32, all.max(with) as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_brought_to_length_one() {
        assert_eq!(unit(&[3.0, -4.0]), [0.6, -0.8]);
        assert_eq!(unit(&[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(unit(&[f32::NAN, 1.0]), [0.0, 0.0]);
    }

    #[test]
    fn a_rare_word_says_more() {
        assert!(rarity(1, 100) > rarity(50, 100) && rarity(50, 100) > rarity(100, 100));
        assert!(rarity(100, 100) > 0.0);
    }
}
