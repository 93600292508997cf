//! CPU time of one core to rank and deduplicate the results of one search, from texts to the list.
//!
//! `cargo bench -p processors` prints the figures. `-- --once 1000` does the work once and prints nothing, for
//! `scripts/instructions.sh`, which counts its instructions.

#![expect(
    clippy::expect_used,
    clippy::disallowed_macros,
    reason = "a bench talks to people, and fails loudly"
)]

use async_trait::async_trait;
use domain::ids::UserId;
use domain::instant::Instant;
use domain::ports::{
    Fetch, FetchError, HttpRequest, HttpResponse, PluginContext, PostResultContext, ResultBatch,
    ResultContext, RunStage, SystemClock,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::{ResultItem, ResultSet};
use domain::settings::PluginSettings;
use processors::{post_result, result};
use std::sync::Arc;
use testkit::builders::{item, result_set, search};

/// The allocator of the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const QUERY: &str = "river level sensors";
/// One page of one source.
const RESULTS_PER_SOURCE: usize = 10;
const TITLE_WORDS: usize = 8;
/// About 300 characters.
const BODY_WORDS: usize = 50;
/// One in this many results is a slightly edited copy of an earlier one.
const COPY_EVERY: usize = 10;
const ROUNDS: u64 = 25;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    match arguments.next().as_deref() {
        Some("--once") => {
            let results = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1000);
            rank(pool(results, 1));
        }
        _ => report(),
    }
}

fn report() {
    let thousand = best_ms(1000);
    let ten_thousand = best_ms(10_000);
    println!("  1,000 results: {thousand:8.1} ms (at most 40)");
    println!(
        " 10,000 results: {ten_thousand:8.1} ms, {:.1} times as much (at most 12)",
        ten_thousand / thousand
    );
}

/// The best of several rounds, each with new texts. One thread does the work, so that on an idle machine wall time is
/// CPU time.
fn best_ms(results: usize) -> f64 {
    let rounds = (0..ROUNDS).map(|round| {
        let pool = pool(results, 100 + round);
        let started = std::time::Instant::now();
        rank(pool);
        started.elapsed().as_secs_f64() * 1e3
    });
    rounds.fold(f64::INFINITY, f64::min)
}

/// Everything that a search does with its results between mapping and saving.
fn rank(mut sets: Vec<ResultSet>) {
    let context =
        PluginContext::new(Arc::new(Offline), Arc::new(SystemClock), Arc::new(PluginSettings::default()));
    let search = search(QUERY);
    let provider = SearchProvider::unsaved(ProviderSpec::default(), UserId(1), Instant::UNIX_EPOCH);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let score = result::CATALOGUE
            .iter()
            .find(|kind| kind.name == "CosineRelevancyResultProcessor")
            .expect("a row");
        for set in &mut sets {
            let mut batch = ResultBatch { items: std::mem::take(&mut set.items), ..ResultBatch::default() };
            let cx = ResultContext {
                search: &search,
                provider: &provider,
                query: QUERY,
                results_wanted: RESULTS_PER_SOURCE as u32,
                context: &context,
            };
            score.processor.process(&mut batch, &cx).expect("scored");
            set.items = batch.items;
        }
        let cx = PostResultContext {
            search: &search,
            context: &context,
            finds_versions: false,
            stage: RunStage::Ending,
        };
        for name in post_result::SYSTEM_DEFAULT {
            let kind = post_result::CATALOGUE.iter().find(|kind| kind.name == *name).expect("a row");
            kind.processor.process(&mut sets, &cx).await.expect("processed");
        }
    });
    std::hint::black_box(sets);
}

/// Realistic results: texts with natural word frequencies, most of which contain some words of the query.
fn pool(results: usize, seed: u64) -> Vec<ResultSet> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let vocabulary: Vec<&str> = include_str!("../../relevancy/data/vocab.txt")
        .lines()
        .filter(|word| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        .collect();
    let mut items: Vec<ResultItem> = Vec::with_capacity(results);
    for number in 0..results {
        let result = match items.get(dice.below(items.len().max(1))) {
            Some(earlier) if number % COPY_EVERY == 0 => {
                item(&earlier.title).body(format!("{} once more", earlier.body))
            }
            _ => item(dice.text(&vocabulary, TITLE_WORDS)).body(dice.text(&vocabulary, BODY_WORDS)),
        };
        let rank = (number % RESULTS_PER_SOURCE) as u32 + 1;
        items.push(result.url(format!("https://example.org/{seed}/{number}")).rank(rank).build());
    }
    let mut items = items.into_iter();
    let sources = results.div_ceil(RESULTS_PER_SOURCE);
    (1..=sources as i64)
        .map(|source| result_set(source).query(QUERY).items(items.by_ref().take(RESULTS_PER_SOURCE)).build())
        .collect()
}

/// Xorshift random numbers, the same on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// The vocabulary is sorted by frequency, so a skewed choice resembles a text.
    fn text(&mut self, vocabulary: &[&str], words: usize) -> String {
        let mut text = String::new();
        for place in 0..words {
            let word = match self.below(25) {
                0 => QUERY.split(' ').nth(self.below(3)).unwrap_or_default(),
                _ => {
                    let skewed = (self.below(1_000_000) as f64 / 1e6).powi(3);
                    vocabulary[(skewed * vocabulary.len() as f64) as usize]
                }
            };
            text.push_str(word);
            text.push_str(if place % 12 == 11 { ". " } else { " " });
        }
        text
    }
}

struct Offline;

#[async_trait]
impl Fetch for Offline {
    async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        unreachable!("ranking asks nobody")
    }
}
