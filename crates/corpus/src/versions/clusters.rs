//! Groups documents into versions: similar text, equal text, or the same lineage.

use domain::corpus::Signal;

/// A document and its centroid, if known.
pub struct EmbeddedDocument<'a> {
    pub signal: &'a Signal,
    pub centroid: Option<&'a [f32]>,
}

/// Groups of document indices; each document is in exactly one group. Documents keep their order within a group, and
/// groups are ordered by their first document.
pub fn clusters(documents: &[EmbeddedDocument<'_>], threshold: f64) -> Vec<Vec<usize>> {
    let mut roots: Vec<usize> = (0..documents.len()).collect();
    for one in 0..documents.len() {
        for other in 0..one {
            if are_versions(&documents[one], &documents[other], threshold) {
                let (first, second) = (root(&roots, one), root(&roots, other));
                roots[first.max(second)] = first.min(second);
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); documents.len()];
    for one in 0..documents.len() {
        groups[root(&roots, one)].push(one);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn root(roots: &[usize], mut one: usize) -> usize {
    while roots[one] != one {
        one = roots[one];
    }
    one
}

fn are_versions(one: &EmbeddedDocument<'_>, other: &EmbeddedDocument<'_>, threshold: f64) -> bool {
    let (left, right) = (one.signal, other.signal);
    let is_one_line = left.lineage_id.is_some() && left.lineage_id == right.lineage_id;
    let is_one_text = !left.content_hash.is_empty() && left.content_hash == right.content_hash;
    // Vectors of different models are not comparable.
    let is_comparable = left.embedding_model == right.embedding_model;
    let is_near = || match one.centroid.zip(other.centroid) {
        Some((one, other)) => is_comparable && one.len() == other.len() && cosine(one, other) >= threshold,
        None => false,
    };
    is_one_line || is_one_text || is_near()
}

/// For vectors of unit length.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::fixtures::signal;
    use domain::ids::SignalId;

    /// On the unit circle, at this angle.
    fn at(degrees: f32) -> Vec<f32> {
        vec![degrees.to_radians().cos(), degrees.to_radians().sin()]
    }

    fn grouped(documents: &[(Signal, Option<Vec<f32>>)], threshold: f64) -> Vec<Vec<usize>> {
        let placed: Vec<EmbeddedDocument<'_>> = documents
            .iter()
            .map(|(signal, centroid)| EmbeddedDocument { signal, centroid: centroid.as_deref() })
            .collect();
        clusters(&placed, threshold)
    }

    #[test]
    fn by_likeness_by_text_and_by_line() {
        let document = |id: i64, centroid: Option<f32>| (signal(id, "A"), centroid.map(at));
        let with = |id: i64, centroid: Option<f32>, hash: &str, line: Option<i64>, model: &str| {
            let one = Signal {
                content_hash: hash.to_owned(),
                lineage_id: line.map(SignalId),
                embedding_model: model.to_owned(),
                ..signal(id, "A")
            };
            (one, centroid.map(at))
        };
        // cos 18° = 0.951, cos 19° = 0.946
        let table = [
            (vec![], vec![]),
            (vec![document(1, Some(0.0))], vec![vec![0]]),
            (vec![document(1, Some(0.0)), document(2, Some(18.0))], vec![vec![0, 1]]),
            (vec![document(1, Some(0.0)), document(2, Some(19.0))], vec![vec![0], vec![1]]),
            // Versions of versions are versions.
            (
                vec![
                    document(1, Some(0.0)),
                    document(2, Some(90.0)),
                    document(3, Some(30.0)),
                    document(4, Some(15.0)),
                ],
                vec![vec![0, 2, 3], vec![1]],
            ),
            (vec![document(1, None), document(2, Some(0.0))], vec![vec![0], vec![1]]),
            (vec![document(1, None), document(2, None)], vec![vec![0], vec![1]]),
            (vec![with(1, None, "x", None, "m"), with(2, Some(0.0), "x", None, "m")], vec![vec![0, 1]]),
            (vec![with(1, None, "", None, "m"), with(2, None, "", None, "m")], vec![vec![0], vec![1]]),
            (vec![with(1, None, "x", Some(1), "m"), with(2, None, "y", Some(1), "m")], vec![vec![0, 1]]),
            (
                vec![with(1, None, "x", Some(1), "m"), with(2, None, "y", Some(2), "m")],
                vec![vec![0], vec![1]],
            ),
            (
                vec![with(1, Some(0.0), "x", None, "m"), with(2, Some(0.0), "y", None, "n")],
                vec![vec![0], vec![1]],
            ),
        ];
        for (number, (documents, expected)) in table.into_iter().enumerate() {
            assert_eq!(grouped(&documents, 0.95), expected, "row {number}");
        }
    }

    #[test]
    fn the_threshold_itself_is_enough() {
        let documents =
            [(signal(1, "A"), Some(vec![1.0, 0.0])), (signal(2, "A"), Some(vec![0.5, 0.75_f32.sqrt()]))];
        assert_eq!(grouped(&documents, 0.5), vec![vec![0, 1]]);
        assert_eq!(grouped(&documents, 0.500_001), vec![vec![0], vec![1]]);
    }
}
