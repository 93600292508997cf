//! Fake internal service that takes `{messages}` and replies in one piece, with no vendor's conventions but the shape
//! of its response.

use super::openai::{check_messages, completion};
use super::{KEY, ModelRequest, Refusal, Reply, Vendor, Wanted, Wire};
use serde_json::{Value, json};

/// Served at `/ask` with `X-Own-Key`.
pub struct RequestPost;

impl Vendor for RequestPost {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        if request.header("x-own-key") != Some(KEY) {
            return Err(Refusal::new(403, "who are you?"));
        }
        request.check_form()?;
        if request.path != "/ask" {
            return Err(Refusal::new(404, "not here"));
        }
        check_messages(&request.body["messages"])?;
        Ok(Wanted::Text { streamed: false })
    }

    fn write(&self, _request: &ModelRequest, reply: &Reply, _streamed: bool) -> Wire {
        Wire::whole(&completion("own", reply))
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        json!({"detail": refusal.message})
    }
}
