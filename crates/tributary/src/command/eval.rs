//! `tributary eval`: measures the quality of merged results on a judged collection.

use super::{CliContext, output_file};
use crate::app::PLUGINS;
use crate::eval::chart;
use crate::eval::collection::{self, Collection, Given};
use crate::eval::compare::{Compared, Series};
use crate::eval::features::Features;
use crate::eval::report::{About, Report};
use crate::eval::run::{Lab, Outcome};
use crate::eval::setup::{RESULTS_DEFAULT, RESULTS_MAX, SOURCES_MAX, Setup};
use crate::eval::source_choice::{ChoiceReport, page_shares};
use crate::eval::split::Split;
use crate::eval::table;
use crate::terminal;
use anyhow::{Context, bail, ensure};
use clap::Args;
use domain::settings::Settings;
use std::path::{Path, PathBuf};

/// Measure the quality of merged results on a judged test collection.
#[derive(Debug, Args)]
#[command(after_help = "\
The documents of the collection are split over local sources, and every judged query runs through the whole service. \
nDCG@10 and recall@100 of the merged list are compared with simpler merge methods and one central index.

A collection folder contains:
  docs.jsonl                   {\"id\", \"title\", \"text\"}, and author, date_published
  queries.jsonl, queries.tsv   {\"id\", \"text\"}, or id<TAB>text
  qrels.tsv                    query<TAB>document<TAB>grade
The settings in force are used, so SVC_RELEVANCY_CONFIG or SVC_DEDUPE_SIMILARITY_MINIMUM can be tried.

Examples:
  tributary eval --collection cranfield
  tributary eval --collection cranfield --split topical --overlap 0.3 --unlike --svg cranfield.svg
  tributary eval --collection cranfield --results 20 --snippet 40
  tributary eval --collection mine --queries asked.tsv --judgements judged.tsv --json
  tributary eval --collection cranfield --compare RelevancyConfidenceMixer RoundRobinMixer
  tributary eval --collection cranfield --split topical --sources 16 --sources-choice
  tributary eval --collection cranfield --second-reader --save after.json
  tributary eval --collection cranfield --save before.json
  tributary eval --compare before.json after.json")]
pub struct Eval {
    /// Folder of the collection.
    #[arg(long, value_name = "DIR", required_unless_present = "compare")]
    collection: Option<PathBuf>,
    /// Number of sources, 1 to 100.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=SOURCES_MAX as i64))]
    sources: u16,
    /// Number of results that each source returns, 1 to 100; at most 1000 from all sources.
    #[arg(long, default_value_t = RESULTS_DEFAULT as u16,
        value_parser = clap::value_parser!(u16).range(1..=RESULTS_MAX as i64))]
    results: u16,
    /// How documents are distributed over the sources.
    #[arg(long, value_enum, default_value_t = Split::Random)]
    split: Split,
    /// Fraction of the documents that a second source also has, with another URL and lightly edited.
    #[arg(long, default_value_t = 0.0, value_name = "SHARE", value_parser = share)]
    overlap: f64,
    /// Let sources differ in ranking model, score scale and indexed text length.
    #[arg(long)]
    unlike: bool,
    /// Mixer that orders the results.
    #[arg(long, default_value = domain::search::DEFAULT_MIXER, conflicts_with = "compare")]
    mixer: String,
    /// Queries to use instead of the folder's: id<TAB>text, or JSON lines.
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Judgments to use instead of the folder's: query<TAB>document<TAB>grade.
    #[arg(long, value_name = "FILE")]
    judgements: Option<PathBuf>,
    /// Sources return only the first WORDS words of a text.
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(1..))]
    snippet: Option<u32>,
    /// Seed of the random number generator.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write an SVG chart.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    svg: Option<PathBuf>,
    /// Save the run for --compare.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    save: Option<PathBuf>,
    /// Write the features and grade of every merged result as a table for fitting.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    features: Option<PathBuf>,
    /// Measure the learned choice of sources (SVC_SOURCE_CHOICE): half of the queries are remembered.
    #[arg(long, conflicts_with_all = ["compare", "svg", "save", "features"])]
    sources_choice: bool,
    /// Measure the better order of the second reader, whose model is installed in the data folder.
    #[arg(long, conflicts_with = "sources_choice")]
    second_reader: bool,
    /// Compare two saved runs, or two mixers on --collection, with a paired randomization test.
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    compare: Option<Vec<String>>,
}

fn share(text: &str) -> anyhow::Result<f64> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.context("must be a number from 0 to 1")
}

impl Eval {
    pub(super) async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        match (&self.compare, &self.collection) {
            (Some(names), folder) => {
                let [a, b] = names.as_slice() else { bail!("--compare takes two names") };
                let compared = match (is_mixer(a) && is_mixer(b), folder) {
                    (true, Some(folder)) => self.compare_mixers(cli, folder, [a, b]).await?,
                    (true, None) => bail!("two mixers are compared on a collection; add --collection DIR"),
                    (false, _) => Compared::of(&saved(a)?, &saved(b)?, self.seed)?,
                };
                self.show_comparison(&compared)
            }
            (None, Some(folder)) if self.sources_choice => self.measure_choice(cli, folder).await,
            (None, Some(folder)) => self.measure(cli, folder).await,
            (None, None) => bail!("a collection is needed; add --collection DIR"),
        }
    }

    async fn measure(&self, cli: &CliContext, folder: &Path) -> anyhow::Result<()> {
        ensure!(is_mixer(&self.mixer), "there is no mixer '{}'; use one of {}", self.mixer, mixer_names());
        for path in [&self.svg, &self.save, &self.features].into_iter().flatten() {
            output_file::ensure_writable(path)?;
        }
        let mut features = self.features.as_ref().map(|_| Features::new()).transpose()?;
        let lab = self.open(cli, folder, vec![self.mixer.clone()]).await?;
        let outcomes = self.ask(&lab, features.as_mut()).await?;
        let about = About {
            collection: lab.collection.name.clone(),
            documents: lab.collection.documents.len(),
            copied: lab.sources.copied,
            setup: self.setup(),
            mixer: self.mixer.clone(),
            groups: lab.groups(),
            remarks: lab.collection.remarks.clone(),
        };
        lab.close().await;
        let report = Report { about, outcomes };
        if let (Some(features), Some(path)) = (features, &self.features) {
            features.finish(path)?;
        }
        if let Some(path) = &self.svg {
            output_file::write(path, &chart::svg(&report))?;
        }
        if let Some(path) = &self.save {
            output_file::write(path, &(report.json().to_string() + "\n"))?;
        }
        if self.json {
            terminal::line(report.json());
        } else {
            terminal::line(table::table(&report));
        }
        Ok(())
    }

    async fn measure_choice(&self, cli: &CliContext, folder: &Path) -> anyhow::Result<()> {
        ensure!(is_mixer(&self.mixer), "there is no mixer '{}'; use one of {}", self.mixer, mixer_names());
        let lab = self.open(cli, folder, vec![self.mixer.clone()]).await?;
        let (mut pages, all) = (Vec::new(), lab.collection.queries.len());
        let asked = lab.run(|_, _, merged| {
            pages.push(page_shares(merged, &lab.sources));
            terminal::progress(format!("  {} of {all} queries", pages.len()));
            Ok(())
        });
        let asked = asked.await;
        terminal::progress("");
        asked?;
        let report = ChoiceReport::of(&lab.collection, &lab.sources, &pages, self.seed);
        lab.close().await;
        let report = report?;
        if self.json {
            terminal::line(serde_json::to_string(&report)?);
        } else {
            terminal::line(report.table());
        }
        Ok(())
    }

    async fn compare_mixers(
        &self,
        cli: &CliContext,
        folder: &Path,
        names: [&String; 2],
    ) -> anyhow::Result<Compared> {
        let lab = self.open(cli, folder, names.map(String::clone).to_vec()).await?;
        let outcomes = self.ask(&lab, None).await?;
        lab.close().await;
        let [a, b] = [0, 1].map(|number| Series::of_mixer(names[number], number, &outcomes));
        Compared::of(&a, &b, self.seed)
    }

    fn show_comparison(&self, compared: &Compared) -> anyhow::Result<()> {
        compared.remarks.iter().for_each(terminal::note);
        if self.json {
            terminal::line(compared.json());
        } else {
            terminal::line(table::comparison(compared));
        }
        Ok(())
    }

    async fn open(&self, cli: &CliContext, folder: &Path, mixers: Vec<String>) -> anyhow::Result<Lab> {
        let given = Given {
            folder: folder.to_owned(),
            queries: self.queries.clone(),
            judgements: self.judgements.clone(),
        };
        let collection: Collection = collection::read(&given)?;
        collection.remarks.iter().for_each(terminal::note);
        let settings = Settings { second_reader: self.second_reader, ..cli.load_settings(&[])?.settings };
        let setup = self.setup();
        terminal::note(format!(
            "{}: {} documents over {}; {} queries",
            collection.name,
            collection.documents.len(),
            setup.sentence(),
            collection.queries.len()
        ));
        Lab::open(collection, &setup, settings, mixers).await
    }

    async fn ask(&self, lab: &Lab, mut features: Option<&mut Features>) -> anyhow::Result<Vec<Outcome>> {
        let (mut done, all) = (0, lab.collection.queries.len());
        let outcomes = lab.run(|query, _, merged| {
            done += 1;
            terminal::progress(format!("  {done} of {all} queries"));
            match &mut features {
                Some(features) => features.add(query, merged, &lab.collection.documents),
                None => Ok(()),
            }
        });
        let outcomes = outcomes.await;
        terminal::progress("");
        outcomes
    }

    fn setup(&self) -> Setup {
        Setup {
            sources: usize::from(self.sources),
            results: usize::from(self.results),
            split: self.split,
            overlap: self.overlap,
            unlike: self.unlike,
            snippet: self.snippet.map(|words| words as usize),
            seed: self.seed,
        }
    }
}

fn is_mixer(name: &str) -> bool {
    PLUGINS.mixer(name).is_some()
}

fn mixer_names() -> String {
    PLUGINS.mixers.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

/// A saved run; a name that is meant as a mixer gets the list of those there are.
fn saved(name: &str) -> anyhow::Result<Series> {
    let path = Path::new(name);
    ensure!(
        path.exists() || !name.ends_with("Mixer"),
        "there is no mixer '{name}'; use two of {}",
        mixer_names()
    );
    Series::saved(path)
}
