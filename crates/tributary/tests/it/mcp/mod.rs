//! The tools for models, as clients see them: every tool, resource and prompt over both transports by the official
//! clients, and the door of `/mcp` by hand.

mod door;
mod official;
mod tour;
mod versions;
