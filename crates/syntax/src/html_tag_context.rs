//! Which tags of a text are markup, and which are its words: in `Use <select> or <table>` there is no markup.
//!
//! A source does not say whether its texts are HTML. A tag is markup if its form shows it (attributes, `<br/>`), if it
//! has its counterpart, or if its place shows it: tags without a counterpart are also those of a truncated text, or those
//! that HTML allows to be left open. They touch the words that they mark, or are among other markup.

use crate::html_tags::{ELEMENTS, Proof, TagStart, element_ended, may_stay_open, tag_start};

/// Signs between a start tag and the first word after it.
const OPENING_SIGNS: &str = "\"“„«‘¿¡#$";
/// Signs between the last word and an end tag.
const CLOSING_SIGNS: &str = ".,;:!?)]…”»%";

pub(crate) struct TagContext<'a> {
    text: &'a str,
    /// Where the first character is that is no white space.
    begin: usize,
    /// By element: whether there was a start tag that is markup.
    started: [bool; ELEMENTS],
    /// By element: where the last end tag begins. Empty until it is needed.
    last_ends: Vec<usize>,
    /// The end of the last markup that nobody writes within a sentence.
    apart_until: Option<usize>,
    /// The end of the last sequence of tags that was examined, and whether it is markup.
    sequence: (usize, bool),
}

impl<'a> TagContext<'a> {
    pub fn of(text: &'a str) -> Self {
        let begin = text.len() - text.trim_ascii_start().len();
        Self {
            text,
            begin,
            started: [false; ELEMENTS],
            last_ends: Vec::new(),
            apart_until: None,
            sequence: (0, false),
        }
    }

    /// The tag at this place of the text, if it is markup.
    pub fn markup(&mut self, at: usize) -> Option<TagStart> {
        let tag = self.tag(at)?;
        let is_markup = match tag.proof {
            Proof::Form => true,
            Proof::Beginning => at == self.begin || self.is_after_markup(at, &tag),
            Proof::Context => {
                self.find_last_ends();
                self.has_counterpart(at, &tag) || self.is_markup_by_place(at, tag)
            }
        };
        is_markup.then_some(tag)
    }

    /// Notes that the tag is markup, up to this place.
    pub fn accept(&mut self, tag: &TagStart, end: usize) {
        if let Some(started) =
            tag.element.filter(|_| !tag.is_end).and_then(|place| self.started.get_mut(place))
        {
            *started = true;
        }
        if is_apart(tag) {
            self.accept_comment(end);
        }
    }

    pub fn accept_comment(&mut self, end: usize) {
        self.apart_until = Some(end);
    }

    /// Whether an end tag of the same element follows.
    pub fn is_ended(&mut self, at: usize, tag: &TagStart) -> bool {
        self.find_last_ends();
        tag.element.is_some_and(|element| self.last_ends[element] > at)
    }

    /// Whether there is nothing but white space since other markup.
    pub fn is_right_after_markup(&self, at: usize) -> bool {
        self.apart_until.and_then(|end| self.text.get(end..at)).is_some_and(is_blank)
    }

    fn tag(&self, at: usize) -> Option<TagStart> {
        tag_start(self.text.get(at..)?, self.byte_before(at))
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at.checked_sub(1)?).copied()
    }

    fn find_last_ends(&mut self) {
        if self.last_ends.is_empty() {
            self.last_ends = vec![0; ELEMENTS];
            // One byte is found faster than two.
            for (at, _) in self.text.match_indices('<') {
                if let Some(element) = element_ended(&self.text[at..]) {
                    self.last_ends[element] = at;
                }
            }
        }
    }

    /// Whether the element has both tags. Paragraphs, items and cells may be left open after the first one.
    fn has_counterpart(&self, at: usize, tag: &TagStart) -> bool {
        let Some(element) = tag.element else { return false };
        match (tag.is_end, tag.is_inline) {
            (true, _) => self.started[element],
            (false, true) => self.last_ends[element] > at,
            (false, false) => self.started[element] || self.last_ends[element] > at,
        }
    }

    fn is_markup_by_place(&mut self, at: usize, tag: TagStart) -> bool {
        if at >= self.sequence.0 {
            self.sequence = self.judge_sequence(at, tag);
        }
        self.sequence.1
    }

    /// The end of a sequence of tags, and whether its place or one of its tags shows that it is markup.
    fn judge_sequence(&self, start: usize, first: TagStart) -> (usize, bool) {
        let is_proven = self.is_after_markup(start, &first) || (first.is_end && self.ends_words(start));
        let (mut end, mut last) = (start, first);
        loop {
            // Only tags with attributes have no known length.
            let Some(length) = last.length else { return (end, true) };
            end += length;
            let rest = &self.text[end..];
            let gap = rest.len() - rest.trim_ascii_start().len();
            if rest[gap..].starts_with("<!--") && !last.is_inline {
                return (end, true);
            }
            match self.tag(end + gap).filter(|next| gap == 0 || !(last.is_inline || next.is_inline)) {
                Some(next) if is_apart(&next) && self.is_proven(end + gap, &next) => return (end, true),
                Some(next) => (end, last) = (end + gap, next),
                None => break,
            }
        }
        let is_begin = !last.is_end && begins_words(&self.text[end..]) && self.may_begin(start, &first);
        (end, is_proven || is_begin)
    }

    /// Whether a start tag may be directly after this text. Many scripts have no spaces between words.
    fn may_begin(&self, at: usize, tag: &TagStart) -> bool {
        match self.text[..at].chars().next_back() {
            // `vector<i>x`
            Some(before) if tag.is_inline => !(before.is_ascii_alphanumeric() || before == '_'),
            Some(before) if before.is_alphanumeric() => tag.element.is_some_and(may_stay_open),
            _ => true,
        }
    }

    fn is_proven(&self, at: usize, tag: &TagStart) -> bool {
        tag.proof == Proof::Form || self.has_counterpart(at, tag)
    }

    /// Whether other markup is directly before the tag, or before the white space before it.
    fn is_after_markup(&self, at: usize, tag: &TagStart) -> bool {
        self.apart_until == Some(at) || (!tag.is_inline && self.is_right_after_markup(at))
    }

    /// Whether the tag at this place ends words, or the text begins within the element.
    fn ends_words(&self, at: usize) -> bool {
        let is_sign = |c: char| c.is_alphanumeric() || CLOSING_SIGNS.contains(c);
        at == self.begin || self.text[..at].chars().next_back().is_some_and(is_sign)
    }
}

/// Whether a tag shows that the tags around it are markup, too. Marks of a source, such as `<em>`, are also in plain text.
fn is_apart(tag: &TagStart) -> bool {
    !tag.is_inline || tag.length.is_none()
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

fn begins_words(rest: &str) -> bool {
    let mut chars = rest.chars();
    let begins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match chars.next() {
        Some(sign) if OPENING_SIGNS.contains(sign) => begins(chars.next()),
        first => begins(first),
    }
}
