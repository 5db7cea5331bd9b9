"""The demo's first question to its own gateway, and the page that shows how to go on."""

import http.client
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from trivium.demo.speech import EARS, VOICE
from trivium.wire.operation import Operation

QUESTION: Final = "In one short sentence, what is a gateway?"
TOKENS: Final = 32
WAIT_S: Final = 60.0

_ASKED: Final[dict[Operation, tuple[str, dict[str, Any]]]] = {
    Operation.CHAT: (
        "/v1/chat/completions",
        {"max_tokens": TOKENS, "messages": [{"role": "user", "content": "Say hello."}]},
    ),
    Operation.RESPONSES: ("/v1/responses", {"max_output_tokens": TOKENS, "input": "Say hello."}),
    Operation.MESSAGES: (
        "/v1/messages",
        {"max_tokens": TOKENS, "messages": [{"role": "user", "content": "Say hello."}]},
    ),
    Operation.GENERATE: (
        "/gemini/v1beta/models/{model}:generateContent",
        {
            "contents": [{"role": "user", "parts": [{"text": "Say hello."}]}],
            "generationConfig": {"maxOutputTokens": TOKENS},
        },
    ),
}
"""Path and body of one call in each shape; the body names the model where the path does not."""

_AUTH: Final = {
    Operation.MESSAGES: "-H \"x-api-key: $KEY\" -H 'anthropic-version: 2023-06-01'",
    Operation.GENERATE: '-H "x-goog-api-key: $KEY"',
}
"""How clients of a shape present the key, where it is not the usual way."""

_CLIENTS: Final = {
    Operation.CHAT: ("OpenAI SDKs", "{origin}/v1"),
    Operation.MESSAGES: ("Anthropic SDKs", "{origin}"),
    Operation.GENERATE: ("google-genai", "{origin}/gemini"),
}


class GreetingFailed(Exception):  # noqa: N818 - the outcome of one question, not a bug
    """The gateway did not answer the question. The message is one readable line."""


def reachable(origin: str) -> str:
    """The address by which this machine reaches an origin that may listen on all of its own."""
    for every, here in (("//0.0.0.0:", "//127.0.0.1:"), ("//[::]:", "//[::1]:")):
        origin = origin.replace(every, here)
    return origin


def ask(origin: str, key: str, model: str, *, wait_s: float = WAIT_S) -> str:
    """Ask the gateway as a caller would; the model's words. Raises GreetingFailed."""
    path, _ = _ASKED[Operation.CHAT]
    body = {
        "model": model,
        "max_tokens": TOKENS,
        "temperature": 0.2,
        "messages": [{"role": "user", "content": QUESTION}],
    }
    connection = http.client.HTTPConnection(urlsplit(origin).netloc, timeout=wait_s)
    try:
        connection.request(
            "POST",
            path,
            msgspec.json.encode(body),
            {"authorization": f"Bearer {key}", "content-type": "application/json"},
        )
        answer = connection.getresponse()
        status, data = answer.status, answer.read()
    except (OSError, http.client.HTTPException) as exc:
        raise GreetingFailed(f"{type(exc).__name__}: {exc}") from None
    finally:
        connection.close()
    try:
        said = msgspec.json.decode(data)
        if status == 200:
            return str(said["choices"][0]["message"]["content"]).strip()
        raise GreetingFailed(f"status {status}: {said['error']['message']}")
    except (msgspec.DecodeError, LookupError, TypeError):
        raise GreetingFailed(f"status {status} with a body that is no answer") from None


def page(
    origin: str,
    key: str,
    model: str,
    operations: Collection[Operation],
    *,
    folder: Path,
    config: Path,
    user: str,
    password: str = "",
    command: str = "trivium",
) -> str:
    """How to call the gateway in every shape the model serves, how to log in, and where its data
    lies.

    ``password``: empty when it was shown at an earlier start. ``command`` is how this machine's
    shells find the command line.
    """
    asked = [operation for operation in _ASKED if operation in operations]
    calls = [_curl(origin, model, operation) for operation in asked]
    bases = [
        f"  {name + ':':16}{base.format(origin=origin)}"
        for operation, (name, base) in _CLIENTS.items()
        if operation in operations
    ]
    another = f"{command} user password {user} --config {config}"
    proof = password or f"of the first start (for another: {another})"
    lines = [
        "Paste these into another terminal:",
        "",
        f"  KEY={key}",
        *(f"\n{call}" for call in calls),
        "",
        f"Base URLs, with that key and the model {model}:",
        *bases,
        "",
        f"The console:  {origin}/account",
        f"Log in as:    {user}, with the password {proof}",
        "",
        f"Data and log: {folder}",
        f"Settings:     {config}  (add channels and models: a running gateway takes them up)",
        f"Another key:  {command} key create --user demo --config {config}",
        "",
        "Ctrl-C ends the gateway and the engine.",
    ]
    return "\n".join(lines)


def spoken(origin: str) -> str:
    """Return the calls that have a text spoken, and a recording transcribed."""
    auth = '-H "authorization: Bearer $KEY"'
    body = msgspec.json.encode(
        {"model": VOICE, "voice": "heart", "input": "The quick brown fox jumps."}
    ).decode()
    return "\n".join(
        (
            "",
            "Speech, and what it says:",
            "",
            f"  curl -s {origin}/v1/audio/speech -H 'content-type: application/json' {auth} \\",
            f"    -d '{body}' -o fox.mp3",
            "",
            f"  curl -s {origin}/v1/audio/transcriptions {auth} \\",
            f"    -F model={EARS} -F file=@fox.mp3",
        )
    )


def _curl(origin: str, model: str, operation: Operation) -> str:
    path, body = _ASKED[operation]
    if "{model}" not in path:
        body = {"model": model, **body}
    text = msgspec.json.encode(body).decode()
    head = f"  curl -s {origin}{path.format(model=model)} -H 'content-type: application/json'"
    auth = _AUTH.get(operation, '-H "authorization: Bearer $KEY"')
    return f"{head} {auth} \\\n    -d '{text}'"
