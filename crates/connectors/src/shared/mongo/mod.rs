//! What the connector for MongoDB is made of: where it asks, what it asks, and what it makes of the answer.

pub mod place;
pub mod servers;
pub mod template;
pub mod terms;
pub mod values;
