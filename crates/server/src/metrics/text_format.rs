//! The two text formats of a scrape: OpenMetrics, and the classic Prometheus format 0.0.4.

use axum::http::{HeaderMap, header};

/// Format of a scrape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    Classic,
    OpenMetrics,
}

impl TextFormat {
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Classic => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// OpenMetrics for a client that accepts it and does not prefer plain text.
    pub fn accepted(headers: &HeaderMap) -> Self {
        let ranges: Vec<(&str, f64)> = headers
            .get_all(header::ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(media_range)
            .collect();
        let quality = |wanted: &str| {
            let found = ranges.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, quality)| *quality).fold(0.0, f64::max)
        };
        let open_metrics = quality("application/openmetrics-text");
        if open_metrics > 0.0 && open_metrics >= quality("text/plain") {
            Self::OpenMetrics
        } else {
            Self::Classic
        }
    }

    /// Rewrites OpenMetrics text in this format.
    pub fn write(self, open_metrics: String) -> String {
        match self {
            Self::Classic => classic(&open_metrics),
            Self::OpenMetrics => open_metrics,
        }
    }
}

/// The media type and the quality of one part of `Accept`.
fn media_range(text: &str) -> (&str, f64) {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let quality = parts.find_map(|part| part.strip_prefix("q=")).map(|text| text.parse().unwrap_or(0.0));
    (name, quality.unwrap_or(1.0))
}

/// Samples are the same in both formats. In the classic one a family has the name of its samples, there are no units
/// and no end marker, and anything but counters, gauges and histograms is a gauge.
fn classic(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = None;
    for line in open_metrics.lines() {
        let Some(comment) = line.strip_prefix("# ") else {
            push_line(&mut text, &[line]);
            continue;
        };
        match comment.split_once(' ') {
            Some(("HELP", rest)) => help = rest.split_once(' '),
            Some(("TYPE", rest)) => {
                let (name, kind) = rest.split_once(' ').unwrap_or((rest, "untyped"));
                let (suffix, kind) = match kind {
                    "counter" => ("_total", "counter"),
                    "info" => ("_info", "gauge"),
                    "gauge" | "histogram" => ("", kind),
                    _ => ("", "untyped"),
                };
                if let Some((_, help)) = help.take().filter(|(helped, _)| *helped == name) {
                    push_line(&mut text, &["# HELP ", name, suffix, " ", help]);
                }
                push_line(&mut text, &["# TYPE ", name, suffix, " ", kind]);
            }
            _ => {}
        }
    }
    text
}

fn push_line(text: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| text.push_str(part));
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openmetrics_only_for_who_asks_for_it() {
        let prometheus = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,\
             application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
        for (accept, expected) in [
            (None, TextFormat::Classic),
            (Some("*/*"), TextFormat::Classic),
            (Some("text/plain"), TextFormat::Classic),
            (Some(prometheus), TextFormat::OpenMetrics),
            (Some("application/openmetrics-text"), TextFormat::OpenMetrics),
            (Some("Application/OpenMetrics-Text; version=1.0.0"), TextFormat::OpenMetrics),
            (Some("application/openmetrics-text;q=0.1, text/plain"), TextFormat::Classic),
            (Some("application/openmetrics-text;q=0"), TextFormat::Classic),
            (Some("application/openmetrics-text;q=much"), TextFormat::Classic),
        ] {
            let mut headers = HeaderMap::new();
            accept.map(|accept| headers.insert(header::ACCEPT, accept.parse().expect("a header")));
            assert_eq!(TextFormat::accepted(&headers), expected, "{accept:?}");
        }
    }

    #[test]
    fn a_family_has_the_name_of_its_samples_in_the_classic_format() {
        let open_metrics = "# HELP build The version.\n# TYPE build info\nbuild_info{version=\"1\"} 1\n\
             # HELP cpu_seconds Time.\n# TYPE cpu_seconds counter\n# UNIT cpu_seconds seconds\ncpu_seconds_total 4.0\n\
             # HELP wait_seconds Time.\n# TYPE wait_seconds histogram\n# UNIT wait_seconds seconds\n\
             wait_seconds_sum 1.0\nwait_seconds_count 1\nwait_seconds_bucket{le=\"+Inf\"} 1\n\
             # HELP fds Files.\n# TYPE fds gauge\nfds 3\n# EOF\n";
        let expected = "# HELP build_info The version.\n# TYPE build_info gauge\nbuild_info{version=\"1\"} 1\n\
             # HELP cpu_seconds_total Time.\n# TYPE cpu_seconds_total counter\ncpu_seconds_total 4.0\n\
             # HELP wait_seconds Time.\n# TYPE wait_seconds histogram\n\
             wait_seconds_sum 1.0\nwait_seconds_count 1\nwait_seconds_bucket{le=\"+Inf\"} 1\n\
             # HELP fds Files.\n# TYPE fds gauge\nfds 3\n";
        assert_eq!(TextFormat::Classic.write(open_metrics.to_owned()), expected);
        assert_eq!(TextFormat::OpenMetrics.write(open_metrics.to_owned()), open_metrics);
    }
}
