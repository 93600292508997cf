//! The query in the first line, the rules of a Query Transform in the others. The result never exceeds the limit.

use domain::query_transform::{OUTPUT_CHARS_MAX, Rules, TransformType};

pub fn check(bytes: &[u8]) {
    let (query, csv) = super::text(bytes).split_once('\n').unwrap_or_default();
    for kind in TransformType::ALL {
        if let Ok(rules) = Rules::parse(kind, csv) {
            let length = rules.apply(query).query.chars().count();
            assert!(length <= OUTPUT_CHARS_MAX.max(query.chars().count()));
        }
    }
}
