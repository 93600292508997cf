//! Callgrind's profile of a process: the number of instructions, and calls of some functions.

use anyhow::Context;
use std::collections::HashMap;

/// Functions that return a new block: those of mimalloc, which Rust code uses, and of the C library, which SQLite uses.
const ALLOCATE: [&str; 7] =
    ["mi_malloc", "mi_malloc_aligned", "mi_zalloc", "mi_zalloc_aligned", "mi_calloc", "malloc", "calloc"];
/// Functions that resize a block.
const REALLOCATE: [&str; 3] = ["mi_realloc", "mi_realloc_aligned", "realloc"];
/// SQLite's function that compiles a prepared statement again.
const REPREPARE: &str = "sqlite3Reprepare";

#[derive(Debug, PartialEq)]
pub(super) struct Profile {
    pub instructions: u64,
    /// `None` if the program has no symbols: then callgrind does not know the functions.
    pub calls: Option<Calls>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Calls {
    pub allocations: u64,
    pub reallocations: u64,
    pub reprepared_statements: u64,
}

impl Profile {
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let instructions = total(text).context("callgrind wrote counts without a total")?;
        let calls = Calls::parse(text);
        // No program works without allocations.
        Ok(Self { instructions, calls: (calls.allocations > 0).then_some(calls) })
    }
}

impl Calls {
    /// The profile lists, for each function (`fn=`), the functions that it called (`cfn=`), how often (`calls=`).
    fn parse(text: &str) -> Self {
        let (mut calls, mut names) = (Self::default(), Names::default());
        let (mut caller, mut callee) = ("", "");
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                caller = names.resolve(name);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                callee = names.resolve(name);
            } else if let Some(rest) = line.strip_prefix("calls=") {
                let count = rest.split_whitespace().next().and_then(|count| count.parse().ok());
                calls.add(caller, callee, count.unwrap_or(0));
            }
        }
        calls
    }

    fn add(&mut self, caller: &str, callee: &str, count: u64) {
        // Functions of an allocator call each other.
        let is_inside = is_of_allocator(caller);
        if callee == REPREPARE {
            self.reprepared_statements += count;
        } else if ALLOCATE.contains(&callee) && !is_inside {
            self.allocations += count;
        } else if REALLOCATE.contains(&callee) && !is_inside {
            self.reallocations += count;
        }
    }
}

fn is_of_allocator(name: &str) -> bool {
    name.trim_start_matches('_').starts_with("mi_") || ALLOCATE.contains(&name) || REALLOCATE.contains(&name)
}

/// Names of functions by number: the profile has a name only where its number is first used.
#[derive(Default)]
struct Names<'a>(HashMap<&'a str, &'a str>);

impl<'a> Names<'a> {
    /// Resolves `(12) name` and `(12)`.
    fn resolve(&mut self, text: &'a str) -> &'a str {
        match text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((number, "")) => self.0.get(number).copied().unwrap_or_default(),
            Some((number, name)) => {
                let name = plain_name(name.trim_start());
                self.0.insert(number, name);
                name
            }
            None => plain_name(text),
        }
    }
}

/// Removes what the compiler appends to a copy of a C function, such as `.constprop.0`. The part of a function that is
/// hardly ever run (`.cold`) is not a function that anybody calls, and keeps its name.
fn plain_name(name: &str) -> &str {
    match name.split_once('.') {
        Some((plain, suffix)) if !suffix.starts_with("cold") => plain,
        _ => name,
    }
}

/// Parses the total of a profile.
fn total(profile: &str) -> Option<u64> {
    let line = profile.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "version: 1\nevents: Ir\nsummary: 99\n\n\
        fn=(1) store::search\n3 40\n\
        cfn=(2) mi_malloc_aligned\ncalls=7 0\n3 100\n\
        cfn=(3) mi_realloc_aligned\ncalls=2 0\n+1 100\n\
        cfn=(4) sqlite3_step\ncalls=5 0\n+1 100\n\n\
        fn=(2)\n10 5\n\
        cfn=(5) mi_malloc\ncalls=7 0\n10 5\n\n\
        fn=(3)\n10 5\n\
        cfn=(2)\ncalls=1 0\n10 5\n\
        cfn=(6) _mi_malloc_generic\ncalls=1 0\n10 5\n\n\
        fn=(7) sqlite3MemMalloc\n1 1\n\
        cfn=(8) malloc\ncalls=4 0\n1 1\n\n\
        fn=(4)\n1 1\n\
        cfn=(9) sqlite3Reprepare.isra.0\ncalls=3 0\n1 1\n\
        cfn=(10) sqlite3Reprepare.cold\ncalls=9 0\n1 1\n\n\
        totals: 123456789\n";

    #[test]
    fn calls_inside_the_allocator_are_not_counted() {
        let calls = Calls { allocations: 11, reallocations: 2, reprepared_statements: 3 };
        let expected = Profile { instructions: 123_456_789, calls: Some(calls) };
        assert_eq!(Profile::parse(SAMPLE).unwrap(), expected);
    }

    #[test]
    fn names_without_numbers_are_read_too() {
        let text = "fn=main\n1 1\ncfn=mi_zalloc_aligned\ncalls=6 0\n1 1\ntotals: 5\n";
        let calls = Calls { allocations: 6, ..Calls::default() };
        assert_eq!(Profile::parse(text).unwrap(), Profile { instructions: 5, calls: Some(calls) });
    }

    #[test]
    fn a_program_without_symbols_has_only_instructions() {
        let text = "fn=(1) 0x0000000000401000\n1 1\ncfn=(2) 0x00000000004020\ncalls=6 0\n1 1\ntotals: 5\n";
        assert_eq!(Profile::parse(text).unwrap(), Profile { instructions: 5, calls: None });
    }

    #[test]
    fn a_profile_has_a_total() {
        assert!(Profile::parse("version: 1\n").is_err());
        assert!(Profile::parse("totals: many\n").is_err());
    }
}
