#![no_main]
use domain::notation::credentials::{SourceCredentials, session_name};
use domain::secret::Secret;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _read = SourceCredentials::parse(&Secret::new(text));
    let _name = session_name(text);
});
