//! Exports a chat as Markdown.

use super::format::{address, heading, minute, title};
use domain::chat::{Chat, ChatMessage};

pub fn markdown(chat: &Chat, messages: &[ChatMessage]) -> String {
    let mut text = format!("# {}\n\n{}\n", escaped(title(chat)), minute(chat.date_created));
    for message in messages {
        text.push_str(&format!("\n## {}\n\n{}\n", escaped(&heading(message)), message.body.content.trim()));
        for warning in &message.body.warnings {
            text.push_str(&format!("\n> {}\n", escaped(warning)));
        }
        if !message.body.citations.is_empty() {
            text.push('\n');
        }
        for citation in &message.body.citations {
            let name = escaped(&citation.title);
            match address(citation) {
                Some(url) => text.push_str(&format!("- \\[{}\\] [{name}](<{}>)\n", citation.n, plain(url))),
                None => text.push_str(&format!("- \\[{}\\] {name}\n", citation.n)),
            }
        }
    }
    text
}

/// Escapes a text for one line of Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A URL that cannot close its angle bracket.
fn plain(url: &str) -> String {
    url.chars().filter(|c| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>')).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn a_chat_reads_like_a_page() {
        let (chat, messages) = sample("Who owns it?", "The town owns it [1].");
        let expected = "# Dams\n\n2026-11-15 12:00 UTC\n\n## You, 2026-11-15 12:00 UTC\n\nWho owns it?\n\n\
            ## Assistant, 2026-11-15 12:00 UTC, gpt-5\n\nThe town owns it [1].\n\n\
            > Check \\*this\\* answer.\n\n- \\[1\\] [The \\[big\\] dam](<https://a.example/dam>)\n- \\[3\\] A file\n";
        assert_eq!(markdown(&chat, &messages), expected);
    }

    #[test]
    fn titles_and_addresses_stay_what_they_are() {
        assert_eq!(escaped("a\n# b <img> [x](y)"), "a \\# b \\<img\\> \\[x\\](y)");
        assert_eq!(
            plain("https://a.example/> [x](https://b.example/)"),
            "https://a.example/[x](https://b.example/)"
        );
    }
}
