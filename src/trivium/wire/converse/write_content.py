"""Canonical parts of a history as content blocks for an upstream.

A block is an object of one member, which names its kind; a cache point is a block of its own,
behind what it marks. Sources, read on 2026-11-28: botocore 1.44's model of the service; that an
error must say something:
https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import argument_object
from trivium.conversation.attachments import belonging, first
from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.fit import FILLER
from trivium.conversation.items import Part
from trivium.conversation.losses import Mend, Report
from trivium.conversation.member_table import Concept
from trivium.conversation.opaque import REDACTED, SIGNATURE
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Citation,
    Document,
    Image,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import Conversation
from trivium.conversation.target import Input, ReasoningBack, TargetFacts
from trivium.conversation.turns import marks
from trivium.wire.converse.media import SHAPE
from trivium.wire.converse.write_media import BlockRow, ConverseMediaWriter

_LIVES: Final = {"5m": "5m", "1h": "1h", "30m": "1h", "12h": "1h"}
_EXACT: Final = frozenset({"5m", "1h", "30m"})
_RESULT_KINDS: Final = frozenset({"text", "json", "image", "document", "video", "searchResult"})
"""Blocks that a tool's result may be made of."""

_encode: Final = msgspec.json.Encoder().encode
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class ConverseWriter(ConverseMediaWriter):
    """What the blocks of one request are written with."""

    __slots__ = ("_conversation", "_skipped")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self._conversation = conversation
        self._skipped: int | None = None
        """How many marks are still to be left out; ``None`` until the first is met."""

    def mark(self, mark: CacheMark | None) -> list[BlockRow]:
        """The cache point for a mark; nothing for none, and for one too many: the last ones cover
        the most.
        """
        if mark is None:
            return []
        skipped = self._skipped
        most = 0 if Concept.CACHE_MARK in self.facts.refuses else self.facts.cache_marks
        if skipped is None:
            skipped = self._skipped = max(0, len(list(marks(self._conversation))) - most)
        if skipped:
            self._skipped = skipped - 1
            self.lacks(
                Concept.CACHE_MARK, "too many marks" if most else "this model caches unasked"
            )
            return []
        if mark.ttl is not None and mark.ttl not in _EXACT:
            self.changes(Concept.CACHE_MARK, "cached for another time")
        life = None if mark.ttl is None else _LIVES.get(mark.ttl)
        point = {"type": "default"} if life is None else {"type": "default", "ttl": life}
        return [{"cachePoint": point}]

    def parts(self, parts: Sequence[Part], where: str) -> list[BlockRow]:
        """The blocks of one turn, possibly none: what has no content is left out."""
        out: list[BlockRow] = []
        for part in parts:
            rows = self._rows(part, where)
            out += rows
            if part.cache is not None and rows:
                out += self.mark(part.cache)
            if type(part) is ToolResult:
                for inner in part.parts:
                    # the shape has no points within a result: one behind it covers all of it
                    out += self.mark(inner.cache)
        return out

    def text(self, part: Text, where: str) -> list[BlockRow]:
        """A text block; none for text that the vendor refuses."""
        if not part.text or (not self.facts.blank_text and part.text.isspace()):
            if not part.opaque:
                self.report.repair(Mend.EMPTY_TEXT, where)
            return []
        if part.citations and (kept := self._citations(part.citations)):
            return [{"citationsContent": {"content": [{"text": part.text}], "citations": kept}}]
        return [{"text": part.text}]

    def _rows(self, part: Part, where: str) -> list[BlockRow]:
        if isinstance(part, Text):
            return self.text(part, where)
        if isinstance(part, Refusal):
            return self.text(Text(part.text), where)
        if isinstance(part, Reasoning):
            return self._reasoning(part)
        if isinstance(part, ToolCall):
            return [self._call(part)]
        if isinstance(part, ToolResult):
            return [self._result(part, where)]
        return self._given(part, where)

    def _given(self, part: Part, where: str) -> list[BlockRow]:
        """What is neither said nor done: pictures, files, blocks of a vendor's own."""
        if isinstance(part, SearchResult):
            return [self.search_result(part)]
        if isinstance(part, VendorPart):
            return self._vendor(part, where)
        if (
            isinstance(part, Audio)
            and part.transcript
            and (part.source is None or Input.AUDIO not in self.facts.inputs)
        ):
            return self.text(Text(part.transcript), where)
        row = self.media(part) if isinstance(part, Image | Document | Video | Audio) else {}
        return [row] if row else []

    def _citations(self, citations: Sequence[Citation]) -> list[msgspec.Raw]:
        kept = [
            msgspec.Raw(one.native.data)
            for one in citations
            if one.native is not None and one.native.shape == SHAPE
        ]
        if len(kept) < len(citations):
            self.lacks(Concept.CITATION, "only the vendor's own citations can be repeated")
        return kept

    def _reasoning(self, part: Reasoning) -> list[BlockRow]:
        """Signed reasoning goes back to the account that signed it and to nobody else."""
        own = belonging(part.opaque, self.facts.origin)
        back = self.facts.reasoning_back
        if back is ReasoningBack.SEALED:
            if (signature := first(own, SIGNATURE)) is not None:
                words = {"text": part.text, "signature": signature.data.decode()}
                return [{"reasoningContent": {"reasoningText": words}}]
            if (hidden := first(own, REDACTED)) is not None:
                return [{"reasoningContent": {"redactedContent": hidden.data.decode()}}]
        elif back is ReasoningBack.TEXT and part.text:
            return [{"reasoningContent": {"reasoningText": {"text": part.text}}}]
        if part.text or part.opaque:
            self.lacks(Concept.REASONING_STATE, "another model's reasoning has no signature here")
        return []

    def _call(self, part: ToolCall) -> BlockRow:
        if part.kind is CallKind.CUSTOM:
            data, whole = _encode({"input": part.arguments}), True
        else:
            data, whole = argument_object(part.arguments)
        if not whole:
            self.report.repair(Mend.ARGUMENTS, part.id)
        row: BlockRow = {
            "toolUseId": part.id,
            "name": self.name(part.name, part.namespace),
            "input": msgspec.Raw(data),
        }
        if (own := self.own(part.native, SHAPE, Concept.HISTORY)) is not None:
            row |= shallow(own)
        return {"toolUse": row}

    def _result(self, part: ToolResult, where: str) -> BlockRow:
        content: list[BlockRow] = []
        inner: Sequence[Part] = part.parts
        if part.structured is not None:
            # its text says the same, and other media do not
            content.append({"json": msgspec.Raw(part.structured)})
            inner = [one for one in part.parts if not isinstance(one, Text)]
        for one in inner:
            if (
                isinstance(one, Image | Document | Video)
                and Input.RESULT_MEDIA not in self.facts.inputs
            ):
                self.lacks(_MEDIA[type(one)], "this model takes no media in tool results")
            for block in self._rows(one, where):
                self._fits(block)
                content.append(block)
        row: BlockRow = {"toolUseId": part.call_id, "content": content}
        if part.error and self.takes(Concept.RESULT_ERROR):
            row["status"] = "error"
            if not content:
                # an error without a word is refused
                self.report.repair(Mend.EMPTY_TURN, where)
                content.append({"text": FILLER})
        return {"toolResult": row}

    def _fits(self, row: BlockRow) -> None:
        """Refuse what may stand in a message and not in a result."""
        kind = next(iter(row))
        if kind in _RESULT_KINDS:
            return
        concept = Concept.AUDIO_INPUT if kind == "audio" else Concept.HISTORY
        self.lacks(concept, f"a tool's result has no {kind} there")

    def _vendor(self, part: VendorPart, where: str) -> list[BlockRow]:
        if part.native.shape == SHAPE:
            return [shallow(part.native.data)]
        self.lacks(Concept.VENDOR_PART, f"a block of type {part.kind} is another vendor's own")
        return self.text(Text(part.text), where) if part.text else []


_MEDIA: Final[dict[type[Any], Concept]] = {
    Image: Concept.IMAGE,
    Document: Concept.DOCUMENT,
    Video: Concept.VIDEO_INPUT,
}


def shallow(data: bytes) -> BlockRow:
    """An object's members, each as it came: numbers of any size and spelling included."""
    members: BlockRow = _members(data)
    return members
