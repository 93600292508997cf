//! The pages of the console, grouped by task. A section is an entry of the navigation; its pages are tabs.

use serde::Serialize;

/// Pages for one task.
#[derive(Debug, Serialize)]
pub struct Section {
    title: &'static str,
    pages: &'static [ConsolePage],
}

/// A page of the console.
#[derive(Debug, Serialize)]
pub struct ConsolePage {
    /// The name of its script in `web/static/js/admin/`; empty for a page outside of the console.
    slug: &'static str,
    href: &'static str,
    title: &'static str,
}

const fn section(title: &'static str, pages: &'static [ConsolePage]) -> Section {
    Section { title, pages }
}

const fn page(slug: &'static str, href: &'static str, title: &'static str) -> ConsolePage {
    ConsolePage { slug, href, title }
}

/// A page that other users have too, so that it is outside of the console.
const fn user_page(href: &'static str, title: &'static str) -> ConsolePage {
    ConsolePage { slug: "", href, title }
}

/// Every page, in the order of the navigation. The first one of a section is that of its entry.
const SECTIONS: &[Section] = &[
    section("Dashboard", &[page("dashboard", "/admin/", "Dashboard")]),
    section(
        "Sources",
        &[
            page("searchproviders", "/admin/searchproviders/", "Sources"),
            page("doctor", "/admin/doctor/", "Add a source"),
            page("gallery", "/admin/gallery/", "Ready-made sources"),
            page("breakers", "/admin/breakers/", "Source health"),
        ],
    ),
    section(
        "Processing",
        &[
            page("querytransforms", "/admin/querytransforms/", "Query transforms"),
            page("pipelines", "/admin/pipelines/", "Pipelines"),
        ],
    ),
    section(
        "Answers",
        &[
            page("aiproviders", "/admin/aiproviders/", "AI models"),
            page("prompts", "/admin/prompts/", "Prompts"),
        ],
    ),
    section(
        "Cache",
        &[
            page("cache", "/admin/cache/", "Semantic cache"),
            user_page("/review/", "Review queue"),
            user_page("/egress/", "Sent outside"),
        ],
    ),
    section(
        "People",
        &[
            page("users", "/admin/users/", "Users"),
            page("groups", "/admin/groups/", "Groups"),
            page("tokens", "/admin/tokens/", "Tokens"),
            page("authenticators", "/admin/authenticators/", "Authenticators"),
        ],
    ),
    section(
        "Activity",
        &[
            page("activity", "/admin/activity/", "Activity"),
            page("timings", "/admin/timings/", "Search times"),
            page("audit", "/admin/audit/", "Audit log"),
        ],
    ),
    section(
        "System",
        &[
            page("settings", "/admin/settings/", "Settings"),
            page("schedules", "/admin/schedules/", "Schedules"),
            page("logs", "/admin/logs/", "Logs"),
            page("branding", "/admin/branding/", "Branding"),
            page("license", "/admin/license/", "License"),
        ],
    ),
];

/// What the template draws around a page of the console: the navigation, and the tabs of the section.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ConsoleFrame {
    sections: &'static [Section],
    section: &'static Section,
    page: &'static ConsolePage,
}

impl ConsoleFrame {
    /// The frame of the page with this slug, if there is one.
    pub fn of(slug: &str) -> Option<Self> {
        let is_wanted = |page: &&ConsolePage| !slug.is_empty() && page.slug == slug;
        SECTIONS.iter().find_map(|section| {
            let page = section.pages.iter().find(is_wanted)?;
            Some(Self { sections: SECTIONS, section, page })
        })
    }

    pub fn slug(&self) -> &'static str {
        self.page.slug
    }
}

/// The slugs of all pages of the console.
#[cfg(test)]
pub fn slugs() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().flat_map(|section| section.pages).map(|page| page.slug).filter(|slug| !slug.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_navigation_has_at_most_eight_entries() {
        assert!(SECTIONS.len() <= 8);
    }

    #[test]
    fn every_page_has_the_address_of_its_slug() {
        for page in SECTIONS.iter().flat_map(|section| section.pages) {
            match page.slug {
                "" => assert!(!page.href.starts_with("/admin/"), "{}", page.href),
                "dashboard" => assert_eq!(page.href, "/admin/"),
                slug => assert_eq!(page.href, format!("/admin/{slug}/")),
            }
        }
    }

    #[test]
    fn a_frame_belongs_to_a_page_of_the_console() {
        for slug in slugs() {
            assert_eq!(ConsoleFrame::of(slug).map(|frame| frame.slug()), Some(slug));
        }
        for slug in ["", "review", "nothing"] {
            assert!(ConsoleFrame::of(slug).is_none(), "{slug}");
        }
    }
}
