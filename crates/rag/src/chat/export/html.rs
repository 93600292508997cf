//! Exports a chat as one HTML page, which a browser shows and prints in any script.

use super::format::{address, heading, minute, title};
use super::html_blocks::{escaped, push_blocks};
use crate::prose::blocks;
use domain::ai_provider::EXTRACTIVE_MODEL;
use domain::chat::{Chat, ChatMessage, MessageContent, Speaker};

/// The page loads nothing, and runs no script.
const HEAD: &str = "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<style>\
    body{font:1rem/1.5 sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}h2{font-size:1rem;margin:2rem 0 .5rem}\
    h3{font-size:1rem}.text{white-space:pre-wrap;overflow-wrap:anywhere}small,.sources{font-size:.85rem}\
    pre,.table{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid;padding:.2rem .6rem;\
    text-align:start;vertical-align:top}.center{text-align:center}.end{text-align:end}\
    @media print{h2,h3{break-after:avoid}pre,.table{overflow:visible;white-space:pre-wrap}}\
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
        match message.role {
            Speaker::User => push_verbatim(&mut page, &body.content),
            Speaker::Assistant => push_answer(&mut page, body),
        }
        for warning in &body.warnings {
            page.push_str(&format!("<p dir=\"auto\"><small>{}</small></p>\n", escaped(warning)));
        }
        if body.citations.is_empty() {
            continue;
        }
        page.push_str("<ul class=\"sources\">\n");
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

/// What a user wrote is not Markdown.
fn push_verbatim(page: &mut String, text: &str) {
    for paragraph in text.trim().split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
        page.push_str(&format!("<p class=\"text\" dir=\"auto\">{}</p>\n", escaped(paragraph.trim())));
    }
}

fn push_answer(page: &mut String, body: &MessageContent) {
    let sources = body.citations.iter().map(|citation| citation.n).collect();
    // Extracted sentences come from different sources, so each is a paragraph.
    let is_extractive = body.ai_model == EXTRACTIVE_MODEL;
    let text = if is_extractive { &body.content.replace('\n', "\n\n") } else { &body.content };
    push_blocks(page, &blocks(text, &sources));
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
    fn answers_have_their_structure_and_questions_do_not() {
        let text = "**Dams**:\n\n| Name | Built |\n|---|---|\n| *Old* [1] | 1920 |";
        let (chat, messages) = sample(text, text);
        let page = html(&chat, &messages);
        assert!(page.contains("<p class=\"text\" dir=\"auto\">**Dams**:</p>"), "{page}");
        assert!(page.contains("<p class=\"text\" dir=\"auto\"><strong>Dams</strong>:</p>"), "{page}");
        assert!(page.contains("<td dir=\"auto\"><em>Old</em> [1]</td><td dir=\"auto\">1920</td>"), "{page}");
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
