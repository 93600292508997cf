//! The Helm chart: its values, its schema, and, if helm is installed, what it renders.

use super::{PORT, USER, assert_drain, assert_grace, files, lint, plain, read, roles, root, settings, yaml};
use domain::ports::QueueName;
use domain::settings::Settings;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Duration;
use tributary::service::Role;

const CHART: &str = "deploy/helm/tributary";
const ADAPTER: &str = "deploy/helm/prometheus-adapter.yaml";
const METRICS: [&str; 2] = ["tasks_queue_depth", "tasks_queue_busy_ratio"];

fn values() -> Value {
    yaml(&read(&format!("{CHART}/values.yaml"))).remove(0)
}

/// The settings of the values, including secrets.
fn set() -> Settings {
    let values = values();
    let pairs = |of: &str| values[of].as_object().unwrap().clone();
    let all = pairs("settings").into_iter().chain(pairs("secrets"));
    settings(CHART, all.map(|(name, value)| (name, plain(&value))))
}

/// Checks a value by the rules that this schema uses.
fn check(path: &str, schema: &Value, value: &Value) {
    if let Some(kinds) = schema.get("type") {
        let kind = match value {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            Value::String(_) => "string",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::Null => "null",
        };
        let fits = kinds == kind || kinds.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind));
        assert!(fits, "{path} is of kind {kind}, not {kinds}");
    }
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(allowed.contains(value), "{path} is {value}, not one of {allowed:?}");
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64()) {
        assert!(number >= least, "{path} is below {least}");
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(value.get(name).is_some(), "{path} has no {name}");
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(schema), _) | (None, Some(schema @ Value::Object(_))) => check(&path, schema, inner),
            (None, Some(Value::Bool(false))) => panic!("{path} is not in the schema"),
            _ => {}
        }
    }
    for inner in value.as_array().into_iter().flatten() {
        check(&format!("{path}[]"), &schema["items"], inner);
    }
}

#[test]
fn the_values_fit_their_schema() {
    let schema = serde_json::from_str(&read(&format!("{CHART}/values.schema.json"))).unwrap();
    check("values", &schema, &values());
}

#[test]
fn each_queue_has_its_workers_and_its_limit() {
    let values = values();
    let workers = values["workers"].as_object().unwrap();
    let found: BTreeMap<&str, i64> = workers
        .iter()
        .map(|(queue, worker)| (queue.as_str(), worker["autoscaling"]["max"].as_i64().unwrap()))
        .collect();
    let expected = [("search", 5), ("page_fetch", 5), ("interactive", 2), ("maintenance", 2), ("corpus", 2)];
    assert_eq!(found, BTreeMap::from(expected));
    let queues = QueueName::ALL.into_iter().filter(|queue| *queue != QueueName::HealthCheck);
    assert_eq!(found.keys().copied().collect::<BTreeSet<_>>(), queues.map(QueueName::as_str).collect());
    let scaling = &values["autoscaling"];
    assert_eq!((&scaling["depth"], &scaling["busyRatio"]), (&Value::from(10), &Value::from("700m")));
    assert_eq!((&scaling["periodSeconds"], &scaling["stabilizationSeconds"]), (&60.into(), &300.into()));
}

/// The ratio is at most 1: an autoscaler adds a pod only when its metric is above the target.
#[test]
fn full_workers_are_above_the_target_of_the_autoscalers() {
    let target = values()["autoscaling"]["busyRatio"].as_str().unwrap().to_owned();
    let thousandths: f64 = match target.strip_suffix('m') {
        Some(thousandths) => thousandths.parse().unwrap(),
        None => target.parse::<f64>().unwrap() * 1000.0,
    };
    // Kubernetes tolerates a tenth above the target, and one user alone fills seven eighths.
    assert!(thousandths * 1.1 < 875.0, "{target}");
}

#[test]
fn a_pod_has_time_to_stop() {
    let waits = values()["terminationGracePeriodSeconds"].as_u64().unwrap();
    assert_grace(CHART, Duration::from_secs(waits), &set());
    assert_drain(CHART, &Role::all(), &set());
    assert!(set().health_open, "probes carry no credentials");
}

#[test]
fn templates_are_balanced() {
    let templates = files(&format!("{CHART}/templates"));
    assert!(templates.len() > 8);
    for path in templates {
        let text = read(&path);
        assert_eq!(text.matches("{{").count(), text.matches("}}").count(), "{path}: braces");
        let actions = text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
        let words: Vec<&str> = actions
            .filter_map(|(action, _)| action.trim_start_matches('-').split_whitespace().next())
            .collect();
        let opened = words.iter().filter(|word| ["if", "range", "with", "define"].contains(word)).count();
        let closed = words.iter().filter(|word| **word == "end").count();
        assert_eq!(opened, closed, "{path}: blocks");
    }
}

#[test]
fn the_adapter_serves_the_metrics_of_the_autoscalers() {
    let adapter = &yaml(&read(ADAPTER))[0];
    let rules = adapter["rules"]["external"].as_array().unwrap();
    let served: Vec<&str> = rules.iter().filter_map(|rule| rule["name"]["as"].as_str()).collect();
    assert_eq!(served, METRICS);
    let query = |rule: usize| rules[rule]["metricsQuery"].as_str().unwrap();
    assert!(query(0).starts_with("max("), "every process reports the same depth");
    assert!(query(1).starts_with("sum(tasks_queue_active_tasks"), "every process reports its own tasks");
}

fn helm(arguments: &[&str], more: &[&str]) -> Option<Vec<Value>> {
    let mut command = Command::new("helm");
    command.args(arguments).arg(root().join(CHART)).args(["--set", "existingSecret=ours"]).args(more);
    let said = lint(&mut command)?;
    Some(if arguments[0] == "template" { yaml(&said) } else { Vec::new() })
}

fn of_kind<'a>(documents: &'a [Value], kind: &str) -> Vec<&'a Value> {
    documents.iter().filter(|document| document["kind"] == kind).collect()
}

#[test]
fn helm_accepts_and_renders_it() {
    if helm(&["lint", "--strict"], &[]).is_none() {
        return;
    }
    let rendered = helm(&["template", "release"], &["--kube-version", "1.31.0"]).unwrap();
    let deployments = of_kind(&rendered, "Deployment");
    let mut roles = BTreeSet::new();
    for deployment in &deployments {
        roles.extend(check_deployment(deployment));
    }
    check_stops(&rendered, &deployments);
    assert_eq!(deployments.len(), 7);
    assert_eq!(roles, Role::all());
    assert_eq!(of_kind(&rendered, "PodDisruptionBudget").len(), 7);
    assert_eq!(of_kind(&rendered, "Service").len(), 1);
    for kind in
        ["Ingress", "NetworkPolicy", "PersistentVolumeClaim", "PodMonitor", "PrometheusRule", "Secret"]
    {
        assert!(of_kind(&rendered, kind).is_empty(), "{kind} is optional");
    }
    check_autoscalers(&rendered, &deployments);
}

#[test]
fn helm_renders_what_is_optional() {
    let chosen = "ingress.enabled=true,ingress.tlsSecret=certificate,persistence.enabled=true,\
                  podMonitor.enabled=true,podMonitor.tokenSecret.name=token,\
                  prometheusRule.enabled=true,prometheusRule.runbook=https://wiki.example.com/runbook,\
                  networkPolicy.enabled=true,networkPolicy.fromNamespaces[0].team=edge,\
                  workers.corpus.autoscaling.enabled=false,workers.corpus.replicas=0";
    let Some(rendered) = helm(&["template", "tributary"], &["--set", chosen, "--kube-version", "1.27.0"])
    else {
        return;
    };
    let rules = of_kind(&rendered, "PrometheusRule")[0]["spec"].to_string();
    let declared = yaml(&read("deploy/prometheus/rules.yaml")).remove(0).to_string();
    assert_eq!(rules, declared.replace("docs/runbook.md#", "https://wiki.example.com/runbook#"));
    for kind in ["Ingress", "PersistentVolumeClaim", "PodMonitor", "PrometheusRule"] {
        assert_eq!(of_kind(&rendered, kind).len(), 1, "{kind}");
    }
    let policy = &of_kind(&rendered, "NetworkPolicy")[0]["spec"];
    assert_eq!(policy["ingress"][0]["from"][1]["namespaceSelector"]["matchLabels"]["team"], "edge");
    assert_eq!(policy["ingress"][0]["ports"][0]["port"], PORT);
    assert_eq!(policy["policyTypes"], serde_json::json!(["Ingress"]), "sources can be anywhere");
    assert_eq!(of_kind(&rendered, "HorizontalPodAutoscaler").len(), 4);
    for deployment in of_kind(&rendered, "Deployment") {
        check_deployment(deployment);
        if deployment["metadata"]["name"] == "tributary-corpus" {
            assert_eq!(deployment["spec"]["replicas"], 0);
        }
    }
}

/// Checks a deployment and returns its roles.
fn check_deployment(deployment: &Value) -> BTreeSet<Role> {
    let name = deployment["metadata"]["name"].as_str().unwrap();
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true, "{name}");
    let spread = pod["topologySpreadConstraints"].as_array().unwrap();
    assert_eq!(spread.len(), 2, "{name}: over machines and zones");
    let component = &deployment["metadata"]["labels"]["app.kubernetes.io/component"];
    for one in spread {
        assert_eq!(&one["labelSelector"]["matchLabels"]["app.kubernetes.io/component"], component, "{name}");
    }
    assert_eq!(pod["securityContext"]["runAsUser"], USER, "{name}");
    assert_eq!(pod["initContainers"][0]["args"], serde_json::json!(["migrate"]), "{name}");
    let container = &pod["containers"][0];
    for one in [container, &pod["initContainers"][0]] {
        assert_eq!(one["securityContext"]["readOnlyRootFilesystem"], true, "{name}");
        assert_eq!(one["securityContext"]["allowPrivilegeEscalation"], false, "{name}");
        let pairs = one["env"].as_array().unwrap().iter();
        settings(name, pairs.map(|pair| (plain(&pair["name"]), plain(&pair["value"]))));
    }
    let args: Vec<&str> = container["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(args[..2], ["serve", "--roles"], "{name}");
    let roles = roles(args[2]);
    assert_eq!(container["ports"][0]["containerPort"], PORT);
    assert_eq!(container["livenessProbe"]["httpGet"]["path"], "/svc/health/live/");
    if roles.contains(&Role::Web) {
        assert_eq!(container["readinessProbe"]["httpGet"]["path"], "/svc/health/ready/");
    } else if !roles.contains(&Role::Beat) {
        assert!(roles.contains(&Role::Queue(QueueName::HealthCheck)), "{name} answers no ping");
    }
    roles
}

/// A stopping pod has time for its drain and its grace period, and two failed probes fit into the drain.
fn check_stops(rendered: &[Value], deployments: &[&Value]) {
    let given = of_kind(rendered, "ConfigMap")[0]["data"].as_object().unwrap().clone();
    let set = settings(CHART, given.iter().map(|(name, value)| (name.clone(), plain(value))));
    for deployment in deployments {
        let name = deployment["metadata"]["name"].as_str().unwrap();
        let pod = &deployment["spec"]["template"]["spec"];
        let seconds = |value: &Value| Duration::from_secs(value.as_u64().unwrap());
        assert_grace(name, seconds(&pod["terminationGracePeriodSeconds"]), &set);
        let container = &pod["containers"][0];
        assert!(container.get("lifecycle").is_none(), "{name}: the program itself waits");
        if let Some(probe) = container.get("readinessProbe") {
            let failures = u32::try_from(probe["failureThreshold"].as_u64().unwrap()).unwrap();
            let noticed = seconds(&probe["periodSeconds"]) * failures;
            assert!(set.drain.0 > noticed, "{name}: a pod that drains is noticed after {noticed:?}");
        }
    }
}

fn check_autoscalers(rendered: &[Value], deployments: &[&Value]) {
    let scalers = of_kind(rendered, "HorizontalPodAutoscaler");
    assert_eq!(scalers.len(), 5);
    for scaler in scalers {
        let spec = &scaler["spec"];
        let target = deployments.iter().find(|one| one["metadata"]["name"] == spec["scaleTargetRef"]["name"]);
        let target = target.unwrap_or_else(|| panic!("{} scales nothing", scaler["metadata"]["name"]));
        assert!(target["spec"].get("replicas").is_none(), "an upgrade would undo the scaling");
        let (metrics, cpu) = spec["metrics"].as_array().unwrap().split_at(METRICS.len());
        assert_eq!(cpu[0]["resource"]["target"]["averageUtilization"], 80);
        let names: Vec<&Value> = metrics.iter().map(|one| &one["external"]["metric"]["name"]).collect();
        assert_eq!(names, METRICS);
        assert_eq!(metrics[0]["external"]["target"]["averageValue"], "10");
        assert_eq!(metrics[1]["external"]["target"]["value"], "700m");
        for metric in metrics {
            let queue = metric["external"]["metric"]["selector"]["matchLabels"]["queue"].as_str().unwrap();
            assert!(QueueName::parse(queue).is_some(), "{queue} is not a queue");
        }
        assert_eq!(spec["behavior"]["scaleDown"]["stabilizationWindowSeconds"], 300);
        for direction in ["scaleUp", "scaleDown"] {
            let policy = &spec["behavior"][direction]["policies"][0];
            assert_eq!((&policy["value"], &policy["periodSeconds"]), (&1.into(), &60.into()));
        }
    }
}

#[test]
fn clients_of_the_ingress_do_not_share_one_limit_of_connections() {
    let set = set();
    assert!(set.connections_per_address == 0 || !set.trusted_proxies.is_empty());
}
