"""How many tokens a conversation is, where no upstream counts: a rule of thumb, always the same.

Text is one token for four bytes of UTF-8, each part rounded up: about right for English, and
between half and one and a half of the truth for most scripts. A turn costs four more, a tool eight.
Media follow what the vendors of the caller's shape publish, read 2026-11-21:

* messages (Anthropic, "Vision" and "PDF support"): a picture is width times height by 750, after it
  was shrunk to 1,568 pixels at its longer edge; a page of a PDF is 1,500 to 3,000, here 2,250.
* chat, responses (OpenAI, "Images and vision"): 85 and 170 for each square of 512 pixels, after the
  picture was shrunk into 2,048 by 2,048 and to 768 at its shorter edge; 85 with low detail.
* generate (Google, "Understand and count tokens"): 258 for a picture of at most 384 by 384, else
  for each square of 768 pixels; 258 for a page; 32 for a second of sound, 263 of moving pictures.

A picture whose size cannot be read counts as one of 1,024 by 1,024, a file that cannot be looked
into as one page or ten seconds. Sound is taken as 16,000 bytes a second, video as 125,000; a page
of a PDF whose pages cannot be told as 50,000.
"""

import base64
import binascii
import re
from typing import Final

from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.image_info import size
from trivium.conversation.items import Part
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Pieces,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.tools import CustomTool, FunctionTool, Tool

TEXT_BYTES: Final = 4
TURN: Final = 4
TOOL: Final = 8
UNKNOWN: Final = (1024, 1024)
HEADER_CHARS: Final = 262_144
"""Base64 characters in which a picture's size is looked for: JPEG may have a long preamble."""
PAGE_BYTES: Final = 50_000
PAGE: Final = {"messages": 2250, "generate": 258}
PAGE_ELSEWHERE: Final = 2250
SOUND_BYTES: Final = 16_000
SOUND: Final = 32
VIDEO_BYTES: Final = 125_000
VIDEO: Final = 263
SECONDS_UNKNOWN: Final = 10

_PAGES: Final = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")


def tokens(conversation: Conversation) -> int:
    """Input tokens of a request, at least 1."""
    shape = conversation.shape
    total = 0
    for text in conversation.instructions:
        total += _text(text.text)
    for turn in conversation.turns:
        total += TURN
        for part in turn.parts:
            total += _part(part, shape)
    for tool in conversation.tools:
        total += _tool(tool)
    if conversation.format is not None and conversation.format.schema is not None:
        total += of_bytes(len(conversation.format.schema))
    return max(1, total)


def of_bytes(count: int) -> int:
    """Tokens of so many bytes of text."""
    return -(-count // TEXT_BYTES)


def picture(width: int, height: int, shape: str, detail: str | None = None) -> int:
    """Tokens of a picture of so many pixels."""
    if shape == "generate":
        if max(width, height) <= 384:
            return 258
        return 258 * _squares(width, height, 768)
    if shape == "messages":
        scale = min(1.0, 1568 / max(width, height))
        return max(1, round(width * scale) * round(height * scale) // 750)
    if detail == "low":
        return 85
    scale = min(1.0, 2048 / max(width, height))
    scale = min(scale, 768 / min(width, height)) if min(width, height) * scale > 768 else scale
    return 85 + 170 * _squares(round(width * scale), round(height * scale), 512)


def _squares(width: int, height: int, edge: int) -> int:
    return max(1, -(-width // edge)) * max(1, -(-height // edge))


def _text(text: str | None) -> int:
    if not text:
        return 0
    count = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-count // TEXT_BYTES)


def _part(part: Part, shape: str) -> int:
    if isinstance(part, Text | Refusal | Reasoning | VendorPart):
        return _text(part.text)
    if isinstance(part, ToolCall):
        return _text(part.name) + _text(part.arguments)
    if isinstance(part, ToolResult):
        return _text(part.name) + sum(_part(one, shape) for one in part.parts)
    if isinstance(part, SearchResult):
        return _text(part.source) + _text(part.title) + sum(_text(one.text) for one in part.texts)
    return _media(part, shape)


def _media(part: Image | Audio | Video | Document, shape: str) -> int:
    if isinstance(part, Image):
        found = None
        if isinstance(part.source, Inline):
            found = size(_decoded(part.source.data[:HEADER_CHARS]))
        return picture(*(found or UNKNOWN), shape, part.detail)
    if isinstance(part, Document):
        return _document(part, shape)
    length = _length(part.source.data) if isinstance(part.source, Inline) else None
    if isinstance(part, Audio):
        seconds = SECONDS_UNKNOWN if length is None else -(-length // SOUND_BYTES)
        return SOUND * seconds + _text(part.transcript)
    return VIDEO * (SECONDS_UNKNOWN if length is None else -(-length // VIDEO_BYTES))


def _document(part: Document, shape: str) -> int:
    total = _text(part.title) + _text(part.context)
    source = part.source
    if isinstance(source, Pieces):
        return total + sum(_part(one, shape) for one in source.parts)
    if not isinstance(source, Inline):
        return total + PAGE.get(shape, PAGE_ELSEWHERE)
    if source.mime.startswith("text/"):
        return total + of_bytes(_length(source.data))
    data = _decoded(source.data)
    pages = sum(1 for _ in _PAGES.finditer(data)) or max(1, -(-len(data) // PAGE_BYTES))
    return total + pages * PAGE.get(shape, PAGE_ELSEWHERE)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _length(text: str) -> int:
    """Return how many bytes a base64 text stands for."""
    return len(text.rstrip("=")) * 3 // 4


def _tool(tool: Tool) -> int:
    if isinstance(tool, FunctionTool):
        schema = of_bytes(len(tool.parameters or b""))
        return TOOL + _text(tool.name) + _text(tool.description) + schema
    if isinstance(tool, CustomTool):
        grammar = _text(tool.grammar.definition) if tool.grammar is not None else 0
        return TOOL + _text(tool.name) + _text(tool.description) + grammar
    return TOOL + of_bytes(len(tool.native.data))
