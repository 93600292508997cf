//! `tributary logs`: shows and follows the log files.

use super::CliContext;
use super::serve::wait_for_stop_signal;
use crate::logs::{self, Line, LineFilter, LogFile, LogFollower};
use crate::terminal;
use clap::Args;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;
use tracing::Level;

/// Show the last lines of all log files, sorted by time, and follow them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary logs                                follow everything
  tributary logs --level warn                   warnings and errors only
  tributary logs --search 42 --no-follow        lines of one search
  tributary logs --request 0f3a9c5e7b1d2f48     lines of one X-Request-Id
  tributary logs --file django,beats --grep Throttled
  tributary logs --lines 1000 --no-follow | less

Files: django, search, search-orchestrator, interactive, pagefetch, maintenance, healthcheck, corpus, beats.
Rotated files (django.log.1, …) are included if the last lines extend to them.")]
pub struct Logs {
    /// Only these files, by short name or file name.
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 1..)]
    file: Vec<LogFile>,
    /// Minimum level: error, warn, info, debug or trace.
    #[arg(long)]
    level: Option<Level>,
    /// Only lines of the search with this id.
    #[arg(long, value_name = "ID")]
    search: Option<i64>,
    /// Only lines of the request with this X-Request-Id.
    #[arg(long, value_name = "ID")]
    request: Option<String>,
    /// Only lines that contain this text, ignoring case.
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    /// Number of last lines to show.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=LINES_MAX))]
    lines: u32,
    /// Exit after the last lines.
    #[arg(long)]
    no_follow: bool,
}

/// Maximum of `--lines`, which are sorted in memory.
const LINES_MAX: i64 = 100_000;
/// Poll interval.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// ANSI colors of the files, in their order.
const FILE_COLORS: [&str; 9] = ["36", "34", "94", "35", "95", "96", "90", "33", "32"];

impl Logs {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let folder = logs::folder(&PathBuf::from(cli.load_settings(&[])?.settings.data_dir));
        let mut files: Vec<LogFollower> = LogFile::all()
            .filter(|log| self.file.is_empty() || self.file.contains(log))
            .map(|log| LogFollower::new(&folder, log))
            .collect();
        if !folder.exists() {
            terminal::note(format!("No logs in {} yet; the service writes them.", folder.display()));
        }
        let reader = Reader {
            filter: self.filter(),
            is_colored: io::stdout().is_terminal(),
            count: self.lines as usize,
        };
        let followed = async {
            reader.show_last(&mut files)?;
            if self.no_follow {
                return Ok(());
            }
            loop {
                reader.show_new(&mut files)?;
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let ended = tokio::select! {
            ended = followed => ended,
            stopped = wait_for_stop_signal() => return stopped,
        };
        match ended {
            // The reader closed the pipe.
            Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(Failure::Output(error)) => Err(error.into()),
            Err(Failure::Read(log, error)) => {
                anyhow::bail!("{} cannot be read: {error}", folder.join(log.file_name()).display())
            }
            Ok(()) => Ok(()),
        }
    }

    fn filter(&self) -> LineFilter {
        LineFilter {
            level: self.level,
            search: self.search,
            request: self.request.clone(),
            text: self.grep.as_ref().map(|text| text.to_lowercase()),
        }
    }
}

enum Failure {
    Output(io::Error),
    Read(LogFile, io::Error),
}

struct Reader {
    filter: LineFilter,
    is_colored: bool,
    count: usize,
}

impl Reader {
    fn show_last(&self, files: &mut [LogFollower]) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for file in files {
            let last = file.last(self.count, &self.filter).map_err(|error| Failure::Read(file.log, error))?;
            lines.extend(with_file(file.log, last));
        }
        let lines = by_time(lines);
        self.show(&lines[lines.len().saturating_sub(self.count)..])
    }

    fn show_new(&self, files: &mut [LogFollower]) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for file in files {
            let new = file.new_lines().map_err(|error| Failure::Read(file.log, error))?;
            lines.extend(with_file(file.log, new).filter(|(_, line)| self.filter.includes(line)));
        }
        self.show(&by_time(lines))
    }

    fn show(&self, lines: &[(LogFile, Line)]) -> Result<(), Failure> {
        let mut output = io::BufWriter::new(io::stdout().lock());
        let written = lines.iter().try_for_each(|(log, line)| writeln!(output, "{}", self.shown(*log, line)));
        written.and_then(|()| output.flush()).map_err(Failure::Output)
    }

    fn shown(&self, log: LogFile, line: &Line) -> String {
        let name = format!("{:<19}", log.short_name());
        let level = line.level.map_or("", |level| level.as_str());
        let (time, text) = (&line.time, &line.text);
        if !self.is_colored {
            return format!("{name} {time} {level:>5} {text}");
        }
        let (of_file, of_level) = (FILE_COLORS[log as usize], level_color(line.level));
        format!("\x1b[{of_file}m{name}\x1b[0m \x1b[2m{time}\x1b[0m \x1b[{of_level}m{level:>5}\x1b[0m {text}")
    }
}

/// A line without a time gets the time of the line before it.
fn with_file(log: LogFile, lines: Vec<Line>) -> impl Iterator<Item = (LogFile, Line)> {
    let mut time = String::new();
    lines.into_iter().map(move |mut line| {
        if line.time.is_empty() {
            line.time.clone_from(&time);
        } else {
            time.clone_from(&line.time);
        }
        (log, line)
    })
}

fn by_time(mut lines: Vec<(LogFile, Line)>) -> Vec<(LogFile, Line)> {
    lines.sort_by(|(_, one), (_, other)| one.time.cmp(&other.time));
    lines
}

fn level_color(level: Option<Level>) -> &'static str {
    match level {
        Some(Level::ERROR) => "1;31",
        Some(Level::WARN) => "33",
        Some(Level::INFO) => "32",
        Some(Level::DEBUG) => "34",
        Some(Level::TRACE) => "35",
        None => "0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_sorted_and_colored() {
        let read = |raw: &str| Line::parse(raw);
        let api = with_file(
            LogFile::Api,
            vec![read("2026-01-01T00:00:02.000000Z  INFO a: two"), read("no time of its own")],
        );
        let beats = with_file(
            LogFile::Beats,
            vec![
                read("2026-01-01T00:00:01.000000Z ERROR b: one"),
                read("2026-01-01T00:00:03.000000Z  WARN b: three"),
            ],
        );
        let lines = by_time(api.chain(beats).collect());
        let reader = |is_colored| Reader { filter: LineFilter::default(), is_colored, count: 50 };
        let plain: Vec<String> = lines.iter().map(|(log, line)| reader(false).shown(*log, line)).collect();
        assert_eq!(
            plain,
            [
                "beats               2026-01-01T00:00:01.000000Z ERROR b: one",
                "django              2026-01-01T00:00:02.000000Z  INFO a: two",
                "django              2026-01-01T00:00:02.000000Z       no time of its own",
                "beats               2026-01-01T00:00:03.000000Z  WARN b: three",
            ]
        );
        let colored = reader(true).shown(lines[0].0, &lines[0].1);
        assert!(colored.starts_with("\x1b[32mbeats"), "{colored}");
        assert!(colored.contains("\x1b[1;31mERROR\x1b[0m b: one"), "{colored}");
    }
}
