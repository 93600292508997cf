//! A gauge that is omitted from a scrape while its value is unknown: an old value would look current.

use prometheus_client::encoding::{EncodeGaugeValue, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone)]
pub struct OptionalGauge<N = i64>(Arc<Mutex<Option<N>>>);

impl<N> Default for OptionalGauge<N> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }
}

impl<N: Copy> OptionalGauge<N> {
    pub fn set(&self, value: Option<N>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = value;
    }

    fn get(&self) -> Option<N> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N: Copy + EncodeGaugeValue> EncodeMetric for OptionalGauge<N> {
    fn encode(&self, mut encoder: MetricEncoder) -> Result<(), fmt::Error> {
        self.get().map_or(Ok(()), |value| encoder.encode_gauge(&value))
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }

    fn is_empty(&self) -> bool {
        self.get().is_none()
    }
}
