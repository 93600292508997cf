//! A minimal browser: it stores its cookies and reads the CSRF field of a form.

use crate::app_harness::{Answer, Client};
use reqwest::Method;
use std::collections::BTreeMap;

pub const SESSION: &str = "tributary_session";

pub struct Browser {
    client: Client,
    pub cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn open(base: &str) -> Self {
        Self { client: Client::new(base, None), cookies: BTreeMap::new() }
    }

    /// Opens a browser and signs in.
    pub async fn signed_in(base: &str, username: &str, password: &str) -> Self {
        let mut browser = Self::open(base);
        let answer = browser.sign_in(username, password, "").await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, "/"), "{answer:?}");
        assert!(browser.cookies.contains_key(SESSION));
        browser
    }

    /// Loads the sign-in page and submits its form.
    pub async fn sign_in(&mut self, username: &str, password: &str, next: &str) -> Answer {
        let page = self.get("/login/").await;
        assert_eq!(page.status, 200);
        let csrf = csrf_of(&page);
        let fields =
            [("csrf_token", csrf.as_str()), ("username", username), ("password", password), ("next", next)];
        self.submit("/login/", &fields).await
    }

    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = self.client.request(method, path);
        if cookies.is_empty() { request } else { request.header("Cookie", cookies.join("; ")) }
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        let request = self.request(Method::GET, path);
        self.send(request).await
    }

    /// Submits a form.
    pub async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.request(Method::POST, path);
        self.send(request.header("Content-Type", "application/x-www-form-urlencoded").body(body)).await
    }

    pub async fn send(&mut self, request: reqwest::RequestBuilder) -> Answer {
        let answer = Answer::of(request).await;
        for set in answer.headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').unwrap();
            match value {
                "" => self.cookies.remove(name),
                value => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        answer
    }
}

/// The CSRF field of a page's form.
pub fn csrf_of(page: &Answer) -> String {
    let text = page.body.as_str().unwrap();
    let after = text.split("name=\"csrf_token\" value=\"").nth(1).expect("the form has a hidden field");
    after.split('"').next().unwrap().to_owned()
}
