//! The templates of the history, account, election and sent-document pages; their data comes from the API.

use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness};
use crate::browser::Browser;
use reqwest::Method;

async fn page(browser: &mut Browser, path: &str, language: &str) -> Answer {
    let request = browser.request(Method::GET, path).header("accept-language", language);
    browser.send(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn history_and_account_speak_the_language_of_the_reader() {
    let app = AppHarness::start().await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let table = [
        ("/history/", "en", "<h1>History</h1>", "/js/history/main.js"),
        ("/history/", "de-AT,de;q=0.9", "<h1>Verlauf</h1>", "/js/history/main.js"),
        ("/account/", "nl", "<h1>Account</h1>", "/js/account/main.js"),
        ("/account/", "fr-CA", "<h1>Compte</h1>", "/js/account/main.js"),
        ("/account/", "de", "<h1>Konto</h1>", "/js/account/main.js"),
        ("/review/", "en", "<h1>Review queue</h1>", "/js/review/queue.js"),
        ("/review/3/", "de", "<h1>Wahl</h1>", "/js/review/run.js"),
        ("/egress/", "de", "<h1>Nach außen gegeben</h1>", "/js/egress/main.js"),
    ];
    for (path, language, title, module) in table {
        let answer = page(&mut browser, path, language).await;
        assert_eq!(answer.status, 200, "{path}");
        let html = answer.body.as_str().unwrap();
        let spoken = ["de", "fr"].into_iter().find(|code| language.starts_with(code)).unwrap_or("en");
        assert!(html.contains(&format!("<html lang=\"{spoken}\"")), "{path} {language}: {html}");
        assert!(html.contains(title) && html.contains(module), "{path} {language}: {html}");
        assert!(answer.header("content-security-policy").contains("script-src 'self'"), "{path}");
    }
    browser.cookies.insert("language".to_owned(), "de".to_owned());
    let chosen = page(&mut browser, "/history/", "en").await;
    assert!(chosen.body.as_str().unwrap().contains("<h1>Verlauf</h1>"), "the choice counts more");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sign_in_page_shows_errors_in_the_language_of_the_reader() {
    let app = AppHarness::start().await;
    let mut browser = Browser::open(&app.base);
    browser.cookies.insert("language".to_owned(), "de".to_owned());
    let wrong = browser.sign_in("admin", "wrong", "/account/").await;
    assert_eq!(wrong.status, 401);
    let html = wrong.body.as_str().unwrap();
    assert!(html.contains("Benutzername oder Passwort ist falsch."), "{html}");
    let right = browser.sign_in("admin", ADMIN_PASSWORD, "/account/").await;
    assert_eq!((right.status.as_u16(), right.header("location")), (303, "/account/"));
    app.stop().await;
}
