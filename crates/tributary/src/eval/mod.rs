//! The relevance lab behind `tributary eval`: a judged collection, split over local sources, is asked through the
//! whole service, and what comes back is measured beside simpler ways to merge.
//!
//! | Module | What lives there |
//! |---|---|
//! | [`collection`] | documents, queries and judgements, read from files |
//! | [`chance`] | chance from a seed, the same on every machine |
//! | [`split`], [`topical`], [`copies`] | which source holds which document |
//! | [`words`], [`ranking`] | the sources' own engines, and the central index |
//! | [`sources`] | the sources, answering over HTTP |
//! | [`service`], [`client`] | the service under test, and how it is asked |
//! | [`measure`], [`pairs`], [`significance`] | what is measured |
//! | [`fusion`] | simpler ways to merge, to compare with |
//! | [`run`], [`setup`] | one run, and how it is set up |
//! | [`report`], [`table`], [`chart`], [`features`], [`compare`] | what people and programs read |

pub mod chance;
pub mod chart;
pub mod client;
pub mod collection;
pub mod compare;
pub mod copies;
pub mod features;
pub mod fusion;
pub mod measure;
pub mod pairs;
pub mod ranking;
pub mod report;
pub mod run;
pub mod service;
pub mod setup;
pub mod significance;
pub mod sources;
pub mod split;
pub mod table;
pub mod topical;
pub mod words;
