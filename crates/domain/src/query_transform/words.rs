//! Splitting of queries into words, phrases and operators, and joining of them.

use syntax::query_string::{Kind, Token, is_quotation_mark, tag_of, tokens};

/// These separate words everywhere; each is a piece of its own.
const MARKS: &str = ",;:!?()[]{}<>\"/\\|=~^*`“”„«»‹›…、。「」，；：！？（）";
/// These belong to a word, except at its end (`notebook.`, `the boys'`).
const END_MARKS: [char; 4] = ['.', '\'', '’', '‘'];
/// These belong to a word, except at its beginning.
const START_MARKS: [char; 3] = ['\'', '’', '‘'];

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// `C++`, `.NET`, `node.js`, `AT&T`, `don't`, `-term`, `10:30` and `state-of-the-art` are words.
    #[default]
    Word,
    Mark,
    /// `AND`, `OR` or `NOT`, outside of phrases.
    Operator,
    /// The quotation mark before a phrase, and a `-` before it.
    PhraseStart,
    PhraseEnd,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    pub text: String,
    /// The text in lower case.
    pub folded: String,
    pub role: Role,
    /// Preceded by white space.
    pub is_spaced: bool,
}

impl Piece {
    fn new(text: &str, role: Role, is_spaced: bool) -> Self {
        Self { folded: text.to_lowercase(), text: text.to_owned(), role, is_spaced }
    }

    /// An expression, which is not examined again.
    pub fn expression(text: String, is_spaced: bool) -> Self {
        Self { folded: String::new(), text, role: Role::Word, is_spaced }
    }

    pub fn chars(&self) -> usize {
        self.text.chars().count()
    }

    fn is_wordlike(&self) -> bool {
        matches!(self.role, Role::Word | Role::Operator)
    }
}

/// The pieces of a query or of a term.
pub fn pieces(text: &str) -> Vec<Piece> {
    Splitter::new(|c| MARKS.contains(c)).split(text)
}

/// The pieces of a pattern, in which `*` is part of a word.
pub fn pattern_pieces(text: &str) -> Vec<Piece> {
    Splitter::new(|c| c != '*' && MARKS.contains(c)).split(text)
}

/// The pieces of a text that is inserted into a phrase: there are no operators in it, and no quotation marks.
pub fn pieces_in_phrase(text: &str) -> Vec<Piece> {
    let mut pieces = pieces(&text.replace(is_quotation_mark, " "));
    let operators = pieces.iter_mut().filter(|piece| piece.role == Role::Operator);
    operators.for_each(|piece| piece.role = Role::Word);
    pieces
}

pub fn has_quotation_marks(text: &str) -> bool {
    text.contains(is_quotation_mark)
}

/// Whether the pieces have each phrase as a whole or not at all.
pub fn has_whole_phrases(pieces: &[Piece]) -> bool {
    let mut is_inside = false;
    for piece in pieces {
        match piece.role {
            Role::PhraseStart => is_inside = true,
            Role::PhraseEnd if !is_inside => return false,
            Role::PhraseEnd => is_inside = false,
            _ => {}
        }
    }
    !is_inside
}

/// Joins pieces with single spaces. Two words are never joined into one.
pub fn join(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 && (piece.is_spaced || (piece.is_wordlike() && pieces[at - 1].is_wordlike())) {
            text.push(' ');
        }
        text.push_str(&piece.text);
    }
    text
}

/// Trims white space, and collapses it to single spaces.
pub fn trimmed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Splitter<M> {
    is_mark: M,
    pieces: Vec<Piece>,
    is_spaced: bool,
}

impl<M: Fn(char) -> bool> Splitter<M> {
    fn new(is_mark: M) -> Self {
        Self { is_mark, pieces: Vec::new(), is_spaced: true }
    }

    fn split(mut self, text: &str) -> Vec<Piece> {
        self.push_query(text);
        self.pieces
    }

    fn push_query(&mut self, text: &str) {
        let mut at = 0;
        for token in tokens(text) {
            // White space, and quotation marks without a counterpart.
            self.push_text(&text[at..token.span.start]);
            let written = &text[token.span.clone()];
            match token.kind {
                Kind::Phrase => self.push_phrase(&token, written),
                Kind::And | Kind::Or | Kind::Not => self.push(written, Role::Operator),
                Kind::Word => self.push_word(written),
                Kind::Open | Kind::Close => self.push_text(written),
            }
            at = token.span.end;
        }
        self.push_text(&text[at..]);
    }

    fn push(&mut self, text: &str, role: Role) {
        self.pieces.push(Piece::new(text, role, self.is_spaced));
        self.is_spaced = false;
    }

    fn push_phrase(&mut self, token: &Token<'_>, written: &str) {
        let close = written.chars().next_back().map_or(0, char::len_utf8);
        let end = written.len() - close;
        self.push(&written[..end - token.text.len()], Role::PhraseStart);
        for (number, word) in token.text.split(char::is_whitespace).enumerate() {
            self.is_spaced |= number > 0;
            if !word.is_empty() {
                self.push_word(word);
            }
        }
        self.push(&written[end..], Role::PhraseEnd);
    }

    /// `10:30`, `std::vector` and URLs are not split.
    fn push_word(&mut self, written: &str) {
        let start = written.len() - written.trim_start_matches(&self.is_mark).len();
        let whole = written[start..].trim_end_matches(|c| END_MARKS.contains(&c) || (self.is_mark)(c));
        let has_other_marks = || whole.contains(|c| c != ':' && (self.is_mark)(c));
        let is_whole =
            whole.contains("://") || (whole.contains(':') && tag_of(whole).is_none() && !has_other_marks());
        if is_whole {
            self.push_text(&written[..start]);
            self.push(whole, Role::Word);
            self.push_text(&written[start + whole.len()..]);
        } else {
            self.push_text(written);
        }
    }

    fn push_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first.is_whitespace() {
                self.is_spaced = true;
                rest = rest.trim_start();
                continue;
            }
            let ends = |c: char| c.is_whitespace() || (self.is_mark)(c);
            let run = &rest[..rest.find(ends).unwrap_or(rest.len())];
            let (length, role) = match first_word(run) {
                Some(word) => (word.len(), Role::Word),
                None => (first.len_utf8(), Role::Mark),
            };
            self.push(&rest[..length], role);
            rest = &rest[length..];
        }
    }
}

/// The word at the beginning of a run without marks; None if the run does not begin with a word.
fn first_word(run: &str) -> Option<&str> {
    let word = run.trim_end_matches(END_MARKS);
    let is_word = !word.is_empty() && !word.starts_with(START_MARKS);
    is_word.then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_marks() {
        let cases: [(&str, &[&str]); 22] = [
            ("my laptop", &["my", "laptop"]),
            ("  my\tlaptop\n", &["my", "laptop"]),
            ("notebook.", &["notebook", "."]),
            ("\"pc\"", &["\"", "pc", "\""]),
            ("C++ C# .NET node.js", &["C++", "C#", ".NET", "node.js"]),
            ("AT&T don't -term", &["AT&T", "don't", "-term"]),
            ("state-of-the-art", &["state-of-the-art"]),
            ("news:rates,now", &["news", ":", "rates", ",", "now"]),
            ("'pc'", &["'", "pc", "'"]),
            ("wait...", &["wait", ".", ".", "."]),
            ("...", &[".", ".", "."]),
            ("24/7", &["24", "/", "7"]),
            ("tele*", &["tele", "*"]),
            ("„Größe“", &["„", "Größe", "“"]),
            ("'", &["'"]),
            ("", &[]),
            ("10:30, std::vector", &["10:30", ",", "std::vector"]),
            ("[https://a.example/b].", &["[", "https://a.example/b", "]", "."]),
            ("pc: a,b:c", &["pc", ":", "a", ",", "b", ":", "c"]),
            ("-\"my pc\"x", &["-\"", "my", "pc", "\"", "x"]),
            ("\"my pc (-a)", &["\"", "my", "pc", "(", "-a", ")"]),
            ("“ (a OR b) ”", &["“", "(", "a", "OR", "b", ")", "”"]),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = pieces(text).into_iter().map(|piece| piece.text).collect();
            assert_eq!(found, expected, "{text}");
        }
        let pattern: Vec<String> = pattern_pieces("mo*ile tele*").into_iter().map(|one| one.text).collect();
        assert_eq!(pattern, ["mo*ile", "tele*"]);
    }

    #[test]
    fn operators_and_phrases() {
        use Role::{Mark, Operator, PhraseEnd, PhraseStart, Word};
        let cases: [(&str, &[Role]); 4] = [
            ("a OR \"b OR\"", &[Word, Operator, PhraseStart, Word, Word, PhraseEnd]),
            ("a or \"b", &[Word, Word, Mark, Word]),
            ("\" (a OR b) \"", &[Mark, Mark, Word, Operator, Word, Mark, Mark]),
            ("-«a»", &[PhraseStart, Word, PhraseEnd]),
        ];
        for (text, expected) in cases {
            let roles: Vec<Role> = pieces(text).iter().map(|piece| piece.role).collect();
            assert_eq!(roles, expected, "{text}");
        }
        let found: Vec<String> = pieces_in_phrase("a OR \"b\"").into_iter().map(|piece| piece.text).collect();
        assert_eq!(found, ["a", "OR", "b"]);
        assert_eq!(pieces_in_phrase("a OR b")[1].role, Word);
    }

    #[test]
    fn joined_again() {
        for text in
            ["my laptop.", "\"pc\" a,b", "news:rates (or) wait... 'x'", "-\"a b\"c -(d) \" (a OR b) \""]
        {
            assert_eq!(join(&pieces(text)), text);
        }
        assert_eq!(join(&pieces(" a   b ")), "a b");
        let mut two = pieces("a,b");
        two.remove(1);
        assert_eq!(join(&two), "a b", "words stay apart");
    }
}
