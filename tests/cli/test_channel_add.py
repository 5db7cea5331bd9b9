"""A channel is added at the command line: asked for, tried, kept with models."""

import asyncio
import io
import sys

import pytest

from cli.test_channel import OK, REVOKED
from scripted_upstream import Double

SECRET = "sk-canary-0123456789abcdef"

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("settings", "migrated")]


@pytest.fixture
def typed(monkeypatch):
    """Standard input with a line; ``tty``: somebody is there."""

    def line(text, *, tty=False):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        monkeypatch.setattr(sys.stdin, "isatty", lambda: tty, raising=False)

    return line


def url(vendor):
    return f"http://127.0.0.1:{vendor.port}/v1"


async def run(trivium, *argv):
    return await asyncio.to_thread(trivium, *argv)


async def kept(trivium):
    """What the database has."""
    return (await run(trivium, "config", "export", "--json")).data["entries"]


async def test_a_channel_is_tried_and_kept_with_models(trivium, typed):
    """Its key comes by standard input and is not seen again; prices are the suggested ones."""
    typed(f"{SECRET}\n")
    async with Double([OK]) as vendor:
        done = await run(
            trivium, "channel", "add", "main", "--provider", "openai", "--base-url", url(vendor),
            "--api-key-stdin", "--model", "gpt-5", "--model", "no-such", "--model", "sonnet", "--yes",
        )  # fmt: skip
        assert 0 == done.code, done.err
        assert SECRET.encode() in vendor.requests[0].raw
    assert "answered" in done.err
    assert "no-such is left out: no price is known for it at openai" in done.err
    assert "sonnet is there already and stays" in done.err
    assert "kept as change 1" in done.err
    channel, model = await kept(trivium)
    assert ("main", "sealed:channels/main/api_key") == (
        channel["name"], channel["document"]["api_key"]
    )  # fmt: skip
    assert ("gpt-5", "1.25") == (model["name"], model["document"]["price"]["input"])
    assert SECRET not in done.out + done.err
    again = await run(trivium, "channel", "add", "main", "--provider", "openai", "--yes")
    assert (1, True) == (again.code, "there is a channel main already" in again.err)


async def test_one_that_does_not_serve_is_not_kept(trivium, typed):
    """Unless that is wanted."""
    async with Double([REVOKED]) as vendor:
        command = (
            "channel", "add", "main", "--provider", "openai", "--base-url", url(vendor),
            "--api-key-stdin", "--model", "gpt-5", "--yes",
        )  # fmt: skip
        typed(f"{SECRET}\n")
        done = await run(trivium, *command)
        assert (1, True) == (done.code, "does not serve, so nothing was kept" in done.err)
        assert "401" in done.err
        assert [] == await kept(trivium)
        typed(f"{SECRET}\n")
        assert 0 == (await run(trivium, *command, "--untested")).code
        assert 2 == len(vendor.requests)  # its list, and the trial
    assert 2 == len(await kept(trivium))


async def test_somebody_is_asked_for_what_is_missing(trivium, typed, monkeypatch):
    """Vendor, address where it has none of its own, key without echo; and whether to keep it."""
    typed("", tty=True)
    asked = []
    answers = iter(["azure", "https://x.openai.azure.com/openai/v1", SECRET])

    def prompt(text, **how):
        asked.append((text.split()[0], how.get("hide_input", False)))
        return next(answers)

    monkeypatch.setattr("typer.prompt", prompt)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    done = await run(trivium, "channel", "add", "main", "--untested")
    assert (1, True) == (done.code, "nothing was changed" in done.err), done.err
    assert [("Provider,", False), ("Address,", False), ("Key", True)] == asked
    assert '+ channels["main"]' in done.out
    assert SECRET not in done.out + done.err
    assert [] == await kept(trivium)


@pytest.mark.parametrize(
    ("options", "line", "code", "said"),
    [
        ((), "", 2, "use --yes"),
        (("--yes",), "", 2, "--provider is missing"),
        (("--yes", "--provider", "opnai"), "", 1, 'provider is "opnai", which is not a provider'),
        (("--yes", "--provider", "openai", "--api-key", SECRET), "", 2, "--api-key takes env:NAME"),
        (("--yes", "--provider", "openai", "--api-key-stdin"), "\n", 2, "has no key in its first"),
        (("--yes", "--provider", "openai", "--api-key-stdin", "--api-key", "env:X_API_KEY"), "k\n", 2,
         "exclude each other"),
        (("--yes", "--provider", "openai", "--api-key", "env:X_API_KEY"), "", 1, "X_API_KEY"),
        (("--yes", "--provider", "openai"), "", 1, "api_key is missing"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_said(trivium, typed, options, line, code, said):
    """In one line, and nothing is kept."""
    typed(line)
    done = await run(trivium, "channel", "add", "main", *options)
    assert (code, "", True) == (done.code, done.out, said in done.err), done.err
    assert SECRET not in done.err
    assert [] == await kept(trivium)


async def test_a_channel_without_models(trivium, typed):
    """It is kept, and what cannot be tried is said."""
    typed(f"{SECRET}\n")
    done = await run(
        trivium, "channel", "add", "main", "--provider", "openai", "--api-key-stdin", "--model",
        "no-such", "--yes",
    )  # fmt: skip
    assert (0, True) == (done.code, "it was not tested: no model is bound to it" in done.err)
    assert "no model comes with main" in done.err
