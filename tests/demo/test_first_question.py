"""The demo asks its own gateway, and shows calls that work as they stand."""

import http.server
import re
import shlex
import threading
from pathlib import Path

import msgspec
import pytest

from trivium.demo.first_question import GreetingFailed, ask, page, reachable, spoken
from trivium.wire.operation import Operation

KEY = "sk-gateway-key"
ORIGIN = "http://127.0.0.1:8080"
ALL = frozenset(Operation)


@pytest.fixture
def gateway():
    """A gateway that answers as told; what it was asked is kept."""

    class Handler(http.server.BaseHTTPRequestHandler):
        status, body, asked = 200, b"", None

        def do_POST(self):
            data = self.rfile.read(int(self.headers["content-length"]))
            Handler.asked = (self.path, self.headers["authorization"], msgspec.json.decode(data))
            self.send_response(self.status)
            self.end_headers()
            self.wfile.write(self.body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Handler.origin = f"http://127.0.0.1:{server.server_port}"
    yield Handler
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_models_own_words_come_back(gateway):
    """Asked as any caller would, with a bounded answer."""
    gateway.body = b'{"choices":[{"message":{"content":" A gate. "}}]}'
    assert ask(gateway.origin, KEY, "smollm2") == "A gate."
    path, key, body = gateway.asked
    assert ("/v1/chat/completions", f"Bearer {KEY}", "smollm2") == (path, key, body["model"])
    assert body["max_tokens"] <= 32


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (502, b'{"error":{"message":"The upstream broke."}}', "status 502: The upstream broke."),
        (200, b'{"choices":[]}', "status 200 with a body that is no answer"),
        (500, b"<html>", "status 500 with a body that is no answer"),
        (200, b"[]", "status 200 with a body that is no answer"),
    ],
)
def test_an_answer_that_is_none_is_told(gateway, status, body, said):
    """In one line."""
    gateway.status, gateway.body = status, body
    with pytest.raises(GreetingFailed) as caught:
        ask(gateway.origin, KEY, "smollm2")
    assert said == str(caught.value)


def test_a_gateway_that_is_away_is_told():
    """Nothing is raised that nobody expects."""
    with pytest.raises(GreetingFailed, match="ConnectionRefusedError"):
        ask("http://127.0.0.1:1", KEY, "smollm2")


def shown(operations=ALL, **more):
    """The page for some operations."""
    return page(
        ORIGIN,
        KEY,
        "smollm2",
        operations,
        folder=Path("/d"),
        config=Path("/d/t.toml"),
        user="demo",
        **more,
    )


def calls(text):
    """The curl calls of a page, split as a shell would."""
    joined = text.replace("\\\n", " ")
    return [shlex.split(line) for line in joined.splitlines() if line.strip().startswith("curl")]


def test_every_call_can_be_pasted():
    """A path of the gateway, the key from the line above, and a body that is JSON."""
    found = calls(shown())
    assert [
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/messages",
        "/gemini/v1beta/models/smollm2:generateContent",
    ] == [
        next(word for word in call if word.startswith(ORIGIN)).removeprefix(ORIGIN)
        for call in found
    ]
    for call in found:
        body = msgspec.json.decode(call[call.index("-d") + 1])
        assert "smollm2" in (body.get("model") or " ".join(call))
        limits = [*body.values(), *body.get("generationConfig", {}).values()]
        assert [32] == [limit for limit in limits if isinstance(limit, int)]
        assert any("$KEY" in word for word in call)
    assert f"KEY={KEY}\n" in shown()


@pytest.mark.parametrize(
    "operation", [Operation.CHAT, Operation.RESPONSES, Operation.MESSAGES, Operation.GENERATE]
)
def test_only_calls_that_work_are_shown(operation):
    """A shape the model does not serve is not promised."""
    assert len(calls(shown({operation}))) == 1
    assert ("Anthropic SDKs" in shown({operation})) == (operation is Operation.MESSAGES)


def test_the_console_can_be_entered():
    """By the password, where it has just been made; later by making another."""
    assert f"{ORIGIN}/account" in shown()
    assert "Log in as:    demo, with the password pass-word\n" in shown(password="pass-word")
    assert "user password demo --config /d/t.toml" in shown()


def test_base_urls_are_as_the_sdks_take_them():
    """With /v1 for one family, without for the other."""
    assert re.search(rf"OpenAI SDKs: +{ORIGIN}/v1\n", shown())
    assert re.search(rf"Anthropic SDKs: +{ORIGIN}\n", shown())


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://[::]:8080", "http://[::1]:8080"),
        ("http://10.0.0.1:8080", "http://10.0.0.1:8080"),
    ],
)
def test_all_addresses_are_reached_through_loopback(origin, expected):
    """0.0.0.0 is nowhere to call."""
    assert expected == reachable(origin)


def test_another_key_is_made_by_the_command_that_is_there():
    """In a checkout it is on nobody's path."""
    assert "/v/bin/trivium key create --user demo --config /d/t.toml" in shown(
        command="/v/bin/trivium"
    )


def test_speech_is_shown_as_two_calls():
    """One speaks into a file, the other reads it."""
    told = spoken("http://h:1")
    assert "http://h:1/v1/audio/speech" in told
    assert "-o fox.mp3" in told
    assert "-F model=whisper-tiny-en -F file=@fox.mp3" in told
