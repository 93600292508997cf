use super::reader::{CELLS_MAX, TABLE_COLUMNS_MAX, TABLE_ROWS_MAX};
use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// The blocks in a short notation: the name of each with its content, and the style of pieces before their text.
fn shown(text: &str) -> String {
    shown_blocks(&blocks(text, &BTreeSet::from([1, 2, 12])))
}

fn shown_blocks(blocks: &[Block]) -> String {
    blocks.iter().map(block).collect::<Vec<_>>().join(" ")
}

fn block(block: &Block) -> String {
    let lines = |lines: &[Line]| lines.iter().map(|one| line(one)).collect::<Vec<_>>().join(" / ");
    let items = |items: &[Item]| items.iter().map(|item| shown_item(item)).collect::<Vec<_>>().join(" / ");
    match block {
        Block::Paragraph { lines: list } => format!("p({})", lines(list)),
        Block::Heading { lines: list } => format!("h({})", lines(list)),
        Block::Bullets { items: list } => format!("ul({})", items(list)),
        Block::Numbers { start, items: list } => format!("ol{start}({})", items(list)),
        Block::Code { text } => format!("pre({text})"),
        Block::Table { head, rows } => {
            let rows: Vec<String> = std::iter::once(head).chain(rows).map(|row| shown_row(row)).collect();
            format!("table({})", rows.join(" / "))
        }
    }
}

/// The text of an item, and what else is in it.
fn shown_item(item: &[Block]) -> String {
    match item {
        [Block::Paragraph { lines }, rest @ ..] => {
            let text: Vec<String> = lines.iter().map(|one| line(one)).collect();
            [text.join(" / "), shown_blocks(rest)].join(" ").trim_end().to_owned()
        }
        other => shown_blocks(other),
    }
}

fn shown_row(row: &[Cell]) -> String {
    let cell = |cell: &Cell| {
        let sign = match cell.align {
            Align::Start => "",
            Align::Center => ":",
            Align::End => ">",
        };
        format!("{sign}{}", line(&cell.pieces))
    };
    row.iter().map(cell).collect::<Vec<_>>().join(" ; ")
}

fn line(line: &[Piece]) -> String {
    let piece = |piece: &Piece| {
        let signs = [(piece.is_bold, "b:"), (piece.is_emphasis, "i:"), (piece.is_code, "c:")];
        let style: String = signs.into_iter().filter(|(is_on, _)| *is_on).map(|(_, sign)| sign).collect();
        match piece.cites {
            Some(number) => format!("{style}^{number}"),
            None => format!("{style}{}", piece.text),
        }
    };
    line.iter().map(piece).collect::<Vec<_>>().join("|")
}

/// All texts, with citations as they are written.
fn joined(blocks: &[Block]) -> String {
    let line = |line: &Line| -> String {
        let shown = |piece: &Piece| match piece.cites {
            Some(number) => format!("[{number}]"),
            None => piece.text.clone(),
        };
        line.iter().map(shown).collect()
    };
    let lines = |lines: &[Line]| lines.iter().map(line).collect::<Vec<_>>().join("\n");
    let block = |block: &Block| match block {
        Block::Paragraph { lines: list } | Block::Heading { lines: list } => lines(list),
        Block::Bullets { items } | Block::Numbers { items, .. } => {
            items.iter().map(|item| joined(item)).collect::<Vec<_>>().join("\n")
        }
        Block::Code { text } => text.clone(),
        Block::Table { head, rows } => {
            let cells = head.iter().chain(rows.iter().flatten());
            cells.map(|cell| line(&cell.pieces)).collect::<Vec<_>>().join("\n")
        }
    };
    blocks.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected, "{text}");
    }
}

#[test]
fn markdown_in_blocks() {
    check(&[
        ("", ""),
        ("It rose [1].", "p(It rose|^1|.)"),
        ("One. [1]\nTwo. [2]", "p(One.|^1 / Two.|^2)"),
        ("One.\n\n\nTwo.", "p(One.) p(Two.)"),
        ("# Title\nText", "h(Title) p(Text)"),
        ("#tag is text", "p(#tag is text)"),
        ("> said", "p(said)"),
        ("a\n---\nb", "p(a) p(b)"),
        ("a\n\n***\n\nb", "p(a) p(b)"),
        ("```rust\nlet a = \"<b>\";\n[1]\n```\nend", "pre(let a = \"<b>\";\n[1]) p(end)"),
        ("~~~\nopen", "pre(open)"),
        ("````md\n```\n• a*b [c](d)\n```\n````\nend", "pre(```\n• a*b [c](d)\n```) p(end)"),
        ("``` not a language", "pre(not a language)"),
        ("not known [3], no number [a], [99999999999]", "p(not known [3], no number [a], [99999999999])"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("- a\n- b", "ul(a / b)"),
        ("* a\n* b", "ul(a / b)"),
        ("Text:\n• a\n• d", "p(Text:) ul(a / d)"),
        ("3. a\n4. b", "ol3(a / b)"),
        ("1. a\n   - b\n   more\n2. c", "ol1(a ul(b more) / c)"),
        ("- a\n    - b\n        - c\n- d", "ul(a ul(b ul(c)) / d)"),
        ("- a [1]\n\n  more\n\n- b", "ul(a|^1 p(more) / b)"),
        ("- a\n  ```\n  code\n  ```", "ul(a pre(code))"),
        ("- \n- b", "ul( / b)"),
        ("2024. was dry", "p(2024. was dry)"),
        (
            "- a\n  - b\n    - c\n      - d\n        - e\n          - f\n- g",
            "ul(a ul(b ul(c ul(d / e / f))) / g)",
        ),
    ]);
}

#[test]
fn styles() {
    check(&[
        ("**bold** and *soft* and _soft_", "p(b:bold| and |i:soft| and |i:soft)"),
        ("**bold [1] *both***", "p(b:bold|b:^1|b: |b:i:both)"),
        ("**a _b_ [12]**.", "p(b:a |b:i:b|b:^12|.)"),
        ("use `a*b*c [1]` here", "p(use |c:a*b*c [1]| here)"),
        ("``a ` b``", "p(c:a ` b)"),
        ("2*3*4 snake_case_name a ** b 2**3**4", "p(2*3*4 snake_case_name a ** b 2**3**4)"),
        ("Mitarbeiter*innen und Kund*innen", "p(Mitarbeiter*innen und Kund*innen)"),
        ("**API**s and *very*ly", "p(b:API|s and |i:very|ly)"),
        ("\\*plain\\* \\[1] \\\\[1]", "p(*plain* [1] \\|^1)"),
        ("**open", "p(**open)"),
    ]);
}

#[test]
fn emphasis_without_spaces() {
    check(&[
        ("これは**重要**です", "p(これは|b:重要|です)"),
        ("**중요**합니다", "p(b:중요|합니다)"),
        ("**중요(重要)**합니다", "p(b:중요(重要)|합니다)"),
        ("これは**「重要」**です", "p(これは|b:「重要」|です)"),
        ("**名称：**水坝，*高*", "p(b:名称：|水坝，|i:高)"),
        ("**あ**、**い**「う」**え**お", "p(b:あ|、|b:い|「う」|b:え|お)"),
        ("นี่คือ**สำคัญ**มาก", "p(นี่คือ|b:สำคัญ|มาก)"),
        ("关于**`code`**的", "p(关于|b:c:code|的)"),
        ("**API**を使う", "p(b:API|を使う)"),
    ]);
}

#[test]
fn tables() {
    check(&[
        ("| a | b |\n|---|---|\n| 1 | 2 |", "table(a ; b / 1 ; 2)"),
        ("a | b\n--- | ---\n1 | 2", "table(a ; b / 1 ; 2)"),
        (
            "Text:\n\n| a | b | c |\n|:--|:-:|--:|\n| *x* [1] | `y` | **z**[2] |\n\nend",
            "p(Text:) table(a ; :b ; >c / i:x|^1 ; :c:y ; >b:z|^2) p(end)",
        ),
        ("Text:\n| a | b |\n|---|---|\n| 1 | 2 |", "p(Text:) table(a ; b / 1 ; 2)"),
        ("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 | 4 |", "table(a ; b / 1 ;  / 1 ; 2| | 3 | 4)"),
        ("| a |\n|---|\n| x \\| y |\n| `p \\| q` |", "table(a / x | y / c:p | q)"),
        ("| | b |\n|---|---|\n| <b>x</b> | [c](d) [9] |", "table( ; b / <b>x</b> ; [c](d) [9])"),
        ("- a\n\n  | b |\n  |---|\n  | c |", "ul(a table(b / c))"),
        // Unfinished tables.
        ("| a | b |", "p(| a | b |)"),
        ("| a | b |\n|--", "p(| a | b | / |--)"),
        ("| a | b |\n|---|---|", "table(a ; b)"),
        ("| a | b |\n|---|---|\n| **1", "table(a ; b / **1 ; )"),
    ]);
}

#[test]
fn large_tables_stay_as_they_are_written() {
    let table = |columns: usize, rows: usize| {
        let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(columns));
        // The rows include the head and the line below it.
        format!("{}{}{}", row("a*b"), row("-"), row("<i>").repeat(rows - 2))
    };
    for (columns, rows, is_table) in [
        (TABLE_COLUMNS_MAX, 3, true),
        (TABLE_COLUMNS_MAX + 1, 3, false),
        (1, TABLE_ROWS_MAX, true),
        (1, TABLE_ROWS_MAX + 1, false),
    ] {
        let text = table(columns, rows);
        match blocks(&text, &BTreeSet::new()).as_slice() {
            [Block::Table { head, rows: body }] if is_table => {
                assert_eq!((head.len(), body.len()), (columns, rows - 2));
            }
            [Block::Code { text: written }] if !is_table => assert_eq!(written, text.trim_end()),
            other => panic!("{columns}, {rows}: {other:?}"),
        }
    }
    let tables = format!("{}\n", table(20, TABLE_ROWS_MAX / 2)).repeat(3);
    let made = blocks(&tables, &BTreeSet::new());
    let is_table = made.iter().map(|block| matches!(block, Block::Table { .. }));
    assert_eq!(is_table.collect::<Vec<_>>(), [true, true, false], "{CELLS_MAX} cells");
}

#[test]
fn hostile_texts_stay_text() {
    for text in [
        "<script>alert(1)</script>",
        "<script>\n**b**[1]",
        "<img src=x onerror=alert(1)>",
        "<!-- hidden -->",
        "[click](javascript:alert(1))",
        "![x](https://evil.test/?q=secret)",
        "<https://evil.test>",
        "<a@evil.test>",
        "[1](https://evil.test)",
        "[ref]: https://evil.test",
        "[1]: https://evil.test",
        "&lt;b&gt; \u{202e}gnp.exe",
        "<a href=\"#\" onclick=\"x\">[1]</a>",
        "https://evil.test/",
    ] {
        let made = blocks(text, &BTreeSet::from([1]));
        assert_eq!(joined(&made), text.replace("**", ""), "every sign is still there, as text");
    }
    let text = "See [a] and [1].\n\n[a]: https://evil.test\n[1]: https://evil.test";
    assert_eq!(
        shown(text),
        "p(See [a] and|^1|.) p([a]: https://evil.test / ^1|: https://evil.test)",
        "definitions are shown"
    );
}

#[test]
fn texts_are_bounded_and_deep_marks_end() {
    let long = "é".repeat(TEXT_BYTES_MAX);
    assert_eq!(joined(&blocks(&long, &BTreeSet::new())).len(), TEXT_BYTES_MAX);
    for hostile in
        ["**a _b ", "**a [1 `", "- ", "> ", "1. ", "|a", "*_", "[", "| a |\n|---|\n", "<", "• ", "\\"]
    {
        let text = hostile.repeat(TEXT_BYTES_MAX / hostile.len());
        let start = Instant::now();
        blocks(&text, &BTreeSet::from([1]));
        assert!(start.elapsed() < Duration::from_secs(20), "{hostile}");
    }
}

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/browser/unit/prose_cases.json");

/// The words that the page shows while the text arrives; the test of `stripMarkdown` reads the same file.
#[test]
fn words_are_those_of_the_unfinished_answer() {
    let cases: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(CASES).unwrap()).unwrap();
    for case in cases.as_array().unwrap() {
        let made = joined(&blocks(case["markdown"].as_str().unwrap(), &BTreeSet::from([1, 2])));
        let words: Vec<&str> = made.split_whitespace().collect();
        let expected: Vec<&str> = case["words"].as_str().unwrap().split_whitespace().collect();
        assert_eq!(words.concat(), expected.concat(), "{case}");
    }
}

fn markdown() -> impl Strategy<Value = String> {
    // Not a name of a language, so that it is shown after a fence too.
    let word = (0..1000u32).prop_map(|number| format!("wört{number}"));
    let mark = prop::sample::select(vec![
        " ",
        " ",
        "\n",
        "\n",
        "\n\n",
        "*",
        "**",
        "_",
        "`",
        "\n```\n",
        "```",
        "~~~",
        "\n~~~~\n",
        "\n    ",
        "\n- ",
        "\n  - ",
        "\n• ",
        "\n1. ",
        "\n2024. ",
        "\n> ",
        "\n# ",
        "\n---\n",
        "\n===\n",
        "|",
        "\n|",
        "\n|---|\n",
        "\n|:-:|---|\n",
        "\\",
        "\\|",
        "[1]",
        "[",
        "](",
        "]:",
        ")",
        "<",
        ">",
        "<b>",
        "<!--",
        "</script>",
        "&amp;",
        "&",
        "「",
        "」",
        "。",
        "水",
        "!",
        "\t",
        "\r\n",
        "~~",
        "http://",
    ]);
    let piece = prop_oneof![word, mark.prop_map(str::to_owned)];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn all_words_survive_in_their_order(text in markdown()) {
        let words = |text: &str| -> String { text.chars().filter(|c| c.is_alphabetic()).collect() };
        let made = blocks(&text, &BTreeSet::from([1]));
        prop_assert_eq!(words(&joined(&made)), words(&text));
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let made = blocks(&text, &BTreeSet::from([1]));
        prop_assert!(joined(&made).len() <= text.len() + 16 * text.matches('|').count() + 16);
    }
}
