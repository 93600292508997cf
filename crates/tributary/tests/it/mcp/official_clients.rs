//! The official MCP clients, installed by `scripts/servers.sh`. Each executes a plan and reports the responses.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Each client: its name, the variable with its location, its program, and the script that drives it.
const CLIENTS: [(&str, &str, &str, &str); 2] = [
    ("the npm package @modelcontextprotocol/sdk", "SVC_TEST_MCP_CLIENT", "node", "mcp_client.mjs"),
    ("the PyPI package mcp", "SVC_TEST_MCP_PYTHON", "python3", "mcp_client.py"),
];

pub struct OfficialClient {
    pub name: &'static str,
    program: &'static str,
    script: PathBuf,
    folder: String,
}

/// The installed clients; the test of a missing one is skipped.
pub fn installed(suite: &str) -> Vec<OfficialClient> {
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts");
    let mut found = Vec::new();
    for (name, variable, program, script) in CLIENTS {
        if let Some(folder) = testkit::given(variable, &format!("{suite} with {name}")) {
            found.push(OfficialClient { name, program, script: scripts.join(script), folder });
        }
    }
    found
}

impl OfficialClient {
    /// `{connected, steps: [{ok} | {error, code}], error?, code?}`.
    pub fn follow(&self, plan: &Value) -> Value {
        tokio::task::block_in_place(|| {
            let mut child = Command::new(self.program)
                .arg(&self.script)
                .arg(&self.folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            child.stdin.take().unwrap().write_all(plan.to_string().as_bytes()).unwrap();
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            serde_json::from_str(&said).unwrap_or_else(|_| panic!("{} said {said:?}", self.name))
        })
    }
}
