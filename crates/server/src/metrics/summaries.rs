//! Metrics of AI summaries: outcomes, durations by stage, and token usage of models.

use super::labels::Histograms;
use domain::ports::{ModelUse, SummaryEnd};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Seconds; alerts use 5 and 15.
const BUCKETS: [f64; 11] = [0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 30.0, 60.0];
/// Most models with their own labels, however administrators rename them.
const MODELS_MAX: usize = 50;
/// The label of all other models.
const OTHERS: &str = "other";
/// The outcome of a summary with a text.
const ANSWERED: &str = "answered";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StageLabels {
    stage: &'static str,
}

/// `direction`: `in` for tokens that the model read, `out` for those that it wrote.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    ai_provider: String,
    model: String,
    direction: &'static str,
}

pub struct SummaryMetrics {
    ended: Family<OutcomeLabels, Counter>,
    seconds: Histogram,
    stage_seconds: Histograms<StageLabels>,
    tokens: Family<TokenLabels, Counter>,
    models: Mutex<BTreeSet<(String, String)>>,
}

impl Default for SummaryMetrics {
    fn default() -> Self {
        Self {
            ended: Family::default(),
            seconds: Histogram::new(BUCKETS),
            stage_seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            tokens: Family::default(),
            models: Mutex::default(),
        }
    }
}

impl SummaryMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register("tributary_answers", "AI summaries by outcome", self.ended.clone());
        registry.register_with_unit(
            "tributary_answer_duration",
            "Duration of an AI summary, whatever its outcome",
            Unit::Seconds,
            self.seconds.clone(),
        );
        registry.register_with_unit(
            "tributary_answer_stage_duration",
            "Duration of a stage of an AI summary",
            Unit::Seconds,
            self.stage_seconds.clone(),
        );
        registry.register(
            "tributary_answer_tokens",
            "Tokens that models read and wrote for AI summaries",
            self.tokens.clone(),
        );
    }

    pub fn ended(&self, end: &SummaryEnd<'_>) {
        let outcome = end.fault.map_or(ANSWERED, |fault| fault.code());
        self.ended.get_or_create(&OutcomeLabels { outcome }).inc();
        self.seconds.observe(end.took.as_secs_f64());
        for (stage, took) in end.stages {
            self.stage_seconds.get_or_create(&StageLabels { stage }).observe(took.as_secs_f64());
        }
        if let Some(used) = &end.model {
            let (ai_provider, model) = self.names(used);
            for (direction, count) in [("in", used.tokens_in), ("out", used.tokens_out)] {
                let labels =
                    TokenLabels { ai_provider: ai_provider.clone(), model: model.clone(), direction };
                self.tokens.get_or_create(&labels).inc_by(count);
            }
        }
    }

    fn names(&self, used: &ModelUse<'_>) -> (String, String) {
        let names = (used.provider.to_owned(), used.model.to_owned());
        let mut known = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(&names) && known.len() >= MODELS_MAX {
            return (OTHERS.to_owned(), OTHERS.to_owned());
        }
        known.insert(names.clone());
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::summary::SummaryFault;
    use prometheus_client::encoding::text::encode;
    use std::time::Duration;

    const STAGES: [(&str, Duration); 2] =
        [("choosing", Duration::from_millis(100)), ("writing", Duration::from_secs(6))];

    fn text(metrics: &SummaryMetrics) -> String {
        let (mut registry, mut text) = (Registry::default(), String::new());
        metrics.register(&mut registry);
        encode(&mut text, &registry).expect("text");
        text
    }

    fn end<'a>(fault: Option<SummaryFault>, model: Option<&'a str>) -> SummaryEnd<'a> {
        SummaryEnd {
            fault,
            took: Duration::from_secs(7),
            stages: &STAGES,
            model: model.map(|model| ModelUse { provider: "Company", model, tokens_in: 30, tokens_out: 4 }),
        }
    }

    #[test]
    fn ends_stages_and_tokens_are_counted() {
        let metrics = SummaryMetrics::default();
        metrics.ended(&end(None, Some("small")));
        metrics.ended(&end(None, Some("small")));
        metrics.ended(&end(None, None));
        metrics.ended(&end(Some(SummaryFault::RagTimeout), None));
        let text = text(&metrics);
        for line in [
            r#"tributary_answers_total{outcome="answered"} 3"#,
            r#"tributary_answers_total{outcome="rag_timeout"} 1"#,
            r#"tributary_answer_duration_seconds_bucket{le="5.0"} 0"#,
            r#"tributary_answer_duration_seconds_bucket{le="10.0"} 4"#,
            r#"tributary_answer_stage_duration_seconds_bucket{le="0.25",stage="choosing"} 4"#,
            r#"tributary_answer_stage_duration_seconds_bucket{le="5.0",stage="writing"} 0"#,
            r#"tributary_answer_tokens_total{ai_provider="Company",model="small",direction="in"} 60"#,
            r#"tributary_answer_tokens_total{ai_provider="Company",model="small",direction="out"} 8"#,
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
        }
    }

    #[test]
    fn labels_of_models_are_bounded() {
        let metrics = SummaryMetrics::default();
        for number in 0..MODELS_MAX + 3 {
            metrics.ended(&end(None, Some(&format!("model {number}"))));
        }
        metrics.ended(&end(None, Some("model 0")));
        let text = text(&metrics);
        let lines = text.lines().filter(|line| line.starts_with("tributary_answer_tokens_total"));
        assert_eq!(lines.count(), 2 * (MODELS_MAX + 1));
        let others = r#"tributary_answer_tokens_total{ai_provider="other",model="other",direction="in"} 90"#;
        assert!(text.contains(others), "{text}");
        assert!(text.contains(r#"model="model 0",direction="in"} 60"#), "an old name stays: {text}");
    }
}
