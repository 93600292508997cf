//! What runs by itself.

use super::{Control, Kind, May, Show, column, field, group};

pub const SCHEDULES: Kind = Kind {
    slug: "schedules",
    singular: "Schedule",
    about: "Work that comes again by itself.",
    api: "/schedules/",
    schema: "ScheduleInput",
    key: "name",
    named_by: "name",
    columns: &[
        column("name", "Task", Show::Name),
        column("every_seconds", "Every", Show::Interval),
        column("next_run", "Next", Show::Moment),
        column("last_run", "Last", Show::Moment),
    ],
    switches: &["enabled"],
    filters: &[],
    is_paged: false,
    groups: &[group(
        "The schedule",
        "",
        &[field("every_seconds").called("Interval").by(Control::Interval), field("enabled")],
    )],
    may: May { create: false, change: true, copy: None, delete: false, test: false },
};
