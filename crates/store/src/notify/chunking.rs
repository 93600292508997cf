//! Splits messages into chunks that fit into a notification: a header line with message number, chunk index and count,
//! then a part of the text.

use domain::ports::MESSAGE_BYTES_MAX;

/// A notification must be shorter than 8000 bytes. The header needs less than the difference.
const PART_BYTES_MAX: usize = 7_900;
/// A part ends at a character boundary, so it may be up to three bytes shorter.
const PIECES_MAX: usize = MESSAGE_BYTES_MAX / (PART_BYTES_MAX - 3) + 1;

/// At least one chunk, also for an empty text.
pub(super) fn split(text: &str, number: u64) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_at(rest.floor_char_boundary(PART_BYTES_MAX));
        parts.push(part);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    let count = parts.len();
    let piece = |(index, part)| format!("{number:016x} {index} {count}\n{part}");
    parts.into_iter().enumerate().map(piece).collect()
}

/// A message being received. Its chunks arrive in order and together; if one is missing because the connection was
/// lost, the others are dropped.
#[derive(Debug, Default)]
pub(super) struct PartialMessage {
    number: String,
    pieces: usize,
    text: String,
}

impl PartialMessage {
    /// Returns the whole text with its last chunk.
    pub(super) fn add(&mut self, piece: &str) -> Option<String> {
        let (header, part) = piece.split_once('\n')?;
        let mut words = header.split(' ');
        let number = words.next()?;
        let (index, count): (usize, usize) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        if index == 0 {
            *self = Self { number: number.to_owned(), ..Self::default() };
        }
        if number != self.number || index != self.pieces || count > PIECES_MAX {
            *self = Self::default();
            return None;
        }
        self.pieces += 1;
        self.text.push_str(part);
        (self.pieces == count).then(|| std::mem::take(self).text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(pieces: &[String]) -> Vec<String> {
        let mut message = PartialMessage::default();
        pieces.iter().filter_map(|piece| message.add(piece)).collect()
    }

    #[test]
    fn every_text_comes_back() {
        let cases = [
            (String::new(), 1),
            ("short\nwith lines".to_owned(), 1),
            ("x".repeat(PART_BYTES_MAX), 1),
            ("x".repeat(PART_BYTES_MAX + 1), 2),
            // The four-byte character does not fit, and the part is three bytes shorter.
            (format!("{}𝄞", "x".repeat(PART_BYTES_MAX - 1)), 2),
            ("x".repeat(MESSAGE_BYTES_MAX), 67),
            (format!("xxx{}", "𝄞".repeat(MESSAGE_BYTES_MAX / 4 - 1)), 67),
        ];
        for (text, count) in cases {
            let pieces = split(&text, u64::MAX);
            assert_eq!(pieces.len(), count);
            assert!(count <= PIECES_MAX);
            assert!(pieces.iter().all(|piece| piece.len() < 8000), "{}", pieces[0].len());
            assert!(arrived(&pieces) == [text], "{count} pieces");
        }
    }

    #[test]
    fn what_is_torn_is_left_out() {
        let [first, second] = [1, 2].map(|number| {
            split(&"x".repeat(2 * PART_BYTES_MAX + number), u64::try_from(number).unwrap_or(0))
        });
        let whole = "x".repeat(2 * PART_BYTES_MAX + 2);
        for torn in [
            vec![&first[0]],
            vec![&first[1], &first[2]],
            vec![&first[0], &first[2]],
            vec![&first[0], &first[1], &second[2]],
        ] {
            let pieces: Vec<String> = torn.into_iter().chain(&second).cloned().collect();
            assert!(arrived(&pieces) == [whole.as_str()], "the next message is not harmed");
        }
        let foreign = ["", "no line", "1 2\n", "a b c\ntext", "1 0 100000\n"].map(str::to_owned);
        assert_eq!(arrived(&foreign), Vec::<String>::new());
    }
}
