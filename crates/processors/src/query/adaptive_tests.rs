use super::*;
use proptest::prelude::*;

fn tags(list: &[&str]) -> Vec<String> {
    list.iter().map(|&tag| tag.to_owned()).collect()
}

fn adapted(query: &str, mappings: &str) -> String {
    let mappings = QueryMappings::parse(mappings).expect("mappings");
    adapt(query, Some(&mappings), &tags(&["News", "Company"]))
}

/// What a source is asked if it cannot negate, negates with a sign, with an operator, and with both.
const NEGATIONS: [&str; 4] = ["", "NOT_CHAR=-", "NOT=true", "NOT=true,NOT_CHAR=-"];

/// Queries with something negated: as typed, and as each of these sources is asked.
const NEGATED: &[(&str, [&str; 4])] = &[
    ("copper NOT tin", ["copper", "copper -tin", "copper NOT tin", "copper NOT tin"]),
    ("copper -tin", ["copper", "copper -tin", "copper NOT tin", "copper -tin"]),
    ("-tin copper", ["copper", "copper -tin", "copper NOT tin", "-tin copper"]),
    ("copper -tin zinc", ["copper zinc", "copper zinc -tin", "copper zinc NOT tin", "copper -tin zinc"]),
    ("copper NOT tin zinc", ["copper", "copper -tin -zinc", "copper NOT tin zinc", "copper NOT tin zinc"]),
    ("copper -tin -zinc", ["copper", "copper -tin -zinc", "copper NOT tin zinc", "copper -tin -zinc"]),
    (
        "copper -\"tin foil\"",
        ["copper", "copper -\"tin foil\"", "copper NOT \"tin foil\"", "copper -\"tin foil\""],
    ),
    (
        "copper NOT \"tin foil\"",
        ["copper", "copper -\"tin foil\"", "copper NOT \"tin foil\"", "copper NOT \"tin foil\""],
    ),
    (
        "copper -“tin foil”",
        ["copper", "copper -\"tin foil\"", "copper NOT \"tin foil\"", "copper -\"tin foil\""],
    ),
    ("copper AND NOT tin", ["copper", "copper -tin", "copper NOT tin", "copper AND NOT tin"]),
    ("NOT tin AND copper", ["copper", "copper -tin", "copper NOT tin", "NOT tin AND copper"]),
    ("copper OR NOT tin", ["copper", "copper OR -tin", "copper OR NOT tin", "copper OR NOT tin"]),
    (
        "(copper NOT tin) OR zinc",
        ["(copper) OR zinc", "(copper -tin) OR zinc", "(copper NOT tin) OR zinc", "(copper NOT tin) OR zinc"],
    ),
    (
        "zinc OR (copper -tin)",
        ["zinc OR (copper)", "zinc OR (copper -tin)", "zinc OR (copper NOT tin)", "zinc OR (copper -tin)"],
    ),
    ("(NOT tin) copper", ["copper", "(-tin) copper", "(NOT tin) copper", "(NOT tin) copper"]),
    (
        "copper NOT (tin OR zinc)",
        ["copper", "copper -(tin OR zinc)", "copper NOT (tin OR zinc)", "copper NOT (tin OR zinc)"],
    ),
    ("copper -(tin zinc)", ["copper", "copper -(tin zinc)", "copper NOT (tin zinc)", "copper -(tin zinc)"]),
    (
        "copper NOT tin OR zinc",
        ["copper OR zinc", "copper -tin OR zinc", "copper NOT tin OR zinc", "copper NOT tin OR zinc"],
    ),
    (
        "copper NOT tin AND zinc",
        ["copper AND zinc", "copper AND zinc -tin", "copper AND zinc NOT tin", "copper NOT tin AND zinc"],
    ),
    (
        "error \"file not found\" -windows",
        [
            "error \"file not found\"",
            "error \"file not found\" -windows",
            "error \"file not found\" NOT windows",
            "error \"file not found\" -windows",
        ],
    ),
    ("copper NOT -tin", ["copper", "copper -tin", "copper NOT tin", "copper NOT tin"]),
    ("copper NOT tin -zinc", ["copper", "copper -tin -zinc", "copper NOT tin zinc", "copper NOT tin -zinc"]),
    ("NOT tin", ["", "-tin", "NOT tin", "NOT tin"]),
    ("-tin", ["", "-tin", "NOT tin", "-tin"]),
    ("copper NOT", ["copper"; 4]),
    (
        "copper -client/server",
        ["copper", "copper -\"client server\"", "copper NOT \"client server\"", "copper -\"client server\""],
    ),
    ("(copper -tin", ["copper", "copper -tin", "copper NOT tin", "copper -tin"]),
    ("copper -\"tin foil", ["copper foil", "copper foil -tin", "copper foil NOT tin", "copper -tin foil"]),
    ("copper -C++ -AT&T", ["copper", "copper -C++ -AT&T", "copper NOT C++ AT&T", "copper -C++ -AT&T"]),
    ("медь NOT олово", ["медь", "медь -олово", "медь NOT олово", "медь NOT олово"]),
    ("χαλκός -κασσίτερος", ["χαλκός", "χαλκός -κασσίτερος", "χαλκός NOT κασσίτερος", "χαλκός -κασσίτερος"]),
    ("نحاس -قصدير", ["نحاس", "نحاس -قصدير", "نحاس NOT قصدير", "نحاس -قصدير"]),
    ("נחושת -בדיל", ["נחושת", "נחושת -בדיל", "נחושת NOT בדיל", "נחושת -בדיל"]),
    (
        "तांबा NOT \"टिन की चादर\"",
        ["तांबा", "तांबा -\"टिन की चादर\"", "तांबा NOT \"टिन की चादर\"", "तांबा NOT \"टिन की चादर\""],
    ),
    ("銅 -錫", ["銅", "銅 -錫", "銅 NOT 錫", "銅 -錫"]),
    ("구리 -주석", ["구리", "구리 -주석", "구리 NOT 주석", "구리 -주석"]),
    ("news:elon NOT twitter", ["elon", "elon -twitter", "elon NOT twitter", "elon NOT twitter"]),
    ("news:elon -twitter", ["elon", "elon -twitter", "elon NOT twitter", "elon -twitter"]),
    ("news:-twitter news:elon", ["elon", "elon -twitter", "elon NOT twitter", "-twitter elon"]),
    ("foo NOT company:acme news:elon", ["elon", "elon -acme", "elon NOT acme", "elon NOT acme"]),
    (
        "-(news:fed OR news:ecb) news:rates",
        ["rates", "rates -(fed OR ecb)", "rates NOT (fed OR ecb)", "-(fed OR ecb) rates"],
    ),
    ("🚀 -🌙", ["🚀", "🚀 -🌙", "🚀 NOT 🌙", "🚀 -🌙"]),
    ("🚀 NOT 🌙", ["🚀", "🚀 -🌙", "🚀 NOT 🌙", "🚀 NOT 🌙"]),
    ("-🚀", ["", "-🚀", "NOT 🚀", "-🚀"]),
    ("🚀 -tin", ["🚀", "🚀 -tin", "🚀 NOT tin", "🚀 -tin"]),
];

/// Queries that every source is asked in the same way.
const PLAIN: &[(&str, &str)] = &[
    // Phrases.
    ("error \"file not found\" windows", "error \"file not found\" windows"),
    ("\"to be or not to be\" hamlet", "\"to be or not to be\" hamlet"),
    ("\"copper -based\" alloy", "\"copper -based\" alloy"),
    ("\"copper NOT tin\"", "\"copper NOT tin\""),
    ("“copper wire”", "\"copper wire\""),
    ("„Kupferdraht und Zinn“ kaufen", "\"Kupferdraht und Zinn\" kaufen"),
    ("«fil de cuivre»", "\"fil de cuivre\""),
    ("\"copper wire", "copper wire"),
    ("copper\" wire", "copper wire"),
    ("15\" laptop", "15 laptop"),
    ("\"\" copper", "copper"),
    ("\"  copper   wire \"", "\"copper wire\""),
    ("\"news: today\" copper", "\"news: today\" copper"),
    // Lower-case words are words.
    ("why does my laptop not start", "why does my laptop not start"),
    ("not beta", "not beta"),
    ("copper and tin or zinc", "copper and tin or zinc"),
    ("nothing is lost", "nothing is lost"),
    // Operators and parentheses.
    ("copper AND tin", "copper AND tin"),
    ("(copper OR tin) AND \"zinc foil\"", "(copper OR tin) AND \"zinc foil\""),
    ("copper OR", "copper"),
    ("AND copper OR OR tin", "copper OR tin"),
    ("copper AND OR tin", "copper OR tin"),
    ("()copper ()", "copper"),
    ("(copper", "copper"),
    ("copper)", "copper"),
    (")copper( (tin)", "copper (tin)"),
    ("((copper) tin", "(copper) tin"),
    ("NOT, AND/OR", "not and or"),
    ("poly(ethylene glycol)", "poly(ethylene glycol)"),
    ("copper and 100%", "copper and 100%"),
    // Signs of words.
    ("C++ C# F# .NET node.js", "C++ C# F# .NET node.js"),
    ("AT&T R&D Q&A", "AT&T R&D Q&A"),
    ("user@example.com", "user@example.com"),
    ("first_last+tag@sub.example.com", "first_last+tag@sub.example.com"),
    ("3.5% growth", "3.5% growth"),
    ("3,5 % Wachstum", "3,5 Wachstum"),
    ("$20 20€ £5 ₹100", "$20 20€ £5 ₹100"),
    ("10:30 train", "10:30 train"),
    ("std::vector 2001:db8::1", "std::vector 2001:db8::1"),
    ("C:\\data x", "C data x"),
    ("a@b.example:25", "a@b.example:25"),
    ("what's the dogs' owner’s name?", "what's the dogs' owner’s name?"),
    ("state-of-the-art", "state-of-the-art"),
    ("supply—demand 1939–1945", "supply demand 1939 1945"),
    ("copper -- tin - zinc", "copper tin zinc"),
    ("flood,warning;river|gauge", "flood warning river gauge"),
    ("km/h snake_case a*b", "km h snake case a b"),
    ("C++, C# & more", "C++ C# more"),
    ("https://example.com/a_b?c=d", "example.com a b c d"),
    ("#copper @tin +zinc", "copper tin zinc"),
    ("wait... and see!", "wait and see"),
    ("20°C v1.2.3 U.S.A.", "20°C v1.2.3 U.S.A"),
    ("--help", "help"),
    ("<b>copper</b> wire &amp; AT&amp;T", "copper wire AT&T"),
    ("what does <script> do in html", "what does script do in html"),
    ("difference between <b> and <strong>", "difference between b and strong"),
    ("html <!-- comment", "html comment"),
    ("soft\u{ad}ware \u{feff}bom", "software bom"),
    ("  copper\t\n wire ", "copper wire"),
    // Scripts: marks and joiners belong to words, and no normal form is forced.
    ("naïve Straße Ångström", "naïve Straße Ångström"),
    ("Zu\u{308}rich Tie\u{302}\u{301}ng", "Zu\u{308}rich Tie\u{302}\u{301}ng"),
    ("съешь ещё й", "съешь ещё й"),
    ("νερό, θάλασσα", "νερό θάλασσα"),
    ("كِتَاب جديد، قلم؟", "كِتَاب جديد قلم"),
    ("می\u{200c}خواهم کتاب‌ها", "می\u{200c}خواهم کتاب\u{200c}ها"),
    ("ארה\"ב צה\"ל", "ארה״ב צה״ל"),
    ("שָׁלוֹם עולם", "שָׁלוֹם עולם"),
    ("हिन्दी भाषा।", "हिन्दी भाषा"),
    ("क्\u{200d}ष \"हिन्दी न भाषा\"", "क्\u{200d}ष \"हिन्दी न भाषा\""),
    ("বাংলা ভাষা", "বাংলা ভাষা"),
    ("ગુજરાતી ભાષા", "ગુજરાતી ભાષા"),
    ("ਪੰਜਾਬੀ ਭਾਸ਼ਾ", "ਪੰਜਾਬੀ ਭਾਸ਼ਾ"),
    ("తెలుగు భాష", "తెలుగు భాష"),
    ("සිංහල භාෂාව", "සිංහල භාෂාව"),
    ("ພາສາລາວ", "ພາສາລາວ"),
    ("தமிழ் மொழி", "தமிழ் மொழி"),
    ("ಕನ್ನಡ ನುಡಿ", "ಕನ್ನಡ ನುಡಿ"),
    ("മലയാളം ഭാഷ", "മലയാളം ഭാഷ"),
    ("น้ำ ท่วม กรุงเทพฯ", "น้ำ ท่วม กรุงเทพฯ"),
    ("ភាសាខ្មែរ។", "ភាសាខ្មែរ"),
    ("မြန်မာ ဘာသာ၊", "မြန်မာ ဘာသာ"),
    ("བོད་ཡིག", "བོད་ཡིག"),
    ("が ぎ か\u{3099}", "が ぎ か\u{3099}"),
    ("東京、大阪。「タワー」", "東京 大阪 タワー"),
    ("ジョン・スミス（著）", "ジョン スミス 著"),
    ("中文 搜索，测试！", "中文 搜索 测试"),
    ("东京\"天气 预报\"", "东京 \"天气 预报\""),
    ("한국어 검색", "한국어 검색"),
    ("ქართული ენა", "ქართული ენა"),
    ("አማርኛ፡ቋንቋ።", "አማርኛ ቋንቋ"),
    ("ինչո՞ւ հայերեն։", "ինչո՞ւ հայերեն"),
    ("col·lecció d'art", "col·lecció d'art"),
    ("O‘zbekiston Hawaiʻi", "O‘zbekiston Hawaiʻi"),
    // Emoji.
    ("🚀", "🚀"),
    (" 👩🏽\u{200d}🚀 ❤\u{fe0f}! ", "👩🏽\u{200d}🚀 ❤\u{fe0f}"),
    ("🚀 OR 🌙", "🚀 OR 🌙"),
    ("rocket 🚀", "rocket"),
    ("?!", ""),
    // Tags.
    ("company:acme news", "acme news"),
    ("pricing company:acme", "acme"),
    ("news:fed rates company:acme", "fed rates acme"),
    ("COMPANY:acme NEWS:fed", "fed acme"),
    ("company:\"acme corp\" OR company:initech", "\"acme corp\" OR initech"),
    ("(news:fed OR news:ecb) other", "(fed OR ecb) other"),
    ("(company:acme OR news:fed) rates", "(acme OR fed) rates"),
    ("(pricing company:acme) news", "acme news"),
    ("news:(fed OR ecb) rates", "(fed OR ecb) rates"),
    ("other:(fed OR ecb) rates", "other:(fed OR ecb) rates"),
    ("news:fed 10:30 std::vector", "fed 10:30 std::vector"),
    ("news:10:30", "10:30"),
    ("news:🚀", "🚀"),
    ("other:🚀", "🚀"),
    ("other: foo bar", "other foo bar"),
    ("Dune: Part Two", "Dune Part Two"),
    ("Error: file \"not: found\"", "Error file \"not: found\""),
    ("(note:) NOT:", "(note) not"),
    ("other:foo", "other:foo"),
    ("doi:10.1000/182", "doi:10.1000/182"),
    ("news:fed/ecb", "fed ecb"),
    ("title:\"foo bar\" baz", "title:\"foo bar\" baz"),
    ("news:C++", "C++"),
    ("समाचार:दर", "समाचार:दर"),
];

#[test]
fn queries_and_what_sources_are_asked() {
    let count = NEGATED.len() + PLAIN.len();
    assert!(count >= 150, "{count} queries");
    for (query, expected) in NEGATED {
        let asked = NEGATIONS.map(|mappings| adapted(query, mappings));
        assert_eq!(asked.each_ref().map(String::as_str), *expected, "{query}");
    }
    for (query, expected) in PLAIN {
        let asked = NEGATIONS.map(|mappings| adapted(query, mappings));
        assert_eq!(asked.each_ref().map(String::as_str), [*expected; 4], "{query}");
    }
}

/// The first and last character of a script, and its name.
const SCRIPTS: [(char, char, &str); 25] = [
    ('A', 'ɏ', "Latin"),
    ('Ͱ', 'Ͽ', "Greek"),
    ('Ѐ', 'ӿ', "Cyrillic"),
    ('Ա', 'և', "Armenian"),
    ('א', 'ת', "Hebrew"),
    ('ء', 'ۓ', "Arabic"),
    ('ऄ', 'ह', "Devanagari"),
    ('অ', 'হ', "Bengali"),
    ('ਅ', 'ਹ', "Gurmukhi"),
    ('અ', 'હ', "Gujarati"),
    ('அ', 'ஹ', "Tamil"),
    ('అ', 'హ', "Telugu"),
    ('ಅ', 'ಹ', "Kannada"),
    ('അ', 'ഹ', "Malayalam"),
    ('අ', 'ෆ', "Sinhala"),
    ('ก', 'ะ', "Thai"),
    ('ກ', 'ະ', "Lao"),
    ('ཀ', 'ཬ', "Tibetan"),
    ('က', 'အ', "Burmese"),
    ('ა', 'ჺ', "Georgian"),
    ('ሀ', 'ፚ', "Ethiopic"),
    ('ក', 'ឳ', "Khmer"),
    ('ぁ', 'ヿ', "Kana"),
    ('一', '鿿', "Han"),
    ('가', '힣', "Hangul"),
];

#[test]
fn the_queries_are_of_many_scripts() {
    let queries = NEGATED.iter().map(|(query, _)| *query).chain(PLAIN.iter().map(|(query, _)| *query));
    let written: String = queries.collect();
    let is_used = |(first, last, _): &(char, char, &str)| written.contains(|c| (*first..=*last).contains(&c));
    let missing: Vec<&str> = SCRIPTS.iter().filter(|one| !is_used(one)).map(|(_, _, name)| *name).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn mappings_decide() {
    assert_eq!(adapted("alpha NOT beta", "NOT=false"), "alpha");
    assert_eq!(adapted("alpha NOT beta", "NOT=false,NOT_CHAR=!"), "alpha !beta");
    assert_eq!(adapted("alpha -\"beta gamma\"", "NOT_CHAR=ANDNOT all:"), "alpha ANDNOT all:\"beta gamma\"");
}

#[test]
fn each_provider_knows_its_own_tags() {
    let none = QueryMappings::default();
    let query = "news:fed rates company:acme";
    assert_eq!(adapt(query, Some(&none), &tags(&["Email"])), query);
    assert_eq!(adapt(query, Some(&none), &[]), query);
    assert_eq!(adapt("time:10:30 x", Some(&none), &tags(&["time"])), "10:30 x");
    assert_eq!(adapt("Dune: Part Two", Some(&none), &tags(&["dune"])), "Part Two");
    assert_eq!(adapt("समाचार:दर बैंक", Some(&none), &tags(&["समाचार"])), "दर बैंक");
}

#[test]
fn before_federation_negation_stays() {
    assert_eq!(adapt("alpha NOT beta", None, &[]), "alpha NOT beta");
    assert_eq!(adapt("alpha, -beta", None, &[]), "alpha -beta");
    assert_eq!(adapt("alpha -“beta gamma”", None, &[]), "alpha -\"beta gamma\"");
    assert_eq!(
        adapt("news: fed, company:acme", None, &[]),
        "news: fed company:acme",
        "sources read the tags"
    );
}

proptest! {
    #[test]
    fn tags_leave_a_well_formed_query(
        query in "(AND|OR|NOT|\"|“|\\(|\\)|-| |news:|company:|other:|a|b7|x/y|\\PC){0,16}",
    ) {
        for mappings in NEGATIONS {
            let once = adapted(&query, mappings);
            prop_assert_eq!(once.matches('"').count() % 2, 0, "{} became {}", query, once);
            let outside: String = once.split('"').step_by(2).collect();
            prop_assert_eq!(outside.matches('(').count(), outside.matches(')').count(), "{} became {}", query, once);
            prop_assert!(!once.ends_with(" NOT") && !once.ends_with(" AND") && !once.ends_with(" OR"), "{}", once);
            prop_assert!(!once.contains("  ") && once.trim() == once, "{} became {}", query, once);
        }
    }
}
