//! The files of Swagger UI, read from the archive in its crate.

use std::io::{self, Cursor, Read};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

/// Larger files are not part of Swagger UI.
const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The address of the document is relative to the page, so that it is right under every prefix. Nothing is sent to an
/// external validator.
const INITIALIZER: &str = r##"window.onload = () => {
  window.ui = SwaggerUIBundle({
    "url": "../schema/",
    "dom_id": "#swagger-ui",
    "deepLinking": true,
    "validatorUrl": "none",
    "layout": "StandaloneLayout",
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [SwaggerUIBundle.plugins.DownloadUrl],
  });
};
"##;

/// The files that the page uses, and their content types.
const FILES: &[(&str, &str)] = &[
    ("swagger-initializer.js", JAVASCRIPT),
    ("swagger-ui-bundle.js", JAVASCRIPT),
    ("swagger-ui-standalone-preset.js", JAVASCRIPT),
    ("swagger-ui.css", "text/css; charset=utf-8"),
];
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

pub struct SwaggerFile {
    pub name: &'static str,
    pub content_type: &'static str,
}

impl SwaggerFile {
    pub fn of_name(name: &str) -> Option<Self> {
        let (name, content_type) = FILES.iter().find(|(known, _)| *known == name)?;
        Some(Self { name, content_type })
    }

    /// Decompresses the file, which takes a few milliseconds.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        if self.name == "swagger-initializer.js" {
            return Ok(INITIALIZER.as_bytes().to_vec());
        }
        let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
        // The outer folder is named after the version.
        let inner = format!("dist/{}", self.name);
        let is_it = |path: &[u8]| path.splitn(2, |byte| *byte == b'/').nth(1) == Some(inner.as_bytes());
        let index = archive.file_names_raw().position(is_it).ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = Vec::new();
        archive.by_index(index)?.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_the_page_names_is_in_the_archive() {
        for (name, _) in FILES {
            let bytes = SwaggerFile::of_name(name).unwrap().read().unwrap();
            assert!(bytes.len() > 300, "{name}: {}", bytes.len());
        }
        let bundle = SwaggerFile::of_name("swagger-ui-bundle.js").unwrap().read().unwrap();
        assert!(String::from_utf8(bundle).unwrap().contains("SwaggerUIBundle"));
        for name in ["swagger-ui.js", "index.html", "../package.json", ""] {
            assert!(SwaggerFile::of_name(name).is_none(), "{name}");
        }
    }
}
