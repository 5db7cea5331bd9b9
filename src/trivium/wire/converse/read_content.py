"""Content blocks of a Converse request as canonical parts, read strictly.

A block is a union: one member, whose name is its kind. One of a kind that we do not know is kept as
it came, and only its own shape can carry it. A cache point is no part: what stands before it is
marked. Attachments that we sealed into an answer (``write_answer_parts.py``) come back to the very
part they were made for.
Source: ``bedrock-runtime`` of botocore 1.44, read on 2026-11-28.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import unwrapped_arguments
from trivium.conversation.attachments import opened
from trivium.conversation.calls import ResultPart, ToolCall, ToolResult
from trivium.conversation.items import Part, Role
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import EXTRA_CONTENT, THOUGHT_SIGNATURE, Opaque, Open
from trivium.conversation.parts import (
    CacheMark,
    Native,
    Reasoning,
    ReasoningForm,
    Text,
    VendorPart,
)
from trivium.conversation.request import Extension
from trivium.wire.converse import citations, read_sources
from trivium.wire.converse import request_structs as structs
from trivium.wire.converse.media import SHAPE
from trivium.wire.converse.values import only, required
from trivium.wire.messages.paths import malformed, view, wrong

_text: Final = msgspec.json.Decoder(str)
_media: Final = msgspec.json.Decoder(structs.MediaBlock)
_document: Final = msgspec.json.Decoder(structs.DocumentBlock)
_search: Final = msgspec.json.Decoder(structs.SearchResultBlock)
_call: Final = msgspec.json.Decoder(structs.ToolUseBlock)
_result: Final = msgspec.json.Decoder(structs.ToolResultBlock)
_point: Final = msgspec.json.Decoder(structs.CachePoint)
_thought: Final = msgspec.json.Decoder(structs.ReasoningTextBlock)
_guarded: Final = msgspec.json.Decoder(structs.GuardedText)
_cited: Final = msgspec.json.Decoder(structs.CitationsContentBlock)

CACHE_POINT: Final = "cachePoint"
_EVERYWHERE: Final = frozenset({"text", CACHE_POINT, "guardContent"})
_USERS: Final = frozenset({"image", "document", "video", "audio", "toolResult", "searchResult"})
_MODELS: Final = frozenset(
    {"image", "audio", "video", "document", "toolUse", "reasoningContent", "citationsContent"}
)
ALLOWED: Final = {
    Role.SYSTEM: _EVERYWHERE,
    Role.USER: _EVERYWHERE | _USERS,
    Role.ASSISTANT: _EVERYWHERE | _MODELS,
}
"""Kinds of block that a role may speak, of those we know."""
_INSIDE: Final = frozenset({"json", "text", "image", "document", "video", "searchResult"})
"""Kinds that may stand in a result."""
_KNOWN: Final = _EVERYWHERE | _USERS | _MODELS
_CALLS_OWN: Final = frozenset({THOUGHT_SIGNATURE, EXTRA_CONTENT})
"""Kinds of attachment that belong to a call or a text and only travelled as reasoning."""
_REDACTED: Final = b'"redactedContent"'


class ContentReader:
    """Reads the content of one request's turns."""

    __slots__ = ("extensions", "open")

    def __init__(self, open_: Open) -> None:
        self.open = open_
        self.extensions: list[Extension] = []
        """What is carried as something else, or has no place in a conversation."""

    def turn(self, role: Role, rows: list[msgspec.Raw], path: str) -> tuple[Part, ...]:
        """The parts of one message's ``content``."""
        found: list[Part] = []
        redacted: set[int] = set()
        for at, row in enumerate(rows):
            place = f"{path}.{at}"
            try:
                kind, raw = only(row, place)
                if kind == CACHE_POINT:
                    self._mark(found, raw, f"{place}.{CACHE_POINT}")
                    continue
                if kind == "reasoningContent" and _REDACTED in bytes(raw):
                    redacted.add(len(found))
                found.append(self._part(kind, raw, row, role, place))
            except (ValueError, RecursionError):  # in members that were only skimmed so far
                raise malformed(place) from None
        return tuple(_returned(found, redacted)) if role is Role.ASSISTANT else tuple(found)

    def texts(self, rows: list[msgspec.Raw], path: str) -> tuple[Text, ...]:
        """Text blocks and nothing else: the ``system`` member. A guarded image is refused."""
        parts = self.turn(Role.SYSTEM, rows, path)
        for part in parts:
            if type(part) is not Text:
                raise wrong(path, "must hold texts only.")
        return tuple(part for part in parts if type(part) is Text)

    def mark_of(self, raw: msgspec.Raw, path: str) -> CacheMark:
        """Return the mark that a ``cachePoint`` is. Raises ``Fault`` for an unknown type or ttl."""
        point: structs.CachePoint = view(_point, raw, path)
        if required(point.type, f"{path}.type") != "default":
            raise wrong(f"{path}.type", "must be default.")
        if point.ttl not in (None, "5m", "1h"):
            raise wrong(f"{path}.ttl", "must be 5m or 1h.")
        return CacheMark(point.ttl)

    def omitted(self, path: str, raw: msgspec.Raw, rank: Rank = Rank.HINT) -> None:
        """Have the loss of a member reported, whoever is asked."""
        self.extensions.append(Extension(path, bytes(raw), rank))

    def _mark(self, found: list[Part], raw: msgspec.Raw, path: str) -> None:
        mark = self.mark_of(raw, path)
        if found:
            found[-1] = msgspec.structs.replace(found[-1], cache=mark)
        else:
            self.omitted(path, raw)  # nothing stands before it that a part could say

    def _part(self, kind: str, raw: msgspec.Raw, row: msgspec.Raw, role: Role, path: str) -> Part:
        if kind not in _KNOWN:
            view(_any, row, path)  # what others read of it later can be read
            return VendorPart(Native(SHAPE, bytes(row)), kind, known=kind in _OWN)
        if kind not in ALLOWED[role]:
            raise wrong(path, f"a block of kind {kind} cannot stand in {_WHOSE[role]}.")
        found: Part = _READ[kind](self, raw, row, f"{path}.{kind}")
        return found

    def text(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> Text:  # noqa: ARG002 - as in _READ
        """Return a ``text`` block as a part."""
        return Text(view(_text, raw, path))

    def image(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> ResultPart:  # noqa: ARG002 - as in _READ
        """Return an ``image`` block as a part, by its bytes or its place in S3."""
        return read_sources.image(self._medium(raw, path), path)

    def video(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> ResultPart:  # noqa: ARG002 - as in _READ
        """Return a ``video`` block as a part, by its bytes or its place in S3."""
        return read_sources.video(self._medium(raw, path), path)

    def audio(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> Part:  # noqa: ARG002 - as in _READ
        """Return an ``audio`` block as a part, by its bytes or its place in S3."""
        return read_sources.audio(self._medium(raw, path), path)

    def _medium(self, raw: msgspec.Raw, path: str) -> structs.MediaBlock:
        block: structs.MediaBlock = view(_media, raw, path)
        if bytes(block.error) not in (b"", b"null"):
            self.omitted(f"{path}.error", block.error)  # why a model's own could not be made
        return block

    def document(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> ResultPart:  # noqa: ARG002 - as in _READ
        """A file to read."""
        return read_sources.document(view(_document, raw, path), path)

    def search_result(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> ResultPart:  # noqa: ARG002 - as in _READ
        """A search result of the caller's own."""
        return read_sources.search_result(view(_search, raw, path), path)

    def guarded(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> Part:  # noqa: ARG002 - as in _READ
        """What a guardrail is to look at, as what it is; that it is marked so is told as lost."""
        kind, inner = only(raw, path)
        self.omitted(path, raw)
        if kind == "text":
            said: structs.GuardedText = view(_guarded, inner, f"{path}.text")
            return Text(required(said.text, f"{path}.text.text"))
        if kind == "image":
            return read_sources.image(self._medium(inner, f"{path}.image"), f"{path}.image")
        raise wrong(path, "must have text or image.")

    def call(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> Part:
        """A call of the model's; one that its vendor ran is the vendor's own."""
        block: structs.ToolUseBlock = view(_call, raw, path)
        if block.type is not None:
            return VendorPart(Native(SHAPE, bytes(row)), "toolUse")
        id_ = required(block.toolUseId, f"{path}.toolUseId")
        name = required(block.name, f"{path}.name")
        arguments = bytes(block.input)
        if not arguments:
            raise wrong(f"{path}.input", "is required.")
        if not arguments.startswith(b"{"):
            raise wrong(f"{path}.input", "must be an object.")
        return ToolCall(id_, name, unwrapped_arguments(arguments))

    def result(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> Part:
        """The result of a call."""
        block: structs.ToolResultBlock = view(_result, raw, path)
        if block.type is not None:
            return VendorPart(Native(SHAPE, bytes(row)), "toolResult")
        id_ = required(block.toolUseId, f"{path}.toolUseId")
        rows = required(block.content, f"{path}.content")
        if block.status not in (None, "success", "error"):
            raise wrong(f"{path}.status", "must be success or error.")
        parts: list[ResultPart] = []
        structured = None
        for at, inner in enumerate(rows):
            kind, value = only(inner, f"{path}.content.{at}")
            parts.append(self._inside(kind, value, inner, f"{path}.content.{at}"))
            if kind == "json" and len(rows) == 1 and bytes(value).startswith(b"{"):
                structured = bytes(value)
        return ToolResult(id_, tuple(parts), error=block.status == "error", structured=structured)

    def _inside(self, kind: str, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> ResultPart:
        """A block inside a result."""
        if kind not in _INSIDE:
            if kind in _KNOWN:
                raise wrong(path, f"a block of kind {kind} cannot stand in a toolResult.")
            view(_any, row, path)
            return VendorPart(Native(SHAPE, bytes(row)), kind, known=False)
        if kind == "json":
            view(_any, raw, f"{path}.json")
            return Text(unwrapped_arguments(bytes(raw)))
        if kind == "text":
            return self.text(raw, row, f"{path}.text")
        found: ResultPart = _RESULTS[kind](self, raw, row, f"{path}.{kind}")
        return found

    def reasoning(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> Part:  # noqa: ARG002 - as in _READ
        """Reasoning, readable or not."""
        kind, inner = only(raw, path)
        if kind == "redactedContent":
            # base64 of bytes on the wire; an envelope of ours is written as its own base64
            data = view(_text, inner, f"{path}.redactedContent")
            return Reasoning("", ReasoningForm.HIDDEN, opaque=opened(data, self.open))
        if kind != "reasoningText":
            raise wrong(path, "must have reasoningText or redactedContent.")
        block: structs.ReasoningTextBlock = view(_thought, inner, f"{path}.reasoningText")
        text = block.text
        if text is None:
            raise wrong(f"{path}.reasoningText.text", "is required.")
        return Reasoning(
            text,
            ReasoningForm.FULL if text else ReasoningForm.HIDDEN,
            opaque=opened(block.signature or "", self.open),
        )

    def cited(self, raw: msgspec.Raw, row: msgspec.Raw, path: str) -> Text:  # noqa: ARG002 - as in _READ
        """Text of an earlier answer, with its sources."""
        block: structs.CitationsContentBlock = view(_cited, raw, path)
        text = "".join([piece.text or "" for piece in block.content or ()])
        if not text and bytes(block.citations) not in (b"", b"null", b"[]"):
            self.omitted(f"{path}.citations", block.citations)  # sources of nothing
            return Text(text)
        return Text(text, citations.read_all(block.citations))


_any: Final = msgspec.json.Decoder()
_OWN: Final = frozenset({"toolAddition", "toolRemoval"})
"""Kinds that are documented, and that no other shape has."""
_WHOSE: Final = {
    Role.SYSTEM: "a system text",
    Role.USER: "a user message",
    Role.ASSISTANT: "an assistant message",
}
_Reads = Callable[[ContentReader, msgspec.Raw, msgspec.Raw, str], Any]
_RESULTS: Final[dict[str, _Reads]] = {
    "image": ContentReader.image,
    "document": ContentReader.document,
    "video": ContentReader.video,
    "searchResult": ContentReader.search_result,
}
_READ: Final[dict[str, _Reads]] = {
    **_RESULTS,
    "text": ContentReader.text,
    "audio": ContentReader.audio,
    "guardContent": ContentReader.guarded,
    "toolUse": ContentReader.call,
    "toolResult": ContentReader.result,
    "reasoningContent": ContentReader.reasoning,
    "citationsContent": ContentReader.cited,
}


def _returned(parts: list[Part], redacted: set[int]) -> list[Part]:
    """The same parts, sealed attachments of calls and texts back on them.

    Redacted content's go to the call after it, those of reasoning without words to the text or call
    before it; if there is none, an empty text carries them.
    """
    out: list[Part] = []
    waiting: tuple[Opaque, ...] = ()
    late: list[Opaque] = []  # of the text or call that stands last
    for at, part in enumerate(parts):
        if type(part) is Reasoning and not part.text and _is_anothers(part.opaque):
            follower = parts[at + 1] if at + 1 < len(parts) else None
            if type(follower) is ToolCall and at in redacted:
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
