//! Groups of results for one document. The first one of a group is listed; the others are its duplicates, and remain
//! results of their own providers.

use crate::result::{ResultItem, ResultSet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The group of a result, and its place in it: the first one that is present is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct GroupPlace {
    /// Unique within a search.
    pub group: u32,
    pub place: u32,
}

impl From<(u32, u32)> for GroupPlace {
    fn from((group, place): (u32, u32)) -> Self {
        Self { group, place }
    }
}

impl From<GroupPlace> for (u32, u32) {
    fn from(GroupPlace { group, place }: GroupPlace) -> Self {
        (group, place)
    }
}

impl ResultItem {
    /// Another result of its group is listed, unless it was removed.
    pub fn is_copy(&self) -> bool {
        self.group.is_some_and(|group| group.place > 0)
    }
}

/// Keeps the entries without a group and the first one of each group.
pub fn retain_firsts<T>(list: &mut Vec<T>, group_of: impl Fn(&T) -> Option<GroupPlace>) {
    let mut firsts: HashMap<u32, u32> = HashMap::new();
    for GroupPlace { group, place } in list.iter().filter_map(&group_of) {
        firsts.entry(group).and_modify(|first| *first = place.min(*first)).or_insert(place);
    }
    if !firsts.is_empty() {
        list.retain(|entry| group_of(entry).is_none_or(|of| firsts.get(&of.group) == Some(&of.place)));
    }
}

/// Removes the results that are not listed.
pub fn remove_copies(sets: &mut [ResultSet]) {
    let mut firsts: Vec<GroupPlace> = items(sets).filter_map(|item| item.group).collect();
    if firsts.is_empty() {
        return;
    }
    retain_firsts(&mut firsts, |place| Some(*place));
    let firsts: HashSet<GroupPlace> = firsts.into_iter().collect();
    for set in sets {
        set.items.retain(|item| item.group.is_none_or(|place| firsts.contains(&place)));
    }
}

/// The results of each group in their order.
#[derive(Debug, Default)]
pub struct GroupMembers<'a>(HashMap<u32, Vec<&'a ResultItem>>);

impl<'a> GroupMembers<'a> {
    pub fn of(sets: &'a [ResultSet]) -> Self {
        let mut members: HashMap<u32, Vec<&ResultItem>> = HashMap::new();
        for item in items(sets) {
            if let Some(place) = item.group {
                members.entry(place.group).or_default().push(item);
            }
        }
        for group in members.values_mut() {
            group.sort_by_key(|item| item.group.map(|place| place.place));
        }
        Self(members)
    }

    /// The others of the group.
    pub fn others(&self, of: Option<GroupPlace>) -> impl Iterator<Item = &'a ResultItem> {
        let members = of.and_then(|place| self.0.get(&place.group));
        members.into_iter().flatten().copied().filter(move |item| item.group != of)
    }
}

fn items(sets: &[ResultSet]) -> impl Iterator<Item = &ResultItem> {
    sets.iter().flat_map(|set| &set.items)
}

/// The groups of the results of one provider in one search, stored beside them, by `swirl_id`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredGroups(BTreeMap<i64, GroupPlace>);

impl StoredGroups {
    pub fn of(items: &[ResultItem]) -> Self {
        Self(items.iter().filter_map(|item| Some((item.swirl_id.0, item.group?))).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn restore(&self, items: &mut [ResultItem]) {
        if !self.is_empty() {
            items.iter_mut().for_each(|item| item.group = self.0.get(&item.swirl_id.0).copied());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ResultId;

    fn item(id: i64, group: Option<(u32, u32)>) -> ResultItem {
        ResultItem { swirl_id: ResultId(id), group: group.map(GroupPlace::from), ..ResultItem::default() }
    }

    #[test]
    fn the_first_one_present_is_listed() {
        let all = [item(1, None), item(2, Some((1, 1))), item(3, Some((2, 0))), item(4, Some((1, 0)))];
        for (present, listed) in
            [(vec![1, 2, 3, 4], vec![1, 3, 4]), (vec![1, 2], vec![1, 2]), (vec![], vec![])]
        {
            let mut list: Vec<&ResultItem> =
                all.iter().filter(|item| present.contains(&item.swirl_id.0)).collect();
            retain_firsts(&mut list, |item| item.group);
            assert_eq!(list.iter().map(|item| item.swirl_id.0).collect::<Vec<_>>(), listed, "{present:?}");
        }
        assert_eq!(all.map(|item| item.is_copy()), [false, true, false, false]);
    }

    #[test]
    fn groups_are_stored_beside_the_results() {
        let items = [item(1, None), item(2, Some((7, 0))), item(3, Some((7, 1)))];
        let stored = serde_json::to_string(&StoredGroups::of(&items)).expect("json");
        assert_eq!(stored, r#"{"2":[7,0],"3":[7,1]}"#);
        let stored: StoredGroups = serde_json::from_str(&stored).expect("groups");
        let mut read = items.clone();
        read.iter_mut().for_each(|item| item.group = None);
        stored.restore(&mut read);
        assert_eq!(read, items);
        assert!(StoredGroups::of(&items[..1]).is_empty());
    }
}
