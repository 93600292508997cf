//! The store suite on every database: SQLite in memory, SQLite in a file, and PostgreSQL if `SVC_TEST_POSTGRES` names
//! a server where databases may be created.

mod databases;

use databases::{on_file, on_memory, on_postgres};

macro_rules! on_every_database {
    ($($group:ident: $($behavior:ident),* $(,)?;)*) => {
        on_one_database!(sqlite_memory, on_memory, $($group: $($behavior),*;)*);
        on_one_database!(sqlite_file, on_file, $($group: $($behavior),*;)*);
        on_one_database!(postgres, on_postgres, $($group: $($behavior),*;)*);
    };
}

macro_rules! on_one_database {
    ($database:ident, $on:ident, $($group:ident: $($behavior:ident),*;)*) => {
        mod $database {
            $(mod $group {
                $(#[tokio::test]
                async fn $behavior() {
                    let behavior: crate::databases::Behavior =
                        |store| Box::pin(testkit::suites::store::$group::$behavior(store));
                    crate::$on(behavior).await;
                })*
            })*
        }
    };
}

testkit::store_behaviors!(on_every_database);
