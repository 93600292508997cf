//! Plural rules of Unicode CLDR for whole numbers, such as `n % 10 = 2..4 and n % 100 != 12..14`.

/// Whether a rule applies to a count; None if it is not a rule.
pub fn applies(rule: &str, count: u64) -> Option<bool> {
    for relations in rule.split(" or ") {
        let mut all_hold = true;
        for relation in relations.split(" and ") {
            all_hold &= holds(relation, count)?;
        }
        if all_hold {
            return Some(true);
        }
    }
    Some(false)
}

/// One relation, such as `n % 100 != 12..14`.
fn holds(relation: &str, count: u64) -> Option<bool> {
    let (left, ranges) = relation.split_once('=')?;
    let (left, is_negated) = left.strip_suffix('!').map_or((left, false), |left| (left, true));
    let (operand, divisor) = left.split_once('%').unwrap_or((left, ""));
    let value = match divisor.trim() {
        "" => count,
        divisor => count.checked_rem(divisor.parse().ok()?)?,
    };
    let mut is_in = false;
    for range in ranges.split(',') {
        let (from, to) = range.split_once("..").unwrap_or((range, range));
        let (from, to): (u64, u64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        is_in |= (from..=to).contains(&value);
    }
    (operand.trim() == "n").then_some(is_in != is_negated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_several_languages() {
        let few = "n % 10 = 2..4 and n % 100 != 12..14";
        let table: [(&str, &[u64], &[u64]); 4] = [
            ("n = 1", &[1], &[0, 2, 11, 21]),
            ("n = 0,1", &[0, 1], &[2, 10]),
            (few, &[2, 4, 22, 104], &[1, 5, 12, 14, 112]),
            ("n = 1 or n % 10 = 1 and n % 100 != 11", &[1, 21, 101], &[0, 11, 111]),
        ];
        for (rule, counts, others) in table {
            assert!(counts.iter().all(|count| applies(rule, *count) == Some(true)), "{rule}");
            assert!(others.iter().all(|count| applies(rule, *count) == Some(false)), "{rule}");
        }
    }

    #[test]
    fn what_is_not_a_rule_is_found() {
        for rule in ["", "n", "n = ", "n = x", "i = 1", "n % 0 = 1", "n % x = 1", "n = 1 and", "n = 5 or n"] {
            assert_eq!(applies(rule, 1), None, "{rule}");
        }
    }
}
