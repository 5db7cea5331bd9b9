"""Parts of an answer that are no plain text."""

import json

import msgspec
import pytest

from trivium.conversation.calls import ToolCall
from trivium.conversation.parts import Document, Image, Inline, Native, Remote, VendorPart
from trivium.faults import Fault, Kind
from trivium.wire.generate.read_answer_parts import made, vendor


def members(part):
    return msgspec.json.decode(msgspec.json.encode(part), type=dict[str, msgspec.Raw])


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ({"functionCall": {"id": "1", "name": "f", "args": {"a": 1.0}}}, (ToolCall(id="1", name="f"), '{"a":1.0}')),
        ({"functionCall": {"id": "1", "name": "f"}}, (ToolCall(id="1", name="f"), "{}")),
        ({"functionCall": {"id": "1", "name": "f", "args": None}}, (ToolCall(id="1", name="f"), "{}")),
        ({"inlineData": {"mimeType": "image/png", "data": "-_8"}}, (Image(source=Inline("image/png", "+/8=")), "")),
        ({"fileData": {"fileUri": "https://a.example/b"}}, (Document(source=Remote("https://a.example/b")), "")),
        ({"inlineData": {"mimeType": "image/png"}}, (VendorPart(native=Native("generate", b'{"inlineData":{"mimeType":"image/png"}}'), kind="inlineData"), "")),
        ({"hologram": 5, "thoughtSignature": "AAEC"}, (VendorPart(native=Native("generate", b'{"hologram":5}'), kind="hologram", known=False), "")),
        ({"thought": True}, None),
        ({"text": None}, None),
    ],
)  # fmt: skip
def test_every_part_has_its_canonical_form(part, found):
    """Broken media is the vendor's own block; a signature is no part of a block."""
    assert found == made(members(part), "seed")


def test_calls_without_ids_get_ids_of_their_own():
    """Trap 85: two calls of one function, in whatever answer, are two; the same answer is the same."""
    part = members({"functionCall": {"name": "f"}})
    ids = [made(part, seed)[0].id for seed in ("resp1.0", "resp1.1", "resp2.0", "resp1.0")]
    assert 3 == len(set(ids))
    assert ids[0] == ids[3]
    assert all(id_.isascii() and id_.replace("_", "").isalnum() and len(id_) <= 40 for id_ in ids)


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"name": ""},
        {"name": 5},
        {"name": "f", "willContinue": True},
        {"name": "f", "partialArgs": []},
        "f",
    ],
)
def test_a_call_that_cannot_be_made_is_the_upstreams_failure(call):
    """A call in pieces read as a whole would run with nothing."""
    with pytest.raises(Fault) as caught:
        made(members({"functionCall": call}), "seed")
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_code_has_words_for_shapes_without_such_a_block():
    """What was run, and what came of it."""
    code = {"executableCode": {"code": "print(1)\n"}}
    assert "```python\nprint(1)\n```" == vendor(members(code), "executableCode").text
    assert code == json.loads(vendor(members(code), "executableCode").native.data)
