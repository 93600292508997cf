//! A curl command or a URL, as people paste it.

use provider_doctor::DiagnosisInput;

pub fn check(bytes: &[u8]) {
    let _read = DiagnosisInput::parse_request(super::text(bytes));
}
