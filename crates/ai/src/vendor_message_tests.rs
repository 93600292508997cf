//! Error messages of real services, and what people see of them.

use super::*;

/// The model, the message, and what people see.
const TABLE: &[(&str, &str, &str)] = &[
    // OpenAI.
    (
        "gpt-4o",
        "Rate limit reached for gpt-4o in organization org-AbC123dEf456GhI789 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 6m0.5s. Visit https://platform.openai.com/account/rate-limits to learn more.",
        "Rate limit reached for gpt-4o in organization … on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 6m0.5s. Visit … to learn …",
    ),
    (
        "gpt-4o",
        "This model's maximum context length is 128000 tokens. However, you requested 130,512 tokens (129512 in the messages, 1000 in the completion).",
        "This model's maximum context length is 128000 tokens. However, you requested 130,512 tokens (129512 in the messages, 1000 in the completion).",
    ),
    (
        "gpt-6",
        "The model `gpt-6` does not exist or you do not have access to it.",
        "The model `gpt-6` does not exist or you do not have access to it.",
    ),
    (
        "own",
        "The model `ft:gpt-4o:acme-corp:merger:9aBcDeF` does not exist or you do not have access to it.",
        "The model … does not exist or you do not have access to it.",
    ),
    (
        "o3",
        "Your organization must be verified to use the model `o3`. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.",
        "Your organization must be verified to use the model `o3`. Please go to: … and click on Verify Organization.",
    ),
    (
        "gpt-5",
        "The server had an error while processing your request. Sorry about that! Please contact us through our help center at help.openai.com if the error persists. (Please include the request ID req_4f0c1d2e3b4a59687766554433221100 in your message.)",
        "The server had an error while processing your request. Sorry about that! Please contact us through our help center at … if the error persists. (Please include …",
    ),
    // Anthropic.
    ("claude-sonnet-4-5", "Overloaded", "Overloaded"),
    ("claude-sonnet-4-5", "model: claude-3-opus-20240229", "model: …"),
    (
        "claude-sonnet-4-5",
        "prompt is too long: 215000 tokens > 200000 maximum",
        "prompt is too long: 215000 tokens > 200000 maximum",
    ),
    (
        "claude-sonnet-4-5",
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute (org: 5f0c1d2e-3b4a-5968-7766-554433221100, model: claude-sonnet-4-5). For details, refer to: https://docs.claude.com/en/api/rate-limits.",
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute (org: … model: claude-sonnet-4-5). For details, refer to: …",
    ),
    // Gemini and Vertex AI.
    (
        "gemini-2.5-pro",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
    ),
    (
        "gemini-2.5-pro",
        "User location is not supported for the API use.",
        "User location is not supported for the API use.",
    ),
    (
        "gemini-2.5-pro",
        "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/mill-project/locations/europe-west4/publishers/google/models/gemini-2.5-pro' (or it may not exist).",
        "Permission … denied on resource … (or it may not exist).",
    ),
    (
        "gemini-2.5-pro",
        "Generative Language API has not been used in project 123456789012 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/x then retry.",
        "Generative Language API has not been used in project … before or it is disabled. Enable it by visiting … then retry.",
    ),
    // vLLM and its clients.
    (
        "openai/Qwen/Qwen3-8B",
        "HTTPConnectionPool(host='gpu-07.lab.internal', port=8000): Max retries exceeded with url: /v1/chat/completions (Caused by NewConnectionError('<urllib3.connection.HTTPConnection object at 0x7f3a>: Failed to establish a new connection: [Errno 111] Connection refused'))",
        "… Max retries exceeded with url: … (Caused by … object at … Failed to establish a new connection: [Errno 111] Connection …",
    ),
    (
        "Qwen/Qwen3-8B",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.2 GiB is free. Process 41171 has 77.9 GiB memory in use.",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.2 GiB is free. Process 41171 has 77.9 GiB memory in use.",
    ),
    (
        "/opt/models/x",
        "The model `/opt/models/x` does not exist. path=/opt/models/x addr=10.1.2.3",
        "The model … does not exist. …",
    ),
    (
        "m",
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
        "… tool choice requires … and … to be set",
    ),
    (
        "m",
        "Cannot connect to host gpu-07.lab:8000 ssl:default [Connect call failed ('10.1.2.3', 8000)]",
        "Cannot connect to host … [Connect call failed …",
    ),
    (
        "m",
        "EngineCore encountered an issue. See stack trace (above) for the root cause. Traceback (most recent call last): File \"/usr/lib/python3/vllm/engine.py\", line 7",
        "EngineCore encountered an issue. See stack trace (above) for the root cause. …",
    ),
    // llama.cpp.
    (
        "m",
        "the request exceeds the available context size (4096 tokens), try increasing it",
        "the request exceeds the available context size (4096 tokens), try increasing it",
    ),
    (
        "m",
        "llama_model_load: error loading model: /home/otto/models/a.gguf: unable to open",
        "… error loading model: … unable to open",
    ),
    ("m", "Loading model", "Loading model"),
    // Ollama.
    (
        "ollama/gemma:2b",
        "registry.ollama.ai/library/gemma:2b does not support tools",
        "… does not support tools",
    ),
    ("ollama/gemma3", "model 'gemma3' not found", "model 'gemma3' not found"),
    (
        "ollama/gemma3",
        "model \"acme-secret\" not found, try pulling it first",
        "model … not found, try pulling it first",
    ),
    (
        "m",
        "model requires more system memory (12.3 GiB) than is available (7.7 GiB)",
        "model requires more system memory (12.3 GiB) than is available (7.7 GiB)",
    ),
    (
        "m",
        "Post \"http://127.0.0.1:41171/completion\": dial tcp 127.0.0.1:41171: connect: connection refused",
        "Post … dial tcp … connect: connection refused",
    ),
    ("m", "dial tcp: lookup mercury on 10.0.0.10:53: no such host", "dial tcp: lookup … on … no such host"),
    // LiteLLM.
    (
        "m",
        "litellm.APIConnectionError: Ollama_chatException - Cannot connect to host localhost:11434. Received Model Group=prod-a Available Model Group Fallbacks=None LiteLLM Retried: 2 times",
        "… - Cannot connect to host … Received Model … Available Model Group … LiteLLM Retried: 2 times",
    ),
    (
        "m",
        "Authentication Error, Invalid proxy server token passed. Received API Key = sk-...9aBc, Key Hash (Token) =88dc28d0f030c55ed4ab77ed8faf098196cb1c05. Unable to find token in cache or LiteLLM_VerificationTokenTable",
        "Authentication Error, Invalid proxy server token passed. Received API Key = … Key … (Token) … Unable to find token in cache or …",
    ),
    // Azure.
    (
        "azure/own",
        "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
        "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
    ),
    (
        "azure/own",
        "Public access is disabled. Please configure private endpoint for acme-ai.openai.azure.com (subscription 5f0c1d2e-3b4a-5968-7766-554433221100).",
        "Public access is disabled. Please configure private endpoint for … (subscription …",
    ),
    // Bedrock.
    (
        "m",
        "User: arn:aws:sts::123456789012:assumed-role/Search/i-0abc1234 is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:us-east-1::foundation-model/x",
        "User: … is not authorized to perform: … on resource: …",
    ),
    (
        "bedrock/arn:aws:bedrock:us-east-1:123456789012:inference-profile/x",
        "Invocation of model ID arn:aws:bedrock:us-east-1:123456789012:inference-profile/x with on-demand throughput isn’t supported.",
        "Invocation of model ID … with … throughput isn’t supported.",
    ),
    // Proxies and other servers.
    (
        "m",
        "<html>\n<head><title>502 Bad Gateway</title></head><body>nginx/1.25.3 gpu-07.lab</body></html>",
        "",
    ),
    (
        "m",
        "upstream connect error or disconnect/reset before headers. reset reason: connection timeout",
        "upstream connect error or … before headers. reset reason: connection timeout",
    ),
    (
        "m",
        "Failed to connect to mercury port 8000 after 2 ms: Couldn't connect to server",
        "Failed to connect to … port … after 2 ms: Couldn't connect to server",
    ),
    ("m", "could not resolve host : mercury", "could not resolve host : …"),
    ("m", "getaddrinfo ENOTFOUND mercury", "getaddrinfo ENOTFOUND …"),
    (
        "m",
        "[Errno 2] No such file or directory: '/opt/models/run.py'",
        "[Errno 2] No such file or directory: …",
    ),
    (
        "m",
        "vllm.internal and gpu-07.lab and localhost and mercury:80 are down",
        "… and … and … and … are down",
    ),
    ("m", "ask ops@corp.example about [::1]:8080", "ask … about …"),
    ("m", "cannot open C:\\models\\a.gguf or ~/models/a.gguf", "cannot open … or …"),
    ("m", "request 550e8400-e29b-41d4-a716-446655440000 failed", "request … failed"),
    ("m", "bad request {\"error\": {\"secret\": 1}}", "bad request …"),
    ("m", "Invalid value: 'the plan of the company'", "Invalid value: …"),
    ("m", "Unbalanced \"quote of all the rest", "Unbalanced …"),
    ("m", "RESOURCE_EXHAUSTED, then AbCdEfGhIjKlMnOp", "RESOURCE_EXHAUSTED, then …"),
    ("m", "模型不存在", "模型不存在"),
    ("m", "…", ""),
    ("m", "", ""),
];

#[test]
fn people_see_the_beginning_without_internals() {
    let mut wrong = Vec::new();
    for (model, text, expected) in TABLE {
        let names = [*model, model.split_once('/').map_or(*model, |(_, name)| name)];
        let shown = shortened(text, &names);
        wrong.extend((shown != *expected).then(|| format!("{text}\nis shown as\n{shown}")));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn names_of_models_are_shown_unless_they_are_places() {
    for (name, is_shown) in [
        ("claude-sonnet-4-5-20250929", true),
        ("Qwen/Qwen3-8B", true),
        ("openai/Qwen/Qwen3-8B", true),
        ("qwen3:8b", true),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", true),
        ("/opt/models/x", false),
        ("~/models/x", false),
        ("hf.co/a/b", false),
        ("localhost:5000/gemma", false),
        ("arn:aws:bedrock:us-east-1:123456789012:inference-profile/x", false),
        ("https://a.example/x", false),
        ("a b", false),
        ("", false),
    ] {
        assert_eq!(is_model_name(name), is_shown, "{name}");
    }
}

#[test]
fn long_messages_are_cut_between_words() {
    let short = shortened(&"word ".repeat(100), &[]);
    assert!(short.ends_with("word …") && short.chars().count() <= SHOWN_CHARS_MAX + 2, "{short}");
    assert_eq!(shortened(&"x".repeat(1000), &[]), "");
    let long = "x".repeat(WORD_CHARS_MAX);
    assert_eq!((shortened(&long, &[]), shortened(&(long.clone() + "x"), &[])), (long, String::new()));
}

proptest::proptest! {
    /// Whatever a service writes, no word with a sign inside, and no long number, is shown.
    #[test]
    fn whatever_is_written_only_words_and_numbers_are_shown(
        text in "([a-zA-Z0-9]{1,9}|[ .:/=@'\"(),_\\\\<>{}\\[\\]-]){0,40}"
    ) {
        for word in shortened(&text, &[]).split(' ') {
            let core = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_number = core.starts_with(|c: char| c.is_ascii_digit());
            let inside = core.chars().filter(|c| !c.is_alphanumeric()).collect::<String>();
            let allowed = match inside.as_str() {
                "" => true,
                "'" => !is_number,
                _ if is_number => inside.matches('.').count() <= 1 && inside.chars().all(|c| matches!(c, '.' | ',')),
                _ => inside.chars().all(|c| c == '_') && core.chars().all(|c| c.is_ascii_uppercase() || c == '_'),
            };
            proptest::prop_assert!(allowed, "{:?} in {:?}", word, text);
            proptest::prop_assert!(core.chars().filter(char::is_ascii_digit).count() <= DIGITS_MAX);
        }
    }
}
