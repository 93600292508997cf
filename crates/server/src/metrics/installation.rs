//! Metrics of the license and of the disk of the data folder.

use super::gauge_value::whole;
use license::{LicenseReport, LicenseStatus};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::path::Path;

/// A file system as `df` reports it: blocks reserved for root count neither as free nor as used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    pub size_bytes: u64,
    pub free_bytes: u64,
}

impl Disk {
    /// Queries the system, which may block.
    pub fn of(folder: &Path) -> Option<Self> {
        let stat = rustix::fs::statvfs(folder).ok()?;
        let blocks = stat.f_blocks.saturating_sub(stat.f_bfree).saturating_add(stat.f_bavail);
        let bytes = |count: u64| count.saturating_mul(stat.f_frsize);
        Some(Self { size_bytes: bytes(blocks), free_bytes: bytes(stat.f_bavail) })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PartLabel {
    part: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabel {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FolderLabel {
    folder: &'static str,
}

const DATA: FolderLabel = FolderLabel { folder: "data" };

#[derive(Default)]
pub struct InstallationMetrics {
    days_left: Family<PartLabel, Gauge>,
    state: Family<StateLabel, Gauge>,
    size: Family<FolderLabel, Gauge>,
    free: Family<FolderLabel, Gauge>,
}

impl InstallationMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "tributary_license_days_left",
            "Days until the license, or its part for the cache, expires",
            self.days_left.clone(),
        );
        registry.register(
            "tributary_license_state",
            "1 for the current state of the license",
            self.state.clone(),
        );
        registry.register_with_unit(
            "tributary_disk_size",
            "Size of the disk with the data folder",
            Unit::Bytes,
            self.size.clone(),
        );
        registry.register_with_unit(
            "tributary_disk_free",
            "Free space on the disk with the data folder",
            Unit::Bytes,
            self.free.clone(),
        );
    }

    pub fn record(&self, license: &LicenseReport, disk: Option<Disk>) {
        // Unknown values are omitted: an old value would look current.
        self.days_left.clear();
        for (part, days) in days_left(license) {
            self.days_left.get_or_create(&PartLabel { part }).set(days);
        }
        for state in LicenseStatus::ALL {
            let gauge = self.state.get_or_create_owned(&StateLabel { state: state.as_str() });
            gauge.set(i64::from(state == license.status));
        }
        for family in [&self.size, &self.free] {
            family.clear();
        }
        if let Some(disk) = disk {
            self.size.get_or_create(&DATA).set(whole(disk.size_bytes));
            self.free.get_or_create(&DATA).set(whole(disk.free_bytes));
        }
    }
}

/// Days left of each part of the license that ends.
fn days_left(license: &LicenseReport) -> Vec<(&'static str, i64)> {
    let (Some(days), Some(last)) = (license.days_left, license.expiration) else { return Vec::new() };
    let mut found = vec![("license", days)];
    if let Some(cache_last) = license.cache_expiration {
        found.push(("cache", days + (cache_last - last).num_days()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;

    fn report(status: LicenseStatus, days: Option<i64>, ends: (&str, &str)) -> LicenseReport {
        let none = LicenseReport::of("", None, "2026-11-16".parse().expect("a day"));
        let day = |text: &str| text.parse().ok();
        LicenseReport {
            status,
            days_left: days,
            expiration: day(ends.0),
            cache_expiration: day(ends.1),
            ..none
        }
    }

    #[test]
    fn every_part_of_a_license_has_its_days() {
        let table = [
            (report(LicenseStatus::None, None, ("", "")), vec![]),
            (report(LicenseStatus::Invalid, None, ("", "")), vec![]),
            (report(LicenseStatus::Valid, Some(45), ("2026-12-31", "")), vec![("license", 45)]),
            (
                report(LicenseStatus::Valid, Some(45), ("2026-12-31", "2026-11-15")),
                vec![("license", 45), ("cache", -1)],
            ),
            (report(LicenseStatus::Expired, Some(-3), ("2026-11-13", "")), vec![("license", -3)]),
        ];
        for (license, expected) in table {
            assert_eq!(days_left(&license), expected, "{license:?}");
        }
    }

    #[test]
    fn unknown_values_are_omitted() {
        let (metrics, mut registry) = (InstallationMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        let exported = |license: &LicenseReport, disk: Option<Disk>| {
            metrics.record(license, disk);
            let mut text = String::new();
            encode(&mut text, &registry).expect("text");
            text
        };
        let disk = Disk { size_bytes: 1000, free_bytes: 150 };
        let valid = report(LicenseStatus::Valid, Some(45), ("2026-12-31", ""));
        let text = exported(&valid, Some(disk));
        for line in [
            r#"tributary_license_days_left{part="license"} 45"#,
            r#"tributary_license_state{state="valid"} 1"#,
            r#"tributary_license_state{state="expired"} 0"#,
            r#"tributary_disk_size_bytes{folder="data"} 1000"#,
            r#"tributary_disk_free_bytes{folder="data"} 150"#,
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
        }
        let text = exported(&report(LicenseStatus::Invalid, None, ("", "")), None);
        assert!(!text.contains("days_left{") && !text.contains("bytes{"), "{text}");
        assert!(text.contains(r#"{state="invalid"} 1"#) && text.contains(r#"{state="valid"} 0"#), "{text}");
    }

    #[test]
    fn a_disk_tells_its_size() {
        let disk = Disk::of(Path::new("/")).expect("a disk");
        assert!(disk.size_bytes > 0 && disk.free_bytes <= disk.size_bytes, "{disk:?}");
        assert_eq!(Disk::of(Path::new("/nowhere/at/all")), None);
    }
}
