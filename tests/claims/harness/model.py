"""A stand-in for model services: chats, embeddings and rerankings in the public wire forms of several vendors."""

import dataclasses
import http.server
import json
import select
import socket
import struct
import threading
import time
import urllib.parse
import zlib

DIMENSIONS = 32


@dataclasses.dataclass
class Says:
    """A reply: a text, calls of tools as (name, arguments), and how slowly it comes."""

    text: str = ""
    tools: tuple = ()
    delay_s: float = 0
    pause_s: float = 0
    finish: str = ""
    tokens: tuple = (11, 7)
    extra: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Fails:
    status: int = 500
    body: object = dataclasses.field(default_factory=lambda: {"error": {"message": "it broke"}})
    headers: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Raw:
    """A body that is sent as it is."""

    body: bytes
    kind: str = "application/json"


class Call:
    """A request that the stand-in received. `aborted` is set when the client closes the connection before the end."""

    def __init__(self, path, query, headers, body):
        self.path, self.query, self.headers, self.body = path, query, headers, body
        self.text = json.dumps(body, ensure_ascii=False)
        self.aborted = threading.Event()

    @property
    def model(self):
        return self.body.get("model", "")

    @property
    def messages(self):
        return self.body.get("messages", [])

    @property
    def prompt(self):
        """All texts of the messages, in order."""
        return "\n".join(text_of(each.get("content")) for each in self.messages)

    def of_role(self, role):
        return "\n".join(text_of(each.get("content")) for each in self.messages if each["role"] == role)

    @property
    def tools(self):
        """The names of the tools that the model may call."""
        return [each["function"]["name"] for each in self.body.get("tools", [])]

    @property
    def results(self):
        """The results of tools so far."""
        return [text_of(each["content"]) for each in self.messages if each["role"] == "tool"]


class Model:
    """`with Model() as model` runs it. `model.on(word, *replies)` sets the replies to requests that contain the word: each
    request takes the next one, and the last one stays. A reply is a text, Says, Fails, Raw, or a function from a Call to
    one of these. `model.calls(word)` has the requests that contain the word."""

    default = "The sources say so [1]."

    def __init__(self):
        self.scripts, self.all, self.lock, self.vectors = {}, [], threading.Lock(), bag_of_words
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.api_base = self.base + "/v1"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def on(self, word, *replies):
        self.scripts[word] = list(replies)

    def calls(self, word=""):
        with self.lock:
            return [each for each in self.all if word in each.text or word in each.path]

    def reply_to(self, call):
        with self.lock:
            self.all.append(call)
            found = self.default
            for word, replies in self.scripts.items():
                if word in call.text or word in call.path:
                    found = replies.pop(0) if len(replies) > 1 else replies[0]
        found = found(call) if callable(found) else found
        return Says(found) if isinstance(found, str) else found


def text_of(content):
    if isinstance(content, list):
        return "".join(each.get("text", "") for each in content if isinstance(each, dict))
    return content or ""


def bag_of_words(text):
    vector = [0.0] * DIMENSIONS
    for word in text.lower().split():
        vector[zlib.crc32(word.encode()) % DIMENSIONS] += 1.0
    return vector


def pieces_of(text):
    """The text in pieces of a few characters, as models stream it."""
    return [text[at : at + 6] for at in range(0, len(text), 6)]


# Chats. Each form has a whole reply and the pieces of a streamed one.

def openai_whole(call, says):
    message = {"role": "assistant", "content": says.text, **says.extra}
    if says.tools:
        message["tool_calls"] = [openai_tool(at, each) for at, each in enumerate(says.tools)]
    usage = {"prompt_tokens": says.tokens[0], "completion_tokens": says.tokens[1], "total_tokens": sum(says.tokens)}
    finish = says.finish or ("tool_calls" if says.tools else "stop")
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "c-1", "object": "chat.completion", "created": 1, "model": call.model, "choices": [choice], "usage": usage}


def openai_tool(at, tool):
    return {"id": f"call-{at}", "type": "function", "function": {"name": tool[0], "arguments": json.dumps(tool[1])}}


def openai_stream(call, says):
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return event({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": call.model, "choices": [choice]})

    yield chunk({"role": "assistant", "content": "", **says.extra})
    for piece in pieces_of(says.text):
        yield chunk({"content": piece})
    for at, each in enumerate(says.tools):
        yield chunk({"tool_calls": [{"index": at, **openai_tool(at, each)}]})
    yield chunk({}, says.finish or ("tool_calls" if says.tools else "stop"))
    if call.body.get("stream_options", {}).get("include_usage"):
        usage = {"prompt_tokens": says.tokens[0], "completion_tokens": says.tokens[1], "total_tokens": sum(says.tokens)}
        yield event({"id": "c-1", "object": "chat.completion.chunk", "model": call.model, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def anthropic_whole(call, says):
    usage = {"input_tokens": says.tokens[0], "output_tokens": says.tokens[1]}
    content = [{"type": "text", "text": says.text}]
    return {"id": "m-1", "type": "message", "role": "assistant", "model": call.model, "content": content,
            "stop_reason": says.finish or "end_turn", "usage": usage}  # fmt: skip


def anthropic_stream(call, says):
    def named(body):
        return b"event: " + body["type"].encode() + b"\n" + event(body)

    message = anthropic_whole(call, says) | {"content": [], "stop_reason": None}
    yield named({"type": "message_start", "message": message})
    yield named({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    for piece in pieces_of(says.text):
        yield named({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
    yield named({"type": "content_block_stop", "index": 0})
    delta = {"stop_reason": says.finish or "end_turn", "stop_sequence": None}
    yield named({"type": "message_delta", "delta": delta, "usage": {"output_tokens": says.tokens[1]}})
    yield named({"type": "message_stop"})


def gemini_part(says, text, last):
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}
    if last:
        candidate["finishReason"] = says.finish or "STOP"
    usage = {"promptTokenCount": says.tokens[0], "candidatesTokenCount": says.tokens[1], "totalTokenCount": sum(says.tokens)}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-stand-in"}


def gemini_stream(_, says):
    pieces = pieces_of(says.text) or [""]
    for at, piece in enumerate(pieces):
        yield event(gemini_part(says, piece, at + 1 == len(pieces)))


def ollama_part(call, says, text, done):
    part = {"model": call.model, "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": text}}
    if done:
        part |= {"done_reason": says.finish or "stop", "prompt_eval_count": says.tokens[0], "eval_count": says.tokens[1]}
    return part | {"done": done}


def ollama_stream(call, says):
    for piece in pieces_of(says.text):
        yield json.dumps(ollama_part(call, says, piece, False)).encode() + b"\n"
    yield json.dumps(ollama_part(call, says, "", True)).encode() + b"\n"


def cohere_usage(says):
    tokens = {"input_tokens": says.tokens[0], "output_tokens": says.tokens[1]}
    return {"billed_units": tokens, "tokens": tokens}


def cohere_whole(_, says):
    message = {"role": "assistant", "content": [{"type": "text", "text": says.text}]}
    return {"id": "c-1", "finish_reason": says.finish or "COMPLETE", "message": message, "usage": cohere_usage(says)}


def cohere_stream(_, says):
    yield event({"type": "message-start", "id": "c-1", "delta": {"message": {"role": "assistant"}}})
    content = {"message": {"content": {"type": "text", "text": ""}}}
    yield event({"type": "content-start", "index": 0, "delta": content})
    for piece in pieces_of(says.text):
        yield event({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": piece}}}})
    yield event({"type": "content-end", "index": 0})
    end = {"finish_reason": says.finish or "COMPLETE", "usage": cohere_usage(says)}
    yield event({"type": "message-end", "delta": end})


def bedrock_usage(says):
    return {"inputTokens": says.tokens[0], "outputTokens": says.tokens[1], "totalTokens": sum(says.tokens)}


def bedrock_whole(_, says):
    message = {"role": "assistant", "content": [{"text": says.text}]}
    return {"output": {"message": message}, "stopReason": says.finish or "end_turn", "usage": bedrock_usage(says),
            "metrics": {"latencyMs": 1}}  # fmt: skip


def bedrock_stream(_, says):
    yield framed("messageStart", {"role": "assistant"})
    for piece in pieces_of(says.text):
        yield framed("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}})
    yield framed("contentBlockStop", {"contentBlockIndex": 0})
    yield framed("messageStop", {"stopReason": says.finish or "end_turn"})
    yield framed("metadata", {"usage": bedrock_usage(says), "metrics": {"latencyMs": 1}})


def framed(kind, body):
    """A message of Amazon's binary event stream."""
    headers = b""
    for name, value in {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}.items():
        headers += bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
    payload = json.dumps(body).encode()
    prelude = struct.pack(">II", len(headers) + len(payload) + 16, len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


def event(body):
    return b"data: " + json.dumps(body).encode() + b"\n\n"


SSE = "text/event-stream"


def chat_form(call):
    """(whole, stream, media type of the stream, is it streamed) for the path of a request."""
    streamed = bool(call.body.get("stream"))
    if call.path.endswith("/messages"):
        return anthropic_whole, anthropic_stream, SSE, streamed
    if "enerateContent" in call.path:
        return lambda _, says: gemini_part(says, says.text, True), gemini_stream, SSE, ":stream" in call.path
    if call.path.endswith("/api/chat"):
        # Ollama streams unless it is told not to.
        whole = lambda call, says: ollama_part(call, says, says.text, True)  # noqa: E731
        return whole, ollama_stream, "application/x-ndjson", call.body.get("stream", True)
    if call.path.endswith("/v2/chat"):
        return cohere_whole, cohere_stream, SSE, streamed
    if "/converse" in call.path:
        kind = "application/vnd.amazon.eventstream"
        return bedrock_whole, bedrock_stream, kind, call.path.endswith("/converse-stream")
    return openai_whole, openai_stream, SSE, streamed


# Embeddings and rerankings.

def vectors_for(model, call):
    """The vectors in the form of the path, or nothing for another path."""
    if call.path.endswith("/embeddings"):
        given = call.body["input"]
        given = given if isinstance(given, list) else [given]
        data = [{"object": "embedding", "index": at, "embedding": model.vectors(text)} for at, text in enumerate(given)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "data": data, "model": call.model, "usage": usage}
    if call.path.endswith("/api/embed"):
        return {"model": call.model, "embeddings": [model.vectors(text) for text in call.body["input"]]}
    if call.path.endswith("/v2/embed"):
        vectors = [model.vectors(text) for text in call.body["texts"]]
        return {"id": "e-1", "embeddings": {"float": vectors}, "texts": call.body["texts"], "meta": {}}
    if call.path.endswith(":embedContent"):
        return {"embedding": {"values": model.vectors(text_of(call.body["content"]["parts"]))}}
    if "batchEmbedContents" in call.path:
        texts = [text_of(each["content"]["parts"]) for each in call.body["requests"]]
        return {"embeddings": [{"values": model.vectors(text)} for text in texts]}
    if call.path.endswith("/rerank"):
        ranked = [{"index": at, "relevance_score": 0.9 if "best" in text_of_document(each) else 0.1}
                  for at, each in enumerate(call.body["documents"])]  # fmt: skip
        return {"id": "r-1", "results": sorted(ranked, key=lambda each: -each["relevance_score"]), "meta": {}}
    return None


def text_of_document(document):
    return document if isinstance(document, str) else document.get("text", "")


def handler(model):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self):
            parts = urllib.parse.urlsplit(self.path)
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            query = dict(urllib.parse.parse_qsl(parts.query))
            self.call = Call(urllib.parse.unquote(parts.path), query, headers, json.loads(sent or b"{}"))
            try:
                self.answer(model.reply_to(self.call))
            except OSError:
                self.call.aborted.set()
                self.close_connection = True

        def do_GET(self):
            self.send(404, b"{}", "application/json")

        def answer(self, reply):
            if isinstance(reply, Fails):
                body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                return self.send(reply.status, body, "application/json", reply.headers)
            if isinstance(reply, Raw):
                return self.send(200, reply.body, reply.kind)
            self.pause(reply.delay_s)
            vectors = vectors_for(model, self.call)
            if vectors is not None:
                return self.send(200, json.dumps(vectors).encode(), "application/json")
            whole, stream, kind, streamed = chat_form(self.call)
            if not streamed:
                return self.send(200, json.dumps(whole(self.call, reply)).encode(), "application/json")
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in stream(self.call, reply):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.pause(reply.pause_s)
            return self.wfile.write(b"0\r\n\r\n")

        def send(self, status, body, kind, headers=None):
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def pause(self, seconds):
            """Waits, unless the client closes the connection."""
            end = time.monotonic() + seconds
            while (left := end - time.monotonic()) > 0:
                readable, _, _ = select.select([self.connection], [], [], min(left, 0.1))
                if readable and not self.connection.recv(1, socket.MSG_PEEK):
                    raise ConnectionResetError

        def log_message(self, *_):
            pass

    return Handler
