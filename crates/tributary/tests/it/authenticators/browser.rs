//! A browser that stores cookies per host and follows redirects. The host `tributary.test` is the service.

use crate::app_harness::{Answer, Client};
use reqwest::Method;
use std::collections::{BTreeMap, HashMap};
use url::Url;

/// The fixed address of the service, so that an identity provider can be configured before the port is known.
pub const SERVICE: &str = "http://tributary.test";
const STEPS_MAX: usize = 20;

pub struct Browser {
    app: String,
    client: Client,
    cookies: HashMap<String, BTreeMap<String, String>>,
}

/// The page that the browser shows.
pub struct Page {
    pub url: Url,
    pub answer: Answer,
}

impl Page {
    pub fn text(&self) -> String {
        self.answer.body.as_str().map(str::to_owned).unwrap_or_else(|| self.answer.body.to_string())
    }
}

impl Browser {
    pub fn new(app: &str) -> Self {
        Self { app: app.to_owned(), client: Client::new("", None), cookies: HashMap::new() }
    }

    /// Opens an address of the service or of another host.
    pub async fn go(&mut self, address: &str) -> Page {
        self.follow(Method::GET, self.absolute(None, address), String::new(), |_| true).await
    }

    /// Like `go`, but stops before the first redirect that `goes_on` refuses.
    pub async fn go_while(&mut self, address: &str, goes_on: impl Fn(&Url) -> bool) -> Page {
        self.follow(Method::GET, self.absolute(None, address), String::new(), goes_on).await
    }

    /// Submits a form to the address of the page, and stops before the browser would return to the service.
    pub async fn go_until_back(&mut self, page: &Page, form: &[(&str, &str)]) -> Page {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let goes_on = |url: &Url| !url.as_str().starts_with(SERVICE);
        self.follow(Method::POST, page.url.clone(), body, goes_on).await
    }

    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get("tributary.test")?.get(name).map(String::as_str)
    }

    fn absolute(&self, from: Option<&Url>, address: &str) -> Url {
        match from {
            Some(from) => from.join(address).unwrap(),
            None => Url::parse(SERVICE).unwrap().join(address).unwrap(),
        }
    }

    async fn follow(
        &mut self,
        method: Method,
        url: Url,
        body: String,
        goes_on: impl Fn(&Url) -> bool,
    ) -> Page {
        let (mut method, mut url, mut body) = (method, url, body);
        for _ in 0..STEPS_MAX {
            let host = url.host_str().unwrap().to_owned()
                + &url.port().map(|port| port.to_string()).unwrap_or_default();
            let real = url.as_str().replacen(SERVICE, &self.app, 1);
            let cookies = self.cookies.entry(host.clone()).or_default();
            let header: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let mut request = self.client.request(method.clone(), &real).header("Cookie", header.join("; "));
            if method == Method::POST {
                request =
                    request.header("Content-Type", "application/x-www-form-urlencoded").body(body.clone());
            }
            let answer = Answer::of(request).await;
            for cookie in answer.headers.get_all("set-cookie") {
                let pair = cookie.to_str().unwrap().split(';').next().unwrap();
                let (name, value) = pair.split_once('=').unwrap();
                if value.is_empty() {
                    cookies.remove(name);
                } else {
                    cookies.insert(name.to_owned(), value.to_owned());
                }
            }
            if !answer.status.is_redirection() {
                return Page { url, answer };
            }
            let next = self.absolute(Some(&url), answer.header("location"));
            if !goes_on(&next) {
                return Page { url: next, answer };
            }
            (method, url, body) = (Method::GET, next, String::new());
        }
        panic!("redirected without end");
    }
}
