"""Requests that are forms, and videos, are rehearsed as they would be sent."""

import msgspec
import pytest

from gateway import Gateway, encoded
from scripted_upstream import Double, Send, sized
from trivium.ledger.quote import Pricing
from trivium.pipeline.explain import ExplainRequest, explain
from trivium.wire.operation import Operation
from video_gateway import House
from video_vendor import Films

KEY = "sk-vendor-0123456789abcdef"
FILE = {"filename": "a.mp3", "content_type": "audio/mpeg", "size": 90_000, "seconds": 7.5}


def question(operation, body):
    return ExplainRequest(operation=Operation(operation), body=encoded(body))


async def told_of(operation, body, provider="openai", **more):
    """The explanation of one request; nobody is called."""
    async with Double([[]]) as vendor, Gateway.to((provider, vendor), **more) as gateway:
        told = await explain(question(operation, body), gateway.caller, gateway.services)
        assert [] == vendor.requests
        return msgspec.json.decode(msgspec.json.encode(told))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("operation", "path", "body", "answer"),
    [
        ("images", "/v1/images/generations", {"prompt": "x", "n": 1}, b'{"data":[{"url":"u"}]}'),
        ("speech", "/v1/audio/speech", {"input": "x", "voice": "v", "y": [1]}, b"sound"),
        ("moderations", "/v1/moderations", {"input": "x"}, b'{"results":[{"flagged":true}]}'),
    ],
)
async def test_json_is_told_to_the_byte(operation, path, body, answer):
    """And on which lane: what goes on as it came is no translation."""
    asked = {"model": "m", **body}
    kind = (
        b"Content-Type: audio/mpeg\r\n"
        if answer == b"sound"
        else b"Content-Type: application/json\r\n"
    )
    async with (
        Double([[Send(sized(answer, headers=kind))]]) as vendor,
        Gateway.to(("openai", vendor), upstream_model="own") as gateway,
    ):
        told = await explain(question(operation, asked), gateway.caller, gateway.services)
        assert 200 == (await gateway.post(path, asked))[0]
        (step,), (sent,) = told["steps"], vendor.requests
        assert (sent.body, "pass-through", None) == (
            bytes(step["body"]), step["lane"], told["refused"],
        )  # fmt: skip
        assert f"POST {step['path']} HTTP/1.1" == sent.line.decode()


@pytest.mark.asyncio
async def test_a_form_is_told_part_by_part():
    """Its files without their bytes; what the gateway writes anew is written anew."""
    told = await told_of(
        "transcriptions",
        {
            "model": "m", "file": FILE, "response_format": "verbose_json",
            "timestamp_granularities": ["word", "segment"],
        },
        upstream_model="whisper-1",
    )  # fmt: skip
    (step,) = told["steps"]
    assert (None, "/v1/audio/transcriptions") == (told["refused"], step["path"])
    assert [
        {"name": "model", "value": "whisper-1"},
        {"name": "file", "filename": "a.mp3", "size": 90_000},
        {"name": "response_format", "value": "verbose_json"},
        {"name": "timestamp_granularities[]", "value": "word"},
        {"name": "timestamp_granularities[]", "value": "segment"},
    ] == step["body"]


@pytest.mark.asyncio
async def test_a_form_without_its_file_is_refused_as_it_would_be():
    """By the member that is missing, and a file that is none by its own."""
    told = await told_of("transcriptions", {"model": "m"})
    assert ("file", "missing_required_parameter") == (
        told["refused"]["param"], told["refused"]["code"],
    )  # fmt: skip
    told = await told_of("transcriptions", {"model": "m", "file": {"filename": 3}})
    assert ("file", 400) == (told["refused"]["param"], told["refused"]["status"])


@pytest.mark.asyncio
async def test_the_length_of_a_recording_makes_its_price():
    """As it is measured, or taken from its size."""
    model = {"free": False, "price": {"per_second": "0.01"}}
    async with Double([[]]) as vendor, Gateway.to(("openai", vendor), model=model) as gateway:
        services = gateway.services
        services.ledger = Pricing(services.clock)
        body = {"model": "m", "file": FILE}
        told = await explain(question("transcriptions", body), gateway.caller, services)
        assert "0.075000000" == told["price"]["usd"]
        body = {"model": "m", "file": {"filename": "a.mp3"}}
        told = await explain(question("transcriptions", body), gateway.caller, services)
        assert told["price"]["nanos"] > 0


@pytest.mark.asyncio
async def test_rules_of_pictures_are_kept():
    """Which a rehearsal passed over once."""
    told = await told_of("images", {"model": "m", "prompt": "x", "n": 11})
    assert ("n", 400) == (told["refused"]["param"], told["refused"]["status"])


@pytest.mark.asyncio
async def test_pictures_of_an_edit_are_empty_where_they_go_inline():
    """The rest of the body is as it would be sent."""
    picture = {"filename": "a.png", "size": 9}
    told = await told_of(
        "images_edit",
        {"model": "m", "prompt": "red", "image": [picture, picture]},
        "gemini",
        upstream_model="gemini-3-flash-image",
    )
    (step,) = told["steps"]
    assert "translation" == step["lane"]
    parts = step["body"]["contents"][0]["parts"]
    assert ["", ""] == [part["inlineData"]["data"] for part in parts if "inlineData" in part]


@pytest.mark.asyncio
async def test_a_video_is_told_with_its_fallback(sqlite_database):
    """A form here, JSON there, each with its price; refused where it cannot be made."""
    async with Films() as one, Films() as two:
        channels = [("a", "openai", one, [KEY]), ("b", "gemini", two, [KEY])]
        spare = {"price": {"per_second": "0.5"}}
        async with House.on(sqlite_database, *channels, spare=spare) as house:
            caller = house.people["ada"][1]
            asked = {"prompt": "a cat", "seconds": 8}
            told = await explain(question("videos", asked), caller, house.services)
            (step,), (other,) = told["steps"], told["fallbacks"]
            assert ("sora-2", "0.800000000", "pass-through", "/v1/videos") == (
                told["model"], told["price"]["usd"], step["lane"], step["path"],
            )  # fmt: skip
            house_body = msgspec.json.decode(step["body"])
            assert {"name": "seconds", "value": "8"} in house_body
            assert ("4.000000000", "translation") == (
                other["price"]["usd"], other["steps"][0]["lane"],
            )  # fmt: skip
            assert b'"durationSeconds":8' in bytes(other["steps"][0]["body"])
            told = await explain(
                question("videos", {**asked, "seconds": 12}), caller, house.services
            )
            assert (None, "seconds") == (
                told["refused"], told["fallbacks"][0]["refused"]["param"],
            )  # fmt: skip
            assert ([], [], (10_000_000_000, 0, [])) == (one.seen, two.seen, await house.money())


@pytest.mark.asyncio
async def test_a_reference_of_a_video_may_be_a_file(sqlite_database):
    """It goes on under its own name, or inline."""
    picture = {"filename": "cat.png", "content_type": "image/png", "size": 5}
    async with Films() as vendor:
        for provider in ("openai", "gemini"):
            channel = ("a", provider, vendor, [KEY])
            async with House.on(sqlite_database, channel) as house:
                asked = {"prompt": "x", "input_reference": picture}
                caller = house.people["ada"][1]
                told = await explain(question("videos", asked), caller, house.services)
                assert told["refused"] is None
                body = bytes(told["steps"][0]["body"])
                assert (b"cat.png" in body) is (provider == "openai")
                assert (b"bytesBase64Encoded" in body) is (provider == "gemini")


@pytest.mark.asyncio
async def test_what_only_upstreams_are_asked_for_is_no_question():
    """It has no path of its own here."""
    told = await told_of("generate_video", {"prompt": "x"})
    assert ("shape", 400) == (told["refused"]["param"], told["refused"]["status"])
