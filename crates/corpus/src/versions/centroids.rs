//! Centroids of documents: the mean of their chunk vectors.

use domain::corpus::StoredChunk;

/// Vectors shorter than this count as zero.
const LENGTH_MIN: f64 = 1e-9;

/// The mean of all chunk vectors, of unit length.
pub fn mean(chunks: &[StoredChunk]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f64; chunks.first()?.vector.len()];
    for chunk in chunks {
        for (sum, number) in sum.iter_mut().zip(&chunk.vector) {
            *sum += f64::from(*number);
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f64>().sqrt();
    let is_some = length.is_finite() && length > LENGTH_MIN;
    is_some.then(|| sum.into_iter().map(|number| (number / length) as f32).collect())
}

/// For vectors of unit length.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_has_the_length_one() {
        let chunk = |vector: Vec<f32>| StoredChunk {
            number: 0,
            start: 0,
            end: 0,
            heading: String::new(),
            text: String::new(),
            vector,
        };
        let half = 0.5_f32.sqrt();
        assert_eq!(mean(&[chunk(vec![1.0, 0.0]), chunk(vec![0.0, 1.0])]), Some(vec![half, half]));
        assert_eq!(mean(&[chunk(vec![1.0, 0.0]), chunk(vec![-1.0, 0.0])]), None);
        assert_eq!(mean(&[]), None);
    }
}
