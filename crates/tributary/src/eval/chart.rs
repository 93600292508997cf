//! The report as an accessible SVG chart for light and dark pages.

use crate::eval::report::Report;
use crate::eval::run::Way;

const WIDTH: f64 = 760.0;
/// Start of the bars, and the width of a value of 1.0.
const BARS_X: f64 = 140.0;
const BARS_WIDTH: f64 = 540.0;
const FIRST_Y: f64 = 112.0;
const ROW: f64 = 56.0;

const STYLE: &str = "\
    text { font: 14px system-ui, sans-serif; fill: #1b1f24; }
    .ground { fill: #ffffff; } .grid { stroke: #d5dae0; }
    .heading { font-size: 18px; font-weight: 600; } .quiet { fill: #57606a; font-size: 13px; }
    .ndcg { fill: #6e7d8f; } .recall { fill: #c3ccd6; }
    .ours .ndcg { fill: #0b6bcb; } .ours .recall { fill: #9cc7f2; } .ours .name { font-weight: 600; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; } .ground { fill: #14181d; } .grid { stroke: #343b44; } .quiet { fill: #9aa5b1; }
      .ndcg { fill: #8b98a8; } .recall { fill: #47525e; }
      .ours .ndcg { fill: #58a6ff; } .ours .recall { fill: #2b5a8f; }
    }";

pub fn svg(report: &Report) -> String {
    let height = FIRST_Y + ROW * Way::ALL.len() as f64 + 36.0;
    let title = escaped(&format!("{}: quality of merged results", report.about.collection));
    let about = escaped(&format!("{}; {} queries", report.about.setup.sentence(), report.outcomes.len()));
    let rows: String = Way::ALL
        .iter()
        .enumerate()
        .map(|(place, way)| row(report, *way, FIRST_Y + ROW * place as f64))
        .collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-labelledby=\"title desc\">\n  \
         <title id=\"title\">{title}</title>\n  <desc id=\"desc\">{}</desc>\n  <style>\n{STYLE}\n  </style>\n  \
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\" rx=\"8\"/>\n  \
         <text class=\"heading\" x=\"20\" y=\"34\">{title}</text>\n  \
         <text class=\"quiet\" x=\"20\" y=\"58\">{about}</text>\n{}{}{rows}</svg>\n",
        escaped(&description(report)),
        legend(),
        grid(height),
    )
}

fn description(report: &Report) -> String {
    let said = |way: &Way| {
        let (ndcg10, recall100) = (report.ndcg10(*way), report.recall100(*way));
        format!("{}: nDCG@10 {ndcg10:.3}, recall@100 {recall100:.3}", way.label())
    };
    let ways: Vec<String> = Way::ALL.iter().map(said).collect();
    format!("{}; {}. {}.", report.about.setup.sentence(), report.about.mixer, ways.join("; "))
}

fn legend() -> String {
    let entry = |x: f64, class: &str, name: &str| {
        format!(
            "  <g class=\"ours\"><rect class=\"{class}\" x=\"{x}\" y=\"76\" width=\"12\" height=\"12\" rx=\"2\"/></g>\n  \
             <text class=\"quiet\" x=\"{}\" y=\"87\">{name}</text>\n",
            x + 18.0
        )
    };
    entry(20.0, "ndcg", "nDCG@10") + &entry(120.0, "recall", "recall@100")
}

fn grid(height: f64) -> String {
    let line = |quarter: u32| {
        let value = f64::from(quarter) / 4.0;
        let (x, bottom) = (BARS_X + BARS_WIDTH * value, height - 32.0);
        format!(
            "  <line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{}\" y2=\"{bottom}\"/>\n  \
             <text class=\"quiet\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{value}</text>\n",
            FIRST_Y - 10.0,
            height - 14.0
        )
    };
    (0..=4).map(line).collect()
}

fn row(report: &Report, way: Way, y: f64) -> String {
    let bar = |class: &str, value: f64, y: f64, height: f64| {
        let width = BARS_WIDTH * value.clamp(0.0, 1.0);
        format!(
            "    <rect class=\"{class}\" x=\"{BARS_X}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" rx=\"2\"/>\n    \
             <text x=\"{:.1}\" y=\"{}\">{value:.3}</text>\n",
            BARS_X + width + 6.0,
            y + height - 3.0
        )
    };
    format!(
        "  <g{}>\n    <text class=\"name\" x=\"20\" y=\"{}\">{}</text>\n{}{}  </g>\n",
        if way == Way::Merged { " class=\"ours\"" } else { "" },
        y + 21.0,
        way.label(),
        bar("ndcg", report.ndcg10(way), y, 18.0),
        bar("recall", report.recall100(way), y + 20.0, 16.0),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::report::samples;

    #[test]
    fn the_chart_has_bars_and_a_description() {
        let chart = svg(&samples::report());
        assert!(
            chart.contains("<title id=\"title\">tea &amp; &lt;co&gt;: quality of merged results</title>")
        );
        assert!(
            chart.contains("merged: nDCG@10 0.600, recall@100 0.800; central BM25: nDCG@10 0.500"),
            "{chart}"
        );
        assert!(chart.contains("prefers-color-scheme: dark"));
        assert_eq!(chart.matches("<rect class=\"ndcg\"").count(), 1 + Way::ALL.len());
        // A bar of 0.6 has 0.6 of the width.
        assert!(chart.contains("width=\"324.0\" height=\"18\""), "{chart}");
        assert_eq!(chart.matches("<g").count(), chart.matches("</g>").count());
        assert!(!chart.contains("NaN"));
    }
}
