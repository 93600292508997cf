//! Transformation matrices of PDF.

/// `[a b c d e f]`, as in the format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matrix(pub [f32; 6]);

impl Matrix {
    pub const UNIT: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub fn moved(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This transformation, then `outer`.
    pub fn then(self, outer: Self) -> Self {
        let ([a, b, c, d, e, f], [oa, ob, oc, od, oe, of]) = (self.0, outer.0);
        Self([
            a * oa + b * oc,
            a * ob + b * od,
            c * oa + d * oc,
            c * ob + d * od,
            e * oa + f * oc + oe,
            e * ob + f * od + of,
        ])
    }

    pub fn place(self) -> (f32, f32) {
        (self.0[4], self.0[5])
    }

    /// The scale factor.
    pub fn scale(self) -> f32 {
        let [a, b, c, d, ..] = self.0;
        (a * d - b * c).abs().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_scales_are_combined() {
        let doubled = Matrix([2.0, 0.0, 0.0, 2.0, 10.0, 20.0]);
        assert_eq!(Matrix::moved(3.0, 4.0).then(doubled).place(), (16.0, 28.0));
        assert_eq!(doubled.then(doubled).scale(), 4.0);
        assert_eq!(Matrix::UNIT.then(doubled), doubled);
    }
}
