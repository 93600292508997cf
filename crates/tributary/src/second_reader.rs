//! The model of the second reader: a file in the data folder, which `tributary reader` installs.

use crate::ownership;
use anyhow::{Context, ensure};
use domain::settings::Settings;
use federation::CpuPool;
use rag::SecondReader;
use relevancy::second_reader::{ReaderModel, convert};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The converted model in the data folder.
pub const MODEL_FILE: &str = "second-reader.safetensors";
/// The files of a published model.
const PUBLISHED_FILES: [&str; 3] = ["model.safetensors", "config.json", "vocab.txt"];
const BYTES_PER_MIB: u64 = 1024 * 1024;
/// Maximum sizes in bytes: of a converted model, a published model, and each of the texts beside it.
const CONVERTED_BYTES_MAX: u64 = 64 * BYTES_PER_MIB;
const PUBLISHED_BYTES_MAX: u64 = 256 * BYTES_PER_MIB;
const TEXT_BYTES_MAX: u64 = 4 * BYTES_PER_MIB;

/// The second reader of the service; `None` if it is off or its model cannot be used, which the log says.
pub fn open(settings: &Settings, cpu: &CpuPool) -> Option<Arc<SecondReader>> {
    if !settings.second_reader {
        return None;
    }
    match load(Path::new(&settings.data_dir)) {
        Ok(Some(model)) => {
            let vector = move |text: &str| model.vector(text);
            Some(Arc::new(SecondReader::new(cpu.clone(), Arc::new(vector))))
        }
        Ok(None) => {
            tracing::warn!(
                "SVC_SECOND_READER is on, but no model is installed; run: tributary reader install PATH"
            );
            None
        }
        Err(error) => {
            tracing::warn!("the model of the second reader cannot be used: {error:#}");
            None
        }
    }
}

/// Where the model is in a data folder.
pub fn model_path(data_dir: &Path) -> PathBuf {
    data_dir.join(MODEL_FILE)
}

/// The installed model; `None` if there is none.
pub fn load(data_dir: &Path) -> anyhow::Result<Option<ReaderModel>> {
    let path = model_path(data_dir);
    if !path.exists() {
        return Ok(None);
    }
    let file = read_bounded(&path, CONVERTED_BYTES_MAX)?;
    Ok(Some(checked(&file).with_context(|| path.display().to_string())?))
}

/// Installs the model of a folder with the published files, or a converted file. Returns its size in bytes. A model
/// that is already installed stays until the new one is complete.
pub fn install(path: &Path, data_dir: &Path) -> anyhow::Result<u64> {
    // A published file that is named instead of its folder is larger, and the error says what it is.
    let file = if path.is_dir() { converted(path)? } else { read_bounded(path, PUBLISHED_BYTES_MAX)? };
    checked(&file).with_context(|| format!("{} was not installed", path.display()))?;
    ensure!(file.len() as u64 <= CONVERTED_BYTES_MAX, "{} is larger than a model", path.display());
    std::fs::create_dir_all(data_dir)
        .with_context(|| format!("the data folder {} cannot be created", data_dir.display()))?;
    let place = model_path(data_dir);
    let write = || -> anyhow::Result<()> {
        let mut temporary = tempfile::NamedTempFile::new_in(data_dir)?;
        temporary.write_all(&file)?;
        temporary.as_file().sync_all()?;
        ownership::chown_like(data_dir, temporary.path())?;
        temporary.persist(&place).map_err(|error| error.error)?;
        Ok(())
    };
    write().with_context(|| format!("{} cannot be written", place.display()))?;
    Ok(file.len() as u64)
}

/// Removes the installed model. Returns whether there was one.
pub fn remove(data_dir: &Path) -> anyhow::Result<bool> {
    let path = model_path(data_dir);
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("{} cannot be removed", path.display())),
    }
}

/// The converted file of a folder with a published model.
fn converted(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let [model, config, vocabulary] = PUBLISHED_FILES.map(|name| folder.join(name));
    let text = |path: &Path| -> anyhow::Result<String> {
        String::from_utf8(read_bounded(path, TEXT_BYTES_MAX)?)
            .with_context(|| format!("{} is not a text", path.display()))
    };
    let (config, vocabulary) = (text(&config)?, text(&vocabulary)?);
    let model = read_bounded(&model, PUBLISHED_BYTES_MAX)?;
    convert(&model, &config, &vocabulary).with_context(|| format!("{} was not installed", folder.display()))
}

/// The model of a converted file, if it makes a vector of a text.
fn checked(file: &[u8]) -> anyhow::Result<ReaderModel> {
    let model = ReaderModel::read(file)?;
    ensure!(model.vector("A river in spring.").is_some(), "the model makes no vector of a text");
    Ok(model)
}

fn read_bounded(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let cannot_read = || format!("{} cannot be read", path.display());
    let file = File::open(path).with_context(cannot_read)?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).with_context(cannot_read)?;
    ensure!(
        bytes.len() as u64 <= bytes_max,
        "{} is larger than {} MiB",
        path.display(),
        bytes_max / BYTES_PER_MIB
    );
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 10]).unwrap();
        assert_eq!(read_bounded(&path, 10).unwrap(), [7; 10]);
        let error = read_bounded(&path, 9).unwrap_err().to_string();
        assert!(error.contains("is larger than"), "{error}");
        let error = read_bounded(&folder.path().join("missing"), 9).unwrap_err().to_string();
        assert!(error.contains("missing cannot be read"), "{error}");
    }

    #[test]
    fn without_a_usable_model_there_is_no_second_reader() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().display().to_string();
        let settings =
            |second_reader| Settings { data_dir: data_dir.clone(), second_reader, ..Settings::default() };
        let cpu = CpuPool::new();
        assert!(open(&settings(true), &cpu).is_none());
        assert!(load(folder.path()).unwrap().is_none());
        assert!(!remove(folder.path()).unwrap());
        std::fs::write(model_path(folder.path()), "no model").unwrap();
        assert!(open(&settings(true), &cpu).is_none() && open(&settings(false), &cpu).is_none());
        let error = format!("{:#}", load(folder.path()).err().unwrap());
        assert!(error.contains(MODEL_FILE) && error.contains("not a safetensors file"), "{error}");
        assert!(remove(folder.path()).unwrap());
    }

    #[test]
    fn a_broken_model_does_not_replace_the_installed_one() {
        let (folder, published) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(model_path(folder.path()), "installed").unwrap();
        let refused = |path: &Path| format!("{:#}", install(path, folder.path()).unwrap_err());
        assert!(refused(published.path()).contains("config.json cannot be read"));
        for (name, text) in [("config.json", "{}"), ("vocab.txt", "[PAD]\n"), ("model.safetensors", "")] {
            std::fs::write(published.path().join(name), text).unwrap();
        }
        let error = refused(published.path());
        assert!(error.contains("was not installed") && error.contains("'model_type'"), "{error}");
        let file = published.path().join("model.safetensors");
        assert!(refused(&file).contains("not a safetensors file"));
        assert!(refused(&published.path().join("missing")).contains("cannot be read"));
        assert_eq!(std::fs::read(model_path(folder.path())).unwrap(), b"installed");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }
}
