"""Where a request would go, and why."""

import io
import sys
from pathlib import Path

import pytest


@pytest.fixture
def body(folder, settings):
    """A request body in a file."""
    path = folder / "body.json"
    path.write_text('{"model": "sonnet", "messages": [{"role": "user", "content": "Hi"}]}')
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
    asked = trivium("explain", "--model", "sonnet", "--shape", "embeddings")
    skipped = asked.out.splitlines()
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


LOSSY = '{"model": "sonnet", "messages": [{"role": "user", "content": "Hi"}], "seed": 7}'


def test_each_body_is_shown_with_what_it_lacks(trivium, folder, settings):
    """The first passes as it came, the second is translated and loses the seed."""
    (folder / "lossy.json").write_text(LOSSY)
    done = trivium("explain", "lossy.json")
    assert done.code == 0
    assert "1. first, pass-through:" in done.out
    assert "2. second, translation:\n   dropped seed: the messages shape has no" in done.out
    assert '"max_tokens": 8192' in done.out
    first, second = trivium("explain", "lossy.json", "--json").data["steps"]
    assert {"model": "gpt-5", "seed": 7} == {
        name: value for name, value in first["body"].items() if name != "messages"
    }
    assert ["seed"] == [one["member"] for one in second["dropped"]]


def test_strict_shows_the_refusal_of_a_channel(trivium, folder, settings):
    """The first channel still carries it, so the request would be served."""
    (folder / "lossy.json").write_text(LOSSY)
    done = trivium("explain", "lossy.json", "--strict")
    assert (0, True) == (done.code, "2. second: refused: seed cannot be carried" in done.out)


def test_a_request_that_would_be_refused_fails(trivium, folder, settings):
    """With the words that the caller would read."""
    (folder / "odd.json").write_text('{"model": "sonnet", "messages": "Hi"}')
    done = trivium("explain", "odd.json")
    assert (1, True) == (done.code, "messages" in done.err)


@pytest.mark.parametrize("with_body", [True, False])
def test_models_that_may_stand_in_are_listed_after(trivium, body, settings, with_body):
    """Each with its plan and its price."""
    text = settings.read_text().replace(
        'name = "sonnet"\n', 'name = "sonnet"\nfallbacks = ["small"]\n'
    )
    more = '[[models]]\nname = "small"\nprice = { input = "1", output = "2" }\n'
    settings.write_text(text + more + 'bindings = [{ channel = "second", model = "haiku" }]\n')
    done = trivium("explain", *([body] if with_body else ["--model", "sonnet"]))
    assert done.code == 0
    _, _, rest = done.out.partition("then small, in its place:\n")
    assert ["1.", "second", "anthropic", "haiku"] == rest.splitlines()[1].split()[:4]
    assert with_body == ("at most $" in rest)
