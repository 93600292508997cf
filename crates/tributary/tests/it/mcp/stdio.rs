//! A minimal client of `tributary mcp` on standard input and output: one message per line.

use crate::program::program;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

/// Killed when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _gone_already = self.0.wait();
    }
}

/// Starts the program in `folder`, calls the tools one after another, and returns their structured results.
pub fn call_tools(folder: &Path, arguments: &[&str], calls: &[(&str, Value)]) -> Vec<Value> {
    let mut command = program(folder, arguments);
    let mut server = Server(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    let mut input = server.0.stdin.take().unwrap();
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    let mut receive = |id: usize| -> Value {
        loop {
            let line = lines.next().expect("the program has ended").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    };
    let client = json!({"name": "test", "version": "1"});
    let greeting = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting}));
    receive(0);
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let results = calls.iter().zip(1..).map(|((tool, arguments), id)| {
        let call = json!({"name": tool, "arguments": arguments});
        send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}));
        let answer = receive(id);
        let content = &answer["result"]["structuredContent"];
        assert!(content.is_object(), "{tool}: {answer}");
        content.clone()
    });
    results.collect()
}
