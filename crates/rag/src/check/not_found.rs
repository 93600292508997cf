//! Detects the marker by which a model reports that its sources do not contain the answer. A marker works in every
//! language.

use crate::prompt::NOT_FOUND;
use domain::summary::GroundedSentence;

/// Shown if a reply consists only of the marker.
pub(super) const TEXT: &str = "The sources do not contain the answer.";
/// Maximum number of uncited sentences that may report this. Further ones are claims.
const EXCUSED_MAX: usize = 2;

pub(super) struct Unmarked {
    pub answer: String,
    /// The marker was present.
    pub is_not_found: bool,
}

/// Removes the marker at the beginning or on a line of its own.
pub(super) fn strip_marker(answer: &str) -> Unmarked {
    let mut is_there = false;
    let mut is_first = true;
    let mut lines = Vec::new();
    for line in answer.lines() {
        let rest = after_marker(line).filter(|rest| is_first || rest.is_empty());
        is_there |= rest.is_some();
        match rest {
            Some("") => {}
            Some(rest) => lines.push(rest),
            None => lines.push(line),
        }
        is_first &= line.trim().is_empty();
    }
    let answer = if is_there { lines.join("\n").trim_start().to_owned() } else { answer.to_owned() };
    Unmarked { answer, is_not_found: is_there }
}

/// Drops the sentences that only report that nothing was found; they need no source.
pub(super) fn drop_admissions(sentences: &mut Vec<GroundedSentence>) {
    let mut excused = 0;
    sentences.retain(|one| {
        let is_excused = one.cites.is_empty() && excused < EXCUSED_MAX;
        excused += usize::from(is_excused);
        !is_excused
    });
}

/// The rest of a line that starts with the marker.
fn after_marker(line: &str) -> Option<&str> {
    const AROUND: [char; 6] = ['*', '_', '`', '"', '>', ' '];
    let line = line.trim().trim_start_matches(AROUND);
    let head = line.get(..NOT_FOUND.len())?;
    let rest = &line[NOT_FOUND.len()..];
    head.eq_ignore_ascii_case(NOT_FOUND)
        .then(|| rest.trim_start_matches(AROUND).trim_start_matches([':', '.', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_taken_out() {
        for (written, answer, is_there) in [
            ("", "", false),
            ("It rose [1].", "It rose [1].", false),
            ("[no answer]\nThe sources do not say it.", "The sources do not say it.", true),
            ("[no answer]", "", true),
            ("\n**[No Answer]**\n\nNothing is said of it.\n", "Nothing is said of it.", true),
            ("[no answer] Nothing is said of it.", "Nothing is said of it.", true),
            ("`[no answer]`: Nothing.", "Nothing.", true),
            ("Nothing is said of it.\n[no answer]", "Nothing is said of it.", true),
            ("He wrote [no answer] on the form [1].", "He wrote [no answer] on the form [1].", false),
            ("It rose.\n[no answer] was written [1].", "It rose.\n[no answer] was written [1].", false),
            ("[no answe", "[no answe", false),
            ("[no answér]", "[no answér]", false),
        ] {
            let found = strip_marker(written);
            let text = found.answer.trim_end_matches('\n');
            assert_eq!((text, found.is_not_found), (answer, is_there), "{written}");
        }
    }

    #[test]
    fn few_sentences_are_excused() {
        let sentence = |cites: &[u32]| GroundedSentence {
            text: "It rose.".to_owned(),
            cites: cites.to_vec(),
            support: 0.0,
        };
        let mut sentences = vec![sentence(&[]), sentence(&[1]), sentence(&[]), sentence(&[])];
        drop_admissions(&mut sentences);
        assert_eq!(sentences, [sentence(&[1]), sentence(&[])]);
    }
}
