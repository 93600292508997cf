//! Black-box tests over HTTP, filed by route.

mod search;
