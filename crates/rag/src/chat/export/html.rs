//! Exports a chat as one HTML page, which a browser shows and prints in any script.

use super::format::{address, heading, minute, title};
use domain::chat::{Chat, ChatMessage};

/// The page loads nothing, and runs no script.
const HEAD: &str = "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<style>\
    body{font:1rem/1.5 sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}h2{font-size:1rem;margin:2rem 0 .5rem}\
    .text{white-space:pre-wrap;overflow-wrap:anywhere}small,li{font-size:.85rem}@media print{h2{break-after:avoid}}\
    </style>\n";

pub fn html(chat: &Chat, messages: &[ChatMessage]) -> String {
    let name = escaped(title(chat));
    let mut page = format!(
        "<!doctype html>\n<html>\n<head>\n{HEAD}<title>{name}</title>\n</head>\n<body>\n<h1 dir=\"auto\">{name}</h1>\n\
         <small>{}</small>\n",
        minute(chat.date_created)
    );
    for message in messages {
        let body = &message.body;
        page.push_str(&format!("<h2 dir=\"auto\">{}</h2>\n", escaped(&heading(message))));
        for paragraph in body.content.trim().split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            page.push_str(&format!("<p class=\"text\" dir=\"auto\">{}</p>\n", escaped(paragraph.trim())));
        }
        for warning in &body.warnings {
            page.push_str(&format!("<p dir=\"auto\"><small>{}</small></p>\n", escaped(warning)));
        }
        if body.citations.is_empty() {
            continue;
        }
        page.push_str("<ul>\n");
        for citation in &body.citations {
            let name = escaped(&citation.title);
            let shown = match address(citation) {
                Some(url) => format!("<a href=\"{}\" rel=\"noopener noreferrer\">{name}</a>", escaped(url)),
                None => name,
            };
            page.push_str(&format!("<li dir=\"auto\">[{}] {shown}</li>\n", citation.n));
        }
        page.push_str("</ul>\n");
    }
    page + "</body>\n</html>\n"
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn a_chat_is_a_page() {
        let (chat, messages) = sample("من يملكه؟", "The town owns it [1].\n\nПлотина 水.");
        let page = html(&chat, &messages);
        for expected in [
            "<title>Dams</title>",
            "<h2 dir=\"auto\">You, 2026-11-15 12:00 UTC</h2>",
            "<p class=\"text\" dir=\"auto\">من يملكه؟</p>",
            "<p class=\"text\" dir=\"auto\">The town owns it [1].</p>\n<p class=\"text\" dir=\"auto\">Плотина 水.</p>",
            "<small>Check *this* answer.</small>",
            "[1] <a href=\"https://a.example/dam\" rel=\"noopener noreferrer\">The [big] dam</a>",
            "[3] A file</li>",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert!(!page.contains("/etc/dam"));
    }

    #[test]
    fn hostile_texts_are_inert() {
        for bad in ["<script>x</script>", "\"><img src=x onerror=y>", "</p><p onclick='x'>"] {
            let (mut chat, mut messages) = sample(bad, bad);
            chat.spec.title = bad.to_owned();
            messages[1].body.warnings = vec![bad.to_owned()];
            messages[1].body.ai_model = bad.to_owned();
            messages[1].body.citations[0].title = bad.to_owned();
            messages[1].body.citations[0].url = format!("https://a.example/{bad}");
            let page = html(&chat, &messages);
            for tag in ["<script", "<img", "<p onclick"] {
                assert!(!page.contains(tag), "{tag}: {page}");
            }
        }
    }
}
