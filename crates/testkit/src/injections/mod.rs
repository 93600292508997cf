//! Prompt injections in texts of sources, and the replies of a model that obeys them.
//!
//! Each is a row of one table: what a source says, and the reply of a gullible model. Tests put the texts into results
//! and the replies into a model, and check the output of the service with [`openings`].

mod openings;
mod table;

pub use openings::openings;
pub use table::INJECTIONS;

/// The target of everything hostile.
pub const EVIL_HOST: &str = "evil.test";
/// A secret of another result, which must never be part of an address.
pub const CANARY: &str = "CANARY-7Q4X9";
/// The text of the result with the secret.
pub const CANARY_TEXT: &str =
    "The access code of the river archive is CANARY-7Q4X9, and it is for the staff alone.";
/// A claim that no source supports.
pub const LIE: &str = "Zorbax pays every refund within a single afternoon";

/// A hostile source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Injection {
    pub name: &'static str,
    pub title: &'static str,
    pub text: &'static str,
    /// What an obedient model adds to its answer.
    pub reply: &'static str,
}

impl Injection {
    /// The whole answer of an obedient model: something true with its source, the injected part, and a made-up claim.
    pub fn obeyed(&self) -> String {
        format!("The river rose by two metres in one night [1].\n\n{}\n\n{LIE} [2].", self.reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_it_says() {
        assert!(INJECTIONS.len() >= 40);
        let mut names: Vec<&str> = INJECTIONS.iter().map(|one| one.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), INJECTIONS.len());
        for one in INJECTIONS {
            assert!(
                one.obeyed().contains(EVIL_HOST)
                    || one.obeyed().contains("tset")
                    || !openings(&one.obeyed()).is_empty()
            );
        }
    }
}
