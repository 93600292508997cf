//! The store suite on every database: SQLite in memory, SQLite in a file, and PostgreSQL if `SVC_TEST_POSTGRES` names
//! a server where databases may be created.

mod databases;

use databases::{on_file, on_memory, on_postgres};

macro_rules! on_every_database {
    ($($group:ident: $($behaviour:ident),* $(,)?;)*) => {
        on_one_database!(sqlite_memory, on_memory, $($group: $($behaviour),*;)*);
        on_one_database!(sqlite_file, on_file, $($group: $($behaviour),*;)*);
        on_one_database!(postgres, on_postgres, $($group: $($behaviour),*;)*);
    };
}

macro_rules! on_one_database {
    ($database:ident, $on:ident, $($group:ident: $($behaviour:ident),*;)*) => {
        mod $database {
            $(mod $group {
                $(#[tokio::test]
                async fn $behaviour() {
                    let behaviour: crate::databases::Behaviour =
                        |store| Box::pin(testkit::suites::store::$group::$behaviour(store));
                    crate::$on(behaviour).await;
                })*
            })*
        }
    };
}

testkit::store_behaviours!(on_every_database);
