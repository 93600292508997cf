//! Documents by topic: k-means over the embeddings of the reader model.

use crate::eval::chance::Chance;

/// Most rounds of moving documents to the nearest centre; few change place after ten.
const ROUNDS_MAX: usize = 20;

/// Where each text lies.
pub fn points(texts: &[String]) -> Vec<Vec<f32>> {
    texts.iter().map(|text| relevancy::reader::embed(text).as_slice().to_vec()).collect()
}

/// The cluster of each point. No cluster is empty as long as there are enough points.
pub fn clusters(points: &[Vec<f32>], count: usize, chance: &mut Chance) -> Vec<usize> {
    let mut centres = first_centres(points, count, chance);
    let mut homes: Vec<usize> = points.iter().map(|point| nearest(point, &centres).0).collect();
    fill_empty(points, &mut homes, &centres);
    for _ in 0..ROUNDS_MAX {
        centres = means(points, &homes, count);
        let mut moved: Vec<usize> = points.iter().map(|point| nearest(point, &centres).0).collect();
        fill_empty(points, &mut moved, &centres);
        if moved == homes {
            break;
        }
        homes = moved;
    }
    homes
}

/// The first by lot, each other by lot too, but the farther from those before, the likelier (k-means++).
fn first_centres(points: &[Vec<f32>], count: usize, chance: &mut Chance) -> Vec<Vec<f32>> {
    let mut centres: Vec<Vec<f32>> = Vec::new();
    let mut distances = vec![f64::INFINITY; points.len()];
    let mut chosen = chance.below(points.len());
    while centres.len() < count.min(points.len()) {
        centres.push(points[chosen].clone());
        for (distance, point) in distances.iter_mut().zip(points) {
            *distance = distance.min(far(point, &points[chosen]));
        }
        let whole: f64 = distances.iter().sum();
        let mut left = chance.share() * whole;
        let reached = distances.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        // Where all points are the same there is nothing to prefer.
        chosen = reached.unwrap_or(centres.len() % points.len());
    }
    centres
}

fn nearest(point: &[f32], centres: &[Vec<f32>]) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (number, centre) in centres.iter().enumerate() {
        let distance = far(point, centre);
        if distance < best.1 {
            best = (number, distance);
        }
    }
    best
}

/// An empty cluster takes the point that lies farthest from its own centre, from a cluster that can spare it.
fn fill_empty(points: &[Vec<f32>], homes: &mut [usize], centres: &[Vec<f32>]) {
    let mut sizes = vec![0_usize; centres.len()];
    homes.iter().for_each(|home| sizes[*home] += 1);
    for empty in 0..centres.len() {
        if sizes[empty] > 0 {
            continue;
        }
        let spare = (0..points.len()).filter(|place| sizes[homes[*place]] > 1);
        let distance = |place: usize| far(&points[place], &centres[homes[place]]);
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

/// Points and centres have length one, so the angle is all that parts them.
fn far(a: &[f32], b: &[f32]) -> f64 {
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
            let homes = clusters(&points, 3, &mut Chance::new(seed, "test"));
            assert_eq!(homes[0], homes[1], "{homes:?}");
            assert!(homes[2] == homes[3] && homes[3] == homes[7] && homes[4] == homes[8], "{homes:?}");
            assert!(homes[0] != homes[2] && homes[2] != homes[4] && homes[0] != homes[4], "{homes:?}");
        }
    }

    #[test]
    fn points_that_are_all_the_same_fill_every_cluster() {
        let points = vec![vec![1.0, 0.0]; 6];
        let homes = clusters(&points, 4, &mut Chance::new(1, "test"));
        assert!((0..4).all(|cluster| homes.contains(&cluster)), "{homes:?}");
        let empty = vec![vec![0.0, 0.0]; 3];
        assert_eq!(clusters(&empty, 1, &mut Chance::new(1, "test")), [0, 0, 0]);
    }
}
