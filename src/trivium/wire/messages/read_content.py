"""Content blocks of a request as canonical parts, read strictly.

A block of a known kind must stand where its kind may stand and have its members; a kind that we do
not know is kept as it came, and only its own shape can carry it. Attachments that we sealed into an
answer (``write_answer_parts.py``) come back to the very part they were made for.
Source: messages reference and SDK types 2.11, read on 2026-11-21.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from trivium.conversation.arguments import unwrapped_arguments
from trivium.conversation.attachments import opened
from trivium.conversation.calls import ResultPart, ToolCall, ToolResult
from trivium.conversation.items import Part, Role
from trivium.conversation.opaque import EXTRA_CONTENT, THOUGHT_SIGNATURE, Opaque, Open
from trivium.conversation.parts import CacheMark, Reasoning, ReasoningForm, Text, VendorPart
from trivium.wire.messages import citations, read_sources
from trivium.wire.messages.known_members import is_own
from trivium.wire.messages.paths import malformed, missing, view, wrong
from trivium.wire.messages.read_answer_parts import extra, vendor
from trivium.wire.messages.request_structs import (
    BlockType,
    Cache,
    PlainCall,
    PlainResult,
    PlainText,
    RequestBlock,
)

_block: Final = msgspec.json.Decoder(RequestBlock)
_decode: Final = _block.decode
_decode_plain: Final = msgspec.json.Decoder(PlainText | PlainCall | PlainResult).decode
_decode_text: Final = msgspec.json.Decoder(str).decode
_NOTHING: Final = (b"", b"null")  # no set, which would go over all of a text
_kind: Final = msgspec.json.Decoder(BlockType)
_content: Final = msgspec.json.Decoder(str | list[msgspec.Raw])

_EVERYWHERE: Final = frozenset({"text"})
ALLOWED: Final = {
    Role.SYSTEM: _EVERYWHERE,
    Role.USER: _EVERYWHERE | {"image", "document", "search_result", "tool_result"},
    Role.ASSISTANT: _EVERYWHERE | {"thinking", "redacted_thinking", "tool_use", "document"},
}
"""Kinds of block that a role may speak, of those we know."""
_RESULT: Final = _EVERYWHERE | {"image", "document", "search_result"}
_KNOWN: Final = frozenset().union(*ALLOWED.values())
_CALLS_OWN: Final = frozenset({THOUGHT_SIGNATURE, EXTRA_CONTENT})
"""Kinds of attachment that belong to a call or a text and only travelled as thinking."""


class Blocks:
    """Reads the content of one request's turns."""

    __slots__ = ("marks", "open", "strict")

    def __init__(self, open_: Open, *, strict: bool) -> None:
        """``strict``: the version of 2026, which refuses what the older one tolerates."""
        self.open = open_
        self.strict = strict
        self.marks = 0
        """Cache marks so far."""

    def turn(self, role: Role, rows: str | list[msgspec.Raw], path: str) -> tuple[Part, ...]:
        """The parts of one message's ``content``."""
        if isinstance(rows, str):
            return (Text(rows),)
        found = [
            _plain(row, role) or self._part(row, role, f"{path}.{at}")
            for at, row in enumerate(rows)
        ]
        return tuple(_returned(found, rows)) if role is Role.ASSISTANT else tuple(found)

    def texts(self, raw: msgspec.Raw, path: str) -> tuple[Text, ...]:
        """Text blocks and nothing else: the ``system`` member."""
        rows = view(_content, raw, path)
        if isinstance(rows, str):
            return (Text(rows),) if rows else ()
        out: list[Text] = []
        for at, row in enumerate(rows):
            block = view(_block, row, f"{path}.{at}")
            if block.type != "text":
                raise wrong(f"{path}.{at}.type", "must be text.")
            out.append(self.text(block, Role.SYSTEM, f"{path}.{at}"))
        return tuple(out)

    def mark(self, cache: Cache | None, path: str) -> CacheMark | None:
        """A cache mark, checked and counted."""
        if cache is None:
            return None
        if cache.type != "ephemeral":
            raise wrong(f"{path}.cache_control.type", "must be ephemeral.")
        if cache.ttl not in (None, "5m", "1h"):
            raise wrong(f"{path}.cache_control.ttl", "must be 5m or 1h.")
        self.marks += 1
        if self.marks > 4:
            raise wrong(f"{path}.cache_control", "is one too many: a request may have 4.")
        return CacheMark(cache.ttl)

    def _part(self, raw: msgspec.Raw, role: Role, path: str) -> Part:
        try:
            return self._read(raw, role, path)
        except (ValueError, RecursionError):  # in members that were only skimmed so far
            raise malformed(path) from None

    def _read(self, raw: msgspec.Raw, role: Role, path: str) -> Part:
        try:
            block = _decode(raw)
        except (ValueError, RecursionError):
            block = None
        kind = view(_kind, raw, path).type if block is None else block.type
        if kind not in _KNOWN:
            return _foreign(raw)
        if kind not in ALLOWED[role]:
            who = role.value
            raise wrong(f"{path}.type", f"a block of type {kind} cannot stand in a {who} message.")
        if kind == "document" and role is Role.ASSISTANT and self.strict:
            raise wrong(
                f"{path}.type", "a document cannot stand in an assistant message since 2026-10-21."
            )
        return _READ[kind](self, block or view(_block, raw, path), role, path)

    def text(self, block: RequestBlock, role: Role, path: str) -> Text:
        """Read a block of type ``text``. Raises ``Fault`` for one that breaks the specification."""
        if block.text is None:
            raise missing(f"{path}.text")
        cited = citations.read_all(block.citations) if block.citations else ()
        if cited and self.strict and role is Role.USER:
            raise wrong(
                f"{path}.citations", "must be empty in a user message since version 2026-10-21."
            )
        if block.cache_control is None:
            return Text(block.text, cited)
        return Text(block.text, cited, cache=self.mark(block.cache_control, path))

    def media(self, block: RequestBlock, role: Role, path: str) -> ResultPart:  # noqa: ARG002 - as in _READ
        """An image, a document or a search result."""
        cache = self.mark(block.cache_control, path)
        if block.type == "image":
            return read_sources.image(block.source, f"{path}.source", cache)
        if block.type == "document":
            return read_sources.document(
                block.source, f"{path}.source", block.title, block.context, block.citations, cache
            )
        return read_sources.search_result(
            block.source, block.title, block.content, path, block.citations, cache
        )

    def thinking(self, block: RequestBlock, role: Role, path: str) -> Reasoning:  # noqa: ARG002 - as in _READ
        """Thinking, readable or not."""
        if block.type == "redacted_thinking":
            if block.data is None:
                raise missing(f"{path}.data")
            return Reasoning("", ReasoningForm.HIDDEN, opaque=opened(block.data, self.open))
        if block.thinking is None:
            raise missing(f"{path}.thinking")
        # clients leave out what was empty
        return Reasoning(
            block.thinking,
            ReasoningForm.FULL if block.thinking else ReasoningForm.HIDDEN,
            opaque=opened(block.signature or "", self.open),
        )

    def call(self, block: RequestBlock, role: Role, path: str) -> ToolCall:  # noqa: ARG002 - as in _READ
        """Read a block of type ``tool_use``. Raises ``Fault`` for one that breaks the
        specification.
        """
        if not block.id:
            raise missing(f"{path}.id")
        if not block.name:
            raise missing(f"{path}.name")
        if not bytes(block.input):
            raise missing(f"{path}.input")
        if not bytes(block.input).startswith(b"{"):
            raise wrong(f"{path}.input", "must be an object.")
        return ToolCall(
            block.id,
            block.name,
            unwrapped_arguments(bytes(block.input)),
            native=extra(block.caller, block.toolset_name),
            cache=self.mark(block.cache_control, path),
        )

    def result(self, block: RequestBlock, role: Role, path: str) -> ToolResult:
        """Read a block of type ``tool_result``. Raises ``Fault`` for one that breaks the
        specification.
        """
        if not block.tool_use_id:
            raise missing(f"{path}.tool_use_id")
        parts: tuple[ResultPart, ...] = ()
        if bytes(block.content) not in (b"", b"null"):
            rows = view(_content, block.content, f"{path}.content")
            if isinstance(rows, str):
                parts = (Text(rows),) if rows else ()
            else:
                parts = tuple(
                    self._inside(row, role, f"{path}.content.{at}") for at, row in enumerate(rows)
                )
        return ToolResult(
            block.tool_use_id,
            parts,
            error=bool(block.is_error),
            cache=self.mark(block.cache_control, path),
        )

    def _inside(self, raw: msgspec.Raw, role: Role, path: str) -> ResultPart:
        """A block inside a tool result."""
        kind = view(_kind, raw, path).type
        if kind not in _KNOWN:
            return _foreign(raw)
        if kind not in _RESULT:
            raise wrong(f"{path}.type", f"a block of type {kind} cannot stand in a tool result.")
        block = view(_block, raw, path)
        if kind == "text":
            return self.text(block, role, path)
        return self.media(block, role, path)


def _plain(raw: msgspec.Raw, role: Role) -> Part | None:
    """A block that is words, a call or a result in words and nothing else, as most are; ``None``
    for any other, and for one that breaks the specification.
    """
    # HOT: three members instead of eighteen, and its place is not put in words: 43 -> 26 ms for
    # 8,000 calls and their results (2026-11-28)
    try:
        block = _decode_plain(raw)
        if type(block) is PlainText:
            return Text(block.text)
        if type(block) is PlainCall and role is Role.ASSISTANT:
            data = bytes(block.input)
            if data.startswith(b"{"):
                return ToolCall(block.id, block.name, unwrapped_arguments(data))
        if type(block) is PlainResult and role is Role.USER:
            return _worded(block)
    except (ValueError, RecursionError):
        pass  # told by whoever reads it at length
    return None


def _worded(block: PlainResult) -> ToolResult | None:
    data = bytes(block.content)
    parts: tuple[ResultPart, ...] = ()
    if data not in _NOTHING:
        if not data.startswith(b'"'):
            return None
        text = _decode_text(data)
        parts = (Text(text),) if text else ()
    return ToolResult(block.tool_use_id, parts, error=bool(block.is_error))


def _foreign(raw: msgspec.Raw) -> VendorPart:
    """A block that no other shape has, or that nobody knows."""
    found = vendor(bytes(raw))
    if is_own(found.kind) or found.kind == "tool_reference":
        return found
    return msgspec.structs.replace(found, known=False)


_READ: Final[dict[str, Callable[[Blocks, RequestBlock, Role, str], Part]]] = {
    "text": Blocks.text,
    "image": Blocks.media,
    "document": Blocks.media,
    "search_result": Blocks.media,
    "thinking": Blocks.thinking,
    "redacted_thinking": Blocks.thinking,
    "tool_use": Blocks.call,
    "tool_result": Blocks.result,
}


def _returned(parts: list[Part], rows: list[msgspec.Raw]) -> list[Part]:
    """The same parts, sealed attachments of calls and texts back on them.

    A redacted block's go to the call after it, a silent thinking block's to the text before it; if
    there is none, an empty text carries them.
    """
    out: list[Part] = []
    waiting: tuple[Opaque, ...] = ()
    late: list[Opaque] = []  # of the text or call that stands last
    for at, part in enumerate(parts):
        if type(part) is Reasoning and not part.text and _is_anothers(part.opaque):
            follower = parts[at + 1] if at + 1 < len(parts) else None
            if type(follower) is ToolCall and b'"redacted_thinking"' in bytes(rows[at]):
                waiting = part.opaque
            elif out and isinstance(out[-1], Text | ToolCall):
                late += part.opaque
            else:
                out.append(Text("", opaque=part.opaque))
            continue
        _attach(out, late)
        out.append(msgspec.structs.replace(part, opaque=waiting) if waiting else part)
        waiting = ()
    _attach(out, late)
    return out


def _attach(out: list[Part], late: list[Opaque]) -> None:
    if late:
        out[-1] = msgspec.structs.replace(out[-1], opaque=(*out[-1].opaque, *late))
        late.clear()


def _is_anothers(opaque: tuple[Opaque, ...]) -> bool:
    return bool(opaque) and all(one.kind in _CALLS_OWN for one in opaque)
