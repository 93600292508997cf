//! JSON lines: those of `tracing_subscriber`, byte for byte. Its own formatter parses the fields of every span again for
//! each line.

use serde::Serialize;
use std::fmt;
use std::io;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, JsonFields, Writer};
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormattedFields};
use tracing_subscriber::registry::{LookupSpan, SpanRef};

/// Target of events from the crate `log`, whose own target and level are in their fields.
const LOG_CRATE: &str = "log";

/// Formats an event as a JSON object.
pub struct JsonLine<T> {
    standard: Format<Json, T>,
    timer: T,
}

impl<T> JsonLine<T> {
    /// `standard` formats the rare events that are not written here; `timer` is the one that it uses.
    pub fn new(standard: Format<Json, T>, timer: T) -> Self {
        Self { standard, timer }
    }
}

impl<S, T> FormatEvent<S, JsonFields> for JsonLine<T>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    T: FormatTime,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        if metadata.target() == LOG_CRATE || event.parent().is_some() {
            return self.standard.format_event(context, writer, event);
        }
        writer.write_str("{\"timestamp\":\"")?;
        self.timer.format_time(&mut writer)?;
        write!(writer, "\",\"level\":\"{}\",\"fields\":{{", metadata.level())?;
        let mut fields = FieldWriter { writer: &mut writer, separator: "", result: Ok(()) };
        event.record(&mut fields);
        fields.result?;
        writer.write_str("},\"target\":")?;
        write_json(&mut writer, metadata.target())?;
        if let Some(innermost) = context.lookup_current() {
            writer.write_str(",\"spans\":[")?;
            for (number, span) in innermost.scope().from_root().enumerate() {
                writer.write_str(if number == 0 { "" } else { "," })?;
                write_span(&mut writer, &span)?;
            }
            writer.write_char(']')?;
        }
        writer.write_str("}\n")
    }
}

/// Writes the fields of a span, which were formatted as an object when it began, and its name as the last one.
fn write_span<S: for<'a> LookupSpan<'a>>(writer: &mut Writer<'_>, span: &SpanRef<'_, S>) -> fmt::Result {
    let extensions = span.extensions();
    let object = extensions.get::<FormattedFields<JsonFields>>().map_or("", |fields| fields.fields.as_str());
    let entries = object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    let separator = if entries.is_empty() { "" } else { "," };
    write!(writer, "{{{entries}{separator}\"name\":")?;
    write_json(writer, span.name())?;
    writer.write_char('}')
}

/// Writes the fields of an event as entries of an object.
struct FieldWriter<'a, 'w> {
    writer: &'a mut Writer<'w>,
    separator: &'static str,
    result: fmt::Result,
}

impl FieldWriter<'_, '_> {
    fn write(&mut self, field: &Field, value: &(impl Serialize + ?Sized)) {
        if self.result.is_ok() {
            self.result = self.try_write(field, value);
        }
    }

    fn try_write(&mut self, field: &Field, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        self.writer.write_str(self.separator)?;
        self.separator = ",";
        write_json(self.writer, field.name())?;
        self.writer.write_char(':')?;
        write_json(self.writer, value)
    }
}

impl Visit for FieldWriter<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.write(field, &value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write(field, &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write(field, &value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.write(field, &format_args!("{value:?}"));
    }
}

fn write_json(writer: &mut Writer<'_>, value: &(impl Serialize + ?Sized)) -> fmt::Result {
    serde_json::to_writer(TextWriter(writer), value).map_err(|_| fmt::Error)
}

/// Accepts the JSON of `serde_json`, which is written in pieces of valid text.
struct TextWriter<'a, 'w>(&'a mut Writer<'w>);

impl io::Write for TextWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::Layer;
    use tracing_subscriber::Registry;
    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt;

    struct FixedTime;

    impl FormatTime for FixedTime {
        fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
            writer.write_str("2026-11-15T07:24:10.123456Z")
        }
    }

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Buffer {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    fn logged(layer: impl Layer<Registry> + Send + Sync, written: &Buffer) -> Vec<String> {
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), log_all);
        let bytes = written.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    /// Every kind of value, text that needs escapes, spans with and without fields, and fields that come later.
    fn log_all() {
        tracing::info!("without spans");
        tracing::warn!(
            empty = tracing::field::Empty,
            "a \"quoted\" \\ text\nof two lines \u{1} \u{2028} é 🦀"
        );
        let request =
            tracing::info_span!("request", request.id = %"ab-1", client.address = tracing::field::Empty);
        let _request = request.enter();
        tracing::error!(number = -5, count = 7_u64, share = 0.25, is_new = true, name = "a\tb", "in a span");
        request.record("client.address", "127.0.0.1");
        let plain = tracing::info_span!("plain");
        let _plain = plain.enter();
        let error = io::Error::other("of a disk");
        let error: &(dyn std::error::Error + 'static) = &error;
        tracing::debug!(error, odd = f64::NAN, big = u128::MAX, list = ?["x", "y\n"], "in two spans");
        tracing::info!(only.fields = 1);
        tracing::info!(parent: &plain, "of an explicit span");
        tracing::info!(parent: None, "of no span");
        tracing::info!(target: "log", "as if from the crate log");
        tracing::trace!(target: "a \"target\"", r#type = "raw", "raw names");
    }

    #[test]
    fn lines_equal_those_of_the_standard_formatter() {
        let (standard, own) = (Buffer::default(), Buffer::default());
        let layer = || tracing_subscriber::fmt::layer().json().with_current_span(false).with_timer(FixedTime);
        let expected = logged(layer().with_writer(standard.clone()), &standard);
        let layer = layer().with_writer(own.clone());
        let lines = logged(layer.map_event_format(|format| JsonLine::new(format, FixedTime)), &own);
        assert_eq!(lines.len(), 9);
        for (line, expected) in lines.iter().zip(&expected) {
            assert_eq!(line, expected);
            let _valid: serde_json::Value = serde_json::from_str(line).unwrap();
        }
        assert_eq!(lines.len(), expected.len());
    }
}
