//! Documents by topic: k-means over embeddings.

use crate::eval::rng::Rng;

/// Maximum number of k-means iterations; few documents move after ten.
const ROUNDS_MAX: usize = 20;

/// The embedding of each text.
pub fn points(texts: &[String]) -> Vec<Vec<f32>> {
    texts.iter().map(|text| relevancy::embedder::embed(text).as_slice().to_vec()).collect()
}

/// The cluster of each point. No cluster is empty as long as there are enough points.
pub fn clusters(points: &[Vec<f32>], count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut centers = initial_centers(points, count, rng);
    let mut homes: Vec<usize> = points.iter().map(|point| nearest(point, &centers).0).collect();
    fill_empty(points, &mut homes, &centers);
    for _ in 0..ROUNDS_MAX {
        centers = means(points, &homes, count);
        let mut moved: Vec<usize> = points.iter().map(|point| nearest(point, &centers).0).collect();
        fill_empty(points, &mut moved, &centers);
        if moved == homes {
            break;
        }
        homes = moved;
    }
    homes
}

/// Initial centers by k-means++.
fn initial_centers(points: &[Vec<f32>], count: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
    let mut centers: Vec<Vec<f32>> = Vec::new();
    let mut distances = vec![f64::INFINITY; points.len()];
    let mut chosen = rng.below(points.len());
    while centers.len() < count.min(points.len()) {
        centers.push(points[chosen].clone());
        for (nearest, point) in distances.iter_mut().zip(points) {
            *nearest = nearest.min(distance(point, &points[chosen]));
        }
        let whole: f64 = distances.iter().sum();
        let mut left = rng.unit() * whole;
        let reached = distances.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        // If all points are equal, any choice will do.
        chosen = reached.unwrap_or(centers.len() % points.len());
    }
    centers
}

fn nearest(point: &[f32], centers: &[Vec<f32>]) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (number, center) in centers.iter().enumerate() {
        let distance = distance(point, center);
        if distance < best.1 {
            best = (number, distance);
        }
    }
    best
}

/// Moves the point farthest from its center to each empty cluster, from a cluster with more than one point.
fn fill_empty(points: &[Vec<f32>], homes: &mut [usize], centers: &[Vec<f32>]) {
    let mut sizes = vec![0_usize; centers.len()];
    homes.iter().for_each(|home| sizes[*home] += 1);
    for empty in 0..centers.len() {
        if sizes[empty] > 0 {
            continue;
        }
        let spare = (0..points.len()).filter(|place| sizes[homes[*place]] > 1);
        let distance = |place: usize| distance(&points[place], &centers[homes[place]]);
        if let Some(place) = spare.max_by(|a, b| distance(*a).total_cmp(&distance(*b))) {
            sizes[homes[place]] -= 1;
            homes[place] = empty;
            sizes[empty] = 1;
        }
    }
}

fn means(points: &[Vec<f32>], homes: &[usize], count: usize) -> Vec<Vec<f32>> {
    let dimensions = points.first().map_or(0, Vec::len);
    let mut sums = vec![vec![0.0_f32; dimensions]; count];
    for (point, home) in points.iter().zip(homes) {
        sums[*home].iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
    }
    for sum in &mut sums {
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            sum.iter_mut().for_each(|value| *value /= length);
        }
    }
    sums
}

/// Distance of two unit vectors by their angle.
fn distance(a: &[f32], b: &[f32]) -> f64 {
    let product: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    f64::from(1.0 - product).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_lie_together_stay_together() {
        let at = |angle: f32| vec![angle.cos(), angle.sin()];
        let angles = [0.0, 0.1, 2.0, 2.1, 4.0, 4.1, 0.05, 2.05, 4.05];
        let points: Vec<Vec<f32>> = angles.iter().map(|angle| at(*angle)).collect();
        for seed in 0..20 {
            let homes = clusters(&points, 3, &mut Rng::new(seed, "test"));
            assert_eq!(homes[0], homes[1], "{homes:?}");
            assert!(homes[2] == homes[3] && homes[3] == homes[7] && homes[4] == homes[8], "{homes:?}");
            assert!(homes[0] != homes[2] && homes[2] != homes[4] && homes[0] != homes[4], "{homes:?}");
        }
    }

    #[test]
    fn points_that_are_all_the_same_fill_every_cluster() {
        let points = vec![vec![1.0, 0.0]; 6];
        let homes = clusters(&points, 4, &mut Rng::new(1, "test"));
        assert!((0..4).all(|cluster| homes.contains(&cluster)), "{homes:?}");
        let empty = vec![vec![0.0, 0.0]; 3];
        assert_eq!(clusters(&empty, 1, &mut Rng::new(1, "test")), [0, 0, 0]);
    }
}
