//! Writers of JSON columns between two runs. Creating the context of a compressor and its memory takes as long as
//! compressing the results of several sources.

use crate::json_column::JsonWriter;
use domain::ports::StoreError;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The writers for one database that nobody uses at the moment.
pub(crate) struct IdleWriters {
    count_max: usize,
    idle: Mutex<Vec<JsonWriter>>,
}

impl IdleWriters {
    /// At most so many are kept. Each takes less than two megabytes, and usually a quarter of one.
    pub(crate) fn new(count_max: usize) -> Self {
        Self { count_max, idle: Mutex::new(Vec::with_capacity(count_max)) }
    }

    /// Lends a writer for some work, a new one if none is idle. A writer that failed is not used again.
    pub(crate) fn lend<T>(
        &self,
        new_writer: fn() -> Result<JsonWriter, StoreError>,
        work: impl FnOnce(&mut JsonWriter) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self.lock().pop();
        let mut writer = match idle {
            Some(writer) => writer,
            None => new_writer()?,
        };
        let done = work(&mut writer)?;
        writer.free_long_memory();
        let mut idle = self.lock();
        if idle.len() < self.count_max {
            idle.push(writer);
        }
        Ok(done)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<JsonWriter>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_block::json_of;
    use crate::json_column::JsonColumn;
    use testkit::builders::item;

    fn count(writers: &IdleWriters) -> usize {
        writers.lock().len()
    }

    #[test]
    fn a_writer_is_used_again_unless_it_failed() {
        let (writers, new) = (IdleWriters::new(2), JsonWriter::for_sqlite);
        for _ in 0..3 {
            writers.lend(new, |_| Ok(())).expect("done");
            assert_eq!(count(&writers), 1);
        }
        writers.lend(|| panic!("one is idle"), |_| Ok(())).expect("done");
        let failed: Result<(), _> = writers.lend(new, |_| Err(StoreError::NotFound));
        assert!(failed.is_err());
        assert_eq!(count(&writers), 0);
    }

    #[test]
    fn few_writers_are_kept() {
        let (writers, new) = (IdleWriters::new(2), JsonWriter::for_sqlite);
        let lend_twice =
            |_: &mut JsonWriter| writers.lend(new, |_| writers.lend(new, |_| Ok(count(&writers))));
        assert_eq!(writers.lend(new, lend_twice).expect("done"), 0);
        assert_eq!(count(&writers), 2, "three were used at once");
    }

    /// The memory of long results is freed, and the next ones are written as before.
    #[test]
    fn long_results_leave_no_memory_behind() {
        let (writers, new) = (IdleWriters::new(1), JsonWriter::for_sqlite);
        let write = |body: String| {
            let items = [item("one").body(body).build()];
            writers.lend(new, |writer| writer.write_items(&items)).expect("written")
        };
        let short = "The river rose by two metres in a night. ".repeat(20);
        let JsonColumn::Block(before) = write(short.clone()) else { panic!("it shrinks") };
        assert!(matches!(write(short.repeat(2_000)), JsonColumn::Block(_)));
        assert!(writers.lock().iter().all(|writer| writer.memory() < 1024 * 1024));
        let JsonColumn::Block(after) = write(short) else { panic!("it shrinks") };
        assert_eq!(json_of(&before), json_of(&after));
    }
}
