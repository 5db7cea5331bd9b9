"""Single blocks of answers, of whatever form."""

import pytest

from trivium.conversation.parts import Audio, Inline, Text, VendorPart
from trivium.faults import Fault
from trivium.wire.converse import read_answer_parts as parts
from trivium.wire.converse.answer_structs import ConverseMedium, ConverseSource, ConverseToolUse


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b'{"text":"a"}', Text),
        (b'{"text":3}', Text),
        (b"{}", VendorPart),
        (b'{"audio":{"format":"mp3","source":{"bytes":"bXAz"}}}', Audio),
        (b'{"audio":{"format":"hum","source":{"bytes":"bXAz"}}}', VendorPart),
        (b'{"audio":{}}', VendorPart),
        (b'{"video":{"format":"mp4"}}', VendorPart),
        (b'{"guardContent":{"text":{"text":"a"}}}', VendorPart),
        (b'{"cachePoint":{"type":"default"}}', VendorPart),
    ],
)
def test_a_block_is_a_part(converse, raw, kind):
    """What the shape has, what only it has, and nothing at all."""
    assert kind is type(parts.part(raw, converse.context()))


@pytest.mark.parametrize("raw", [b"3", b"[]", b"null", b'{"reasoningContent":3}', b'{"image":[]}'])
def test_what_is_no_block_is_refused(converse, raw):
    """With an error that the reader of the answer turns into its fault."""
    with pytest.raises(ValueError):
        parts.part(raw, converse.context())


def test_a_call_must_have_a_name(converse):
    """Nobody could run it."""
    with pytest.raises(Fault, match="has no name"):
        parts.call(ConverseToolUse(toolUseId="a", name=""))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("words", "words"),
        ({"text": "words"}, "words"),
        ({"text": {"text": "words"}}, "words"),
        ({"content": [{"text": "wo"}, {"text": "rds"}]}, "words"),
        ({"content": {"text": "words"}}, "words"),
        ({"text": 3}, ""),
        ({"content": 3}, ""),
        ({}, ""),
        (None, ""),
        ([1], ""),
    ],
)
def test_what_a_block_says_to_people(value, expected):
    """Nothing where it says nothing."""
    assert expected == parts.rendering(value)


def test_a_medium_has_a_known_format_and_bytes():
    """Or it is none."""
    types = {"png": "image/png"}
    source = ConverseSource("aQ==")
    assert Inline("image/png", "aQ==") == parts.inline(ConverseMedium("png", source), types)
    for medium in (
        ConverseMedium("tiff", source),
        ConverseMedium("png"),
        ConverseMedium("png", ConverseSource("")),
        ConverseMedium("png", ConverseSource(3)),
        ConverseMedium([], source),
    ):
        assert parts.inline(medium, types) is None


def test_nothing_attached_is_nothing(converse):
    """An empty slot makes no attachment."""
    assert [(), (), ()] == [
        parts.attached("signature", one, converse.context()) for one in ("", None, 3)
    ]
