//! Rate limits that processes share.

use super::fixture::{at, person};
use domain::ids::ProviderId;
use domain::ports::Store;
use domain::provider::ProviderSpec;
use domain::rate_limit::{BudgetRequest, BudgetTurn};
use std::time::Duration;
use syntax::rate::Rate;

/// A permit is refilled in this time, which is longer than any test takes.
const TURN: Duration = Duration::from_secs(300);

fn four_at_once(wait_max: Duration) -> BudgetRequest {
    BudgetRequest { rate: Rate { count: 4, per: 4 * TURN }, wait_max }
}

async fn created<const COUNT: usize>(store: &dyn Store, names: [&str; COUNT]) -> [ProviderId; COUNT] {
    let owner = person(store, "owner").await.id;
    let spec = |name: &str| ProviderSpec { name: name.to_owned(), ..ProviderSpec::default() };
    let made = store.create_providers(names.map(spec).to_vec(), owner, at(1)).await.expect("providers");
    std::array::from_fn(|index| made[index].id)
}

/// Concurrent requests, from any process, take one permit each.
pub async fn are_used_once(store: &dyn Store) {
    let [provider] = created(store, ["Limited"]).await;
    let asked = (0..20).map(|_| store.take_turn(provider, four_at_once(Duration::ZERO)));
    let turns = futures_util::future::join_all(asked).await;
    let free = turns.iter().filter(|turn| matches!(turn, Ok(BudgetTurn::In(Duration::ZERO)))).count();
    assert_eq!(free, 4, "{turns:?}");
    for turn in turns.into_iter().map(Result::unwrap).filter(|turn| *turn != BudgetTurn::In(Duration::ZERO)) {
        assert!(matches!(turn, BudgetTurn::TooLate(wait) if wait > TURN / 2 && wait <= TURN), "{turn:?}");
    }
}

/// A waiting request keeps its turn; a rejected one takes nothing.
pub async fn give_turns_in_order(store: &dyn Store) {
    let [provider] = created(store, ["Limited"]).await;
    let take = async |wait_max: Duration| store.take_turn(provider, four_at_once(wait_max)).await.unwrap();
    for _ in 0..4 {
        assert_eq!(take(Duration::ZERO).await, BudgetTurn::In(Duration::ZERO));
    }
    for _ in 0..3 {
        assert!(matches!(take(TURN / 2).await, BudgetTurn::TooLate(wait) if wait <= TURN));
    }
    for nth in 1..=2 {
        let BudgetTurn::In(wait) = take(2 * TURN).await else { panic!("a turn in time") };
        assert!(wait <= nth * TURN && wait > nth * TURN - TURN / 2, "{nth}: {wait:?}");
    }
}

/// Each provider has its own limit, a changed rate applies at once, and a time too far ahead comes from a wrong clock.
pub async fn belong_to_one_source(store: &dyn Store) {
    let [one, other] = created(store, ["One", "Other"]).await;
    let rare = BudgetRequest { rate: Rate { count: 1, per: 100 * TURN }, wait_max: Duration::ZERO };
    assert_eq!(store.take_turn(one, rare).await.unwrap(), BudgetTurn::In(Duration::ZERO));
    assert!(matches!(store.take_turn(one, rare).await.unwrap(), BudgetTurn::TooLate(_)));
    assert_eq!(store.take_turn(other, rare).await.unwrap(), BudgetTurn::In(Duration::ZERO));
    let more = four_at_once(Duration::ZERO);
    assert_eq!(store.take_turn(one, more).await.unwrap(), BudgetTurn::In(Duration::ZERO));
    store.delete_provider(one).await.unwrap();
    assert!(store.take_turn(one, more).await.is_err(), "a provider that is gone has none");
    assert!(store.take_turn(ProviderId(987_654), more).await.is_err());
}
