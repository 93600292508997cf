//! The ends of this process's log files, for administrators; only files of a fixed table.

use crate::auth::Admin;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery, Flag};
use crate::instance_info::LogFolder;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::io::{self, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Lines that are shown by default.
const LINES_DEFAULT: u32 = 500;
pub const LINES_MIN: u32 = 50;
pub const LINES_MAX: u32 = 5000;
/// Bytes read of a file to show its lines.
const SHOWN_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes read of a file for a download.
const KEPT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Suffix of every file name; it may be omitted.
const SUFFIX: &str = ".log";

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(list_logs)).routes(routes!(read_log))
}

/// An existing log file.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct LogFile {
    #[schema(example = "django.log")]
    name: &'static str,
    /// In bytes.
    size: u64,
    modified: Option<DateTime<Utc>>,
}

/// The end of a log file.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
struct LogLines {
    name: &'static str,
    /// The oldest is first.
    lines: Vec<String>,
    /// The file has older lines.
    is_cut: bool,
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct LogRequest {
    /// How many lines, 50 to 5000.
    lines: Option<u32>,
    /// True: the last 16 MiB as a text file.
    #[param(value_type = Option<bool>)]
    download: Option<Flag>,
}

/// The log files of this installation that have been written.
#[utoipa::path(get, path = "/svc/logs/", tag = "service", responses(
    (status = 200, description = "Log files.", body = [LogFile]),
    (status = 403, description = "Not an administrator.", body = ErrorBody)))]
async fn list_logs(_admin: Admin, State(state): State<Arc<AppState>>) -> Json<Vec<LogFile>> {
    let LogFolder { folder, names } = &state.instance_info.logs;
    let mut files = Vec::new();
    for name in names {
        if let Ok(there) = tokio::fs::metadata(folder.join(name)).await {
            let modified = there.modified().ok().map(DateTime::<Utc>::from);
            files.push(LogFile { name, size: there.len(), modified });
        }
    }
    Json(files)
}

/// The last lines of a log file.
#[utoipa::path(get, path = "/svc/logs/{id}/", tag = "service",
    params(("id" = String, Path, description = "Name of the file; `.log` may be omitted."), LogRequest), responses(
    (status = 200, description = "Lines; with `download=true` a text file.", body = LogLines),
    (status = 400, description = "Invalid parameter.", body = ErrorBody),
    (status = 403, description = "Not an administrator.", body = ErrorBody),
    (status = 404, description = "There is no such log.", body = ErrorBody)))]
async fn read_log(
    _admin: Admin,
    State(state): State<Arc<AppState>>,
    ApiPath(requested): ApiPath<String>,
    ApiQuery(request): ApiQuery<LogRequest>,
) -> Result<Response, ApiError> {
    let count = request.lines.unwrap_or(LINES_DEFAULT);
    if !(LINES_MIN..=LINES_MAX).contains(&count) {
        return Err(ApiError::invalid_field("lines", format!("Use {LINES_MIN} to {LINES_MAX}.")));
    }
    let LogFolder { folder, names } = &state.instance_info.logs;
    let short = requested.strip_suffix(SUFFIX).unwrap_or(&requested);
    let name = names.iter().copied().find(|name| name.strip_suffix(SUFFIX) == Some(short));
    let name = name.ok_or_else(|| ApiError::of(ErrorCode::NotFound))?;
    let path = folder.join(name);
    if request.download.is_some_and(|flag| flag.0) {
        let end = end_of(&path, KEPT_BYTES_MAX).await.map_err(ApiError::internal)?;
        let named = format!("attachment; filename=\"{name}\"");
        let headers = [
            (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
            (header::CONTENT_DISPOSITION, named),
        ];
        return Ok((headers, end.text).into_response());
    }
    let end = end_of(&path, SHOWN_BYTES_MAX).await.map_err(ApiError::internal)?;
    Ok(Json(last_lines(name, &end, count as usize)).into_response())
}

/// The end of a file from the beginning of a line on.
#[derive(Debug, Default, PartialEq, Eq)]
struct FileEnd {
    text: String,
    /// There is more before it.
    is_cut: bool,
}

/// A file that does not exist is empty.
async fn end_of(path: &Path, bytes_max: u64) -> io::Result<FileEnd> {
    let mut file = match tokio::fs::File::open(path).await {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileEnd::default()),
        Err(error) => return Err(error),
    };
    let from = file.metadata().await?.len().saturating_sub(bytes_max);
    file.seek(SeekFrom::Start(from)).await?;
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).await?;
    let text = String::from_utf8_lossy(&bytes);
    let text = match (from, text.split_once('\n')) {
        (0, _) | (_, None) => text.into_owned(),
        (_, Some((_, whole))) => whole.to_owned(),
    };
    Ok(FileEnd { text, is_cut: from > 0 })
}

fn last_lines(name: &'static str, end: &FileEnd, count: usize) -> LogLines {
    let all: Vec<&str> = end.text.lines().filter(|line| !line.is_empty()).collect();
    let from = all.len().saturating_sub(count);
    LogLines {
        name,
        lines: all[from..].iter().map(|line| (*line).to_owned()).collect(),
        is_cut: end.is_cut || from > 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_of_a_file_begins_with_a_line() {
        let folder = std::env::temp_dir().join(format!("tributary-logs-{}", std::process::id()));
        tokio::fs::create_dir_all(&folder).await.expect("a folder");
        let path = folder.join("django.log");
        tokio::fs::write(&path, "first line\nsecond line\nthird\n").await.expect("a file");
        let table =
            [(1000, ("first line\nsecond line\nthird\n", false)), (17, ("third\n", true)), (3, ("", true))];
        for (bytes_max, (text, is_cut)) in table {
            assert_eq!(
                end_of(&path, bytes_max).await.expect("text"),
                FileEnd { text: text.to_owned(), is_cut },
                "{bytes_max}"
            );
        }
        assert_eq!(end_of(&folder.join("none.log"), 9).await.expect("nothing"), FileEnd::default());
        tokio::fs::remove_dir_all(&folder).await.expect("removed");
    }

    #[test]
    fn no_more_lines_than_requested() {
        let text = (0..60).map(|number| format!("line {number}\n")).collect();
        let end = FileEnd { text, is_cut: false };
        let read = last_lines("django.log", &end, 50);
        assert_eq!((read.lines.len(), read.lines[0].as_str(), read.is_cut), (50, "line 10", true));
        let read = last_lines("django.log", &end, 60);
        assert_eq!((read.lines.len(), read.is_cut), (60, false));
    }
}
