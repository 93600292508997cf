//! Black-box tests over HTTP, filed by route.

mod catalogues;
mod docs;
mod groups;
mod health;
mod login;
mod metrics;
mod pipelines;
mod querytransforms;
mod results;
mod schedules;
mod search;
mod searchproviders;
mod tokens;
mod users;
