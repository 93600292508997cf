//! CSV of a Query Transform. Rows that are written with quotes are read as the same rows.

use domain::query_transform::csv::{Reader, Row};

pub fn check(bytes: &[u8]) {
    let text = super::text(bytes);
    let lines = text.matches(['\n', '\r']).count() + 1;
    let mut rows: Vec<Row> = Vec::new();
    let mut is_broken = false;
    for row in Reader::new(text) {
        assert!(!is_broken, "nothing is read behind a quote that is never closed");
        match row {
            Ok(row) => rows.push(row),
            Err(mistake) => {
                assert!((1..=lines).contains(&mistake.line));
                is_broken = true;
            }
        }
    }
    assert!(rows.windows(2).all(|pair| pair[0].line < pair[1].line));
    let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |row: &Row| row.cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\r\n";
    let written: String = rows.iter().map(line).collect();
    let again: Vec<_> = Reader::new(&written).filter_map(Result::ok).map(|row| row.cells).collect();
    assert_eq!(again, rows.into_iter().map(|row| row.cells).collect::<Vec<_>>());
}
