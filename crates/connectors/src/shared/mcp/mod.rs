//! A server that speaks the Model Context Protocol: what its tool is given, how it is called, what it answers.

pub mod answer;
pub mod arguments;
pub mod exchange;
pub mod reply;
