//! Public Suffix List lookup. `scripts/update_public_suffixes.py` writes the rules. They are data and not code,
//! because compiling them dominated the build time of this crate.

use std::sync::LazyLock;

/// `name`, `*.name` for all names one label below it, or `!name` for an exception. Sorted.
static RULES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    include_str!("../../data/public-suffixes.txt").lines().filter(|line| !line.starts_with('#')).collect()
});

/// The public suffix and one label. None for a public suffix itself. The domain must be lowercase and in ASCII form.
pub fn registrable(domain: &str) -> Option<&str> {
    let suffix = public_suffix(domain);
    let label_end = domain.len().checked_sub(suffix.len() + 1)?;
    let start = domain[..label_end].rfind('.').map_or(0, |dot| dot + 1);
    Some(&domain[start..]).filter(|_| start < label_end)
}

/// By the rule with the most labels. Without a rule it is the last label.
fn public_suffix(domain: &str) -> &str {
    let mut name = domain;
    loop {
        let below = name.split_once('.').map(|(_, below)| below);
        if has(&format!("!{name}")) {
            return below.unwrap_or(name);
        }
        if has(name) || below.is_none_or(|below| has(&format!("*.{below}"))) {
            return name;
        }
        name = below.unwrap_or(name);
    }
}

fn has(rule: &str) -> bool {
    RULES.binary_search(&rule).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_registrable_domain_is_one_label_below_a_public_suffix() {
        let table = [
            ("", ""),
            ("com", ""),
            (".com", ""),
            ("a.com", "a.com"),
            ("c.b.a.com", "a.com"),
            ("uk.com", ""),
            ("b.a.uk.com", "a.uk.com"),
            // Not in the list.
            ("intranet", ""),
            ("b.a.intranet", "a.intranet"),
            // A wildcard rule.
            ("mm", ""),
            ("a.mm", ""),
            ("c.b.a.mm", "b.a.mm"),
            // A wildcard rule with an exception.
            ("a.kobe.jp", ""),
            ("c.b.a.kobe.jp", "b.a.kobe.jp"),
            ("city.kobe.jp", "city.kobe.jp"),
            ("a.city.kobe.jp", "city.kobe.jp"),
            ("www.ck", "www.ck"),
            ("www.www.ck", "www.ck"),
            // Several levels, and private registries.
            ("k12.ak.us", ""),
            ("b.a.k12.ak.us", "a.k12.ak.us"),
            ("a.github.io", "a.github.io"),
            // Internationalized names.
            ("xn--55qx5d.cn", ""),
            ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
            ("b.xn--85x722f.xn--fiqs8s", "xn--85x722f.xn--fiqs8s"),
        ];
        for (domain, expected) in table {
            assert_eq!(registrable(domain).unwrap_or_default(), expected, "{domain}");
        }
    }

    #[test]
    fn rules_are_sorted_and_as_dns_has_them() {
        assert!(RULES.len() > 5_000 && RULES.is_sorted());
        let is_plain = |rule: &&str| {
            let name = rule.trim_start_matches('!').trim_start_matches("*.");
            !name.is_empty()
                && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.'))
        };
        assert_eq!(RULES.iter().find(|rule| !is_plain(rule)), None);
    }

    proptest! {
        #[test]
        fn it_is_an_end_of_the_domain(domain in "\\PC{0,20}|([a-c]{0,2}\\.){0,5}(com|ck|kobe\\.jp|)") {
            if let Some(found) = registrable(&domain) {
                prop_assert!(domain.ends_with(found) && found.contains('.'));
            }
        }
    }
}
