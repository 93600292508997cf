//! Tests of texts without markup: what remains, and texts that are returned as they are.

use super::*;
use proptest::prelude::*;

#[test]
fn keeps_the_text() {
    let cases = [
        ("plain", "plain"),
        ("<b>bold</b> AT&amp;T", "bold AT&T"),
        ("<p>one</p><p>two</p>", "one two"),
        ("a<script>var x = '<b>';</script>b", "a b"),
        ("a<STYLE type=x>p{}</style >b", "a b"),
        ("a<script>never closed", "a<script>never closed"),
        ("<script src=a/>x</script>y<script src='a' />z", "y z"),
        ("<scripture>text</scripture>", "<scripture>text</scripture>"),
        ("Vec<String>, x<y and z>w", "Vec<String>, x<y and z>w"),
        ("<![CDATA[x]]><o:p> </o:p>y", "y"),
        ("<a title=\"x > y\">link</a>", "link"),
        ("<a title=\"broken>link</a>", "link"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("half <b", "half <b"),
        ("x <!-- hidden <b> --> y", "x y"),
        ("x <!-- open", "x <!-- open"),
        ("<p>x</p> <!-- wp:para", "x"),
        ("<?xml version='1'?><!DOCTYPE html>t", "t"),
        ("caf&eacute; &#8364;&#x20AC; &unknown; &", "café €€ &unknown; &"),
        ("&#1114112;&#xD800;", "\u{fffd}\u{fffd}"),
        ("&#146;t &alpha;&le;&minus;&scaron;&CounterClockwiseContourIntegral;", "’t α≤−š∳"),
        (
            "&copy 2020, AT&ampT, AT&amp T, ?a=1&copy=2&region=3&not",
            "© 2020, AT&ampT, AT& T, ?a=1&copy=2&region=3¬",
        ),
        ("", ""),
    ];
    for (text, want) in cases {
        assert_eq!(strip_markup(text), want, "{text}");
    }
}

#[test]
fn reads_as_people_do() {
    let cases = [
        ("plain", "plain"),
        (" trimmed\n", "trimmed"),
        ("a <em>marked</em> word", "a marked word"),
        ("H<sub>2</sub>O, <b class=\"x\">so</b>lid", "H2O, solid"),
        ("<p>one</p><p>two</p>line<br/>end", "one two line end"),
        ("a<script>var x = '<b>';</script>b", "a b"),
        ("AT&amp;T &eacute;t&eacute;", "AT&T été"),
        ("1 &lt; 2 &lt;5 a&lt;b &lt;/b &lt;!x &lt;?y", "1 < 2 <5 a&lt;b &lt;/b &lt;!x &lt;?y"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script>alert(1)&lt;/script>"),
        ("&#60;b&#62; &lt;é", "&lt;b> &lt;é"),
        ("half <b", "half &lt;b"),
        ("<<b>b>x", "&lt;b>x"),
        ("&lt;<em>img src=x</em>", "&lt;img src=x"),
        ("write &amp;amp; and &amp;lt;", "write &amp;amp; and &amp;lt;"),
        ("&<b>lt</b>;", "&amp;lt;"),
        ("&amp;unknown; & &", "&unknown; & &"),
        ("a\u{0}b &#7;&#1;c\td", "ab c\td"),
        ("&lt;&#1;b", "&lt;b"),
        ("Vec<String>", "Vec&lt;String>"),
        ("Map<K, Set<V>>", "Map&lt;K, Set&lt;V>>"),
        ("x<y and z>w", "x&lt;y and z>w"),
        ("at <https://shop.example|the shop> now", "at &lt;https://shop.example|the shop> now"),
        ("From: Ann <ann@a.example>", "From: Ann &lt;ann@a.example>"),
        ("<jats:p>H<jats:sub>2</jats:sub>O</jats:p><mml:mi>x</mml:mi><mml:mo>=</mml:mo>", "H2O x="),
        ("&lt;https://a.example&gt; &hellip;", "&lt;https://a.example> …"),
        ("&amp;copy 1 &amp;copy=1", "&amp;copy 1 &copy=1"),
        ("&#38;#60;b", "&amp;#60;b"),
        ("<em></em>", ""),
    ];
    for (text, want) in cases {
        assert_eq!(readable(text), want, "{text}");
        assert_eq!(readable(want), want, "{want} again");
    }
}

/// Texts that are no HTML: the tags in them are words.
#[test]
fn tags_without_their_counterpart_are_text() {
    for text in [
        "<script> tag is stripped",
        "Put the <script> tag before </body>.",
        "Use <select> or <table>",
        "Use <select> or (</table>)",
        "the <html> <head> and <body> elements",
        "the <ul><li> pair",
        "git log --format=<style> and more",
        "cd <dir>",
        "cp <dir>/* <dir>",
        "SELECT <col> FROM <table>",
        "`<b>`, '<em>' or \"<mark>\"",
        "the <select>'s options, an <option>-like <button>.",
        "vector<i> x, vector<i>x",
        "使用<select>元素",
        "What does <!-- mean?",
        "Begin with <!DOCTYPE html> or <?xml version='1.0'?>",
        "<p> is obsolete",
        "</ end",
    ] {
        assert_eq!(strip_markup(text), text);
        assert_eq!(crate::highlights::plain(&readable(text)), text);
    }
}

/// Truncated texts, tags that may be left open, and marks of a source in plain text.
#[test]
fn markup_needs_no_counterpart_at_its_place() {
    let cases = [
        ("a <em>word", "a word"),
        ("新<em>東", "新東"),
        ("文<p>字", "文 字"),
        ("</b></div> text", "text"),
        ("of the river</a></p> and", "of the river and"),
        ("a <em>", "a &lt;em>"),
        ("word</em> next", "word next"),
        ("a <b>“quoted", "a “quoted"),
        ("</p> text", "text"),
        ("of the river.</p> <p> Next", "of the river. Next"),
        ("one</li>\n<li> two", "one two"),
        ("<ul>\n<li> one\n<li> two\n</ul>", "one two"),
        ("<div>\n<p>Text", "Text"),
        ("<div> <p><b>Text", "Text"),
        ("<div><!-- ko --><p>Text", "Text"),
        ("<div class=x><ul><li>one</li><li>tw", "one tw"),
        ("<ul><li class=x>one", "one"),
        ("text<p>more <p>and", "text more and"),
        ("<p>one</p>\n<p> two", "one two"),
        ("<br><table> <tr> <td> 1 <td> 2", "1 2"),
        ("<html><body>t</Body>", "t&lt;/Body>"),
        ("the <em>html</em> <table> element", "the html &lt;table> element"),
        ("cd <dir> <em>name</em>", "cd &lt;dir> name"),
        ("a <b>bold</b> <select> and <i>so", "a bold &lt;select> and so"),
    ];
    for (text, want) in cases {
        assert_eq!(readable(text), want, "{text}");
        assert_eq!(readable(want), want, "{want} again");
    }
}

#[test]
fn plain_texts_have_no_markup() {
    let cases = [
        (" plain\n", "plain"),
        ("Put the <script> tag before </body>.", "Put the &lt;script> tag before &lt;/body>."),
        ("<p>a</p> &amp; b & c", "&lt;p>a&lt;/p> &amp;amp; b & c"),
        ("1 < 2 \u{7}<\u{7}b> é", "1 < 2 &lt;b> é"),
        ("\u{7} a", "a"),
        ("", ""),
    ];
    for (text, want) in cases {
        assert_eq!(readable_plain(text), want, "{text}");
        assert_eq!(readable(want), want, "{want} again");
    }
}

/// The complete table of HTML: each entity gives its characters, and a readable text that holds its name keeps it.
#[test]
fn every_entity_is_known() {
    assert_eq!(htmlize::ENTITIES.len(), 2_231);
    for (entity, characters) in &htmlize::ENTITIES {
        let [entity, characters] = [entity, characters].map(|bytes| std::str::from_utf8(bytes).unwrap());
        assert_eq!(decode_entities(entity), *characters, "{entity}");
        assert_eq!(decode_entities(&format!("{entity} x")), format!("{characters} x"), "{entity}");
        let named = format!("&amp;{} x", &entity[1..]);
        assert_eq!(readable(&named), *named, "{entity}");
        assert_eq!(crate::highlights::plain(&named), format!("{entity} x"));
    }
}

#[test]
fn inline_tags_need_no_scanner() {
    for (text, want) in [
        (" a <em>marked</em> word\n", Some("a marked word")),
        ("<b> H<sub>2</sub>O </b>", Some("H2O")),
        ("<em></em>", Some("")),
        ("a <em>b", None),
        ("a</em> b", None),
        ("<em><b></em></b>", None),
        ("a <em class=\"x\">b</em>", None),
        ("<p>one</p>", None),
        ("<EM>a</EM>", None),
        ("1 < 2", None),
        ("<//em>", None),
        ("<em>a &amp; b</em>", None),
        ("<em>\u{7}</em>", None),
    ] {
        assert_eq!(without_inline_tags(text).as_deref(), want, "{text}");
    }
}

/// So many tags are read at once, and would take minutes if each looked at all that follow.
const REPEATED: usize = 40_000;

#[test]
fn stays_linear_on_hostile_text() {
    for unit in [
        "<a",
        "<a \"",
        "<a '>",
        "&",
        "<!-",
        "</script",
        "<script>",
        "<",
        "&lt;b",
        "<em>",
        "<a x ",
        "<a x=1 ",
        "<a x='",
        "</b ",
        "&CounterClockwise",
        "&#1",
        "<p> ",
        "<p>\n",
        "</p> ",
        "<div><b><!-- ",
        "<p><!--",
        "<script></style>",
        "<script a=b>x</p>",
        "x</script",
        "<td a='><td>",
    ] {
        let text = unit.repeat(REPEATED);
        for text in [format!("{}{text}", " ".repeat(REPEATED)), text] {
            assert!(strip_markup(&text).len() <= text.len());
            assert!(readable(&text).len() <= 5 * text.len());
        }
    }
}

proptest! {
    #[test]
    fn never_panics(text in "[<>!&;#x'\"/a-c é-]{0,60}|.{0,60}") {
        let stripped = strip_markup(&text);
        prop_assert!(stripped.trim() == stripped);
    }

    #[test]
    fn the_short_way_reads_the_same(text in "(<|>|/|<em>|</em>|<b>|</sub>|<p>|[\"' a-c\n]){0,20}") {
        if let Some(read) = without_inline_tags(&text) {
            prop_assert_eq!(read, scanned(&text));
        }
    }

    #[test]
    fn plain_texts_stay_as_they_are(
        text in "([<>!&;#/?=]|em|amp|lt|&lt;|&amp;|<em>|</em>|<p>|</p>|[a-cé ]|\\PC){0,40}|.{0,60}",
    ) {
        let read = readable_plain(&text);
        prop_assert_eq!(readable(&read), &*read);
        let printable: String = text.chars().filter(|c| !is_unprintable(*c)).collect();
        prop_assert_eq!(decode_entities(&read), printable.trim());
    }

    #[test]
    fn what_is_readable_holds_no_tag_and_reads_the_same_again(
        text in "([<>!&;#/?=]|em|amp|lt|&lt;|&amp;|&amp|&#60|copy|&#60;|<em>|</em>|<P|x=1>|[a-cé ]|\\PC){0,40}|\\PC{0,60}|.{0,60}",
    ) {
        let read = readable(&text);
        prop_assert_eq!(readable(&read), &*read);
        for (at, _) in read.match_indices('<') {
            let next = read[at + 1..].chars().next();
            prop_assert!(!next.is_some_and(|c| c.is_alphabetic() || "/!?".contains(c)), "{read}");
        }
    }
}
