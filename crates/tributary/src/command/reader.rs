//! `tributary reader`: the model of the second reader.

use super::CliContext;
use crate::{second_reader, terminal};
use clap::{Args, Subcommand};
use domain::settings::Settings;
use std::path::{Path, PathBuf};

const BYTES_PER_MIB: f64 = 1024.0 * 1024.0;

/// Install, show or remove the model of the second reader.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary reader install ./all-MiniLM-L6-v2
  tributary reader install second-reader.safetensors --data-dir /var/lib/tributary
  tributary reader status
  tributary reader remove

The second reader compares a question with the best results and passages of an AI summary or a chat. It is off unless
SVC_SECOND_READER is true. The folder has the published files of all-MiniLM-L6-v2: model.safetensors, config.json and
vocab.txt. Nothing is downloaded. A running service reads the model when it starts.")]
pub struct ReaderCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Convert a published model, or copy a converted one, into the data folder.
    Install {
        /// Folder with model.safetensors, config.json and vocab.txt, or a converted file.
        #[arg(value_name = "PATH")]
        path: PathBuf,
    },
    /// Show whether a model is installed and used.
    Status,
    /// Delete the installed model.
    Remove,
}

impl ReaderCommand {
    pub fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let settings = cli.load_settings(&[])?.settings;
        let data_dir = Path::new(&settings.data_dir);
        match self.action {
            Action::Install { path } => install(&path, &settings, data_dir),
            Action::Status => status(&settings, data_dir),
            Action::Remove => remove(&settings, data_dir),
        }
    }
}

fn install(path: &Path, settings: &Settings, data_dir: &Path) -> anyhow::Result<()> {
    let bytes = second_reader::install(path, data_dir)?;
    let place = second_reader::model_path(data_dir);
    terminal::line(format!("Installed the model in {} ({}).", place.display(), mebibytes(bytes)));
    terminal::line(if settings.second_reader {
        "Restart the service to use it."
    } else {
        "Set SVC_SECOND_READER=true and restart the service to use it."
    });
    Ok(())
}

fn status(settings: &Settings, data_dir: &Path) -> anyhow::Result<()> {
    let place = second_reader::model_path(data_dir);
    let model = second_reader::load(data_dir)?;
    let installed = match model {
        Some(_) => format!("Installed: {} ({}).", place.display(), mebibytes(place.metadata()?.len())),
        None => format!("Not installed: there is no {}.", place.display()),
    };
    terminal::line(installed);
    let state = if settings.second_reader { "on" } else { "off" };
    terminal::line(format!("SVC_SECOND_READER is {state}."));
    Ok(())
}

fn remove(settings: &Settings, data_dir: &Path) -> anyhow::Result<()> {
    if !second_reader::remove(data_dir)? {
        terminal::line("Nothing to do: no model is installed.");
        return Ok(());
    }
    terminal::line(if settings.second_reader {
        "Removed the model. Set SVC_SECOND_READER=false and restart the service."
    } else {
        "Removed the model."
    });
    Ok(())
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / BYTES_PER_MIB)
}
