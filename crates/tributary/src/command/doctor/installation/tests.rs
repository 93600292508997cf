use super::*;
use corpus::maintenance::Difference;

#[test]
fn an_inconsistent_cache_is_a_failure_until_it_is_repaired() {
    let whole = ReconcileReport { documents: 2, vectors: Some(0), ..ReconcileReport::default() };
    assert_eq!(verdicts(&whole), [Verdict::Ok]);
    let lacks = Difference { count: 3, named: vec!["7".to_owned()] };
    let broken = ReconcileReport { vectors_missing: lacks.clone(), bodies_surplus: lacks, ..whole };
    assert_eq!(verdicts(&broken), [Verdict::Warn, Verdict::Fail, Verdict::Fail]);
    let repaired = ReconcileReport { is_repaired: true, ..broken.clone() };
    assert_eq!(verdicts(&repaired), [Verdict::Warn; 3]);
    let lost = ReconcileReport { pieces: 4, ..repaired };
    assert_eq!(verdicts(&lost).last(), Some(&Verdict::Fail));
    let said = &cache_findings(&broken)[1].sentence;
    assert!(said.contains("3 documents have no vectors (7)") && said.contains("--repair"), "{said}");
}

fn verdicts(found: &ReconcileReport) -> Vec<Verdict> {
    cache_findings(found).iter().map(|finding| finding.verdict).collect()
}

#[cfg(unix)]
#[test]
fn files_readable_by_others_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    let database = folder.path().join(app::DATABASE_FILE);
    std::fs::write(&database, "").unwrap();
    for (of_folder, of_file, expected) in [
        (0o755, 0o644, Some(app::DATABASE_FILE)),
        (0o755, 0o600, None),
        (0o755, 0o640, None),
        (0o700, 0o644, None),
        (0o750, 0o644, None),
    ] {
        allow(folder.path(), of_folder);
        allow(&database, of_file);
        assert_eq!(readable_by_others(folder.path()), expected, "{of_folder:o} {of_file:o}");
    }
    allow(folder.path(), 0o755);
    allow(&database, 0o644);
    let said = data_folder(folder.path());
    assert!(said[0].verdict == Verdict::Warn && said[0].sentence.contains("chmod -R go-rwx"), "{said:?}");
}

#[test]
fn the_second_reader_needs_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().display().to_string();
    let settings =
        |second_reader| Settings { data_dir: data_dir.clone(), second_reader, ..Settings::default() };
    assert!(second_reader(&settings(false)).is_none());
    for text in ["tributary reader install", "not a safetensors file"] {
        let said = second_reader(&settings(true)).unwrap();
        assert!(said.verdict == Verdict::Warn && said.sentence.contains(text), "{said:?}");
        std::fs::write(crate::second_reader::model_path(folder.path()), "no model").unwrap();
    }
}

#[test]
fn free_space_is_judged() {
    for (bytes, verdict) in [
        (0, Verdict::Fail),
        (FREE_MIN_BYTES - 1, Verdict::Fail),
        (FREE_MIN_BYTES, Verdict::Warn),
        (FREE_LOW_BYTES, Verdict::Ok),
    ] {
        assert_eq!(free_space(bytes).verdict, verdict, "{bytes}");
    }
}
