//! Removes the reasoning that some servers leave in the text of a reply: `<think>…</think>` before it.

use domain::ports::CompletionChunk;

/// The opening and closing tags of reasoning.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
/// Length of the longest tag and of the line break before it, in bytes.
const TAIL_BYTES_MAX: usize = 12;

/// Filters the text of one reply, which may be cut anywhere.
#[derive(Debug, Default)]
pub struct ReasoningFilter {
    place: Place,
    /// At the start, the text that is not emitted yet; later the end of the text so far.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing was read but white space and an incomplete tag.
    #[default]
    Start,
    Reasoning {
        closing: &'static str,
    },
    /// As `Start`, but after reasoning.
    AfterReasoning,
    /// The reply, unless a closing tag on a line of its own shows that it was reasoning so far: the template of some
    /// models contains the opening tag.
    Text,
    /// The reply. It is not examined, because its reasoning has ended, or because it mentions a tag itself.
    Reply,
}

impl ReasoningFilter {
    pub fn feed(&mut self, text: &str, out: &mut Vec<CompletionChunk>) {
        match self.place {
            Place::Start | Place::AfterReasoning => {
                self.held.push_str(text);
                self.begin(out);
            }
            Place::Reasoning { closing } => {
                self.held.push_str(text);
                self.reason(closing, out);
            }
            Place::Text => self.examine(text, out),
            Place::Reply => push(text, out),
        }
    }

    /// Emits what was held back.
    pub fn end(&mut self, out: &mut Vec<CompletionChunk>) {
        match self.place {
            Place::Start => push(&std::mem::take(&mut self.held), out),
            Place::AfterReasoning => push(std::mem::take(&mut self.held).trim_start(), out),
            Place::Reasoning { .. } | Place::Text | Place::Reply => {}
        }
    }

    fn begin(&mut self, out: &mut Vec<CompletionChunk>) {
        let text = self.held.trim_start();
        let mut all = TAGS.iter().flat_map(|(opening, closing)| [opening, closing]);
        if all.any(|tag| text.len() < tag.len() && tag.starts_with(text)) {
            return;
        }
        if let Some((opening, closing)) = TAGS.iter().find(|(opening, _)| text.starts_with(opening)) {
            self.place = Place::Reasoning { closing };
            self.held = text[opening.len()..].to_owned();
            return self.reason(closing, out);
        }
        if let Some(rest) = TAGS.iter().find_map(|(_, closing)| text.strip_prefix(closing)) {
            self.place = Place::AfterReasoning;
            self.held = rest.to_owned();
            return self.begin(out);
        }
        if self.place == Place::AfterReasoning {
            self.place = Place::Reply;
            return push(std::mem::take(&mut self.held).trim_start(), out);
        }
        self.place = Place::Text;
        let text = std::mem::take(&mut self.held);
        self.examine(&text, out);
    }

    fn reason(&mut self, closing: &str, out: &mut Vec<CompletionChunk>) {
        match self.held.split_once(closing) {
            Some((_, rest)) => {
                self.place = Place::AfterReasoning;
                self.held = rest.to_owned();
                self.begin(out);
            }
            None => keep_tail(&mut self.held),
        }
    }

    fn examine(&mut self, text: &str, out: &mut Vec<CompletionChunk>) {
        self.held.push_str(text);
        if TAGS.iter().any(|(opening, _)| self.held.contains(opening)) {
            self.place = Place::Reply;
        } else if let Some(rest) = TAGS.iter().find_map(|(_, closing)| after_line(&self.held, closing)) {
            out.push(CompletionChunk::ReasoningEnd);
            self.place = Place::AfterReasoning;
            self.held = rest.to_owned();
            return self.begin(out);
        } else {
            keep_tail(&mut self.held);
        }
        push(text, out);
    }
}

fn push(text: &str, out: &mut Vec<CompletionChunk>) {
    if !text.is_empty() {
        out.push(CompletionChunk::Text(text.to_owned()));
    }
}

/// The text after a line that is this tag.
fn after_line<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (before, after) = text.split_once(tag)?;
    (before.ends_with('\n') && (after.is_empty() || after.starts_with(['\n', '\r']))).then_some(after)
}

/// Keeps the end of a text, where a tag may have begun.
fn keep_tail(text: &mut String) {
    let start = text.len().saturating_sub(TAIL_BYTES_MAX);
    text.drain(..text.floor_char_boundary(start));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The reply in a text that arrives in these parts.
    fn reply(parts: &[&str]) -> String {
        let (mut filter, mut out) = (ReasoningFilter::default(), Vec::new());
        parts.iter().for_each(|part| filter.feed(part, &mut out));
        filter.end(&mut out);
        let mut reply = String::new();
        for chunk in out {
            match chunk {
                CompletionChunk::Text(text) => reply.push_str(&text),
                CompletionChunk::ReasoningEnd => reply.clear(),
                other => panic!("{other:?}"),
            }
        }
        reply
    }

    const TABLE: [(&str, &str); 16] = [
        ("The mill.", "The mill."),
        (" \nThe mill.\n", " \nThe mill.\n"),
        ("<think>\nHm.\n</think>\n\nThe mill.\n", "The mill.\n"),
        ("<thinking>a </think> b</thinking>The mill.", "The mill."),
        ("\n<think></think><think>x</think> The mill.", "The mill."),
        ("<think>Hm. It is größer", ""),
        ("<think>Hm.</think>", ""),
        ("<think>Hm.</think>\n<thin", "<thin"),
        ("Hm. It is größer.\n</think>\n\nThe mill.", "The mill."),
        ("Hm.\n</thinking>", ""),
        ("</think>\n\nThe mill.", "The mill."),
        ("<thin", "<thin"),
        ("<b>The mill.</b>", "<b>The mill.</b>"),
        ("Write </think> there.", "Write </think> there."),
        ("First\n</think>er\n", "First\n</think>er\n"),
        ("Write\n<think>\nx\n</think>\nthere.", "Write\n<think>\nx\n</think>\nthere."),
    ];

    #[test]
    fn reasoning_is_removed() {
        for (text, expected) in TABLE {
            assert_eq!(reply(&[text]), expected, "{text:?}");
        }
    }

    #[test]
    fn tags_may_be_cut_anywhere() {
        for (text, expected) in TABLE {
            let chars: Vec<String> = text.chars().map(String::from).collect();
            let parts: Vec<&str> = chars.iter().map(String::as_str).collect();
            // Whether something follows on the line of a tag is unknown while the tag is the end of the text.
            if !text.contains("</think>er") {
                assert_eq!(reply(&parts), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn little_is_held_back() {
        let mut filter = ReasoningFilter::default();
        filter.feed("<think>", &mut Vec::new());
        for _ in 0..1000 {
            filter.feed("größer ", &mut Vec::new());
            assert!(filter.held.len() <= TAIL_BYTES_MAX + 4);
        }
        let mut out = Vec::new();
        filter.feed("</think>The ", &mut out);
        assert_eq!(out, [CompletionChunk::Text("The ".to_owned())], "the reply is not held back");
    }

    proptest! {
        #[test]
        fn text_without_a_tag_is_unchanged(text in "[ a-zö\n<>/]{0,40}", cut in 0_usize..40) {
            prop_assume!(!TAGS.iter().any(|(open, close)| text.contains(open) || text.contains(close)));
            let cut = text.floor_char_boundary(cut);
            prop_assert_eq!(reply(&[&text[..cut], &text[cut..]]), text);
        }
    }
}
