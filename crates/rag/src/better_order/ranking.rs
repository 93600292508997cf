//! The order of results by their confidence and by the second reader.

use domain::corpus::Badge;
use domain::ids::SignalId;
use domain::result::ResultItem;

/// Weight of the similarity by the second reader, relative to the confidence.
const SIMILARITY_WEIGHT: f64 = 1.0;

/// The positions of the results that have a similarity, in the new order: by the sum of confidence and similarity, each
/// in standard deviations from the mean. The versions of a document stay together, and what is pinned stays first.
pub(super) fn ranked(results: &[ResultItem], similarities: &[f64]) -> Vec<usize> {
    let results = &results[..results.len().min(similarities.len())];
    let confidences: Vec<f64> = results.iter().map(|item| item.swirl_confidence_score).collect();
    let (confidences, similarities) =
        (standardized(&confidences), standardized(&similarities[..results.len()]));
    let rating = |place: usize| confidences[place] + SIMILARITY_WEIGHT * similarities[place];
    let best = |group: &Vec<usize>| group.iter().map(|place| rating(*place)).fold(f64::MIN, f64::max);
    let mut groups = groups(results);
    let pinned = groups.iter().take_while(|group| group.iter().any(|place| is_pinned(&results[*place])));
    let pinned = pinned.count();
    groups[pinned..].sort_by(|one, other| best(other).total_cmp(&best(one)));
    groups.into_iter().flatten().collect()
}

/// The results that stay together: a version that counts with the versions behind it. Most are alone.
fn groups(results: &[ResultItem]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::with_capacity(results.len());
    for (place, item) in results.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if item.is_alternate() && cluster_of(item) == cluster_of(&results[group[0]]) => {
                group.push(place);
            }
            _ => groups.push(vec![place]),
        }
    }
    groups
}

fn cluster_of(item: &ResultItem) -> Option<SignalId> {
    item.cache.as_ref()?.cluster.as_ref().map(|cluster| cluster.key)
}

fn is_pinned(item: &ResultItem) -> bool {
    item.cache.as_ref().is_some_and(|mark| mark.badge == Badge::Pinned)
}

/// The values in standard deviations from their mean; all 0 if they are equal. One that is not a number counts as 0.
fn standardized(values: &[f64]) -> Vec<f64> {
    let values: Vec<f64> = values.iter().map(|value| if value.is_finite() { *value } else { 0.0 }).collect();
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    if deviation < f64::EPSILON {
        return vec![0.0; values.len()];
    }
    values.iter().map(|value| (value - mean) / deviation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::corpus::DecidedBy;
    use domain::ids::ResultId;

    fn results(confidences: &[f64]) -> Vec<ResultItem> {
        let item = |(id, confidence): (i64, &f64)| ResultItem {
            swirl_id: ResultId(id),
            swirl_confidence_score: *confidence,
            ..ResultItem::default()
        };
        (1..).zip(confidences).map(item).collect()
    }

    #[test]
    fn confidence_and_similarity_weigh_the_same() {
        for (confidences, similarities, expected) in [
            (&[0.9, 0.8, 0.7][..], &[0.5, 0.5, 0.5][..], vec![0, 1, 2]),
            (&[0.5, 0.5, 0.5], &[0.1, 0.3, 0.2], vec![1, 2, 0]),
            (&[0.8, 0.7, 0.6, 0.5], &[0.2, 0.2, 0.2, 0.9], vec![0, 3, 1, 2]),
            (&[0.7, 0.7, 0.6], &[0.0, 0.1, 0.9], vec![1, 2, 0]),
            (&[0.9, f64::NAN, 0.8], &[0.5, 0.5, 0.5], vec![0, 2, 1]),
            (&[0.9, 0.9, 0.7], &[0.1, 0.2], vec![1, 0]),
            (&[], &[], vec![]),
        ] {
            let found = ranked(&results(confidences), similarities);
            assert_eq!(found, expected, "{confidences:?} {similarities:?}");
        }
    }

    #[test]
    fn versions_stay_together_and_pinned_documents_first() {
        let mut items = results(&[0.5; 6]);
        let standings = testkit::versions::decided(&[3, 4], DecidedBy::Election, 7);
        for place in [2, 3] {
            let mut mark = testkit::versions::mark(place as i64 + 1);
            if let Some(standing) = standings.get(&mark.signal_id) {
                mark.set_version_status(standing.clone());
            }
            items[place].cache = Some(Box::new(mark));
        }
        assert!(items[3].is_alternate() && !items[2].is_alternate());
        // The other version is more similar than the one that counts.
        let similarities = [0.1, 0.2, 0.3, 0.9, 0.5, 0.4];
        assert_eq!(ranked(&items, &similarities), [2, 3, 4, 5, 1, 0]);
        let mut pinned = testkit::versions::mark(1);
        pinned.badge = Badge::Pinned;
        items[0].cache = Some(Box::new(pinned));
        assert_eq!(ranked(&items, &similarities), [0, 2, 3, 4, 5, 1]);
    }
}
