//! The figures of the README, with goal and method.

/// A limit of a measured value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Bound {
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }
}

#[derive(Debug)]
pub struct Figure {
    /// Its name in `docs/figures.json`.
    pub id: &'static str,
    pub title: &'static str,
    /// Empty for a ratio.
    pub unit: &'static str,
    pub decimals: usize,
    /// The goal.
    pub goal: Option<Bound>,
    /// The hard limit, if the goal is not reached yet or there is none.
    pub limit: Option<Bound>,
    pub method: &'static str,
}

impl Figure {
    /// The bound that the recorded value must satisfy.
    pub fn bound(&self) -> Option<Bound> {
        self.limit.or(self.goal)
    }
}

const BENCH: &str = "`tributary bench --searches 1000`, undisturbed";
const COUNTS: &str = "`tributary bench --instructions`";
const GROWTH: &str = "`tributary bench --growth`, undisturbed";
const POSTGRES: &str = "`tributary bench --searches 300 --database-url`, undisturbed, the server on the \
                        same two cores, with its default settings";
const EVAL: &str = "`tributary eval --split topical --overlap 0.3 --unlike`: mean of cranfield, cisi, medline and \
                    cacm, seeds 1 to 3";
const VECTORS: &str = "`cargo bench -p store --bench vectors`, the worst of its cases";

/// In the order of the README.
pub const FIGURES: &[Figure] = &[
    Figure {
        id: "build_wall",
        title: "cold release build on two idle cores",
        unit: "min",
        decimals: 1,
        goal: Some(Bound::AtMost(10.0)),
        limit: None,
        method: "`cargo build --release` into an empty target folder",
    },
    Figure {
        id: "build_cpu",
        title: "CPU time of the cold release build",
        unit: "min",
        decimals: 1,
        goal: Some(Bound::AtMost(18.0)),
        limit: None,
        method: "`cargo build --release` into an empty target folder",
    },
    Figure {
        id: "program_size",
        title: "size of the program with all embedded files",
        unit: "MB",
        decimals: 1,
        goal: Some(Bound::AtMost(60.0)),
        limit: None,
        method: "`cargo build --release` into an empty target folder",
    },
    Figure {
        id: "added_median",
        title: "time that a search adds to ten sources that respond in 100 ms, median",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(5.0)),
        limit: Some(Bound::AtMost(25.0)),
        method: BENCH,
    },
    Figure {
        id: "added_p95",
        title: "time that a search adds to ten sources that respond in 100 ms, 95th percentile",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(12.0)),
        limit: Some(Bound::AtMost(60.0)),
        method: BENCH,
    },
    Figure {
        id: "search_cpu",
        title: "CPU time of the service for such a search",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(7.0)),
        limit: Some(Bound::AtMost(35.0)),
        method: BENCH,
    },
    Figure {
        id: "search_instructions",
        title: "user-space instructions of the service for such a search",
        unit: "million",
        decimals: 1,
        goal: Some(Bound::AtMost(20.0)),
        limit: Some(Bound::AtMost(90.0)),
        method: COUNTS,
    },
    Figure {
        id: "search_allocations",
        title: "allocations of the service for such a search",
        unit: "",
        decimals: 0,
        goal: Some(Bound::AtMost(12_000.0)),
        limit: Some(Bound::AtMost(60_000.0)),
        method: COUNTS,
    },
    Figure {
        id: "search_statements",
        title: "calls of the database for such a search, without `BEGIN` and `COMMIT`; a batch is one call",
        unit: "",
        decimals: 1,
        goal: None,
        limit: Some(Bound::AtMost(40.0)),
        method: COUNTS,
    },
    Figure {
        id: "search_reprepared",
        title: "prepared statements that SQLite compiles again for such a search",
        unit: "",
        decimals: 1,
        goal: Some(Bound::AtMost(0.0)),
        limit: None,
        method: COUNTS,
    },
    Figure {
        id: "search_context_switches",
        title: "context switches of the service for such a search",
        unit: "",
        decimals: 0,
        goal: Some(Bound::AtMost(80.0)),
        limit: Some(Bound::AtMost(400.0)),
        method: COUNTS,
    },
    Figure {
        id: "memory_peak",
        title: "peak memory of the service during 1,000 such searches (RSS)",
        unit: "MB",
        decimals: 0,
        goal: None,
        limit: Some(Bound::AtMost(300.0)),
        method: BENCH,
    },
    Figure {
        id: "memory_after",
        title: "memory of the service after 1,000 such searches (PSS)",
        unit: "MB",
        decimals: 0,
        goal: Some(Bound::AtMost(80.0)),
        limit: Some(Bound::AtMost(250.0)),
        method: BENCH,
    },
    Figure {
        id: "added_hundred_sources",
        title: "time that a search adds to 100 sources of 10 results each, median",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(35.0)),
        limit: Some(Bound::AtMost(160.0)),
        method: GROWTH,
    },
    Figure {
        id: "added_thousand_results",
        title: "time that a search adds to 10 sources of 100 results each, median",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(25.0)),
        limit: Some(Bound::AtMost(160.0)),
        method: GROWTH,
    },
    Figure {
        id: "search_disk",
        title: "disk space of a search of 10 sources of 10 results each (SQLite)",
        unit: "kB",
        decimals: 0,
        goal: Some(Bound::AtMost(60.0)),
        limit: Some(Bound::AtMost(250.0)),
        method: GROWTH,
    },
    Figure {
        id: "added_postgres",
        title: "time that a search adds to ten sources that respond in 100 ms, median, PostgreSQL",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(9.0)),
        limit: Some(Bound::AtMost(60.0)),
        method: POSTGRES,
    },
    Figure {
        id: "added_postgres_nats",
        title: "time that a search adds to ten sources that respond in 100 ms, median, PostgreSQL and NATS",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(9.0)),
        limit: Some(Bound::AtMost(60.0)),
        method: "`tributary bench --searches 300 --database-url --queue-url`, undisturbed, the servers \
                 on the same two cores, with their default settings",
    },
    Figure {
        id: "search_disk_postgres",
        title: "disk space of a search of 10 sources of 10 results each (PostgreSQL)",
        unit: "kB",
        decimals: 0,
        goal: None,
        limit: Some(Bound::AtMost(400.0)),
        method: POSTGRES,
    },
    Figure {
        id: "searches_per_second",
        title: "searches per second with 64 clients, which share two cores with the service and its sources",
        unit: "",
        decimals: 0,
        goal: Some(Bound::AtLeast(250.0)),
        limit: Some(Bound::AtLeast(30.0)),
        method: "`tributary bench --clients 64`, undisturbed",
    },
    Figure {
        id: "hanging_ratio",
        title: "time of a search with a hanging source (circuit breaker open), relative to one without it",
        unit: "",
        decimals: 2,
        goal: None,
        limit: Some(Bound::AtMost(1.1)),
        method: "`tributary bench --hanging`, undisturbed",
    },
    Figure {
        id: "ranking_thousand",
        title: "1,000 results ranked and de-duplicated on one core",
        unit: "ms",
        decimals: 1,
        goal: Some(Bound::AtMost(10.0)),
        limit: Some(Bound::AtMost(60.0)),
        method: "`cargo bench -p processors`, the best of 25 rounds",
    },
    Figure {
        id: "ranking_growth",
        title: "time to rank 10,000 results, relative to the time for 1,000",
        unit: "",
        decimals: 1,
        goal: Some(Bound::AtMost(12.0)),
        limit: None,
        method: "`cargo bench -p processors`, the best of 25 rounds",
    },
    Figure {
        id: "merged_ratio",
        title: "nDCG@10 of the merged list of ten dissimilar sources, relative to a central BM25 index",
        unit: "",
        decimals: 2,
        goal: Some(Bound::AtLeast(0.97)),
        limit: None,
        method: EVAL,
    },
    Figure {
        id: "round_robin_ratio",
        title: "nDCG@10 of a round-robin list of these sources, relative to a central BM25 index",
        unit: "",
        decimals: 2,
        goal: None,
        limit: None,
        method: EVAL,
    },
    Figure {
        id: "vectors_cpu",
        title: "CPU time of one query over 100,000 cached passages",
        unit: "ms",
        decimals: 1,
        goal: None,
        limit: Some(Bound::AtMost(10.0)),
        method: VECTORS,
    },
    Figure {
        id: "vectors_recall",
        title: "recall@10 of a query over 100,000 cached passages",
        unit: "",
        decimals: 3,
        goal: None,
        limit: Some(Bound::AtLeast(0.99)),
        method: VECTORS,
    },
];
