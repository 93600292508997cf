//! The report as a text table.

use crate::eval::compare::Compared;
use crate::eval::report::Report;
use crate::eval::run::Way;
use crate::eval::significance::Comparison;

pub fn table(report: &Report) -> String {
    let about = &report.about;
    let mut lines = vec![
        format!("{}: {} documents, {} queries", about.collection, about.documents, report.outcomes.len()),
        format!("{}; {}; seed {}", about.setup.sentence(), about.mixer, about.setup.seed),
        String::new(),
        format!("{:<14} {:>8} {:>11} {:>11}   merged vs. this", "", "nDCG@10", "recall@100", "of central"),
    ];
    let central = report.ndcg10(Way::CentralBm25);
    for way in Way::ALL {
        let ndcg10 = report.ndcg10(way);
        let share = if central > 0.0 { format!("{:.3}", ndcg10 / central) } else { "-".to_owned() };
        let against = if way == Way::Merged { String::new() } else { describe(&report.against(way)) };
        let line = format!(
            "{:<14} {ndcg10:>8.4} {:>11.4} {share:>11}   {against}",
            way.label(),
            report.recall100(way)
        );
        lines.push(line.trim_end().to_owned());
    }
    lines.push(String::new());
    lines.push(format!(
        "duplicates     {:.1}% of the first 10 results{}",
        report.duplicate_rate() * 100.0,
        pairs(report)
    ));
    lines.push(format!(
        "latency        median {:.0} ms, p95 {:.0} ms, four concurrent searches",
        report.latency_ms(0.5),
        report.latency_ms(0.95)
    ));
    lines.join("\n")
}

pub fn comparison(compared: &Compared) -> String {
    let Compared { names, queries, left_out, measures, .. } = compared;
    let mut lines = vec![format!("A  {}", names[0]), format!("B  {}", names[1]), String::new()];
    lines.push(format!("{:<12} {:>8} {:>8}   A vs. B, {queries} queries", "", "A", "B"));
    for measure in measures {
        let [a, b] = measure.means;
        lines.push(format!("{:<12} {a:>8.4} {b:>8.4}   {}", measure.label, describe(&measure.comparison)));
    }
    if *left_out > 0 {
        lines.push(format!("\n{left_out} queries are in only one of the runs and are omitted."));
    }
    lines.join("\n")
}

fn describe(comparison: &Comparison) -> String {
    let Comparison { difference, p, wins, ties, losses } = comparison;
    let p = if *p < 0.0005 { "p < 0.001".to_owned() } else { format!("p {p:.3}") };
    format!("{difference:+.4}  {p}  {wins} wins, {ties} ties, {losses} losses")
}

fn pairs(report: &Report) -> String {
    let Some(pairs) = report.pairs().filter(|pairs| pairs.planted > 0) else { return String::new() };
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"));
    format!(
        "; of {} planted duplicates {} were grouped (recall {}, precision {})",
        pairs.planted,
        pairs.found,
        share(pairs.recall()),
        share(pairs.precision())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::report::samples;

    #[test]
    fn the_table_is_complete() {
        let expected = "\
tea & <co>: 40 documents, 2 queries
10 random sources, 30% of the documents duplicated; RelevancyConfidenceMixer; seed 1

                nDCG@10  recall@100  of central   merged vs. this
merged           0.6000      0.8000       1.200
central BM25     0.5000      0.7000       1.000   +0.1000  p 0.500  2 wins, 0 ties, 0 losses
round robin      0.2000      0.6000       0.400   +0.4000  p 0.500  2 wins, 0 ties, 0 losses
RRF              0.1000      0.6000       0.200   +0.5000  p 0.500  2 wins, 0 ties, 0 losses
oracle order     0.9000      0.8000       1.800   -0.3000  p 0.500  0 wins, 0 ties, 2 losses

duplicates     10.0% of the first 10 results; of 4 planted duplicates 2 were grouped (recall 0.500, precision 1.000)
latency        median 30 ms, p95 30 ms, four concurrent searches";
        assert_eq!(table(&samples::report()), expected);
    }
}
