//! An election among the versions of a document: thresholds, factors and weights in, ranks and reasons out. A pure
//! function.
//!
//! All inputs are rounded to six digits before use and stored with the members, so that the stored inputs reproduce
//! the
//! exact outcome.
//!
//! | Module | Contents |
//! |---|---|
//! | `candidate` | a version in an election |
//! | `outcome` | scores, ranks and the winner |
//! | `rounding` | rounding to six digits |
//! | `factors` | the seven factors of a version |
//! | `format` | the format of a version |
//! | `naming` | version information in names |
//! | `thresholds` | which versions are eligible |
//! | `replay` | repeats an election from stored inputs |

mod candidate;
mod factors;
mod format;
mod naming;
mod outcome;
mod replay;
mod rounding;
mod thresholds;

pub use factors::{Facts, candidates};
pub use outcome::{Election, contributions, run_election};
pub use replay::replay;
pub use rounding::exact;
