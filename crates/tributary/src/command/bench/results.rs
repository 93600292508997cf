//! The results that a local source returns.

use super::workload::{Texts, Workload};
use serde_json::{Value, json};

/// The text of similar results.
const SENTENCE: &str = "The river rose by two metres in a night and the level sensor at the old bridge reported every \
                        minute of it, which let the wardens close the lower road well before the water came.";
/// The words of varied results, besides those of the query.
const WORDS: &str = "account acid advice airport alarm album analysis anchor animal answer apple archive army arrival \
                     artist autumn balance ballot banana basin battery beach bicycle bird border bottle branch bread \
                     bridge budget butter cable calendar camera canal candle capital carbon career castle catalog \
                     cattle cement census chain chamber channel chapter charity cheese chemist church circle citizen \
                     climate clinic coast coffee colony comedy compass concert contract copper corner cotton council \
                     country courage course cousin crystal culture current customer damage danger daughter decade \
                     delta desert diamond dinner doctor drought eagle earthquake economy editor election engine \
                     envelope estuary evening evidence exhibition factory family farmer festival fever fishery flood \
                     flower forest fortune fountain freight frontier furniture gallery garden glacier government \
                     grain grammar granite gravel harbor harvest heritage highway history holiday honey hospital \
                     hunger island journal journey judge kitchen knowledge laboratory ladder landscape language \
                     lantern lawyer leather lecture lemon library lightning limestone lumber machine magazine manager \
                     marble market meadow measure medicine memory merchant metal meter mineral ministry mirror \
                     mission mobile moisture monument morning motor mountain museum music nation needle network \
                     notebook novel nurse oak ocean office olive opera orange orchard organ oxygen paddle palace \
                     paper parade parliament passenger pasture patent pattern peasant pepper pilot pioneer planet \
                     plaster platform poet pollution pottery powder prairie prison profit province pump quarry \
                     rainfall railway record reform refugee region religion republic research reservoir rhythm ribbon \
                     rocket rubber saddle salmon salt sample satellite science sediment senate sensor shadow shelter \
                     shepherd signal silver soldier spring stable station statue steam storm strategy student sugar \
                     summer summit surface survey symbol teacher temple tenant textile theater ticket timber tissue \
                     tobacco tourist tower trade tradition traffic treaty tunnel uniform union valley vapor vehicle \
                     village violin virus volcano voyage wagon warden water weather wheat window winter witness \
                     workshop yard";
const TITLE_WORDS: usize = 6;
const BODY_WORDS: usize = 36;

/// The response of a source.
pub(super) fn response(source: u32, workload: &Workload) -> Value {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let item = |number: u32| {
        let (title, body) = match workload.texts {
            Texts::Similar => (
                format!("River report {number} of station {source}"),
                format!("{SENTENCE} Station {source}, report {number}."),
            ),
            Texts::Varied => {
                let mut chance = Chance::new(source, number);
                (chance.sentence(&words, TITLE_WORDS), chance.sentence(&words, BODY_WORDS))
            }
        };
        json!({
            "title": title,
            "body": body,
            "url": format!("https://station{source}.example/report/{number}"),
            "date": "2024-05-01",
        })
    };
    let items: Vec<Value> = (0..workload.shape.results).map(item).collect();
    json!({ "total": items.len(), "items": items })
}

/// Random numbers (SplitMix64) that are the same in every run and with every version of a library, because counts of
/// different versions of the program are compared.
struct Chance(u64);

impl Chance {
    fn new(source: u32, number: u32) -> Self {
        Self(u64::from(source) << 32 | u64::from(number))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bounded = (mixed ^ (mixed >> 31)) % (bound.max(1) as u64);
        usize::try_from(bounded).unwrap_or(0)
    }

    /// Words at random, among them one or both of the query's.
    fn sentence(&mut self, words: &[&str], length: usize) -> String {
        let mut text: Vec<&str> =
            (0..length).filter_map(|_| words.get(self.below(words.len())).copied()).collect();
        let of_query: &[&str] = [&["river"][..], &["level"], &["river", "level"]][self.below(3)];
        for word in of_query {
            text.insert(self.below(text.len() + 1), word);
        }
        text.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::workload::Shape;
    use super::*;
    use std::collections::HashSet;
    use std::time::Duration;

    fn bodies(texts: Texts) -> Vec<String> {
        let shape = Shape { sources: 2, results: 100 };
        let workload = Workload { shape, delay: Duration::ZERO, texts };
        let all: Vec<Value> = (0..2).map(|source| response(source, &workload)).collect();
        assert_eq!((&all[0]["total"], &all[1]["total"]), (&100.into(), &100.into()));
        let items = all.iter().flat_map(|response| response["items"].as_array().unwrap());
        items.map(|item| item["body"].as_str().unwrap().to_owned()).collect()
    }

    /// Pairs of adjacent words in both texts.
    fn shared_pairs(one: &str, other: &str) -> usize {
        let pairs = |text: &str| -> HashSet<(String, String)> {
            let words: Vec<&str> = text.split(' ').collect();
            words.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
        };
        pairs(one).intersection(&pairs(other)).count()
    }

    #[test]
    fn similar_texts_are_alike_and_varied_ones_are_not() {
        let (similar, varied) = (bodies(Texts::Similar), bodies(Texts::Varied));
        for texts in [&similar, &varied] {
            assert_eq!(texts.iter().collect::<HashSet<_>>().len(), 200, "no text twice");
        }
        assert!(shared_pairs(&similar[0], &similar[199]) > 20);
        let most = (1..200).map(|number| shared_pairs(&varied[number - 1], &varied[number])).max();
        assert!(most < Some(4), "{most:?} pairs");
        assert!(varied.iter().all(|text| text.contains("river") || text.contains("level")));
    }

    #[test]
    fn texts_are_the_same_in_every_run() {
        let first = bodies(Texts::Varied).remove(0);
        assert_eq!(first, bodies(Texts::Varied).remove(0));
        assert!(first.starts_with("quarry cable branch record poet "), "{first}");
    }
}
