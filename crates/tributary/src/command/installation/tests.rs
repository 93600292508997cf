use super::*;
use corpus::upkeep::Difference;

#[test]
fn a_cache_that_does_not_agree_is_a_failure_until_it_is_repaired() {
    let whole = Agreement { documents: 2, vectors: Some(0), ..Agreement::default() };
    assert_eq!(verdicts(&whole), [Verdict::Ok]);
    let lacks = Difference { count: 3, named: vec!["7".to_owned()] };
    let broken = Agreement { vectors_missing: lacks.clone(), bodies_surplus: lacks, ..whole };
    assert_eq!(verdicts(&broken), [Verdict::Warn, Verdict::Fail, Verdict::Fail]);
    let repaired = Agreement { is_repaired: true, ..broken.clone() };
    assert_eq!(verdicts(&repaired), [Verdict::Warn; 3]);
    let lost = Agreement { pieces: 4, ..repaired };
    assert_eq!(verdicts(&lost).last(), Some(&Verdict::Fail));
    let said = &compared(&broken)[1].sentence;
    assert!(said.contains("3 documents lack vectors (7)") && said.contains("--repair"), "{said}");
}

fn verdicts(found: &Agreement) -> Vec<Verdict> {
    compared(found).iter().map(|finding| finding.verdict).collect()
}

#[cfg(unix)]
#[test]
fn what_others_can_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    let database = folder.path().join(wiring::DATABASE_FILE);
    std::fs::write(&database, "").unwrap();
    for (of_folder, of_file, expected) in [
        (0o755, 0o644, Some(wiring::DATABASE_FILE)),
        (0o755, 0o600, None),
        (0o755, 0o640, None),
        (0o700, 0o644, None),
        (0o750, 0o644, None),
    ] {
        allow(folder.path(), of_folder);
        allow(&database, of_file);
        assert_eq!(open_to_others(folder.path()), expected, "{of_folder:o} {of_file:o}");
    }
    allow(folder.path(), 0o755);
    allow(&database, 0o644);
    let said = data_folder(folder.path());
    assert!(said[0].verdict == Verdict::Warn && said[0].sentence.contains("chmod -R go-rwx"), "{said:?}");
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
