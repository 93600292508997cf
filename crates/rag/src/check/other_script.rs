//! Texts in different scripts, such as a Chinese sentence and an English source.

/// Number of characters that make the script of a sentence certain, and of a source.
const CHARACTERS_MIN: usize = 6;
const SOURCE_CHARACTERS_MIN: usize = 20;
/// A sentence has at most as many characters of other scripts as of its own, because names keep theirs. A source has at
/// least so many times more characters of other scripts than of that of the sentence.
const FEWER_IN_SOURCE: usize = 10;
/// Most characters of a source that are read.
const SOURCE_CHARACTERS_MAX: usize = 20_000;

/// Characters that belong together, although Unicode has several scripts: Japanese is written in three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    EastAsian,
    /// A block of Unicode or several, by its first character.
    Of(u32),
}

/// First and last characters of scripts with one block or adjacent ones.
const BLOCKS: [(u32, u32); 28] = [
    (0x370, 0x3ff),
    (0x400, 0x52f),
    (0x530, 0x58f),
    (0x590, 0x5ff),
    (0x600, 0x6ff),
    (0x900, 0x97f),
    (0x980, 0x9ff),
    (0xa00, 0xa7f),
    (0xa80, 0xaff),
    (0xb00, 0xb7f),
    (0xb80, 0xbff),
    (0xc00, 0xc7f),
    (0xc80, 0xcff),
    (0xd00, 0xd7f),
    (0xd80, 0xdff),
    (0xe00, 0xe7f),
    (0xe80, 0xeff),
    (0xf00, 0xfff),
    (0x1000, 0x109f),
    (0x10a0, 0x10ff),
    (0x1100, 0x11ff),
    (0x1200, 0x139f),
    (0x13a0, 0x13ff),
    (0x1780, 0x17ff),
    (0x1800, 0x18af),
    (0x2d30, 0x2d7f),
    (0xa000, 0xa4cf),
    (0xac00, 0xd7af),
];

/// Whether a sentence is certainly in another script than a source.
pub(super) fn are_in_different_scripts(sentence: &str, source: &str) -> bool {
    let Some(own) = script_of(sentence) else {
        return false;
    };
    let (mut own_count, mut count) = (0, 0);
    for script in scripts(source).take(SOURCE_CHARACTERS_MAX) {
        count += 1;
        own_count += usize::from(script == own);
    }
    count >= SOURCE_CHARACTERS_MIN && own_count * FEWER_IN_SOURCE <= count
}

/// The script of most characters of a text; none if there are few.
fn script_of(text: &str) -> Option<Script> {
    let mut counts: Vec<(Script, usize)> = Vec::new();
    for script in scripts(text) {
        match counts.iter_mut().find(|(known, _)| *known == script) {
            Some((_, count)) => *count += 1,
            None => counts.push((script, 1)),
        }
    }
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    let (script, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count >= CHARACTERS_MIN && count * 2 >= all).then_some(script)
}

/// The scripts of the characters of a text.
fn scripts(text: &str) -> impl Iterator<Item = Script> {
    text.chars().filter(|c| c.is_alphabetic()).filter_map(script)
}

fn script(c: char) -> Option<Script> {
    let number = u32::from(c);
    match number {
        0..=0x24f | 0x1e00..=0x1eff | 0xa720..=0xa7ff | 0xff21..=0xff5a => Some(Script::Latin),
        0x2e80..=0x312f
        | 0x31a0..=0x9fff
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x1b000..=0x1b16f
        | 0x20000..=0x3ffff => Some(Script::EastAsian),
        0x1f00..=0x1fff => Some(Script::Of(0x370)),
        0x750..=0x77f | 0x8a0..=0x8ff | 0xfb50..=0xfdff | 0xfe70..=0xfeff => Some(Script::Of(0x600)),
        0x3130..=0x318f | 0xd7b0..=0xd7ff => Some(Script::Of(0xac00)),
        _ => {
            let block = BLOCKS.iter().find(|(first, last)| (*first..=*last).contains(&number));
            block.map(|(first, _)| Script::Of(*first))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "The Elbe rose by nine metres in August 2002.";

    #[test]
    fn scripts_of_sentences() {
        let thai = Some(Script::Of(0xe00));
        for (text, expected) in [
            ("", None),
            ("2002, 12 %", None),
            ("river", None),
            ("rivers", Some(Script::Latin)),
            ("Größe über", Some(Script::Latin)),
            ("河水上涨", None),
            ("河水上涨得非常厉害", Some(Script::EastAsian)),
            ("川の水位は大きく", Some(Script::EastAsian)),
            ("แม่น้ำสูงขึ้นมาก", thai),
            // Names keep their script.
            ("Elbe 河在夏天上涨了九米", Some(Script::EastAsian)),
            ("The mayor of 鄭州市金水区 left", Some(Script::Latin)),
        ] {
            assert_eq!(script_of(text), expected, "{text}");
        }
    }

    #[test]
    fn the_script_of_a_source_is_certain() {
        let sentence = "那年夏天河水上涨得非常厉害";
        let few = format!("{} 河南", ENGLISH.repeat(2));
        let some = format!("{ENGLISH} 河南省鄭州市");
        for (source, expected) in [
            (ENGLISH, true),
            (few.as_str(), true),
            (some.as_str(), false),
            ("Mars", false),
            ("", false),
            ("2002 1847 12 %", false),
            ("東京都の人口は多い。そして川の水位は大きく上昇した。", false),
        ] {
            assert_eq!(are_in_different_scripts(sentence, source), expected, "{source}");
        }
        assert!(!are_in_different_scripts(ENGLISH, ENGLISH));
    }
}
