//! The checks of the fuzz targets, one module for each target in `checks`. The test `fuzz_targets` of the program runs
//! the same checks once on the committed inputs in `corpus/`.

pub mod checks;

/// Lets a caller catch panics of libraries, as the program does when it parses foreign files and responses; a panic in
/// code of the repository still aborts the process. Call it in the `init` of a target that parses with a library.
pub fn tolerate_library_panics() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_of_library = panic.location().is_some_and(|place| place.file().contains("/registry/src/"));
        if !is_of_library {
            abort(panic);
        }
    }));
}
