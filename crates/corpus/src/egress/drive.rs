//! Identifies the drive item that a URL points to. The same file has many URLs, and one id.

use domain::corpus::{Signal, SourceKind};
use serde_json::Value;
use url::Url;

/// Shorter ids are not unique enough.
const ID_CHARS_MIN: usize = 8;
/// Longest id that is considered.
const ID_CHARS_MAX: usize = 200;

/// The vendor of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriveVendor {
    Google,
    Microsoft,
    Box,
}

impl DriveVendor {
    fn of(url: &Url) -> Option<Self> {
        let host = url.host_str()?;
        let is_of =
            |end: &str| host.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        match () {
            () if is_of("google.com") || is_of("googleapis.com") => Some(Self::Google),
            () if ["sharepoint.com", "sharepoint.us", "sharepoint.cn", "onedrive.live.com"]
                .into_iter()
                .any(is_of) =>
            {
                Some(Self::Microsoft)
            }
            () if is_of("box.com") => Some(Self::Box),
            () => None,
        }
    }

    /// The id with its vendor. None if it is not an id.
    fn item(self, id: &str) -> Option<String> {
        let id = id.trim();
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '!' | '{' | '}' | '.');
        if !(ID_CHARS_MIN..=ID_CHARS_MAX).contains(&id.len()) || !id.chars().all(known) {
            return None;
        }
        Some(match self {
            // Google ids are case-sensitive.
            Self::Google => format!("google:{id}"),
            Self::Microsoft => {
                let bare: String = id.chars().filter(|c| !matches!(c, '{' | '}' | '-')).collect();
                format!("microsoft:{}", bare.to_ascii_lowercase())
            }
            Self::Box => format!("box:{id}"),
        })
    }
}

/// The drive item that a link points to.
pub fn item_of(url: &Url) -> Option<String> {
    let vendor = DriveVendor::of(url)?;
    let parts: Vec<&str> = url.path_segments()?.collect();
    let after = |name: &str| {
        let at = parts.iter().position(|part| *part == name)?;
        parts.get(at + 1).copied().map(str::to_owned)
    };
    let parameter = |names: &[&str]| {
        let mut pairs = url.query_pairs();
        pairs.find(|(name, _)| names.contains(&name.as_ref())).map(|(_, value)| value.into_owned())
    };
    let id = match vendor {
        DriveVendor::Google => after("d").or_else(|| after("folders")).or_else(|| parameter(&["id"])),
        DriveVendor::Microsoft => parameter(&["sourcedoc", "resid"])
            // `d=w` and the id without hyphens.
            .or_else(|| parameter(&["d"]).and_then(|text| text.strip_prefix('w').map(str::to_owned)))
            .or_else(|| parameter(&["id"])),
        DriveVendor::Box => after("file"),
    };
    vendor.item(&id?)
}

/// Another URL of the same file: a SharePoint sharing link with `/:w:/r/` contains the path.
pub fn direct(url: &Url) -> Option<Url> {
    DriveVendor::of(url).filter(|vendor| *vendor == DriveVendor::Microsoft)?;
    let path = url.path().strip_prefix("/:")?;
    let (kind, path) = path.split_once(":/r/")?;
    if kind.len() != 1 {
        return None;
    }
    let mut direct = url.clone();
    direct.set_path(&format!("/{path}"));
    direct.set_query(None);
    direct.set_fragment(None);
    Some(direct)
}

/// The drive items of a cached document: by its URL, and by its id at the source.
pub fn items_of(signal: &Signal) -> Vec<String> {
    let Ok(url) = Url::parse(&signal.url) else { return Vec::new() };
    let mut items: Vec<String> = item_of(&url).into_iter().collect();
    let is_drive = matches!(signal.source_kind, SourceKind::Drive | SourceKind::Dms);
    if let Some(vendor) = DriveVendor::of(&url).filter(|_| is_drive) {
        items.extend(ids(&signal.external_id).iter().filter_map(|id| vendor.item(id)));
    }
    items.sort();
    items.dedup();
    items
}

/// One id, or several by name.
fn ids(external_id: &str) -> Vec<String> {
    match serde_json::from_str(external_id) {
        Ok(Value::Object(values)) => values.values().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ if external_id.is_empty() => Vec::new(),
        _ => vec![external_id.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_addresses_have_one_id() {
        let google = Some("google:1AbCdEfGhIjK");
        let microsoft = Some("microsoft:0f8fad5bd9cb469fa16570867728950e");
        let table = [
            ("https://drive.google.com/file/d/1AbCdEfGhIjK/view?usp=sharing", google),
            ("https://docs.google.com/document/d/1AbCdEfGhIjK/edit#heading=h.1", google),
            ("https://drive.google.com/open?id=1AbCdEfGhIjK", google),
            ("https://drive.google.com/a/firm.example/uc?export=download&id=1AbCdEfGhIjK", google),
            (
                "https://f.sharepoint.com/:w:/r/sites/a/_layouts/15/Doc.aspx?sourcedoc=%7B0F8FAD5B-D9CB-469F-A165-70867728950E%7D&file=a.docx",
                microsoft,
            ),
            (
                "https://f.sharepoint.com/:w:/r/sites/a/Docs/a.docx?d=w0f8fad5bd9cb469fa16570867728950e&csf=1",
                microsoft,
            ),
            ("https://onedrive.live.com/edit?id=ABCDEF12%211234&cid=x", Some("microsoft:abcdef12!1234")),
            ("https://app.box.com/file/123456789012", Some("box:123456789012")),
            ("https://app.box.com/file/12", None),
            ("https://drive.google.com/drive/my-drive", None),
            ("https://drive.google.com.evil.example/file/d/1AbCdEfGhIjK/view", None),
            ("https://a.example/file/d/1AbCdEfGhIjK/view", None),
        ];
        for (text, expected) in table {
            assert_eq!(item_of(&Url::parse(text).unwrap()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_sharing_link_shows_its_path() {
        let table = [
            (
                "https://f.sharepoint.com/:w:/r/sites/a/Docs/a%20b.docx?d=w1&e=x",
                Some("https://f.sharepoint.com/sites/a/Docs/a%20b.docx"),
            ),
            ("https://f.sharepoint.com/:w:/s/a/EabcDEF", None),
            ("https://a.example/:w:/r/sites/a/Docs/a.docx", None),
        ];
        for (text, expected) in table {
            assert_eq!(direct(&Url::parse(text).unwrap()).map(String::from).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn ids_of_a_source_are_read() {
        assert_eq!(ids("f7"), ["f7"]);
        assert_eq!(ids(r#"{"id":"a","part":"b","n":1}"#), ["a", "b"]);
        assert!(ids("").is_empty());
    }
}
