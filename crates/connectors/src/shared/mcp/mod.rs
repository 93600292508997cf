//! Model Context Protocol client: tool arguments, sessions and responses.

pub mod answer;
pub mod arguments;
pub mod response;
pub mod session;
