//! Black-box tests over HTTP, filed by route.

mod aiproviders;
mod catalogues;
mod chat;
mod docs;
mod groups;
mod health;
mod login;
mod metrics;
mod pipelines;
mod prompts;
mod querytransforms;
mod rag;
mod rag_search;
mod results;
mod schedules;
mod search;
mod searchproviders;
mod tokens;
mod users;
