//! Injection queries. A source must see each of them as one literal text.

/// Quotes, braces, comments, operators and line ends of every query language in use.
pub const QUERIES: &[&str] = &[
    "x' or '1'='1",
    "x\" or \"1\"=\"1",
    "x'; drop table documents; --",
    "x\\'; select 1 --",
    "x') union select password from users --",
    "x` or 1=1 #",
    "x /* comment */ y",
    "x; select pg_sleep(9)",
    "$1 ? :1 @P1 %s",
    "{query_string} {url} {key} {0}",
    "}}{{ {%x%} ${x} #{x}",
    "\"}, \"match_all\": {}, \"x\": {\"y\": \"",
    "{\"$where\": \"sleep(9000)\"}",
    "x AND title:* OR _exists_:secret",
    "x) OR (objectClass=*",
    "x$(touch /tmp/owned)`id`",
    "x | cat /etc/passwd && y",
    "x%27%20or%201%3D1&key=other#fragment",
    "../../etc/passwd?x=1",
    "x\ty",
    "<script>alert(1)</script>",
    "\u{fffd}\u{202e}x",
];
