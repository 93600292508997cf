//! The MCP server, as clients see it: every tool, resource and prompt over both transports with the official clients,
//! and the HTTP endpoint by hand.

mod http;
mod official_clients;
pub mod stdio;
mod versions;
mod walkthrough;
