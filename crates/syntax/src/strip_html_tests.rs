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
        ("a<script>never closed", "a"),
        ("<scripture>text</scripture>", "<scripture>text</scripture>"),
        ("Vec<String>, x<y and z>w", "Vec<String>, x<y and z>w"),
        ("<![CDATA[x]]><o:p> </o:p>y", "y"),
        ("<a title=\"x > y\">link</a>", "link"),
        ("<a title=\"broken>link</a>", "link"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("half <b", "half <b"),
        ("x <!-- hidden <b> --> y", "x y"),
        ("x <!-- open", "x"),
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
    ] {
        let text = unit.repeat(200_000);
        assert!(strip_markup(&text).len() <= text.len());
        assert!(readable(&text).len() <= 5 * text.len());
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
