//! Limits of vectors and queries, which are the same in every vector store.

use domain::ports::VectorError;

/// Most chunks per query.
pub(super) const HITS_MAX: usize = 1_000;
/// Most dimensions of a vector. More would overflow the sums of the coarse pass.
pub(super) const DIMENSION_MAX: usize = 8_192;

/// The common dimension of a document's vectors; None without a vector.
pub(super) fn dimension_of<'a>(
    vectors: impl IntoIterator<Item = &'a [f32]>,
) -> Result<Option<usize>, VectorError> {
    let mut dimension = None;
    for vector in vectors {
        let here = allowed(vector.len())?;
        match dimension {
            Some(there) if there != here => return Err(VectorError::Dimension { there, ours: here }),
            _ => dimension = Some(here),
        }
    }
    Ok(dimension)
}

pub(super) fn allowed(dimension: usize) -> Result<usize, VectorError> {
    if dimension == 0 || dimension > DIMENSION_MAX {
        let text = format!("a vector has {dimension} dimensions; it may have 1 to {DIMENSION_MAX}");
        return Err(VectorError::refused(text));
    }
    Ok(dimension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_a_document_have_one_dimension() {
        let (two, three, none) = ([0.0; 2], [0.0; 3], [0.0; 0]);
        let wide = vec![0.0; DIMENSION_MAX + 1];
        assert_eq!(dimension_of([]), Ok(None));
        assert_eq!(dimension_of([&two[..], &two[..]]), Ok(Some(2)));
        assert_eq!(dimension_of([&wide[1..]]), Ok(Some(DIMENSION_MAX)));
        let mixed = dimension_of([&two[..], &three[..]]);
        assert_eq!(mixed, Err(VectorError::Dimension { there: 2, ours: 3 }));
        assert!(matches!(dimension_of([&none[..]]), Err(VectorError::Refused { .. })));
        assert!(matches!(dimension_of([&wide[..]]), Err(VectorError::Refused { .. })));
    }
}
