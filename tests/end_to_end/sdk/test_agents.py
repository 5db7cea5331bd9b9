"""What coding agents send, as raw requests: headers, queries and bodies of their size and form.

Restated from captures of Claude Code 2.1.197, Codex CLI 0.169.0 and Gemini CLI 0.61 and from Open
WebUI 0.12.4's source, 2026-11-21; texts, ids and tools are made up.
"""

import http.client
import json

import pytest

from end_to_end.sdk.vendor import fixture

FILLING = "Explain what you are about to do, then do it. " * 60


def encoded(body):
    """JSON as the agents write it: without blanks, without escapes that need not be."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def send(gateway, method, path, headers, body=None):
    """One request on a connection of its own; the answer and its bytes."""
    line = http.client.HTTPConnection(gateway.origin.removeprefix("http://"), timeout=10)
    data = None if body is None else encoded(body)
    line.request(method, path, data, headers)
    answer = line.getresponse()
    got = answer.read()
    line.close()
    return answer, got


def claude_code(text="claude-text"):
    """Its first request: about 75 KB."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Grüße \u2028 <>&"}},
        "additionalProperties": False,
    }
    return {
        "model": text,
        "max_tokens": 64000,
        "stream": True,
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "high"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "metadata": {"user_id": json.dumps({"device": "d1", "session": "s1"})},
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.197;"},
            {"type": "text", "text": "You are an agent.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": FILLING, "cache_control": {"type": "ephemeral"}},
        ],
        "tools": [
            {"name": f"Tool{number}", "description": FILLING, "input_schema": schema}
            for number in range(24)
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "", "signature": "EqQBCkYIBRgC" * 900},
                    {"type": "redacted_thinking", "data": "EmwKAhgB"},
                    {"type": "tool_use", "id": "toolu_1", "name": "Tool0", "input": {"path": "a"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": "done",
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
            },
            {"role": "system", "content": "Today is Saturday."},
        ],
    }


BETAS = (
    "claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,"
    "context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24,"
    "advanced-tool-use-2025-11-20"
)


@pytest.fixture(params=["authorization", "x-api-key"])
def claude_code_headers(request, key):
    """As it sends them with a token of the user's, and with a key."""
    value = f"Bearer {key}" if request.param == "authorization" else key
    return {
        "accept": "application/json",
        "content-type": "application/json",
        "user-agent": "claude-cli/2.1.197 (external, cli)",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": BETAS,
        "anthropic-dangerous-direct-browser-access": "true",
        "x-app": "cli",
        "x-claude-code-session-id": "0b7c5a4e-0000-4000-8000-000000000000",
        "x-stainless-helper-method": "stream",
        "x-stainless-timeout": "600",
        request.param: value,
    }


def test_claude_code(gateway, vendor, claude_code_headers):
    """Streamed; the body byte for byte but for the model; the betas as they were."""
    answer, got = send(
        gateway, "POST", "/v1/messages?beta=true", claude_code_headers, claude_code()
    )
    assert (200, fixture("messages", "text", "sse")) == (answer.status, got)
    assert answer.getheader("content-type").startswith("text/event-stream")
    sent = encoded(claude_code())
    assert sent.replace(b'"claude-text"', b'"text"', 1) == vendor.last.raw
    assert len(sent) > 70_000
    assert BETAS == vendor.last.headers["anthropic-beta"]
    assert "2023-06-01" == vendor.last.headers["anthropic-version"]
    assert "x-claude-code-session-id" not in vendor.last.headers


def test_claude_code_counts(gateway, vendor, claude_code_headers):
    """Before it compacts."""
    body = {"model": "claude-text", "messages": [{"role": "user", "content": "x"}], "tools": []}
    answer, got = send(
        gateway, "POST", "/v1/messages/count_tokens?beta=true", claude_code_headers, body
    )
    assert (200, {"input_tokens": 14}) == (answer.status, json.loads(got))


def test_claude_code_probes_the_origin(gateway):
    """Without a key; any answer will do, but it must come."""
    answer, got = send(gateway, "HEAD", "/", {"user-agent": "Bun/1.3"})
    assert answer.status < 500
    assert b"" == got


def test_claude_code_looks_for_models(gateway, claude_code_headers):
    """Off by default; it shows names that begin with claude."""
    headers = claude_code_headers | {"accept": "*/*"}
    answer, got = send(gateway, "GET", "/v1/models?limit=1000", headers)
    assert 200 == answer.status
    listed = json.loads(got)
    assert "claude-text" in [model["id"] for model in listed["data"]]
    assert listed["has_more"] is False


def codex():
    """Its first request: about 40 KB."""
    function = {"type": "object", "properties": {"command": {"type": "string"}}}
    return {
        "model": "gpt-text",
        "instructions": FILLING,
        "input": [
            {
                "type": "message",
                "id": "msg_1",
                "role": role,
                "content": [{"type": "input_text", "text": FILLING}],
            }
            for role in ("developer", "user")
        ],
        "tools": [
            *(
                {
                    "type": "function",
                    "name": f"tool_{number}",
                    "description": FILLING,
                    "strict": False,
                    "parameters": function,
                }
                for number in range(10)
            ),
            {
                "type": "namespace",
                "name": "multi_agent_v1",
                "description": "Agents.",
                "tools": [{"type": "function", "name": "spawn", "parameters": function}],
            },
            {"type": "web_search", "external_web_access": False},
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "reasoning": {"summary": "auto"},
        "store": False,
        "stream": True,
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "0b7c5a4e-0000-4000-8000-000000000000",
        "client_metadata": {"x-codex-installation-id": "i1"},
    }


def codex_headers(key):
    """As it sends them, some of them long."""
    return {
        "accept": "text/event-stream",
        "content-type": "application/json",
        "authorization": f"Bearer {key}",
        "user-agent": "codex_exec/0.169.0 (Linux; x86_64) unknown",
        "originator": "codex_exec",
        "session-id": "0b7c5a4e-0000-4000-8000-000000000000",
        "thread-id": "0b7c5a4e-0000-4000-8000-000000000001",
        "x-client-request-id": "0b7c5a4e-0000-4000-8000-000000000001",
        "x-codex-beta-features": "multi_agent",
        "x-codex-window-id": "w1",
        "x-codex-turn-metadata": json.dumps({"turn_id": "t" * 8000}),
    }


def test_codex(gateway, vendor, key):
    """Streamed; the body byte for byte but for the model; a request id to quote."""
    answer, got = send(gateway, "POST", "/v1/responses", codex_headers(key), codex())
    assert (200, fixture("responses", "text", "sse")) == (answer.status, got)
    assert answer.getheader("x-request-id").startswith("req_")
    sent = encoded(codex())
    assert sent.replace(b'"gpt-text"', b'"text"', 1) == vendor.last.raw
    assert len(sent) > 35_000


def test_codex_reads_why_it_failed(gateway, key):
    """From `response.failed`: it ignores `error` events."""
    body = codex() | {"model": "gpt-cut"}
    _, got = send(gateway, "POST", "/v1/responses", codex_headers(key), body)
    frames = [frame for frame in got.decode().split("\n\n") if frame]
    name, data = frames[-1].split("\n")
    error = json.loads(data.removeprefix("data: "))["response"]["error"]
    assert "event: response.failed" == name
    assert error["code"]
    assert "upstream" in error["message"]


def test_codex_looks_for_models(gateway, key):
    """With its version in the query."""
    answer, got = send(gateway, "GET", "/v1/models?client_version=0.169.0", codex_headers(key))
    assert 200 == answer.status
    assert "gpt-text" in [model["id"] for model in json.loads(got)["data"]]


def test_codex_is_refused_a_websocket_at_once(gateway, key):
    """A plain refusal makes it fall back to POST; silence would not."""
    headers = codex_headers(key) | {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-extensions": "permessage-deflate; client_max_window_bits",
        "openai-beta": "responses_websockets=2026-02-06",
    }
    answer, got = send(gateway, "GET", "/v1/responses", headers)
    assert 400 <= answer.status < 500
    assert "error" in json.loads(got)


def gemini_cli():
    """A turn with a tool's result in it."""
    return {
        "contents": [
            {"role": "user", "parts": [{"text": FILLING}]},
            {
                "role": "model",
                "parts": [
                    {
                        "functionCall": {"name": "read_file", "args": {"path": "a"}},
                        "thoughtSignature": "EpcCCpQC" * 1500,
                    }
                ],
            },
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "read_file", "response": {"output": "x"}}}],
            },
        ],
        "systemInstruction": {"role": "user", "parts": [{"text": FILLING}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": f"tool_{number}",
                        "description": FILLING,
                        "parametersJsonSchema": {"type": "object", "properties": {}},
                    }
                    for number in range(10)
                ]
            }
        ],
        "generationConfig": {
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 8192},
        },
    }


def test_gemini_cli(gateway, vendor, key):
    """Streamed; the body byte for byte; the model in the path."""
    headers = {
        "content-type": "application/json",
        "x-goog-api-key": key,
        "user-agent": "GeminiCLI/0.61.0/gemini-text (linux; x64) google-api-nodejs-client",
        "x-goog-api-client": "google-genai-sdk/2.32.0 gl-node/v22.0.0",
    }
    path = "/vendorc/v1beta/models/gemini-text:streamGenerateContent?alt=sse"
    answer, got = send(gateway, "POST", path, headers, gemini_cli())
    assert (200, fixture("generate", "text", "sse")) == (answer.status, got)
    assert encoded(gemini_cli()) == vendor.last.raw
    assert "/v1beta/models/text:streamGenerateContent?alt=sse" == vendor.last.path
    assert key not in str(vendor.last.headers)


def test_gemini_cli_is_told_when_to_try_again(gateway, key):
    """By details that its fallback reads."""
    path = "/vendorc/v1beta/models/gemini-busy:streamGenerateContent?alt=sse"
    answer, got = send(gateway, "POST", path, {"x-goog-api-key": key}, gemini_cli())
    error = json.loads(got)["error"]
    assert (429, 429, "RESOURCE_EXHAUSTED") == (answer.status, error["code"], error["status"])
    kinds = {detail["@type"].rpartition(".")[2]: detail for detail in error["details"]}
    assert "1s" == kinds["RetryInfo"]["retryDelay"]


def test_a_key_in_the_query_stays_here(gateway, vendor, key):
    """As curl users of Google's API write it; it is in no log and not sent on."""
    path = f"/v1beta/models/gemini-text:generateContent?key={key}"
    answer, _ = send(gateway, "POST", path, {"content-type": "application/json"}, {"contents": []})
    assert 200 == answer.status
    assert key not in vendor.last.path
    assert key not in gateway.log


def test_open_webui_verifies_a_connection(gateway, key):
    """A GET with a content type; the menu needs ids."""
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    answer, got = send(gateway, "GET", "/v1/models", headers)
    assert (200, "application/json") == (answer.status, answer.getheader("content-type"))
    assert {"id", "object", "created", "owned_by"} <= json.loads(got)["data"][0].keys()


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/v1/v1/messages", "/v1 twice"),
        ("/chat/completions", "ends in /v1"),
        ("//v1/chat/completions", "slash"),
        ("/vendorc/v1beta/v1beta/models/m:generateContent", "version"),
    ],
)
def test_a_wrong_base_url_is_explained(gateway, key, path, hint):
    """The message names the right one."""
    answer, got = send(gateway, "POST", path, {"authorization": f"Bearer {key}"}, {})
    error = json.loads(got)["error"]
    assert 404 == answer.status
    assert hint in error["message"]
