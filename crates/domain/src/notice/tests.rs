use super::*;
use crate::ids::{SearchId, TaskId};
use crate::ports::Outcome;
use crate::status::SearchStatus;
use chrono::{TimeDelta, TimeZone, Utc};
use serde_json::json;

fn time() -> Instant {
    Utc.with_ymd_and_hms(2026, 1, 2, 3, 4, 5).unwrap() + TimeDelta::microseconds(6)
}

/// A notice of every kind, with its line.
#[expect(clippy::too_many_lines, reason = "a table: one kind after the other")]
fn all() -> Vec<(NoticeKind, &'static str)> {
    use NoticeKind::{
        BodiesFilled, Clamped, DateSortRequested, EmbedderReplaced, ExcludedWordsFound, HidByPreferences,
        IngestFailed, KeptNewest, MarkedRead, NoProviders, NoSummary, NoticesOmitted, OrderedBy,
        PipelineUnreadable, ProviderNotAsked, ProviderQueryRewritten, ProviderRemark, ProviderRetried,
        ProviderTimedOut, QueryRewritten, RerunRequested, ResultsExhausted, Retrieved, RetrievedNew,
        RunFailed, SourcesAskedLater, SourcesExcluded, SubscriptionFailed, SubscriptionWithoutOwner,
        SummaryWarning, TransformCut, UnknownProviders, UpdateRequested,
    };
    let text = str::to_owned;
    let provider = || text("Rivers");
    let names = || vec![text("a"), text("b")];
    let processed = |outcome: Outcome| outcome.notice("Dedupe", None).unwrap();
    let both = |grouped| Outcome { updated: 3, grouped, ..Outcome::default() };
    vec![
        (DateSortRequested, "Requested sort_by_date from all providers"),
        (RerunRequested, "Rerun requested"),
        (UpdateRequested, "Update requested"),
        (
            Clamped { field: text("results_requested"), given: 900, limit: 100 },
            "results_requested 900 is above the limit; 100 is used",
        ),
        (
            NoProviders,
            "No SearchProvider was queried: none is active, visible to you and selected. Check searchprovider_list, \
             or activate a provider.",
        ),
        (UnknownProviders { names: names() }, "No active provider, name or tag matches: a, b"),
        (SourcesExcluded { names: names() }, "Not queried because of your preferences: a, b"),
        (
            SourcesAskedLater { names: names(), searches: 12 },
            "Asked after the sources with more results in 12 similar searches: a, b",
        ),
        (
            SourcesAskedLater { names: vec![text("a"); 23], searches: 30 },
            "Asked after the sources with more results in 30 similar searches: \
             a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a and 3 more",
        ),
        (
            RunFailed,
            "The search could not be finished. The cause is in the server's log; run it again with rerun.",
        ),
        (SubscriptionWithoutOwner, "Subscriber disabled updates due to permission error"),
        (
            SubscriptionFailed { status: SearchStatus::ErrNoSearchproviders },
            "Subscriber disabled updates due to error ERR_NO_SEARCHPROVIDERS",
        ),
        (QueryRewritten { processor: text("Spell"), query: text("river") }, "Spell rewrote query to: river"),
        (
            ProviderQueryRewritten { processor: text("Spell"), provider: provider(), query: text("river") },
            "Spell rewrote Rivers's query to: river",
        ),
        (
            TransformCut { transform: text("synonyms.1") },
            "synonyms.1 stopped at a limit: the query would have become too long; the rest of its rules was skipped",
        ),
        (NoticeKind::processor_failed("Spell", "no words"), "Spell failed and was skipped: no words"),
        (processed(Outcome::updated(1)), "Dedupe updated 1 results"),
        (processed(Outcome::deleted(2)), "Dedupe deleted 2 results"),
        (processed(Outcome::grouped(1)), "Dedupe grouped 1 duplicate"),
        (processed(Outcome::grouped(2)), "Dedupe grouped 2 duplicates"),
        (
            Outcome::updated(3).notice("Dates", Some("Rivers")).unwrap(),
            "Dates updated 3 results from: Rivers",
        ),
        (processed(both(1)), "Dedupe updated 3 results and grouped 1 duplicate"),
        (processed(both(2)), "Dedupe updated 3 results and grouped 2 duplicates"),
        (PipelineUnreadable, "The post-result pipeline could not be read; the default processors are used"),
        (
            EmbedderReplaced { processor: text("Cosine"), reason: text("503") },
            "Cosine used the built-in reader model: 503",
        ),
        (
            Retrieved { retrieved: 3, found: 40, provider: provider() },
            "Retrieved 3 of 40 results from: Rivers",
        ),
        (RetrievedNew { count: 2, provider: provider() }, "Retrieved 2 new results from: Rivers"),
        (KeptNewest { kept: 9, provider: provider() }, "Kept the newest 9 results from: Rivers"),
        (
            BodiesFilled { count: 2, provider: provider() },
            "Filled the body of 2 results from their pages from: Rivers",
        ),
        (NoticeKind::provider_failed("Rivers", "500"), "Error: Rivers: 500"),
        (
            ProviderRetried { provider: provider(), attempt: 1, reason: text("500") },
            "Error: Rivers: attempt 1 failed: 500",
        ),
        (
            ProviderTimedOut { provider: provider(), waited_s: 2.04 },
            "Timeout: Rivers did not answer within 2.0 s; the results are partial",
        ),
        (NoticeKind::provider_suspended("Rivers", "a pause"), "Suspended: Rivers was not queried: a pause"),
        (ProviderNotAsked { provider: provider(), reason: text("no time") }, "Not asked: Rivers: no time"),
        (ProviderRemark { remark: text("a remark") }, "a remark"),
        (
            ExcludedWordsFound { count: 4, provider: provider() },
            "Found a word that the query excludes in 4 results from: Rivers; it may not support NOT",
        ),
        (NoticeKind::unknown_mixer("X", "RelevancyMixer"), "Unknown mixer 'X'; RelevancyMixer is used"),
        (NoticeKind::hid_undated("DateMixer", 0), "DateMixer hid 0 results with date_published='unknown'"),
        (NoticeKind::hid_old("DateNewItemsMixer", 2), "DateNewItemsMixer hid 2 old results"),
        (NoticeKind::no_new_results("DateNewItemsMixer"), "DateNewItemsMixer found 0 new results"),
        (HidByPreferences { count: 1 }, "Your preferences hid 1 result"),
        (HidByPreferences { count: 2 }, "Your preferences hid 2 results"),
        (ResultsExhausted { search: SearchId(7) }, "Results exhausted for 7"),
        (MarkedRead { count: 5 }, "marked 5 results as read"),
        (
            NoticesOmitted { count: 600 },
            "Omitted 600 messages of sources; the filter_url of a source shows those of that source",
        ),
        (OrderedBy { mixer: text("DateMixer") }, "Results ordered by: DateMixer"),
        (NoSummary { reason: text("no model") }, "No AI summary: no model"),
        (SummaryWarning { warning: text("a warning") }, "a warning"),
        (IngestFailed { task: TaskId(7), reason: text("gone") }, "gone"),
    ]
}

#[test]
fn every_kind_has_its_line() {
    for (kind, line) in all() {
        let notice = Notice::new(time(), kind);
        assert_eq!(notice.to_string(), format!("[2026-01-02 03:04:05.000006] {line}"));
    }
    assert_eq!(Notice::banner().to_string(), format!("{} {}", crate::SERVICE_NAME, crate::VERSION));
}

#[test]
fn every_kind_is_restored_from_a_record() {
    for (kind, _) in all() {
        let notices = vec![Notice::banner(), Notice::new(time(), kind)];
        let record = serde_json::to_string(&StoredNotices::of(notices.clone())).unwrap();
        let stored: StoredNotices = serde_json::from_str(&record).unwrap();
        assert_eq!(stored.restore(lines(&notices)), notices);
    }
}

/// Stored records have this form: it may change only if the form before it can still be read.
#[test]
fn the_stored_form_is_unchanged() {
    let retrieved = NoticeKind::Retrieved { retrieved: 3, found: 40, provider: "\"Rivers\"".to_owned() };
    let notices = [Notice::new(time(), NoticeKind::RerunRequested), Notice::new(time(), retrieved)];
    let lines = r#"["[2026-01-02 03:04:05.000006] Rerun requested","[2026-01-02 03:04:05.000006] Retrieved 3 of 40 results from: \"Rivers\""]"#;
    let facts = r#"[{"at":1767323045000006,"kind":"RerunRequested"},{"at":1767323045000006,"kind":{"Retrieved":{"retrieved":3,"found":40,"provider":"\"Rivers\""}}}]"#;
    let mut text = Vec::new();
    push_lines(&notices, &mut text).unwrap();
    push_facts(&notices, &mut text).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), format!("{lines}{facts}"));
    // In a larger record, too.
    let record = json!({"facts": StoredNotices::of(notices.to_vec())});
    assert_eq!(record, json!({"facts": serde_json::from_str::<serde_json::Value>(facts).unwrap()}));
    let stored: StoredNotices = serde_json::from_str(facts).unwrap();
    assert_eq!(stored.restore(serde_json::from_str(lines).unwrap()), notices);
}

#[test]
fn facts_that_cannot_be_read_do_not_make_the_record_unreadable() {
    #[derive(Deserialize)]
    struct Record {
        messages: Vec<String>,
        #[serde(default)]
        notices: StoredNotices,
        after: u32,
    }
    let line = "[2026-01-02 03:04:05.000006] Rerun requested";
    let with = |facts: &str| format!(r#"{{"messages": ["{line}"], "notices": {facts}, "after": 7}}"#);
    let known = r#"{"at": 1767323045000006, "kind": "RerunRequested"}"#;
    let unreadable = [
        "[]",
        "null",
        "1",
        r#""RerunRequested""#,
        r#"{"later": ["a", {"b": null}]}"#,
        r#"[{"at": 1767323045000006, "kind": "Invented"}]"#,
        r#"[{"at": 1767323045000006, "kind": {"Invented": {"later": [1, "]"]}}}]"#,
        r#"[{"at": 1767323045000006, "kind": {"Retrieved": {"without": "its fields"}}}]"#,
        r#"[{"at": "2026-01-02", "kind": "RerunRequested"}]"#,
        r#"[{"at": 9223372036854775807, "kind": "RerunRequested"}]"#,
    ];
    let text = NoticeKind::Line { line: "Rerun requested".to_owned() };
    let cases = unreadable.map(|facts| (with(facts), text.clone()));
    let without = (format!(r#"{{"messages": ["{line}"], "after": 7}}"#), text);
    let readable = (with(&format!("[{known}]")), NoticeKind::RerunRequested);
    for (record, expected) in cases.into_iter().chain([without, readable]) {
        let from_text: Record =
            serde_json::from_str(&record).unwrap_or_else(|error| panic!("{record}: {error}"));
        let value: serde_json::Value = serde_json::from_str(&record).unwrap();
        let from_value: Record = serde_json::from_value(value).unwrap();
        for Record { messages, notices, after } in [from_text, from_value] {
            assert_eq!(notices.restore(messages), [Notice::new(time(), expected.clone())], "{record}");
            assert_eq!(after, 7);
        }
    }
    assert!(serde_json::from_str::<Record>(&with("[{]")).is_err(), "it is not JSON");
}

#[test]
fn lines_of_other_versions_are_shown_as_they_are() {
    let before = vec![Notice::banner(), Notice::new(time(), NoticeKind::RerunRequested)];
    let facts = StoredNotices::of(before.clone());
    let dropped: Vec<String> =
        vec![lines(&before)[0].clone(), "[2027-01-01 00:00:00.000000] other".to_owned()];
    let unknown: StoredNotices =
        serde_json::from_value(json!([{"at": 1, "kind": {"Invented": {"later": 1}}}])).unwrap();
    let earlier = ["Tributary 0.1.0", "[2026-01-02 03:04:05.000006] Rerun requested", "no time"];
    let cases: [(StoredNotices, Vec<String>); 4] = [
        (StoredNotices::default(), earlier.map(str::to_owned).to_vec()),
        (facts.clone(), [lines(&before), vec!["[x] appended".to_owned()]].concat()),
        (facts, dropped),
        (unknown, vec!["[2026-01-02 03:04:05.000006] of a later version".to_owned()]),
    ];
    for (facts, expected) in cases {
        let restored = facts.restore(expected.clone());
        assert_eq!(lines(&restored), expected);
        assert!(restored.iter().all(|notice| notice.kind != NoticeKind::RerunRequested), "{restored:?}");
    }
    let restored = StoredNotices::default().restore(earlier.map(str::to_owned).to_vec());
    assert!(restored[0].is_banner() && restored[1].at == time() && restored[2].at == Instant::UNIX_EPOCH);
}

#[test]
fn the_banner_of_every_version_is_one() {
    let is_banner = |line: &str| StoredNotices::default().restore(vec![line.to_owned()])[0].is_banner();
    for line in ["Tributary 0.1.0", "Tributary 10.0.0-rc.1"] {
        assert!(is_banner(line), "{line}");
    }
    for line in ["Tributary", "Tributary demo", "Tributary 1 result", "[2026-01-01] Tributary 0.1.0", ""] {
        assert!(!is_banner(line), "{line}");
    }
}

#[test]
fn every_text_from_outside_is_masked() {
    let (processor, provider, secret) =
        (|| "Spell".to_owned(), || "Rivers".to_owned(), || "hunter2".to_owned());
    let kinds = [
        NoticeKind::QueryRewritten { processor: processor(), query: secret() },
        NoticeKind::ProviderQueryRewritten { processor: processor(), provider: provider(), query: secret() },
        NoticeKind::processor_failed("Spell", secret()),
        NoticeKind::EmbedderReplaced { processor: processor(), reason: secret() },
        NoticeKind::provider_failed("Rivers", secret()),
        NoticeKind::ProviderRetried { provider: provider(), attempt: 1, reason: secret() },
        NoticeKind::provider_suspended("Rivers", secret()),
        NoticeKind::ProviderNotAsked { provider: provider(), reason: secret() },
        NoticeKind::ProviderRemark { remark: secret() },
        NoticeKind::UnknownProviders { names: vec![secret()] },
        NoticeKind::unknown_mixer("hunter2", "DateMixer"),
        NoticeKind::NoSummary { reason: secret() },
        NoticeKind::SummaryWarning { warning: secret() },
        NoticeKind::IngestFailed { task: TaskId(7), reason: secret() },
        NoticeKind::Line { line: secret() },
    ];
    for mut kind in kinds {
        kind.change_texts(|text| *text = text.replace("hunter2", "***"));
        assert!(kind.to_string().contains("***"), "{kind}");
    }
}

#[test]
fn no_text_from_outside_turns_a_line_round() {
    for (mut kind, _) in all() {
        kind.change_texts(|text| *text = format!("\u{202e}{text}\u{2066}"));
        let line = Notice::new(time(), kind).to_string();
        assert!(!line.contains(['\u{202e}', '\u{2066}']), "{line}");
    }
}

#[test]
fn the_oldest_notices_go_and_the_first_stays() {
    let number = |number: usize| Notice::new(time(), NoticeKind::HidByPreferences { count: number });
    let many = |count: usize| (0..count).map(number).collect::<Vec<_>>();
    for (count, second) in [(0, None), (1, None), (NOTICES_MAX, Some(1)), (NOTICES_MAX + 2, Some(3))] {
        let mut notices = many(count);
        drop_oldest(&mut notices);
        assert_eq!(notices.len(), count.min(NOTICES_MAX));
        assert_eq!(notices.first(), many(count).first());
        assert_eq!(notices.get(1), second.map(number).as_ref());
        assert_eq!(notices.last(), many(count).last());
    }
}
