//! Model responses: server-sent events, JSON lines or one JSON document. Every decoder must return the same chunks
//! however the bytes are cut.

use ai::apis::{MODEL_APIS, ModelApi};
use domain::ports::{CompletionChunk, ModelError};

/// The bytes are split into pieces of these sizes.
const CUTS: [usize; 3] = [1, 3, 64];

pub fn check(bytes: &[u8]) {
    // Bedrock's frames have checksums, and therefore their own target.
    for kind in MODEL_APIS.iter().filter(|kind| kind.name != "bedrock") {
        check_api(kind.name, kind.api, bytes);
    }
}

pub fn check_api(name: &str, api: &dyn ModelApi, bytes: &[u8]) {
    let whole = read(api, bytes, bytes.len().max(1));
    for cut in CUTS {
        assert_eq!(read(api, bytes, cut), whole, "{name}, cut after every {cut} bytes");
    }
}

fn read(api: &dyn ModelApi, bytes: &[u8], cut: usize) -> (Vec<CompletionChunk>, Result<(), ModelError>) {
    let (mut decoder, mut chunks) = (api.decoder(), Vec::new());
    let fed = bytes.chunks(cut).try_for_each(|part| decoder.feed(part, &mut chunks));
    let ended = fed.and_then(|()| decoder.end(&mut chunks));
    (chunks, ended)
}
