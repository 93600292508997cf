//! Addresses that a browser executes instead of opening a page.

/// Schemes whose addresses contain a script or a document, or show one.
const SCHEMES: [&str; 9] =
    ["javascript", "jscript", "livescript", "vbscript", "data", "blob", "filesystem", "about", "view-source"];

/// Whether opening the address could execute what it contains. Reads the scheme as browsers do: they skip what is
/// invisible before it, and line breaks and tabs within it.
pub fn is_script_url(url: &str) -> bool {
    // Most addresses.
    if url.starts_with("http") {
        return false;
    }
    let shown = url.trim_start_matches(|c: char| c.is_control() || c.is_whitespace());
    let mut scheme = String::new();
    for c in shown.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')) {
        match c {
            ':' => return SCHEMES.contains(&scheme.as_str()),
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.') => {
                scheme.push(c.to_ascii_lowercase())
            }
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_recognized_as_browsers_do() {
        for url in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            " \u{1}javascript:alert(1)",
            "\u{a0}javascript:alert(1)",
            "java\nscr\tipt\r:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "DATA:,x",
            "vbscript:x",
            "blob:https://a.example/1",
            "view-source:https://a.example",
            "about:blank",
        ] {
            assert!(is_script_url(url), "{url:?}");
        }
        for url in [
            "",
            "https://a.example/?q=javascript:alert(1)",
            "http://a.example",
            "//a.example/javascript:x",
            "/javascript:x",
            "file:///srv/a.pdf",
            "mailto:a@b.example",
            "database://x",
            "javascript",
            "a javascript:x",
            "urn:isbn:1",
        ] {
            assert!(!is_script_url(url), "{url:?}");
        }
    }
}
