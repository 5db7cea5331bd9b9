"""Where a request would go, and why."""

import io
import sys
from pathlib import Path

import pytest


@pytest.fixture
def body(folder, settings):
    """A request body in a file."""
    path = folder / "body.json"
    path.write_text('{"model": "sonnet", "messages": []}')
    return str(path)


def test_steps_and_skips_have_their_reasons(trivium, body):
    """What is tried, and what is passed over."""
    done = trivium("explain", body)
    lines = done.out.splitlines()
    assert (0, "sonnet, asked for chat completions:") == (done.code, lines[0])
    assert ["1.", "first", "openai", "gpt-5"] == lines[2].split()[:4]
    assert "POST /v1/chat/completions" in lines[2]
    assert ["2.", "second", "anthropic", "claude-sonnet-4-5"] == lines[3].split()[:4]
    assert "translated to messages" in lines[3]
    skipped = trivium("explain", body, "--shape", "embeddings").out.splitlines()
    assert ["skipped", "second", "anthropic", "claude-sonnet-4-5"] == skipped[3].split()[:4]


def test_the_shape_decides(trivium, settings):
    """The same model by another road."""
    found = trivium("explain", "--model", "sonnet", "--shape", "messages", "--json").data
    assert [("first", "/v1/chat/completions"), ("second", "/v1/messages")] == [
        (step["channel"], step["path"]) for step in found["steps"]
    ]
    assert [] == found["skipped"]


def test_no_key_is_shown(trivium, body):
    """Only names."""
    for options in ([], ["--json"]):
        done = trivium("explain", body, *options)
        assert "sk-" not in done.out + done.err


def test_the_body_can_come_from_standard_input(trivium, body, monkeypatch):
    """As `-`."""
    data = io.BytesIO(Path(body).read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    assert trivium("explain", "-").code == 0


def test_a_plan_without_a_channel_fails(trivium, settings):
    """A script can ask whether a shape is served."""
    settings.write_text(settings.read_text().replace('"openai"', '"anthropic"'))
    done = trivium("explain", "--model", "sonnet", "--shape", "embeddings")
    assert done.code == 1
    assert "trivium: The model `sonnet` does not serve embeddings" in done.err
    assert "skipped" in done.out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--model", "sonet"], "Did you mean sonnet?"),
        ([], "give a request body, or --model"),
        (["gone.json"], "gone.json: cannot be read: No such file"),
        (["bad.json"], "bad.json: The request body is not valid JSON"),
        (["none.json"], "none.json: the body names no model; give --model"),
        (["--model", "sonnet", "--shape", "nonsense"], "'nonsense' is not one of 'chat'"),
    ],
)
def test_what_cannot_be_explained_is_told(trivium, settings, folder, argv, said):
    """In one line."""
    (folder / "bad.json").write_text('{"model":')
    (folder / "none.json").write_text("{}")
    done = trivium("explain", *argv)
    assert (True, "") == (done.code > 0, done.out)
    assert said in done.err
    assert len(done.err.splitlines()) == 1
