//! Cost and recall of a query on the vectors in memory: 100,000 chunks of 256 dimensions, loaded from the records.
//! `cargo bench -p store --bench vectors` prints the figures of `docs/cache.md`.

#![expect(
    clippy::expect_used,
    clippy::disallowed_macros,
    reason = "a bench talks to people, and fails loudly"
)]

use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{SignalStore, SparseVector, Store, VectorHit, VectorQuery, VectorStore};
use domain::secret::Secret;
use relevancy::embedder;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use store::vectors::MemoryVectors;
use store::{EncryptionKey, SqlStore, StoreConfig};
use testkit::suites::vector_store::{Piece, RecordsBackend, VectorBackend, words};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PIECES: usize = 100_000;
const PIECES_PER_DOCUMENT: usize = 20;
const DIMENSION: usize = 256;
/// Topic directions, and the spread around them: the cosine of a chunk with its topic is about 0.7.
const TOPICS: usize = 500;
const SPREAD: f32 = 1.0;
const QUESTIONS: usize = 200;
/// As in the cache.
const LIMIT: usize = 60;
const BEST: usize = 10;
/// Words of a chunk of real text, and the step to the next.
const WINDOW_WORDS: usize = 40;
const WINDOW_STEP: usize = 8;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
        if let (Some("--read"), Some(url)) = (arguments.next().as_deref(), arguments.next()) {
            return read(url).await;
        }
        let mut numbers = Numbers(9);
        let topics: Vec<Vec<f32>> = (0..TOPICS).map(|_| numbers.vector()).collect();
        let pieces: Vec<Piece> = (0..PIECES).map(|_| (numbers.near(&topics), numbers.text())).collect();
        let questions = (0..QUESTIONS).map(|_| (numbers.near(&topics), numbers.text())).collect();
        report("made-up topics", pieces, questions).await;
        match real() {
            Some((pieces, questions)) => report("real texts", pieces, questions).await,
            None => println!("real texts: they are not here"),
        }
    });
}

async fn open(url: &str) -> Arc<SqlStore> {
    let key = EncryptionKey::from_secret(&Secret::new("a bench"));
    let config = StoreConfig { url: Secret::new(url), pool_max: 4, key };
    Arc::new(SqlStore::open(config).await.expect("a database"))
}

/// Loads everything in a separate process, so that its memory is that of the vectors.
async fn read(url: String) {
    let store = open(&url).await;
    let (memory, started, cpu) = (resident_mb(), Instant::now(), cpu_ms());
    let vectors = MemoryVectors::new(Arc::clone(&store) as Arc<dyn SignalStore>, words);
    let state = vectors.state().await.expect("read");
    println!(
        "  {}: read in {:.1} s ({:.1} s CPU), {:.0} MB",
        if state.is_hybrid { "vectors and words" } else { "vectors" },
        started.elapsed().as_secs_f64(),
        (cpu_ms() - cpu) / 1e3,
        resident_mb() - memory,
    );
    store.close().await;
}

async fn report(name: &str, pieces: Vec<Piece>, questions: Vec<Piece>) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = open(&url).await;
    let vectors = || MemoryVectors::new(Arc::clone(&store) as Arc<dyn SignalStore>, words);
    let backend = RecordsBackend::new(Arc::clone(&store) as Arc<dyn Store>, Arc::new(vectors())).await;
    let (all, half) = (backend.person(0), backend.person(1));
    let mut exact = Vec::new();
    for (document, pieces) in pieces.chunks(PIECES_PER_DOCUMENT).enumerate() {
        let acl: &[AclToken] = if document % 2 == 0 { &[all, half] } else { &[all] };
        let signal = backend.keep(None, acl, pieces).await;
        let pieces = pieces.iter().enumerate();
        exact.extend(pieces.map(|(number, (vector, _))| (signal, number as u32, document % 2 == 0, vector)));
    }
    println!("{name}: {} pieces, {} questions", pieces.len(), questions.len());

    for is_hybrid in [false, true] {
        if is_hybrid {
            backend.vectors().make_hybrid().await.expect("hybrid");
        }
        let program = std::env::current_exe().expect("this program");
        let output = std::process::Command::new(program).args(["--read", &url]).output().expect("it runs");
        print!("{}", String::from_utf8_lossy(&output.stdout));
        let vectors = vectors();
        vectors.state().await.expect("read");
        for (asker, token) in [("everything", all), ("half of it", half)] {
            let (cost, hits) = ask(&vectors, token, &questions).await;
            let recall = recall(&exact, token == half, &questions, &hits);
            println!("    who may see {asker}: {cost:.1} ms CPU, recall@{BEST} {recall:.4}");
        }
        if is_hybrid {
            println!("    by words: {:.1} ms CPU", ask_words(&vectors, all, &questions).await);
        }
    }
    store.close().await;
}

/// CPU time per query, and the hits.
async fn ask(vectors: &MemoryVectors, token: AclToken, questions: &[Piece]) -> (f64, Vec<Vec<VectorHit>>) {
    let cpu = cpu_ms();
    let mut hits = Vec::new();
    for (question, _) in questions {
        let query = VectorQuery { tokens: &[token], limit: LIMIT };
        hits.push(vectors.nearest(query, question).await.expect("an answer"));
    }
    ((cpu_ms() - cpu) / questions.len() as f64, hits)
}

async fn ask_words(vectors: &MemoryVectors, token: AclToken, questions: &[Piece]) -> f64 {
    let asked: Vec<SparseVector> = questions.iter().map(|(_, text)| words(text)).collect();
    let cpu = cpu_ms();
    for words in &asked {
        let query = VectorQuery { tokens: &[token], limit: LIMIT };
        vectors.nearest_by_words(query, words).await.expect("an answer");
    }
    (cpu_ms() - cpu) / questions.len() as f64
}

/// The share of the exact top ten that was found.
fn recall(
    all: &[(SignalId, u32, bool, &Vec<f32>)],
    only_half: bool,
    questions: &[Piece],
    hits: &[Vec<VectorHit>],
) -> f64 {
    let mut found = 0;
    for ((question, _), hits) in questions.iter().zip(hits) {
        let mut exact: Vec<(f32, SignalId, u32)> = all
            .iter()
            .filter(|(_, _, in_half, _)| *in_half || !only_half)
            .map(|(signal, number, _, vector)| (dot(question, vector), *signal, *number))
            .collect();
        exact.select_nth_unstable_by(BEST, |a, b| b.0.total_cmp(&a.0));
        // Equal vectors count as equal.
        let worst = exact[..BEST].iter().fold(f32::INFINITY, |worst, one| worst.min(one.0));
        let is_best = |hit: &&VectorHit| hit.score >= worst - 2e-5;
        found += hits.iter().take(BEST).filter(is_best).count();
    }
    found as f64 / (questions.len() * BEST) as f64
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Chunks and queries of the evaluation collections, if available.
fn real() -> Option<(Vec<Piece>, Vec<Piece>)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/eval/collections"));
    let embedded = |text: String| (embedder::embed(&text).as_slice().to_vec(), text);
    let (mut pieces, mut questions) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).ok()? {
        let folder = entry.ok()?.path();
        for text in texts(&folder.join("docs.jsonl"))? {
            let words: Vec<&str> = text.split_whitespace().collect();
            for start in (0..words.len().max(1)).step_by(WINDOW_STEP) {
                let end = (start + WINDOW_WORDS).min(words.len());
                pieces.push(embedded(words[start..end].join(" ")));
            }
        }
        questions.extend(texts(&folder.join("queries.jsonl"))?.into_iter().map(embedded));
    }
    pieces.truncate(PIECES);
    Some((pieces, questions))
}

fn texts(file: &PathBuf) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("a record");
        let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        format!("{} {}", field("title"), field("text"))
    };
    Some(text.lines().map(line).collect())
}

/// Deterministic random numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / 8_388_608.0 - 1.0
    }

    fn vector(&mut self) -> Vec<f32> {
        unit((0..DIMENSION).map(|_| self.next()).collect())
    }

    /// A vector near one of the topics.
    fn near(&mut self, topics: &[Vec<f32>]) -> Vec<f32> {
        let topic = ((self.next() + 1.0) / 2.0 * topics.len() as f32) as usize % topics.len();
        let noise = self.vector();
        unit(topics[topic].iter().zip(noise).map(|(a, b)| a + SPREAD * b).collect())
    }

    /// Forty words, the common ones more often.
    fn text(&mut self) -> String {
        let word = |number: f32| format!("w{:.0}", (number.abs().powi(3)) * 20_000.0);
        (0..WINDOW_WORDS).map(|_| word(self.next())).collect::<Vec<_>>().join(" ")
    }
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = dot(&vector, &vector).sqrt();
    vector.into_iter().map(|value| value / length).collect()
}

/// CPU time of this process, all threads.
fn cpu_ms() -> f64 {
    const TICK_MS: f64 = 10.0;
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = text.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let ticks = |place: usize| fields[place].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) * TICK_MS
}

fn resident_mb() -> f64 {
    const PAGE_BYTES: f64 = 4_096.0;
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: f64 = text.split_whitespace().nth(1).expect("a field").parse().expect("a number");
    pages * PAGE_BYTES / 1e6
}
