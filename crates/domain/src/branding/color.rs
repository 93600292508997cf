//! Colors as `#rrggbb`, and their contrast.

/// Minimum contrast of text according to WCAG.
pub const CONTRAST_MIN: f64 = 4.5;
/// Background of dark pages; an accent is lightened until it is readable there.
const DARK_GROUND: Color = Color([0x1a, 0x21, 0x25]);
const WHITE: Color = Color([0xff; 3]);
/// Number of steps by which an accent is lightened for dark pages.
const LIGHTER_STEPS: u8 = 20;
/// Percentage of the background in the soft variant of an accent.
const SOFT: u8 = 90;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl Color {
    /// Parses `#rrggbb`, in upper or lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then_some(Self([part(0)?, part(2)?, part(4)?]))
    }

    /// The contrast of two colors according to WCAG: 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Contrast on light pages: on white, and on its own soft variant.
    pub fn contrast_on_light(self) -> f64 {
        self.contrast(WHITE).min(self.contrast(self.soft()))
    }

    fn contrast_on_dark(self) -> f64 {
        self.contrast(DARK_GROUND).min(self.contrast(self.soft_for_dark()))
    }

    /// The accent for dark pages: lightened just enough to be readable there.
    pub fn for_dark(self) -> Self {
        (0..=LIGHTER_STEPS)
            .map(|step| self.mixed(WHITE, step * (100 / LIGHTER_STEPS)))
            .find(|color| color.contrast_on_dark() >= CONTRAST_MIN)
            .unwrap_or(WHITE)
    }

    /// A pale variant for backgrounds of light pages.
    pub fn soft(self) -> Self {
        self.mixed(WHITE, SOFT)
    }

    /// A pale variant for backgrounds of dark pages.
    pub fn soft_for_dark(self) -> Self {
        self.mixed(DARK_GROUND, SOFT)
    }

    /// Mixes in `percent` of the other color.
    fn mixed(self, other: Self, percent: u8) -> Self {
        let part = |own: u8, other: u8| {
            let sum = u32::from(own) * u32::from(100 - percent.min(100))
                + u32::from(other) * u32::from(percent.min(100));
            u8::try_from(sum / 100).unwrap_or(u8::MAX)
        };
        Self(std::array::from_fn(|place| part(self.0[place], other.0[place])))
    }

    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Color {
        Color::parse(text).expect("a colour")
    }

    #[test]
    fn six_digits_and_nothing_else() {
        assert_eq!(color("#0F766e").to_string(), "#0f766e");
        for bad in
            ["", "#fff", "0f766e", "#0f766", "#0f766eaa", "#0f766g", "#+f766e", "red", "#ä0f76", "#0f;}a{"]
        {
            assert_eq!(Color::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn contrast_is_counted_as_wcag_does() {
        for (one, two, expected) in
            [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#0f766e", "#ffffff", 5.47)]
        {
            let found = color(one).contrast(color(two));
            assert!((found - expected).abs() < 0.01, "{one} on {two}: {found}");
        }
    }

    #[test]
    fn every_accent_can_be_read_on_dark_pages() {
        for text in ["#000000", "#0f766e", "#7c0000", "#00007c", "#ffffff"] {
            assert!(color(text).for_dark().contrast_on_dark() >= CONTRAST_MIN, "{text}");
        }
        assert_eq!(color("#3fb8a9").for_dark(), color("#3fb8a9"), "what can be read stays");
        assert!(color("#0f766e").contrast_on_light() >= CONTRAST_MIN, "so does the accent of the program");
    }
}
