//! A pool of results of two sources, and the groups that the processor makes of it.

use crate::documents::{Document, words_of};
use crate::edits::Dice;
use async_trait::async_trait;
use domain::ports::{
    Fetch, FetchError, HttpRequest, HttpResponse, PluginContext, PostResultContext, RunStage, SystemClock,
};
use domain::result::{DATE_UNKNOWN, ResultItem, ResultSet};
use domain::result_group::GroupMembers;
use domain::settings::PluginSettings;
use processors::post_result::CATALOGUE;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use testkit::builders::{item, result_set, search};

/// Documents, then their copies.
pub struct Pool {
    pub documents: Vec<Document>,
    /// The original of each document.
    origins: Vec<usize>,
    /// For each original the first one with the same alphanumeric characters.
    classes: Vec<usize>,
    confidences: Vec<f64>,
}

impl Pool {
    pub fn of(documents: Vec<Document>, dice: &mut Dice) -> Self {
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut class = |(number, document): (usize, &Document)| {
            let characters: String = words_of(&document.title).chain(words_of(&document.body)).collect();
            *first.entry(characters.to_lowercase()).or_insert(number)
        };
        let classes = documents.iter().enumerate().map(&mut class).collect();
        let confidences = documents.iter().map(|_| dice.below(1_000) as f64 / 1_000.0).collect();
        Self { origins: (0..documents.len()).collect(), documents, classes, confidences }
    }

    /// The words of all bodies, with their frequencies.
    pub fn words(&self) -> Vec<String> {
        let words = |document: &Document| words_of(&document.body).map(str::to_owned).collect::<Vec<_>>();
        self.documents.iter().flat_map(words).collect()
    }

    pub fn plant(&mut self, origin: usize, copy: Document, dice: &mut Dice) {
        self.documents.push(copy);
        self.origins.push(origin);
        self.confidences.push(dice.below(1_000) as f64 / 1_000.0);
    }

    pub fn originals(&self) -> usize {
        self.classes.len()
    }

    /// Each document with its copy.
    pub fn planted(&self) -> Vec<(usize, usize)> {
        (self.originals()..self.documents.len()).map(|copy| (self.origins[copy], copy)).collect()
    }

    pub fn same_document(&self, a: usize, b: usize) -> bool {
        self.classes[self.origins[a]] == self.classes[self.origins[b]]
    }

    /// The documents of a wrong pair.
    pub fn shown(&self, a: usize, b: usize) -> String {
        let text = |number: usize| {
            let document = &self.documents[number];
            let start: String = document.body.chars().take(50).collect();
            format!("[{number}] {}: {start} ({} words)", document.title, words_of(&document.body).count())
        };
        let (a, b) = (self.origins[a], self.origins[b]);
        format!("{} | {}", text(a.min(b)), text(a.max(b)))
    }

    fn item(&self, number: usize) -> ResultItem {
        let document = &self.documents[number];
        let date = match document.day.as_str() {
            "" => DATE_UNKNOWN.to_owned(),
            day => format!("{day} 00:00:00"),
        };
        let result = item(&document.title).body(&document.body).date(date);
        result.url(format!("https://source.example/{number}")).confidence(self.confidences[number]).build()
    }
}

/// The groups of the pool, each as the indexes of its documents.
pub fn grouped(pool: &Pool) -> Vec<Vec<usize>> {
    let set = |provider, numbers: std::ops::Range<usize>| {
        result_set(provider).query("q").items(numbers.map(|number| pool.item(number))).build()
    };
    let mut sets = [set(1, 0..pool.originals()), set(2, pool.originals()..pool.documents.len())];
    let before = pool.documents.len();
    run("DedupeBySimilarityPostResultProcessor", &mut sets);
    let number = |url: &str| url.rsplit('/').next().and_then(|end| end.parse().ok()).expect("a number");
    let members = GroupMembers::of(&sets);
    let group = |item: &ResultItem| {
        let others = members.others(item.group).map(|other| number(&other.url));
        std::iter::once(number(&item.url)).chain(others).collect()
    };
    let listed = sets.iter().flat_map(|set| &set.items).filter(|item| !item.is_copy());
    let groups: Vec<Vec<usize>> = listed.map(group).collect();
    let all: BTreeSet<usize> = groups.iter().flatten().copied().collect();
    assert_eq!(all.len(), before, "no result is lost");
    assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), before, "each stands once");
    groups
}

struct NoFetch;

#[async_trait]
impl Fetch for NoFetch {
    async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        unreachable!("nothing is fetched here")
    }
}

fn run(name: &str, sets: &mut [ResultSet]) {
    let context =
        PluginContext::new(Arc::new(NoFetch), Arc::new(SystemClock), Arc::new(PluginSettings::default()));
    let search = search("q");
    let cx = PostResultContext {
        search: &search,
        context: &context,
        finds_versions: false,
        stage: RunStage::Ending,
    };
    let kind = CATALOGUE.iter().find(|kind| kind.name == name).expect("a processor");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(kind.processor.process(sets, &cx)).expect("an outcome");
}
