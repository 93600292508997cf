//! Seeded random number generator with the same sequence on every machine and in every version, so that runs are
//! reproducible.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// `purpose` separates the sequences of different uses of one seed.
    pub fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a over the purpose.
        let mixed = purpose.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Self(seed ^ mixed)
    }

    /// A number in `0..count`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    /// A number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// The numbers `0..count` in random order.
    pub fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut list: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            list.swap(last, self.below(last + 1));
        }
        list
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first numbers of SplitMix64 from the state 1234567.
        let mut rng = Rng(1_234_567);
        assert_eq!(rng.next(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_are_uniform_and_in_bounds() {
        let mut rng = Rng::new(7, "test");
        let mut counts = [0; 5];
        for _ in 0..5000 {
            counts[rng.below(5)] += 1;
        }
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
        assert_eq!(rng.below(0), 0);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&rng.unit())));
        let heads = (0..1000).filter(|_| rng.coin()).count();
        assert!((400..600).contains(&heads), "{heads}");
    }

    #[test]
    fn shuffling_keeps_everything_and_depends_on_seed_and_purpose() {
        let order = |seed, purpose| Rng::new(seed, purpose).shuffled(50);
        assert_eq!(order(1, "a"), order(1, "a"));
        assert_ne!(order(1, "a"), order(2, "a"));
        assert_ne!(order(1, "a"), order(1, "b"));
        let mut sorted = order(1, "a");
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }
}
