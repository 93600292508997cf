//! Learned choice of sources: those that were useful to the user's similar searches are asked first.

mod chooser;
mod first_page;
mod memory;

pub(crate) use chooser::SourceChooser;
