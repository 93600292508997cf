//! Dates as sources write them.

use syntax::dates::normalize_date;

pub fn check(bytes: &[u8]) {
    let once = normalize_date(super::text(bytes));
    assert_eq!(normalize_date(&once), once, "a normalized date stays as it is");
}
