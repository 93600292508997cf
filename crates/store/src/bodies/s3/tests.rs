//! Tests of bodies in a bucket: on the server of `SVC_TEST_S3`, and with scripted responses.

use super::*;
use domain::ports::{HttpResponse, SystemClock};
use outbound::{ClientLimits, GuardedClient};
use std::collections::VecDeque;
use std::sync::Mutex;
use testkit::s3::S3Server;

const MAX_MB: u32 = 2;

fn client() -> Arc<dyn Fetch> {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(5),
        body_bytes_max: super::super::compressed_bytes_max(MAX_MB),
        redirects_max: 0,
        allow: Vec::new(),
    };
    Arc::new(GuardedClient::new(limits).unwrap())
}

fn config(server: &S3Server, bucket: &str) -> S3Config {
    S3Config {
        fetch: client(),
        clock: Arc::new(SystemClock),
        endpoint: server.url.clone(),
        region: "us-east-1".to_owned(),
        bucket: bucket.to_owned(),
        access_key: Secret::new(&server.access_key),
        secret_key: Secret::new(&server.secret_key),
        max_mb: MAX_MB,
    }
}

fn own_bucket() -> String {
    format!("bodies-{:016x}", rand::random::<u64>())
}

/// In its own bucket.
fn bodies(suite: &str) -> Option<S3Bodies> {
    let server = testkit::s3::server(suite)?;
    Some(S3Bodies::new(config(&server, &own_bucket())).unwrap())
}

fn key(number: u32) -> BodyKey {
    BodyKey::of_hash(&format!("{number:02x}{number:062x}")).unwrap()
}

#[tokio::test]
async fn keeps_the_promises() {
    let Some(bodies) = bodies("the suite of bodies") else { return };
    testkit::suites::body_store::all(&bodies, MAX_MB).await;
}

#[test]
fn a_key_that_is_listed_twice_is_one() {
    let key = |number: u8| BodyKey::of_hash(&format!("{number:064x}")).unwrap();
    let names =
        |keys: &[BodyKey]| -> Vec<String> { keys.iter().map(|key| key.as_str().to_owned()).collect() };
    let [one, two, three] = [key(1), key(2), key(3)];
    let mut keys = Vec::new();
    add_ours(&mut keys, &names(&[one.clone(), two.clone(), two.clone()]));
    add_ours(&mut keys, &["notes.txt".to_owned()]);
    add_ours(&mut keys, &names(&[two.clone(), three.clone()]));
    assert_eq!(keys, [one, two, three]);
}

#[tokio::test]
async fn more_keys_than_a_page_holds_and_strangers_between_them() {
    let Some(bodies) = bodies("lists of bodies") else { return };
    bodies.prepare().await.unwrap();
    let count = u32::try_from(KEYS_MAX).unwrap() + 30;
    let hash = |number: u32| format!("{:02x}{number:062x}", number % 256);
    let mut keys: Vec<BodyKey> = (0..count).map(|number| BodyKey::of_hash(&hash(number)).unwrap()).collect();
    for key in &keys {
        bodies.put_compressed(key, Bytes::from_static(b"x")).await.unwrap();
    }
    let mut stranger = bodies.bucket.clone();
    stranger.set_path(&format!("{}/7f/notes.txt", bodies.bucket.path()));
    let mut request = bodies.request(&Call::of(HttpMethod::Put, None));
    request.secret_headers = bodies.signature(HttpMethod::Put, &stranger, b"notes");
    request.url = stranger;
    request.body = Some(Bytes::from_static(b"notes"));
    assert_eq!(bodies.config.fetch.fetch(&request).await.unwrap().status, 200);
    keys.sort();
    assert_eq!(bodies.keys(None, 2_000).await.unwrap(), keys);
    assert_eq!(bodies.keys(None, 1_010).await.unwrap(), keys[..1_010]);
    assert_eq!(bodies.keys(Some(&keys[4]), 5).await.unwrap(), keys[5..10]);
}

#[tokio::test]
async fn a_damaged_body_is_told_from_a_missing_one() {
    let Some(bodies) = bodies("damaged bodies") else { return };
    bodies.prepare().await.unwrap();
    let text = Bytes::from("rivers ".repeat(999));
    bodies.put(&key(1), text.clone()).await.unwrap();
    let compressed = bodies.get_compressed(&key(1)).await.unwrap().unwrap();
    for damaged in [compressed.slice(..compressed.len() - 1), Bytes::from_static(b"no packed text")] {
        bodies.put_compressed(&key(1), damaged).await.unwrap();
        assert_eq!(bodies.get(&key(1)).await, Err(BodyError::Damaged));
    }
    assert_eq!(bodies.get(&key(2)).await, Ok(None));
    bodies.put(&key(1), text.clone()).await.unwrap();
    assert_eq!(bodies.get(&key(1)).await, Ok(Some(text)));
}

#[tokio::test]
async fn a_wrong_key_and_an_absent_bucket_are_refused_in_words() {
    let Some(server) = testkit::s3::server("refused keys of S3") else { return };
    let right = config(&server, &own_bucket());
    let wrong_key = S3Config { access_key: Secret::new("nobody"), ..right.clone() };
    let wrong_secret = S3Config { secret_key: Secret::new("canary"), ..right.clone() };
    let table = [
        (wrong_key, "InvalidAccessKeyId"),
        (wrong_secret, "SignatureDoesNotMatch"),
        (right.clone(), "NoSuchBucket"),
    ];
    for (config, code) in table {
        let bodies = S3Bodies::new(config).unwrap();
        let told = |error: BodyError| {
            let told = error.to_string();
            assert!(matches!(error, BodyError::Refused { .. }) && told.contains(code), "{told}");
            assert!(!told.contains("canary") && !told.contains(&server.secret_key), "{told}");
        };
        told(bodies.put(&key(1), Bytes::from_static(b"text")).await.unwrap_err());
        told(bodies.get(&key(1)).await.unwrap_err());
        told(bodies.delete(&key(1)).await.unwrap_err());
        told(bodies.keys(None, 1).await.unwrap_err());
    }
    let wrong = S3Bodies::new(S3Config { secret_key: Secret::new("canary"), ..right }).unwrap();
    assert!(matches!(wrong.prepare().await, Err(BodyError::Refused { .. })));
}

/// Returns its responses one after the other.
struct Script(Mutex<VecDeque<Result<(u16, &'static str), FetchError>>>);

#[async_trait]
impl Fetch for Script {
    async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        let next = self.0.lock().unwrap().pop_front().expect("no more requests than answers");
        next.map(|(status, body)| HttpResponse {
            status,
            headers: Vec::new(),
            body: Bytes::from_static(body.as_bytes()),
        })
    }
}

fn scripted(answers: Vec<Result<(u16, &'static str), FetchError>>) -> (Arc<Script>, S3Bodies) {
    let script = Arc::new(Script(Mutex::new(answers.into())));
    let config = S3Config {
        fetch: Arc::<Script>::clone(&script),
        clock: Arc::new(SystemClock),
        endpoint: "http://127.0.0.1:1/storage/".to_owned(),
        region: "eu-central-1".to_owned(),
        bucket: "swirl-cache-bodies".to_owned(),
        access_key: Secret::new("river"),
        secret_key: Secret::new("stone"),
        max_mb: MAX_MB,
    };
    (script, S3Bodies::new(config).unwrap())
}

#[tokio::test(start_paused = true)]
async fn passing_trouble_is_waited_for_and_lasting_trouble_is_told() {
    let away = || Err(FetchError::Timeout { host: "the server".to_owned() });
    let busy = || Ok((503, "<Error><Code>SlowDown</Code></Error>"));
    let (script, bodies) = scripted(vec![away(), busy(), Ok((204, ""))]);
    assert_eq!(bodies.delete(&key(1)).await, Ok(()));
    assert!(script.0.lock().unwrap().is_empty());
    let (script, bodies) = scripted(vec![busy(), busy(), away(), Ok((204, ""))]);
    assert!(matches!(bodies.delete(&key(1)).await, Err(BodyError::Unreachable { .. })));
    assert_eq!(script.0.lock().unwrap().len(), 1, "three were enough");
    let (script, bodies) = scripted(vec![Ok((403, "")), Ok((204, ""))]);
    assert!(matches!(bodies.delete(&key(1)).await, Err(BodyError::Refused { .. })));
    assert_eq!(script.0.lock().unwrap().len(), 1, "a refusal is final");
}

#[tokio::test]
async fn a_bucket_that_another_process_made_is_fine_and_one_of_others_is_not() {
    let table = [
        ("<Error><Code>BucketAlreadyOwnedByYou</Code></Error>", true),
        ("<Error><Code>BucketAlreadyExists</Code></Error>", false),
    ];
    for (answer, is_fine) in table {
        let (_script, bodies) = scripted(vec![Ok((404, "")), Ok((409, answer))]);
        assert_eq!(bodies.prepare().await.is_ok(), is_fine, "{answer}");
    }
}

#[test]
fn addresses_of_buckets() {
    let (_script, bodies) = scripted(Vec::new());
    assert_eq!(bodies.bucket.as_str(), "http://127.0.0.1:1/storage/swirl-cache-bodies");
    let with = |endpoint: &str, bucket: &str, region: &str| S3Config {
        endpoint: endpoint.to_owned(),
        bucket: bucket.to_owned(),
        region: region.to_owned(),
        ..bodies.config.clone()
    };
    let request = |config: S3Config| {
        S3Bodies::new(config).map(|bodies| {
            let key = key(1);
            let call = Call {
                query: vec![("b", "/".to_owned()), ("a", "1".to_owned())],
                ..Call::of(HttpMethod::Get, Some(&key))
            };
            bodies.request(&call).url.to_string()
        })
    };
    let object = format!("{}?a=1&b=%2F", key(1).as_str());
    let table = [
        (with("", "one", "eu-west-1"), format!("https://one.s3.eu-west-1.amazonaws.com/{object}")),
        (with("", "one.two", "eu-west-1"), format!("https://s3.eu-west-1.amazonaws.com/one.two/{object}")),
        (with("https://s3.example", "one", "x"), format!("https://s3.example/one/{object}")),
    ];
    for (config, expected) in table {
        assert_eq!(request(config), Ok(expected));
    }
    let wrong = [
        with("s3.example", "one", "x"),
        with("ftp://s3.example", "one", "x"),
        with("https://u:canary@s3.example", "one", "x"),
        with("https://s3.example?a=1", "one", "x"),
        with("https://s3.example", "One", "x"),
        with("https://s3.example", "a/../b", "x"),
        with("https://s3.example", "on", "x"),
        with("https://s3.example", "one", "x/y"),
        S3Config { secret_key: Secret::default(), ..with("https://s3.example", "one", "x") },
    ];
    for config in wrong {
        let told = S3Bodies::new(config).err().expect("it is refused").to_string();
        assert!(!told.contains("canary"), "{told}");
    }
}
