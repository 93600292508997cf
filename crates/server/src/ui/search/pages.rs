//! Links to the pages of a list.

use serde::Serialize;

/// Linked pages on each side of the current one.
const NEIGHBOURS: u32 = 2;

#[derive(Debug, PartialEq, Serialize)]
pub struct PageLink {
    /// 0 for a gap.
    number: u32,
    href: String,
    is_current: bool,
}

/// The first page, those around the current one, and the last; gaps have the number 0.
pub fn page_links(current: u32, last: u32, href: impl Fn(u32) -> String) -> Vec<PageLink> {
    if last < 2 {
        return Vec::new();
    }
    let near = current.saturating_sub(NEIGHBOURS).max(1)..=current.saturating_add(NEIGHBOURS).min(last);
    let mut numbers: Vec<u32> = std::iter::once(1).chain(near).chain([last]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut links = Vec::new();
    let mut before = 0;
    for number in numbers {
        if number > before + 1 {
            links.push(PageLink { number: 0, href: String::new(), is_current: false });
        }
        links.push(PageLink { number, href: href(number), is_current: number == current });
        before = number;
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_pages() {
        let table = [
            (1, 1, ""),
            (1, 2, "[1] 2"),
            (2, 3, "1 [2] 3"),
            (1, 9, "[1] 2 3 … 9"),
            (5, 9, "1 … 3 4 [5] 6 7 … 9"),
            (9, 9, "1 … 7 8 [9]"),
            (40, 3, "1 … 3"),
        ];
        for (current, last, expected) in table {
            let links = page_links(current, last, |page| page.to_string());
            let shown: Vec<String> = links
                .iter()
                .map(|link| match (link.number, link.is_current) {
                    (0, _) => "…".to_owned(),
                    (number, true) => format!("[{number}]"),
                    (number, false) => number.to_string(),
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{current} of {last}");
        }
    }
}
