//! Export as CSV (RFC 4180), in UTF-8 with a byte order mark for spreadsheets.

use super::content::{Export, plain};
use syntax::display::is_direction_control;

const HEADER: &str = "rank,title,url,author,date_published,source,score,confidence,starred,new,body\r\n";
/// Characters that make a spreadsheet run a text as a formula, including full-width forms.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

pub(super) fn written(export: &Export<'_>) -> String {
    let mut out = String::from("\u{feff}");
    out.push_str(HEADER);
    for item in export.results {
        let cells = [
            item.swirl_rank.to_string(),
            cell(&plain(&item.title)),
            cell(item.url.trim()),
            cell(&plain(&item.author)),
            cell(&item.date_published),
            cell(&item.searchprovider),
            number(item.swirl_score),
            number(item.swirl_confidence_score),
            item.starred.to_string(),
            item.new.is_some().to_string(),
            cell(&plain(&item.body)),
        ];
        out.push_str(&cells.join(","));
        out.push_str("\r\n");
    }
    out
}

/// A number is not a formula, whatever its sign.
fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// A text in quotes if it needs them, with an apostrophe before what would be a formula.
fn cell(text: &str) -> String {
    let is_shown =
        |c: &char| (!c.is_control() || matches!(c, '\n' | '\r' | '\t')) && !is_direction_control(*c);
    let text: String = text.chars().filter(is_shown).collect();
    let is_formula =
        text.starts_with(FORMULA) || text.trim_start_matches([' ', '"', '\'']).starts_with(FORMULA);
    let text = if is_formula { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\n', '\r', ';', '\t']) || text != text.trim() {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::results::export::tests::of_one;
    use domain::result::ResultItem;

    #[test]
    fn cells_run_nothing_and_stay_whole() {
        let cases = [
            ("river", "river"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=1+1", "'=1+1"),
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "\"'\r=1\""),
            ("  =1", "'  =1"),
            ("\"=1", "\"'\"\"=1\""),
            ("＝1", "'＝1"),
            ("a\0b\u{1b}", "ab"),
            ("\u{202e}=1", "'=1"),
            ("a=b", "a=b"),
        ];
        for (text, expected) in cases {
            assert_eq!(cell(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_row_holds_what_the_header_says() {
        let item = ResultItem {
            swirl_rank: 1,
            swirl_score: -2.5,
            swirl_confidence_score: f64::NAN,
            searchprovider: "Library, east".into(),
            title: "<em>Deep</em> rivers".into(),
            url: "https://a.example/".into(),
            body: "=cmd|' /C calc'!A0".into(),
            date_published: "2024-05-01 00:00:00".into(),
            starred: true,
            ..ResultItem::default()
        };
        let text = of_one(item, written);
        let row = "1,Deep rivers,https://a.example/,,2024-05-01 00:00:00,\"Library, east\",-2.5,,true,false,\
                   '=cmd|' /C calc'!A0\r\n";
        assert_eq!(text, format!("\u{feff}{HEADER}{row}"));
    }
}
