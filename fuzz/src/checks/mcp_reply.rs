//! A response of an MCP server, as an event stream and as JSON. The result does not depend on how the bytes are split.

use connectors::fuzzing::McpReply;
use domain::ports::HttpResponse;
use serde_json::Value;

const REQUEST: u64 = 2;

pub fn check(bytes: &[u8]) {
    for media_type in ["text/event-stream", "application/json"] {
        let whole = read(media_type, bytes, bytes.len().max(1));
        for cut in [1, 3, 64] {
            assert_eq!(read(media_type, bytes, cut), whole, "{media_type}, cut after every {cut} bytes");
        }
    }
}

fn read(media_type: &str, bytes: &[u8], cut: usize) -> Result<Value, String> {
    let headers = vec![("content-type".to_owned(), media_type.to_owned())];
    let mut reply = McpReply::new(HttpResponse { status: 200, headers, body: Default::default() });
    let mut is_held = false;
    for piece in bytes.chunks(cut) {
        reply.add(piece).map_err(|error| error.to_string())?;
        is_held |= reply.holds(REQUEST);
        assert!(reply.bytes_held() <= bytes.len());
    }
    let result = reply.result(REQUEST).map_err(|error| format!("{:?}: {error}", error.kind));
    assert!(
        !is_held || result.as_ref().is_ok() || result.as_ref().is_err_and(|told| told.contains("reports"))
    );
    result
}
