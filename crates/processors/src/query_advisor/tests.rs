use super::*;

fn evidence(query: &str, results: &[&str], earlier: &[&str]) -> QueryEvidence {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    QueryEvidence { query: query.to_owned(), results: owned(results), earlier: owned(earlier) }
}

fn advised(query: &str, results: &[&str], earlier: &[&str]) -> QueryAdvice {
    advice(&evidence(query, results, earlier), &PluginSettings::default())
}

fn meant(query: &str, results: &[&str], earlier: &[&str]) -> Option<String> {
    advised(query, results, earlier).did_you_mean.map(|meant| meant.query_string)
}

#[test]
fn misspelled_queries_get_a_suggestion() {
    for (query, expected) in [
        ("flod warnig", Some("flood warning")),
        ("Flod Warnig", Some("Flood Warning")),
        ("sedimant", Some("sediment")),
        ("batery", Some("battery")),
        ("\"flod\" batery -warnig", Some("\"flod\" battery -warnig")),
        ("flood warning", None),
        ("RB-171", None),
        ("qubits", None),
        // An unknown word without a candidate is a name, or the query is in another language.
        ("xqzvwkj batery", None),
        ("Hochwasser Warnung", None),
        ("hochwasser pegel elbe", None),
        ("assurance maladie remboursement", None),
        ("precio del trigo", None),
        ("", None),
    ] {
        assert_eq!(meant(query, &[], &[]).as_deref(), expected, "{query}");
    }
    let words = advised("Flod warnig", &[], &[]).did_you_mean.map(|meant| meant.words).unwrap_or_default();
    let pairs: Vec<_> = words.iter().map(|one| (one.word.as_str(), one.replacement.as_str())).collect();
    assert_eq!(pairs, [("Flod", "Flood"), ("warnig", "warning")]);
}

#[test]
fn words_of_results_and_earlier_queries_are_known() {
    assert_eq!(meant("batery", &["The Batery is a band."], &[]), None, "the result has it");
    assert_eq!(meant("talvera", &["The Talverra sluice was opened."], &[]).as_deref(), Some("talverra"));
    let twice = ["talverra sluice", "talverra lock"];
    assert_eq!(meant("talvera", &[], &twice).as_deref(), Some("talverra"));
    let once = ["talverra sluice", "Talverra Sluice "];
    assert_eq!(meant("talvera", &[], &once), None, "an earlier query may be misspelled");
    assert_eq!(meant("flod", &[], &["fold"]).as_deref(), Some("fold"), "a word of the dictionary");
}

#[test]
fn a_common_query_needs_no_earlier_ones() {
    let advisor = BuiltInAdvisor::new(Arc::default());
    let table: [(&str, &[String], bool); 4] = [
        ("flood warning", &[], false),
        ("flod warning", &[], true),
        ("talverra", &["talverra".to_owned()], false),
        ("RB-171", &[], false),
    ];
    for (query, results, expected) in table {
        assert_eq!(advisor.is_doubtful(query, results), expected, "{query}");
    }
}

const ENGLISH: &str = "The river rose in the night and it was cold.";
const GERMAN: &str = "Der Fluss stieg in der Nacht, und es war kalt.";

#[test]
fn the_language_is_named_if_it_is_sure() {
    type Hint<'a> = Option<(&'a str, Option<&'a str>)>;
    let table: [(&str, &[&str], Hint<'_>); 8] = [
        ("Hochwasser Warnung", &[], Some(("german", None))),
        ("das Haus an der Elbe", &[ENGLISH, ENGLISH], Some(("german", Some("english")))),
        ("das Haus an der Elbe", &[GERMAN, GERMAN, ENGLISH], None),
        ("das Haus an der Elbe", &[ENGLISH], None),
        ("das Haus an der Elbe", &[ENGLISH, ENGLISH, GERMAN, GERMAN], None),
        ("who pays for the damage", &[GERMAN, GERMAN], Some(("english", Some("german")))),
        ("who pays for the damage", &[], None),
        ("flod warnig", &[], None),
    ];
    for (query, results, expected) in table {
        let hint = advised(query, results, &[]).language_hint;
        let shown = hint.as_ref().map(|hint| (hint.query.as_str(), hint.results.as_deref()));
        assert_eq!(shown, expected, "{query} {results:?}");
    }
}

#[test]
fn other_languages_need_their_dictionaries() {
    let settings =
        PluginSettings { default_query_language: "klingon".to_owned(), ..PluginSettings::default() };
    let advice_on =
        |query: &str, results: &[&str]| advice(&evidence(query, results, &[]), &settings).did_you_mean;
    assert_eq!(advice_on("batery", &[]), None);
    let meant = advice_on("batery", &["A battery"]).map(|meant| meant.query_string);
    assert_eq!(meant.as_deref(), Some("battery"));
}

#[test]
fn much_text_is_read_in_part() {
    let many: Vec<String> = (0..RESULT_WORDS_MAX + 10).map(|number| format!("word{number}")).collect();
    assert_eq!(result_words(&[many.join(" ")]).len(), RESULT_WORDS_MAX);
    let character = |number: usize, place: u32| char::from(b'a' + (number / 26_usize.pow(place) % 26) as u8);
    let name = |number: usize| (0..4).map(|place| character(number, place)).collect::<String>();
    let words: Vec<String> = (0..EARLIER_WORDS_MAX + 10).map(|number| name(number) + "qqx").collect();
    let queries: Vec<String> =
        words.chunks(10).flat_map(|words| [words.join(" "), words.join("  ")]).collect();
    assert_eq!(own_words(BTreeSet::new(), &queries, None).len(), EARLIER_WORDS_MAX);
}

#[tokio::test]
async fn the_advisor_is_a_port() {
    let advisor: Arc<dyn QueryAdvisor> = Arc::new(BuiltInAdvisor::new(Arc::default()));
    let advice = advisor.advise(evidence("batery", &[], &[])).await;
    assert_eq!(advice.did_you_mean.map(|meant| meant.query_string).as_deref(), Some("battery"));
}
