//! Prompt injections in texts of sources, and the replies of a model that obeys them.
//!
//! Each is a row of one table: what a source says, and the reply of a gullible model. Tests put the texts into results
//! and the replies into a model, and check the output of the service with [`openings`].

mod injection;
mod openings;
mod table;

pub use injection::{CANARY, CANARY_TEXT, EVIL_HOST, Injection, LIE};
pub use openings::openings;
pub use table::INJECTIONS;

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
