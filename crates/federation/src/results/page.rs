//! Position of a page in a list.

/// Range of a page, and its neighbors.
pub(super) struct Page {
    pub range: std::ops::Range<usize>,
    pub next: Option<u32>,
    pub previous: Option<u32>,
    pub is_past_end: bool,
}

impl Page {
    pub(super) fn of(number: u32, size: usize, total: usize) -> Self {
        let number = number.max(1);
        let start = (number as usize - 1).saturating_mul(size);
        let end = start.saturating_add(size);
        Self {
            range: start.min(total)..end.min(total),
            next: (end < total).then(|| number + 1),
            previous: (number > 1).then(|| number - 1),
            is_past_end: start > total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_list() {
        let cases = [
            (1, 10, 25, 0..10, Some(2), None, false),
            (3, 10, 25, 20..25, None, Some(2), false),
            (2, 10, 10, 10..10, None, Some(1), false),
            (3, 10, 10, 10..10, None, Some(2), true),
            (0, 10, 5, 0..5, None, None, false),
            (u32::MAX, 1000, 5, 5..5, None, Some(u32::MAX - 1), true),
        ];
        for (number, size, total, range, next, previous, is_past_end) in cases {
            let page = Page::of(number, size, total);
            assert_eq!(
                (page.range, page.next, page.previous, page.is_past_end),
                (range, next, previous, is_past_end)
            );
        }
    }
}
