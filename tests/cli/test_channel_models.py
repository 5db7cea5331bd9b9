"""A channel that is added begins with models of its vendor's own list."""

import asyncio
import io
import sys

import msgspec
import pytest

from cli.test_channel import OK
from scripted_upstream import Double, Flood, Reset, Send, sized
from trivium.cli import channel_models

SECRET = "hunter2-canary"
JSON = b"Content-Type: application/json\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("settings", "migrated")]


def listing(*names, **priced):
    """A list of models; ``priced``: dollars a token."""
    rows = [{"id": name} for name in names]
    rows += [
        {"id": name, "pricing": {"prompt": said, "completion": said}}
        for name, said in priced.items()
    ]
    return [Send(sized(msgspec.json.encode({"data": rows}), headers=JSON))]


@pytest.fixture
def adding(trivium, monkeypatch):
    """Adds a channel; what came of it, and the models that were kept with their prices."""

    async def add(script, *options, provider="openai", says=None, confirms=True):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\n"))
        monkeypatch.setattr(sys.stdin, "isatty", lambda: says is not None, raising=False)
        if says is not None:
            answers = iter([SECRET, says])
            monkeypatch.setattr("typer.prompt", lambda *_, **__: next(answers))
            monkeypatch.setattr("typer.confirm", lambda *_, **__: confirms)
        ways = () if says is not None else ("--api-key-stdin", "--yes")
        async with Double([script, OK]) as vendor:
            done = await asyncio.to_thread(
                trivium, "channel", "add", "main", "--provider", provider,
                "--base-url", f"http://127.0.0.1:{vendor.port}/v1", *ways, *options,
            )  # fmt: skip
        assert SECRET not in done.out + done.err
        kept = (await asyncio.to_thread(trivium, "config", "export", "--json")).data["entries"]
        models = {
            each["name"]: each["document"]["price"]["input"]
            for each in kept
            if each["kind"] == "model"
        }
        return done, models, [seen.line for seen in vendor.requests]

    return add


async def test_what_the_vendor_does_not_list_is_left_out(adding):
    """Of those to begin with; the vendor is asked with the very channel."""
    done, models, asked = await adding(listing("gpt-6-luna", "own"))
    assert (0, {"gpt-6-luna"}) == (done.code, set(models)), done.err
    assert asked[0] == b"GET /v1/models HTTP/1.1"
    assert "main lists 2 models; 1 model with a price" in done.err
    assert "gpt-6.1-sol is left out: the vendor does not list it" in done.err


async def test_models_that_are_named_are_kept(adding):
    """Whether or not they are listed, which is said."""
    done, models, _ = await adding(
        listing("gpt-5", "own"), "--model", "gpt-5", "--model", "gpt-4.1", "--model", "own"
    )
    assert {"gpt-5", "gpt-4.1"} == set(models), done.err
    assert "warning: the vendor does not list gpt-4.1, which may be wrong" in done.err
    assert "does not list gpt-5" not in done.err
    assert "own is left out: no price is known for it at openai" in done.err


async def test_a_list_that_says_prices_is_proposed_from(adding):
    """A handful at the vendor's own prices, and whose they are."""
    many = {f"m{i}": "0.000003" for i in range(9)}
    done, models, _ = await adding(listing("free", **many), provider="openrouter")
    assert {f"m{i}": "3" for i in range(5)} == models, done.err


async def test_all_that_is_listed(adding, monkeypatch):
    """Within a bound, and only with a list."""
    monkeypatch.setattr(channel_models, "ALL_MAX", 7)
    many = {f"m{i}": "0.000003" for i in range(9)}
    done, models, _ = await adding(listing(**many), "--all-listed", provider="openrouter")
    assert 7 == len(models), done.err
    assert "the first 7 of them are taken" in done.err


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ([Send(sized(f'{{"error":{{"message":"no {SECRET}"}}}}'.encode(), status=b"401 No", headers=JSON))],
         "did not accept the gateway's account"),
        ([Send(sized(f'{{"error":{{"message":"nothing is known of {SECRET}"}}}}'.encode(), status=b"400 Bad", headers=JSON))],
         "nothing is known of"),
        ([Send(sized(b"<html>", headers=JSON))], "no list of models"),
        ([Send(sized(b'{"data":[]}', headers=JSON))], "it is empty"),
        ([Reset()], "is not used: "),
        ([Send(HEAD), Flood(b"10000\r\n" + b" " * 65_536 + b"\r\n", 1_000)], "too large"),
    ],
)  # fmt: skip
async def test_a_list_that_cannot_be_read(adding, script, why):
    """It is said in one line, and models are proposed as without one."""
    done, models, _ = await adding(script)
    assert (0, 4) == (done.code, len(models)), done.err
    told = [line for line in done.err.splitlines() if "list of models is not used" in line]
    assert [True] == [why in line for line in told], done.err


async def test_all_of_a_list_that_cannot_be_read(adding):
    """That is an error, as nothing is known of what was wanted."""
    done, models, _ = await adding([Reset()], "--all-listed")
    assert (1, {}) == (done.code, models)
    assert "--all-listed needs the vendor's list of models, which is not known" in done.err
    for other in ("--untested", "--model=x"):
        assert 2 == (await adding([Reset()], "--all-listed", other))[0].code


@pytest.mark.parametrize(
    ("says", "names"),
    [("2, 1", {"m0", "m1"}), ("m25", {"m25"}), ("none", set()), ("3 3", {"m2"})],
)
async def test_somebody_chooses(adding, says, names):
    """By numbers of a list, or by names."""
    many = {f"m{i}": "0.000003" for i in range(30)}
    done, models, _ = await adding(listing(**many), provider="openrouter", says=says)
    assert (0, names) == (done.code, set(models)), done.err
    assert ["1", "m0", "3", "3", "vendor"] in [line.split() for line in done.err.splitlines()]
    assert "and 10 more, by their names" in done.err


async def test_a_number_that_the_list_has_not(adding):
    done, models, _ = await adding(listing(m="0.1"), provider="openrouter", says="2")
    assert (1, {}) == (done.code, models)
    assert "there is no model 2: the list has 1" in done.err
