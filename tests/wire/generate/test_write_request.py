"""Conversations as GenerateContentRequest."""

import json

import msgspec
import pytest

from trivium.conversation.fit import fitted
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank, Report
from trivium.conversation.parts import CacheMark, Text
from trivium.conversation.request import Extension
from trivium.faults import Fault, Kind

HI = (Turn(Role.USER, (Text(text="hi"),)),)


def write(wires, **members):
    return wires.write(wires.request(**{"turns": HI, **members}))


@pytest.mark.parametrize("name", ["genai", "langchain", "gemini-cli"])
def test_a_request_of_this_shape_survives_reading_and_writing(wires, name):
    """What was read once reads the same again."""
    first = wires.read(wires.fixture(f"{name}.request.json"))
    _, report = wires.write(first)
    again = wires.read(wires.sent(first))
    for field in first.__struct_fields__:
        if field not in ("turns", "reasoning", "stream"):
            assert getattr(first, field) == getattr(again, field), field
    # the caller's own signature has no known maker and is not sent
    spoken = [
        msgspec.structs.replace(part, opaque=()) for turn in first.turns for part in turn.parts
    ]
    assert spoken == [part for turn in again.turns for part in turn.parts]
    assert [] == [drop for drop in report.drops if drop.member != "generationConfig.thinkingConfig"]


@pytest.mark.parametrize("name", ["genai", "langchain", "gemini-cli"])
def test_only_camel_case_and_standard_base64_go_out(wires, name):
    """Trap 92: whatever came in; the caller's own JSON keeps its keys."""
    body, _ = wires.write(wires.read(wires.fixture(f"{name}.request.json")))
    text = json.dumps(body)
    assert "-__-" not in text
    for spelled in ("mime_type", "file_uri", "function_call", "include_thoughts", "_json_schema"):
        assert spelled not in text
    if name == "genai":
        assert {"some_key", "camelKey", "nested_one"} == set(
            body["contents"][1]["parts"][0]["functionCall"]["args"]
        )


def test_the_body_has_a_fixed_order_and_no_model(wires):
    """The model and the method stand in the address."""
    body, _ = wires.write(wires.read(wires.fixture("genai.request.json")))
    assert [
        "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "labels",
    ] == list(body)  # fmt: skip


@pytest.mark.parametrize(
    ("tier", "sent", "dropped"),
    [
        (None, None, False),
        ("auto", None, False),
        ("default", "standard", False),
        ("flex", "flex", False),
        ("priority", "priority", False),
        ("fast", None, True),
    ],
)
def test_tiers(wires, tier, sent, dropped):
    """In the vendor's words."""
    body, report = write(wires, service_tier=tier)
    assert (sent, dropped) == (body.get("serviceTier"), bool(report.drops))


def test_bookkeeping_stays_with_us(wires):
    """Users, labels and stores are the vendor's only where the caller speaks its shape."""
    members = {"metadata": (("team", "a"),), "store": False}
    body, report = write(
        wires, user="u", safety_id="s", cache_key="k", shape="responses", **members
    )
    assert ["contents"] == list(body)
    assert [] == report.drops
    assert 5 == len(report.kept)
    body, _ = write(wires, shape="generate", **members)
    assert ({"team": "a"}, False) == (body["labels"], body["store"])


def test_hints_that_the_shape_lacks_are_reported(wires):
    """And refused where the caller is strict."""
    members = {"parallel_calls": False, "verbosity": "low", "cache": CacheMark()}
    _, report = write(wires, shape="responses", **members)
    assert 3 == len(report.drops)
    with pytest.raises(Fault) as caught:
        wires.write(wires.request(turns=HI, shape="responses", **members), strict=True)
    assert Kind.UNREPRESENTABLE is caught.value.kind


@pytest.mark.parametrize(
    ("member", "where"),
    [
        ("cachedContent", ("cachedContent",)),
        ("safety_settings", ("safetySettings",)),
        ("generationConfig.image_config", ("generationConfig", "imageConfig")),
        ("toolConfig.retrievalConfig", ("toolConfig", "retrievalConfig")),
    ],
)
def test_members_of_this_shape_go_back(wires, member, where):
    """To the top or into the configuration, in camelCase."""
    body, _ = write(
        wires, shape="generate", extensions=(Extension(member, b'{"a_b":1}', Rank.CONTRACT),)
    )
    for step in where:
        body = body[step]
    assert {"a_b": 1} == body


@pytest.mark.parametrize(
    ("shape", "member"),
    [("chat", "prediction"), ("generate", "contents[0].parts[0].newFlag")],
)
def test_other_members_are_reported_by_rank(wires, shape, member):
    """A contract is refused."""
    _, report = write(wires, shape=shape, extensions=(Extension(member, b"1", Rank.HINT),))
    assert [member] == [drop.member for drop in report.drops]
    with pytest.raises(Fault) as caught:
        write(wires, shape=shape, extensions=(Extension(member, b"1", Rank.CONTRACT),))
    assert member == caught.value.param


def test_a_cached_prompt_is_refused_elsewhere(wires):
    """The prompt would be another one."""
    spoken = wires.read(
        {"contents": [{"parts": [{"text": "hi"}]}], "cachedContent": "cachedContents/1"}
    )
    assert Rank.CONTRACT is spoken.extensions[0].rank


def test_the_same_conversation_gives_the_same_bytes(wires):
    """A pure function."""
    spoken = wires.read(wires.fixture("langchain.request.json"))
    bodies = [wires.sent(fitted(spoken, wires.facts(), Report("x"))) for _ in range(3)]
    assert 1 == len(set(bodies))
