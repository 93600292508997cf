//! What a model writes, as server-sent events, lines of JSON or one JSON text. Each dialect reads the same however the
//! bytes are cut.

use ai::dialects::{CATALOGUE, Dialect};
use domain::contracts::{ModelError, Piece};

/// Where the bytes are cut: after each, after every third, after every 64.
const CUTS: [usize; 3] = [1, 3, 64];

pub fn check(bytes: &[u8]) {
    // The frames of Bedrock have checksums, and so a target of their own.
    for kind in CATALOGUE.iter().filter(|kind| kind.name != "bedrock") {
        check_dialect(kind.name, kind.dialect, bytes);
    }
}

pub fn check_dialect(name: &str, dialect: &dyn Dialect, bytes: &[u8]) {
    let whole = read(dialect, bytes, bytes.len().max(1));
    for cut in CUTS {
        assert_eq!(read(dialect, bytes, cut), whole, "{name}, cut after every {cut} bytes");
    }
}

fn read(dialect: &dyn Dialect, bytes: &[u8], cut: usize) -> (Vec<Piece>, Result<(), ModelError>) {
    let (mut reader, mut pieces) = (dialect.pieces(), Vec::new());
    let fed = bytes.chunks(cut).try_for_each(|piece| reader.feed(piece, &mut pieces));
    let ended = fed.and_then(|()| reader.end(&mut pieces));
    (pieces, ended)
}
