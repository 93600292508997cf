//! Routes log lines to files: the innermost span with a field `queue` selects the file, by default that of the API
//! server. Each line is prefixed with the tag of its file, so that one queue serves all files.

use super::LogFile;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Length of the tag before a line.
const TAG_BYTES: usize = 1;
/// Maximum length of a line; longer lines are truncated.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// Maximum length of a value in a truncated JSON line.
const VALUE_CHARS_MAX: usize = 1024;

/// Records the log file of each span that has a `queue`.
pub struct Route;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Route {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut queue = QueueField(None);
        attributes.record(&mut queue);
        if let (Some(file), Some(span)) = (queue.0, context.span(id)) {
            span.extensions_mut().insert(file);
        }
    }
}

struct QueueField(Option<LogFile>);

impl Visit for QueueField {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "queue" {
            self.0 = LogFile::of_queue(value);
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn fmt::Debug) {}
}

/// Formats an event after the tag of its file.
pub struct Routed<F>(pub F);

impl<S, N, F> FormatEvent<S, N> for Routed<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let file = context
            .event_scope()
            .and_then(|mut scope| scope.find_map(|span| span.extensions().get::<LogFile>().copied()));
        writer.write_char(file.unwrap_or(LogFile::Api).tag())?;
        self.0.format_event(context, writer, event)
    }
}

/// Makes one line of limited length of an event with its tag.
pub fn tagged_line(event: &str) -> Cow<'_, str> {
    let text = event.trim_end_matches('\n');
    let is_ended_once = event.len() == text.len() + 1;
    if is_ended_once && !has_line_breaks(text) && text.len() <= LINE_BYTES_MAX {
        return event.into();
    }
    let (tag, line) = text.split_at_checked(TAG_BYTES).unwrap_or(("", text));
    format!("{tag}{}\n", short(one_line(line))).into()
}

/// Escapes line breaks, so that foreign text cannot forge a line.
pub(super) fn one_line(line: &str) -> Cow<'_, str> {
    if has_line_breaks(line) { line.replace('\n', "\\n").replace('\r', "\\r").into() } else { line.into() }
}

/// Compares bytes, which is cheaper than comparing characters: every line is checked.
fn has_line_breaks(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.contains(&b'\n') || bytes.contains(&b'\r')
}

/// Truncates a line. A JSON line stays valid JSON.
fn short(line: Cow<'_, str>) -> Cow<'_, str> {
    if line.len() <= LINE_BYTES_MAX {
        return line;
    }
    if let Ok(mut value @ Value::Object(_)) = serde_json::from_str(&line) {
        cut_values(&mut value);
        let text = value.to_string();
        if text.len() <= LINE_BYTES_MAX {
            return text.into();
        }
    }
    let end = line.floor_char_boundary(LINE_BYTES_MAX);
    format!("{}…", &line[..end]).into()
}

fn cut_values(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(VALUE_CHARS_MAX) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(items) => items.iter_mut().for_each(cut_values),
        Value::Object(fields) => fields.values_mut().for_each(cut_values),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logs::queue::{self, QueueLimits};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;
    use tracing_subscriber::layer::SubscriberExt;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(work: impl FnOnce()) -> Vec<String> {
        let written = Buffer::default();
        let limits = QueueLimits { end_wait_max: Duration::from_secs(20), ..QueueLimits::default() };
        let (lines, thread) = queue::start("test", written.clone(), limits, tagged_line).unwrap();
        let layer = tracing_subscriber::fmt::layer().without_time().with_ansi(false);
        let layer = layer.with_writer(lines).map_event_format(Routed).and_then(Route);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), work);
        drop(thread);
        let bytes = written.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_innermost_queue_names_the_file() {
        let lines = logged(|| {
            tracing::info!("plain");
            let task = tracing::info_span!("task", queue = "search").entered();
            tracing::info!("of a task");
            let search =
                tracing::info_span!("search", search.id = 7, queue = "search_orchestrator").entered();
            tracing::info_span!("step").in_scope(|| tracing::info!(queue = "corpus", "of a search"));
            drop(search);
            tracing::info_span!("odd", queue = "unheard of").in_scope(|| tracing::info!("of a task again"));
            drop(task);
        });
        let tags: Vec<char> = lines.iter().map(|line| line.chars().next().unwrap()).collect();
        let of = [LogFile::Api, LogFile::Search, LogFile::SearchOrchestrator, LogFile::Search];
        assert_eq!(tags, of.map(LogFile::tag));
        assert!(lines[2].contains("search.id=7"), "{}", lines[2]);
    }

    #[test]
    fn an_event_is_one_line() {
        let lines = logged(|| tracing::info!("first\nERROR forged\r\nlast"));
        assert_eq!(lines.len(), 1);
        assert!(lines[0].contains("first\\nERROR forged\\r\\nlast"), "{}", lines[0]);
        for (event, line) in [
            ("Aplain\n", "Aplain\n"),
            ("Awithout an end", "Awithout an end\n"),
            ("Aends twice\n\n", "Aends twice\n"),
            ("Areturns\r\n", "Areturns\\r\n"),
            ("Atwo\nlines\n", "Atwo\\nlines\n"),
            ("étagless\r", "étagless\\r\n"),
            ("", "\n"),
        ] {
            assert_eq!(tagged_line(event), line);
        }
        assert!(matches!(tagged_line("Aplain\n"), Cow::Borrowed(_)), "an ordinary line is not copied");
    }

    #[test]
    fn long_lines_are_cut() {
        let exact = "x".repeat(LINE_BYTES_MAX);
        assert_eq!(short(exact.as_str().into()), exact);
        let text = short(format!("{exact}é").into());
        assert!(text.ends_with("x…") && text.len() == LINE_BYTES_MAX + '…'.len_utf8());
        assert_eq!(tagged_line(&format!("A{exact}é\n")), format!("A{text}\n"));
        assert_eq!(tagged_line(&format!("A{exact}\n")), format!("A{exact}\n"));
        let json = serde_json::json!({ "level": "INFO", "fields": { "message": exact } }).to_string();
        let read: Value = serde_json::from_str(&short(json.into())).unwrap();
        assert_eq!(read["level"], "INFO");
        assert_eq!(read["fields"]["message"].as_str().unwrap().chars().count(), VALUE_CHARS_MAX + 1);
    }
}
