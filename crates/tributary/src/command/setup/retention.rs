//! How long searches are kept: asked once, and written to the settings file.

use crate::command::Place;
use crate::{given, terminal};
use anyhow::{Context, bail};
use domain::retention::Retention;
use domain::settings::{ReadSettings, SettingOrigin, SettingValue};
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

const NAME: &str = "SVC_DEFAULT_RETENTION";
const RECOMMENDED: Retention = Retention::Month;
/// How often a question is asked again after an answer that is none.
const QUESTIONS_MAX: usize = 3;

/// Takes the value of the command line, or asks somebody who sits there, and writes it to the settings file. The file, if
/// there was none before. Without an answer nothing is written.
pub fn decide(place: &Place, given: Option<Retention>) -> anyhow::Result<Option<PathBuf>> {
    let read = place.read(&[])?;
    if let Some(origin) = origin(&read).filter(|origin| *origin != SettingOrigin::Default) {
        let in_force = read.settings.default_retention;
        if let Some(given) = given.filter(|given| *given != in_force) {
            bail!(
                "--default-retention {}: {NAME} is {} already, from the {}; change it there",
                given.number(),
                in_force.number(),
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
    let (file, is_new) = given::add(place.config.as_deref(), NAME, &retention.toml())
        .with_context(|| format!("set {NAME}={} in the environment instead", retention.number()))?;
    terminal::line(format!(
        "Searches that nobody saves are kept {}: {NAME} = {} is in {}.",
        lasting(retention),
        retention.number(),
        file.display()
    ));
    Ok(is_new.then_some(file))
}

fn origin(read: &ReadSettings) -> Option<SettingOrigin> {
    read.in_force.iter().find(|row| row.name == NAME).map(|row| row.origin)
}

fn lasting(retention: Retention) -> String {
    match retention {
        Retention::Forever => retention.name().to_owned(),
        other => format!("for {}", other.name()),
    }
}

/// None when nobody answers.
fn ask(input: &mut impl BufRead, screen: &mut impl Write) -> anyhow::Result<Option<Retention>> {
    let choices = Retention::ALL.map(|one| format!("  {}  {}", one.number(), one.name())).join("\n");
    writeln!(
        screen,
        "How long are searches kept after their last change? Saved and subscribed searches stay.\n{choices}"
    )?;
    for _ in 0..QUESTIONS_MAX {
        write!(screen, "Your choice [{}, as we recommend]: ", RECOMMENDED.number())?;
        screen.flush()?;
        let mut answer = String::new();
        if input.read_line(&mut answer)? == 0 {
            return Ok(None);
        }
        match answer.trim() {
            "" => return Ok(Some(RECOMMENDED)),
            text => match Retention::parse(text) {
                Ok(retention) => return Ok(Some(retention)),
                Err(needed) => writeln!(screen, "'{}' is none of them: {needed}.", text.escape_debug())?,
            },
        }
    }
    bail!("no answer was one of the choices; nothing was made. Use --default-retention, or set {NAME}")
}

/// What to decide before the first search, while nobody has decided how long searches are kept.
pub fn advice(read: &ReadSettings) -> Option<&'static str> {
    let is_undecided = origin(read) == Some(SettingOrigin::Default);
    (is_undecided && read.settings.default_retention == Retention::Forever).then_some(
        "Searches are kept for ever. To keep them for a month, as we recommend, set SVC_DEFAULT_RETENTION=3; saved and \
         subscribed searches stay.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::settings::{GivenSettings, Settings};

    fn asked(answers: &str) -> (anyhow::Result<Option<Retention>>, String) {
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
            let (decided, screen) = asked(answers);
            assert_eq!(decided.unwrap(), expected, "{answers:?}");
            assert!(screen.contains("3  1 month") && screen.contains("[3, as we recommend]"), "{screen}");
        }
    }

    #[test]
    fn answers_that_are_none_are_refused_and_end() {
        let (decided, screen) = asked("soon\n5\n-1\n3\n");
        assert!(decided.unwrap_err().to_string().contains("nothing was made"));
        assert_eq!(screen.matches("is none of them: one of 0 (for ever)").count(), QUESTIONS_MAX, "{screen}");
    }

    #[test]
    fn who_sets_up_is_told_of_searches_that_are_kept_for_ever() {
        let read = |value: &str| {
            let file = [(NAME.to_owned(), value.to_owned())].into();
            Settings::read(&GivenSettings { file, ..GivenSettings::default() }).unwrap()
        };
        assert!(advice(&read("")).is_some_and(|line| line.contains("SVC_DEFAULT_RETENTION=3")));
        for decided in ["0", "3"] {
            assert_eq!(advice(&read(decided)), None, "{decided}");
        }
    }
}
