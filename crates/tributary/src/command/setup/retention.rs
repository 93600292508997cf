//! Asks once how long to keep searches, and writes the answer to the settings file.

use crate::command::CliContext;
use crate::{config, terminal};
use anyhow::{Context, bail};
use domain::retention::Retention;
use domain::settings::{LoadedSettings, SettingOrigin, SettingValue};
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

const NAME: &str = "SVC_DEFAULT_RETENTION";
const RECOMMENDED: Retention = Retention::Month;
/// Maximum number of attempts to answer.
const QUESTIONS_MAX: usize = 3;

/// Takes the value from the command line or asks on the terminal, and writes it to the settings file. Returns the file
/// if it is new. Without an answer nothing is written.
pub fn decide(cli: &CliContext, given: Option<Retention>) -> anyhow::Result<Option<PathBuf>> {
    let read = cli.load_settings(&[])?;
    if let Some(origin) = origin(&read).filter(|origin| *origin != SettingOrigin::Default) {
        let effective = read.settings.default_retention;
        if let Some(given) = given.filter(|given| *given != effective) {
            bail!(
                "--default-retention {}: {NAME} is already {}, from the {}; change it there",
                given.number(),
                effective.number(),
                origin.as_str()
            );
        }
        return Ok(None);
    }
    let stdin = std::io::stdin();
    let decided = match given {
        Some(given) => Some(given),
        None if stdin.is_terminal() => ask(&mut stdin.lock(), &mut std::io::stderr())?,
        None => None,
    };
    let Some(retention) = decided else { return Ok(None) };
    let file = config::add(cli.config.as_deref(), NAME, &retention.toml())
        .with_context(|| format!("set {NAME}={} in the environment instead", retention.number()))?;
    terminal::line(format!(
        "Unsaved searches are kept {}: {NAME} = {} in {}.",
        lasting(retention),
        retention.number(),
        file.path.display()
    ));
    Ok(file.is_new.then_some(file.path))
}

fn origin(read: &LoadedSettings) -> Option<SettingOrigin> {
    read.effective.iter().find(|row| row.name == NAME).map(|row| row.origin)
}

fn lasting(retention: Retention) -> String {
    match retention {
        Retention::Forever => retention.name().to_owned(),
        other => format!("for {}", other.name()),
    }
}

/// Returns `None` without an answer.
fn ask(input: &mut impl BufRead, screen: &mut impl Write) -> anyhow::Result<Option<Retention>> {
    let choices = Retention::ALL.map(|one| format!("  {}  {}", one.number(), one.name())).join("\n");
    writeln!(
        screen,
        "How long should searches be kept after their last change? Saved and subscribed searches never expire.\n{choices}"
    )?;
    for _ in 0..QUESTIONS_MAX {
        write!(screen, "Your choice [{}, recommended]: ", RECOMMENDED.number())?;
        screen.flush()?;
        let mut answer = String::new();
        if input.read_line(&mut answer)? == 0 {
            return Ok(None);
        }
        match answer.trim() {
            "" => return Ok(Some(RECOMMENDED)),
            text => match Retention::parse(text) {
                Ok(retention) => return Ok(Some(retention)),
                Err(needed) => writeln!(screen, "'{}' is not one of them: {needed}.", text.escape_debug())?,
            },
        }
    }
    bail!("no valid choice; nothing was created. Use --default-retention, or set {NAME}")
}

/// The advice to set a retention, while none is set.
pub fn advice(read: &LoadedSettings) -> Option<&'static str> {
    let is_undecided = origin(read) == Some(SettingOrigin::Default);
    (is_undecided && read.settings.default_retention == Retention::Forever).then_some(
        "Searches are kept forever. To keep them for a month (recommended), set SVC_DEFAULT_RETENTION=3; \
         saved and subscribed searches never expire.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::settings::{RawSettings, Settings};

    fn ask_with(answers: &str) -> (anyhow::Result<Option<Retention>>, String) {
        let mut screen = Vec::new();
        let decided = ask(&mut answers.as_bytes(), &mut screen);
        (decided, String::from_utf8(screen).unwrap())
    }

    #[test]
    fn the_question_recommends_a_month_and_takes_numbers_and_words() {
        for (answers, expected) in [
            ("\n", Some(Retention::Month)),
            ("2\n", Some(Retention::Day)),
            (" 1 hour \n", Some(Retention::Hour)),
            ("0\n", Some(Retention::Forever)),
            ("month\n9\n3\n", Some(Retention::Month)),
            ("", None),
            ("9\n", None),
        ] {
            let (decided, screen) = ask_with(answers);
            assert_eq!(decided.unwrap(), expected, "{answers:?}");
            assert!(screen.contains("3  1 month") && screen.contains("[3, recommended]"), "{screen}");
        }
    }

    #[test]
    fn invalid_answers_are_rejected_and_end() {
        let (decided, screen) = ask_with("soon\n5\n-1\n3\n");
        assert!(decided.unwrap_err().to_string().contains("nothing was created"));
        assert_eq!(
            screen.matches("is not one of them: one of 0 (for ever)").count(),
            QUESTIONS_MAX,
            "{screen}"
        );
    }

    #[test]
    fn keeping_searches_forever_comes_with_advice() {
        let read = |value: &str| {
            let file = [(NAME.to_owned(), value.to_owned())].into();
            Settings::parse(&RawSettings { file, ..RawSettings::default() }).unwrap()
        };
        assert!(advice(&read("")).is_some_and(|line| line.contains("SVC_DEFAULT_RETENTION=3")));
        for decided in ["0", "3"] {
            assert_eq!(advice(&read(decided)), None, "{decided}");
        }
    }
}
