"""How many tokens a conversation is, by our own rule."""

import base64
import struct

import pytest

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.estimate import TOOL, TURN, of_bytes, picture, tokens
from trivium.conversation.items import Role, Turn
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Native,
    Pieces,
    Remote,
    SearchResult,
    Text,
    Video,
)
from trivium.conversation.request import Conversation, FormatKind, ResponseFormat
from trivium.conversation.tools import CustomTool, FunctionTool, Grammar, VendorTool

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 300, 250)


def _inline(data, mime="image/png"):
    return Inline(mime, base64.b64encode(data).decode())


def _asked(*parts, shape="messages", **more):
    turns = (Turn(Role.USER, parts),) if parts else ()
    return Conversation(shape=shape, model="m", turns=turns, **more)


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (1, 1), (4, 1), (5, 2)])
def test_four_bytes_of_text_are_a_token(count, expected):
    """Rounded up."""
    assert expected == of_bytes(count)


@pytest.mark.parametrize(
    ("width", "height", "shape", "detail", "expected"),
    [
        (300, 250, "messages", None, 100),
        (3136, 1568, "messages", None, 1568 * 784 // 750),
        (1, 1, "messages", None, 1),
        (384, 384, "generate", None, 258),
        (385, 100, "generate", None, 258),
        (1536, 769, "generate", None, 258 * 4),
        (1024, 1024, "chat", "high", 765),
        (2048, 4096, "responses", None, 1105),
        (4096, 8192, "chat", "low", 85),
        (512, 512, "chat", None, 255),
    ],
)
def test_a_picture_counts_as_its_vendor_says(width, height, shape, detail, expected):
    """The published examples are among them: 765 and 1105 are OpenAI's own."""
    assert expected == picture(width, height, shape, detail)


@pytest.mark.parametrize(
    ("part", "shape", "expected"),
    [
        (Text(text="four" * 3), "chat", 3),
        (Text(text="日本"), "chat", 2),
        (ToolCall(id="c", name="look", arguments='{"a":1}'), "chat", 1 + 2),
        (ToolResult(call_id="c", name="look", parts=(Text(text="fine"),)), "chat", 1 + 1),
        (ToolResult(call_id="c", parts=(Image(source=_inline(PNG)),)), "messages", 100),
        (SearchResult(source="a", title="b", texts=(Text(text="cccc"),)), "messages", 3),
        (Image(source=_inline(PNG)), "messages", 100),
        (Image(source=_inline(PNG)), "generate", 258),
        (Image(source=_inline(b"?")), "chat", 765),
        (Image(source=Remote("https://a.example/b.png")), "messages", 1398),
        (Audio(source=_inline(bytes(16_001))), "generate", 64),
        (Audio(source=None, transcript="four"), "chat", 321),
        (Video(source=_inline(bytes(125_000))), "generate", 263),
        (Document(source=_inline(b"%PDF /Type /Page /Type/Pages /Type /Page")), "generate", 516),
        (Document(source=_inline(b"%PDF /Type /Page")), "messages", 2250),
        (Document(source=_inline(bytes(100_001))), "generate", 258 * 3),
        (Document(source=_inline(b"12345678", "text/plain"), title="four"), "messages", 3),
        (Document(source=Remote("https://a.example/b.pdf")), "responses", 2250),
        (Document(source=Pieces((Text(text="four"),)), context="four"), "messages", 2),
    ],
)
def test_every_part_counts(part, shape, expected):
    """Beside what its turn costs."""
    assert TURN + expected == tokens(_asked(part, shape=shape))


def test_base64_that_is_none_is_no_failure():
    """A request that will be refused later is counted all the same."""
    part = Document(source=Inline("application/pdf", "%%%%"))

    assert TURN + 258 == tokens(_asked(part, shape="generate"))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"instructions": (Text(text="four"),)}, 1),
        ({"tools": (FunctionTool("look", "four", b"{}12"),)}, TOOL + 3),
        ({"tools": (CustomTool("look", None, Grammar("lark", "four")),)}, TOOL + 2),
        ({"tools": (VendorTool("x", Native("messages", b"12345678")),)}, TOOL + 2),
        ({"format": ResponseFormat(FormatKind.SCHEMA, b"12345678")}, 2),
        ({"format": ResponseFormat(FormatKind.JSON)}, 0),
    ],
)
def test_what_stands_beside_the_turns_counts_too(more, expected):
    """Instructions, tools, a schema."""
    assert TURN + 1 + expected == tokens(_asked(Text(text="four"), **more))


def test_nothing_is_still_one_token():
    """No vendor counts none."""
    assert 1 == tokens(_asked())
