use super::*;
use serde_json::{Value, json};

/// A record in which every figure is exactly at its bound.
fn sample() -> Value {
    let machine = json!({"cores": 2, "memory": "8 GB", "cpu": "A CPU", "os": "Linux"});
    let measurement = |figure: &Figure| {
        let value = match figure.bound() {
            Some(Bound::AtMost(value) | Bound::AtLeast(value)) => value,
            None => 1.0,
        };
        let measured = json!({"value": value, "commit": "8c5648c", "date": "2026-11-15", "machine": machine});
        (figure.id.to_owned(), measured)
    };
    json!({ "figures": FIGURES.iter().map(measurement).collect::<serde_json::Map<_, _>>() })
}

/// The errors of the sample after this change.
fn mistakes(change: impl FnOnce(&mut Value)) -> String {
    let mut record = sample();
    change(&mut record["figures"]);
    format!("{:#}", Record::parse(&record.to_string()).unwrap_err())
}

#[test]
fn a_figure_at_its_bound_is_accepted() {
    assert!(Record::parse(&sample().to_string()).is_ok());
}

#[test]
fn an_invalid_record_is_rejected() {
    type Change = fn(&mut Value);
    let table: [(Change, &str); 13] = [
        (|all| all["program_size"]["value"] = json!(60.1), "program_size is 60.1, more than 60"),
        (|all| all["build_wall"]["value"] = json!(10.5), "build_wall is 10.5, more than 10"),
        (|all| all["build_cpu"]["value"] = json!(18.2), "build_cpu is 18.2, more than 18"),
        (|all| all["merged_ratio"]["value"] = json!(0.96), "merged_ratio is 0.96, less than 0.97"),
        (|all| all["added_median"]["value"] = json!(-1), "not a valid measurement"),
        (|all| all["added_median"]["min"] = json!(1000), "a minimum above its median"),
        (|all| all["added_median"]["date"] = json!("yesterday"), "added_median has the date 'yesterday'"),
        (|all| all["added_median"]["date"] = json!("2026-02-30"), "added_median has the date '2026-02-30'"),
        (|all| all["added_median"]["commit"] = json!("main"), "added_median names the commit 'main'"),
        (|all| all["added_median"]["machine"]["cpu"] = json!(" "), "does not name its machine"),
        (|all| drop(all["added_median"].as_object_mut().unwrap().remove("date")), "missing field `date`"),
        (|all| drop(all.as_object_mut().unwrap().remove("program_size")), "program_size was never measured"),
        (|all| all["speed"] = all["program_size"].clone(), "speed is not a figure of the README"),
    ];
    for (change, expected) in table {
        let found = mistakes(change);
        assert!(found.contains(expected), "'{expected}' in '{found}'");
        assert!(found.contains("scripts/figures.sh"), "the next step is in '{found}'");
    }
    let both = mistakes(|all| {
        all["program_size"]["value"] = json!(60.4);
        all["build_wall"]["commit"] = json!("");
    });
    assert!(both.starts_with("2 error(s)"), "{both}");
}

#[test]
fn the_table_shows_goals_origins_and_machines() {
    let mut record = sample();
    record["figures"]["build_wall"]["value"] = json!(7.5);
    record["figures"]["added_median"]["value"] = json!(11);
    record["figures"]["added_median"]["min"] = json!(9.25);
    record["figures"]["added_median"]["commit"] = json!("0123456789abcdef0123456789abcdef01234567");
    record["figures"]["added_median"]["machine"]["cores"] = json!(4);
    record["figures"]["search_cpu"]["method"] = json!("by a stopwatch");
    let text = section(&Record::parse(&record.to_string()).unwrap());
    let row = |title: &str| text.lines().find(|line| line.contains(title)).unwrap().to_owned();
    let build = row("cold release build");
    assert!(
        build.contains("| 7.5 min | ≤ 10 min |") && build.ends_with("| 8c5648c, 2026-11-15, A |"),
        "{build}"
    );
    let added = row("ten sources that respond in 100 ms");
    assert!(added.contains("| 11.0 ms (min 9.2 ms) | ≤ 5 ms, missed |"), "{added}");
    assert!(added.ends_with("| 0123456, 2026-11-15, B |"), "{added}");
    assert!(text.ends_with("Machine B: 4 cores; memory: 8 GB; CPU: A CPU; system: Linux.\n"), "{text}");
    let cpu = row("CPU time of the service for such a search");
    assert!(cpu.contains("| by a stopwatch |") && !cpu.contains("tributary bench"), "{cpu}");
    assert!(row("round-robin list").contains("| 1.00 |  |"));
}

#[test]
fn only_text_between_the_markers_changes() {
    let readme = format!("before\n{BEGIN}old\n{END}after\n");
    let fresh = insert(&readme, "new\n").unwrap();
    assert_eq!(fresh, format!("before\n{BEGIN}\nnew\n\n{END}after\n"));
    assert_eq!(insert(&fresh, "new\n").unwrap(), fresh);
    assert!(insert("no marks\n", "new\n").unwrap_err().to_string().contains("has no line"));
}

#[test]
fn every_figure_has_an_id_of_its_own_and_a_method() {
    for (number, figure) in FIGURES.iter().enumerate() {
        assert!(FIGURES[..number].iter().all(|other| other.id != figure.id), "{}", figure.id);
        assert!(!figure.method.is_empty() && !figure.title.is_empty(), "{}", figure.id);
        if let (Some(goal), Some(limit)) = (figure.goal, figure.limit) {
            let is_wider = match (goal, limit) {
                (Bound::AtMost(goal), Bound::AtMost(limit)) => limit > goal,
                (Bound::AtLeast(goal), Bound::AtLeast(limit)) => limit < goal,
                _ => false,
            };
            assert!(is_wider, "{}: a limit is for a goal that is not reached", figure.id);
        }
    }
}
