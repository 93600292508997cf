//! Splitting of queries into words, and joining of words.

/// These separate words everywhere; each is a piece of its own.
const MARKS: &str = ",;:!?()[]{}<>\"/\\|=~^*`“”„«»‹›…、。「」，；：！？（）";
/// These belong to a word, except at its end (`notebook.`, `the boys'`).
const END_MARKS: [char; 4] = ['.', '\'', '’', '‘'];
/// These belong to a word, except at its beginning.
const START_MARKS: [char; 3] = ['\'', '’', '‘'];

/// A word or a mark of a text. `C++`, `.NET`, `node.js`, `AT&T`, `don't`, `-term` and `state-of-the-art` are words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    pub text: String,
    /// The text in lower case.
    pub folded: String,
    pub is_word: bool,
    /// Preceded by white space.
    pub is_spaced: bool,
}

impl Piece {
    fn new(text: String, is_word: bool, is_spaced: bool) -> Self {
        Self { folded: text.to_lowercase(), text, is_word, is_spaced }
    }

    /// A word after white space.
    pub fn spaced_word(text: String) -> Self {
        Self { folded: text.to_lowercase(), text, is_word: true, is_spaced: true }
    }

    pub fn chars(&self) -> usize {
        self.text.chars().count()
    }
}

/// The pieces of a query or of a term.
pub fn pieces(text: &str) -> Vec<Piece> {
    split(text, |c| MARKS.contains(c))
}

/// The pieces of a pattern, in which `*` is part of a word.
pub fn pattern_pieces(text: &str) -> Vec<Piece> {
    split(text, |c| c != '*' && MARKS.contains(c))
}

/// Joins pieces with single spaces. Two words are never joined into one.
pub fn join(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 && (piece.is_spaced || (piece.is_word && pieces[at - 1].is_word)) {
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

fn split(text: &str, is_mark: impl Fn(char) -> bool) -> Vec<Piece> {
    let mut found = Vec::new();
    for chunk in text.split_whitespace() {
        let mut is_spaced = true;
        let mut rest = chunk;
        while let Some(first) = rest.chars().next() {
            let run_end = rest.find(&is_mark).unwrap_or(rest.len());
            let (piece, is_word) = match first_word(&rest[..run_end]) {
                Some(word) => (word, true),
                None => (&rest[..first.len_utf8()], false),
            };
            found.push(Piece::new(piece.to_owned(), is_word, is_spaced));
            rest = &rest[piece.len()..];
            is_spaced = false;
        }
    }
    found
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
        let cases: [(&str, &[&str]); 16] = [
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
        ];
        for (text, expected) in cases {
            let found: Vec<String> = pieces(text).into_iter().map(|piece| piece.text).collect();
            assert_eq!(found, expected, "{text}");
        }
        let pattern: Vec<String> = pattern_pieces("mo*ile tele*").into_iter().map(|one| one.text).collect();
        assert_eq!(pattern, ["mo*ile", "tele*"]);
    }

    #[test]
    fn joined_again() {
        for text in ["my laptop.", "\"pc\" a,b", "news:rates (or) wait... 'x'"] {
            assert_eq!(join(&pieces(text)), text);
        }
        assert_eq!(join(&pieces(" a   b ")), "a b");
        let mut two = pieces("a,b");
        two.remove(1);
        assert_eq!(join(&two), "a b", "words stay apart");
    }
}
