//! A curl command or an address, as people paste it.

use federation::doctor::Case;

pub fn check(bytes: &[u8]) {
    let _read = Case::request_of(super::text(bytes));
}
