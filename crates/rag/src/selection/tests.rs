//! Table tests of the selection.

use super::*;
use domain::ids::ResultId;
use domain::rag::InclusionField;
use domain::result::ResultItem;
use domain::summary::SummaryDetails;
use testkit::builders::{self, result_set};

/// A result named by its title: rank inside its provider, confidence, score, date.
fn item(id: i64, rank: u32, confidence: f64, score: f64) -> ResultItem {
    let result = builders::item(format!("r{id}")).id(id).rank(rank).confidence(confidence).score(score);
    result.url(format!("https://example.org/{id}")).date("unknown").build()
}

fn dated(id: i64, rank: u32, confidence: f64, date: &str) -> ResultItem {
    ResultItem { date_published: date.to_owned(), ..item(id, rank, confidence, 100.0) }
}

fn set(provider: i64, items: Vec<ResultItem>) -> ResultSet {
    result_set(provider).items(items).build()
}

/// `count` good results of a provider, with ids from 100 times its own.
fn many(provider: i64, count: u32) -> ResultSet {
    let good = |rank: u32| item(provider * 100 + i64::from(rank), rank, 0.9, 90.0);
    set(provider, (1..=count).map(good).collect())
}

fn rules(strategy: Strategy, max: usize) -> SelectionRules {
    SelectionRules {
        field: InclusionField::Confidence,
        threshold: 0.7,
        strategy,
        max,
        ..SelectionRules::default()
    }
}

fn ids(selection: &Selection) -> Vec<i64> {
    selection.items.iter().map(|one| one.item.swirl_id.0).collect()
}

fn no_overrides() -> BTreeMap<ProviderId, RagOverrides> {
    BTreeMap::new()
}

fn overrides_used(rows: &[(i64, RagOverrides)]) -> BTreeMap<ProviderId, RagOverrides> {
    rows.iter().map(|(provider, overrides_used)| (ProviderId(*provider), *overrides_used)).collect()
}

#[test]
fn each_strategy_takes_its_own() {
    use Strategy::{Distributed, RoundRobin, RoundRobinThreshold, Sorted};
    // Provider 1 is good throughout, provider 2 has one good and two bad ones, provider 3 has nothing.
    let second = vec![item(201, 1, 0.2, 10.0), item(202, 2, 0.95, 95.0), item(203, 3, 0.5, 60.0)];
    let sets = [set(2, second), many(1, 4), many(3, 0)];
    let table: &[(Strategy, usize, &[i64])] = &[
        (Sorted, 10, &[202, 101, 102, 103, 104]),
        (Sorted, 2, &[202, 101]),
        (Sorted, 0, &[]),
        // Three each would be the share of ten; all seven are there.
        (Distributed, 10, &[101, 102, 103, 104, 201, 202, 203]),
        (Distributed, 4, &[101, 102, 201, 202]),
        (Distributed, 5, &[101, 102, 103, 201, 202]),
        (Distributed, 1, &[101]),
        (Distributed, 0, &[]),
        (RoundRobin, 10, &[101, 201, 102, 202, 103, 203, 104]),
        (RoundRobin, 3, &[101, 201, 102]),
        (RoundRobinThreshold, 10, &[101, 202, 102, 103, 104]),
        (RoundRobinThreshold, 2, &[101, 202]),
    ];
    for (strategy, max, expected) in table {
        let selection = select_results(&sets, &no_overrides(), &rules(*strategy, *max), &[]);
        assert_eq!(ids(&selection), *expected, "{strategy:?} {max}");
        assert!(selection.messages.is_empty() && selection.unknown.is_empty());
        assert_eq!(selection.best.map(|best| best.score), Some(0.95));
    }
}

#[test]
fn two_sources_and_ten_are_five_each() {
    let sets = [many(1, 10), many(2, 10)];
    let selection = select_results(&sets, &no_overrides(), &rules(Strategy::Distributed, 10), &[]);
    assert_eq!(ids(&selection), [101, 102, 103, 104, 105, 201, 202, 203, 204, 205]);
    // A source that has too few is filled up from the others, in turn.
    let sets = [many(1, 2), many(2, 10), many(3, 10)];
    let selection = select_results(&sets, &no_overrides(), &rules(Strategy::Distributed, 10), &[]);
    assert_eq!(ids(&selection), [101, 102, 201, 202, 203, 204, 301, 302, 303, 304]);
    // More sources than space: the first ones.
    let sets: Vec<ResultSet> = (1..=12).map(|provider| many(provider, 3)).collect();
    let selection = select_results(&sets, &no_overrides(), &rules(Strategy::Distributed, 10), &[]);
    assert_eq!(ids(&selection), (1..=10).map(|provider| provider * 100 + 1).collect::<Vec<_>>());
}

#[test]
fn a_threshold_has_to_be_passed() {
    let sets = [set(
        1,
        vec![
            item(1, 1, 0.7, 99.0),
            item(2, 2, 0.700_01, 1.0),
            // Without a confidence the score decides.
            item(3, 3, 0.0, 50.0),
            item(4, 4, 0.0, 50.5),
            item(5, 5, f64::NAN, 0.0),
        ],
    )];
    let selection = select_results(&sets, &no_overrides(), &rules(Strategy::Sorted, 10), &[]);
    // One of them has no confidence, so the scores order them.
    assert_eq!(ids(&selection), [4, 2]);
    let by_score =
        SelectionRules { field: InclusionField::Score, threshold: 50.0, ..rules(Strategy::Sorted, 10) };
    assert_eq!(ids(&select_results(&sets, &no_overrides(), &by_score, &[])), [1, 4]);
    let nothing = SelectionRules { threshold: 0.99, ..rules(Strategy::Sorted, 10) };
    let sets = [set(1, vec![item(1, 1, 0.6, 99.0)])];
    let selection = select_results(&sets, &no_overrides(), &nothing, &[]);
    assert_eq!((selection.items.len(), selection.best.map(|best| best.score)), (0, Some(0.6)));
    assert_eq!(select_results(&[], &no_overrides(), &nothing, &[]).best, None);
    let own = RagOverrides { threshold: Some(1.1), ..RagOverrides::default() };
    let overrides = sets.iter().map(|set| (set.provider, own)).collect();
    let best = select_results(&sets, &overrides, &SelectionRules::default(), &[]).best;
    assert_eq!(best.map(|best| best.threshold), Some(1.1), "the threshold of the provider is named");
}

#[test]
fn results_of_the_second_reader_are_ordered_by_answerability() {
    let sets = [set(1, vec![item(1, 1, 0.9, 90.0), item(2, 2, 0.8, 80.0), item(3, 3, 0.75, 75.0)])];
    let answerability = BTreeMap::from([(ResultId(1), 0.8), (ResultId(2), 0.95)]);
    for (by_answerability, expected) in [(true, [2, 1, 3]), (false, [1, 2, 3])] {
        let rules = SelectionRules {
            answerability: answerability.clone(),
            by_answerability,
            ..rules(Strategy::Sorted, 10)
        };
        assert_eq!(ids(&select_results(&sets, &no_overrides(), &rules, &[])), expected);
        // If results are selected by their score, it also orders them.
        let by_score = SelectionRules { field: InclusionField::Score, threshold: 50.0, ..rules };
        assert_eq!(ids(&select_results(&sets, &no_overrides(), &by_score, &[])), [1, 2, 3]);
    }
}

#[test]
fn equals_are_ordered_by_date_rank_and_id() {
    let sets = [
        set(
            1,
            vec![
                dated(1, 1, 0.9, "unknown"),
                dated(2, 2, 0.9, "2024-01-02 00:00:00"),
                dated(3, 3, 0.9, "2024-01-02 03:00:00+05:00"),
                dated(4, 4, 0.9, "2025-06-01 10:00:00.5"),
            ],
        ),
        set(2, vec![dated(6, 1, 0.9, ""), dated(5, 1, 0.9, "soon"), dated(7, 1, 0.95, "unknown")]),
    ];
    let selection = select_results(&sets, &no_overrides(), &rules(Strategy::Sorted, 10), &[]);
    assert_eq!(ids(&selection), [7, 4, 2, 3, 1, 5, 6]);
}

#[test]
fn a_provider_may_have_rules_of_its_own() {
    use Strategy::{Distributed, RoundRobin, RoundRobinThreshold, Sorted};
    let sets = [many(1, 5), many(2, 5)];
    let cap = |max| RagOverrides { max_to_consider: Some(max), ..RagOverrides::default() };
    let table: &[(Strategy, usize, &[i64])] = &[
        (Sorted, 10, &[101, 201, 202, 203, 204, 205]),
        (Distributed, 6, &[101, 201, 202, 203, 204, 205]),
        (Distributed, 4, &[101, 201, 202, 203]),
        (RoundRobin, 4, &[101, 201, 202, 203]),
        (RoundRobinThreshold, 3, &[101, 201, 202]),
    ];
    for (strategy, max, expected) in table {
        let selection = select_results(&sets, &overrides_used(&[(1, cap(1))]), &rules(*strategy, *max), &[]);
        assert_eq!(ids(&selection), *expected, "{strategy:?} {max}");
    }
    // None at all of one.
    let selection = select_results(&sets, &overrides_used(&[(1, cap(0))]), &rules(Distributed, 4), &[]);
    assert_eq!(ids(&selection), [201, 202, 203, 204]);
    // The only provider of a search says how many there are, more or fewer.
    for (max, count) in [(2, 2), (5, 5), (0, 0)] {
        let selection = select_results(&sets[..1], &overrides_used(&[(1, cap(max))]), &rules(Sorted, 3), &[]);
        assert_eq!(selection.items.len(), count, "{max}");
    }
    // Among two it is a limit, and the limit of all holds, too.
    let selection =
        select_results(&sets, &overrides_used(&[(1, cap(50)), (2, cap(50))]), &rules(Sorted, 3), &[]);
    assert_eq!(selection.items.len(), 3);
}

#[test]
fn thresholds_and_fields_of_a_provider_are_for_its_own_results() {
    let sets = [
        set(1, vec![item(1, 1, 0.4, 80.0), item(2, 2, 0.2, 70.0)]),
        set(2, vec![item(3, 1, 0.8, 20.0), item(4, 2, 0.6, 99.0)]),
    ];
    let low = RagOverrides { threshold: Some(0.3), ..RagOverrides::default() };
    let selection = select_results(&sets, &overrides_used(&[(1, low)]), &rules(Strategy::Sorted, 10), &[]);
    assert_eq!(ids(&selection), [3, 1]);
    let by_score =
        RagOverrides { threshold: Some(75.0), field: Some(InclusionField::Score), ..RagOverrides::default() };
    // Two fields, and all have a confidence: that orders them.
    let selection =
        select_results(&sets, &overrides_used(&[(1, by_score)]), &rules(Strategy::Sorted, 10), &[]);
    assert_eq!(ids(&selection), [3, 1]);
    // One has none: the score orders them.
    let mut sets = sets;
    sets[0].items[0].swirl_confidence_score = 0.0;
    let selection =
        select_results(&sets, &overrides_used(&[(1, by_score)]), &rules(Strategy::Sorted, 10), &[]);
    assert_eq!(ids(&selection), [1, 3]);
    let selection = select_results(
        &sets,
        &overrides_used(&[(1, by_score)]),
        &rules(Strategy::RoundRobinThreshold, 10),
        &[],
    );
    assert_eq!(ids(&selection), [1, 3]);
}

#[test]
fn providers_that_name_a_strategy_have_to_agree() {
    let sets = [many(1, 2), many(2, 2), many(3, 2)];
    let with = |strategy| RagOverrides { strategy: Some(strategy), ..RagOverrides::default() };
    let (robin, sorted) = (with(Strategy::RoundRobin), with(Strategy::Sorted));
    let grouped = [101, 102, 201, 202, 301, 302];
    let in_turn = [101, 201, 301, 102, 202, 302];
    for (rows, expected, messages) in [
        (vec![], grouped, 0),
        (vec![(1, robin)], in_turn, 0),
        (vec![(1, robin), (3, robin)], in_turn, 0),
        (vec![(1, robin), (3, sorted)], grouped, 1),
        // A provider that is not asked has no say.
        (vec![(1, robin), (9, sorted)], in_turn, 0),
    ] {
        let selection = select_results(&sets, &overrides_used(&rows), &rules(Strategy::Distributed, 10), &[]);
        assert_eq!((ids(&selection), selection.messages.len()), (expected.to_vec(), messages), "{rows:?}");
        if messages > 0 {
            assert_eq!(
                selection.messages[0],
                "The providers of this search name different strategies for AI summaries (roundrobin, sorted); \
                 distributed is used."
            );
        }
    }
}

#[test]
fn what_a_model_wrote_is_no_source() {
    let mut rows = vec![item(1, 1, 0.9, 90.0), item(2, 2, 0.9, 90.0), item(3, 3, 0.9, 90.0)];
    rows[0].result_block = Some("ai_summary".to_owned());
    rows[1].additional_content = Some(Box::new(SummaryDetails::default()));
    let sets = [set(1, rows), many(2, 2)];
    let rules =
        SelectionRules { generated: BTreeSet::from([ProviderId(2)]), ..rules(Strategy::Distributed, 10) };
    assert_eq!(ids(&select_results(&sets, &no_overrides(), &rules, &[])), [3]);
    let selection = select_results(&sets, &no_overrides(), &rules, &[1, 3, 201]);
    assert_eq!(ids(&selection), [3]);
    assert_eq!(selection.messages, ["AI-generated results cannot be sources of a summary: 1, 201."]);
}

#[test]
fn the_same_document_counts_once() {
    let copy = |id: i64, confidence: f64| ResultItem {
        url: "https://example.org/same".to_owned(),
        title: "Same".to_owned(),
        ..item(id, 1, confidence, 90.0)
    };
    // Two pages of one address that have titles of their own are two.
    let other = ResultItem { title: "Other".to_owned(), ..copy(4, 0.8) };
    let sets = [set(1, vec![copy(1, 0.8)]), set(2, vec![copy(2, 0.9), other]), many(3, 1)];
    let selection = select_results(&sets, &no_overrides(), &rules(Strategy::RoundRobin, 10), &[]);
    assert_eq!(ids(&selection), [2, 301, 4]);
    // If both are requested, both are used; the same id is one result.
    let twice = [sets[0].clone(), sets[1].clone(), set(3, vec![copy(1, 0.8)])];
    let selection = select_results(&twice, &no_overrides(), &rules(Strategy::RoundRobin, 10), &[2, 1, 1]);
    assert_eq!(ids(&selection), [1, 2]);
}

#[test]
fn wanted_results_are_taken_whatever_their_score() {
    let sets = [many(1, 3), set(2, vec![item(201, 1, 0.1, 1.0), item(202, 2, 0.3, 2.0)])];
    let cap = overrides_used(&[(1, RagOverrides { max_to_consider: Some(1), ..RagOverrides::default() })]);
    let order: Vec<ResultId> = [202, 103, 201, 101, 102].map(ResultId).to_vec();
    type Row<'a> = (Strategy, usize, &'a [i64], &'a [i64], &'a [i64]);
    let table: &[Row<'_>] = &[
        (Strategy::Sorted, 10, &[201, 102, 202], &[102, 202, 201], &[]),
        (Strategy::Sorted, 2, &[201, 102, 202], &[102, 202], &[]),
        (Strategy::RoundRobinThreshold, 10, &[102, 201, 103], &[102, 201, 103], &[]),
        (Strategy::Distributed, 10, &[201, 103, 101], &[101, 103, 201], &[]),
        (Strategy::Sorted, 10, &[202, 1, 7, 7], &[202], &[1, 7]),
        // No number is an id: they are ranks of the mixed list.
        (Strategy::Sorted, 10, &[1, 2, 9], &[103, 202], &[9]),
        (Strategy::Sorted, 10, &[0, -1, 6], &[], &[0, -1, 6]),
    ];
    for (strategy, max, wanted, expected, unknown) in table {
        let rules = SelectionRules { order: order.clone(), ..rules(*strategy, *max) };
        let selection = select_results(&sets, &cap, &rules, wanted);
        assert_eq!(
            (ids(&selection), selection.unknown.as_slice()),
            (expected.to_vec(), *unknown),
            "{wanted:?}"
        );
        assert_eq!(selection.messages.is_empty(), unknown.is_empty());
    }
    let selection = select_results(&sets, &cap, &rules(Strategy::Sorted, 10), &[201, 8]);
    assert_eq!(selection.messages, ["These numbers are not results of this search: 8."]);
}

#[test]
fn of_several_versions_the_one_that_counts_is_used() {
    use testkit::versions::{VersionStatuses, decided, mark, undecided};
    let version = |id: i64, confidence: f64, standings: &VersionStatuses| {
        let mut mark = mark(id);
        mark.set_version_status(standings[&domain::ids::SignalId(id)].clone());
        ResultItem { cache: Some(Box::new(mark)), ..item(id, id as u32, confidence, 90.0) }
    };
    let elected = decided(&[2, 1, 3], domain::corpus::DecidedBy::Election, 7);
    let open = undecided(&[4, 5]);
    let rows = vec![
        version(1, 0.95, &elected),
        version(2, 0.8, &elected),
        version(3, 0.75, &elected),
        version(4, 0.74, &open),
        version(5, 0.73, &open),
    ];
    let sets = [set(1, rows)];
    for strategy in
        [Strategy::Sorted, Strategy::Distributed, Strategy::RoundRobin, Strategy::RoundRobinThreshold]
    {
        let selection = select_results(&sets, &no_overrides(), &rules(strategy, 10), &[]);
        assert_eq!(
            (ids(&selection), selection.best.map(|best| best.score)),
            (vec![2, 4, 5], Some(0.8)),
            "{strategy:?}"
        );
    }
    // Another version is used if it is requested.
    let selection = select_results(&sets, &no_overrides(), &rules(Strategy::Sorted, 10), &[1, 3]);
    assert_eq!(ids(&selection), [1, 3]);
}
