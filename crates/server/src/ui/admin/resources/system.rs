//! Resources for operation: schedules.

use super::model::{CellFormat, Control, Permissions, Resource, column, field, group};

pub const SCHEDULES: Resource = Resource {
    slug: "schedules",
    singular: "schedule",
    about: "Recurring tasks.",
    api: "/schedules/",
    schema: "ScheduleInput",
    key: "name",
    named_by: "name",
    columns: &[
        column("name", "Task", CellFormat::Name),
        column("every_seconds", "Every", CellFormat::Interval),
        column("next_run", "Next run", CellFormat::Moment),
        column("last_run", "Last run", CellFormat::Moment),
    ],
    switches: &["enabled"],
    filters: &[],
    is_paged: false,
    groups: &[group(
        "Schedule",
        "",
        &[
            field("every_seconds")
                .labeled("Interval")
                .by(Control::Interval)
                .help("At most 30 days. A new interval starts when you save it."),
            field("enabled").help("Runs automatically. If off, it does not run until you turn it on again."),
        ],
    )],
    permissions: Permissions { create: false, change: true, copy: None, delete: false, test: false },
};
