//! Query processors: they rewrite a query before federation, or for one provider.

mod adaptive;
mod gen_ai;
mod generic;
mod no_mod;
mod remove_pii;
mod spellcheck;

use domain::ports::QueryProcessorKind;

/// All query processors, in the order of the manual.
pub const CATALOGUE: &[QueryProcessorKind] =
    &[adaptive::KIND, no_mod::KIND, generic::KIND, spellcheck::KIND, remove_pii::KIND, gen_ai::KIND];
