//! The two compose files.

use super::{PORT, assert_drain, assert_grace, lint, plain, read, roles, root, settings, yaml};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;
use tributary::service::Role;

const ONE: &str = "deploy/compose.yaml";
const CLUSTER: &str = "deploy/compose.cluster.yaml";

fn services(path: &str) -> Map<String, Value> {
    yaml(&read(path))[0]["services"].as_object().unwrap().clone()
}

/// The services that run the program's image.
fn ours(path: &str) -> Map<String, Value> {
    services(path).into_iter().filter(|(_, service)| service.get("build").is_some()).collect()
}

/// Replaces `${NAME:?why}` by `x`; a variable without `:?` would have a default or be empty.
fn filled_in(text: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (variable, after) = after.split_once('}').unwrap();
        assert!(variable.contains(":?"), "{text}: {variable} is not required");
        filled.push_str(before);
        filled.push('x');
        rest = after;
    }
    filled + rest
}

fn environment(service: &Value) -> Vec<(String, String)> {
    let pairs = service["environment"].as_object().unwrap().iter();
    pairs.map(|(name, value)| (name.clone(), plain(value))).collect()
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The roles of the service; none for a one-shot command.
fn roles_of_service(service: &Value) -> BTreeSet<Role> {
    match words(&service["command"])[..] {
        [] => Role::all(),
        ["serve", "--roles", names] => roles(names),
        ["migrate"] => BTreeSet::new(),
        ref other => panic!("{other:?} is not known"),
    }
}

#[test]
fn one_node_is_one_service_and_one_volume() {
    assert_eq!(services(ONE).len(), 1);
    assert_eq!(roles_of_service(&services(ONE)["tributary"]), Role::all());
    let volumes = yaml(&read(ONE))[0]["volumes"].as_object().unwrap().clone();
    assert_eq!(volumes.keys().collect::<Vec<_>>(), ["data"]);
    assert_eq!(words(&services(ONE)["tributary"]["volumes"]), ["data:/data"]);
}

#[test]
fn the_cluster_plays_every_role() {
    let ours = ours(CLUSTER);
    let all: BTreeSet<Role> = ours.values().flat_map(roles_of_service).collect();
    assert_eq!(all, Role::all());
    let web = ours.values().filter(|service| roles_of_service(service).contains(&Role::Web)).count();
    assert_eq!(web, 2);
    let others: BTreeSet<String> = services(CLUSTER).into_iter().map(|(name, _)| name).collect();
    assert!(others.contains("postgres") && others.contains("nats"));
}

#[test]
fn nodes_are_locked_down_and_have_time_to_stop() {
    for path in [ONE, CLUSTER] {
        for (name, service) in ours(path) {
            let place = format!("{path}: {name}");
            assert_eq!(service["read_only"], true, "{place}");
            assert_eq!(words(&service["cap_drop"]), ["ALL"], "{place}");
            assert_eq!(words(&service["security_opt"]), ["no-new-privileges:true"], "{place}");
            assert!(service.get("user").is_none(), "{place}: the image names the user");
            let set = environment(&service).into_iter().map(|(name, value)| (name, filled_in(&value)));
            let set = settings(&place, set);
            assert!(set.health_open, "{place}: probes carry no credentials");
            let gateway = [172, 18, 0, 1].into();
            let is_named = set.trusted_proxies.iter().any(|network| network.contains(gateway));
            assert!(is_named, "{place}: all clients share the limits of one address");
            assert_drain(&place, &roles_of_service(&service), &set);
            let waits = service["stop_grace_period"].as_str().unwrap().strip_suffix('s').unwrap();
            assert_grace(&place, Duration::from_secs(waits.parse().unwrap()), &set);
            // Only a long-running process can have a health check.
            let goes_on = !roles_of_service(&service).is_empty();
            assert_eq!(service["healthcheck"]["disable"] == true, !goes_on, "{place}");
        }
    }
}

#[test]
fn ports_are_those_of_the_image_and_open_on_this_machine_only() {
    for path in [ONE, CLUSTER] {
        let mut outside = BTreeSet::new();
        for (name, service) in services(path).into_iter().filter(|(name, _)| name != "proxy") {
            for port in words(&service["ports"]) {
                let parts: Vec<&str> = port.split(':').collect();
                assert_eq!((parts[0], parts[2]), ("127.0.0.1", PORT.to_string().as_str()), "{path}: {name}");
                assert!(outside.insert(parts[1].to_owned()), "{path}: {} twice", parts[1]);
            }
        }
        assert!(!outside.is_empty());
    }
}

#[test]
fn every_service_has_a_limit_of_memory() {
    for path in [ONE, CLUSTER] {
        for (name, service) in services(path) {
            assert!(service["mem_limit"].is_string(), "{path}: {name}");
        }
        for (name, service) in ours(path) {
            assert!(service["pids_limit"].is_u64(), "{path}: {name}");
        }
    }
}

/// Supplied texts cannot be fetched again, so all nodes must share one folder.
#[test]
fn all_nodes_share_one_folder_of_texts() {
    for (name, service) in ours(CLUSTER) {
        assert_eq!(words(&service["volumes"]), ["texts:/data/bodies"], "{name}");
    }
    assert!(yaml(&read(CLUSTER))[0]["volumes"].as_object().unwrap().contains_key("texts"));
}

#[test]
fn what_the_queue_confirmed_is_on_its_disk() {
    let config = read("deploy/nats.conf");
    assert!(config.lines().any(|line| line.trim() == "sync_interval: always"), "{config}");
}

#[test]
fn the_proxy_knows_every_web_process_and_leaves_out_what_is_not_ready() {
    let config = read("deploy/Caddyfile");
    for (name, service) in ours(CLUSTER) {
        let is_web = roles_of_service(&service).contains(&Role::Web);
        assert_eq!(config.contains(&format!("{name}:{PORT}")), is_web, "{name}");
    }
    assert!(config.contains("health_uri /svc/health/ready/"), "{config}");
    assert_eq!(services(CLUSTER)["proxy"]["profiles"][0], "tls", "it is wanted or not");
}

#[test]
fn every_secret_comes_from_the_environment_file() {
    let example = read("deploy/cluster.env.example");
    for (name, service) in services(CLUSTER) {
        for (variable, value) in environment(&service) {
            let is_secret = ["PASSWORD", "SECRET", "_URL"].iter().any(|part| variable.contains(part));
            assert!(!is_secret || value.contains("${"), "{name}: {variable} is written down");
            for asked in value.split("${").skip(1).filter_map(|rest| rest.split_once(":?")) {
                let line = format!("{}=", asked.0);
                assert!(example.lines().any(|one| one == line), "cluster.env.example has no {}", asked.0);
            }
        }
    }
    assert!(read("deploy/nats.conf").contains("password: $NATS_PASSWORD"));
}

/// Docker's plug-in, or the standalone program. `docker` may be installed without the plug-in, and version 1 of the
/// program does not support these files.
fn installed() -> Option<&'static [&'static str]> {
    let is_known = |compose: &&[&str]| {
        let told = Command::new(compose[0]).args(&compose[1..]).args(["version", "--short"]).output();
        told.is_ok_and(|output| output.status.success() && !output.stdout.starts_with(b"1."))
    };
    [&["docker", "compose"][..], &["docker-compose"]].into_iter().find(is_known)
}

#[test]
fn compose_accepts_them() {
    let Some(compose) = installed() else {
        testkit::skip("linting of deployment files", "docker compose is not installed");
        return;
    };
    for path in [ONE, CLUSTER] {
        let mut command = Command::new(compose[0]);
        command.args(&compose[1..]).arg("-f").arg(root().join(path)).args(["config", "--quiet"]);
        for line in read("deploy/cluster.env.example").lines().filter(|line| !line.starts_with('#')) {
            command.env(line.trim_end_matches('='), "x");
        }
        lint(&mut command);
    }
}
