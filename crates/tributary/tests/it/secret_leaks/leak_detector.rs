//! Detector for leaked secrets: it inspects texts that somebody could see, and records every secret in them.

use super::FOR_EDITORS;
use crate::app_harness::Client;
use crate::demo::basic;
use crate::program::{program, text};
use reqwest::Method;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;

const EVENTS_MAX: Duration = Duration::from_secs(2);

/// The secrets, and the places where one was found.
pub struct LeakDetector {
    pub secrets: Vec<String>,
    pub hits: Vec<String>,
    pub environment: Vec<(String, String)>,
    read: usize,
}

impl LeakDetector {
    pub fn new(environment: &[(&str, &str)]) -> Self {
        let base64 = ["u:canary-basic", "u:canary-proxy", "canary-user:canary-plain"].map(|pair| {
            let (user, password) = pair.split_once(':').unwrap();
            basic(user, password).replace("Basic ", "")
        });
        Self {
            secrets: [vec!["canary".to_owned()], base64.to_vec()].concat(),
            hits: Vec::new(),
            environment: environment
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            read: 0,
        }
    }

    /// Inspects a text that somebody could see.
    pub fn inspect(&mut self, place: &str, seen: &[u8]) {
        self.read += 1;
        let text = String::from_utf8_lossy(seen);
        for secret in &self.secrets {
            if let Some(found) = text.find(secret.as_str()) {
                let around: String = text[found..].chars().take(60).collect();
                let before: String = text[..found].chars().rev().take(90).collect();
                let before: String = before.chars().rev().collect();
                self.hits.push(format!("{place}: {before}[{around}]"));
            }
        }
    }

    pub fn inspect_files(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.inspect_files(&path);
            } else {
                self.inspect(&path.display().to_string(), &fs::read(&path).unwrap_or_default());
            }
        }
    }

    /// Sends a request and inspects the headers and the whole body; of an event stream, the first seconds. Returns the
    /// status.
    pub async fn ask(&mut self, who: &str, path: &str, request: reqwest::RequestBuilder) -> u16 {
        let mut answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let mut seen = format!("{:?}\n", answer.headers()).into_bytes();
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout(EVENTS_MAX, answer.chunk()).await {
            seen.extend_from_slice(&chunk);
        }
        self.inspect(&format!("{who} {path} {status}"), &seen);
        if who != "admin" && String::from_utf8_lossy(&seen).contains(FOR_EDITORS) {
            self.hits.push(format!("{who} {path} {status} shows what is for editors alone"));
        }
        status
    }

    pub async fn get(&mut self, who: &str, client: &Client, path: &str) -> u16 {
        self.ask(who, path, client.request(Method::GET, path)).await
    }

    pub async fn send(&mut self, who: &str, client: &Client, path: &str, body: Value) -> u16 {
        let request = client.request(Method::POST, path).header("Content-Type", "application/json");
        self.ask(who, path, request.body(body.to_string())).await
    }

    /// Runs the program to its end. Returns its output.
    pub fn command(&mut self, folder: &Path, arguments: &[&str], more: &[(&str, &str)]) -> String {
        let mut command = program(folder, arguments);
        command.envs(self.environment.iter().cloned()).envs(more.iter().copied());
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(!said.is_empty(), "{arguments:?} says nothing");
        self.inspect(&format!("{arguments:?}"), &said);
        text(&said)
    }

    /// Fails if a secret was found.
    pub fn assert_no_leaks(mut self) {
        eprintln!("{} texts were read for {} secrets", self.read, self.secrets.len());
        self.hits.sort();
        self.hits.dedup();
        assert!(self.hits.is_empty(), "{} hits:\n{}", self.hits.len(), self.hits.join("\n"));
    }
}
