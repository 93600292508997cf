//! The relevance lab behind `tributary eval`: splits a judged collection over local sources, searches it through the
//! whole service, and compares the merged results with simpler merge methods.
//!
//! | Module | Content |
//! |---|---|
//! | [`collection`] | documents, queries and judgments, read from files |
//! | [`rng`] | seeded random numbers, the same on every machine |
//! | [`split`], [`topical`], [`duplicates`] | which source holds which document |
//! | [`tokenizer`], [`ranking`] | the engines of the sources, and the central index |
//! | [`sources`] | the sources, served over HTTP |
//! | [`service`], [`client`] | the service under test, and its client |
//! | [`measure`], [`pairs`], [`significance`] | metrics |
//! | [`source_choice`] | how well sources are chosen by earlier queries |
//! | [`fusion`] | simpler merge methods for comparison |
//! | [`run`], [`setup`] | one run and its configuration |
//! | [`report`], [`table`], [`chart`], [`features`], [`compare`] | output |

pub mod chart;
pub mod client;
pub mod collection;
pub mod compare;
pub mod duplicates;
pub mod features;
pub mod fusion;
pub mod measure;
pub mod pairs;
pub mod ranking;
pub mod report;
pub mod rng;
pub mod run;
pub mod service;
pub mod setup;
pub mod significance;
pub mod source_choice;
pub mod sources;
pub mod split;
pub mod table;
pub mod tokenizer;
pub mod topical;
