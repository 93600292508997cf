//! Help texts: wrapped at the width of the terminal, not at that of the source code.

use super::Cli;
use clap::{Command, CommandFactory, FromArgMatches};

/// Parses the command line; shows help or an error of usage, and exits.
pub fn parse() -> Cli {
    let matches = rewrap(Cli::command()).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Joins the lines of each paragraph below the options, of the command and its subcommands, so that clap wraps them.
fn rewrap(command: Command) -> Command {
    let text = command.get_after_help().map(|text| join_lines(&text.to_string()));
    let command = match text {
        Some(text) => command.after_help(text),
        None => command,
    };
    command.mut_subcommands(rewrap)
}

/// Indented lines, such as examples, and headings stay as they are.
fn join_lines(text: &str) -> String {
    let mut joined = String::new();
    let mut continues = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if !joined.is_empty() {
            joined.push(if continues && is_prose { ' ' } else { '\n' });
        }
        joined.push_str(line);
        continues = is_prose && !line.ends_with(':');
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_examples_are_not() {
        let text = "Examples:\n  one\n  two\n\nA long\nparagraph.\n\nAnother,\nof\nthree.";
        assert_eq!(join_lines(text), "Examples:\n  one\n  two\n\nA long paragraph.\n\nAnother, of three.");
        assert_eq!(join_lines(""), "");
    }

    #[test]
    fn help_has_no_short_lines_inside_of_paragraphs() {
        let command = rewrap(Cli::command());
        let setup = command.find_subcommand("setup").expect("the command");
        let help = setup.clone().term_width(100).render_help().to_string();
        let lines: Vec<&str> = help.lines().collect();
        let begin =
            lines.iter().position(|line| line.starts_with("On a terminal it asks")).expect("a paragraph");
        assert!(lines[begin].len() > 80 && lines[begin + 1].len() > 80, "{help}");
    }
}
