//! Groups documents into versions of each other.

use super::are_versions::{Comparable, Relation, are_versions};

/// Groups of document indices; each document is in exactly one group. Documents keep their order within a group, and
/// groups are ordered by their first document.
///
/// Versions of versions are versions, the most similar first, unless that would join different documents: a copy
/// without a date must not join the minutes of two meetings.
pub fn clusters(documents: &[Comparable<'_>], threshold: f64) -> Vec<Vec<usize>> {
    let mut groups = Groups::new(documents.len());
    let mut versions: Vec<(f64, usize, usize)> = Vec::new();
    for one in 0..documents.len() {
        for other in 0..one {
            match are_versions(&documents[other], &documents[one], threshold) {
                Relation::Same => groups.join(other, one),
                Relation::Versions(similarity) => versions.push((similarity, other, one)),
                Relation::Different => groups.separate(other, one),
                Relation::Unrelated => {}
            }
        }
    }
    versions.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2)))
    });
    for (_, one, other) in versions {
        if groups.may_join(one, other) {
            groups.join(one, other);
        }
    }
    groups.members.retain(|members| !members.is_empty());
    groups.members
}

struct Groups {
    group_of: Vec<usize>,
    /// By group, in the order of the documents; the group of joined documents is that of the first.
    members: Vec<Vec<usize>>,
    /// For each document, whether each other one is different.
    different: Vec<Vec<bool>>,
}

impl Groups {
    fn new(documents: usize) -> Self {
        Self {
            group_of: (0..documents).collect(),
            members: (0..documents).map(|one| vec![one]).collect(),
            different: vec![vec![false; documents]; documents],
        }
    }

    fn separate(&mut self, one: usize, other: usize) {
        self.different[one][other] = true;
        self.different[other][one] = true;
    }

    fn may_join(&self, one: usize, other: usize) -> bool {
        let [left, right] = [one, other].map(|document| &self.members[self.group_of[document]]);
        left.iter().all(|one| right.iter().all(|other| !self.different[*one][*other]))
    }

    fn join(&mut self, one: usize, other: usize) {
        let (first, second) = (self.group_of[one], self.group_of[other]);
        let (into, from) = (first.min(second), first.max(second));
        if into == from {
            return;
        }
        for member in std::mem::take(&mut self.members[from]) {
            self.group_of[member] = into;
            self.members[into].push(member);
        }
        self.members[into].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::fixtures::signal;
    use crate::versions::text_profile::TextProfile;
    use domain::corpus::{CANDIDATES_MAX, Signal};
    use domain::ids::SignalId;

    /// On the unit circle, at this angle.
    fn at(degrees: f32) -> Vec<f32> {
        vec![degrees.to_radians().cos(), degrees.to_radians().sin()]
    }

    fn grouped(documents: &[(Signal, Option<Vec<f32>>)], threshold: f64) -> Vec<Vec<usize>> {
        let text = |centroid: &Option<Vec<f32>>| TextProfile {
            centroid: centroid.clone(),
            ..TextProfile::default()
        };
        let texts: Vec<TextProfile> = documents.iter().map(|(_, centroid)| text(centroid)).collect();
        let comparable = documents.iter().zip(&texts).map(|((signal, _), text)| Comparable::of(signal, text));
        clusters(&comparable.collect::<Vec<_>>(), threshold)
    }

    #[test]
    fn a_document_between_two_different_ones_joins_the_nearer() {
        let minutes = |id: i64, title: &str, angle: f32| (signal(id, title), Some(at(angle)));
        let documents = [
            minutes(1, "Minutes 12 March 2025", 0.0),
            minutes(2, "Minutes", 6.0),
            minutes(3, "Minutes 9 April 2025", 10.0),
            minutes(4, "Minutes 9 April 2025 draft", 12.0),
        ];
        assert_eq!(grouped(&documents, 0.95), vec![vec![0], vec![1, 2, 3]]);
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

    #[test]
    fn a_full_search_is_grouped() {
        let documents: Vec<_> = (0..CANDIDATES_MAX as i64)
            .map(|id| (signal(id, "Lease of the mill"), Some(at(id as f32))))
            .collect();
        assert_eq!(grouped(&documents, 0.95).len(), 1);
    }
}
