"""A client of the Model Context Protocol, over HTTP and over the standard input and output of `tributary mcp`."""

import json
import queue
import subprocess
import threading

from .answers import events_of

VERSION = "2025-06-18"


class Mcp:
    """Calls /mcp as the user of a client. `call` returns the result of a tool."""

    def __init__(self, client, path="/mcp"):
        self.client, self.path, self.next_id = client, path, 0

    def post(self, body, headers=None):
        sent = {"Accept": "application/json, text/event-stream"}
        # The first request names its version in its parameters.
        if not isinstance(body, dict) or body.get("method") != "initialize":
            sent["MCP-Protocol-Version"] = VERSION
        return self.client.post(self.path, body, headers=sent | (headers or {}))

    def request(self, method, params=None, headers=None):
        """The whole message that answers a request."""
        self.next_id += 1
        body = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}}
        response = self.post(body, headers).expect(200)
        if response.headers["content-type"].startswith("text/event-stream"):
            return json.loads(events_of(response.text)[-1][1])
        return response.json()

    def result(self, method, params=None):
        message = self.request(method, params)
        if "result" not in message:
            raise AssertionError(f"{method}: {message}")
        return message["result"]

    def call(self, tool, **arguments):
        return self.result("tools/call", {"name": tool, "arguments": arguments})

    def data(self, tool, **arguments):
        """The structured content of a call that succeeds."""
        result = self.call(tool, **arguments)
        if result.get("isError") or "structuredContent" not in result:
            raise AssertionError(f"{tool} {arguments}: {json.dumps(result)[:800]}")
        return result["structuredContent"]

    def error(self, tool, **arguments):
        """The text of a call that fails as a result of the tool, or as an error of the protocol."""
        message = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in message:
            return message["error"]["message"]
        if not message["result"].get("isError"):
            raise AssertionError(f"{tool} {arguments} did not fail: {json.dumps(message)[:800]}")
        return text_of(message["result"])


def text_of(result):
    return "\n".join(each["text"] for each in result["content"] if each["type"] == "text")


class Pipe:
    """`with Pipe(service, settings, arguments) as pipe` runs `tributary mcp` on the data folder of the service."""

    def __init__(self, service, settings=None, arguments=()):
        self.service, self.settings, self.arguments = service, settings or {}, arguments

    def __enter__(self):
        environment = {name: value for name, value in self.service.environment.items() if name != "SVC_PORT"}
        self.process = subprocess.Popen(
            [self.service.program, "mcp", *self.arguments], cwd=self.service.folder, env={**environment, **self.settings},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.next_id, self.lines = 0, queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        return self

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()

    def send(self, message):
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def receive(self):
        """The next message; its text is "" when the program has ended."""
        try:
            return json.loads(self.lines.get(timeout=20))
        except queue.Empty:
            raise AssertionError("there is no response") from None

    def request(self, method, params=None):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}})
        while (message := self.receive()).get("id") != self.next_id:
            pass
        return message
