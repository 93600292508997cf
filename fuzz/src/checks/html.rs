//! A web page, or XML of any kind.

pub fn check(bytes: &[u8]) {
    super::extracted::check("page.html", bytes);
    super::extracted::check("feed.xml", bytes);
}
