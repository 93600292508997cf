//! Packs the files of `web/` into one compressed file, which becomes part of the program: a third of their size.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "Cargo and a build script talk by these"
)]

use flate2::Compression;
use flate2::write::GzEncoder;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../web");
    let root = Path::new("../../web");
    let mut files = Vec::new();
    find_files(root, &mut files)?;
    files.sort();
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    for path in files {
        let name = path.strip_prefix(root)?.components().map(|part| part.as_os_str().to_string_lossy());
        let name = name.collect::<Vec<_>>().join("/");
        let content = fs::read(&path)?;
        // As `src/ui/embedded_files.rs` reads them.
        writeln!(packed, "{name}\t{}", content.len())?;
        packed.write_all(&content)?;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("web.gz");
    fs::write(out, packed.finish()?)?;
    Ok(())
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { find_files(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
